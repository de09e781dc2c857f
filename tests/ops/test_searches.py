"""ArgMax, ArgMin, Hardmax, TopK and scans: what they refuse, and what ONNX leaves open."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

import popir
from popir.errors import OperatorAttributeError, OperatorInputError, PopirError
from tests.models import Array, run, step, training_session

INTEGERS = [np.dtype(f"{kind}{8 * size}") for kind in ("int", "uint") for size in (1, 2, 4, 8)]
FLOATS = [np.dtype(d) for d in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]


def results(
    type: str,
    x: Array,
    *constants: Any,
    outputs: int = 1,
    opset: int = 13,
    given: bool = False,
    **attributes: Any,
) -> list[Array]:
    """The operator of x and constants, which `given` makes inputs."""
    names = ["x", *(f"c{i}" for i in range(len(constants)))]
    made = [f"y{i}" for i in range(outputs)]
    kinds = [helper.np_dtype_to_tensor_dtype(np.asarray(a).dtype) for a in (x, *constants)]
    shapes = [np.shape(a) for a in (x, *constants)]
    infos = map(helper.make_tensor_value_info, names, kinds, shapes)
    initializers = [
        numpy_helper.from_array(np.asarray(c), n) for c, n in zip(constants, names[1:], strict=True)
    ]
    graph = helper.make_graph(
        [helper.make_node(type, names, made, "n", **attributes)],
        "g",
        list(infos)[: None if given else 1],
        [ValueInfoProto(name=name) for name in made],
        [] if given else initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    arrays = {"x": x, **(dict(zip(names[1:], constants, strict=True)) if given else {})}
    found = run(model.SerializeToString(), arrays, made)
    return [found[name] for name in made]


X = np.arange(6, dtype=np.float32).reshape(2, 3)
K = np.array([2])


@pytest.mark.parametrize(
    ("attempt", "kind", "words"),
    [
        (lambda: results("ArgMax", X, axis=2), OperatorAttributeError, "the axis 2 is outside"),
        (lambda: results("ArgMin", np.float32(1)), OperatorAttributeError, "tensor of rank 0"),
        (
            lambda: results("ArgMax", X[:, :0], axis=1),
            OperatorInputError,
            r"shape \[2, 0\], without elements along the axis 1; ArgMax needs at least one",
        ),
        (lambda: results("ArgMax", X > 0), PopirError, "tensor\\(bool\\)|BOOL|bool"),
        (lambda: results("Hardmax", X, axis=-3), OperatorAttributeError, "the axis -3 is outside"),
        (
            lambda: results("TopK", X, np.array([4]), outputs=2),
            OperatorInputError,
            r"K is 4; the axis 1 of \[2, 3\] has 3 elements, so that K is 0 to 3",
        ),
        (
            lambda: results("TopK", X, np.array([-1]), outputs=2),
            OperatorInputError,
            "K is -1; the axis 1",
        ),
        (
            lambda: results("TopK", X, np.array([1, 2]), outputs=2),
            OperatorInputError,
            r"input 1 has shape \[2\]; expected is one number",
        ),
        (
            lambda: results("TopK", X, K, axis=5, outputs=2),
            OperatorAttributeError,
            "the axis 5 is outside",
        ),
        (
            lambda: results("TopK", X, K, given=True, outputs=2),
            OperatorInputError,
            "must be a constant",
        ),
        (
            lambda: results("TopK", X, opset=7, k=4, outputs=2),
            OperatorAttributeError,
            "K is 4; the axis 1",
        ),
        (
            lambda: results("CumSum", X, np.array([0, 1])),
            OperatorInputError,
            r"input 1 has shape \[2\]; expected is one number",
        ),
        (lambda: results("CumSum", X, np.array(2)), OperatorAttributeError, "the axis 2 is out"),
        (lambda: results("CumSum", X, np.array(0), given=True), OperatorInputError, "a constant"),
        (
            lambda: results("CumProd", X, np.array(-3), opset=26),
            OperatorAttributeError,
            "the axis -3 is outside",
        ),
    ],
)
def test_refusals(attempt: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        attempt()


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
def test_every_type_of_searches(dtype: np.dtype[Any]) -> None:
    x = np.array([[3, 9, 1, 9], [4, 0, 4, 0]]).astype(dtype)
    for last, most, least in ((0, [1, 0], [2, 1]), (1, [3, 2], [2, 3])):
        given = {"axis": 1, "keepdims": 0, "select_last_index": last}
        np.testing.assert_array_equal(results("ArgMax", x, **given)[0], most)
        np.testing.assert_array_equal(results("ArgMin", x, **given)[0], least)
    values, index = results("TopK", x, K, outputs=2, opset=24)
    assert values.dtype == dtype and index.dtype == np.int64
    np.testing.assert_array_equal(values.astype(float), [[9, 9], [4, 4]])
    np.testing.assert_array_equal(index, [[1, 3], [0, 2]])
    if dtype in FLOATS:
        hard = results("Hardmax", x)[0]
        assert hard.dtype == dtype
        np.testing.assert_array_equal(hard.astype(float), [[0, 1, 0, 0], [1, 0, 0, 0]])


@pytest.mark.parametrize("dtype", [*INTEGERS[2:4], *INTEGERS[6:], *FLOATS], ids=str)
def test_every_type_of_scans(dtype: np.dtype[Any]) -> None:
    x = np.array([[1, 2, 3], [2, 0, 2]]).astype(dtype)
    for type, opset, want in (
        ("CumSum", 14, [[1, 3, 6], [2, 2, 4]]),
        ("CumProd", 26, [[1, 2, 6], [2, 0, 0]]),
    ):
        found = results(type, x, np.array(1), opset=opset)[0]
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.astype(float), want)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("type", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
def test_extrema_of_lines_side_by_side(dtype: np.dtype[Any], type: str, last: int) -> None:
    """Along a middle axis, with equal elements, and NaN where there is one."""
    rng = np.random.default_rng(1)
    for shape in ([2, 9, 1], [3, 5, 70], [1, 4, 1030], [2, 1, 33]):
        x = rng.integers(0, 4, shape).astype(dtype)
        if dtype in FLOATS:
            x[rng.random(shape) < 0.1] = np.nan
        (found,) = results(type, x, axis=1, select_last_index=last, keepdims=0)
        wide = x.astype(np.float64)
        score = np.where(np.isnan(wide), np.inf, wide if type == "ArgMax" else -wide)
        first = np.argmax(score[:, ::-1] if last else score, axis=1)
        np.testing.assert_array_equal(found, shape[1] - 1 - first if last else first)


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
def test_few_of_many_with_equal_ones(dtype: np.dtype[Any], largest: int) -> None:
    """Of equal elements those of lower indices come first; NaN is the largest."""
    rng = np.random.default_rng(2)
    for columns, k in ((5, 1), (64, 5), (200, 32), (200, 33), (1000, 20)):
        x = rng.integers(0, columns // 4 + 2, [7, columns]).astype(dtype)
        if dtype in FLOATS:
            x[rng.random(x.shape) < 0.05] = np.nan
            x[0] = np.nan
        score = x.astype(np.float64)
        score = np.where(np.isnan(score), np.inf, score) * (-1 if largest else 1)
        order = np.argsort(score, axis=1, kind="stable")[:, :k]
        values, at = results("TopK", x, np.array([k]), outputs=2, largest=largest)
        np.testing.assert_array_equal(at, order)
        np.testing.assert_array_equal(
            values.astype(np.float64), np.take_along_axis(x, order, 1).astype(np.float64)
        )


def test_nan_is_an_extremum_and_larger_than_infinity() -> None:
    x = np.array([[1, np.nan, np.inf, np.nan]], np.float32)
    assert results("ArgMax", x, axis=1)[0] == results("ArgMin", x, axis=1)[0] == 1
    assert results("ArgMax", x, axis=1, select_last_index=1)[0] == 3
    np.testing.assert_array_equal(results("TopK", x, np.array([3]), outputs=2)[1], [[1, 3, 2]])
    smallest = results("TopK", x, np.array([3]), outputs=2, largest=0)[1]
    np.testing.assert_array_equal(smallest, [[0, 2, 1]])


def test_constants_of_integers_are_folded_alike() -> None:
    """A constant x gives what the device gives."""
    x = np.array([[3, 9, 1, 9], [4, 0, 4, 0]], np.int32)
    for type, constants, attributes in (
        ("ArgMax", [], {"axis": 1, "select_last_index": 1}),
        ("ArgMin", [], {"axis": 0, "keepdims": 0}),
        ("CumSum", [np.array(1)], {"exclusive": 1, "reverse": 1}),
        ("CumSum", [np.array(0)], {}),
    ):
        names = ["x", *(f"c{i}" for i in range(len(constants)))]
        arrays = [
            numpy_helper.from_array(a, n) for a, n in zip([x, *constants], names, strict=True)
        ]
        graph = helper.make_graph(
            [
                helper.make_node(type, names, ["z"], **attributes),
                helper.make_node("Cast", ["z"], ["w"], to=TensorProto.FLOAT),
                helper.make_node("Add", ["w", "s"], ["y"]),
            ],
            "g",
            [helper.make_tensor_value_info("s", TensorProto.FLOAT, [1])],
            [ValueInfoProto(name="y")],
            arrays,
        )
        imports = [helper.make_opsetid("", 14)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=8)
        folded = run(model.SerializeToString(), {"s": np.zeros(1, np.float32)}, ["y"])["y"]
        np.testing.assert_array_equal(folded, results(type, x, *constants, **attributes)[0])


@pytest.mark.parametrize("indices", ["", "i"], ids=["without indices", "with indices"])
def test_the_gradient_of_equal_elements_goes_to_the_chosen_ones(indices: str) -> None:
    x = np.array([[1, 3, 3, 0, 3], [2, 2, 2, 2, 2]], np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("TopK", ["x", "k"], ["y", indices]),
            helper.make_node("Mul", ["y", "w"], ["z"]),
            helper.make_node("ReduceSum", ["z"], ["loss"], keepdims=0),
        ],
        "g",
        [helper.make_tensor_value_info("w", TensorProto.FLOAT, [2])],
        [ValueInfoProto(name="loss")],
        [numpy_helper.from_array(x, "x"), numpy_helper.from_array(K, "k")],
    )
    imports = [helper.make_opsetid("", 13)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    session = training_session(model.SerializeToString(), "loss", [], popir.ConstSGD(1.0))
    step(session, {"w": np.array([10, 20], np.float32)})
    session.weightsToHost()
    weights = {"x": np.empty_like(x)}
    session.readWeights(popir.PyWeightsIO(weights))
    np.testing.assert_array_equal(x - weights["x"], [[0, 10, 20, 0, 0], [10, 20, 0, 0, 0]])
