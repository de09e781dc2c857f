"""Models of several layers that tests of training at scale share: a transformer and a ResNet-18.

`mark` is called with the Builder, the result of each layer and its number, and returns the id to go
on with: it marks a checkpoint, or begins a stage of a pipeline.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import popir
from tests.models import Array

Mark = Callable[[Any, str, int], str]


def unmarked(builder: Any, id: str, layer: int) -> str:
    """Goes on with the result as it is."""
    return id


def checkpoints(builder: Any, id: str, layer: int) -> str:
    """Keeps the result of each layer."""
    if layer < 0:
        return id
    return builder.checkpointOutput([id])[0]


class Stages:
    """A `mark` that cuts a model of `layers` layers into stages, in turn on `ipus` IPUs."""

    def __init__(self, layers: int, stages: int, ipus: int) -> None:
        self.layers, self.stages, self.ipus = layers, stages, ipus
        self.open = contextlib.ExitStack()

    def __call__(self, builder: Any, id: str, layer: int) -> str:
        """Ends the stage of a layer, and begins that of the next one. The layer before the first
        one is -1.
        """
        self.open.close()
        stage = min((layer + 1) * self.stages // self.layers, self.stages - 1)
        self.open.enter_context(builder.virtualGraph(stage % self.ipus))
        self.open.enter_context(builder.pipelineStage(stage))
        return id


class _Net:
    def __init__(self) -> None:
        self.builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
        self.op = self.builder.aiOnnx
        self.rng = np.random.default_rng(5)

    def weight(self, *shape: int, like: float | None = None) -> str:
        """Small random numbers, or a constant."""
        value = self.rng.normal(0, 0.2, shape) if like is None else np.full(shape, like)
        return self.builder.addInitializedInputTensor(value.astype(np.float32))

    def linear(self, x: str, n: int, m: int) -> str:
        """A product, with a bias."""
        return self.op.add([self.op.matmul([x, self.weight(n, m)]), self.weight(m, like=0.01)])

    def finish(self, logits: str, labels: str) -> tuple[Any, str]:
        """The model with the mean cross entropy, and that."""
        loss = self.builder.aiGraphcore.nllloss([self.op.softmax([logits], axis=-1), labels])
        return self.builder.getModelProto(), loss


def transformer(
    mark: Mark = unmarked,
    rows: int = 4,
    length: int = 16,
    width: int = 16,
    heads: int = 2,
    blocks: int = 2,
    dropout: float = 0.1,
) -> tuple[Any, str]:
    """Blocks of attention and two products, each behind a layer normalisation."""
    net = _Net()
    op, size = net.op, width // heads
    x = net.builder.addInputTensor("FLOAT", [rows, length, width], "x")
    labels = net.builder.addInputTensor("INT32", [rows, length], "labels")
    mark(net.builder, x, -1)

    def norm(x: str) -> str:
        return op.layernormalization([x, net.weight(width, like=1), net.weight(width, like=0)], 1)[
            0
        ]

    def dropped(x: str) -> str:
        given = [np.array(dropout, np.float32), np.array(True)]
        return op.dropout([x, *map(op.constant, given)], 1)[0] if dropout else x

    def split(x: str, perm: list[int]) -> str:
        shape = op.constant(np.array([rows, length, heads, size], np.int64))
        return op.transpose([op.reshape([x, shape])], perm=perm)

    for block in range(blocks):
        h = norm(x)
        q, k = (split(net.linear(h, width, width), p) for p in ([0, 2, 1, 3], [0, 2, 3, 1]))
        v = split(net.linear(h, width, width), [0, 2, 1, 3])
        scale = op.constant(np.array(size**-0.5, np.float32))
        scores = dropped(op.softmax([op.mul([op.matmul([q, k]), scale])], axis=-1))
        joined = op.transpose([op.matmul([scores, v])], perm=[0, 2, 1, 3])
        joined = op.reshape([joined, op.constant(np.array([rows, length, width], np.int64))])
        x = mark(net.builder, op.add([x, dropped(net.linear(joined, width, width))]), 2 * block)
        h = net.builder.aiGraphcore.gelu([net.linear(norm(x), width, 4 * width)])
        x = op.add([x, dropped(net.linear(h, 4 * width, width))])
        x = mark(net.builder, x, 2 * block + 1)
    return net.finish(net.linear(norm(x), width, 10), labels)


def resnet(mark: Mark = unmarked, rows: int = 2, size: int = 16, width: int = 4) -> tuple[Any, str]:
    """ResNet-18: eight blocks of two convolutions, in four stages of doubled width."""
    net = _Net()
    op = net.op

    def conv(x: str, n: int, m: int, kernel: int, stride: int = 1) -> str:
        pads = [kernel // 2] * 4
        return op.conv([x, net.weight(m, n, kernel, kernel)], strides=[stride] * 2, pads=pads)

    def norm(x: str, n: int) -> str:
        inputs = [x, net.weight(n, like=1), net.weight(n, like=0)]
        inputs += [net.weight(n, like=0), net.weight(n, like=1)]
        return op.batchnormalization(inputs, 3, training_mode=1)[0]

    x = net.builder.addInputTensor("FLOAT", [rows, 3, size, size], "x")
    labels = net.builder.addInputTensor("INT32", [rows], "labels")
    mark(net.builder, x, -1)
    x = mark(net.builder, op.relu([norm(conv(x, 3, width, 3), width)]), 0)
    for n in range(8):
        before, stride = x, 2 if n in (2, 4, 6) else 1
        inside, width = width, width * stride
        h = op.relu([norm(conv(x, inside, width, 3, stride), width)])
        h = norm(conv(h, width, width, 3), width)
        if stride == 2:
            before = norm(conv(before, inside, width, 1, 2), width)
        x = mark(net.builder, op.relu([op.add([h, before])]), n + 1)
    x = op.flatten([op.globalaveragepool([x])])
    return net.finish(net.linear(x, width, 10), labels)


def data(model: Any, steps: int = 1, seed: int = 1, **sizes: int) -> Mapping[str, Array]:
    """Random inputs and labels for a model, [steps, ...]."""
    from popir.onnxio.load import load

    rng = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for value in load(model).model.graph.input:
        dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
        shape = [steps, *dims] if steps > 1 else dims
        if value.name == "labels":
            found[value.name] = rng.integers(0, 10, shape).astype(np.int32)
        else:
            found[value.name] = rng.standard_normal(shape).astype(np.float32)
    return found


ROWS = "planes,columns"
"""Choices that compute convolutions of plain rows, which have another source in blocks."""
ROUNDING = 1e-4
"""Of losses: what sums of another order come to in a step. Weights are further apart: the
normalization of two images magnifies what is added last.
"""


def assert_same(one: dict[str, Array], other: dict[str, Array], without: str) -> None:
    """The same bits without `ROWS`, by `without`, the option host.without; else losses of the first
    step within ROUNDING.
    """
    assert one.keys() == other.keys()
    for id, value in one.items():
        if without == ROWS:
            np.testing.assert_array_equal(other[id], value, err_msg=id)
        elif id == "loss0":
            np.testing.assert_allclose(other[id], value, rtol=ROUNDING, err_msg=id)
