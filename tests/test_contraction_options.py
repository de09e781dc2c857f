"""Options of matrix products and convolutions: of a session and of nodes, down to the planner."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir import poplar
from popir.errors import OperatorAttributeError, popart_exception
from popir.ops.contraction.options import FORWARD
from popir.options import Kind, OptionWarning, SessionOptions
from popir.options.contractions import CONVOLUTION, ENTRIES, LSTM, MATMUL

Array = np.ndarray[Any, Any]
Annotate = Callable[[popir.Builder, str], object]
DTYPES = {"FLOAT": np.float32, "FLOAT16": np.float16}
HOLDERS = {
    "MatMul": MATMUL,
    "Gemm": MATMUL,
    "Conv": CONVOLUTION,
    "ConvTranspose": CONVOLUTION,
    "LSTM": LSTM,
}
SHAPES = {
    "MatMul": ([512, 1024], [1024, 512]),
    "Gemm": ([512, 1024], [512, 1024]),
    "Conv": ([8, 64, 16, 16], [64, 64, 3, 3]),
    "ConvTranspose": ([8, 64, 16, 16], [64, 64, 3, 3]),
    "LSTM": ([2, 64, 256], [1, 512, 256]),
}
"""Of data and weights."""


def random(shape: list[int], kind: str, seed: int = 0) -> Array:
    values = np.random.default_rng(seed).standard_normal(shape) / 4
    return np.asarray(values.astype(DTYPES[kind]))


def node(b: popir.Builder, type: str, x: str, w: str, kind: str, **attributes: Any) -> str:
    op = b.aiOnnx
    if type == "MatMul":
        return op.matmul([x, w], "node")
    if type == "Gemm":
        return op.gemm([x, w], **{"transB": 1, **attributes}, debugContext="node")
    if type == "LSTM":
        r = b.addInitializedInputTensor(random([1, 512, 128], kind, 2), "r")
        return op.lstm([x, w, r], 3, None, None, None, debugContext="node")[0]
    return (op.conv if type == "Conv" else op.convtranspose)([x, w], debugContext="node")


def session(
    type: str = "MatMul",
    annotate: Annotate | None = None,
    kind: str = "FLOAT16",
    training: bool = False,
    shapes: tuple[list[int], list[int]] | None = None,
    tiles: int = 64,
    figures: dict[str, Any] | None = None,
    attributes: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """A session of one operator, annotated; in training with a loss and learning rate 1."""
    data, weights = shapes or SHAPES[type]
    b = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = b.addInputTensor(kind, data, "x")
    if training:
        # So the data have a gradient too.
        x = b.aiOnnx.add([x, b.addInitializedInputTensor(np.zeros(data, DTYPES[kind]), "shift")])
    y = node(
        *(b, type, x, b.addInitializedInputTensor(random(weights, kind), "w"), kind),
        **(attributes or {}),
    )
    if annotate is not None:
        annotate(b, y)
    b.addOutputTensor(y)
    cpu = popir.DeviceManager().createCpuDevice
    device = (
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": tiles, **(figures or {})})
        if tiles
        else cpu()
    )
    settings, model = SessionOptions(**options), b.getModelProto()
    if not training:
        return popir.InferenceSession(
            *(model, popir.DataFlow(1, [y]), device), userOptions=settings
        )
    loss = b.aiGraphcore.l1loss([y], 1.0, popir.ReductionType.Sum, debugContext="loss")
    sgd = popir.SGD({"defaultLearningRate": (1.0, True)})
    return popir.TrainingSession(
        *(b.getModelProto(), popir.DataFlow(1, [y]), loss, sgd, device), userOptions=settings
    )


def types_of(type: str) -> list[str]:
    """The operator and those of its gradients that are contractions."""
    if type == "LSTM":
        return ["LSTM", "LSTMGrad"]
    ends = {"MatMul": "LhsGrad RhsGrad", "Gemm": "AGrad BGrad"}.get(type, "DataGrad WeightsGrad")
    return [type, *(type + end for end in ends.split())]


def costs(made: Any) -> dict[str, tuple[int, int]]:
    """By operator type: cycles, and what the operator's steps gather at most, in bytes."""
    made.prepareDevice()
    found: dict[str, tuple[int, int]] = {}
    for step in made.getReport().steps:
        for block in step.blocks[:1]:
            type = block.partition("/")[0]
            cycles, most = found.get(type, (0, 0))
            found[type] = cycles + step.times * step.cycles, max(most, step.gatheredBytes)
    return found


@functools.cache
def usual(type: str) -> dict[str, tuple[int, int]]:
    """The costs without any option."""
    return costs(session(type, training=True))


# To the planner.


@pytest.mark.parametrize("type", HOLDERS)
def test_partials_reach_the_planner(type: str) -> None:
    half = costs(session(type, lambda b, y: b.setPartialsType(y, "HALF"), training=True))
    for each in types_of(type):
        assert half[each][0] < usual(type)[each][0], each
    # Of the session, and a node that wants otherwise.
    own: dict[str, Any] = {HOLDERS[type]: {"partialsType": "half"}}
    assert costs(session(type, training=True, **own)) == half
    wide = session(type, lambda b, y: b.setPartialsType(y, "FLOAT"), training=True, **own)
    assert costs(wide) == usual(type)
    if HOLDERS[type] == MATMUL:
        assert costs(session(type, training=True, partialsTypeMatMuls="half")) == half
        both = session(
            type, training=True, partialsTypeMatMuls="float", matmulOptions=own["matmulOptions"]
        )
        assert costs(both) == usual(type)


@pytest.mark.parametrize("type", HOLDERS)
def test_the_memory_proportion_reaches_the_planner(type: str) -> None:
    def little(b: popir.Builder, y: str) -> None:
        b.setAvailableMemoryProportion(y, 0.02)

    def usually(b: popir.Builder, y: str) -> None:
        b.setAvailableMemoryProportion(y, 0.6)

    found = costs(session(type, little, training=True))
    for each in types_of(type):
        cycles, gathered = usual(type)[each]
        assert found[each][0] > cycles and found[each][1] < gathered, each
    assert costs(session(type, usually, training=True)) == usual(type)


@pytest.mark.parametrize("type", HOLDERS)
def test_entries_of_a_session_reach_the_planner(type: str) -> None:
    def little(b: popir.Builder, y: str) -> None:
        b.setAvailableMemoryProportion(y, 0.02)

    own: dict[str, Any] = {HOLDERS[type]: {"availableMemoryProportion": "0.02"}}
    assert costs(session(type, training=True, **own)) == costs(session(type, little, training=True))
    own = {HOLDERS[type]: {"use128BitConvUnitLoad": "true"}}
    machine = {"convUnitCoeffLoadBytesPerCycle": 16}
    wide = costs(session(type, training=True, figures=machine, **own))
    narrow = costs(session(type, training=True, figures=machine))
    for each in types_of(type):
        assert wide[each][0] < narrow[each][0], each
    others = {
        holder: {"partialsType": "half"}
        for holder in (MATMUL, CONVOLUTION, LSTM)
        if holder != HOLDERS[type]
    }
    assert costs(session(type, training=True, **others)) == usual(type)


def test_passes_of_a_layer_are_planned_together() -> None:
    """A small batch: its weights are used where they lie in all three passes, as PopART's MatMul
    asks PopLibs for, and no gradient of them moves.
    """

    def report(**options: Any) -> Any:
        made = session(training=True, tiles=1472, shapes=([4, 4096], [4096, 4096]), **options)
        made.prepareDevice(loadEngine=False)
        return made.getReport()

    def moved(found: Any) -> int:
        """By the updates of weights, of which those of `shift` are small."""
        steps = [s for s in found.steps if s.blocks[:1] and "VarUpdate" in s.blocks[0]]
        assert len(steps) == 2
        return max(step.exchangeBytes for step in steps)

    partials = {"partialsType": "half"}
    together = report(matmulOptions=partials)
    alone = report(matmulOptions=partials, enableFullyConnectedPass=False)
    assert together.cycles < alone.cycles
    assert moved(together) < 100_000 and moved(alone) > 30_000_000
    # The pass that all products are, by default.
    named = {**partials, "fullyConnectedPass": "NONE"}
    same = report(matmulOptions=named, enableFullyConnectedPass=False)
    assert same.cycles == alone.cycles
    named["fullyConnectedPass"] = "TRAINING_WU"
    other = report(matmulOptions=named, enableFullyConnectedPass=False)
    assert other.cycles != alone.cycles


def test_stages_of_a_reduction_reach_the_planner() -> None:
    """A product whose partial sums are many."""
    shapes = [16, 16384], [16384, 16]
    own: dict[str, Any]
    found = {}
    for name, own in (
        ("usual", {}),
        ("one stage", {"matmulOptions": {"enableMultiStageReduce": "false"}}),
        ("fast", {"matmulOptions": {"enableFastReduce": "true"}}),
    ):
        found[name] = costs(session(tiles=1472, shapes=shapes, **own))["MatMul"][0]
    assert found["fast"] < found["usual"] != found["one stage"]


def test_options_are_part_of_the_hash() -> None:
    hashes = {
        session(annotate=annotate, **options).getHash()
        for annotate, options in (
            (None, {}),
            (lambda b, y: b.setPartialsType(y, "HALF"), {}),
            (lambda b, y: b.setAvailableMemoryProportion(y, 0.2), {}),
            (lambda b, y: b.setSerializeMatMul(y, "reducing_dim", 2), {}),
            (lambda b, y: b.setSerializeMatMul(y, "reducing_dim", 2, True), {}),
            (None, {"matmulOptions": {"availableMemoryProportion": "0.3"}}),
        )
    }
    assert len(hashes) == 6


def test_products_with_different_options_are_not_outlined_together() -> None:
    def types(partials: list[str]) -> list[str]:
        b = popir.Builder(opsets={"ai.onnx": 17})
        h, w = b.addInputTensor("FLOAT", [8, 8], "x"), b.addInputTensor("FLOAT", [8, 8], "w")
        for kind in partials:
            h = b.aiOnnx.matmul([h, w])
            b.setPartialsType(h, kind)
            h = b.aiOnnx.relu([h])
        b.addOutputTensor(h)
        options = SessionOptions(outlineThreshold=-1.0, enableOutliningCopyCostPruning=False)
        device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})
        flow = popir.DataFlow(1, [h])
        made = popir.InferenceSession(b.getModelProto(), flow, device, userOptions=options)
        return [op.opid.type for op in made.graph.schedule()]

    assert types(["HALF", "HALF"]) == ["Call", "Call"]
    assert types(["HALF", "FLOAT"]) == ["MatMul", "Call", "MatMul", "Call"]


# Products in parts.

CASES: dict[str, tuple[str, tuple[list[int], list[int]], dict[str, Any]]] = {
    "matrices": ("MatMul", ([8, 12], [12, 16]), {}),
    "one matrix": ("MatMul", ([3, 4, 12], [12, 16]), {}),
    "stacks": ("MatMul", ([3, 8, 12], [3, 12, 16]), {}),
    "broadcast": ("MatMul", ([8, 12], [3, 12, 16]), {}),
    "gemm": ("Gemm", ([8, 12], [16, 12]), {"alpha": 0.5}),
    "transposed": ("Gemm", ([12, 8], [12, 16]), {"transA": 1, "transB": 0}),
}


def step(made: Any, shape: list[int], kind: str = "FLOAT") -> dict[str, Array]:
    """The result and, of a training session, the weights and the shift of the data after a step."""
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO({"x": random(shape, kind, 1)}, anchors))
    found = {"y": next(iter(anchors.values()))}
    if isinstance(made, popir.TrainingSession):
        made.weightsToHost()
        found |= {"w": np.empty(1), "shift": np.empty(1)}
        for id in ("w", "shift"):
            info = made.getInfo(id)
            found[id] = np.empty(info.shape(), info.dataType().numpy)
        made.readWeights(popir.PyWeightsIO({id: found[id] for id in ("w", "shift")}))
    return found


@pytest.mark.parametrize("tiles", [0, 4])
@pytest.mark.parametrize("mode", FORWARD)
@pytest.mark.parametrize("case", CASES)
def test_a_serialized_product_is_the_product(case: str, mode: str, tiles: int) -> None:
    type, shapes, attributes = CASES[case]
    more: dict[str, Any] = {
        "kind": "FLOAT", "training": True, "shapes": shapes, "attributes": attributes,
        "tiles": tiles,
    }  # fmt: skip
    cut = session(type, lambda b, y: b.setSerializeMatMul(y, mode, 4), **more)
    found, whole = step(cut, shapes[0]), step(session(type, **more), shapes[0])
    for id, expected in whole.items():
        np.testing.assert_allclose(found[id], expected, rtol=1e-5, atol=1e-5)
    x, w = random(shapes[0], "FLOAT", 1), random(shapes[1], "FLOAT")
    x = x.T if attributes.get("transA") else x
    w = w.T if attributes.get("transB", type == "Gemm") else w
    y = np.matmul(x, w) * attributes.get("alpha", 1)
    np.testing.assert_allclose(found["y"], y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("type", ["MatMul", "Gemm"])
@pytest.mark.parametrize("mode", FORWARD)
def test_a_serialized_product_takes_less_memory(type: str, mode: str) -> None:
    made = session(type, lambda b, y: b.setSerializeMatMul(y, mode, 4), training=True)
    found = costs(made)
    for each in types_of(type):
        assert found[each][1] < 0.75 * usual(type)[each][1], each
    products = [s for s in made.getReport().steps if s.name.startswith("node") and s.operations]
    assert len([s for s in products if s.blocks[0].startswith(f"{type}/")]) >= 4


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("partials", ["FLOAT", "HALF"])
def test_sums_of_parts_keep_their_precision(keep: bool, partials: str) -> None:
    def annotate(b: popir.Builder, y: str) -> None:
        b.setSerializeMatMul(y, "reducing_dim", 4, keep)
        b.setPartialsType(y, partials)

    made = session("MatMul", annotate, shapes=([1, 4], [4, 1]), tiles=0)
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    made.writeWeights(popir.PyWeightsIO({"w": np.ones((4, 1), np.float16)}))
    made.weightsFromHost()
    # In half 2048 + 1 is 2048.
    x = np.array([[2048, 1, 1, 1]], np.float16)
    made.run(popir.PyStepIO({"x": x}, anchors))
    (y,) = anchors.values()
    assert y.item() == (2052 if keep and partials == "FLOAT" else 2048)


# What is refused, and what has no meaning.


@pytest.mark.parametrize(
    ("note", "value", "words"),
    [
        ("__partials_type", "DOUBLE", "__partials_type is 'DOUBLE'; expected is FLOAT or HALF."),
        ("__partials_type", 3, "__partials_type is 3; expected is FLOAT or HALF."),
        ("__available_memory", 1.5, "is 1.5; expected is a number above 0, at most 1."),
        ("__available_memory", "much", "is 'much'; expected is a number above 0"),
        (
            "__serialize_matmul_mode",
            "output_channel",
            "is 'output_channel'; expected is one of none, input_channels, reducing_dim, "
            "output_channels. Did you mean 'output_channels'",
        ),
        ("__serialize_matmul_mode", "output_channels", "is None; expected is a factor of 512"),
    ],
)
def test_annotations_of_wrong_values_name_the_node(note: str, value: Any, words: str) -> None:
    with pytest.raises(OperatorAttributeError) as error:
        session(annotate=lambda b, y: b.addNodeAttribute(note, value, y))
    assert words in str(error.value) and "name='node'" in str(error.value)


@pytest.mark.parametrize("factor", [0, -2, 3, 2048])
def test_a_product_is_cut_into_equal_parts(factor: int) -> None:
    with pytest.raises(
        OperatorAttributeError,
        match=rf"factor is {factor}; expected is a factor of 1024, the size of reducing_dim",
    ):
        session(annotate=lambda b, y: b.setSerializeMatMul(y, "reducing_dim", factor))


@pytest.mark.parametrize(
    ("annotate", "words"),
    [
        (lambda b, y: b.setPartialsType(y, "HALF"), "setPartialsType = 'HALF'"),
        (lambda b, y: b.setAvailableMemoryProportion(y, 0.5), "setAvailableMemoryProportion = 0.5"),
        (lambda b, y: b.setSerializeMatMul(y, "reducing_dim", 2), "setSerializeMatMul = 'reducing"),
    ],
)
def test_annotations_of_other_operators_have_no_meaning(annotate: Annotate, words: str) -> None:
    b = popir.Builder(opsets={"ai.onnx": 17})
    y = b.addInputTensor("FLOAT", [4], "x")
    for name in ("first", "second"):
        y = b.aiOnnx.relu([y], name)
        annotate(b, y)
    device = popir.DeviceManager().createCpuDevice()
    with pytest.warns(OptionWarning) as said:
        popir.InferenceSession(b.getModelProto(), popir.DataFlow(1, [y]), device)
    assert len(said) == 1 and said[0].filename == __file__
    text = str(said[0].message)
    assert "first" in text and words in text and "has no meaning here: Relu is no matrix" in text


@pytest.mark.parametrize("type", ["Conv", "LSTM"])
def test_what_is_no_product_of_matrices_is_not_cut(type: str) -> None:
    with pytest.warns(OptionWarning, match=f"setSerializeMatMul.* {type} is no matrix product"):
        made = session(type, lambda b, y: b.setSerializeMatMul({y}, "reducing_dim", 2))
    assert costs(made) == costs(session(type))


def test_entries_that_a_session_does_not_take() -> None:
    for options, words in (
        (
            {"matmulOptions": {"partialType": "half"}},
            "SessionOptions.matmulOptions has no entry 'partialType'. Did you mean 'partialsType'?",
        ),
        (
            {"lstmOptions": {"xyz": "1"}},
            "lstmOptions has no entry 'xyz'. It takes partialsType, availableMemoryProportion,",
        ),
        (
            {"convolutionOptions": {"partialsType": "Half"}},
            "SessionOptions.convolutionOptions['partialsType'] takes one of 'float', 'half'; given "
            "was 'Half'. Did you mean 'half'?",
        ),
        (
            {"matmulOptions": {"availableMemoryProportion": "1.5"}},
            "takes a number from 0 to 1, as text; given was '1.5'.",
        ),
        ({"matmulOptions": {"availableMemoryProportion": "nan"}}, "given was 'nan'."),
        (
            {"convolutionOptions": {"enableConvDithering": "true"}},
            "SessionOptions.convolutionOptions['enableConvDithering'] = 'true': a plan names",
        ),
        ({"lstmOptions": {"recomputationMode": "full"}}, "Leave it at 'none'."),
    ):
        with pytest.raises(popart_exception) as error:
            session(**options)
        assert words in str(error.value)
    with pytest.raises(
        popart_exception, match=r"partialsTypeMatMuls takes one of '', 'float', 'half'; given was "
    ):
        SessionOptions(partialsTypeMatMuls="nonsense")


LIBRARY = {name: (kind, *rest[:2]) for name, kind, *rest in poplar.libraryOptionTable()}
CHOICES = {"true or false": ("true", "false")}


@pytest.mark.parametrize("row", ENTRIES, ids=lambda row: row.name)
def test_every_entry_is_one_of_poplin(row: Any) -> None:
    holder, _, name = row.name.partition(".")
    values = row.choices or ("0.25",)
    assert all(row.fits(value) for value in values) and row.default in (*row.choices, "0.6")
    if holder in (MATMUL, CONVOLUTION):
        function = "poplin.matMul" if holder == MATMUL else "poplin.convolution"
        kind, type, otherwise = LIBRARY[f"{function}.{name}"]
        assert (kind, otherwise) == (row.kind.value, row.default)
        assert set(row.choices or values) <= {"0.25", *CHOICES.get(type, type[7:].split(", "))}
    if row.kind is Kind.NO_MEANING:
        other = next(value for value in values if value != row.default)
        given: dict[str, Any] = {holder: {name: other}}
        options = SessionOptions(**given)
        with pytest.warns(OptionWarning) as said:
            options.check()
        assert [str(each.message) for each in said] == [
            f"SessionOptions.{holder}['{name}'] = '{other}' has no meaning here: {row.reason}"
        ]
        options.check()  # Warnings are errors in these tests.
