"""Digests of graphs: equal in every process, another one for whatever changes the program."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from popir.errors import popart_exception
from popir.ir.hash import digest, encoded
from tests.transforms.graphs import graph_of

GRAPH = """opset ai.onnx 13
stream %x: FLOAT[4]
variable %w: FLOAT[4] = [1.0, 2.0, 3.0, 4.0]
const %k: FLOAT[4] = [0.5, 0.5, 0.5, 0.5]
0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
1: %b: FLOAT[4] = ai.onnx.LeakyRelu:6(%a) {alpha = 0.1} name "act"
2: %c: FLOAT[4] = ai.onnx.Sub:13(%b, %k)
inputs %x
outputs %c
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("alpha = 0.1", "alpha = 0.2"),
        ("FLOAT[4]", "FLOAT[2, 2]"),
        ("FLOAT", "DOUBLE"),
        ("Sub:13(%b, %k)", "Sub:13(%k, %b)"),
        ("Sub:13(%b", "Sub:13(%a"),
        ("Sub", "Add"),
        ("[0.5, 0.5", "[0.5, 0.6"),
        ("%x", "%input"),
        ("%w", "%weight"),
        ("outputs %c", "outputs %b"),
        ('name "act"', "notes {__ipu_number = 1}"),
    ],
)
def test_what_changes_the_program_changes_the_digest(old: str, new: str) -> None:
    changed = GRAPH.replace(old, new)
    assert changed != GRAPH
    assert digest(graph_of(changed)) != digest(graph_of(GRAPH))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name "act"', 'name "other"'),
        ("%a", "%inside"),
        ("%k", "%constant"),
        ("[1.0, 2", "[7.0, 2"),
    ],
)
def test_names_and_the_values_of_weights_do_not(old: str, new: str) -> None:
    assert digest(graph_of(GRAPH.replace(old, new))) == digest(graph_of(GRAPH))


def test_values_of_other_types_are_other_values() -> None:
    values: list[Any] = [0, 0.0, False, "", b"", None, [], {}, [0], [[0]], "0", np.zeros(1), [0, 0]]
    assert len({encoded(value) for value in values}) == len(values)
    with pytest.raises(popart_exception, match="has no digest"):
        encoded(object())


MODEL = """
import popir

def session(**options):
    builder = popir.Builder(opsets={"ai.onnx": 13})
    x = builder.addInputTensor("FLOAT", [4], "x")
    y = builder.aiOnnx.relu([x])
    builder.addOutputTensor(y)
    return popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(options.pop("batches", 1), [y]),
        popir.DeviceManager().createCpuDevice(), userOptions=popir.SessionOptions(**options),
    )
"""


def test_sessions_in_two_processes() -> None:
    scope: dict[str, Any] = {}
    exec(MODEL, scope)
    own = scope["session"]().getHash()
    command = [sys.executable, "-c", MODEL + "print(session().getHash())"]
    for seed in ("1", "2"):
        found = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )
        assert int(found.stdout) == own
    assert scope["session"](engineOptions={"host.fuse": "false"}).getHash() != own
    assert scope["session"](batches=2).getHash() != own
    assert scope["session"](enableEngineCaching=True, cachePath="elsewhere").getHash() == own
    assert own.bit_length() <= 64
