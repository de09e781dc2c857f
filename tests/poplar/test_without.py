"""`host.without`: leaving out each pass and each choice of kernels acts, and results agree."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional

import popir
from popir import poplar
from popir.errors import poplar_invalid_option
from popir.poplar import program
from popir.poplin import contraction
from tests.models import Array, floats, step, training_session
from tests.networks.exported import Encoder, Recurrent, exported, made
from tests.ops.test_bits import dequantized
from tests.poplar.test_fusion import Random

OPTION = "host.without"
TAKES = next(type for name, _, type, *_ in poplar.engineOptionTable() if name == OPTION)
NAMES = TAKES.partition(": ")[2].split(", ")

BOUND = 2e-5
"""Of the largest number of a tensor: how far float32 results may be from one another."""
EXACT = {
    "coalesce copies",
    "share gathers",
    "overlap collectives",
    "alias concatenations",
    "reuse operands",
    "unpacking",
    "tables",
}
"""What changes no order of operations: bits are equal."""


def close(found: Array, expected: Array, name: str) -> None:
    """Within the bound."""
    np.testing.assert_allclose(
        *(found, expected), rtol=0, atol=BOUND * float(np.abs(expected).max()), err_msg=name
    )


# Networks, in inference and in training.


class Image(nn.Module):
    """Convolutions of all kinds, with what follows them, beside one another, and a crop."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(16, 64, 3, padding=1)
        self.points = nn.Conv2d(64, 24, 1)
        self.depthwise = nn.Conv2d(24, 24, 5, padding=2, groups=24)
        self.back = nn.Conv2d(24, 32, 1)
        self.beside = nn.Conv2d(24, 32, 3, padding=1)
        self.norm = nn.LayerNorm([64, 28, 28])
        self.down = nn.Conv2d(64, 32, 1, stride=2)
        self.strided = nn.Conv2d(64, 64, 3, stride=2, padding=1)
        self.head = nn.Linear(96, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.points(torch.relu(self.first(x))))
        x = functional.hardtanh(self.depthwise(x), 0.0, 6.0)
        x = self.norm(torch.cat([self.back(x), torch.relu(self.beside(x))], 1))
        x = torch.cat([self.down((-x)[:, :, :27, :27]), self.strided(x)], 1)
        return self.head(x.mean((2, 3)))


class Rows(nn.Module):
    """Two layers of many rows."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(128, 512), nn.LayerNorm(512)
        self.second = nn.Linear(512, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.second(self.norm(functional.gelu(self.first(x)))), -1)


class Deep(nn.Module):
    """Convolutions of many channels on few points."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(256, 256, 3, padding=1) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.relu(layer(x)) / 8
        return x


class Directions(nn.Module):
    """An LSTM in both directions, of so many steps that they run side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.LSTM(128, 128, bidirectional=True)
        self.head = nn.Linear(256, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.cells(x)[0])


GIVEN: dict[type[nn.Module], Callable[[], Array]] = {
    Image: lambda: floats(8, 16, 28, 28),
    Deep: lambda: floats(8, 256, 7, 7),
    Rows: lambda: floats(512, 128),
    Encoder: lambda: np.random.default_rng(0).integers(0, 50, (8, 12)),
    Recurrent: lambda: floats(4, 6, 16),
    Directions: lambda: floats(24, 2, 128),
}


class WithLoss(nn.Module):
    """The first output, and half of its mean square."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.inner(x)
        y = y[0] if isinstance(y, tuple) else y
        return y, 0.5 * y.square().mean()


@functools.cache
def network(kind: type[nn.Module]) -> tuple[WithLoss, bytes, list[str]]:
    """The module, the same as ONNX, and the names of its output and loss."""
    module = WithLoss(made(kind)).eval()
    with tempfile.TemporaryDirectory() as folder:
        model = exported(module, torch.from_numpy(GIVEN[kind]()), False, Path(folder))
    model.graph.input[0].name, old = "given", model.graph.input[0].name
    for node in model.graph.node:
        node.input[:] = ["given" if id == old else id for id in node.input]
    return module, model.SerializeToString(), [each.name for each in model.graph.output]


@functools.cache
def outcome(
    kind: type[nn.Module],
    trains: bool,
    without: str,
    replicas: int = 1,
    threads: str = "2",
    **more: str,
) -> tuple[str, dict[str, Array]]:
    """The plan, and the output or the weights after a step of SGD with rate 1."""
    _, model, (y, loss) = network(kind)
    options = popir.SessionOptions(
        engineOptions={
            OPTION: without, "host.numThreads": threads, "host.overlapCollectives": "true",
            "debug.verifyPlan": "true", **more,
        },
        enableReplicatedGraphs=replicas > 1,
        replicatedGraphCount=replicas,
    )  # fmt: skip
    given = {"given": GIVEN[kind]()}
    if not trains:
        session = popir.InferenceSession(
            *(model, popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()),
            userOptions=options,
        )
        session.prepareDevice()
        return session.planText(), {"y": step(session, given)[y]}
    if replicas > 1:
        options.accumulationAndReplicationReductionType = popir.ReductionType.Mean
        given = {"given": np.concatenate([given["given"]] * replicas)}
    session = training_session(model, loss, [loss], popir.ConstSGD(1.0), options=options)
    step(session, given)
    session.weightsToHost()
    found: dict[str, Array] = {
        name: np.empty(tuple(value.shape), np.float32)
        for name, value in network(kind)[0].named_parameters()
        if name in session.choices
    }
    session.readWeights(popir.PyWeightsIO(found))
    return session.planText(), found


@functools.cache
def reference(kind: type[nn.Module], trains: bool) -> dict[str, Array]:
    """The same by PyTorch in float64."""
    module = WithLoss(made(kind)).eval().double()
    given = torch.from_numpy(GIVEN[kind]())
    y, loss = module(given.double() if given.is_floating_point() else given)
    if not trains:
        return {"y": y.detach().numpy()}
    loss.backward()
    return {
        name: (value - (0 if value.grad is None else value.grad)).detach().numpy()
        for name, value in module.named_parameters()
    }


@pytest.mark.parametrize("trains", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("name", NAMES)
def test_results_agree(name: str, kind: type[nn.Module], trains: bool) -> None:
    _, full = outcome(kind, trains, "")
    _, found = outcome(kind, trains, name)
    expected = reference(kind, trains)
    assert found and found.keys() <= expected.keys()
    for id, value in found.items():
        close(value, expected[id], id)
        close(full[id], expected[id], id)
        close(value, full[id], id)
        if name in EXACT:
            np.testing.assert_array_equal(value, full[id], err_msg=id)


def test_replicas_agree() -> None:
    """Sums over replicas: the same bits, and the mean of equal batches is one of them."""
    plan, full = outcome(Rows, True, "", 2)
    other, found = outcome(Rows, True, "overlap collectives", 2)
    assert "overlap collectives: " in plan and "overlap collectives: " not in other
    expected = reference(Rows, True)
    for id, value in found.items():
        np.testing.assert_array_equal(value, full[id])
        close(value, expected[id], id)


BITS = dequantized("INT4", (4, 256, 128, 32), "Gemm", zeros=False)
"""x [4, 256] times the transpose of a matrix of 4 bits, which has a scale for each 32 numbers."""


def of_bits(without: str) -> tuple[str, Array]:
    """The plan, and the result."""
    options = popir.SessionOptions(engineOptions={OPTION: without})
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(
        BITS.SerializeToString(), popir.DataFlow(1, ["y"]), device, userOptions=options
    )
    session.prepareDevice()
    return session.planText(), step(session, {"x": floats(4, 256)})["y"]


def test_products_of_few_bits_agree() -> None:
    held = {t.name: numpy_helper.to_array(t).astype(float) for t in BITS.graph.initializer}
    expected = floats(4, 256).astype(float) @ (held["w"] * np.repeat(held["s"], 32, 1)).T
    full, found = (of_bits(name)[1] for name in ("", "multiply bits"))
    close(full, expected, "y")
    close(found, expected, "y")
    close(found, full, "y")


def of_bytes(without: str) -> tuple[str, Array]:
    """The plan, and the result, of a sigmoid between quantized numbers."""
    scales = helper.make_tensor("s", TensorProto.FLOAT, [], [0.05])
    zero = helper.make_tensor("z", TensorProto.UINT8, [], [128])
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "s", "z"], ["wide"]),
        helper.make_node("Sigmoid", ["wide"], ["sigmoid"]),
        helper.make_node("QuantizeLinear", ["sigmoid", "s", "z"], ["y"]),
    ]
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.UINT8, [64, 256])] for name in ("x", "y")
    ]
    graph = helper.make_graph(nodes, "bytes", *ends, initializer=[scales, zero])
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    session = popir.InferenceSession(
        *(model, popir.DataFlow(1, ["y"]), popir.DeviceManager().createCpuDevice()),
        userOptions=popir.SessionOptions(engineOptions={OPTION: without}),
    )
    session.prepareDevice()
    x = np.random.default_rng(0).integers(0, 256, (64, 256), np.uint8)
    found = step(session, {"x": x})["y"]
    peer = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    (expected,) = peer.run(None, {"x": x})
    np.testing.assert_array_equal(found, expected)
    return session.planText(), found


# What acts: in the text of a plan.

MARKS = {"packing": ", packed", "unpacked winograd": ", packed", "tables": ", table"}
"""What an instruction says that has it; other names begin a line of their own."""

SHOWN: dict[str, Callable[[str], str]] = {
    "coalesce copies": lambda name: outcome(Image, True, name)[0],
    "multiply bits": lambda name: of_bits(name)[0],
    "hoist": lambda name: of_bits(f"multiply bits{name and ', ' + name}")[0],
    "widen": lambda name: outcome(Image, False, name)[0],
    "fuse": lambda name: outcome(Image, False, name)[0],
    "share gathers": lambda name: outcome(Encoder, True, name)[0],
    "overlap collectives": lambda name: outcome(Rows, True, name, 2)[0],
    "alias concatenations": lambda name: outcome(Recurrent, True, name)[0],
    "block channels": lambda name: outcome(Image, True, name)[0],
    "side by side": lambda name: outcome(Directions, True, name)[0],
    "join rows": lambda name: outcome(Rows, True, name)[0],
    "reuse operands": lambda name: outcome(Encoder, True, name)[0],
    "packing": lambda name: outcome(Rows, False, name)[0],
    "tables": lambda name: of_bytes(name)[0],
    "unpacking": lambda name: outcome(Rows, False, name)[0],
    "unpacked winograd": lambda name: outcome(Deep, False, name)[0],
}


def random_product(
    m: int, k: int, n: int, turned: bool = False
) -> tuple[Callable[..., Any], Callable[[], Array], Array]:
    """Makes the product of A, which lies turned, and B; its result, and numpy's in float64."""
    a = floats(1, k, m).transpose(0, 2, 1) if turned else floats(1, m, k)
    b, c = floats(1, k, n, seed=1), np.empty((1, m, n), np.float32)
    return functools.partial(contraction.product, a, b, c), lambda: c, a.astype(float) @ b


def random_convolution(
    pass_: str, images: Array, weights: Array, stride: int = 1
) -> tuple[Callable[..., Any], Callable[[], Array], Array]:
    """Makes a pass of a convolution [n, c, h, w] by [g, o, i, h, w], padded to as many points; its
    result, and PyTorch's in float64.
    """
    groups, pad = len(weights), weights.shape[-1] // 2
    x = torch.from_numpy(images).double().requires_grad_()
    w = torch.from_numpy(weights).double().requires_grad_()
    y = functional.conv2d(x, w.flatten(0, 1), stride=stride, padding=pad, groups=groups)
    dy = floats(*y.shape, seed=3)
    if pass_ == "forward":
        out, expected = np.empty(y.shape, np.float32), y
    else:
        y.backward(torch.from_numpy(dy).double())
        out, expected = dy, w.grad
        weights = np.empty_like(weights)
    result = out if pass_ == "forward" else weights
    make = functools.partial(
        contraction.convolution, pass_, images, weights, out,
        [stride] * 2, [1, 1], [1, 1], [pad] * 2,
    )  # fmt: skip
    assert expected is not None
    return make, lambda: result, expected.detach().numpy()


def of_convolution(
    pass_: str, images: tuple[int, ...], weights: tuple[int, ...], stride: int = 1
) -> Callable[[], tuple[Callable[..., Any], Callable[[], Array], Array]]:
    return lambda: random_convolution(pass_, floats(*images), floats(*weights, seed=1), stride)


DESCRIBED: dict[str, tuple[str, bool, Callable[[], Any]]] = {
    "winograd": ("avx2", False, of_convolution("forward", (8, 16, 28, 28), (1, 64, 16, 3, 3))),
    "direct sums": ("avx512", True, of_convolution("forward", (2, 24, 5, 5), (1, 32, 24, 1, 1))),
    "depthwise": (
        *("avx2", False),
        of_convolution("weights_gradient", (4, 32, 14, 14), (32, 1, 1, 5, 5)),
    ),
    "points": ("base", False, of_convolution("forward", (2, 64, 28, 28), (1, 64, 64, 1, 1))),
    "columns": ("avx512", False, of_convolution("forward", (2, 10, 16, 16), (1, 403, 10, 3, 3), 2)),
    "planes": ("avx512", False, of_convolution("forward", (2, 19, 28, 28), (1, 21, 19, 3, 3))),
    "divided sums": (
        *("base", False),
        of_convolution("weights_gradient", (8, 16, 28, 28), (1, 16, 16, 1, 1)),
    ),
    "images": ("base", False, of_convolution("forward", (8, 64, 28, 28), (1, 64, 64, 5, 5))),
    "bands": (
        *("base", False),
        lambda: random_convolution(
            *("forward", floats(2, 16, 40, 12).astype(np.float16)),
            floats(1, 24, 16, 3, 3, seed=1).astype(np.float16),
        ),
    ),
    "wide panels": ("avx512", False, lambda: random_product(256, 256, 256, True)),
    "kept panels": ("avx512", True, lambda: random_product(12, 256, 512)),
    "few rows": ("avx512", False, lambda: random_product(8, 256, 512)),
    "tiles": ("amx", True, lambda: random_product(64, 512, 512)),
}
"""Choices of contractions: what machine makes them, and of what; whether weights are kept."""


def machines() -> set[str]:
    """The kinds of machine that this one is."""
    kinds = ["base", "avx2", "avx512"]
    found = set(kinds[: kinds.index(contraction.isa()) + 1])
    return found | ({"amx"} if "tiles" in contraction.sources() else set())


def test_every_name_has_a_case() -> None:
    assert set(NAMES) == SHOWN.keys() | DESCRIBED.keys() and not SHOWN.keys() & DESCRIBED.keys()
    assert set(NAMES) > EXACT


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_left_out_is_not_in_the_plan(name: str) -> None:
    full, found = SHOWN[name](""), SHOWN[name](name)
    assert found != full
    if mark := MARKS.get(name):
        assert mark in (found if name == "unpacked winograd" else full)
        assert full.count(mark) != found.count(mark)
    else:
        assert f"  {name}: " in full and f"  {name}: " not in found


@pytest.mark.parametrize("name", DESCRIBED)
def test_a_choice_that_is_left_out_is_not_made(name: str) -> None:
    machine, kept, case = DESCRIBED[name]
    make, result, expected = case()
    full, other = make(threads=2), make(threads=2, without=name)
    assert (full.describe(kept) != other.describe(kept)) == (machine in machines())
    found: list[Array] = []
    for each in (full, other):
        each.run(kept)
        found.append(result().copy())
        close(found[-1].reshape(expected.shape), expected, name)
    close(found[1], found[0], name)


@pytest.mark.parametrize("name", NAMES)
def test_random_programs_agree(name: str) -> None:
    for seed in range(8):
        random = Random(seed)
        random.grow(12)
        full, other = random.b.engine(True), random.b.engine(True, name)
        for _ in range(2):
            for a, b in zip(random.b.run(full), random.b.run(other), strict=True):
                np.testing.assert_allclose(b, a, 1e-5, 1e-5)
                if name in EXACT:
                    np.testing.assert_array_equal(b, a)


def test_all_at_once() -> None:
    _, found = outcome(Image, True, ", ".join(NAMES))
    for id, value in found.items():
        close(value, reference(Image, True)[id], id)


@pytest.mark.parametrize("name", ["winograd", "depthwise", "direct sums", ", ".join(NAMES)])
def test_what_is_deterministic_stays_so(name: str) -> None:
    fixed = {"host.deterministic": "true"}
    (_, one), (_, two) = (outcome(Image, True, name, 1, n, **fixed) for n in ("1", "2"))
    for id, value in one.items():
        np.testing.assert_array_equal(value, two[id])
        close(value, reference(Image, True)[id], id)


# What is refused.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("hoists", "There is no 'hoists'. Did you mean 'hoist'?"),
        ("fuse,assign offsets", "There is no 'assign offsets'."),
        ("fuse,,hoist", "There is no ''."),
        ("xyz", "There is no 'xyz'."),
    ],
)
def test_what_there_is_not_is_refused(value: str, words: str) -> None:
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    with pytest.raises(poplar_invalid_option) as error:
        poplar.Engine(graph, program.Sequence(), {OPTION: value})
    assert str(error.value) == (
        f"Engine: host.without is '{value}', expected names, separated by commas, of: "
        f"{', '.join(NAMES)}. {words}"
    )


def test_a_choice_that_there_is_not_is_refused() -> None:
    make, _, _ = random_product(4, 4, 4)
    with pytest.raises(ValueError, match=r"there is no choice 'tile'\. Did you mean 'tiles'"):
        make(without="points,tile")
