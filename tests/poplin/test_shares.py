"""What threads share of a contraction: rows and images of their own, with sums of their own where
the result is a gradient of weights; and the same bits for any number of threads, where asked for.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper
from torch import nn

import popir
from popir.poplin import contraction
from tests.models import step, training_session
from tests.poplin.test_contraction import laid, random

Array = np.ndarray[Any, Any]
VECTORS = pytest.mark.skipif(contraction.isa() == "base", reason="of our own kernels")


@VECTORS
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(128, 1500, 512), (64, 700, 33), (7, 999, 256), (3, 60000, 5)]
)
@pytest.mark.parametrize("more", ["", "alpha", "bias", "accumulate"])
def test_sums_over_rows_are_divided(threads: int, m: int, k: int, n: int, more: str) -> None:
    """Both operands lie row by row of k; what lies between the rows of C stays."""
    a, b = laid(random((1, m, k)), "transposed"), random((1, k, n), seed=2)
    whole = np.full((1, m, n + 3), 0.5, np.float32)
    c, bias = whole[:, :, :n], random((n,), seed=3)
    options: dict[str, Any] = {}
    expected = a.astype(np.float64) @ b
    if more == "alpha":
        options["alpha"] = -0.01
        expected *= -0.01
    elif more == "bias":
        options["bias"] = bias
        expected += bias
    elif more == "accumulate":
        options |= {"accumulate": True, "alpha": -0.01}
        expected = 0.5 - 0.01 * expected
    product = contraction.product(a, b, c, threads=threads, **options)
    assert product.describe().endswith("in divided sums")
    product.run()
    np.testing.assert_allclose(c, expected, 1e-5, 3e-6 * k**0.5)
    assert (whole[:, :, n:] == 0.5).all()


@VECTORS
@pytest.mark.parametrize(
    ("m", "k", "n", "lies", "threads"),
    [
        (128, 1024, 512, "transposed", 1),
        (128, 1024, 512, "dense", 2),  # rows of A are those of C
        (1024, 256, 1024, "transposed", 2),  # more results than operands
        (64, 200, 16, "transposed", 2),  # short sums
    ],
)
def test_other_sums_are_whole(m: int, k: int, n: int, lies: str, threads: int) -> None:
    a, b = laid(random((1, m, k)), lies), random((1, k, n), seed=2)
    product = contraction.product(a, b, np.empty((1, m, n), np.float32), threads=threads)
    assert "divided" not in product.describe()


def convolution(kind: str, images: int, threads: int, stride: int = 1) -> tuple[str, Array, Array]:
    """Who computes it, its result, and PyTorch's in double. `kind` is the pass."""
    x = random((images, 16, 40, 40))
    w, bias = random((32, 16, 3, 3), seed=2), random((32,), seed=3)
    wide = [torch.from_numpy(v.astype(np.float64)).requires_grad_() for v in (x, w, bias)]
    y = nn.functional.conv2d(wide[0], wide[1], wide[2] if kind == "forward" else None, stride, 1)
    g = random(tuple(y.shape), seed=4)
    y.backward(torch.from_numpy(g.astype(np.float64)))
    want = {"forward": y, "data_gradient": wide[0].grad, "weights_gradient": wide[1].grad}[kind]
    assert want is not None
    operands = [x, w[None], g]
    written = ["data_gradient", "weights_gradient", "forward"].index(kind)
    operands[written] = np.full_like(operands[written], np.nan)
    made = contraction.convolution(
        *(kind, *operands, [stride] * 2, [1, 1], [1, 1], [1, 1]),
        threads=threads,
        bias=bias if kind == "forward" else None,
    )
    made.run()
    return made.describe(), operands[written].reshape(want.shape), want.detach().numpy()


@pytest.mark.parametrize("kind", ["forward", "data_gradient", "weights_gradient"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize(("images", "threads"), [(4, 2), (6, 3), (2, 2), (3, 2), (8, 1), (0, 2)])
def test_images_are_shared(kind: str, images: int, threads: int, stride: int) -> None:
    who, found, want = convolution(kind, images, threads, stride)
    np.testing.assert_allclose(found, want, 1e-4, 2e-4)
    shares = images > 0 and images % threads == 0 and threads > 1
    assert ("in divided sums" in who) == (shares and kind == "weights_gradient")
    if "onednn" in who and kind != "weights_gradient":
        assert who.endswith("by images") == shares


class Images(nn.Module):
    """Strided, grouped and depthwise convolutions, normalization, pooling and a product."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()),
            *(nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(32, 32, 5, padding=2, groups=32), nn.Conv2d(32, 48, 1, stride=2)),
            *(nn.Conv2d(48, 48, 3, groups=2), nn.Flatten(), nn.Linear(48 * 4, 10)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x).square().mean()


class Rows(nn.Module):
    """A transformer block, of which rows go through joined steps."""

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.TransformerEncoderLayer(64, 2, 256, 0.0, "gelu", batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block(x).square().mean()


NETWORKS = {"images": (Images, (4, 3, 16, 16)), "rows": (Rows, (8, 64, 64))}


def trained(name: str, threads: int, deterministic: str = "true") -> list[Array]:
    """The loss and the weights after two steps."""
    torch.manual_seed(0)
    make, shape = NETWORKS[name]
    network, file = make().train(), io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            *(network, (torch.zeros(shape),), file),
            dynamo=False,
            training=torch.onnx.TrainingMode.PRESERVE,
            do_constant_folding=False,
            input_names=["x"],
            output_names=["loss"],
        )
    model = onnx.load_from_string(file.getvalue())
    options = popir.SessionOptions()
    options.engineOptions = {
        "host.numThreads": str(threads),
        "host.deterministic": deterministic,
    }
    session = training_session(model, "loss", ["loss"], popir.ConstSGD(0.05), options=options)
    found = [step(session, {"x": random(shape, seed=i)})["loss"] for i in range(2)]
    after = {t.name: np.empty(t.dims, np.float32) for t in model.graph.initializer}
    after = {name: a for name, a in after.items() if name in dict(network.named_parameters())}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(after))
    return [*found, *after.values()]


@pytest.mark.skipif(contraction.isa() != "avx512", reason="vectors of 16 channels")
@pytest.mark.parametrize("kind", ["forward", "data_gradient"])
@pytest.mark.parametrize(
    ("images", "channels", "threads", "shares"),
    [(1, 64, 2, True), (1, 96, 3, True), (1, 48, 2, False), (1, 40, 2, False), (3, 64, 2, False)],
)
@pytest.mark.parametrize("stride", [1, 2])
def test_groups_of_one_image_are_shared(
    kind: str, images: int, channels: int, threads: int, shares: bool, stride: int
) -> None:
    """Depthwise, with vectors of channels of its own for each thread: the bits of all together."""
    after = (40 - 1) // stride + 1
    w, bias = random((channels, 1, 1, 3, 3), seed=2), random((channels,), seed=4)
    found: list[np.ndarray] = []
    for without in ("depthwise", "depthwise, images"):
        x = random((images, channels, 40, 40))
        y = random((images, channels, after, after), seed=3)
        made = contraction.convolution(
            *(kind, x, w, y, [stride] * 2, [1, 1], [1, 1], [1, 1]),
            threads=threads,
            bias=bias if kind == "forward" else None,
            without=without,
        )
        for kept in (False, True):
            made.run(kept)
            found.append((y if kind == "forward" else x).copy())
        assert made.describe().endswith("by groups") == (shares and without == "depthwise")
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])
    if kind == "forward":
        image, weights = torch.tensor(x).double(), torch.tensor(w[:, 0]).double()
        exact = nn.functional.conv2d(
            image, weights, torch.tensor(bias).double(), stride, 1, 1, channels
        )
        np.testing.assert_allclose(found[0], exact, 1e-5, 1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_deterministic_bits_are_those_of_any_number_of_threads(name: str) -> None:
    one = trained(name, 1)
    for threads in (2, 3, 4):
        for found, want in zip(trained(name, threads), one, strict=True):
            np.testing.assert_array_equal(found, want)
    for found, want in zip(trained(name, 2, "false"), one, strict=True):
        np.testing.assert_allclose(found, want, 1e-3, 1e-4)


def inferred(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, Array],
    threads: int,
    w: Array | None = None,
    without: str = "",
) -> Array:
    """`y` of a graph of these nodes, and of weights `w`, deterministic."""
    values = [helper.make_tensor_value_info(n, 1, x.shape) for n, x in inputs.items()]
    weights = [] if w is None else [numpy_helper.from_array(w, "w")]
    results = [helper.make_tensor_value_info("y", 1, None)]
    graph = helper.make_graph(nodes, "g", values, results, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    options = popir.SessionOptions()
    options.engineOptions = {
        "host.numThreads": str(threads),
        "host.deterministic": "true",
        "host.without": without,
    }
    session = popir.InferenceSession(
        model,
        popir.DataFlow(1, ["y"]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    session.prepareDevice()
    return step(session, inputs)["y"]


@pytest.mark.parametrize("transB", [0, 1])
@pytest.mark.parametrize("m", [1, 2, 4, 5, 8, 9, 40, 300])
@pytest.mark.parametrize(("k", "n"), [(40, 33), (300, 90), (769, 400), (2000, 130)])
def test_deterministic_bits_are_those_of_weights_that_are_not_packed(
    m: int, k: int, n: int, transB: int
) -> None:
    inputs, w = {"x": random((m, k))}, random((n, k) if transB else (k, n), seed=2)
    nodes = [helper.make_node("Gemm", ["x", "w"], ["y"], transB=transB)]
    found = inferred(nodes, inputs, 2, w)
    np.testing.assert_array_equal(inferred(nodes, inputs, 3, w, "packing"), found)
    np.testing.assert_allclose(found, inputs["x"] @ (w.T if transB else w), 1e-3, 1e-3)


def test_deterministic_bits_are_those_of_a_recurrence_that_is_recomputed() -> None:
    """Recomputed, it has so many equal products that their weights are packed."""
    size, steps = 300, 10
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    op = builder.aiOnnx
    w = builder.addInitializedInputTensor(random((size, size), seed=2) * np.float32(0.05), "w")
    x = builder.addInputTensor("FLOAT", [16, size], "x")
    labels = builder.addInputTensor("INT32", [16], "labels")
    h = x
    for _ in range(steps):
        h = op.tanh([op.add([op.matmul([h, w]), x])])
    loss = builder.aiGraphcore.nllloss([op.softmax([h], axis=-1), labels])
    found: list[list[Array]] = []
    packed: list[bool] = []
    for how in (popir.RecomputationType.NoRecompute, popir.RecomputationType.RecomputeAll):
        options = popir.SessionOptions(
            autoRecomputation=how, engineOptions={"host.deterministic": "true"}
        )
        session = training_session(
            builder.getModelProto(), loss, [loss], popir.ConstSGD(0.05), options=options
        )
        given = {"x": random((16, size)), "labels": np.arange(16, dtype=np.int32)}
        losses = [step(session, given)[loss].copy() for _ in range(2)]
        after = {"w": np.empty((size, size), np.float32)}
        session.weightsToHost()
        session.readWeights(popir.PyWeightsIO(after))
        found.append([*losses, after["w"]])
        packed.append(", packed" in session.planText())
    if contraction.isa() != "base":
        assert packed == [False, True]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("g", "m", "k", "n"), [(8, 512, 300, 512), (12, 128, 768, 256)])
def test_deterministic_rows_are_joined_alike(g: int, m: int, k: int, n: int) -> None:
    """A step of few rows is joined with a product of several only where threads are few."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("ReduceMean", ["b"], ["y"], axes=[1, 2], keepdims=0),
    ]
    inputs = {"x": random((g, m, k)), "w": random((g, k, n), seed=2)}
    one = inferred(nodes, inputs, 1)
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(inferred(nodes, inputs, threads), one)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((50_000, 6), (1, 0)),  # few rows are written
        ((6, 50_000), (1, 0)),
        ((300, 301), (1, 0)),
        ((2, 3, 40_000), (1, 0, 2)),  # few iterations outside
        ((16, 64, 2, 32), (0, 2, 1, 3)),  # heads of attention
        ((3, 100, 100, 5), (0, 3, 1, 2)),
        ((5, 1, 70, 90), (3, 1, 0, 2)),
    ],
)
def test_copies_are_shared(shape: tuple[int, ...], order: tuple[int, ...], threads: int) -> None:
    """What is concatenated is read transposed, and copied."""
    x = random(shape)
    nodes = [
        helper.make_node("Transpose", ["x"], ["a"], perm=order),
        helper.make_node("Concat", ["a", "a"], ["y"], axis=len(shape) - 1),
    ]
    want = np.concatenate([x.transpose(order)] * 2, -1)
    np.testing.assert_array_equal(inferred(nodes, {"x": x}, threads), want)


@pytest.mark.parametrize("images", [2, 5, 40, 300])
@pytest.mark.parametrize("points", [200, 5000])
def test_reductions_have_the_bits_of_one_thread(images: int, points: int) -> None:
    """Each thread reduces images of its own; they are added in the same order."""
    inputs = {"x": random((images, 6, points))}
    nodes = [helper.make_node("ReduceMean", ["x"], ["y"], axes=[0, 2], keepdims=0)]
    one = inferred(nodes, inputs, 1)
    np.testing.assert_allclose(one, inputs["x"].astype(np.float64).mean((0, 2)), 1e-5, 1e-6)
    for threads in (2, 3):
        np.testing.assert_array_equal(inferred(nodes, inputs, threads), one)


@VECTORS
@pytest.mark.parametrize("kind", ["forward", "data_gradient"])
@pytest.mark.parametrize(
    ("images", "channels", "size", "by"),
    [(1, 96, 14, 7), (3, 208, 14, 3), (1, 144, 28, 5), (2, 32, 9, 5), (1, 16, 14, 7)],
)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_vectors_of_channels_are_shared(
    kind: str, images: int, channels: int, size: int, by: int, threads: int
) -> None:
    """Depthwise, plain rows copied by vectors of channels: the bits of all together."""
    w, bias = random((channels, 1, 1, by, by), seed=2), random((channels,), seed=4)
    found: list[np.ndarray] = []
    x, y = random((images, channels, size, size)), random((images, channels, size, size), seed=3)
    written = y if kind == "forward" else x
    for without in ("", "images"):
        made = contraction.convolution(
            *(kind, x, w, y, [1, 1], [1, 1], [1, 1], [by // 2] * 2),
            threads=threads,
            bias=bias if kind == "forward" else None,
            without=without,
        )
        for kept in (False, True):
            written[...] = np.nan
            made.run(kept)
            found.append(written.copy())
        if channels == 208 and contraction.isa() == "avx512":
            assert made.describe().endswith("by groups") == (without == "")
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])
    double = [torch.tensor(v.astype(np.float64), requires_grad=True) for v in (x, w[:, 0])]
    if kind == "data_gradient":
        double[0] = torch.zeros(x.shape, dtype=torch.float64, requires_grad=True)
    exact = nn.functional.conv2d(double[0], double[1], None, 1, by // 2, 1, channels)
    if kind == "forward":
        want = exact + torch.tensor(bias).double()[:, None, None]
    else:
        (want,) = torch.autograd.grad(exact, double[0], torch.tensor(y).double())
    np.testing.assert_allclose(found[0], want.detach(), 1e-5, 1e-4)
