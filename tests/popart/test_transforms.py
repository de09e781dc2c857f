"""Operators of libraries, outlined and in place: no bit of a result changes."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir.ir.graph import called_graphs
from tests.models import floats, step, transformed
from tests.popart.libraries import isolated

Library = Callable[[str], str]
ROWS, COLUMNS = 8, 16


def random_model(seed: int) -> tuple[Any, str]:
    """Blocks of the libraries' operators, some of them repeated, between built-in ones."""
    generator = np.random.default_rng(seed)
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    shape = [ROWS, COLUMNS]
    recent = [builder.addInputTensor("FLOAT", shape, "x")]
    bias = builder.addInitializedInputTensor(floats(COLUMNS, seed=seed), "b")
    weight = builder.addInitializedInputTensor(floats(COLUMNS, COLUMNS, seed=seed) / 4, "w")

    def custom(name: str, inputs: list[str], domain: str = "test", **attributes: Any) -> str:
        return builder.customOp(name, 1, domain, inputs, attributes)[0]

    def pick() -> str:
        return recent[-1 - generator.integers(min(len(recent), 3))]

    def block(t: str) -> str:
        mixed = builder.aiOnnx.matmul([custom("Squashed", [t]), weight])
        return custom("Squashed", [custom("Blend", [mixed, bias])])

    def halves(t: str) -> str:
        head = custom("Head", [t], "test.features", rows=ROWS // 2)
        return builder.aiOnnx.concat([head, custom("Squashed", [head])], 0)

    ways = [
        lambda: custom("Squashed", [pick()]),
        lambda: custom("Blend", [pick(), bias]),
        lambda: builder.aiOnnx.add([pick(), pick()]),
        lambda: builder.aiOnnx.transpose([builder.aiOnnx.transpose([pick()], [1, 0])], [1, 0]),
        lambda: halves(pick()),
        lambda: block(block(block(pick()))),
    ]
    for _ in range(12):
        recent.append(ways[generator.integers(len(ways))]())
    builder.addOutputTensor(recent[-1])
    return builder.getModelProto(), recent[-1]


def check_random_models(*libraries: str) -> None:
    for library in libraries:
        ctypes.CDLL(library)
    taken: set[str] = set()
    called: set[str] = set()
    for seed in range(10):
        model, out = random_model(seed)
        found: list[np.ndarray] = []
        for outlining, inplace in itertools.product((False, True), repeat=2):
            options = {"enableOutliningCopyCostPruning": False, "outlineThreshold": 0.15}
            session = transformed(model, out, outlining, inplace, **options if outlining else {})
            main, *others = called_graphs(session.graph)
            called |= {op.opid.type for graph in others for op in graph.ops.values()}
            if inplace:
                ops = [op for graph in (main, *others) for op in graph.ops.values()]
                taken |= {op.opid.type for op in ops if "Inplace" in op.opid.type}
            found.append(step(session, {"x": floats(ROWS, COLUMNS, seed=9)})[out])
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0], f"seed {seed}")
    assert {"SquashedInplace", "BlendLhsInplace", "HeadInplace"} <= taken
    assert {"Squashed", "Blend", "MatMul"} <= called


def test_random_models(library: Library, tmp_path: Path) -> None:
    isolated(check_random_models, library("classes"), library("features"), cwd=tmp_path)
