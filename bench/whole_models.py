"""Whole models as the machine model costs them, beside what Graphcore published.

    python -m bench.whole_models                all
    python -m bench.whole_models bert           those with this in their name
    python -m bench.whole_models memory         what fills the fullest tile, in bytes
    python -m bench.whole_models fp8            ResNet-50 in 8-bit floats
    python -m bench.whole_models --json FILE    the figures as JSON too

Nothing is executed, and no constant of the model was fitted to these rows. What is compared is the
time of a step on the device; host and input pipeline are left out here, and were hidden behind the
device there. Each model is as the published program has it: all in half with partial sums of half,
normalisations of convolutions folded into their weights for inference.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import popir
from bench.costing import with_loss
from bench.report import Report, measurement
from models import light
from popir import poplar
from popir._device import machine
from popir.options.annotations import CHECKPOINT, RECOMPUTE

HIDDEN, HEADS, INNER, TOKENS, VOCABULARY = 1024, 16, 4096, 128, 30522


class Published(NamedTuple):
    """What a published program reached."""

    name: str
    per_second: float
    """Sequences or images a second, of one IPU or one pipeline."""
    clock: float
    """Cycles a second."""
    source: str
    cycles: Callable[[], float]
    """The model's cycles for one sequence or image."""


def device() -> Any:
    """One IPU."""
    return popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "ipuVersion": "ipu21"})


def options(memory: float | None = None, **more: Any) -> Any:
    """Partial sums of half; `memory`: the availableMemoryProportion."""
    found = popir.SessionOptions(partialsTypeMatMuls="half", **more)
    share = {} if memory is None else {"availableMemoryProportion": str(memory)}
    found.convolutionOptions = {"partialsType": "half", **share}
    found.matmulOptions = share
    found.engineOptions = {"debug.allowOutOfMemory": "true"}
    return found


def session_cycles(session: Any) -> int:
    """Of one step."""
    session.prepareDevice(loadEngine=False)
    return session.getCycleCount()


class Encoder:
    """Layers of BERT-Large, with embeddings or from a given input; sequences of 128 tokens."""

    def __init__(self, batch: int, embeds: bool, dropout: float = 0.0) -> None:
        self.batch, self.rows, self.dropout = batch, batch * TOKENS, dropout
        self.builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
        self.op = self.builder.aiOnnx
        self.mask = self.builder.addInputTensor("FLOAT16", [batch, 1, 1, TOKENS], "mask")
        if embeds:
            ids = [self.builder.addInputTensor("INT32", [self.rows]) for _ in range(2)]
            sizes = VOCABULARY, 512
            found = [
                self.op.gather([self.weight(size, HIDDEN), id])
                for size, id in zip(sizes, ids, strict=True)
            ]
            self.x = self.norm(self.op.add(found))
        else:
            self.x = self.builder.addInputTensor("FLOAT16", [self.rows, HIDDEN], "x")

    def weight(self, *shape: int) -> str:
        """What is in it costs nothing."""
        return self.builder.addInitializedInputTensor(np.full(shape, 0.01, np.float16))

    def shape(self, *dims: int) -> str:
        """A constant for a reshape or a split."""
        return self.op.constant(np.array(dims, np.int64))

    def norm(self, x: str) -> str:
        """Layer normalisation, as PopART's BERT has it."""
        inputs = [x, self.weight(HIDDEN), self.weight(HIDDEN)]
        return self.builder.aiGraphcore.groupnormalization(inputs, 1, epsilon=1e-5)[0]

    def linear(self, x: str, n: int, m: int) -> str:
        """A product with a bias."""
        return self.op.add([self.op.matmul([x, self.weight(n, m)]), self.weight(m)])

    def joined(self, x: str, more: str) -> str:
        """What a layer adds to its input, normalised."""
        if self.dropout:
            more = self.op.dropout([more, self.op.constant(np.float32(self.dropout)), self.on], 2)[
                0
            ]
        return self.norm(self.op.add([x, more]))

    @property
    def on(self) -> str:
        """That dropout is training."""
        return self.op.constant(np.array(True))

    def layer(self) -> None:
        """One more layer."""
        op, width = self.op, HIDDEN // HEADS
        qkv = op.matmul([self.x, self.weight(HIDDEN, 3 * HIDDEN)])
        heads = self.shape(self.batch, TOKENS, HEADS, width)
        parts = op.split([qkv, self.shape(HIDDEN, HIDDEN, HIDDEN)], 3, 1)
        q, k, v = (
            op.transpose([op.reshape([part, heads])], perm)
            for part, perm in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
        )
        scale = op.constant(np.float16(1 / math.sqrt(width)))
        scores = op.add([op.mul([op.matmul([q, k]), scale]), self.mask])
        mixed = op.transpose([op.matmul([op.softmax([scores], -1), v])], [0, 2, 1, 3])
        mixed = op.reshape([mixed, self.shape(self.rows, HIDDEN)])
        x = self.joined(self.x, self.linear(mixed, HIDDEN, HIDDEN))
        inner = self.builder.aiGraphcore.gelu([self.linear(x, HIDDEN, INNER)])
        self.x = self.joined(x, self.linear(inner, INNER, HIDDEN))

    def session(self, **more: Any) -> Any:
        """Inference."""
        self.builder.addOutputTensor(self.x)
        flow = popir.DataFlow(1, [self.x])
        model = self.builder.getModelProto()
        return popir.InferenceSession(model, flow, device(), userOptions=options(**more))

    def inference(self, **more: Any) -> int:
        """Cycles of a step."""
        return session_cycles(self.session(**more))

    def training(self, micro_batches: int, **more: Any) -> int:
        """Cycles of a step of so many micro-batches, whose gradients are added up."""
        loss = self.builder.aiGraphcore.l1loss([self.x], 0.1)
        asked = options(enableGradientAccumulation=True, accumulationFactor=micro_batches, **more)
        model = self.builder.getModelProto()
        flow, rate = popir.DataFlow(1, []), popir.ConstSGD(0.1)
        return session_cycles(
            popir.TrainingSession(model, flow, loss, rate, device(), userOptions=asked)
        )


def bert_session(layers: int = 24, batch: int = 18, **more: Any) -> Any:
    """Inference of BERT-Large."""
    net = Encoder(batch, embeds=True)
    for _ in range(layers):
        net.layer()
    return net.session(**more)


def bert(layers: int = 24, batch: int = 18, **more: Any) -> float:
    """Cycles of inference for a sequence."""
    return session_cycles(bert_session(layers, batch, **more)) / batch


def bert_stage(layers: int = 7, batch: int = 8, memory: float = 0.25) -> float:
    """What a pipeline takes for each sequence: its slowest stage, of seven layers, goes forwards,
    forwards again to recompute, and backwards.

    A step of three micro-batches less one of two is a micro-batch without the update; layers more
    than two cost what the second did.
    """

    def forward(count: int) -> int:
        net = Encoder(batch, embeds=False, dropout=0.1)
        for _ in range(count):
            net.layer()
        return net.inference(memory=memory)

    def both(count: int, micro_batches: int) -> int:
        net = Encoder(batch, embeds=False, dropout=0.1)
        for _ in range(count):
            net.layer()
        return net.training(micro_batches, memory=memory)

    one, two = (forward(n) + both(n, 3) - both(n, 2) for n in (1, 2))
    return (one + (layers - 1) * (two - one)) / batch


def resnet(batch: int) -> Any:
    """ResNet-50 in half, for so many images."""
    transformer = popir.GraphTransformer(light.randomized(light.path("resnet50")))
    transformer.convertFloatsToHalfs()
    model = onnx.load_model_from_string(transformer.getModelProto())
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = batch
    for tensor in model.graph.initializer:
        if tensor.name == "OC2_DUMMY_1":  # The shape before the last product.
            tensor.CopyFrom(numpy_helper.from_array(np.array([-1, 2048]), tensor.name))
    return model


def folded(model: Any) -> Any:
    """Normalisations become part of the convolutions before them, which get a bias."""
    makers = {id: node for node in model.graph.node for id in node.output}
    rest = [node for node in model.graph.node if node.op_type != "BatchNormalization"]
    for node in model.graph.node:
        if node.op_type == "BatchNormalization":
            convolution = makers[node.input[0]]
            convolution.input.append(node.input[2])
            convolution.output[0] = node.output[0]
    del model.graph.node[:]
    model.graph.node.extend(rest)
    return model


def resnet_session(batch: int, memory: float | None = None) -> Any:
    """Inference of ResNet-50."""
    model = folded(resnet(batch))
    flow = popir.DataFlow(1, [model.graph.output[0].name])
    return popir.InferenceSession(model, flow, device(), userOptions=options(memory))


def resnet_inference(batch: int = 80) -> float:
    """Cycles for an image."""
    return session_cycles(resnet_session(batch)) / batch


KEPT_SUMS = (0, 1, 2, 3, 5, 6, 7, 9, 11, 12, 13, 14, 15)
"""Of the 16 residual sums of ResNet-50 those that Graphcore's configuration for training with
PyTorch keeps: `recompute_checkpoints` in `vision/cnns/pytorch/train/configs.yml` of
graphcore/examples. In the last stage, layer4, it keeps the results of convolutions and
normalisations, too."""


def marked(model: Any) -> Any:
    """ResNet-50 with the results that are kept for the backward pass; all else is recomputed."""
    sums = [node for node in model.graph.node if node.op_type == "Sum"]
    kept = {sums[i].output[0] for i in KEPT_SUMS}
    last = False
    for node in model.graph.node:
        last |= node.output[0] == sums[12].output[0]
        if last and node.op_type in ("Conv", "BatchNormalization", "AveragePool", "Gemm"):
            kept.add(node.output[0])
        if node.output[0] in kept:
            node.attribute.append(helper.make_attribute(RECOMPUTE, CHECKPOINT))
    return model


STAGES = (0, 2, 3, 5, 7, 10)
"""The residual sums that end a stage in Graphcore's configuration for training with TensorFlow:
`pipeline-splits` of resnet50_mlperf_pod16_bs20 in `vision/cnns/tensorflow2/configs.yml` of
graphcore/examples. All stages are on one IPU, one after the other. What one hands to the next is
kept, all else is recomputed, but for the last stage, which goes backwards at once."""


def staged(model: Any) -> Any:
    """ResNet-50 with the inputs of stages, and the last stage, kept for the backward pass."""
    sums = [node.output[0] for node in model.graph.node if node.op_type == "Sum"]
    ends, last = {sums[i] for i in STAGES}, False
    for node in model.graph.node:
        end = node.op_type == "Relu" and node.input[0] in ends
        if end or last:
            node.attribute.append(helper.make_attribute(RECOMPUTE, CHECKPOINT))
        last |= end and node.input[0] == sums[STAGES[-1]]
    return model


def resnet_training_session(
    batch: int,
    micro_batches: int,
    memory: float | None = None,
    keeps: Callable[[Any], Any] = lambda model: model,
    **more: Any,
) -> Any:
    """Training of ResNet-50, with the update after so many micro-batches. `keeps` marks the results
    that are not recomputed.
    """
    model = keeps(resnet(batch))
    model = with_loss(model, light.logits(model))
    for tensor in model.graph.initializer:
        if tensor.name == "logits.shape":
            tensor.CopyFrom(numpy_helper.from_array(np.array([batch, 1000]), tensor.name))
    model.graph.input[-1].type.tensor_type.shape.dim[0].dim_value = batch
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT16
    momentum = popir.SGD({"defaultLearningRate": (0.1, False), "defaultMomentum": (0.9, False)})
    asked = options(
        memory, enableGradientAccumulation=True, accumulationFactor=micro_batches, **more
    )
    return popir.TrainingSession(
        model, popir.DataFlow(1, []), "loss", momentum, device(), userOptions=asked
    )


def resnet_recomputed_session(micro_batches: int = 57, memory: float = 0.16) -> Any:
    """Graphcore's configuration for training with PyTorch: micro-batches of 18, what is kept by its
    list, 0.16 of the memory for plans.
    """
    return resnet_training_session(
        18, micro_batches, memory, marked, autoRecomputation=popir.RecomputationType.RecomputeAll
    )


def resnet_recomputed() -> float:
    """Cycles for an image."""
    return session_cycles(resnet_recomputed_session()) / (18 * 57)


def resnet_staged_session(micro_batches: int = 11, memory: float = 0.15) -> Any:
    """Graphcore's configuration for training with TensorFlow: micro-batches of 20, stages on one
    IPU, 0.15 of the memory for plans.
    """
    return resnet_training_session(
        20, micro_batches, memory, staged, autoRecomputation=popir.RecomputationType.RecomputeAll
    )


def resnet_training() -> float:
    """Cycles for an image."""
    return session_cycles(resnet_staged_session()) / (20 * 11)


def convolutions(batch: int) -> list[tuple[list[int], int]]:
    """Sizes of each convolution of ResNet-50, as `planContraction` takes them, and its inputs'
    elements.
    """
    model = onnx.shape_inference.infer_shapes(folded(resnet(batch)))
    shapes = {
        each.name: [d.dim_value for d in each.type.tensor_type.shape.dim]
        for each in (*model.graph.value_info, *model.graph.input)
    } | {each.name: list(each.dims) for each in model.graph.initializer}
    found = []
    for node in model.graph.node:
        if node.op_type != "Conv":
            continue
        data, weights = (shapes[name] for name in node.input[:2])
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        strides, pads = given.get("strides", [1, 1]), given.get("pads", [0, 0, 0, 0])
        points, kernel, dims = 1, 1, list[int]()
        for d in range(2):
            size, taps = data[2 + d], weights[2 + d]
            output = (size + pads[d] + pads[2 + d] - taps) // strides[d] + 1
            dims += [size, output, taps, strides[d], 1, 1, pads[d]]
            points, kernel = points * output, kernel * taps
        work = [1, batch * points, data[1], weights[0], kernel, 16, 600, 0]
        defaults, forward = [1, 1, 0, 0], 1
        found.append(([*work, *defaults, forward, batch, *dims], math.prod(data)))
    return found


def resnet_in_8_bits(batch: int = 90) -> float:
    """Cycles for an image if convolutions are those of 8-bit floats where they are faster: of the
    step in half each spares what its plan in 8 bits, after a cast of its data, takes less than the
    one in half.
    """
    spared = 0
    for sizes, elements in convolutions(batch):
        half, quarter = (
            machine.planContraction(CARD, "poplin::ConvPartialnx1", kind, sizes)["cycles"]
            for kind in (poplar.HALF, poplar.QUARTER)
        )
        each = -(-elements // CARD.getTilesPerIPU())
        kinds = poplar.HALF, poplar.QUARTER
        cast = machine.estimateCycles(
            CARD, "popops::Cast1D", poplar.HALF, [each, *map(hash, kinds)]
        )
        spared += max(0, half - quarter - cast)
    return resnet_inference(batch) - spared / batch


BOW = 1.85e9
CARD = poplar.Target.createIPUTarget(1, "C600")
C600 = machine.figure(CARD, "tileClockFrequency")
"""Its clock, which follows from its 280 TFLOPS of halves."""
IMAGES_A_SECOND = {1: 3653, 4: 7438, 16: 11825, 64: 16084, 90: 17105}
"""Of ResNet-50 in half on a C600, by batch: `examples/resnet50` of graphcore/PopRT."""
TABLE = [
    Published("BERT-Large inference", 1472.84, C600, "PopRT's examples: C600, batch 18", bert),
    Published(
        "BERT-Large pre-training",
        5179 / 4,
        BOW,
        "performance results, Bow Pod16, PopART: 4 replicas of a pipeline of 3, 7, 7 and 7 layers, "
        "micro-batches of 8",
        bert_stage,
    ),
    Published(
        "ResNet-50 inference",
        15541.25,
        C600,
        "PopRT's examples: C600, batch 80",
        resnet_inference,
    ),
    Published(
        "ResNet-50 training",
        44059 / 16,
        BOW,
        "performance results, Bow Pod16, TensorFlow: 16 replicas, 11 micro-batches of 20",
        resnet_training,
    ),
    Published(
        "ResNet-50 training, recomputed",
        37061 / 16,
        BOW,
        "performance results, Bow Pod16, PyTorch, SDK 3.0: 16 replicas, batches of 16,384; the "
        "configuration has 57 micro-batches of 18",
        resnet_recomputed,
    ),
    *(
        Published(
            f"ResNet-50 inference, {batch}",
            per_second,
            C600,
            "PopRT's examples: C600, images made on the device",
            lambda batch=batch: resnet_inference(batch),
        )
        for batch, per_second in IMAGES_A_SECOND.items()
    ),
    Published(
        "ResNet-50 inference, 90, fp8",
        24962,
        C600,
        "PopRT's examples: C600, images made on the device, 8-bit floats",
        resnet_in_8_bits,
    ),
]


MEMORY: list[tuple[str, float, int, Callable[[float], Any]]] = [
    *(
        (f"ResNet-50, inference, {batch}", memory, batch, lambda m, n=batch: resnet_session(n, m))
        for batch, memory in ((80, 0.6), (90, 0.6), (90, 0.4), (90, 0.2))
    ),
    *(
        ("BERT-Large, inference, 18", memory, 18, lambda m: bert_session(memory=m))
        for memory in (0.6, 0.2, 0.12)
    ),
    (
        "ResNet-50, training, 18",
        0.2,
        18 * 4,
        lambda m: resnet_training_session(
            18, 4, m, autoRecomputation=popir.RecomputationType.Standard
        ),
    ),
    (
        "ResNet-50, training, 18, as published",
        0.16,
        18 * 57,
        lambda m: resnet_recomputed_session(memory=m),
    ),
]
"""Model, availableMemoryProportion, sequences or images of a step, and the session."""


def memory(table: Report) -> None:
    """Reports what fills the fullest tile."""
    for name, proportion, count, session_of in MEMORY:
        session = session_of(proportion)
        session.prepareDevice(loadEngine=False)
        report = session.getReport()
        table.table(f"{name} at {proportion}", "bytes of the fullest tile", "on average")
        for row in report.memory:
            mean = row.totalBytes / len(row.tileBytes)
            table.row(row.category, row.fullestTileBytes, mean)
        table.say(
            f"{report.cycles / count:,.0f} cycles each, {report.maxTileBytes:,} of "
            f"{report.bytesPerTile:,} bytes of the fullest tile, {report.tilesOutOfMemory} tiles "
            "have too few"
        )


@measurement()
def main(report: Report) -> None:
    """Prints the table."""
    names = report.asked.words
    if names == ["memory"]:
        return memory(report)
    report.table("model", "published a second", "popir's model", "over published", "source")
    for row in TABLE:
        if not names or any(name.lower() in row.name.lower() for name in names):
            found = row.clock / row.cycles()
            report.row(row.name, row.per_second, found, found / row.per_second, row.source)


if __name__ == "__main__":
    main(sys.argv[1:])
