"""What an Ir says of its streams and its device, and what it removes; operators in a file of debug
information.
"""

import json

from tests.cpp_sessions.conftest import Program


def test_what_an_ir_and_an_operator_say(program: Program) -> None:
    said, brace, written = program("asked").partition("{")
    assert said.splitlines() == ["from 1 loaded", "back 1 loaded", "1100", "11"]
    contexts = [c for c in json.loads(brace + written)["contexts"] if c["layer"] == "popart"]
    whole, left = sorted(contexts, key=lambda each: each["discard"])
    assert whole["name"] == "whole" and whole["opid"] == left["opid"] == "ai.onnx.Elu:6"
    assert whole["inputs"] == ["loaded"] and whole["outputs"] == ["y"]
    assert float(whole["attributes"]["alpha"]) == 0.5 and whole["discard"] == 0
    assert left["discard"] == 1 and "inputs" not in left
