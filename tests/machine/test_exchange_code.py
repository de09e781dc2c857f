"""Exchange code: instructions as the hardware has them, layouts as PopLibs has them to save some.

How tiles receive and send, and rows that the SDK generated, are from
`docs/EXCHANGE_INSTRUCTION_REFERENCE.md` of osmarks/ipu-stack; the operations themselves from
Graphcore's patent US 10,963,003. How weights are mapped is in `lib/poplin/Convolution.cpp` and
`lib/poputil/TensorUseTracker.cpp` of PopLibs, where gradients of non-linearities lie in
`lib/popnn/NonLinearity.cpp`.
"""

from __future__ import annotations

import numpy as np
import pytest

import popir
from popir import poplar, poplin
from popir._device import machine
from popir.poplar import program
from popir.profile import MachineReport
from tests.machine.net import Net

PHASE, WORD = 12, 4


def code_of(net: Net) -> list[int]:
    """Bytes on each tile."""
    (row,) = (m for m in net.report().memory if m.category == "exchange code")
    return [int(n) for n in row.tileBytes]


def gathered(pieces: list[tuple[int, int]], tiles: int = 8) -> list[int]:
    """Exchange code where tile 0 adds to its own words those that lie in (tile, words)."""
    net = Net(tiles)
    total = sum(words for _, words in pieces)
    a = net.input("a", [total], 0)
    b = net.graph.addVariable(poplar.FLOAT, [total], "b")
    at = 0
    for tile, words in pieces:
        net.graph.setTileMapping(b.slice(at, at + words), tile)
        at += words
    net.graph.createHostWrite("b", b)
    net.add(a, b, 0)
    return code_of(net)


def test_a_receiver_of_four_messages_has_the_code_of_the_sdks_row() -> None:
    """`delayxpic`, a delay, four `sendpicp` of two words: the SDK's row for four messages, each of
    52 words, from four tiles. A return from the row makes the third word of a phase.
    """
    row = 4 + 4 + 4 * 8
    assert gathered([(tile, 52) for tile in (1, 2, 3, 4)])[0] == row + 4


def test_words_that_follow_one_another_come_with_one_instruction_however_many() -> None:
    """Source and address of one message; 64 words leave with a `send`, up to 4,096 more with a
    `sendoff`.
    """
    for words, sends in ((1, 1), (64, 1), (65, 2), (4000, 2)):
        code = gathered([(1, words)])
        assert code[:2] == [PHASE + 2 * WORD, PHASE + sends * WORD]


@pytest.mark.parametrize(("words", "controls"), [(128, 1), (129, 2)])
def test_a_gap_in_the_receivers_memory_is_one_more_address(words: int, controls: int) -> None:
    """The receiver has the piece between. `delaypic` waits for 128 words at most."""
    code = gathered([(1, words), (0, words), (1, words)])
    assert code[0] == PHASE + (2 + controls) * WORD


def test_what_several_tiles_receive_is_sent_once() -> None:
    """The sender's code does not depend on how many add its ten words to theirs."""
    found = []
    for readers in (1, 3):
        net = Net(8)
        tiles = range(1, 1 + readers)
        a, b = net.input("a", [readers, 10], *tiles), net.input("b", [10], 0)
        net.add(a, b.expand([0]).broadcast(readers, 0), *tiles)
        found.append(code_of(net)[:2])
    assert found[0] == found[1]


def test_weights_lie_in_grains_of_input_and_output_channels() -> None:
    """PopLibs maps weights in grains of channels that a vertex takes together, 16 inputs and 8 or
    16 outputs of halves, and 256 bytes a tile at least.
    """
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu2"))
    params = poplin.ConvParams(poplar.HALF, 16, [56, 56], [1, 1], 64, 256, 1)
    weights = poplin.createWeights(graph, params, "w", {"partialsType": "half"})
    tiles = graph.getTileMapping(weights.reshape([256, 64]))
    held = [[e for begin, end in tile for e in range(begin, end)] for tile in tiles]
    held = [elements for elements in held if elements]
    assert sum(map(len, held)) == 64 * 256
    for elements in held:
        outputs, inputs = ({e // 64 for e in elements}, {e % 64 for e in elements})
        assert 2 * len(elements) >= 256
        assert len(elements) == len(outputs) * len(inputs)
        assert len(inputs) % 16 == len(outputs) % 8 == 0


def convolved(field: int, stride: int) -> dict[str, int]:
    """What a convolution of one point costs, from 256 channels to 512, whose result is 28 x 28."""
    graph, prog = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu2")), program.Sequence()
    params = poplin.ConvParams(poplar.HALF, 18, [field, field], [1, 1], 256, 512, 1)
    transform = params.outputTransform
    transform.stride = [stride, stride]
    params.outputTransform = transform
    halves = {"partialsType": "half"}
    x = poplin.createInput(graph, params, "x", halves)
    weights = poplin.createWeights(graph, params, "w", halves)
    poplin.convolution(graph, x, weights, params, False, prog, "y", halves)
    return machine.programReport(graph, prog)


def test_a_kernel_of_one_point_that_steps_over_others_expands_its_field() -> None:
    """PopLibs' planner counts the stretch around what is used, here four times as much, or expands
    the dimensions (`getExpandDimsCandidates` in `ConvPlan.cpp`): then it rearranges the operand,
    and what is left is the convolution without a stride.
    """
    strided, plain = convolved(56, 2), convolved(28, 1)
    assert strided["exchangeBytes"] < 1.5 * plain["exchangeBytes"]
    assert strided["computeCycles"] > plain["computeCycles"]
    assert strided["exchangeCycles"] > plain["exchangeCycles"]


def gradient_of_data(batch: int) -> dict[str, int]:
    """What a gradient of data takes, of ResNet-50's 512 channels of 14 x 14 and 3 x 3 points with a
    stride. Its weights lie as the plan of the forward pass wants them, which expands elements of
    the kernel.
    """
    graph, prog = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu21")), program.Sequence()
    params = poplin.ConvParams(poplar.HALF, batch, [14, 14], [3, 3], 512, 512, 1)
    into, out = params.inputTransform, params.outputTransform
    into.paddingLower = into.paddingUpper = [1, 1]
    out.stride = [2, 2]
    params.inputTransform, params.outputTransform = into, out
    forward = {"partialsType": "half", "availableMemoryProportion": "0.15", "pass": "TRAINING_FWD"}
    weights = poplin.createWeights(graph, params, "w", forward)
    backward, options = poplin.getGradientParams(params), forward | {"pass": "TRAINING_BWD"}
    y = poplin.createInput(graph, backward, "dy", options)
    poplin.convolution(graph, y, weights, backward, True, prog, "dx", options)
    return machine.programReport(graph, prog)


@pytest.mark.parametrize("batch", [18, 20, 22])
def test_kernel_elements_that_are_inner_elements_lie_outside_of_groups_of_channels(
    batch: int,
) -> None:
    """PopLibs joins what kernel elements read along the innermost dimension (`expandSpatialDim...`
    in `ConvTransforms.cpp`: a `concat` of the channels of each), so 16 halves in a row are channels
    of one kernel element, 8 words: another plan takes them with an instruction or two.
    """
    report = gradient_of_data(batch)
    words = report["exchangeBytes"] / WORD
    code = sum(step["exchangeCodeBytes"] for step in report["steps"]) - PHASE * 1472 * 2
    assert 0 < code / WORD < 2 * words / 8


def updated(linear: bool) -> tuple[int, int, int]:
    """Cycles of a gradient of weights, bytes and code of its exchange. What it takes of the forward
    pass's result lies linearly, or as that pass makes it.
    """
    graph, prog = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu21")), program.Sequence()
    params = poplin.ConvParams(poplar.HALF, 16, [14, 14], [1, 1], 256, 1024, 1)
    options = {"partialsType": "half", "pass": "TRAINING_FWD"}
    x = poplin.createInput(graph, params, "x", options)
    y = poplin.createConvOutput(graph, params, "y", options)
    if linear:
        y = graph.addVariable(poplar.HALF, y.shape(), poplar.VariableMappingMethod.LINEAR, "z")
    options["pass"] = "TRAINING_WU"
    poplin.calculateWeightDeltas(graph, y, x, params, prog, "dw", options)
    (step,) = machine.programReport(graph, prog)["steps"]
    return step["cycles"], step["exchangeBytes"], step["exchangeCodeBytes"]


def test_an_operand_that_is_rearranged_is_given_to_tiles_from_its_copy() -> None:
    """`convolutionPreprocess` of PopLibs' `Convolution.cpp` copies it to the plan's layout, and the
    copy goes to all tiles: where it lay before only the copy's code tells.
    """
    linear, planned = updated(True), updated(False)
    assert linear[:2] == planned[:2]
    assert linear[2] != planned[2]


def test_a_gradient_of_a_non_linearity_lies_as_its_output() -> None:
    """So what the gradient meets of the forward pass moves nothing: popnn's reason for it. Here it
    meets the convolution's result, which was squared before.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    op = builder.aiOnnx

    def weights(*shape: int) -> str:
        return builder.addInitializedInputTensor(np.full(shape, 0.01, np.float16))

    x = builder.addInputTensor("FLOAT16", [16, 64, 28, 28], "x")
    y = op.conv([x, weights(64, 64, 1, 1)])
    z = op.conv([op.tanh([op.mul([y, y])]), weights(128, 64, 3, 3)], pads=[1, 1, 1, 1])
    loss = builder.aiGraphcore.l1loss([z], 0.1)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, []),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createIpuModelDevice({"ipuVersion": "ipu2"}),
    )
    session.prepareDevice(loadEngine=False)
    steps = {s.blocks[-1].split("/")[0]: s for s in session.getReport().steps if s.blocks}
    assert steps["TanhGrad"].exchangeBytes > 0
    assert steps["MulArg0Grad"].exchangeBytes == steps["MulArg1Grad"].exchangeBytes == 0


def test_a_report_adds_up_the_code_of_its_steps() -> None:
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 64, "ipu2"))
    prog = program.Sequence()
    a = poplin.createMatMulInputLHS(graph, poplar.HALF, poplar.HALF, [64, 64], [64, 64], "a", {})
    b = poplin.createMatMulInputRHS(graph, poplar.HALF, poplar.HALF, [64, 64], [64, 64], "b", {})
    poplin.matMul(graph, a, b, prog, poplar.HALF, "c", {})
    report = MachineReport.of(poplar.Engine(graph, [prog]))
    (row,) = (m for m in report.memory if m.category == "exchange code")
    assert row.totalBytes == sum(s.exchangeCodeBytes for s in report.steps) > 0
