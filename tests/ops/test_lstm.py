"""What an LSTM refuses, and LSTMs without time steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.onnxio.importer import import_model
from tests.models import Array, floats, run, training_session
from tests.ops.control.models import agrees, gradients, parsed, weighed

T, N, INPUTS, H = 4, 2, 3, 5


def model_of(weights: list[int], recurrent: list[int], **attributes: Any) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [T, N, INPUTS])
    tensors = [
        numpy_helper.from_array(floats(*shape), name)
        for name, shape in (("w", weights), ("r", recurrent))
    ]
    node = helper.make_node("LSTM", ["x", "w", "r"], ["y"], **attributes)
    graph = helper.make_graph([node], "lstm", [x], [onnx.ValueInfoProto(name="y")], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"direction": "sideways"}, "'sideways'.*forward, reverse, bidirectional"),
        ({"hidden_size": 7}, "hidden_size is 7, R has 5 units"),
        ({"activations": ["Sigmoid", "Tanh"]}, "three for each of the 1 directions"),
        ({"activations": ["Sigmoid", "Tanh", "Step"]}, "'Step' is not known; known are sigmoid"),
    ],
)
def test_attributes_that_do_not_fit(attributes: dict[str, Any], words: str) -> None:
    with pytest.raises(OperatorAttributeError, match=words):
        import_model(model_of([1, 4 * H, INPUTS], [1, 4 * H, H], **attributes))


@pytest.mark.parametrize(
    ("weights", "recurrent", "words"),
    [
        ([1, 4 * H, INPUTS + 1], [1, 4 * H, H], r"input 1 has shape \[1, 20, 4\].*\[1, 20, 3\]"),
        ([1, 4 * H, INPUTS], [1, 3 * H, H], r"input 2 has shape \[1, 15, 5\].*\[1, 20, 5\]"),
        ([1, 4 * H, INPUTS], [4 * H, H], r"R \[20, 5\]; both must have three dimensions"),
    ],
)
def test_shapes_that_do_not_fit(weights: list[int], recurrent: list[int], words: str) -> None:
    with pytest.raises(OperatorInputError, match=words):
        import_model(model_of(weights, recurrent))


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_without_time_steps_the_last_states_are_the_initial_ones(
    layout: int, direction: str
) -> None:
    directions = 1 + (direction == "bidirectional")
    model = model_of(
        [directions, 4 * H, INPUTS], [directions, 4 * H, H], direction=direction, layout=layout
    )
    graph = model.graph
    dims = [N, 0, INPUTS] if layout else [0, N, INPUTS]
    graph.input[0].CopyFrom(helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, dims))
    graph.node[0].input.extend(["", "", "h", "c"])
    graph.node[0].output[:] = ["y", "last", "cell"]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in ("last", "cell"))
    state = [N, directions, H] if layout else [directions, N, H]
    states = {name: floats(*state, seed=i) for i, name in enumerate("hc")}
    graph.initializer.extend(numpy_helper.from_array(v, name) for name, v in states.items())
    x = np.zeros(dims, np.float32)
    found = run(model.SerializeToString(), {"x": x}, ["y", "last", "cell"])
    y = [N, 0, directions, H] if layout else [0, directions, N, H]
    assert list(found["y"].shape) == y
    np.testing.assert_array_equal(found["last"], states["h"])
    np.testing.assert_array_equal(found["cell"], states["c"])

    factors = {"last": floats(*state, seed=5), "cell": floats(*state, seed=6)}
    given = gradients(model, {"x": x}, factors, ["w", "r", "h", "c"])
    np.testing.assert_array_equal(given["h"], factors["last"])
    np.testing.assert_array_equal(given["c"], factors["cell"])
    assert not given["w"].any()
    assert not given["r"].any()


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_weights_of_an_exporter_lie_in_the_order_of_their_network(direction: str) -> None:
    """PyTorch holds input, forget gate, candidate and output gate, and its exporter puts ONNX's
    order together. Nothing is copied or gathered for that, and the gradients are those of weights
    in ONNX's order.
    """
    directions = 2 if direction == "bidirectional" else 1
    gates = {
        f"{kind}{d}": floats(4, H, *width, seed=d)
        for d in range(directions)
        for kind, width in (("w", [INPUTS]), ("r", [H]), ("b", []), ("c", []))
    }
    x, factors = floats(T, N, INPUTS), {"y": floats(T, directions, N, H)}
    plans: list[int] = []
    found: list[dict[str, Array]] = []
    for order in ([0, 1, 2, 3], [0, 2, 3, 1]):
        parts = {name: t[order].reshape(4 * H, *t.shape[2:]) for name, t in gates.items()}
        nodes = ["axis = Constant<value_ints=[0]>()"]
        nodes += [f"at{i} = Constant<value_ints=[{i * H}]>()" for i in range(5)]
        for name in parts:
            cut = [order.index(gate) for gate in range(4)]
            nodes += [f"{name}_{i} = Slice({name}, at{i}, at{i + 1}, axis)" for i in cut]
            joined = ", ".join(f"{name}_{i}" for i in cut)
            nodes.append(f"{name}_whole = Concat<axis=0>({joined})")
        for d in range(directions):
            nodes.append(f"both{d}_whole = Concat<axis=0>(b{d}_whole, c{d}_whole)")
        for name, kind in (("W", "w"), ("R", "r"), ("B", "both")):
            for d in range(directions):
                nodes.append(f"{kind}{d}_one = Unsqueeze({kind}{d}_whole, axis)")
            ones = ", ".join(f"{kind}{d}_one" for d in range(directions))
            nodes.append(f"{name} = Concat<axis=0>({ones})")
        nodes.append(f'y = LSTM<hidden_size={H}, direction="{direction}">(x, W, R, B)')
        head = f"agraph (float[{T},{N},{INPUTS}] x) => (float[{T},{directions},{N},{H}] y)"
        model = parsed(head + " {\n" + "\n".join(nodes) + "\n}", 14, **parts)
        agrees(model, {"x": x})
        towards = gradients(model, {"x": x}, factors, [*parts])
        back = [order.index(gate) for gate in range(4)]
        found.append({name: t.reshape(gates[name].shape)[back] for name, t in towards.items()})
        session = training_session(weighed(model, factors).SerializeToString(), "loss", ["loss"])
        lines = session.planText().splitlines()
        plans.append(sum("gather " in line or "copy " in line for line in lines))
    assert plans[0] == plans[1]
    for name, expected in found[0].items():
        np.testing.assert_allclose(found[1][name], expected, 1e-4, 1e-5)
