"""What the Builder refuses, and in which words."""

import re
import traceback
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from popir import registry
from popir.builder import Builder
from popir.errors import (
    OperatorAttributeError,
    OperatorInputError,
    OpsetVersionError,
    popart_exception,
)
from popir.ir import OperatorIdentifier
from popir.onnxio import schemas
from tests.onnxio.ops import SameShapeOp

LIBRARY = "/lib/libone.so"


@pytest.fixture(autouse=True)
def _scoped() -> Iterator[None]:
    with registry.scoped():
        yield


@pytest.fixture
def builder() -> Builder:
    found = Builder()
    found.addInputTensor("FLOAT", [2, 3], "x")
    found.addInputTensor("INT32", [2, 3], "i")
    return found


Call = Callable[[Builder], object]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b: b.aiOnnx.abs([]), "Abs has invalid number of inputs 0: it takes 1 (X)."),
        (lambda b: b.aiOnnx.add(["x"]), "Add has invalid number of inputs 1: it takes 2 (A, B)."),
        (
            lambda b: b.aiOnnx.conv(["x"] * 4),
            "Conv has invalid number of inputs 4: it takes 2 to 3 (X, W, B).",
        ),
        (
            lambda b: b.aiOnnx.concat([], 0),
            "Concat has invalid number of inputs 0: it takes 1 or more (inputs).",
        ),
        (
            lambda b: b.aiOnnx.dropout(["x"], 3),
            "Dropout has invalid number of outputs 3: it takes 1 to 2 (output, mask).",
        ),
        (
            lambda b: b.aiOnnx.sigmoid(["i"], "act"),
            "Sigmoid 'act': input 0 (X) is 'i' of type INT32; the operator takes DOUBLE, "
            "FLOAT, FLOAT16.",
        ),
        (
            lambda b: b.aiOnnx.add(["x", "i"]),
            "Add: input 1 (B) is 'i' of type INT32, but input 0 is 'x' of type FLOAT; the operator "
            "takes inputs of one type.",
        ),
        (
            lambda b: b.aiOnnx.add([b.aiOnnx.relu(["x"]), b.aiOnnx.cast(["x"], [6])]),
            None,
        ),
        (
            lambda b: b.aiOnnx.add([b.aiOnnx.relu(["x"]), b.aiOnnx.shape(["x"])]),
            "Add: input 1 (B) is 'Shape:0' of type INT64, but input 0 is 'Relu:0' of type FLOAT; "
            "the operator takes inputs of one type.",
        ),
        (
            lambda b: b.aiOnnx.relu(["xx"]),
            "Unknown tensor 'xx', input 0 of Relu. Did you mean 'x'?",
        ),
        (
            lambda b: b.aiOnnx.add(["", "x"]),
            "Add: input 0 (A) is required.",
        ),
        (
            lambda b: b.aiOnnx.relu("x"),
            "Relu takes a list of strings as inputs; given was 'x'.",
        ),
    ],
)
def test_inputs(builder: Builder, call: Call, message: str | None) -> None:
    if message is None:
        with pytest.raises(OperatorAttributeError, match="the attribute 'to' is an integer"):
            call(builder)
        return
    with pytest.raises(OperatorInputError) as error:
        call(builder)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda b: b.aiOnnx.leakyrelu(["x"], alpha="0.1"),
            "LeakyRelu: the attribute 'alpha' is a float; given was '0.1' (str).",
        ),
        (
            lambda b: b.aiOnnx.maxpool(["x"], 1, kernel_shape=2),
            "MaxPool: the attribute 'kernel_shape' is a list of integers; given was 2 (int).",
        ),
        (
            lambda b: b.aiOnnx.transpose(["x"], [1.5, 0]),
            "Transpose: the attribute 'perm' is a list of integers; given was [1.5, 0] (list).",
        ),
        (
            lambda b: b.aiGraphcore.nllloss(["x", "i"], reduction=3),
            "Nll: the attribute 'reduction' is a string; given was 3 (int).",
        ),
    ],
)
def test_attributes(builder: Builder, call: Call, message: str) -> None:
    with pytest.raises(OperatorAttributeError) as error:
        call(builder)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda b: b.aiOnnx.conv(["x", "x"], stride=[1, 1]),
            "conv(): incompatible function arguments. The following argument types are supported: "
            "conv(args, dilations=None, group=1, kernel_shape=None, pads=None, strides=None, "
            "debugContext='', *, auto_pad='NOTSET'). Given was a call with this fault: got an "
            "unexpected keyword argument 'stride'.",
        ),
        (
            lambda b: b.aiOnnx.concat(["x"]),
            "concat(): incompatible function arguments. The following argument types are "
            "supported: concat(args, axis, debugContext=''). Given was a call with this fault: "
            "missing a required argument: 'axis'.",
        ),
        (
            lambda b: b.aiOnnx.relu(["x"], "a", "b"),
            "relu(): incompatible function arguments. The following argument types are supported: "
            "relu(args, debugContext=''). Given was a call with this fault: too many positional "
            "arguments.",
        ),
    ],
)
def test_arguments(builder: Builder, call: Call, message: str) -> None:
    """Also a TypeError, as PopART raises."""
    with pytest.raises(TypeError) as error:
        call(builder)
    assert isinstance(error.value, OperatorAttributeError)
    assert str(error.value) == message


def test_no_such_operator(builder: Builder) -> None:
    with pytest.raises(AttributeError) as error:
        builder.aiOnnx.reluu(["x"])
    assert str(error.value).startswith(
        "Version 10 of ai.onnx has no operator 'reluu'. Did you mean"
    )
    shown = "".join(traceback.format_exception_only(error.value))
    assert shown.count("Did you mean") == 1
    with pytest.raises(AttributeError, match=r"Version 10 of ai\.onnx has no operator 'cumsum'"):
        builder.aiOnnx.cumsum(["x", "i"])
    with pytest.raises(AttributeError, match=r"Builder has no 'addOutput'\. Did you mean"):
        builder.addOutput("x")


def test_a_refused_call_leaves_the_model_as_it_was(builder: Builder) -> None:
    builder.aiOnnx.relu(["x"])
    before = builder.getModelProto()
    for call in (
        lambda: builder.aiOnnx.leakyrelu(["x"], alpha="0.1"),
        lambda: builder.aiOnnx.sigmoid(["i"]),
        lambda: builder.customOp("LeakyRelu", 1, "ai.onnx", ["x"]),
        lambda: builder.customOp("Own", 1, "com.acme", ["x"], {"a": {}}),
    ):
        with pytest.raises(popart_exception):
            call()
    assert builder.aiOnnx.relu(["x"]) == "Relu:0/1"
    assert len(before) < len(builder.getModelProto()) < len(before) + 80


# Opsets.


def test_opset_is_chosen_once() -> None:
    builder = Builder()
    assert builder.aiOnnxOpset11.version == 11
    assert builder.aiOnnx.version == 11
    with pytest.raises(OpsetVersionError) as error:
        _ = builder.aiOnnxOpset10
    assert str(error.value) == (
        "Invalid opset 'aiOnnxOpset10' selected. Opset for domain ai.onnx already defined as 11."
    )
    assert Builder().aiOnnx.version == 10
    assert Builder(opsets={"ai.onnx": 9}).aiOnnx.version == 9
    assert Builder().aiGraphcore.version == 1
    assert Builder(Builder(opsets={"ai.onnx": 13}).getModelProto()).aiOnnx.version == 13


def test_opset_that_does_not_exist() -> None:
    for make in (lambda: Builder().aiOnnxOpset5, lambda: Builder(opsets={"ai.onnx": 5})):
        with pytest.raises(OpsetVersionError) as error:
            make()
        assert str(error.value) == (
            f"Invalid opset 5 selected. popir knows the opsets 6 to {schemas.NEWEST_OPSET} of "
            "ai.onnx."
        )


# Custom operators.


@pytest.mark.parametrize(("opset", "version"), [(6, 6), (10, 6), (15, 6), (16, 16), (17, 16)])
def test_version_in_force(opset: int, version: int) -> None:
    builder = Builder(opsets={"ai.onnx": opset})
    x = builder.addInputTensor("FLOAT", [2])
    builder.customOp("LeakyRelu", version, "ai.onnx", [x], {"alpha": 0.1})
    wrong = {6: 16, 16: 6}[version]
    with pytest.raises(OpsetVersionError) as error:
        builder.customOp("LeakyRelu", wrong, "ai.onnx", [x])
    assert str(error.value) == (
        f"LeakyRelu: version {wrong} is not in force at opset {opset} of ai.onnx, in which the "
        f"model is written; version {version} is. opVersion does not change the opset: pass the "
        f"version in force, or choose another opset before the first operator."
    )
    assert builder.aiOnnx.version == opset


def test_operator_that_onnx_does_not_have_yet(builder: Builder) -> None:
    assert builder.aiOnnx.version == 10
    with pytest.raises(
        OpsetVersionError, match=r"Gelu: version 20 is not in force .* no version is"
    ):
        builder.customOp("Gelu", 20, "ai.onnx", ["x"])


def test_new_operator_in_the_domain_of_onnx(builder: Builder) -> None:
    assert builder.customOp("Wholly", 7, "ai.onnx", ["x"], numOutputs=2) == ["Wholly:0", "Wholly:1"]
    with pytest.raises(OpsetVersionError, match="Wholly: version 11 is not in force at opset 10"):
        builder.customOp("Wholly", 11, "ai.onnx", ["x"])
    registry.OpCreator(
        SameShapeOp, [OperatorIdentifier("", "Wholly", version) for version in (5, 9)]
    )
    with pytest.raises(
        OpsetVersionError, match=r"Wholly: version 7 is not in force .* version 9 is"
    ):
        builder.customOp("Wholly", 7, "ai.onnx", ["x"])


def test_custom_operator_is_checked_by_its_schema(builder: Builder) -> None:
    cases: list[tuple[type[popart_exception], list[str], dict[str, object], str]] = [
        (OperatorInputError, ["x", "x"], {}, "has invalid number of inputs 2: it takes 1 (X)."),
        (OperatorInputError, ["i"], {}, ": input 0 (X) is 'i' of type INT32; the operator takes"),
        (
            OperatorAttributeError,
            ["x"],
            {"alpha": "1"},
            ": the attribute 'alpha' is a float; given",
        ),
        (
            OperatorAttributeError,
            ["x"],
            {"alhpa": 1.0},
            ": unknown attribute 'alhpa' (value 1.0); the operator takes alpha. Did you mean "
            "'alpha'?",
        ),
    ]
    for kind, inputs, attributes, message in cases:
        with pytest.raises(kind, match=re.escape(message)):
            builder.customOp("LeakyRelu", 6, "ai.onnx", inputs, attributes)
    with pytest.raises(OperatorAttributeError) as error:
        builder.customOp("Concat", 4, "ai.onnx", ["x", "x"])
    assert str(error.value) == "Concat: the attribute 'axis' is required, and was not given."


def test_a_library_that_shadows_may_take_other_attributes(builder: Builder) -> None:
    leaky = OperatorIdentifier("ai.onnx", "LeakyRelu", 6)
    registry.OpCreator(SameShapeOp, [leaky], source=LIBRARY, override=True)
    (y,) = builder.customOp("LeakyRelu", 6, "ai.onnx", ["x"], {"slope": 0.5})
    assert builder.getFloatNodeAttribute("slope", [y]) == 0.5


def test_attributes_of_an_operator_without_schema(builder: Builder) -> None:
    attributes = {"i": 1, "f": 0.5, "s": "a", "is": [1, 2], "fs": [0.5], "ss": ["a"], "flag": True}
    (y,) = builder.customOp("Own", 3, "com.acme", ["x"], attributes, name="mine")
    assert y == "mine/Own:0"
    assert builder.getAllNodeAttributeNames([y]) == list(attributes)
    assert builder.getInt64NodeAttribute("flag", [y]) == 1
    assert builder.getInt64VectorNodeAttribute("is", [y]) == [1, 2]
    assert builder.getStringVectorNodeAttribute("ss", [y]) == ["a"]
    builder.customOp("Own", 3, "com.acme", ["x"], {"t": np.ones(2)})


def opset_of(builder: Builder, domain: str) -> int:
    again = Builder(builder.getModelProto())
    return again._opsets.versions[domain]


def test_domain_of_ones_own_grows_with_its_operators(builder: Builder) -> None:
    builder.customOp("Old", 1, "com.acme", ["x"])
    assert opset_of(builder, "com.acme") == 1
    builder.customOp("New", 3, "com.acme", ["x"])
    builder.customOp("Old", 1, "com.acme", ["x"])
    assert opset_of(builder, "com.acme") == 3


def test_an_operator_has_one_version_in_a_model(builder: Builder) -> None:
    builder.customOp("Own", 1, "com.acme", ["x"])
    with pytest.raises(OpsetVersionError) as error:
        builder.customOp("Own", 2, "com.acme", ["x"])
    assert str(error.value) == (
        "Own: the model has version 1 of this operator already; version 2 cannot stand beside it."
    )


def test_domain_does_not_grow_past_an_operator_in_use(builder: Builder) -> None:
    registry.OpCreator(SameShapeOp, [OperatorIdentifier("com.acme", "Old", v) for v in (1, 2)])
    builder.customOp("Old", 1, "com.acme", ["x"])
    with pytest.raises(OpsetVersionError) as error:
        builder.customOp("New", 3, "com.acme", ["x"])
    assert str(error.value) == (
        "Old: version 1 is not in force at version 3 of the domain com.acme, which New:3 needs; "
        "version 2 is."
    )
    assert opset_of(builder, "com.acme") == 1
