"""Which initializers a training session trains, and what it says of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import popir
from popir.onnxio.importer import import_model
from popir.trainable import Choice, Role, choose
from tests.models import floats, step, training_session

Array = np.ndarray[Any, Any]
Node = tuple[str, Sequence[str], str]


def model_of(
    nodes: Sequence[Node], values: dict[str, Any], producer: str = "", opset: int = 17
) -> onnx.ModelProto:
    """Nodes (operator, inputs, output) on the input x [2, 3, 4, 4], up to `y`, and the loss."""
    made = [helper.make_node(kind, ins, [out], f"n_{out}") for kind, ins, out in nodes]
    made.append(helper.make_node("ReduceMean", ["y"], ["loss"], "n_loss", keepdims=0))
    graph = helper.make_graph(
        made,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 4, 4])],
        [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
        [numpy_helper.from_array(np.asarray(v, np.float32), name) for name, v in values.items()],
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8, producer_name=producer)


def chosen(model: onnx.ModelProto, **told: Sequence[str]) -> dict[str, Choice]:
    return choose(import_model(model), **told)


def trained(model: onnx.ModelProto, **told: Sequence[str]) -> set[str]:
    return {name for name, each in chosen(model, **told).items() if each.role is Role.TRAINED}


KERNEL, ROWS = floats(3, 3, 1, 1), floats(4, 4)
LITERALS: dict[str, tuple[list[Node], dict[str, Any], str]] = {
    "factor": ([("Mul", ["x", "c"], "y")], {"c": 0.125}, "a number of rank 0, the input 1 of Mul"),
    "exponent": ([("Pow", ["x", "c"], "y")], {"c": [2.0]}, "the exponent of Pow 'n_y'"),
    "bound": ([("Clip", ["x", "c", "d"], "y")], {"c": -1, "d": 1}, "the lower bound of Clip 'n_y'"),
    "threshold": (
        [("Greater", ["x", "c"], "b"), ("Where", ["b", "x", "d"], "y")],
        {"c": [0.5], "d": 0},
        "the operand of Greater 'n_b'",
    ),
}


@pytest.mark.parametrize("name", ["factor", "exponent", "bound", "threshold"])
@pytest.mark.parametrize("producer", ["", "pytorch", "tf2onnx", "another"])
def test_literals_stay_and_need_no_gradient(name: str, producer: str) -> None:
    """In a file of whatever producer; the one that names its literals says so in another way."""
    nodes, values, why = LITERALS[name]
    if producer == "pytorch":
        names = {old: f"onnx::{nodes[0][0]}_{n}" for n, old in enumerate(values)}
        nodes = [(kind, [names.get(i, i) for i in ins], out) for kind, ins, out in nodes]
        values = {names[old]: value for old, value in values.items()}
    nodes = [
        ("Conv", ["x", "w"], "z"),
        *((k, ["z" if i == "x" else i for i in ins], o) for k, ins, o in nodes),
    ]
    model = model_of(nodes, {"w": KERNEL, **values}, producer)
    found = chosen(model)
    assert {each for each, choice in found.items() if choice.role is Role.TRAINED} == {"w"}
    if producer in ("", "another"):
        assert why in found["c"].reason
    session = training_session(model, "loss")
    assert session.choices == found
    step(session, {"x": floats(2, 3, 4, 4)})
    after = {each: np.empty_like(np.asarray(v, np.float32)) for each, v in values.items()}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(after))
    for each, value in values.items():
        np.testing.assert_array_equal(after[each], np.asarray(value, np.float32))


def test_optimizers_make_no_state_for_what_is_not_trained() -> None:
    model = model_of(
        [("Conv", ["x", "w"], "z"), ("Mul", ["z", "c"], "y")], {"w": KERNEL, "c": 0.125}
    )
    session = training_session(model, "loss", optimizer=popir.SGD({"defaultMomentum": (0.5, True)}))
    ids = session.getTensorIds()
    assert "Accl___w" in ids
    assert "Accl___c" not in ids and "Gradient___c" not in ids


# The names of one network in the files of different hands, and which of them are trained.
FILES: dict[str, tuple[str, list[Node], dict[str, Any], set[str]]] = {
    "tf2onnx": (
        "tf2onnx",
        [
            ("Sub", ["x", "model/normalization/Sub/y:0"], "a"),
            ("Conv", ["a", "const_fold_opt__12", "model/conv/BiasAdd/ReadVariableOp:0"], "b"),
            ("Mul", ["b", "model/lambda/mul/y:0"], "c"),
            ("MatMul", ["c", "model/dense/MatMul/ReadVariableOp:0"], "d"),
            ("Add", ["d", "model/dense/BiasAdd/ReadVariableOp:0"], "e"),
            ("Mul", ["e", "const_fold_opt__13"], "f"),
            ("Mul", ["f", "model/scale/ReadVariableOp:0"], "y"),
        ],
        {
            "model/normalization/Sub/y:0": np.ones((1, 3, 1, 1)),
            "const_fold_opt__12": KERNEL,
            "model/conv/BiasAdd/ReadVariableOp:0": np.ones(3),
            "model/lambda/mul/y:0": 0.5,
            "model/dense/MatMul/ReadVariableOp:0": ROWS,
            "model/dense/BiasAdd/ReadVariableOp:0": np.ones(4),
            "const_fold_opt__13": np.ones((1, 3, 1, 1)),
            "model/scale/ReadVariableOp:0": 1.5,
        },
        {
            "const_fold_opt__12",
            *("model/conv/BiasAdd/ReadVariableOp:0", "model/dense/MatMul/ReadVariableOp:0"),
            *("model/dense/BiasAdd/ReadVariableOp:0", "model/scale/ReadVariableOp:0"),
        },
    ),
    "PyTorch, traced": (
        "pytorch",
        [
            ("Sub", ["x", "norm_mean"], "a"),
            ("Conv", ["a", "onnx::Conv_31", "onnx::Conv_32"], "b"),
            ("Mul", ["b", "onnx::Mul_40"], "c"),
            ("MatMul", ["c", "onnx::MatMul_50"], "d"),
            ("Add", ["head.bias", "d"], "e"),
            ("Mul", ["e", "logit_scale"], "f"),
            ("Pow", ["f", "pool.p"], "g"),
            ("Add", ["g", "attention.mask"], "h"),
            ("Add", ["h", "causal"], "y"),
        ],
        {
            "norm_mean": np.ones((1, 3, 1, 1)),
            "onnx::Conv_31": KERNEL,
            "onnx::Conv_32": np.ones(3),
            "onnx::Mul_40": np.ones((3, 1, 1)),
            "onnx::MatMul_50": ROWS,
            "head.bias": np.ones(4),
            "logit_scale": 2.0,
            "pool.p": [3.0],
            "attention.mask": np.ones((4, 4)),
            "causal": np.triu(np.full((4, 4), -1e9), 1),
        },
        {
            *("onnx::Conv_31", "onnx::Conv_32", "onnx::MatMul_50"),
            *("head.bias", "logit_scale", "pool.p"),
        },
    ),
    "an unknown hand": (
        "",
        [
            ("Conv", ["x", "w"], "b"),
            ("MatMul", ["b", "matrix"], "d"),
            ("Add", ["d", "val_3"], "e"),
            ("Mul", ["e", "gain"], "f"),
            ("Mul", ["f", "val_4"], "g"),
            ("Add", ["g", "mask"], "h"),
            ("Mul", ["h", "one"], "y"),
        ],
        {
            "w": KERNEL,
            "matrix": ROWS,
            "val_3": np.ones(4),
            "gain": np.ones((3, 1, 1)),
            "val_4": np.ones((3, 1, 1)),
            "mask": np.triu(np.full((4, 4), -np.inf), 1),
            "one": 1.0,
        },
        {"w", "matrix", "val_3", "gain"},
    ),
}


@pytest.mark.parametrize("hand", FILES)
def test_names_of_exporters(hand: str) -> None:
    producer, nodes, values, want = FILES[hand]
    assert trained(model_of(nodes, values, producer)) == want


def test_a_builder_initialises_what_is_trained() -> None:
    """PopART's rule: constants are `aiOnnx.constant`'s."""
    builder = popir.Builder(opsets={"ai.onnx": 11})
    x = builder.addInputTensor("FLOAT", [2, 3])
    c = builder.addInitializedInputTensor(np.array(0.5, np.float32), "c")
    high = builder.addInitializedInputTensor(np.array(0.75, np.float32), "high")
    fixed = builder.aiOnnx.constant(np.array(2, np.float32))
    y = builder.aiOnnx.clip([builder.aiOnnx.mul([builder.aiOnnx.mul([x, c]), fixed]), "", high])
    loss = builder.aiGraphcore.identityloss([y])
    session = training_session(builder.getModelProto(), loss)
    assert {name: each.role for name, each in session.choices.items()} == {
        "c": Role.TRAINED,
        "high": Role.TRAINED,
    }
    step(session, {x: np.array([[1, 0.5, 0.25], [0.125, 2, -1]], np.float32)})
    after = {"c": np.zeros((), np.float32), "high": np.zeros((), np.float32)}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(after))
    # 1 and 2 are held by the bound; of the others the gradient is 2 x / 6.
    np.testing.assert_allclose(after["c"], 0.5 - 0.1 * 2 * (0.5 + 0.25 + 0.125 - 1) / 6, 1e-6)
    np.testing.assert_allclose(after["high"], 0.75 - 0.1 * 2 / 6, 1e-6)


def test_models_of_popart_name_no_producer() -> None:
    """They import ai.graphcore, and list each initializer among the inputs."""
    model = model_of([("Mul", ["x", "c"], "y")], {"c": 0.125})
    assert trained(model) == set()
    model.opset_import.append(helper.make_opsetid("ai.graphcore", 1))
    assert trained(model) == set()
    model.graph.input.append(helper.make_tensor_value_info("c", TensorProto.FLOAT, []))
    assert trained(model) == {"c"}


NETWORK = model_of(
    [("Conv", ["x", "a.w", "a.b"], "z"), ("MatMul", ["z", "b.w"], "v"), ("Mul", ["v", "c"], "y")],
    {"a.w": KERNEL, "a.b": np.ones(3), "b.w": ROWS, "c": 0.5},
)


@pytest.mark.parametrize(
    ("told", "want"),
    [
        ({}, {"a.w", "a.b", "b.w"}),
        ({"trained": ["c"]}, {"a.w", "a.b", "b.w", "c"}),
        ({"frozen": ["a.*"]}, {"b.w"}),
        ({"frozen": ["*"], "trained": ["b.*"]}, {"b.w"}),
        ({"frozen": ["a.w"], "trained": ["*"]}, {"a.b", "b.w", "c"}),
        ({"frozen": ["*"], "trained": ["?.w"]}, {"a.w", "b.w"}),
    ],
)
def test_names_given_go_before_the_rule(told: dict[str, list[str]], want: set[str]) -> None:
    assert trained(NETWORK, **told) == want
    session = popir.TrainingSession(
        NETWORK,
        popir.DataFlow(1, ["loss"]),
        "loss",
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
        **told,
    )
    ids = session.getTensorIds()
    assert {id.removeprefix("UpdatedVar___") for id in ids if id.startswith("UpdatedVar")} == want


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"trained": ["b.v"]}, r"trained: 'b.v' fits no initializer of the model. .*'b.w'"),
        ({"frozen": ["x.*"]}, r"frozen: 'x.\*' fits no initializer of the model"),
        ({"frozen": ["a.w"], "trained": ["a.w"]}, r"fits 'a.w' of trained and 'a.w' of frozen"),
    ],
)
def test_names_that_say_nothing_clear(told: dict[str, Any], words: str) -> None:
    with pytest.raises(popir.popart_exception, match=words):
        chosen(NETWORK, **told)


def test_integers_cannot_be_trained() -> None:
    nodes = [("Conv", ["x", "w"], "z"), ("Reshape", ["z", "shape"], "y")]
    model = model_of(nodes, {"w": KERNEL})
    model.graph.initializer.append(numpy_helper.from_array(np.array([2, 48]), "shape"))
    assert chosen(model)["shape"].reason == "int64 elements carry no gradient"
    assert trained(model, trained=["*"]) == {"w"}
    with pytest.raises(popir.popart_exception, match=r"'shape' cannot be trained: int64 elements"):
        chosen(model, trained=["shape"])


def test_nothing_trained_says_why_and_what_to_do() -> None:
    model = model_of([("Mul", ["x", "c"], "y")], {"c": 0.125})
    with pytest.raises(
        popir.popart_exception,
        match=r"None of the model's 1 floating-point initializers is trained: 'c': a number of "
        r"rank 0, the input 1 of Mul 'n_y'\. Name those that are to be: TrainingSession",
    ):
        training_session(model, "loss")


def test_of_many_that_are_not_trained_five_are_named() -> None:
    nodes = [("Mul", [f"y{i}", f"c{i}"], f"y{i + 1}") for i in range(7)]
    model = model_of(
        [("Neg", ["x"], "y0"), *nodes, ("Neg", ["y7"], "y")], {f"c{i}": 0.5 for i in range(7)}
    )
    with pytest.raises(popir.popart_exception, match="None of the model's 7 ") as caught:
        training_session(model, "loss")
    assert [f"'c{i}'" in str(caught.value) for i in range(7)] == [True] * 5 + [False] * 2


def test_what_is_frozen_or_not_trained_has_a_gradient_if_asked_for() -> None:
    session = training_session(NETWORK, "loss", ["Gradient___c"])
    found = step(session, {"x": floats(2, 3, 4, 4)})["Gradient___c"]
    assert found.shape == () and found != 0


class Everything(nn.Module):
    """Parameters of many shapes and uses, buffers and literals beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.positions = nn.Parameter(torch.randn(1, 6, 8))
        self.register_buffer("pe", torch.randn(1, 6, 8))
        self.register_buffer("mask", torch.full((6, 6), -1e4).triu(1))
        self.attention = nn.Linear(8, 24)
        self.norm = nn.LayerNorm(8)
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)
        self.conv, self.bn = nn.Conv1d(6, 4, 3), nn.BatchNorm1d(4)
        self.lstm = nn.LSTM(6, 5)
        self.layer_scale = nn.Parameter(torch.full((8,), 0.5))
        self.power = nn.Parameter(torch.tensor([3.0]))
        self.logit_scale = nn.Parameter(torch.tensor(0.7))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.words(x) + self.positions + self.pe
        q, k, v = self.attention(self.norm(y)).reshape(2, 6, 3, 8).permute(2, 0, 1, 3)
        scores = q @ k.transpose(1, 2) * 8**-0.5 + self.mask
        y = y + self.layer_scale * (scores.softmax(-1) @ v)
        u = self.up(y)
        y = y + self.down(0.5 * u * (1 + torch.tanh(0.79788 * (u + 0.044715 * u**3))))
        z = 0.25 * self.bn(self.conv(y))
        z = torch.sigmoid(z).pow(self.power)
        return self.lstm(z)[0].mean(0) * self.logit_scale.exp()


@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("dynamo", [True, False], ids=["default", "traced"])
def test_exactly_a_modules_parameters(dynamo: bool, training: bool, tmp_path: Path) -> None:
    """As far as their names survive; what was folded is trained if an operator takes it for a
    weight.
    """
    torch.manual_seed(0)
    module = Everything().train(training)
    with torch.no_grad():
        for weight in module.parameters():  # Equal ones would be merged.
            weight.add_(0.1 * torch.randn_like(weight))
    mode = torch.onnx.TrainingMode.TRAINING if training else torch.onnx.TrainingMode.EVAL
    options = (
        {"dynamo": True, "verbose": False, "optimize": not training}
        if dynamo
        else {"dynamo": False, "training": mode, "do_constant_folding": not training}
    )
    file = tmp_path / "m.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (torch.arange(12).reshape(2, 6),), str(file), **options)
    model = onnx.load(file)
    names = {t.name for t in model.graph.initializer}
    parameters = {name for name, _ in module.named_parameters()}
    found = trained(model)
    assert found & parameters == names & parameters
    folded = found - parameters
    uses = {i: (n.op_type, k) for n in model.graph.node for k, i in enumerate(n.input)}
    weights = {("Conv", 1), ("Conv", 2), ("MatMul", 1), *(("LSTM", k) for k in (1, 2, 3))}
    assert {uses[name] for name in folded} <= weights
    if training and not dynamo:  # Only an LSTM's weights have no names there.
        assert {name for name in parameters - found if not name.startswith("lstm.")} == set()


@pytest.mark.parametrize("opset", [20, 23])
def test_the_default_exporters_folded_scales(opset: int, tmp_path: Path) -> None:
    """The ones that stand for the scale of a layer without weights are no parameter, and what was
    made of a buffer is none; a parameter that was reshaped is one.
    """

    class Norms(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.plain, self.scaled = nn.LayerNorm(6, elementwise_affine=False), nn.GroupNorm(2, 4)
            self.instance = nn.InstanceNorm1d(4)
            self.weight = nn.Parameter(torch.ones(4))
            self.register_buffer("inv_freq", torch.rand(6), persistent=False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.instance(self.scaled(self.plain(x))) * self.weight[:, None]
            return y @ (self.inv_freq[None].expand(6, 6) + 0.0)

    module = Norms()
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    file = tmp_path / "m.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module, (torch.ones(2, 4, 6),), file, dynamo=True, verbose=False, opset_version=opset
        )
    model = onnx.load(file)
    arrays = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    found = [arrays[name].ravel() for name in trained(model)]
    assert len(found) == 3
    for weight in module.parameters():
        assert any(np.array_equal(each, weight.detach().numpy()) for each in found)


class Scaled(nn.Module):
    """A layer with a parameter and a buffer of its own, which are equal."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(6))
        self.register_buffer("limits", torch.ones(6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.minimum(x * self.weight, self.limits)


def test_merged_parameters_of_layers_of_ones_own(tmp_path: Path) -> None:
    """The exporter stores the ones of all layers once, under the name of one."""
    file = tmp_path / "m.onnx"
    module = nn.Sequential(Scaled(), nn.Linear(6, 6), Scaled())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (torch.ones(2, 6),), file, dynamo=True, verbose=False)
    model = onnx.load(file)
    assert len([t for t in model.graph.initializer if t.dims == [6] and t.name != "1.bias"]) == 1
    (output,) = model.graph.output
    model.graph.node.append(helper.make_node("ReduceSum", [output.name], ["loss"], keepdims=0))
    session = training_session(model, "loss")
    assert {name for name, each in session.choices.items() if each.role is Role.TRAINED} == {
        name for name, _ in module.named_parameters()
    }


def test_an_identity_of_one_element_keeps_its_gradient_in_a_builders_model() -> None:
    """Exporters write an Identity for a weight that they have merged; a Builder means it."""
    builder = popir.Builder()
    w = builder.addInitializedInputTensor(np.array([2], np.float32), "w")
    x = builder.addInputTensor("FLOAT", [3])
    on = builder.aiOnnx
    y = on.add([on.mul([x, w]), on.mul([on.identity([w]), on.identity([w])])])
    loss = builder.aiGraphcore.identityloss([y], popir.ReductionType.Sum)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, ["Gradient___w"]),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: np.array([1, 2, 4], np.float32)}, anchors))
    np.testing.assert_allclose(anchors["Gradient___w"], [7 + 3 * 2 * 2.0])


class Blur(torch.nn.Module):
    """A parameter and buffers of names that are nobody's own."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(6, 6)
        self.gain = torch.nn.Parameter(torch.rand(6))
        self.register_buffer("gauss_kernel", torch.rand(6, 6))
        self.register_buffer("grid", torch.rand(4, 6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ((self.linear(x) @ self.gauss_kernel + self.grid) * self.gain).tanh().mean()


@pytest.mark.parametrize("dynamo", [True, False], ids=["default", "traced"])
def test_the_reason_says_no_more_than_the_file(dynamo: bool, tmp_path: Path) -> None:
    """A traced file does not tell parameters from buffers; one of the default exporter does."""
    file = tmp_path / "m.onnx"
    more = {"verbose": False} if dynamo else {"training": torch.onnx.TrainingMode.TRAINING}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(Blur(), (torch.rand(4, 6),), str(file), dynamo=dynamo, **more)
    found = chosen(onnx.load(file))
    untold = {name for name, each in found.items() if each.is_untold}
    assert untold == (set() if dynamo else {"gain", "gauss_kernel", "grid"})
    if dynamo:
        assert found["grid"].role is found["gauss_kernel"].role is Role.CONSTANT
    else:
        reasons = {found[f"linear.{each}"].reason for each in ("weight", "bias")}
        assert reasons == {"it is named as the parameters of PyTorch's own modules are"}
        assert "does not tell them apart: freeze it if it is a buffer" in found["grid"].reason
    frozen = chosen(onnx.load(file), frozen=["grid", "gauss_*"])
    assert {n for n, each in frozen.items() if each.role is Role.TRAINED and "linear" not in n} == {
        "gain"
    }
