"""Small models and sessions that several tests use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import popir

Array = np.ndarray[Any, Any]


def run(
    model: Any,
    inputs: Mapping[str, Array],
    anchors: Any,
    batches: int = 1,
    options: popir.SessionOptions | None = None,
    device: Any = None,
) -> dict[str, Array]:
    """One step of an inference session."""
    session = popir.InferenceSession(
        model,
        popir.DataFlow(batches, anchors),
        device or popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    session.prepareDevice()
    outputs = session.initAnchorArrays()
    session.run(popir.PyStepIO(inputs, outputs))
    return outputs


def transformed(
    model: Any, anchor: str, outlining: bool, inplace: bool, device: Any = None, **options: Any
) -> popir.InferenceSession:
    """A prepared inference session of one anchor, with or without outlining and operators in place;
    `options` are those of the session.
    """
    session = popir.InferenceSession(
        model,
        popir.DataFlow(1, [anchor]),
        device or popir.DeviceManager().createCpuDevice(),
        patterns=popir.Patterns().enablePattern("InPlace", inplace),
        userOptions=popir.SessionOptions(enableOutlining=outlining, **options),
    )
    session.prepareDevice()
    return session


def training_session(
    model: Any,
    loss: str,
    anchors: Any = (),
    optimizer: Any = None,
    batches: int = 1,
    options: popir.SessionOptions | None = None,
    **more: Any,
) -> popir.TrainingSession:
    """A prepared training session on the CPU device; `more` goes to its constructor."""
    session = popir.TrainingSession(
        model,
        popir.DataFlow(batches, anchors),
        loss,
        optimizer or popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
        **more,
    )
    session.prepareDevice()
    return session


def step(session: Any, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Runs a session once."""
    outputs = session.initAnchorArrays()
    session.run(popir.PyStepIO(inputs, outputs))
    return outputs


def floats(*shape: int, seed: int = 0) -> Array:
    """Normal random numbers, always the same."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
