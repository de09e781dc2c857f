"""What the comparison of redesigns counts as a difference (`python -m tests.unchanged`)."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests import unchanged

BEFORE = {"outputs": "{1}", "report": "cycles 5", "plan": "map\npasses\n  fuse: 1 step\n"}
NOTES = r"(?m)^passes\n(?:  .*\n)*"


@pytest.mark.parametrize(
    ("was", "now", "without", "found"),
    [
        ({}, {}, [], 0),
        ({}, {"outputs": "{2}"}, [], 1),
        ({}, {"report": "cycles 6", "plan": "map\n"}, [], 2),
        ({}, {"plan": "map\npasses\n  fuse: 2 steps\n"}, [NOTES], 0),
        ({}, {"outputs": "{2}"}, [".*"], 1),  # outputs are compared whatever is left out
        ({"outputs": "UnknownOperatorError: Foo"}, {"outputs": "{1}"}, [], 0),  # runs now
        ({}, {"outputs": "UnknownOperatorError: Foo"}, [], 1),
    ],
)
def test_what_differs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    was: dict[str, str],
    now: dict[str, str],
    without: list[str],
    found: int,
) -> None:
    for name, content in (("models", []), ("results", {"a": BEFORE | was})):
        with gzip.open(tmp_path / f"{name}.gz", "wb") as stream:
            pickle.dump(content, stream)

    def results(_models: Any, _jobs: int) -> Iterator[tuple[str, dict[str, str]]]:
        yield "a", BEFORE | now

    monkeypatch.setattr(unchanged, "_results", results)
    assert unchanged.compare(tmp_path, without, 1) == found


def test_a_run_shows_outputs_report_and_plan() -> None:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    found = [
        unchanged.run(
            unchanged.Model(model.SerializeToString(), {"x": np.full(3, value)}, ["y"]),
            unchanged.WAYS["machine"],
        )
        for value in np.array([1, 1, 2], np.float32)
    ]
    assert found[0] == found[1]
    assert found[0]["outputs"] != found[2]["outputs"]
    assert "cycles" in found[0]["report"]
    assert "program 0" in found[0]["plan"]
