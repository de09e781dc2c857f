"""What the tests of patterns share: a model, compiled with one pattern and with none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import popir

Array = np.ndarray[Any, Any]
Build = Callable[[popir.Builder], Sequence[str]]
"""Fills a Builder; returns the anchors, of a model to train the loss first."""


@dataclass
class Result:
    """What became of a model."""

    types: list[str]
    """The operators that are left, in the order in which they run."""
    values: dict[str, Array]
    """The anchors."""
    done: int
    """How often the pattern applied."""
    reasons: list[str]
    """Why it did not, where it looked right."""


def compiled(
    name: str, build: Build, inputs: Mapping[str, Array], training: bool = False, opset: int = 13
) -> Result:
    """The model with that pattern alone."""
    return _run(name, popir.Patterns([name]), build, inputs, training, opset)


def plain(
    build: Build, inputs: Mapping[str, Array], training: bool = False, opset: int = 13
) -> Result:
    """The model without any pattern."""
    none = popir.Patterns(popir.PatternsLevel.NoPatterns)
    return _run("", none, build, inputs, training, opset)


def _run(
    name: str,
    patterns: popir.Patterns,
    build: Build,
    inputs: Mapping[str, Array],
    training: bool,
    opset: int,
) -> Result:
    builder = popir.Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
    anchors = list(build(builder))
    proto, flow = builder.getModelProto(), popir.DataFlow(1, anchors)
    device, off = popir.DeviceManager().createCpuDevice(), {"enableOutlining": False}
    options: dict[str, Any] = {"patterns": patterns, "userOptions": popir.SessionOptions(**off)}
    if training:
        rate = popir.ConstSGD(0.125)
        session: Any = popir.TrainingSession(proto, flow, anchors[0], rate, device, **options)
    else:
        session = popir.InferenceSession(proto, flow, device, **options)
    session.prepareDevice()
    values = session.initAnchorArrays()
    session.run(popir.PyStepIO(dict(inputs), values))
    decisions = [d for d in session.decisions if d.what == name]
    return Result(
        [op.opid.type for op in session.graph.schedule()],
        values,
        sum(d.reason is None for d in decisions),
        [d.reason for d in decisions if d.reason is not None],
    )


def assert_same(a: Result, b: Result) -> None:
    """All anchors, bit for bit."""
    assert list(a.values) == list(b.values)
    for id, value in a.values.items():
        np.testing.assert_array_equal(value, b.values[id], err_msg=id)
