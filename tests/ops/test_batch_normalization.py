"""The state of batch normalization in training: each version against its definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import popir
from popir.trainable import Role
from tests.models import floats, step, training_session

Array = np.ndarray[Any, Any]
MOMENTUM, EPSILON, RATE = 0.75, 1e-3, 0.5
OUTPUTS = ["y", "mean_out", "var_out", "saved_mean", "saved_var"]


def model_of(
    opset: int,
    shape: Sequence[int],
    outputs: int | None = None,
    dtype: Any = np.float32,
    producer: str = "",
    **attributes: Any,
) -> onnx.ModelProto:
    """A layer in training, and the sum of its output times `weigh` as the loss."""
    if opset >= 14:
        attributes["training_mode"] = attributes.get("training_mode", 1)
    outputs = outputs or (3 if opset >= 14 else 5)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    ins = ["x", "scale", "bias", "mean", "var"]
    values = {name: value(name, shape, dtype) for name in [*ins[1:], "weigh"]}
    nodes = [
        helper.make_node(
            "BatchNormalization",
            ins,
            OUTPUTS[:outputs],
            "bn",
            momentum=MOMENTUM,
            epsilon=EPSILON,
            **attributes,
        ),
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(values.pop("weigh"))),
        helper.make_node("Mul", ["y", "c"], ["weighed"]),
        helper.make_node("ReduceSum", ["weighed"], ["loss"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", kind, shape)],
        [helper.make_tensor_value_info("loss", kind, [])],
        [numpy_helper.from_array(v, name) for name, v in values.items()],
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8, producer_name=producer)


def value(name: str, shape: Sequence[int], dtype: Any = np.float32) -> Array:
    seed = ["x", "scale", "bias", "mean", "var", "weigh"].index(name)
    whole = name in ("x", "weigh")
    channels = shape[1:2] if len(shape) > 1 else [1]
    array = floats(*(shape if whole else channels), seed=seed)
    array = np.abs(array) + 0.5 if name == "var" else array + (2 if name == "x" else 0)
    return array.astype(dtype)


def statistics(x: Array) -> tuple[Array, Array]:
    """Mean and population variance of each channel, in double."""
    axes = tuple(d for d in range(x.ndim) if d != 1)
    wide = x.astype(np.float64)
    return wide.mean(axes), wide.var(axes)


def after(session: Any, *names: str) -> list[Array]:
    """Weights and states, as they are on the device."""
    session.weightsToHost()
    infos = {name: session.getInfo(name) for name in names}
    found = {n: np.empty(info.shape(), info.dataType().numpy) for n, info in infos.items()}
    session.readWeights(popir.PyWeightsIO(found))
    return list(found.values())


@pytest.mark.parametrize("shape", [[6, 3], [4, 3, 5], [2, 3, 4, 2], [2, 3, 2, 3, 2]], ids=len)
@pytest.mark.parametrize("opset", [7, 8, 9, 14, 15])
def test_running_statistics_follow_the_definition(opset: int, shape: list[int]) -> None:
    """running * momentum + batch * (1 - momentum), of the population variance, for three steps."""
    session = training_session(model_of(opset, shape), "loss", ["y"], popir.ConstSGD(RATE))
    roles = {name: choice.role for name, choice in session.choices.items()}
    assert roles == {
        **dict.fromkeys(("scale", "bias"), Role.TRAINED),
        **dict.fromkeys(("mean", "var"), Role.STATE),
    }
    mean, var = (value(name, shape).astype(np.float64) for name in ("mean", "var"))
    for n in range(3):
        x = value("x", shape) + n
        step(session, {"x": x})
        own_mean, own_var = statistics(x)
        mean = MOMENTUM * mean + (1 - MOMENTUM) * own_mean
        var = MOMENTUM * var + (1 - MOMENTUM) * own_var
    found_mean, found_var = after(session, "mean", "var")
    np.testing.assert_allclose(found_mean, mean, 1e-5)
    np.testing.assert_allclose(found_var, var, 1e-5)


@pytest.mark.parametrize("opset", [14, 15])
def test_outputs_are_those_of_the_reference(opset: int) -> None:
    """Running outputs may be anchored, too, and state all the same."""
    shape = [4, 3, 5]
    model = model_of(opset, shape)
    anchors = ["y", "mean_out", "var_out"]
    session = training_session(model, "loss", anchors, popir.ConstSGD(RATE))
    found = step(session, {"x": value("x", shape)})
    # The reference knows the functions of version 14 alone, and those of 15 are the same.
    model = model_of(14, shape)
    del model.graph.output[:]
    model.graph.output.extend(helper.make_tensor_value_info(id, 1, None) for id in anchors)
    del model.graph.node[1:]
    want = ReferenceEvaluator(model).run(None, {"x": value("x", shape)})
    for id, array in zip(anchors, want, strict=True):
        np.testing.assert_allclose(found[id], array, 1e-4, 1e-6)
    mean, var = after(session, "mean", "var")
    np.testing.assert_array_equal(mean, found["mean_out"])
    np.testing.assert_array_equal(var, found["var_out"])


TYPES = [np.float32, np.float16, ml_dtypes.bfloat16, np.float64]


def tolerance(dtype: Any) -> float:
    """Relative, for a value that was rounded to this type a few times."""
    return max(1e-5, 3 * float(ml_dtypes.finfo(dtype).eps))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("producer", ["pytorch", "popart's own"])
def test_the_unbiased_variance_is_that_of_pytorch_and_of_poparts_operator(
    producer: str, dtype: Any
) -> None:
    shape = [4, 3, 2]
    model = model_of(15 if producer == "pytorch" else 13, shape, dtype=dtype, producer=producer)
    if producer != "pytorch":
        model.graph.node[0].domain = "ai.graphcore"
        model.opset_import.append(helper.make_opsetid("ai.graphcore", 1))
    session = training_session(model, "loss", ["loss"])
    x = value("x", shape, dtype)
    step(session, {"x": x})
    (var,) = after(session, "var")
    own = x.astype(np.float64).var((0, 2), ddof=1)
    want = MOMENTUM * value("var", shape, dtype).astype(np.float64) + (1 - MOMENTUM) * own
    np.testing.assert_allclose(var.astype(np.float64), want, tolerance(dtype))


def test_one_element_for_each_channel() -> None:
    """Its variance is zero, and there is no unbiased one: an error, as in PyTorch."""
    shape = [1, 3]
    session = training_session(model_of(14, shape), "loss", ["y"])
    found = step(session, {"x": value("x", shape)})
    np.testing.assert_allclose(found["y"], [value("bias", shape)], 1e-4, 1e-5)
    mean, var = after(session, "mean", "var")
    np.testing.assert_allclose(var, MOMENTUM * value("var", shape), 1e-6)
    x, old = value("x", shape)[0], value("mean", shape)
    np.testing.assert_allclose(mean, MOMENTUM * old + (1 - MOMENTUM) * x, 1e-5)
    with pytest.raises(
        popir.OperatorInputError, match=r"\[1, 3\] have one element for each channel"
    ):
        training_session(model_of(14, shape, producer="pytorch"), "loss")


@pytest.mark.parametrize(
    ("dtype", "opset"), [(np.float16, 9), (np.float16, 15), (ml_dtypes.bfloat16, 15)]
)
def test_half_is_computed_in_float(dtype: Any, opset: int) -> None:
    """A sum of squares of these data is beyond half's range, and so is their sum; bfloat16 stops
    counting at 256.
    """
    shape = [64, 2, 8, 8]
    x = (100 + 20 * floats(*shape)).astype(dtype)
    session = training_session(model_of(opset, shape, dtype=dtype), "loss", ["y"])
    found = step(session, {"x": x})
    mean, var = statistics(x)
    scale, bias, old_mean, old_var = (
        value(name, shape, dtype).astype(np.float64) for name in ("scale", "bias", "mean", "var")
    )
    wide = np.moveaxis(x.astype(np.float64), 1, -1)
    want = np.moveaxis((wide - mean) / np.sqrt(var + EPSILON) * scale + bias, -1, 1)
    near = tolerance(dtype)
    np.testing.assert_allclose(found["y"].astype(np.float64), want, near, near)
    found_mean, found_var = (each.astype(np.float64) for each in after(session, "mean", "var"))
    np.testing.assert_allclose(found_var, MOMENTUM * old_var + (1 - MOMENTUM) * var, near)
    np.testing.assert_allclose(found_mean, MOMENTUM * old_mean + (1 - MOMENTUM) * mean, near)


def test_several_batches_in_a_step_and_a_state_that_is_frozen() -> None:
    shape, batches = [4, 3, 5], 5
    x = np.stack([value("x", shape) + n for n in range(batches)])
    model = model_of(15, shape)
    together = training_session(model, "loss", ["loss"], batches=batches)
    step(together, {"x": x})
    single = training_session(model, "loss", ["loss"])
    for each in x:
        step(single, {"x": each})
    for one, other in zip(
        after(together, "mean", "var"), after(single, "mean", "var"), strict=True
    ):
        np.testing.assert_array_equal(one, other)
        assert not np.array_equal(one, value("mean", shape))
    frozen = popir.TrainingSession(
        model,
        popir.DataFlow(1, ["loss"]),
        "loss",
        popir.ConstSGD(RATE),
        popir.DeviceManager().createCpuDevice(),
        frozen=["mean", "bias"],
    )
    frozen.prepareDevice()
    step(frozen, {"x": x[0]})
    scale, bias, mean, var = after(frozen, "scale", "bias", "mean", "var")
    np.testing.assert_array_equal(mean, value("mean", shape))
    np.testing.assert_array_equal(bias, value("bias", shape))
    assert not np.array_equal(var, value("var", shape))
    assert not np.array_equal(scale, value("scale", shape))


def test_state_is_saved_and_found_again(tmp_path: Any) -> None:
    shape = [4, 3, 5]
    session = training_session(model_of(15, shape), "loss", ["loss"])
    step(session, {"x": value("x", shape)})
    session.modelToHost(str(tmp_path / "m.onnx"))
    saved = {
        t.name: numpy_helper.to_array(t) for t in onnx.load(tmp_path / "m.onnx").graph.initializer
    }
    for name, array in zip(("mean", "var"), after(session, "mean", "var"), strict=True):
        np.testing.assert_array_equal(saved[name], array)
        assert not np.array_equal(array, value(name, shape))


@pytest.mark.parametrize("optimize", ["nothing", "outlining"])
def test_layers_that_share_statistics_update_them_in_turn(optimize: str) -> None:
    """As PopART's own test has it, where each layer reads what the one before it has left, and as
    PyTorch exports a module that is used several times.
    """
    shape, layers = [4, 3, 5], 6
    nodes = []
    for n in range(layers):
        before = [f"mean{n - 1}", f"var{n - 1}"] if n % 2 else ["mean", "var"]
        ins = [f"y{n - 1}" if n else "x", "scale", "bias", *before]
        outs = [f"y{n}", f"mean{n}", f"var{n}", f"m{n}", f"v{n}"]
        attributes = {"momentum": MOMENTUM, "epsilon": EPSILON}
        nodes.append(helper.make_node("BatchNormalization", ins, outs, f"bn{n}", **attributes))
    nodes.append(helper.make_node("ReduceMean", [f"y{layers - 1}"], ["loss"], keepdims=0))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", 1, shape)],
        [helper.make_tensor_value_info("loss", 1, [])],
        [
            numpy_helper.from_array(value(name, shape), name)
            for name in ("scale", "bias", "mean", "var")
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=8)
    outlining = {"enableOutlining": True, "outlineThreshold": 0.0}
    options = popir.SessionOptions(**outlining if optimize == "outlining" else {})
    session = training_session(model, "loss", ["loss"], options=options)
    step(session, {"x": value("x", shape)})
    y, mean, var = (value(name, shape).astype(np.float64) for name in ("x", "mean", "var"))
    for _ in range(layers):
        own_mean, own_var = statistics(y)
        mean = MOMENTUM * mean + (1 - MOMENTUM) * own_mean
        var = MOMENTUM * var + (1 - MOMENTUM) * own_var
        y = (y - own_mean[:, None]) / np.sqrt(own_var[:, None] + EPSILON)
        y = y * value("scale", shape)[:, None] + value("bias", shape)[:, None]
    found_mean, found_var = after(session, "mean", "var")
    np.testing.assert_allclose(found_mean, mean, 1e-4)
    np.testing.assert_allclose(found_var, var, 1e-4)


@pytest.mark.parametrize(
    ("second", "named"),
    [(["mean", "mean"], "'mean'"), (["var0", "var"], "'var'")],
    ids=["one initializer", "what another layer has left"],
)
def test_a_statistic_that_one_layer_would_update_twice_is_refused(
    second: list[str], named: str
) -> None:
    shape = [4, 3, 5]
    model = model_of(15, shape)
    given = next(node for node in model.graph.node if node.op_type == "BatchNormalization")
    outputs = ["first", "mean0", "var0"]
    before = helper.make_node(
        "BatchNormalization", ["x", "scale", "bias", "mean", "var"], outputs, training_mode=1
    )
    given.input[0] = "first"
    given.input[3:] = second
    nodes = [before, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    with pytest.raises(
        popir.OperatorInputError, match=f"inputs 3 and 4 are both the state {named}"
    ):
        training_session(model, "loss", ["loss"])


def test_statistics_behind_a_detach_are_state() -> None:
    """PopTorch puts one there."""
    shape = [4, 3, 5]
    model = model_of(9, shape)
    model.opset_import.append(helper.make_opsetid("ai.graphcore", 1))
    nodes = list(model.graph.node)
    for i, name in ((3, "mean"), (4, "var")):
        nodes[0].input[i] = f"{name}/detached"
        detach = helper.make_node("Detach", [name], [f"{name}/detached"], domain="ai.graphcore")
        nodes.append(detach)
    del model.graph.node[:]
    model.graph.node.extend([*nodes[-2:], *nodes[:-2]])
    session = training_session(model, "loss", ["loss"])
    assert session.choices["mean"].role is Role.STATE
    step(session, {"x": value("x", shape)})
    (mean,) = after(session, "mean")
    own = MOMENTUM * value("mean", shape) + (1 - MOMENTUM) * statistics(value("x", shape))[0]
    np.testing.assert_allclose(mean, own, 1e-5)


def test_frozen_statistics_let_gradients_through_and_may_be_trained() -> None:
    """Against the closed form; nothing is trained that nobody asks for."""
    shape = [4, 3, 5]
    model = model_of(15, shape, 1, training_mode=0)
    session = training_session(model, "loss", ["Gradient___x"], popir.ConstSGD(RATE))
    assert {name: each.role for name, each in session.choices.items()} == {
        **dict.fromkeys(("scale", "bias"), Role.TRAINED),
        **dict.fromkeys(("mean", "var"), Role.CONSTANT),
    }
    assert session.choices["mean"].reason == "the frozen mean of BatchNormalization 'bn'"
    found = step(session, {"x": value("x", shape)})["Gradient___x"]
    g = value("weigh", shape)
    std = np.sqrt(value("var", shape) + EPSILON)
    factor = (value("scale", shape) / std)[:, None]
    np.testing.assert_allclose(found, g * factor, 1e-5)
    mean, var = after(session, "mean", "var")
    np.testing.assert_array_equal(mean, value("mean", shape))
    np.testing.assert_array_equal(var, value("var", shape))
    session = popir.TrainingSession(
        model,
        popir.DataFlow(1, ["loss"]),
        "loss",
        popir.ConstSGD(RATE),
        popir.DeviceManager().createCpuDevice(),
        trained=["mean"],
    )
    session.prepareDevice()
    step(session, {"x": value("x", shape)})
    (mean,) = after(session, "mean")
    gradient = -(g * factor).sum((0, 2))
    np.testing.assert_allclose(mean, value("mean", shape) - RATE * gradient, 1e-4)


def test_running_statistics_cannot_be_trained() -> None:
    with pytest.raises(
        popir.popart_exception,
        match="'mean' cannot be trained: it is the running mean of BatchNormalization 'bn', which",
    ):
        popir.TrainingSession(
            model_of(15, [4, 3]),
            popir.DataFlow(1, ["loss"]),
            "loss",
            popir.ConstSGD(RATE),
            popir.DeviceManager().createCpuDevice(),
            trained=["mean"],
        )


def test_initializers_that_an_exporter_has_merged_are_separated() -> None:
    """Zeros are the bias and the mean, ones the scale and the variance."""
    shape = [4, 3, 5]
    model = model_of(15, shape)
    model.graph.node[0].input[3] = "bias"
    model.graph.node[0].input[4] = "scale"
    before = model.SerializeToString()
    session = training_session(model, "loss", ["loss"], popir.ConstSGD(RATE))
    assert model.SerializeToString() == before
    assert {name: each.role.value for name, each in session.choices.items()} == {
        "scale": "trained",
        "bias": "trained",
        "mean": "constant",
        "var": "constant",
        "scale.running_mean": "state",
        "scale.running_var": "state",
    }
    x = value("x", shape)
    step(session, {"x": x})
    bias, mean = after(session, "bias", "scale.running_mean")
    old, own = value("bias", shape), statistics(x)[0]
    np.testing.assert_allclose(mean, MOMENTUM * old + (1 - MOMENTUM) * own, 1e-5)
    np.testing.assert_allclose(bias, old - RATE * value("weigh", shape).sum((0, 2)), 1e-4)


def test_a_model_may_keep_a_state_of_its_own() -> None:
    """CopyVarUpdate, of a counter and of a moving average."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [3])
    w = builder.addInitializedInputTensor(np.ones(3, np.float32), "w")
    average = builder.addInitializedInputTensor(np.zeros(3, np.float32), "average")
    count = builder.addInitializedInputTensor(np.array([0], np.int32), "count")
    one = builder.aiOnnx.constant(np.array([1], np.int32))
    half = builder.aiOnnx.constant(np.array(0.5, np.float32))
    mixed = builder.aiOnnx.mul([builder.aiOnnx.add([average, x]), half])
    builder.aiGraphcore.copyvarupdate([average, mixed])
    builder.aiGraphcore.copyvarupdate([count, builder.aiOnnx.add([count, one])])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([w, x])])
    session = training_session(builder.getModelProto(), loss, [loss], batches=4)
    assert {name: each.role.value for name, each in session.choices.items()} == {
        "w": "trained",
        "average": "state",
        "count": "state",
    }
    given = floats(4, 3)
    step(session, {x: given})
    found, counted = after(session, "average", "count")
    want = np.zeros(3)
    for row in given:
        want = (want + row) / 2
    np.testing.assert_allclose(found, want, 1e-5)
    assert counted == [4]
    with pytest.raises(popir.popart_exception, match="'average' cannot be frozen: the operator"):
        popir.TrainingSession(
            builder.getModelProto(),
            popir.DataFlow(1, [loss]),
            loss,
            popir.ConstSGD(RATE),
            popir.DeviceManager().createCpuDevice(),
            frozen=["average"],
        )
