"""PopART's 8-bit floats: contractions with the logarithm of a scale, and casts, beside ml_dtypes,
NumPy and PyTorch in double.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import popir
from popir.errors import (
    OperatorAttributeError,
    OperatorInputError,
    StepIOError,
    popart_exception,
    poplar_application_runtime_error,
)
from tests.models import Array

TYPES: dict[str, Any] = {
    "FLOAT8_143": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8_152": ml_dtypes.float8_e5m2fnuz,
}
RANDOM = np.random.default_rng(0)
LOG2 = "the logarithm of a scale"


def numbers(kind: str, *shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(TYPES[kind])


class Model:
    """A model of one operator. Arrays are inputs, or with `weights` the ones after the first
    initializers; an int at the end is the logarithm of a scale, a constant.
    """

    def __init__(
        self,
        type: str,
        *given: Any,
        domain: str = "ai.onnx",
        weights: bool = False,
        **attributes: Any,
    ) -> None:
        self.builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
        self.feeds: dict[str, Array] = {}
        ids = [self._input(x, weights and i > 0) for i, x in enumerate(given)]
        version = {"MatMul": 9}.get(type, 11) if domain == "ai.onnx" else 1
        made = self.builder.customOp(type, version, domain, ids, attributes, name="node")
        self.output = made[0]
        self.builder.addOutputTensor(self.output)

    def _input(self, x: Any, is_weight: bool) -> str:
        if isinstance(x, int):
            return self.builder.aiOnnx.constant(np.array(x, np.int32))
        if is_weight:
            return self.builder.addInitializedInputTensor(x)
        kind = popir.DataType.of(x.dtype).name
        id = self.builder.addInputTensor(kind, list(x.shape))
        self.feeds[id] = x
        return id

    def session(self, device: str = "ipu21", **options: Any) -> popir.InferenceSession:
        asked = popir.SessionOptions()
        for name, value in options.items():
            setattr(asked, name, value)
        session = popir.InferenceSession(
            self.builder.getModelProto(),
            popir.DataFlow(1, {self.output: popir.AnchorReturnType("All")}),
            deviceInfo=popir.DeviceManager().createIpuModelDevice(
                {"numIPUs": 1, "ipuVersion": device}
            ),
            userOptions=asked,
        )
        session.prepareDevice()
        return session

    def run(self, device: str = "ipu21", **options: Any) -> Array:
        session = self.session(device, **options)
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO(self.feeds, anchors))
        return anchors[self.output]


def close(found: Array, expected: Array) -> None:
    """Whether FLOAT16 results are what doubles are, but for a unit in the last place."""
    assert found.dtype == np.float16
    size = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=2**-10, atol=2**-11 * size)


@pytest.mark.parametrize("device", ["ipu2", "ipu21"])
@pytest.mark.parametrize("left", TYPES)
@pytest.mark.parametrize("right", TYPES)
@pytest.mark.parametrize("is_constant", [False, True])
def test_products(device: str, left: str, right: str, is_constant: bool) -> None:
    for shapes in (
        [(5, 16), (16, 7)],
        [(2, 3, 16), (16, 7)],
        [(2, 3, 16), (2, 16, 4)],
        [(16,)] * 2,
    ):
        a, b = (numbers(kind, *s) for kind, s in zip((left, right), shapes, strict=True))
        for log2 in (0, 3, -4):
            scale = log2 if is_constant else np.array(log2, np.int32)
            found = Model("MatMul", a, b, scale, weights=is_constant).run(device)
            close(found, a.astype("f8") @ b.astype("f8") * 2.0**log2)


@pytest.mark.parametrize("device", ["ipu2", "ipu21"])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_convolutions(device: str, is_transposed: bool) -> None:
    torches: Any = torch.nn.functional.conv_transpose2d if is_transposed else torch.conv2d
    for left, right in zip(TYPES, reversed(TYPES), strict=True):
        x = numbers(left, 2, 4, 9, 8)
        w = numbers(right, *((4, 3, 3, 2) if is_transposed else (6, 2, 3, 2)))
        a, b = (torch.tensor(each.astype("f8")) for each in (x, w))
        expected = torches(a, b, stride=2, padding=1, groups=2).numpy()
        for log2 in (0, -2):
            found = Model(
                "ConvTranspose" if is_transposed else "Conv",
                *(x, w, log2),
                group=2,
                strides=[2, 2],
                pads=[1, 1, 1, 1],
            ).run(device)
            close(found, expected * 2.0**log2)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("wide", [np.float16, np.float32])
def test_casts(kind: str, wide: Any) -> None:
    codes = np.arange(256, dtype=np.uint8).view(TYPES[kind])
    x = (RANDOM.standard_normal(300) * 2.0 ** RANDOM.integers(-9, 5, 300)).astype(wide)
    for log2 in (0, 4, -6, 31, -31):
        for scale in (log2, np.array(log2, np.int32)):
            made = Model("Pow2ScaleThenCast", x, scale, domain="ai.graphcore", to=kind).run()
            with np.errstate(over="ignore"):
                scaled = x.astype("f8") * 2.0**log2
                np.testing.assert_array_equal(
                    made.view(np.uint8), scaled.astype("f4").astype(TYPES[kind]).view(np.uint8)
                )
            name = popir.DataType.of(wide).name
            back = Model("CastThenPow2Scale", codes, scale, domain="ai.graphcore", to=name).run()
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(back, (codes.astype("f8") * 2.0**log2).astype(wide))


def test_a_model_with_several() -> None:
    """Casts before products, twice alike, of which one has another scale."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT16", [4, 16])
    w = [RANDOM.standard_normal((16, 16)).astype(TYPES["FLOAT8_143"]) for _ in range(3)]
    zero, h, scales = builder.aiOnnx.constant(np.array(0, np.int32)), x, [-2, -2, -1]
    for each, log2 in zip(w, scales, strict=True):
        small = builder.aiGraphcore.pow2scalethencast([h, zero], "FLOAT8_152")
        scale = builder.aiOnnx.constant(np.array(log2, np.int32))
        h = builder.aiOnnx.matmul([small, builder.addInitializedInputTensor(each), scale])
        assert builder.getTensorDtypeString(h) == "float16"
    builder.addOutputTensor(h)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, {h: popir.AnchorReturnType("All")}),
        deviceInfo=popir.DeviceManager().createIpuModelDevice({"ipuVersion": "ipu21"}),
    )
    session.prepareDevice()
    anchors, given = session.initAnchorArrays(), RANDOM.standard_normal((4, 16)).astype(np.float16)
    session.run(popir.PyStepIO({x: given}, anchors))
    want = given
    for each, log2 in zip(w, scales, strict=True):
        small = want.astype("f4").astype(TYPES["FLOAT8_152"]).astype("f8")
        want = (small @ each.astype("f8") * 2.0**log2).astype(np.float16)
    # A sum that is rounded otherwise may be another number of 8 bits.
    assert np.mean(np.abs(anchors[h] - want) > 2**-9 * np.abs(want).max()) < 0.2
    np.testing.assert_allclose(anchors[h], want, atol=0.1 * np.abs(want).max())


def test_a_scale_out_of_range() -> None:
    a, b = numbers("FLOAT8_143", 3, 8), numbers("FLOAT8_143", 8, 2)
    for log2 in (32, -33):
        with pytest.raises(
            OperatorInputError, match=rf"is {log2}; expected is a number in \[-32, 31\]"
        ):
            Model("MatMul", a, b, log2).session()
        model = Model("MatMul", a, b, np.array(log2, np.int32))
        with pytest.raises(poplar_application_runtime_error, match=r"is not in \[-32, 31\]"):
            model.run()
        for scale in (log2, np.array(log2, np.int32)):
            found = Model("MatMul", a, b, scale).run(throwIfLog2ScaleTensorNotInRange=False)
            wrapped = -np.sign(log2) * (64 - abs(log2))
            with np.errstate(over="ignore"):
                want = (a.astype("f8") @ b.astype("f8") * 2.0**wrapped).astype(np.float16)
            np.testing.assert_array_equal(found, want)
    x = np.ones(3, np.float16)
    with pytest.raises(OperatorInputError, match=r"is -32; expected is a number in \[-31, 31\]"):
        Model("Pow2ScaleThenCast", x, -32, domain="ai.graphcore", to="FLOAT8_143").session()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("FLOAT8_143", "FLOAT8_143"), "input 2, the logarithm of a scale, is missing"),
        (("FLOAT8_143", "FLOAT16", 0), "the operator takes FLOAT8_143, FLOAT8_152"),
        (("FLOAT16", "FLOAT8_152", 0), "the operator takes FLOAT8_143, FLOAT8_152"),
        (("FLOAT16", "FLOAT16", 0), "invalid number of inputs 3"),
        (("FLOAT8_143", "FLOAT8_152", np.zeros(1, np.int32)), "expected is a scalar of INT32"),
        (("FLOAT8_143", "FLOAT8_152", np.zeros((), np.float32)), "input 2 .* of type FLOAT;"),
    ],
)
def test_operands_that_do_not_go_together(given: tuple[Any, ...], words: str) -> None:
    def operand(kind: str, *shape: int) -> Array:
        return RANDOM.standard_normal(shape).astype(TYPES.get(kind, np.float16))

    with pytest.raises(OperatorInputError, match=words):
        Model("MatMul", operand(given[0], 3, 8), operand(given[1], 8, 2), *given[2:]).session()


def test_partial_sums_are_of_halves() -> None:
    a, b = numbers("FLOAT8_143", 3, 8), numbers("FLOAT8_143", 8, 2)
    with pytest.raises(OperatorAttributeError, match="of 8-bit floats they are HALF"):
        Model("MatMul", a, b, 0).session(partialsTypeMatMuls="float")
    for device in ("ipu2", "ipu21"):
        found = Model("MatMul", a, b, 0).run(device, partialsTypeMatMuls="half")
        close(found, a.astype("f8") @ b.astype("f8"))


def test_casts_refuse_other_types() -> None:
    x = np.ones(3, np.float16)
    with pytest.raises(OperatorAttributeError, match="expected is FLOAT8_143 or FLOAT8_152"):
        Model("Pow2ScaleThenCast", x, 0, domain="ai.graphcore", to="FLOAT8E4M3FN").session()
    with pytest.raises(OperatorAttributeError, match="expected is FLOAT or FLOAT16"):
        Model(
            "CastThenPow2Scale", numbers("FLOAT8_143", 3), 0, domain="ai.graphcore", to="INT8"
        ).session()
    with pytest.raises(popart_exception, match=r"log2_scale.* of type FLOAT16"):
        Model("Pow2ScaleThenCast", x, x[0], domain="ai.graphcore", to="FLOAT8_143").session()


def _trained(before: bool) -> popir.TrainingSession:
    """A weight behind an 8-bit product, or, with `before`, one that is cast for it."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    zero = builder.aiOnnx.constant(np.array(0, np.int32))
    w = builder.addInitializedInputTensor(numbers("FLOAT8_143", 8, 8))
    trained = builder.addInitializedInputTensor(RANDOM.standard_normal((8, 8)).astype(np.float16))
    if before:
        x = builder.addInputTensor("FLOAT16", [4, 8])
        x = builder.aiOnnx.matmul([x, trained])
        x = builder.aiGraphcore.pow2scalethencast([x, zero], "FLOAT8_143")
    else:
        x = builder.addInputTensor("FLOAT8_143", [4, 8])
    h = builder.aiOnnx.matmul([x, w, zero])
    more = builder.addInitializedInputTensor(RANDOM.standard_normal((8, 8)).astype(np.float16))
    h = builder.aiOnnx.matmul([h, more if before else trained])
    loss = builder.aiGraphcore.l1loss([h], 1.0)
    return popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, {loss: popir.AnchorReturnType("All")}),
        loss,
        popir.SGD({"defaultLearningRate": (0.1, True)}),
        deviceInfo=popir.DeviceManager().createIpuModelDevice({}),
    )


def test_training() -> None:
    """What does not depend on a weight needs no gradient; else the error says so."""
    _trained(before=False).prepareDevice()
    with pytest.raises(popart_exception, match="Products and casts of 8 bits are for inference"):
        _trained(before=True).prepareDevice()


def test_they_take_fewer_cycles() -> None:
    """On the units for 8-bit floats a large product takes between half as long as of halves, and
    two thirds.
    """
    cycles = {}
    for name, kind in (("half", np.float16), ("quarter", TYPES["FLOAT8_143"])):
        a, b = (RANDOM.standard_normal((2048, 2048)).astype(kind) for _ in range(2))
        model = Model("MatMul", a, b, *([0] if name == "quarter" else []), weights=True)
        cycles[name] = model.session(partialsTypeMatMuls="half").getReport().cycles
    assert 1.5 < cycles["half"] / cycles["quarter"] <= 2


def test_weights_lie_as_a_convolution_wants_them() -> None:
    """They are constants. Few pieces arrive where a plan laid them out, and as fast as of halves,
    which have twice the bytes.
    """
    exchanged = {}
    for name, kind in (("half", np.float16), ("quarter", TYPES["FLOAT8_143"])):
        x = RANDOM.standard_normal((4, 64, 16, 16)).astype(kind)
        w = RANDOM.standard_normal((64, 64, 3, 3)).astype(kind)
        scale = [0] if name == "quarter" else []
        model = Model("Conv", x, w, *scale, pads=[1] * 4, weights=True)
        report = model.session(convolutionOptions={"partialsType": "half"}).getReport()
        (step,) = (each for each in report.steps if each.kind == "Execute")
        exchanged[name] = step.exchangeCycles
    assert exchanged["quarter"] < exchanged["half"]


_X = numbers("FLOAT8_143", 4, 8)
_AT = np.array([1, 3], np.int32)


@pytest.mark.parametrize(
    ("type", "more", "attributes", "expected"),
    [
        ("Gather", [_AT], {}, _X[[1, 3]]),
        ("Gather", [_AT], {"axis": 1}, _X[:, [1, 3]]),
        ("Concat", [_X], {"axis": 0}, np.concatenate([_X, _X])),
        ("Flatten", [], {}, _X),
        ("ai.graphcore.Subsample", [], {"strides": [2, 3]}, _X[::2, ::3]),
        ("ai.graphcore.Slice", [], {"starts": [1], "ends": [3], "axes": [0]}, _X[1:3]),
        ("ai.graphcore.Reshape", [], {"shape": [8, 4]}, _X.reshape(8, 4)),
        (
            "ai.graphcore.DynamicSlice",
            [np.array([1], np.uint32)],
            {"axes": [0], "sizes": [2]},
            _X[1:3],
        ),
    ],
)
def test_what_is_moved(
    type: str, more: list[Array], attributes: dict[str, Any], expected: Array
) -> None:
    domain, _, name = type.rpartition(".")
    found = Model(name, _X, *more, domain=domain or "ai.onnx", **attributes).run()
    assert found.dtype == TYPES["FLOAT8_143"]
    np.testing.assert_array_equal(found.astype("f4"), expected.astype("f4"))


def test_arrays_of_codes() -> None:
    """As in PopART bytes are codes, in uint8 or in records of one byte, of inputs and results."""
    a, b = numbers("FLOAT8_143", 3, 8), numbers("FLOAT8_143", 8, 2)
    model = Model("MatMul", a, b, 0)
    expected, record = model.run(), np.dtype([("float8_143", "u1")])
    first, second = model.feeds
    for kind in (np.uint8, record):
        model.feeds = {first: a.view(kind), second: b.view(kind)}
        np.testing.assert_array_equal(model.run(), expected)
        weighted = Model("MatMul", a, b.view(record), 0, weights=True)
        weighted.feeds = {id: x.view(kind) for id, x in weighted.feeds.items()}
        np.testing.assert_array_equal(weighted.run(), expected)
    moved = Model("Flatten", a)
    session, codes = moved.session(), np.empty((3, 8), np.uint8)
    session.run(popir.PyStepIO(moved.feeds, {moved.output: codes}))
    np.testing.assert_array_equal(codes, a.view(np.uint8))
    model.feeds = {first: a.view(np.int8), second: b}
    with pytest.raises(StepIOError, match=r"array.astype\('float8_e4m3fnuz'\)"):
        model.run()
