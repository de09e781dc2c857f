"""Operators that derive from GatherOp, or make objects of it, with groups."""

import ctypes
import logging
from functools import partial
from pathlib import Path

import numpy as np
import torch

import popir
from popir.lowering.lowering import Lowering
from tests.popart.conftest import Library
from tests.popart.graphs import RNG, add, floats, graph, refusal, results
from tests.popart.libraries import isolated

# Data, indices, axis and groups.
FORMS = [
    ([4, 5], [3], 0, 1),
    ([4, 5, 3], [2, 2], -2, 1),
    ([3, 4], [3, 2], 1, 3),
    ([2, 4, 5], [2, 3], 1, 2),
    ([2, 3, 4, 5], [2, 2, 3], -1, 2),
    ([2, 3, 4, 5], [2], 2, 2),
]


def gathered(data: torch.Tensor, indices: torch.Tensor, axis: int, groups: int) -> torch.Tensor:
    """What torch makes of it, group by group."""

    def take(data: torch.Tensor, indices: torch.Tensor, axis: int) -> torch.Tensor:
        found = torch.index_select(data, axis, indices.reshape(-1).long())
        return found.unflatten(axis, indices.shape) if indices.dim() != 1 else found

    axis %= data.dim()
    if groups == 1:
        return take(data, indices, axis)
    parts = [
        take(d, i.reshape(-1), axis - 1).reshape(d.shape[: axis - 1] + i.shape + d.shape[axis:])
        for d, i in zip(data, indices, strict=True)
    ]
    return torch.stack(parts)


def check(name: str, zeros: int = 0) -> None:
    for shape, at, axis, groups in FORMS:
        x, i = floats(*shape), RNG.integers(0, shape[axis], at).astype("int32")
        given = {"axis": axis, "groups": groups, "zeros": zeros}
        y, gradients, weights = results(name, {"x": x, "i": i}, "x", **given)
        data = torch.tensor(x, requires_grad=True)
        expected = gathered(data, torch.tensor(i), axis, groups)
        (expected * torch.tensor(weights)).sum().backward()
        assert data.grad is not None
        np.testing.assert_array_equal(y, expected.detach().numpy())
        np.testing.assert_allclose(gradients["x"], data.grad.numpy(), rtol=1e-6, atol=1e-6)


def check_derived(library: str) -> None:
    ctypes.CDLL(library)
    check("Rows")
    check("RowsOwn")


def test_classes_that_derive_have_the_gradient_too(library: Library, tmp_path: Path) -> None:
    isolated(check_derived, library("gathers"), cwd=tmp_path)


def check_made(library: str) -> None:
    ctypes.CDLL(library)
    check("Marked")
    check("Marked", zeros=1)
    x, i = floats(2, 4, 3), np.array([[-1, 3], [4, 0]], "int32")
    found, gradients, weights = results("Marked", {"x": x, "i": i}, "x", axis=1, groups=2, zeros=1)
    rows = np.stack([np.stack([np.zeros(3), x[0, 3]]), np.stack([np.zeros(3), x[1, 0]])])
    np.testing.assert_array_equal(found, rows.astype("float32"))
    expected = np.zeros_like(x)
    expected[0, 3], expected[1, 0] = weights[0, 1], weights[1, 1]
    np.testing.assert_array_equal(gradients["x"], expected)


def test_gathers_that_a_pattern_makes_are_the_compilers(library: Library, tmp_path: Path) -> None:
    isolated(check_made, library("gathers"), cwd=tmp_path)


def check_seen(library: str) -> None:
    ctypes.CDLL(library)
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("popir.pattern").setLevel(logging.INFO)
    logging.getLogger("popir.pattern").addHandler(handler)
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2, 3, 4]), "x")
    i = builder.addInputTensor(popir.TensorInfo("INT64", [2, 5]), "i")
    y = builder.aiGraphcore.groupedgather([x, i], axis=-2, group_size=2)
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createCpuDevice()
    popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    assert "2 groups along -2 of GroupedGather" in lines


def test_patterns_see_the_groups(library: Library, tmp_path: Path) -> None:
    isolated(check_seen, library("gathers"), cwd=tmp_path)


def check_refused(library: str) -> None:
    ctypes.CDLL(library)
    for given, words in [
        ({"axis": 1, "groups": 0}, "a gather of 0 groups; the group size is the number"),
        ({"axis": -3, "groups": 2}, "the axis 0 of [4, 3, 2] is the dimension of the 2 groups"),
        (
            {"axis": 1, "groups": 2},
            "the data are [4, 3, 2], the indices [2, 2]; the first dimension",
        ),
        ({"axis": 3}, "The axis 3 is outside of [-3, 3)"),
    ]:
        g = graph(x=("FLOAT", [4, 3, 2]), i=("INT32", [2, 2]))
        said = refusal(popir.popart_exception, partial(add, g, "Rows", ["x", "i"], **given))
        assert words in said
    g = graph(x=("FLOAT", [4, 3, 2]), i=("INT32", [2, 2]))
    add(g, "Split", ["x", "i"], axis=1)
    device = popir.DeviceManager().createCpuDevice().device
    said = refusal(popir.popart_exception, Lowering(g, device, ["y"]).grow)
    assert "the indices [2,2], the axis 1, the group size 5; give the number of groups" in said


def test_what_does_not_fit_is_said(library: Library, tmp_path: Path) -> None:
    isolated(check_refused, library("gathers"), cwd=tmp_path)


def check_unconverted(library: str) -> None:
    ctypes.CDLL(library)
    builder = popir.Builder(opsets={"ai.onnx": 11})
    x = builder.addInputTensor("FLOAT", [4, 2], "x")
    i = builder.addInputTensor("UINT32", [3], "i")
    y = builder.aiOnnx.gather([x, i], debugContext="to rows")
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    (op,) = [op for op in session.graph.ops.values() if op.opid.type == "Rows"]
    assert op.inId(1) == i
    session.prepareDevice()
    anchors, data, at = session.initAnchorArrays(), floats(4, 2), np.array([3, 0, 3], np.uint32)
    session.run(popir.PyStepIO({x: data, i: at}, anchors))
    np.testing.assert_array_equal(anchors[y], data[at])


def test_an_operator_in_the_place_of_onnx_s_reads_what_the_model_has(
    library: Library, tmp_path: Path
) -> None:
    """Indices of a type that ONNX does not name are converted, for ONNX's operator alone."""
    isolated(check_unconverted, library("gathers"), cwd=tmp_path)


def check_spread(library: str) -> None:
    ctypes.CDLL(library)
    builder = popir.Builder(opsets={"ai.onnx": 11})
    ids = [builder.addInputTensor("FLOAT", [2, 3]), builder.addInputTensor("INT32", [2])]
    (y,) = builder.customOp("Spread", 1, "test", ids, {"axis": 0})
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4})
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()


def test_slices_lie_where_the_slice_does_that_they_are_made_for(
    library: Library, tmp_path: Path
) -> None:
    isolated(check_spread, library("gathers"), cwd=tmp_path)
