"""ONNX's Attention, RotaryEmbedding and RMSNormalization: arguments, masks, gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import helper

import popir
from popir.backend import prepare
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.onnxio.importer import import_model
from popir.types import DataType
from tests.models import Array, floats, step, training_session
from tests.ops.attention_formula import attention

QKV = {"Q": (2, 4, 3, 8), "K": (2, 2, 5, 8), "V": (2, 2, 5, 6)}
ROTARY = {"X": (2, 3, 4, 8), "cos_cache": (10, 4), "sin_cache": (10, 4), "position_ids": (2, 4)}
RMS = {"X": (2, 3, 4), "scale": (4,)}
AS = ", as [batch, heads, positions, size]; expected"


def ran(type: str, shapes: dict[str, tuple[int, ...]], **attributes: Any) -> Array:
    """The first output, which is onnxruntime's."""
    given = {
        name: np.zeros(shape, np.int64) if name == "position_ids" else floats(*shape)
        for name, shape in shapes.items()
    }
    kinds = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in given.items()}
    order = (
        ["Q", "K", "V", "attn_mask", "past_key", "past_value"] if type == "Attention" else shapes
    )
    names = [name if name in shapes else "" for name in order]
    while not names[-1]:
        names.pop()
    outputs = ["y", "k", "v"] if "past_key" in shapes else ["y"]
    graph = helper.make_graph(
        [helper.make_node(type, names, outputs, "it", **attributes)],
        "g",
        [helper.make_tensor_value_info(name, kinds[name], a.shape) for name, a in given.items()],
        [helper.make_tensor_value_info("y", kinds[names[0]], None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    (found,) = prepare(model).run(given)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (want, *_) = map(np.asarray, session.run(None, given))
    np.testing.assert_allclose(found, want, 1e-4, 1e-5)
    return found


@pytest.mark.parametrize(
    ("type", "shapes", "attributes"),
    [
        ("Attention", QKV, {}),
        ("Attention", {"Q": (2, 3, 32), "K": (2, 5, 16), "V": (2, 5, 12)},
         {"q_num_heads": 4, "kv_num_heads": 2}),
        ("Attention", {**QKV, "past_key": (2, 2, 7, 8), "past_value": (2, 2, 7, 6)}, {}),
        ("RotaryEmbedding", ROTARY, {}),
        ("RotaryEmbedding", {**ROTARY, "X": (2, 4, 24)}, {"num_heads": 3}),
        ("RotaryEmbedding", {"X": (2, 3, 4, 8), "cos_cache": (2, 4, 4), "sin_cache": (2, 4, 4)},
         {"interleaved": 1}),
        ("RMSNormalization", {"X": (2, 3, 4), "scale": (3, 4)}, {"axis": 1}),
    ],
)  # fmt: skip
def test_what_is_right(type: str, shapes: dict[str, Any], attributes: dict[str, Any]) -> None:
    assert ran(type, shapes, **attributes).size


@pytest.mark.parametrize(
    ("type", "shapes", "attributes", "message"),
    [
        ("Attention", {**QKV, "K": (1, 2, 2, 5, 8)}, {},
         "K is [1, 2, 2, 5, 8], and Q [2, 4, 3, 8]; expected are as many dimensions"),
        ("Attention", {**QKV, "K": (2, 2, 5, 1)}, {},
         f"Q is [2, 4, 3, 8] and K [2, 2, 5, 1]{AS} is the same size of a head"),
        ("Attention", {**QKV, "V": (2, 1, 5, 6)}, {},
         f"K is [2, 2, 5, 8] and V [2, 1, 5, 6]{AS} are the same heads and positions"),
        ("Attention", {**QKV, "V": (2, 2, 1, 6)}, {},
         f"K is [2, 2, 5, 8] and V [2, 2, 1, 6]{AS} are the same heads and positions"),
        ("Attention", {**QKV, "Q": (1, 4, 3, 8)}, {},
         f"Q is [1, 4, 3, 8], K [2, 2, 5, 8] and V [2, 2, 5, 6]{AS} is one batch"),
        ("Attention", {**QKV, "Q": (2, 3, 3, 8)}, {},
         "Q has 3 heads, and K 2; expected is a multiple"),
        ("Attention", {name: shape[1:] for name, shape in QKV.items()}, {},
         "Q is [4, 3, 8] and q_num_heads not given; expected is a number of heads that divides 8"),
        ("Attention", {name: shape[2:] for name, shape in QKV.items()}, {},
         "Q is [3, 8]; expected is [batch, heads, positions, size], or [batch, positions, heads * "
         "size] with q_num_heads"),
        ("Attention", {**QKV, "past_key": (2, 2, 7, 8), "past_value": (2, 2, 6, 6)}, {},
         "past_value is [2, 2, 6, 6]; expected is [2, 2, 7, 6]"),
        ("Attention", {**QKV, "attn_mask": (7, 7)}, {},
         "attn_mask is [7, 7]; expected is what broadcasts to [2, 4, 3, 5], [batch, heads, places, "
         "positions]"),
        ("Attention", {**QKV, "attn_mask": (3, 4)}, {},
         "attn_mask is [3, 4]; expected is what broadcasts to [2, 4, 3, 5], [batch, heads, places, "
         "positions]"),
        ("Attention", QKV, {"q_num_heads": 3},
         "Q is [2, 4, 3, 8], with 4 heads, and q_num_heads 3"),
        ("RotaryEmbedding", {**ROTARY, "cos_cache": (10, 5)}, {},
         "cos_cache is [10, 5]; expected is [10, 4]"),
        ("RotaryEmbedding", {**ROTARY, "sin_cache": (10, 1)}, {},
         "sin_cache is [10, 1]; expected is [10, 4]"),
        ("RotaryEmbedding", {**ROTARY, "cos_cache": (0, 4)}, {},
         "cos_cache is [0, 4]; expected is ['positions', 4]"),
        ("RotaryEmbedding", {**ROTARY, "position_ids": (2, 3)}, {},
         "position_ids is [2, 3]; expected is [2, 4]"),
        ("RotaryEmbedding", ROTARY, {"rotary_embedding_dim": 10},
         "rotary_embedding_dim is 10; expected is an even number up to 8, the size of a head"),
        ("RotaryEmbedding", ROTARY, {"rotary_embedding_dim": 6},
         "cos_cache is [10, 4]; expected is [10, 3]"),
        ("RMSNormalization", {**RMS, "scale": (3,)}, {},
         "scale is [3], which does not broadcast to X, [2, 3, 4]"),
    ],
)  # fmt: skip
def test_what_is_wrong(
    type: str, shapes: dict[str, Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(OperatorInputError) as error:
        ran(type, shapes, **attributes)
    assert str(error.value) == f"ai.onnx.{type}:23 'it': {message}."


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"scale": "text"}, "the attribute 'scale' is a float; given was 'text' (str)."),
        ({"is_causal": "text"}, "the attribute 'is_causal' is an integer; given was 'text' (str)."),
        ({"qk_matmul_output_mode": 9}, "qk_matmul_output_mode is 9; expected is 0, 1, 2 or 3."),
        ({"softmax_precision": 7}, "softmax_precision is 7; expected is one of 1 (FLOAT), 10 "
         "(FLOAT16), 11 (DOUBLE), 16 (BFLOAT16)."),
        ({"nonsense": 3}, "unknown attribute 'nonsense' (value 3); the operator takes is_causal, "
         "kv_num_heads, q_num_heads, qk_matmul_output_mode, scale, softcap, softmax_precision."),
    ],
)  # fmt: skip
def test_wrong_attributes(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(OperatorAttributeError) as error:
        ran("Attention", QKV, **attributes)
    assert str(error.value) == f"ai.onnx.Attention:23 'it': {message}"


@pytest.mark.parametrize("opset", [23, 24])
def test_gradients_where_a_query_sees_no_key(opset: int) -> None:
    """As in a batch with padding on the left, whose mask is causal."""
    body = "y = Attention(x, x, x, m) loss = ReduceSum<keepdims = 0>(y)"
    text = f"g (float[1,1,3,2] x, bool[3,3] m) => (float loss) {{ {body} }}"
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}]> {text}')
    x, seen = floats(1, 1, 3, 2), np.array([[1, 0, 0], [0, 0, 0], [1, 1, 0]], bool)
    session = training_session(model, "loss", ["loss", "Gradient___x"])
    found = step(session, {"x": x, "m": seen})
    t = torch.tensor(x, requires_grad=True)
    product = torch.nn.functional.scaled_dot_product_attention
    expected = product(t, t, t, attn_mask=torch.tensor(seen)).sum()
    expected.backward()
    np.testing.assert_allclose(found["loss"], expected.item(), 1e-5)
    assert t.grad is not None
    np.testing.assert_allclose(found["Gradient___x"], t.grad.numpy(), 1e-5, 1e-6)


class Drawn:
    """A random node: every attribute and input that its version has, and shapes that broadcast."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)

        def one(*choices: Any) -> Any:
            return choices[int(rng.integers(len(choices)))]

        def maybe() -> bool:
            return bool(rng.random() < 0.5)

        self.opset = one(23, 24, 25)
        batch, heads, group = (int(n) for n in rng.integers(1, 4, 3))
        places, new, size, width = (int(n) for n in rng.integers(1, 6, 4))
        past = int(rng.integers(0, 4)) if maybe() else None
        total = new + (past or 0)
        shapes = [[batch, heads * group, places, size]]
        shapes += [[batch, heads, new, size], [batch, heads, new, width]]
        self.attributes: dict[str, Any] = {}
        if maybe():
            shapes = [[b, n, h * d] for b, h, n, d in shapes]
            self.attributes = {"q_num_heads": heads * group, "kv_num_heads": heads}
        self.given: list[Array | None] = [rng.normal(size=shape) for shape in shapes]
        self.given += [None] * 4
        whole = [batch, heads * group, places, total]
        if maybe():
            shape = [one(1, n) for n in whole[:3]] + [total]
            if self.opset > 23:
                shape[3] = one(total, int(rng.integers(1, total + 1)))
            seen = rng.random(shape[int(rng.integers(0, 3)) :]) < 0.6
            added = np.where(seen, rng.normal(size=seen.shape), -np.inf)
            self.given[3] = one(seen, added, rng.integers(-2, 3, seen.shape))
        if past is not None:
            self.given[4:6] = [rng.normal(size=[batch, heads, past, n]) for n in (size, width)]
        elif self.opset > 23 and maybe():
            self.given[6] = rng.integers(0, new + 1, batch)
        choices = {"is_causal": 1, "scale": 0.375, "softcap": 0.75, "softmax_precision": 11}
        if self.opset > 24:
            choices |= {name: one(0, 1, 2) for name in ("left_window_size", "right_window_size")}
        self.attributes |= {name: value for name, value in choices.items() if maybe()}
        self.attributes["qk_matmul_output_mode"] = one(0, 1, 2, 3)

    def model(self) -> onnx.ModelProto:
        """The node, all its outputs, and the sum of the squares of the first."""
        names = [f"x{i}" if a is not None else "" for i, a in enumerate(self.given)]
        kinds = [a is not None and helper.np_dtype_to_tensor_dtype(a.dtype) for a in self.given]
        inputs = [
            helper.make_tensor_value_info(name, kind, a.shape)
            for name, kind, a in zip(names, kinds, self.given, strict=True)
            if a is not None
        ]
        while not names[-1]:
            names.pop()
        outputs = ["y", "k", "v", "scores"]
        nodes = [
            helper.make_node("Attention", names, outputs, **self.attributes),
            helper.make_node("ReduceSumSquare", ["y"], ["loss"], keepdims=0),
        ]
        results = [onnx.ValueInfoProto(name=name) for name in (*outputs, "loss")]
        graph = helper.make_graph(nodes, "g", inputs, results)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10
        )


@pytest.mark.parametrize("seed", range(80))
def test_random_nodes_and_their_gradients(seed: int) -> None:
    drawn = Drawn(seed)
    learned = [i for i, a in enumerate(drawn.given) if a is not None and a.dtype == np.float64]
    names = ["y", "k", "v", "scores", *(f"Gradient___x{i}" for i in learned)]
    session = training_session(drawn.model(), "loss", names)
    inputs = {f"x{i}": a for i, a in enumerate(drawn.given) if a is not None}
    found = step(session, inputs)

    given: list[Any] = [None if a is None else torch.from_numpy(a) for a in drawn.given]
    for i in learned:
        given[i].requires_grad_()
    results = attention(*given, **drawn.attributes)
    results[0].square().sum().backward()
    expected = [t.detach() for t in results] + [given[i].grad for i in learned]
    for name, want in zip(names, expected, strict=True):
        np.testing.assert_allclose(found[name], want, 1e-9, 1e-12, err_msg=name)


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16", "FLOAT"])
@pytest.mark.parametrize("values", ["FLOAT16", "BFLOAT16", "FLOAT"])
def test_types(kind: str, values: str) -> None:
    """Values may be of another type; the result is of that of the queries."""
    drawn = Drawn(11)
    types = [kind, kind, values]
    given: list[Array] = [
        np.asarray(a, DataType[t].numpy) for a, t in zip(drawn.given[:3], types, strict=True)
    ]
    drawn.given = [*given, *[None] * 4]
    found = prepare(drawn.model()).run({f"x{i}": a for i, a in enumerate(given)})
    want = attention(*(torch.from_numpy(a.astype("d")) for a in given), **drawn.attributes)
    for one, other, t in zip(found, want, [kind, kind, values, kind], strict=False):
        assert one.dtype == DataType[t].numpy
        np.testing.assert_allclose(one.astype("d"), other, 0.03, 0.03)


def test_lengths_go_without_a_past() -> None:
    drawn = Drawn(0)
    drawn.opset, drawn.attributes = 24, {}
    old = [floats(1, 1, 2, 4), floats(1, 1, 2, 4)]
    drawn.given = [*(floats(1, 1, 2, 4) for _ in range(3)), None, *old, np.array([2])]
    with pytest.raises(OperatorInputError, match="goes with neither past_key nor past_value"):
        import_model(drawn.model())


def test_a_wrong_axis_and_stash_type() -> None:
    with pytest.raises(OperatorAttributeError, match="the axis 5 is outside of a tensor of rank 3"):
        ran("RMSNormalization", RMS, axis=5)
    with pytest.raises(OperatorAttributeError, match="stash_type is 7; expected is one of 1"):
        ran("RMSNormalization", RMS, stash_type=7)


def test_as_few_operators_as_elementary_ones() -> None:
    """A layer of a decoder: products, the mask that is added, Softmax."""
    drawn = Drawn(0)
    drawn.opset, drawn.attributes = 23, {"is_causal": 1}
    drawn.given = [*(floats(2, 3, 4, 8) for _ in range(3)), *[None] * 4]
    session = popir.InferenceSession(
        drawn.model(),
        popir.DataFlow(1, ["y"]),
        popir.DeviceManager().createCpuDevice(),
    )
    types = sorted(op.opid.type for op in session.graph.ops.values())
    assert types == ["AddLhsInplace", "MatMul", "MatMul", "Mul", "Softmax", "Transpose"]
