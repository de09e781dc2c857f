"""Small models of operators for Habana's accelerators."""

from collections.abc import Callable
from typing import Any

import numpy as np

import popir
from popir.types import DataType

Array = np.ndarray[Any, Any]


def model(make: Callable[..., Any], *feeds: Array) -> tuple[bytes, list[str]]:
    """The model that `make(builder, *inputs)` makes, and the ids of its outputs."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    ids = [
        builder.addInputTensor(DataType.of(feed.dtype).name, list(feed.shape), f"x{i}")
        for i, feed in enumerate(feeds)
    ]
    made = make(builder, *ids)
    outputs = [made] if isinstance(made, str) else [*made]
    for id in outputs:
        builder.addOutputTensor(id)
    return builder.getModelProto(), outputs


def session_of(proto: bytes, outputs: list[str]) -> popir.InferenceSession:
    """A session that is ready to run."""
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(proto, popir.DataFlow(1, outputs), device)
    session.prepareDevice()
    return session


def run(make: Callable[..., Any], *feeds: Array) -> list[Array]:
    """What the outputs of the model are for these inputs."""
    proto, outputs = model(make, *feeds)
    session = session_of(proto, outputs)
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({f"x{i}": feed for i, feed in enumerate(feeds)}, anchors))
    return [anchors[id] for id in outputs]
