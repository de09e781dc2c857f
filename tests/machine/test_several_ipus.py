"""Without virtual graphs a device of several IPUs is never slower than one of them.

`python -m tests.machine ipus` prints the cycles of all rows on 1, 2, 4 and 16 IPUs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import popir
from popir import poplar, registry
from popir.poplar import program
from popir.profile import MachineReport
from popir.session import spans

IPUS = 1, 2, 4, 16
Make = Callable[[popir.Builder, list[str]], str]


class Row(NamedTuple):
    """A model of the inputs' shapes; of an input of integers it begins with "i"."""

    name: str
    shapes: tuple[tuple[Any, ...], ...]
    make: Make
    trains: bool = True


def onnx(name: str, *shapes: tuple[Any, ...], trains: bool = True, **attributes: Any) -> Row:
    """A row of one operator of ai.onnx."""

    def make(builder: popir.Builder, inputs: list[str]) -> str:
        made = getattr(builder.aiOnnx, name)(inputs, **attributes)
        return made[0] if isinstance(made, list) else made

    return Row(name, shapes, make, trains)


def ints(builder: popir.Builder, *values: int) -> str:
    return builder.aiOnnx.constant(np.array(values, np.int64))


def with_constant(
    name: str, shape: tuple[int, ...], *values: int, trains: bool = True, **attributes: Any
) -> Row:
    """An operator whose second input is a constant."""

    def make(builder: popir.Builder, inputs: list[str]) -> str:
        made = getattr(builder.aiOnnx, name)([*inputs, ints(builder, *values)], **attributes)
        return made[0] if isinstance(made, list) else made

    return Row(name, (shape,), make, trains)


def norm(shape: tuple[int, ...], name: str) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        channels = np.ones(shape[1], np.float32)
        scale, bias = (builder.addInitializedInputTensor(channels) for _ in range(2))
        if name == "group":
            return builder.aiGraphcore.groupnormalization([*inputs, scale, bias], 4)[0]
        if name == "layer":
            width = np.ones(shape[-1], np.float32)
            scale, bias = (builder.addInitializedInputTensor(width) for _ in range(2))
            return builder.aiOnnx.layernormalization([*inputs, scale, bias], 1)[0]
        mean, var = (builder.addInitializedInputTensor(channels) for _ in range(2))
        return builder.aiOnnx.batchnormalization([*inputs, scale, bias, mean, var], 1)[0]

    return Row(name + "norm", (shape,), make)


def convolution(shape: tuple[int, ...], weights: tuple[int, ...], **attributes: Any) -> Row:
    return onnx("conv", shape, weights, **attributes)


def recurrent(name: str, steps: int, batch: int, width: int, gates: int) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        w, r = (
            builder.addInitializedInputTensor(np.full((1, gates * width, width), 0.01, np.float32))
            for _ in range(2)
        )
        add, outputs = getattr(builder.aiOnnx, name), 3 if name == "lstm" else 2
        return add([*inputs, w, r], outputs, clip=None, hidden_size=width)[0]

    return Row(name, ((steps, batch, width),), make)


def topk(shape: tuple[int, ...], k: int) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        return builder.aiOnnx.topk([*inputs, ints(builder, k)])[0]

    return Row("topk", (shape,), make)


def cumsum(shape: tuple[int, ...], axis: int) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        return builder.aiOnnx.cumsum([*inputs, builder.aiOnnx.constant(np.array(axis, np.int32))])

    return Row("cumsum", (shape,), make)


def pad(shape: tuple[int, ...]) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        return builder.aiOnnx.pad([*inputs, ints(builder, *[1] * (2 * len(shape)))])

    return Row("pad", (shape,), make)


def sliced(shape: tuple[int, ...]) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        return builder.aiOnnx.slice(
            [*inputs, ints(builder, 1), ints(builder, shape[1] - 1), ints(builder, 1)]
        )

    return Row("slice", (shape,), make)


def nll(rows: int, classes: int) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        p = builder.aiOnnx.softmax([inputs[0]], axis=-1)
        return builder.aiGraphcore.nllloss([p, inputs[1]])

    return Row("nll", ((rows, classes), ("i", rows)), make)


def weight(builder: popir.Builder, *shape: int) -> str:
    return builder.addInitializedInputTensor(np.full(shape, 0.01, np.float32))


def mlp(rows: int, width: int) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        x, op = inputs[0], builder.aiOnnx
        for _ in range(3):
            x = op.relu(
                [op.add([op.matmul([x, weight(builder, width, width)]), weight(builder, width)])]
            )
        return x

    return Row("MLP", ((rows, width),), make)


def convnet(batch: int, size: int) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        x, op = inputs[0], builder.aiOnnx
        for a, b in ((3, 16), (16, 32)):
            x = op.relu([op.conv([x, weight(builder, b, a, 3, 3)], pads=[1, 1, 1, 1])])
            x = op.maxpool([x], 1, [2, 2], strides=[2, 2])[0]
        x = op.flatten([x])
        return op.softmax([op.matmul([x, weight(builder, 32 * (size // 4) ** 2, 10)])], axis=-1)

    return Row("convnet", ((batch, 3, size, size),), make)


def transformer(tokens: int, width: int) -> Row:
    def make(builder: popir.Builder, inputs: list[str]) -> str:
        x, op = inputs[0], builder.aiOnnx
        q, k, v = (op.matmul([x, weight(builder, width, width)]) for _ in range(3))
        scores = op.softmax([op.matmul([q, op.transpose([k], [1, 0])])], axis=-1)
        x = op.add([x, op.matmul([op.matmul([scores, v]), weight(builder, width, width)])])
        x = op.layernormalization([x, weight(builder, width), weight(builder, width)], 1)[0]
        inner = builder.aiGraphcore.gelu([op.matmul([x, weight(builder, width, 4 * width)])])
        x = op.add([x, op.matmul([inner, weight(builder, 4 * width, width)])])
        return op.layernormalization([x, weight(builder, width), weight(builder, width)], 1)[0]

    return Row("transformer", ((tokens, width),), make)


def rows() -> Iterator[Row]:
    for sizes in ((16, 64), (1024, 1024), (4096, 4096)):
        yield from (onnx(name, sizes) for name in ("relu", "exp", "tanh", "erf"))
        yield onnx("add", sizes, sizes)
        yield onnx("mul", sizes, sizes[1:])
        yield onnx("max", sizes, sizes)
        yield onnx("neg", sizes)
        yield onnx("softmax", sizes, axis=-1)
        for axes in ((0,), (1,), (0, 1)):
            yield with_constant("reducesum", sizes, *axes)
            yield onnx("reducemax", sizes, axes=list(axes))
        yield norm(sizes, "layer")
        if sizes[0] == 4096:
            continue
        yield onnx("logsoftmax", sizes, axis=0)
        yield onnx("transpose", sizes, perm=[1, 0])
        yield onnx("concat", sizes, sizes, axis=0)
        yield sliced(sizes)
        yield pad(sizes)
        yield onnx("argmax", sizes, axis=1, trains=False)
        yield cumsum(sizes, 0)
        yield cumsum(sizes, 1)
        yield nll(*sizes)
        yield onnx("gather", sizes, ("i", 128))
        yield onnx("gatherelements", sizes, ("i", 16, sizes[1]))
        yield norm((*sizes, 8) if sizes[0] < 4096 else (64, 64, 64), "group")
        yield norm((*sizes, 8) if sizes[0] < 4096 else (64, 64, 64, 64), "batch")
    for sizes in ((16, 64), (256, 1024), (512, 2048)):
        yield topk(sizes, 5)
        yield onnx("matmul", sizes, (sizes[1], sizes[0]))
        yield onnx("gemm", sizes, (sizes[1], 128))
    for n, c, size in ((1, 8, 8), (4, 32, 56), (16, 64, 56)):
        image = n, c, size, size
        yield convolution(image, (c, c, 3, 3), pads=[1, 1, 1, 1])
        yield convolution(image, (c, c, 1, 1), strides=[2, 2])
        yield convolution(image, (c, 1, 3, 3), group=c)
        yield onnx("convtranspose", image, (c, c, 3, 3))
        yield Row(
            "maxpool", (image,), lambda b, i: b.aiOnnx.maxpool(i, 1, [3, 3], strides=[2, 2])[0]
        )
        yield onnx("averagepool", image, kernel_shape=[2, 2])
        yield onnx("globalaveragepool", image)
        yield onnx("globalmaxpool", image)
    for sizes in ((4, 2, 32), (32, 8, 256)):
        yield recurrent("lstm", *sizes, 4)
        yield recurrent("gru", *sizes, 3)
        yield recurrent("rnn", *sizes, 1)
    yield from (mlp(*sizes) for sizes in ((16, 64), (64, 1024)))
    yield from (convnet(*sizes) for sizes in ((2, 16), (16, 64)))
    yield from (transformer(*sizes) for sizes in ((16, 64), (128, 512)))


def cycles(row: Row, ipus: int, trains: bool) -> int:
    """Of a step on a device of so many IPUs."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    inputs = []
    for shape in row.shapes:
        if shape and shape[0] == "i":
            inputs.append(builder.addInputTensor("INT32", list(shape[1:])))
        elif trains and not inputs:
            inputs.append(weight(builder, *shape))
        else:
            inputs.append(builder.addInputTensor("FLOAT", list(shape)))
    y = row.make(builder, inputs)
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": ipus})
    options = popir.SessionOptions()
    options.engineOptions = {"debug.allowOutOfMemory": "true"}
    options.rearrangeAnchorsOnHost = False  # What moves only for its anchor is counted, too.
    if trains:
        loss = builder.aiGraphcore.l1loss([y], 0.1)
        session = popir.TrainingSession(
            builder.getModelProto(),
            popir.DataFlow(1, []),
            loss,
            popir.ConstSGD(0.1),
            device,
            userOptions=options,
        )
    else:
        builder.addOutputTensor(y)
        session = popir.InferenceSession(
            builder.getModelProto(), popir.DataFlow(1, [y]), device, userOptions=options
        )
    session.prepareDevice(loadEngine=False)
    return session.getCycleCount()


SAMPLE = [
    onnx("relu", (512, 512)),
    onnx("transpose", (256, 1024), perm=[1, 0]),
    onnx("concat", (512, 512), (512, 512), axis=0),
    sliced((512, 512)),
    with_constant("reducesum", (1024, 512), 0),
    onnx("reducemax", (1024, 512), axes=[0, 1]),
    onnx("logsoftmax", (256, 512), axis=0),
    onnx("argmax", (512, 512), axis=1, trains=False),
    topk((256, 512), 5),
    cumsum((256, 512), 1),
    nll(512, 512),
    onnx("gather", (1024, 256), ("i", 128)),
    onnx("gatherelements", (256, 128), ("i", 16, 128)),
    norm((64, 64, 64), "group"),
    onnx("matmul", (256, 512), (512, 256)),
    convolution((4, 32, 28, 28), (32, 32, 3, 3)),
    onnx("globalmaxpool", (4, 32, 28, 28)),
    recurrent("lstm", 4, 8, 128, 4),
    mlp(64, 512),
    convnet(4, 32),
    transformer(64, 256),
]


@pytest.mark.parametrize("row", SAMPLE, ids=lambda row: row.name)
def test_more_ipus_are_never_slower(row: Row) -> None:
    for trains in (False, True)[: 1 + row.trains]:
        found = [cycles(row, ipus, trains) for ipus in IPUS]
        assert found == sorted(found, reverse=True), trains


@pytest.mark.parametrize("ipus", [2, 4, 16])
def test_ipus_behind_those_in_use_change_nothing(ipus: int) -> None:
    """What travels over links waits for a sync of those that have a part of the program."""
    row = onnx("mul", (1024, 1024), (1024,))
    on_two, on_many = cycles(row, 2, False), cycles(row, ipus, False)
    assert on_many <= on_two
    target = poplar.Target.createIPUTarget(ipus, 4, "ipu2")
    graph = poplar.Graph(target)
    a, b = (graph.addVariable(poplar.FLOAT, [100], name) for name in "ab")
    graph.setTileMapping(a, 0)
    graph.setTileMapping(b, 4)
    report = MachineReport.of(poplar.Engine(graph, [program.Copy(a, b)]))
    assert report.syncCycles == 126 + hops(2)


def hops(ipus: int) -> int:
    """Cycles of a sync over so many IPUs of an ipu2."""
    return math.ceil(2 * (1 + ipus // 4) * 15e-9 * 1.33e9)


def grown(row: Row, ipus: int, of: int) -> int:
    """Cycles of a model on the first IPUs of a target of several, as `spans` compares them."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    y = row.make(builder, [builder.addInputTensor("FLOAT", list(shape)) for shape in row.shapes])
    builder.addOutputTensor(y)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createIpuModelDevice({"numIPUs": 16}),
    )
    program = session._grown(ipus, of)  # pyright: ignore[reportPrivateUsage]
    return spans._cycles(program)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("ipus", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "row",
    [
        onnx("tanh", (1024, 1024)),
        onnx("reducemax", (1024, 512), axes=[0, 1]),
        onnx("softmax", (512, 512), axis=-1),
        cumsum((256, 512), 1),
    ],
    ids=lambda row: row.name,
)
def test_cycles_are_those_of_a_target_of_the_ipus_in_use(row: Row, ipus: int) -> None:
    assert grown(row, ipus, ipus) == grown(row, ipus, 16)


def test_several_ipus_compute_what_needs_no_links() -> None:
    row = onnx("tanh", (2048, 2048))
    one, two, sixteen = (cycles(row, ipus, False) for ipus in (1, 2, 16))
    assert sixteen < two / 4 < one / 8 * 1.1


def ipus_of(rows: int, **engine: str) -> int:
    """How many of four IPUs of 64 tiles, of 39 MiB each, a model takes that has a contraction, and
    rows of 4 KiB twice.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [rows, 1024])
    y = builder.aiOnnx.exp([x])
    z = builder.aiOnnx.matmul([builder.addInputTensor("FLOAT", [8, 8]), weight(builder, 8, 8)])
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y, z]),
        popir.DeviceManager().createIpuModelDevice({"numIPUs": 4, "tilesPerIPU": 64}),
        userOptions=popir.SessionOptions(engineOptions=engine),
    )
    session.prepareDevice(loadEngine=False)
    step = next(s for s in session.getReport().steps if any("Exp" in b for b in s.blocks))
    return len(step.ipus)


@pytest.mark.parametrize(("rows", "ipus"), [(64, 1), (3000, 1), (6000, 2), (12000, 4)])
def test_memory_asks_for_more_ipus(rows: int, ipus: int) -> None:
    assert ipus_of(rows) == ipus_of(rows, **{"debug.allowOutOfMemory": "true"}) == ipus


def test_what_no_ipus_hold_is_an_error_or_on_one() -> None:
    with pytest.raises(popir.OutOfMemoryException, match="Out of memory on tile"):
        ipus_of(30000)
    assert ipus_of(30000, **{"debug.allowOutOfMemory": "true"}) == 1


class OverIPUsOp(popir.Op):
    """A copy with a row on each of four IPUs."""

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))


class OverIPUsOpx(popir.Opx):
    def grow(self, prog: program.Sequence) -> None:
        graph, x = self.graph(), self.getInTensor(0)
        target = graph.getTarget()
        if target.getNumIPUs() != 4:
            raise popir.popart_exception(f"four IPUs are needed, not {target.getNumIPUs()}")
        y = graph.addVariable(x.elementType(), x.shape(), "y")
        for ipu in range(4):
            graph.setTileMapping(y[ipu], ipu * target.getTilesPerIPU())
        prog.add(program.Copy(x, y))
        self.setOutTensor(0, y)


def test_an_operator_may_want_all_ipus_of_its_device() -> None:
    def result(ipus: int) -> np.ndarray:
        builder = popir.Builder(opsets={"ai.onnx": 17, "tests.ipus": 1})
        x = builder.addInputTensor("FLOAT", [4, 3])
        (y,) = builder.customOp("OverIPUs", 1, "tests.ipus", [x], {})
        session = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, [y]),
            popir.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": 8}),
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({x: values}, anchors))
        return anchors[y]

    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    with registry.scoped():
        opid = popir.OperatorIdentifier("tests.ipus", "OverIPUs", 1)
        popir.OpCreator(OverIPUsOp, [opid])
        popir.OpxCreator(OverIPUsOpx, opid)
        np.testing.assert_array_equal(result(4), values)
        with pytest.raises(popir.popart_exception, match="four IPUs are needed, not 2"):
            result(2)


@pytest.mark.parametrize(("ipus", "tries"), [(1, [1]), (4, [1, 4])])
def test_what_fails_on_all_ipus_is_not_tried_twice(ipus: int, tries: list[int]) -> None:
    made: list[int] = []

    def grow(taken: int, _: int) -> Any:
        made.append(taken)
        raise popir.popart_exception("no")

    with pytest.raises(popir.popart_exception, match="no"):
        spans.grown_on_fewest(grow, ipus, True)
    assert made == tries


def show() -> None:
    """Prints the cycles of all rows, and the most of them over those of one IPU."""
    print(f"{'':69}", *(f"{ipus:>10}" for ipus in IPUS))
    for row in rows():
        for trains in (False, True)[: 1 + row.trains]:
            found = [cycles(row, ipus, trains) for ipus in IPUS]
            what = f"{row.name:18} {row.shapes!s:40} {'training' if trains else 'inference':9}"
            most = max(found) / max(found[0], 1)
            print(what, *(f"{n:10,}" for n in found), f"{most:7.2f}", flush=True)


if __name__ == "__main__":
    show()
