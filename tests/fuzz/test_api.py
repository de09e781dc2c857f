"""A few of the programs of `python -m tests.fuzz api`, and whether it would notice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import Any

import pytest

from tests.fuzz.api import tallied
from tests.fuzz.signatures import signatures
from tests.fuzz.values import Program
from tests.toolchain import ROOT

pytestmark = pytest.mark.timeout(180)


def outcomes(code: str) -> list[dict[str, Any]]:
    """What a Python that runs the code prints of cases."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=150,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0 and lines, done.stdout + done.stderr
    return [json.loads(line) for line in lines]


def test_typed_programs() -> None:
    found = outcomes(
        "import sys; sys.argv[1:] = ['suite', '0', '300']\nfrom tests.fuzz import api; api.main()"
    )
    assert len(found) == 300
    assert [each for each in found if "finding" in each] == []
    counts = tallied(found)
    calls, taken = (sum(each[i] for each in counts.values()) for i in range(2))
    assert calls > 2000 and taken > calls / 3, "the arguments are of no use"
    assert sum(each["stage"] == "run" for each in found) > 100
    assert sum(each[1] > 0 for each in counts.values()) > 500, "functions refuse whatever they get"


@pytest.mark.parametrize(
    ("body", "outcome", "words"),
    [
        ("os.abort()", "crash", "popops.x: ended with -6"),
        ("time.sleep(60)", "hang", "popops.x: no end after 1 s"),
        ("raise KeyError('k')", "KeyError", "popops.x: KeyError: 'k'"),
        ("raise popir.PopirError('e')", "success", ""),
    ],
)
def test_what_should_not_be_is_noticed(body: str, outcome: str, words: str) -> None:
    (found,) = outcomes(
        f"""
import os, sys, time, popir
from tests.fuzz import api
def wrong(): {body}
api.SECONDS = 1.0
api._all = lambda: [api.Signature("popops.x", wrong, ())]
api.Case._engine = lambda self: None
sys.argv[1:] = ["suite", "0", "1"]
api.main()
"""
    )
    assert found["outcome"] == outcome
    assert found.get("signature", "") == words
    assert ("finding" in found) == (outcome != "success")


def test_every_function_is_called_with_what_it_takes() -> None:
    known = signatures()
    names = {each.name for each in known}
    assert len(names) > 600
    for name in (
        *("popops.createSliceTensor", "poplar.Engine.run", "poplar.Tensor.slice"),
        *("poplin.ConvParams.inputFieldShape.set", "poputil.mapTensorLinearly", "ext.softmax"),
        *(
            "popnn.pooling.pool",
            "poprand.normal",
            "popart.createOp",
            "poplar.program.Copy.__init__",
        ),
    ):
        assert name in names
    by_name = {each.name: each for each in known}
    static = by_name["poplar.Target.createIPUTarget"]
    assert static.parameters[0].name == "numIPUs"
    program = Program(random.Random(0), {}, lambda signature, _: None)
    for signature in known:
        for parameter in signature.parameters:
            program.value(parameter.type)  # knows the type, or would raise
