"""Depthwise convolutions by rows as they lie, against PyTorch in float64 and onnxruntime."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir.poplin import contraction
from tests.poplin.programs import run_again
from tests.poplin.test_planes import Case, Given, close

pytestmark = pytest.mark.skipif(
    contraction.isa() == "base", reason="rows as they lie are for AVX2 and AVX-512"
)

SHAPES = [
    (Case(1, 1, 1, (1, 1), groups=1), "one point"),
    (Case(2, 5, 5, (4, 3), groups=5), "rows shorter than a vector"),
    (Case(3, 3, 3, (19, 28), groups=3), "a broken vector, a broken block of rows"),
    (Case(1, 4, 4, (40, 112), groups=4), "strips of rows"),
    (Case(2, 6, 6, (33, 31), stride=(2, 2), groups=6), "strides"),
    (Case(1, 6, 6, (32, 70), kernel=(5, 5), pads=(2, 2), groups=6), "5 x 5"),
    (Case(1, 6, 6, (17, 35), kernel=(5, 5), pads=(2, 2), stride=(2, 2), groups=6), "5 x 5, 2"),
    (Case(1, 3, 3, (21, 20), kernel=(7, 7), pads=(3, 3), groups=3), "7 x 7"),
    (Case(1, 3, 3, (21, 40), kernel=(7, 7), pads=(3, 3), stride=(2, 2), groups=3), "7 x 7, 2"),
    (Case(1, 3, 3, (9, 30), kernel=(2, 6), pads=(0, 4), groups=3), "no square"),
    (Case(1, 3, 3, (30, 30), stride=(3, 1), groups=3), "strides that differ"),
    (Case(1, 3, 3, (30, 40), stride=(1, 2), dilation=(2, 3), pads=(2, 3), groups=3), "dilation"),
    (Case(1, 3, 3, (6, 16), kernel=(3, 16), pads=(1, 8), groups=3), "as many taps as there may be"),
    (Case(2, 3, 3, (20, 20), kernel=(1, 1), pads=(0, 0), stride=(2, 2), groups=3), "points"),
    (Case(1, 2, 2, (2, 2), kernel=(5, 5), pads=(4, 4), groups=2), "mostly padding"),
]
CASES = [pytest.param(case, id=name) for case, name in SHAPES]
"""Each is of one channel in a group; of one channel, PyTorch's groups are 1."""


@pytest.mark.parametrize("bias", [False, True], ids=["", "bias"])
@pytest.mark.parametrize("case", CASES)
def test_forward(case: Case, bias: bool) -> None:
    """By planes, which multiply zeros in place of the padding, the bits are the same."""
    given = Given(case)
    found, by = given.run("forward", source="rows", bias=bias)
    assert by.startswith("depthwise rows ")
    x, w, b = given.x.double(), given.w.double(), given.bias.double() if bias else None
    sums = given.convolved(x.abs(), w.abs(), None if b is None else b.abs()).numpy()
    close(found, given.convolved(x, w, b).numpy(), sums)
    np.testing.assert_array_equal(found, given.run("forward", source="planes", bias=bias)[0])
    for threads in (1, 2, 3):
        again, _ = given.run("forward", source="rows", bias=bias, threads=threads, kept=True)
        np.testing.assert_array_equal(again, found)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=name) for case, name in SHAPES if max(case.stride) == 1]
)
def test_gradients_of_data(case: Case) -> None:
    given = Given(case)
    found, by = given.run("data_gradient", source="rows")
    assert by.startswith("depthwise rows ")
    dy, w = given.dy.double(), given.w.double()
    close(found, given.gradient(dy, w), given.gradient(dy.abs(), w.abs()))


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_weights_that_are_not_finite_do_not_meet_the_padding(bad: float) -> None:
    given = Given(Case(2, 3, 3, (9, 9), groups=3))
    given.w[1, 0, 0, 0] = 0
    expected = given.convolved(given.x.double(), given.w.double()).numpy()
    expected[:, 1, 1:, 1:] = given.x[:, 1, :-1, :-1].double().numpy() * bad
    given.w[1, 0, 0, 0] = bad
    found, _ = given.run("forward", source="rows")
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_what_is_beside_the_operands_is_not_read_or_written() -> None:
    """Rows between others, of NaN, whose lines begin and end within the memory of these."""
    x = np.full((2, 3, 9, 20), np.nan, np.float32)
    y = np.full((2, 3, 9, 25), 7, np.float32)
    x[..., 2:15] = np.random.default_rng(0).standard_normal((2, 3, 9, 13))
    w = np.ones((3, 1, 1, 3, 3), np.float32)
    contraction.convolution(
        *("forward", x[..., 2:15], w, y[..., 3:16], [1, 1], [1, 1], [1, 1], [1, 1]),
        threads=2,
        source="rows",
    ).run()
    assert np.isfinite(y).all()
    assert (np.delete(y, np.s_[3:16], axis=3) == 7).all()


@pytest.mark.parametrize(
    "case",
    [
        Case(1, 3, 3, (20, 20), stride=(1, 3), groups=3),
        Case(1, 3, 3, (20, 20), kernel=(1, 17), pads=(0, 8), groups=3),
        Case(1, 4, 4, (20, 20), groups=2),
    ],
)
def test_what_it_does_not_do(case: Case) -> None:
    with pytest.raises(ValueError, match="not done by rows"):
        Given(case).run("forward", source="rows")


@pytest.mark.skipif(contraction.isa() != "avx512", reason="chosen on AVX-512 alone")
@pytest.mark.parametrize(
    ("case", "by"),
    [
        (Case(1, 60, 60, (28, 28), groups=60), "depthwise rows"),
        (Case(2, 73, 73, (28, 28), kernel=(1, 1), stride=(2, 2), pads=(0, 0), groups=73), "depth"),
        (Case(4, 96, 96, (112, 112), groups=96), "depthwise rows"),  # no cache holds it
        (Case(1, 96, 96, (14, 14), groups=96), "depthwise avx512"),  # whole blocks of channels
        (Case(1, 96, 96, (14, 14), kernel=(9, 9), pads=(4, 4), groups=96), "onednn"),
    ],
)
def test_what_is_chosen(case: Case, by: str) -> None:
    given = Given(case)
    found, chosen = given.run("forward", source="any", kept=True)
    other, instead = given.run("forward", source="any", kept=True, without="depthwise")
    assert chosen.startswith(by) and not instead.startswith("depthwise rows")
    x, w = given.x.double(), given.w.double()
    for each in (found, other):
        close(each, given.convolved(x, w).numpy(), given.convolved(x.abs(), w.abs()).numpy())


@pytest.mark.skipif(contraction.isa() != "avx512", reason="chosen on AVX-512 alone")
@pytest.mark.parametrize(
    "followed", [["Add"], ["Add", "Relu"], ["Relu"], ["Add", "Tanh"], ["Add", "Clip", "Sum"]]
)
@pytest.mark.parametrize("channels", [60, 208])  # by rows, or in blocks by vectors of channels
def test_what_follows(channels: int, followed: list[str]) -> None:
    """A bias and a Relu are part of the step; a NaN stays one."""
    random = np.random.default_rng(1)
    names = ["x", *(f"t{i}" for i in range(len(followed))), "y"]
    make = helper.make_node
    nodes = [make("Conv", ["x", "w"], [names[1]], group=channels, pads=[1] * 4)]
    more = {"Add": ["b"], "Clip": ["low", "high"], "Sum": ["x"]}
    for i, op in enumerate(followed):
        nodes.append(make(op, [names[i + 1], *more.get(op, [])], [names[i + 2]]))
    arrays = {
        "w": random.standard_normal((channels, 1, 3, 3)),
        "b": random.standard_normal((channels, 1, 1)),
        "low": np.float64(-1),
        "high": np.float64(2),
    }
    graph = helper.make_graph(
        nodes,
        "followed",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, channels, 28, 28])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, channels, 28, 28])],
        [numpy_helper.from_array(a.astype(np.float32), name) for name, a in arrays.items()],
    )
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()
    x = random.standard_normal((2, channels, 28, 28)).astype(np.float32)
    x[0, 7, 5, 5] = np.nan
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(model, popir.DataFlow(1, ["y"]), device)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    expected = onnxruntime.InferenceSession(model).run(["y"], {"x": x})[0]
    nan = np.isnan(anchors["y"])
    assert nan[0, 7, 4:7, 4:7].all() and nan.sum() == 9
    np.testing.assert_allclose(anchors["y"][~nan], expected[~nan], rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(contraction.isa() != "avx512", reason="it is the smaller one already")
def test_the_same_on_avx2() -> None:
    run_again("avx2", __file__)
