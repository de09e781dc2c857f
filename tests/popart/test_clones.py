"""Clones of built-in operators have all their attributes and annotations."""

import ctypes
import logging
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

import popir
from tests.popart.conftest import Library
from tests.popart.graphs import floats
from tests.popart.libraries import isolated
from tests.popart.test_operator_classes import Lines

Node = tuple[str, list[np.ndarray], dict[str, Any]]

HIDDEN = 4
X = np.array([[1.5, -0.25, 0.5], [-2.5, 3.5, -0.125]], "float32")
POSITIVE = np.abs(X) + 0.5
STEPS = floats(5, 2, 3)


def model(
    type: str, inputs: list[np.ndarray], domain: str, opset: int, **attributes: Any
) -> onnx.ModelProto:
    """A model of one node. Weights of recurrent layers, and axes, are constants."""
    names = [f"in{i}" for i in range(len(inputs))]
    outs = ["out", "cell"] if domain and type == "LSTM" else ["out"]
    node = onnx.helper.make_node(type, names, outs, domain=domain, **attributes)
    kinds = [onnx.helper.np_dtype_to_tensor_dtype(x.dtype) for x in inputs]
    fixed = len(inputs) if type not in ("RNN", "GRU", "LSTM", "Clip", "Pad") else 1
    fixed = 1 if type.startswith("Reduce") else fixed
    graph = onnx.helper.make_graph(
        [node],
        "g",
        [
            onnx.helper.make_tensor_value_info(name, kind, x.shape)
            for name, kind, x in list(zip(names, kinds, inputs, strict=True))[:fixed]
        ],
        [onnx.ValueInfoProto(name="out")],
        [
            onnx.numpy_helper.from_array(x, name)
            for name, x in list(zip(names, inputs, strict=True))[fixed:]
        ],
    )
    opsets = [onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("ai.graphcore", 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)


def cloned(proto: onnx.ModelProto, inputs: list[np.ndarray], *patterns: str) -> np.ndarray:
    enabled = popir.Patterns()
    for name in patterns or ("Clone",):
        enabled.enablePattern(name, True)
    session = popir.InferenceSession(
        proto.SerializeToString(),
        popir.DataFlow(1, ["out"]),
        popir.DeviceManager().createCpuDevice(),
        patterns=enabled,
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    feeds = {each.name: inputs[i] for i, each in enumerate(proto.graph.input)}
    session.run(popir.PyStepIO(feeds, anchors))
    return anchors["out"]


def recurrent(type: str, gates: int, **attributes: Any) -> Node:
    n = 2 if attributes.get("direction") == "bidirectional" else 1
    rows = gates * HIDDEN
    weights = [floats(n, rows, 3), floats(n, rows, HIDDEN), floats(n, 2 * rows)]
    return type, [STEPS, *weights], {"hidden_size": HIDDEN, **attributes}


def of_onnx() -> list[Node]:
    """Nodes of opset 13, or of that in "opset", which onnxruntime computes, too."""
    small, booleans = np.clip(X, -0.9, 0.9), X > 0
    special = np.array([[1, np.inf, -np.inf], [np.nan, 0, -1]], "float32")
    same = np.where(booleans, X, 0).astype("float32")
    axes = np.array([-1], "int64")
    reductions = "Sum Mean Max Min Prod SumSquare L1 L2 LogSum LogSumExp".split()
    return [
        ("Asin", [small], {}),
        *((type, [X], {}) for type in ("Atan", "Cosh", "Sinh", "Softplus", "Round")),
        ("Not", [booleans], {}),
        ("IsInf", [special], {"detect_negative": 0}),
        ("IsInf", [special], {"detect_positive": 0}),
        ("IsNaN", [special], {}),
        *((type, [X, same], {}) for type in ("Equal", "Less", "Greater", "Max", "Min")),
        *((type, [booleans, X > 1], {}) for type in ("And", "Or")),
        ("Pow", [POSITIVE, X], {}),
        *((type, [X], {"alpha": 0.25}) for type in ("Elu", "LeakyRelu", "ThresholdedRelu")),
        ("Selu", [X], {"alpha": 0.5, "gamma": 2.0}),
        ("HardSigmoid", [X], {"alpha": 0.25, "beta": 0.375}),
        ("Shrink", [X], {"lambd": 0.25, "bias": 0.125}),
        ("LRN", [X.reshape(1, *X.shape, 1)], {"alpha": 0.5, "beta": 0.5, "bias": 2.0, "size": 3}),
        *(
            (f"Reduce{kind}", [POSITIVE], {"axes": [-1], "keepdims": 0, "opset": 11})
            for kind in reductions
        ),
        ("ReduceSum", [X], {"noop_with_empty_axes": 1}),
        ("ReduceSum", [X, axes], {"keepdims": 0}),
        ("ReduceMax", [X], {"axes": [0, -1], "keepdims": 1}),
        ("Gemm", [X, X, np.ascontiguousarray(X[:, :2])], {"alpha": 0.5, "beta": 2.0, "transB": 1}),
        recurrent("RNN", 1, direction="reverse", activations=["Relu"]),
        recurrent("RNN", 1, clip=0.25),
        recurrent("RNN", 1, direction="bidirectional", activations=["Tanh", "Relu"]),
        recurrent("GRU", 3, direction="reverse", linear_before_reset=1),
        recurrent("GRU", 3, clip=0.25),
        recurrent("GRU", 3, activations=["Sigmoid", "Relu"]),
        recurrent("LSTM", 4, direction="reverse"),
        recurrent("LSTM", 4, direction="bidirectional"),
        recurrent("LSTM", 4, clip=0.25),
        recurrent("LSTM", 4, input_forget=1),
        recurrent("LSTM", 4, activations=["Sigmoid", "Relu", "Tanh"]),
        recurrent(
            "LSTM",
            4,
            activations=["HardSigmoid", "Tanh", "LeakyRelu"],
            activation_alpha=[0.25, 0.5],
            activation_beta=[0.375],
        ),
        # Classes that were there before these.
        ("Softmax", [X], {"axis": 0}),
        ("Transpose", [X], {"perm": [1, 0]}),
        ("Concat", [X, X], {"axis": -1}),
        ("Clip", [X, np.array(-1, "float32"), np.array(1, "float32")], {}),
        ("Pad", [X, np.array([0, 1, 1, 0], "int64")], {"mode": "reflect"}),
        ("Gather", [X, np.array([1, 0], "int32")], {"axis": 1}),
        ("Cast", [X], {"to": onnx.TensorProto.INT32}),
        (
            "Conv",
            [floats(1, 4, 5, 5), floats(4, 2, 3, 3)],
            {"auto_pad": "SAME_UPPER", "group": 2, "strides": [2, 2], "kernel_shape": [3, 3]},
        ),
        (
            "ConvTranspose",
            [floats(1, 4, 5, 5), floats(4, 2, 3, 3)],
            {"strides": [2, 2], "output_padding": [1, 0], "pads": [1, 0, 0, 1]},
        ),
    ]


def of_graphcore() -> list[tuple[str, list[np.ndarray], dict[str, Any], np.ndarray]]:
    x = torch.tensor(X)
    functional = torch.nn.functional
    lstm = torch.nn.LSTM(3, HIDDEN, bias=False)
    weights = [lstm.get_parameter(f"weight_{each}_l0").detach().numpy() for each in ("ih", "hh")]
    # PopART has forget, input, candidate, output, and weights [inputs + hidden, hidden].
    joined = np.concatenate(weights, 1).reshape(4, HIDDEN, 3 + HIDDEN)[[1, 0, 2, 3]]
    with torch.no_grad():
        states = lstm(torch.tensor(STEPS))[0].numpy()
    return [
        ("Expm1", [X], {}, np.expm1(X)),
        ("Log1p", [POSITIVE], {}, np.log1p(POSITIVE)),
        ("Gelu", [X], {}, functional.gelu(x, approximate="tanh").numpy()),
        ("GeluErf", [X], {}, functional.gelu(x).numpy()),
        ("Swish", [X], {}, functional.silu(x).numpy()),
        ("NearbyInt", [X], {}, np.rint(X)),
        ("Fmod", [X, POSITIVE], {}, np.fmod(X, POSITIVE)),
        ("Atan2", [X, POSITIVE], {}, np.arctan2(X, POSITIVE)),
        (
            "LSTM",
            [STEPS, np.ascontiguousarray(joined.transpose(0, 2, 1))],
            {"outputFullSequence": 0},
            states[-1],
        ),
    ]


def heard() -> Lines:
    lines = Lines()
    logger = logging.getLogger("popir.pattern")
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    return lines


def check_clones(library: str) -> None:
    ctypes.CDLL(library)
    lines = heard()
    seen = set()
    for type, inputs, attributes in of_onnx():
        opset = attributes.pop("opset", 13)
        proto = model(type, inputs, "", opset, **attributes)
        feeds = {each.name: inputs[i] for i, each in enumerate(proto.graph.input)}
        ran = onnxruntime.InferenceSession(proto.SerializeToString()).run(None, feeds)
        expected = np.asarray(ran[0])
        lines.lines.clear()
        y = cloned(proto, inputs)
        what = f"{type} {attributes}"
        np.testing.assert_allclose(y, expected, rtol=2e-5, atol=2e-6, err_msg=what)
        assert y.dtype == expected.dtype, what
        seen |= {line for line in lines.lines if line.startswith("function")}
    for type, inputs, attributes, expected in of_graphcore():
        lines.lines.clear()
        y = cloned(model(type, inputs, "ai.graphcore", 11, **attributes), inputs)
        np.testing.assert_allclose(y, expected, rtol=2e-5, atol=2e-6, err_msg=type)
        seen |= {f"{line} of PopART" for line in lines.lines if line.startswith("function")}
    # Of 47 classes; RNN, GRU and Shrink consist of other operators before a pattern sees them.
    assert len(seen) == 44, sorted(seen)
    # Batches first, which onnxruntime does not have.
    type, inputs, attributes = recurrent("LSTM", 4)
    plain = cloned(model(type, inputs, "", 14, **attributes), inputs)
    turned = [np.ascontiguousarray(STEPS.transpose(1, 0, 2)), *inputs[1:]]
    y = cloned(model(type, turned, "", 14, layout=1, **attributes), turned)
    np.testing.assert_allclose(y, plain.transpose(2, 0, 1, 3), rtol=1e-6)


def test_clones_have_all_attributes(library: Library, tmp_path: Path) -> None:
    isolated(check_clones, library("clones"), cwd=tmp_path)


def check_products(library: str) -> None:
    ctypes.CDLL(library)
    lines = heard()
    inputs = [X, floats(3, 4)]
    proto = model("MatMul", inputs, "", 13)
    for patterns, expected in (
        (["Plans"], "pass true"),
        (["Apart", "Plans"], "pass false"),
        (["Apart", "Clone", "Plans"], "pass false"),
    ):
        lines.lines.clear()
        y = cloned(proto, inputs, *patterns)
        np.testing.assert_allclose(y, inputs[0] @ inputs[1], rtol=1e-5)
        passes = [line for line in lines.lines if line.startswith("pass")]
        assert passes[-1] == expected, (patterns, passes)


def test_how_products_are_planned_is_kept(library: Library, tmp_path: Path) -> None:
    isolated(check_products, library("clones"), cwd=tmp_path)


def check_updates(library: str) -> None:
    ctypes.CDLL(library)
    optimizers = {
        "SGD0VarUpdate": popir.SGD({}),
        "SGD1VarUpdate": popir.SGD({"defaultMomentum": (0.5, True)}),
        "AdamVarUpdate": popir.Adam({}),
    }
    for type, optimizer in optimizers.items():
        builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
        w = builder.addInitializedInputTensor(X, "w")
        loss = builder.aiGraphcore.l1loss([builder.aiOnnx.tanh([w])], 1.0)
        with pytest.raises(popir.popart_exception, match=f"brings no Opx for ai.graphcore.{type}"):
            popir.TrainingSession(
                builder.getModelProto(),
                popir.DataFlow(1, [loss]),
                loss,
                optimizer,
                popir.DeviceManager().createCpuDevice(),
                patterns=popir.Patterns().enablePattern("CloneUpdates", True),
            ).prepareDevice()


def test_clones_of_updates_are_the_librarys(library: Library, tmp_path: Path) -> None:
    isolated(check_updates, library("clones"), cwd=tmp_path)
