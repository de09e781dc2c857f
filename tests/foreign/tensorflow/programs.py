"""Small models with operators for TensorFlow on the IPU, and what they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import popir

Array = np.ndarray[Any, Any]


def outs(*declared: Sequence[int], dtype: Any = np.float32) -> dict[str, Any]:
    """TensorFlow's `outs`: outputs of these shapes, all of one type."""
    return {"output_types": [dtype] * len(declared), "output_shapes": list(declared)}


def builder() -> popir.Builder:
    """An empty model."""
    return popir.Builder(opsets={"ai.onnx": 17})


def floats(*shape: int, seed: int = 0) -> Array:
    """Normal values."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def stepped(session: Any, inputs: Mapping[str, Array] | None = None) -> dict[str, Array]:
    """The anchors of one step."""
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(inputs or {}, anchors))
    return {id: np.array(value) for id, value in anchors.items()}


def inference(
    model: popir.Builder | bytes, anchors: Sequence[str], device: Any = None, **options: Any
) -> popir.InferenceSession:
    """A prepared session."""
    proto = model if isinstance(model, bytes) else model.getModelProto()
    session = popir.InferenceSession(
        proto,
        popir.DataFlow(1, list(anchors)),
        device or popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(**options),
    )
    session.prepareDevice()
    session.weightsFromHost()
    return session


def given(model: popir.Builder, *anchors: str, **options: Any) -> list[Array]:
    """What the tensors are, in a model without inputs."""
    for id in anchors:
        model.addOutputTensor(id)
    found = stepped(inference(model, anchors, **options))
    return [found[id] for id in anchors]


def training(
    model: popir.Builder, loss: str, anchors: Sequence[str] = (), rate: float = 0.0, **options: Any
) -> popir.TrainingSession:
    """A prepared session that trains by SGD."""
    model.addOutputTensor(loss)
    session = popir.TrainingSession(
        model.getModelProto(),
        popir.DataFlow(1, [loss, *anchors]),
        loss,
        popir.ConstSGD(rate),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(**options),
    )
    session.prepareDevice()
    session.weightsFromHost()
    return session


def gradients(model: popir.Builder, loss_of: str, *weights: str, **options: Any) -> list[Array]:
    """The gradients of the sum of the elements of a tensor."""
    loss = model.aiGraphcore.identityloss([loss_of], reduction=popir.ReductionType.Sum)
    ids = [popir.reservedGradientPrefix() + id for id in weights]
    found = stepped(training(model, loss, ids, **options))
    return [found[id] for id in ids]
