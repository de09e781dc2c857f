"""Gathers and scatters of elements and slices: gradients as PyTorch's, indices out of range at run
time, updates of one place, and what is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from onnx import ValueInfoProto, helper, numpy_helper

import popir
from popir.errors import OperatorAttributeError, OperatorInputError, PopirError
from popir.ir.text import print_graph
from tests.models import Array, run, step, training_session

RNG = np.random.default_rng(11)


def model(
    type: str,
    arrays: list[Array],
    attributes: dict[str, Any],
    constants: tuple[int, ...] = (),
    opset: int = 18,
) -> Any:
    """One node with the inputs x0, x1, ..., and the output y."""
    names = [f"x{i}" for i in range(len(arrays))]
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for i, (name, a) in enumerate(zip(names, arrays, strict=True))
        if i not in constants
    ]
    values = [numpy_helper.from_array(arrays[i], names[i]) for i in constants]
    node = helper.make_node(type, names, ["y"], "node", **attributes)
    graph = helper.make_graph([node], "g", infos, [ValueInfoProto(name="y")], values)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("ai.graphcore", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=9)


def infer(
    type: str,
    arrays: list[Array],
    attributes: dict[str, Any] | None = None,
    constants: tuple[int, ...] = (),
    opset: int = 18,
) -> Array:
    given = model(type, arrays, attributes or {}, constants, opset)
    feeds = {f"x{i}": a for i, a in enumerate(arrays) if i not in constants}
    return run(given.SerializeToString(), feeds, ["y"])["y"]


def gradients(
    type: str, arrays: list[Array], attributes: dict[str, Any], weights: Array
) -> list[Array]:
    """Those of the first and the last input, of sum(y * weights)."""
    trained = [0, len(arrays) - 1]
    given = model(type, arrays, attributes, tuple(trained))
    given.graph.initializer.append(numpy_helper.from_array(weights, "weights"))
    nodes = [
        helper.make_node("Mul", ["y", "weights"], ["weighted"]),
        helper.make_node("ReduceSum", ["weighted"], ["loss"], keepdims=0),
    ]
    given.graph.node.extend(nodes)
    names = [f"{popir.reservedGradientPrefix()}x{i}" for i in trained]
    session = training_session(given, "loss", names, popir.ConstSGD(0.0))
    found = step(session, {"x1": arrays[1]})
    return [np.array(found[name]) for name in names]


TORCH = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def scattered(x: Any, i: Any, u: Any, axis: int, reduction: str) -> Any:
    if reduction == "none":
        return torch.scatter(x, axis, i, u)
    return torch.scatter_reduce(x, axis, i, u, TORCH[reduction], include_self=True)


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scattered_elements_and_their_gradients_are_pytorchs(axis: int, reduction: str) -> None:
    shape = [4, 3, 5]
    # Small integers: there are ties of a maximum, and products with no, one and several zeros.
    x = RNG.integers(-2, 3, shape).astype(np.float64)
    given = [3, 2, 4]
    u = RNG.integers(-2, 3, given).astype(np.float64)
    i = RNG.integers(0, shape[axis], given)
    if reduction == "none":
        lines = np.broadcast_to(np.arange(shape[axis]), [*np.delete(given, axis), shape[axis]])
        i = np.moveaxis(RNG.permuted(lines, axis=-1)[..., : given[axis]], -1, axis).copy()
    data, updates = (torch.tensor(a, requires_grad=True) for a in (x, u))
    expected = scattered(data, torch.tensor(i.copy()), updates, axis, reduction)
    attributes = {"axis": axis, "reduction": reduction}
    found = infer("ScatterElements", [x, i, u], attributes)
    np.testing.assert_array_equal(found, expected.detach().numpy())
    weights = RNG.standard_normal(shape)
    (expected * torch.tensor(weights)).sum().backward()
    for mine, theirs in zip(
        gradients("ScatterElements", [x, i, u], attributes, weights), (data, updates), strict=True
    ):
        assert theirs.grad is not None
        np.testing.assert_allclose(mine, theirs.grad.numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("accumulate", [False, True])
def test_scattered_slices_are_pytorchs_index_put(accumulate: bool) -> None:
    x, u = RNG.standard_normal((3, 4, 2)), RNG.standard_normal((5, 2))
    i = np.array([[0, 1], [2, 3], [1, 0], [0, 0], [2, 3 if accumulate else 2]])
    data, updates = (torch.tensor(a, requires_grad=True) for a in (x, u))
    at = torch.tensor(i)
    expected = data.index_put((at[:, 0], at[:, 1]), updates, accumulate)
    attributes = {"reduction": "add" if accumulate else "none"}
    found = infer("ScatterND", [x, i, u], attributes)
    np.testing.assert_array_equal(found, expected.detach().numpy())
    weights = RNG.standard_normal(x.shape)
    (expected * torch.tensor(weights)).sum().backward()
    for mine, theirs in zip(
        gradients("ScatterND", [x, i, u], attributes, weights), (data, updates), strict=True
    ):
        assert theirs.grad is not None
        np.testing.assert_allclose(mine, theirs.grad.numpy(), rtol=1e-12)


def test_half_is_summed_in_float() -> None:
    x, u = np.zeros((1, 1), np.float16), np.full((4096, 1), 1.0, np.float16)
    i = np.zeros((4096, 1), np.int64)
    assert infer("ScatterElements", [x, i, u], {"reduction": "add"}).item() == 4096
    u[:] = 16
    u[::2] = 1 / 16
    assert infer("ScatterElements", [x + 1, i, u], {"reduction": "mul"}).item() == 1


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "?"])
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_every_type_is_scattered(kind: str, reduction: str) -> None:
    """Sums and products of integers wrap; those of truth values are "or" and "and"."""
    functions = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
    x, u = (RNG.integers(0, 100, shape).astype(kind) for shape in ([3, 4], [6, 4]))
    i = RNG.integers(0, 3, 6)
    wide = x.astype("f4" if kind == "f2" else kind)
    if reduction == "none":
        wide[i] = u
    else:
        functions[reduction].at(wide, i, u.astype(wide.dtype))
    with np.errstate(over="ignore"):
        expected = wide.astype(kind)
    found = infer("ScatterND", [x, i[:, None], u], {"reduction": reduction})
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, expected)


def test_the_last_of_several_updates_stays() -> None:
    x, u = np.zeros(3, np.float32), np.arange(1, 6, dtype=np.float32)
    found = infer("ScatterElements", [x, np.array([0, 2, 0, 2, 0]), u])
    np.testing.assert_array_equal(found, [5, 0, 4])


FAR = [3, -4, 2**32, -(2**32), 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("constant_data", [False, True])
def test_what_is_out_of_range_at_run_time_is_zero_or_left_out(constant_data: bool) -> None:
    x = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    i = np.array([*FAR, -1, 1])
    first = np.stack([i, np.zeros_like(i)], 1)
    second = np.stack([np.zeros_like(i), i], 1)
    constants = (0,) if constant_data else ()
    columns = np.stack([i, i], 1)
    found = infer("GatherElements", [x, columns], {}, constants)
    np.testing.assert_array_equal(found, [*[[0, 0]] * len(FAR), x[2], x[1]])
    found = infer("GatherND", [x, i[:, None]], {}, constants)
    np.testing.assert_array_equal(found, [*[[0, 0]] * len(FAR), x[2], x[1]])
    np.testing.assert_array_equal(
        infer("GatherND", [x, first], {}, constants), [0] * len(FAR) + [5, 3]
    )
    # In the second dimension 3 and -4 are out of range too.
    np.testing.assert_array_equal(
        infer("GatherND", [x, second], {}, constants), [0] * len(FAR) + [2, 2]
    )
    u = np.full(len(i), 9, np.float32)
    found = infer("ScatterND", [x, second, u], {"reduction": "add"}, constants)
    np.testing.assert_array_equal(found, [[1, 20], [3, 4], [5, 6]])


def test_caches_and_sequences_out_of_range_at_run_time() -> None:
    cache, update = np.zeros((2, 3, 1), np.float32), np.ones((2, 2, 1), np.float32)
    found = infer("TensorScatter", [cache, update, np.array([2, -1])], opset=24)
    np.testing.assert_array_equal(found[..., 0], [[0, 0, 1], [1, 0, 0]])
    x = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    found = infer("ReverseSequence", [x, np.array([5, -3])])
    np.testing.assert_array_equal(found, [[0, 2], [0, 4], [5, 6]])


def test_a_scatter_overwrites_a_value_that_nobody_else_needs() -> None:
    x, i, u = np.array([1.0, 2, 3]), np.array([1]), np.array([5.0])
    given = model("ScatterElements", [x, i, u], {"reduction": "add"})
    given.graph.node.insert(0, helper.make_node("Neg", ["x0"], ["n"]))
    given.graph.node[1].input[0] = "n"
    session = popir.InferenceSession(
        given, popir.DataFlow(1, ["y"]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x0": x, "x1": i, "x2": u}, anchors))
    np.testing.assert_array_equal(anchors["y"], [-1, 3, -3])
    assert "ScatterRowsInplace" in print_graph(session.graph)


@pytest.mark.parametrize("type", [np.float32, np.float16])
@pytest.mark.parametrize("distance", [0, 2, 40])
def test_data_are_scattered_into_where_the_host_wants_them(distance: int, type: Any) -> None:
    """They are copied there, even where the arrays of the host overlap."""
    memory = np.arange(80).astype(type)
    x = memory[:32].reshape(8, 4)
    i, u = np.array([[1], [-1], [1]]), -np.arange(12).reshape(3, 4).astype(type)
    given = model("ScatterND", [x, i, u], {})
    session = popir.InferenceSession(
        given, popir.DataFlow(1, ["y"]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    assert "stream out" not in session.planText()
    for _ in range(2):
        memory[:] = np.arange(80)
        wanted = x.copy()
        wanted[[1, 7]] = u[[2, 1]]
        y = memory[distance : distance + 32].reshape(8, 4)
        session.run(popir.PyStepIO({"x0": x, "x1": i, "x2": u}, {"y": y}))
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("type", [np.int32, np.int64])
@pytest.mark.parametrize("axis", [0, 1])
def test_indices_of_every_size_are_numpys(axis: int, type: Any) -> None:
    """In range they select, counted from either end; out of range they give zeros."""
    x = RNG.standard_normal((13, 40)).astype(np.float32)
    least, most = np.iinfo(type).min, np.iinfo(type).max
    i = RNG.integers(-50, 50, (11, 37)).astype(type)
    i[:, 3] = RNG.integers(least, most, 11, dtype=type)
    i[:4, 5] = [least, most, -(2**31), 2**31 - 1]
    size = x.shape[axis]
    counted = np.where(i < 0, i.astype(object) + size, i)
    inside = (counted >= 0) & (counted < size)
    part = x[:11] if axis == 1 else x[:, :37]
    wanted = np.take_along_axis(part, np.where(inside, counted, 0).astype(int), axis)
    found = infer("GatherElements", [x, i], {"axis": axis})
    np.testing.assert_array_equal(found, np.where(inside, wanted, 0))


@pytest.mark.parametrize("width", [1, 2, 4, 8, 12, 16, 31, 32, 64, 200])
@pytest.mark.parametrize("type", [np.int8, np.float16, np.float32, np.int64])
def test_rows_of_every_width(width: int, type: Any) -> None:
    x = RNG.integers(-9, 9, (5, 7, width)).astype(type)
    i = np.stack([RNG.integers(-5, 5, 60), RNG.integers(-7, 7, 60)], -1)
    np.testing.assert_array_equal(infer("GatherND", [x, i]), x[i[:, 0], i[:, 1]])
    i[3], i[9] = [5, 0], [0, -8]
    (wanted := x[i[:, 0] % 5, i[:, 1] % 7])[[3, 9]] = 0
    np.testing.assert_array_equal(infer("GatherND", [x, i]), wanted)


def test_data_that_is_read_again_is_not_overwritten() -> None:
    x, i, u = np.array([1.0, 2, 3]), np.array([1]), np.array([5.0])
    given = model("ScatterElements", [x, i, u], {})
    given.graph.node.insert(0, helper.make_node("Neg", ["x0"], ["n"]))
    given.graph.node[1].input[0] = "n"
    given.graph.node.append(helper.make_node("Add", ["y", "n"], ["z"]))
    given.graph.output[0].name = "z"
    found = run(given.SerializeToString(), {"x0": x, "x1": i, "x2": u}, ["z"])["z"]
    np.testing.assert_array_equal(found, [-2, 3, -6])


@pytest.mark.parametrize(
    ("type", "shapes"),
    [
        ("GatherElements", [[0, 3], [0, 3]]),
        ("GatherElements", [[2, 3], [0, 3]]),
        ("GatherND", [[2, 0], [4, 1]]),
        ("GatherND", [[2, 3], [0, 2]]),
        ("ScatterElements", [[0, 3], [0, 3], [0, 3]]),
        ("ScatterElements", [[2, 3], [0, 3], [0, 3]]),
        ("ScatterND", [[2, 0], [4, 1], [4, 0]]),
        ("ScatterND", [[2, 3], [0, 2], [0]]),
    ],
)
@pytest.mark.parametrize("reduction", ["none", "add", "mul"])
def test_nothing(type: str, shapes: list[list[int]], reduction: str) -> None:
    kinds = ["f8", "i8", "f8"]
    arrays = [np.ones(shape, kind) for shape, kind in zip(shapes, kinds, strict=False)]
    arrays[1][...] = 0
    attributes = {"reduction": reduction} if len(arrays) == 3 else {}
    found = infer(type, arrays, attributes)
    if len(arrays) == 3:
        np.testing.assert_array_equal(found, arrays[0])
        weights = np.full(shapes[0], 2.0)
        ours = gradients(type, arrays, attributes, weights)
        np.testing.assert_array_equal(ours[0], weights)
        assert ours[1].shape == arrays[2].shape
    else:
        assert found.size == 0


def zeros(*shape: int, kind: str = "f4") -> Array:
    return np.zeros(shape, kind)


def at(*values: Any) -> Array:
    return np.array(values, np.int64)


REFUSED = [
    ("GatherElements", [zeros(3, 2), at([3, 0])], {}, r"an index of 0 to 3.*dimension 0 of \[3, 2"),
    ("GatherElements", [zeros(3, 2), at([-4, 0])], {}, r"must be in \[-3, 2\]"),
    ("GatherElements", [zeros(3, 2), at(0)], {}, "must have one rank"),
    ("GatherElements", [zeros(3, 2), at([0, 0, 0])], {}, "no more indices than data"),
    ("GatherElements", [zeros(3, 2), at([0])], {"axis": 2}, "axis 2 is outside of a tensor of"),
    ("GatherND", [zeros(3, 2), at([0, 2])], {}, r"dimension 1 of \[3, 2\]; it must be in \[-2, 1"),
    ("GatherND", [zeros(3, 2), at([0, 0, 0])], {}, r"is 3; it must be in \[1, 2\]"),
    ("GatherND", [zeros(3, 2), at([0])], {"batch_dims": 1}, r"\[3, 2\] and indices \[1, 1\] diff"),
    ("GatherND", [zeros(3, 2), at([0])], {"batch_dims": 2}, "batch_dims is 2; data .* must both"),
    ("ScatterElements", [zeros(3), at(3), zeros(1)], {}, r"an index of 3 to 3 is outside"),
    ("ScatterElements", [zeros(3), at(0), zeros(2)], {}, r"updates have shape \[2\], the indices"),
    (
        "ScatterElements",
        [zeros(3), at(0), zeros(1)],
        {"reduction": "mean"},
        "expected is one of none",
    ),
    ("ScatterND", [zeros(3, 2), at([0]), zeros(1, 3)], {}, r"into \[3, 2\] take \[1, 2\]"),
    ("ScatterND", [zeros(3), at([-4]), zeros(1)], {}, r"an index of -4 to -4.*\[-3, 2\]"),
    ("ReverseSequence", [zeros(3, 2), at(4, 1)], {}, r"4 is outside of the 3 steps.*\[0, 3\]"),
    ("ReverseSequence", [zeros(3, 2), at(1)], {}, r"sequence_lens has shape \[1\]; give \[2\]"),
    ("ReverseSequence", [zeros(3), at(1)], {}, r"the input has shape \[3\]"),
    ("OneHot", [at(0), at(-1), zeros(2)], {}, r"the depth is \[-1\]; it must be one number in"),
    ("OneHot", [at(0), at(3), zeros(3)], {}, r"the values have shape \[3\]; give \[2\]"),
    ("EyeLike", [zeros(3)], {}, r"the input has shape \[3\]; EyeLike takes a matrix"),
    ("Col2Im", [zeros(1, 5, 4), at(3, 3), at(2, 2)], {}, r"give \[batch, channels \* 4, 4\]"),
    ("Col2Im", [zeros(1, 4, 4), at(3, 3), at(2)], {}, r"block_shape \[2\]; give one number"),
    ("Col2Im", [zeros(1, 4, 4), at(3, 0), at(2, 2)], {}, "its numbers must be 1 or more"),
    ("Col2Im", [zeros(1, 4, 4), at(3, 3), at(2, 2)], {"strides": [1]}, "'strides' is .*2 numbers"),
    ("TensorScatter", [zeros(1, 3, 2), zeros(1, 2, 2), at(2)], {}, "an index of 2 to 2 is outside"),
    ("TensorScatter", [zeros(1, 3, 2), zeros(1, 4, 2), at(0)], {}, "must not have more"),
    ("TensorScatter", [zeros(1, 3), zeros(1, 3), at(0)], {"axis": 0}, "axis 0 is the batch of"),
    ("TensorScatter", [zeros(1, 3, 2), zeros(1, 2, 2), at(0, 0)], {}, r"give \[1\], one for each"),
]


@pytest.mark.parametrize(("type", "arrays", "attributes", "words"), REFUSED)
def test_what_is_refused(
    type: str, arrays: list[Array], attributes: dict[str, Any], words: str
) -> None:
    """Indices and the like are constants here."""
    constants = tuple(range(1, len(arrays) if type in ("OneHot", "Col2Im", "Compress") else 2))
    if type == "EyeLike":
        constants = ()
    if type == "TensorScatter":
        constants = (2,)
    opset = 24 if type == "TensorScatter" else 18
    with pytest.raises(PopirError, match=words):
        infer(type, arrays, attributes, constants, opset)


@pytest.mark.parametrize("reduction", ["max", "min"])
def test_extrema_in_version_16(reduction: str) -> None:
    """PyTorch's tracing exporter writes them at opset 16 and 17, and onnxruntime takes them."""
    arrays = [np.float32([1, 2, 3]), at(0, 2), np.float32([2, 0])]
    found = infer("ScatterElements", arrays, {"reduction": reduction}, opset=17)
    np.testing.assert_array_equal(found, [2, 2, 3] if reduction == "max" else [1, 2, 0])


def test_an_unknown_reduction_is_refused() -> None:
    with pytest.raises(OperatorAttributeError, match="'mean'; expected is one of none, add, mul,"):
        infer("ScatterElements", [zeros(3), at(0), zeros(1)], {"reduction": "mean"}, opset=17)


def test_a_condition_that_is_computed_is_data_dependent() -> None:
    with pytest.raises(OperatorInputError, match="the shape of the output depends on it"):
        infer("Compress", [zeros(3), np.ones(3, bool)])


def test_a_depth_that_is_computed_is_refused() -> None:
    with pytest.raises(OperatorInputError, match="the depth, 'x1', must be a constant"):
        infer("OneHot", [at(0), at(3), zeros(2)])


def test_blocks_of_half_are_summed_in_float() -> None:
    x = np.full((1, 9, 1), 2048, np.float16)
    x[0, 1:] = 1
    columns = np.concatenate([x] * 9, 2)
    expected = torch.nn.functional.fold(torch.tensor(columns.astype("f4")), (5, 5), (3, 3)).numpy()
    found = infer("Col2Im", [columns, at(5, 5), at(3, 3)], {}, (1, 2))
    np.testing.assert_array_equal(found, expected.astype(np.float16))


@pytest.mark.parametrize("kind", ["i1", "u2", "i8", "f8"])
def test_blocks_of_every_type(kind: str) -> None:
    x = RNG.integers(0, 9, (2, 8, 6)).astype(kind)
    expected = torch.nn.functional.fold(torch.tensor(x.astype("f8")), (3, 4), (2, 2)).numpy()
    found = infer("Col2Im", [x, at(3, 4), at(2, 2)], {}, (1, 2))
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("reduction", ["max", "min"])
@pytest.mark.parametrize("constants", [(), (0, 1, 2)])
def test_nan_stays(reduction: str, constants: tuple[int, ...]) -> None:
    """As in PyTorch's amax and amin."""
    x, u = np.array([np.nan, 1, 1], "f4"), np.array([1, np.nan, 2, 0], "f4")
    found = infer("ScatterElements", [x, at(0, 1, 1, 2), u], {"reduction": reduction}, constants)
    np.testing.assert_array_equal(found, [np.nan, np.nan, {"max": 1, "min": 0}[reduction]])
