"""Gathers of several groups: shapes of every rank, types, what is out of range, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import popir.testing
from popir.errors import OperatorAttributeError, OperatorInputError
from tests.models import Array

RNG = np.random.default_rng(5)
Model = tuple[popir.Builder, str]


def grouped(data: Any, indices: Any, axis: int, groups: int) -> Model:
    """A GroupedGather of the Builder. Arrays are weights, TensorInfos are inputs."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    ids = [
        builder.addInitializedInputTensor(given, name)
        if isinstance(given, np.ndarray)
        else builder.addInputTensor(given, name)
        for name, given in (("x", data), ("i", indices))
    ]
    return builder, builder.aiGraphcore.groupedgather(ids, axis=axis, group_size=groups)


def run(session: Any, feeds: dict[str, Array]) -> dict[str, Array]:
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(feeds, anchors))
    return anchors


def infer(x: Array, i: Array, axis: int, groups: int) -> Array:
    infos = [popir.TensorInfo(a.dtype, list(a.shape)) for a in (x, i)]
    builder, y = grouped(infos[0], infos[1], axis, groups)
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    return run(session, {"x": x, "i": i})[y]


def stacked(x: torch.Tensor, i: torch.Tensor, axis: int) -> torch.Tensor:
    """The same, a group at a time."""
    axis %= x.dim()
    parts = [
        torch.index_select(data, axis - 1, rows.reshape(-1).long()).reshape(
            data.shape[: axis - 1] + rows.shape + data.shape[axis:]
        )
        for data, rows in zip(x, i, strict=True)
    ]
    return torch.stack(parts)


SHAPES = [
    ([3, 4], [3], 1),
    ([3, 4], [3, 5], -1),
    ([2, 5, 3], [2, 2, 2], 1),
    ([2, 5, 3], [2, 4], -1),
    ([4, 2, 3, 5], [4, 3], 2),
    ([2, 3, 2, 4, 3], [2, 1, 3, 2], -2),
    ([2, 4, 3], [2, 0], 1),
    ([2, 4, 0], [2, 3], 1),
]


@pytest.mark.parametrize("kind", [np.int32, np.int64], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(("shape", "at", "axis"), SHAPES)
def test_forward_and_gradient_in_double(
    shape: list[int], at: list[int], axis: int, kind: type
) -> None:
    x, i = RNG.standard_normal(shape), RNG.integers(0, shape[axis], at).astype(kind)
    data = torch.tensor(x, requires_grad=True)
    expected = stacked(data, torch.tensor(i), axis)
    np.testing.assert_array_equal(infer(x, i, axis, shape[0]), expected.detach().numpy())
    if not expected.numel():
        return
    factors = RNG.standard_normal(expected.shape)
    (expected * torch.tensor(factors)).sum().backward()
    builder, y = grouped(x, popir.TensorInfo(i.dtype, at), axis, shape[0])
    scaled = builder.aiOnnx.mul([y, builder.aiOnnx.constant(factors)])
    loss = builder.aiOnnx.reducesum([scaled], keepdims=0)
    gradient = popir.reservedGradientPrefix() + "x"
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [gradient]),
        loss,
        popir.ConstSGD(0.0),
        popir.DeviceManager().createCpuDevice(),
    )
    assert data.grad is not None
    np.testing.assert_allclose(run(session, {"i": i})[gradient], data.grad.numpy(), rtol=1e-12)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.int64, np.bool_])
def test_every_type(kind: type) -> None:
    x = RNG.integers(-5, 5, (3, 4, 2)).astype(kind)
    i = np.array([[0, 3], [-1, 1], [2, 2]])
    found = infer(x, i, 1, 3)
    assert found.dtype == kind
    np.testing.assert_array_equal(found, np.take_along_axis(x, i[..., None] % 4, 1))


def test_what_is_out_of_range_gives_zeros_and_takes_no_other_group() -> None:
    x = RNG.standard_normal((2, 3, 4)).astype("float32")
    i = np.array([[3, -4, -1], [2**32, -(2**32) + 1, 0]])
    found = infer(x, i, 1, 2)
    zeros = np.zeros(4, "float32")
    expected = [[zeros, zeros, x[0, 2]], [zeros, zeros, x[1, 0]]]
    np.testing.assert_array_equal(found, np.array(expected))


@pytest.mark.parametrize("index", [-(2**32) - 3, 2**32 + 1, -(2**63), 2**63 - 1, -5, 4])
def test_an_index_that_does_not_fit_32_bits_is_out_of_range(index: int) -> None:
    """The lowest 32 bits of the first two are those of elements that there are."""
    given = [np.float32([1, 2, 3, 4]), np.array([index])]
    (found,) = popir.testing.run("Gather", given, version=13)
    np.testing.assert_array_equal(found, [0])


def test_any_number_of_groups_of_nothing() -> None:
    shape, at = [2**26, 3, 0], [2**26, 0]
    x, i = np.empty(shape, "float32"), np.empty(at, "int32")
    assert infer(x, i, 1, 2**26).shape == (2**26, 0, 0)
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    known = [builder.aiOnnx.constant(x), builder.aiOnnx.constant(i)]
    y = builder.aiGraphcore.groupedgather(known, 1, 2**26)
    assert builder.getTensorShape(y) == [2**26, 0, 0]


def test_known_indices_are_folded() -> None:
    x, i = np.arange(12.0).reshape(2, 3, 2), np.array([[2, 0], [-1, 1]])
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    known = [builder.aiOnnx.constant(x), builder.aiOnnx.constant(i)]
    y = builder.aiGraphcore.groupedgather(known, 1, 2)
    z = builder.aiOnnx.add([y, builder.addInputTensor(popir.TensorInfo("DOUBLE", []), "z")])
    builder.addOutputTensor(z)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [z]), device)
    assert [op.plainType() for op in session.graph.schedule()] == ["Add"]
    found = run(session, {"z": np.array(1.0)})[z]
    np.testing.assert_array_equal(found, 1 + np.stack([x[0][i[0]], x[1][i[1]]]))


@pytest.mark.parametrize(
    ("shape", "at", "axis", "groups", "kind", "words"),
    [
        ([4, 3], [2, 2], 1, 2, OperatorInputError, r"input 0 is \[4, 3\], which is not 2 groups"),
        ([2, 3], [4], 1, 2, OperatorInputError, r"input 1 is \[4\], which is not 2 groups"),
        ([2, 3], [], 1, 2, OperatorInputError, r"input 1 is \[\], which is not 2 groups; its f"),
        ([2, 3], [2], -2, 2, OperatorAttributeError, "axis -2 is the dimension of the 2 groups"),
        ([2, 3], [2], 2, 2, OperatorAttributeError, "the axis 2 is outside of a tensor of rank 2"),
        ([2, 3], [2], 1, 0, OperatorAttributeError, "group_size is 0; it is the number of groups"),
    ],
)
def test_groups_that_do_not_fit(
    shape: list[int], at: list[int], axis: int, groups: int, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        infer(np.zeros(shape, "float32"), np.zeros(at, "int32"), axis, groups)


def test_a_known_index_out_of_range() -> None:
    x = popir.TensorInfo("FLOAT", [2, 3])
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    ids = [builder.addInputTensor(x, "x"), builder.aiOnnx.constant(np.array([[0], [3]]))]
    with pytest.raises(OperatorInputError, match=r"index of 0 to 3 is outside of the dimension 1"):
        y = builder.aiGraphcore.groupedgather(ids, 1, 2)
        builder.addOutputTensor(y)
        device = popir.DeviceManager().createCpuDevice()
        popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
