"""RandomNormal, RandomUniform, their Like forms, Bernoulli and Multinomial: distributions, and what
the numbers follow.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper

import popir
from popir.errors import OperatorAttributeError, OperatorInputError, popart_exception
from tests.models import Array, run

N = 100_000
NORMAL = {"mean": 2.0, "scale": 3.0}
UNIFORM = {"low": -1.0, "high": 3.0}
FLOATS = {1: np.float32, 10: np.float16, 11: np.float64, 16: ml_dtypes.bfloat16}


def model(nodes: list[tuple[str, dict[str, Any]]], x: Array | None) -> bytes:
    """Nodes with the outputs y0, y1, ...; of the input x if there is one."""
    ins = [] if x is None else ["x"]
    made = [
        helper.make_node(type, ins, [f"y{i}"], name=f"node{i}", **attributes)
        for i, (type, attributes) in enumerate(nodes)
    ]
    infos = [
        helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(each.dtype), each.shape)
        for each in ([] if x is None else [x])
    ]
    outputs = [onnx.ValueInfoProto(name=f"y{i}") for i in range(len(nodes))]
    graph = helper.make_graph(made, "g", infos, outputs)
    imports = [helper.make_opsetid("", 22)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()


def drawn(type: str, x: Array | None = None, **attributes: Any) -> Array:
    """What one operator draws in a session's first batch."""
    return both((type, attributes), x=x)[0]


def both(*nodes: tuple[str, dict[str, Any]], x: Array | None = None) -> list[Array]:
    """What operators of one model draw."""
    inputs = {} if x is None else {"x": x}
    names = [f"y{i}" for i in range(len(nodes))]
    found = run(model(list(nodes), x), inputs, names)
    return [found[name] for name in names]


def share_below(values: Array, x: float) -> float:
    return float((values.astype(np.float64) < x).mean())


@pytest.mark.parametrize("dtype", FLOATS)
def test_normal(dtype: int) -> None:
    y = drawn("RandomNormal", shape=[N], dtype=dtype, **NORMAL)
    assert y.dtype == FLOATS[dtype]
    for z in (-2, -1, 0, 0.5, 1.5):
        want = (1 + math.erf(z / math.sqrt(2))) / 2
        assert share_below(y, 2 + 3 * z) == pytest.approx(want, abs=0.01)


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform(dtype: int) -> None:
    y = drawn("RandomUniform", shape=[N], dtype=dtype, **UNIFORM)
    assert y.dtype == FLOATS[dtype]
    assert y.min() >= -1
    assert y.max() <= 3
    for x in (-0.5, 0, 1, 2.5):
        assert share_below(y, x) == pytest.approx((x + 1) / 4, abs=0.01)


def test_numbers_are_independent() -> None:
    y = drawn("RandomNormal", shape=[N])
    assert np.corrcoef(y[:-1], y[1:])[0, 1] == pytest.approx(0, abs=0.01)
    first, second = both(("RandomNormal", {"shape": [N]}), ("RandomNormal", {"shape": [N]}))
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("type", ["RandomNormalLike", "RandomUniformLike"])
def test_like_takes_shape_and_type_of_the_input(type: str) -> None:
    for x in (np.zeros((3, 0, 2), np.float16), np.full((), 7.0), np.full((2, 5), 9, np.float32)):
        y = drawn(type, np.asarray(x))
        assert (y.shape, y.dtype) == (x.shape, x.dtype)
    assert drawn(type, np.zeros(3, np.int32), dtype=11).dtype == np.float64


def test_bernoulli_gives_one_with_the_probability() -> None:
    p = np.repeat(np.array([0, 0.1, 0.75, 1], np.float32), N // 4)
    y = drawn("Bernoulli", p, dtype=6)
    assert y.dtype == np.int32
    means = y.reshape(4, -1).mean(1)
    assert means[0] == 0
    assert means[3] == 1
    np.testing.assert_allclose(means[1:3], [0.1, 0.75], atol=0.01)
    assert drawn("Bernoulli", p.astype(np.float16)).dtype == np.float16


@pytest.mark.parametrize("dtype", FLOATS.values())
def test_multinomial(dtype: Any) -> None:
    p = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0]])
    with np.errstate(divide="ignore"):
        logarithms = (np.log(p) + 3).astype(dtype)
    y = drawn("Multinomial", logarithms, sample_size=N, dtype=7)
    assert y.dtype == np.int64
    shares = [np.bincount(row, minlength=3) / N for row in y]
    np.testing.assert_allclose(shares, p, atol=0.01)
    assert shares[1][2] == 0


@pytest.mark.parametrize("type", ["RandomNormal", "RandomUniform"])
def test_the_attribute_seed(type: str) -> None:
    a, b, c, d = both(*((type, {"shape": [9], "seed": seed}) for seed in (1.0, 1.0, 2.0, 1.5)))
    np.testing.assert_array_equal(a, b)
    assert not (a == c).any()
    assert not (a == d).any()
    # The place of an operator in the model does not matter then.
    _, moved = both((type, {"shape": [9]}), (type, {"shape": [9], "seed": 1.0}))
    np.testing.assert_array_equal(a, moved)


@pytest.mark.parametrize("type", ["Multinomial", "Bernoulli", "RandomUniformLike"])
def test_the_attribute_seed_with_an_input(type: str) -> None:
    x = np.full((8, 16), 0.5, np.float32)
    more = {"sample_size": 16} if type == "Multinomial" else {}
    a, b, c = both(*((type, {**more, "seed": seed}) for seed in (1.0, 1.0, 2.0)), x=x)
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


@pytest.mark.parametrize("attributes", [{}, {"seed": 4.0}])
def test_numbers_follow_the_sessions_seed_and_change_from_run_to_run(
    attributes: dict[str, Any],
) -> None:
    nodes = [("RandomUniform", {"shape": [50], **attributes})]

    def runs(seed: int) -> list[Array]:
        session = popir.InferenceSession(
            model(nodes, None),
            popir.DataFlow(1, ["y0"]),
            popir.DeviceManager().createCpuDevice(),
        )
        session.prepareDevice()
        session.setRandomSeed(seed)
        found = []
        for _ in range(2):
            anchors = session.initAnchorArrays()
            session.run(popir.PyStepIO({}, anchors))
            found.append(anchors["y0"].copy())
        return found

    first, again, other = runs(1), runs(1), runs(2)
    np.testing.assert_array_equal(first, again)
    assert not (first[0] == first[1]).any()
    assert not (first[0] == other[0]).any()


@pytest.mark.parametrize(
    ("type", "attributes", "words"),
    [
        ("RandomUniform", {"low": 1.0, "high": 1.0}, "low is 1 and high 1; low must be less than"),
        ("RandomNormal", {"scale": -1.0}, "mean is 0 and scale -1; expected are a finite mean"),
        ("RandomNormal", {"mean": math.inf}, "mean is inf and scale 1; expected are a finite mean"),
        ("RandomNormal", {"dtype": 6}, "would be of type INT32; give the attribute 'dtype' as one"),
        ("RandomUniform", {"shape": [-1]}, r"'shape' is \[-1\]; dimensions are 0 or more"),
    ],
)
def test_wrong_attributes(type: str, attributes: dict[str, Any], words: str) -> None:
    with pytest.raises(OperatorAttributeError, match=words):
        drawn(type, **{"shape": [3], **attributes})


def test_bounds_that_the_type_does_not_hold() -> None:
    with pytest.raises(popart_exception, match="high is 100000; float16 holds finite numbers up"):
        drawn("RandomUniform", shape=[3], dtype=10, high=1e5)


def test_like_integers_needs_a_type() -> None:
    with pytest.raises(OperatorAttributeError, match="would be of type INT64"):
        drawn("RandomNormalLike", np.zeros(3, np.int64))


def test_multinomial_refuses() -> None:
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(OperatorInputError, match=r"has shape \[3\]; expected is \[batch, classes"):
        drawn("Multinomial", x[0])
    with pytest.raises(OperatorInputError, match="with one class at least"):
        drawn("Multinomial", x[:, :0])
    with pytest.raises(OperatorAttributeError, match="'sample_size' is 0; expected is 1 or more"):
        drawn("Multinomial", x, sample_size=0)
    with pytest.raises(OperatorAttributeError, match="'dtype' is FLOAT; expected is INT32"):
        drawn("Multinomial", x, dtype=1)
