"""onnxruntime's own operators: halves, words of refusals, rows that begin anew, names in ONNX's
domain.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from popir.errors import PopirError
from popir.onnxio import schemas
from popir.types import DataType
from tests.models import floats, run
from tests.ops.cases import Array, Case, ints
from tests.ops.cases.microsoft import MICROSOFT
from tests.ops.test_cases import infer, inputs_of, model_of

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def takes(case: Case, kind: DataType) -> bool:
    """Whether the operator takes the type, and computes in it."""
    schema = schemas.find(case.domain, case.type, 1)
    assert schema is not None
    return any(kind in formal.types for formal in (*schema.inputs, *schema.outputs))


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BFLOAT16], ids=str)
@pytest.mark.parametrize("case", MICROSOFT, ids=lambda case: case.name)
def test_halves(case: Case, dtype: Any) -> None:
    """What float gives of the same numbers, within some roundings."""
    arrays = case.arrays(np.float32)
    narrow = [
        a.astype(dtype) if a is not None and a.dtype == np.float32 and a.ndim else a for a in arrays
    ]
    wide = [a.astype(np.float32) if a is not None and a.dtype == dtype else a for a in narrow]
    if not takes(case, DataType.of(dtype)) or case.type.startswith("Q") or "Dyn" in case.type:
        return
    if any(a is not None and a.dtype == np.float32 for a in narrow):
        narrow = [a.astype(dtype) if a is not None and a.dtype == np.float32 else a for a in narrow]
        wide = [a.astype(np.float32) if a is not None and a.dtype == dtype else a for a in narrow]
    model = model_of(case, 1, narrow)
    found = infer(model, inputs_of(case, narrow))
    want = infer(model_of(case, 1, wide), inputs_of(case, wide))
    for a, b in zip(found, want, strict=True):
        assert a.shape == b.shape
        size = max(1.0, np.abs(b.astype(np.float64)).max(initial=0))
        bound = (0.02 if dtype == np.float16 else 0.15) * size
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), 0, bound)


def ids(*numbers: int) -> Array:
    return ints(*numbers, dtype=np.int32)


ROWS = [floats(2, 3, 64), floats(2, 3, 32, seed=1), floats(2, 3, 32, seed=2)]
HEADS = {"num_heads": 4, "kv_num_heads": 2}
X = floats(2, 3, 4)
REFUSED: list[tuple[str, list[Any], dict[str, Any], str]] = [
    ("BiasGelu", [X, floats(3)], {}, r"the bias has shape \[3\]; for data of shape \[2, 3, 4\]"),
    ("BiasSplitGelu", [floats(2, 3, 5), floats(5)], {}, "the last dimension must be even"),
    ("BiasAdd", [X, floats(4), floats(2, 1, 4)], {}, r"skip has shape \[2, 1, 4\]; it must be"),
    ("SkipLayerNormalization", [X, floats(4), floats(4)], {}, r"skip has shape \[4\]; expected"),
    ("SkipLayerNormalization", [X, X, floats(3)], {}, r"gamma has shape \[3\]; expected is \[4\]"),
    ("GroupNorm", [X, floats(4), floats(4)], {"groups": 3, "activation": 0}, "must divide the 4"),
    (
        "GroupNorm",
        [X, floats(4), floats(4)],
        {"groups": 2, "activation": 2},
        "activation is 2; expected is 0",
    ),
    ("RotaryEmbedding", [X, ints(0), floats(9, 1), floats(9, 2)], {}, "sin_cache"),
    ("RotaryEmbedding", [X, ints(0, 1), floats(9, 2), floats(9, 2)], {}, "position_ids have shape"),
    ("Attention", [X, floats(4, 7), floats(7)], {"num_heads": 2}, "qkv_hidden_sizes are"),
    ("Attention", [X, floats(4, 9), floats(9)], {"num_heads": 2}, "num_heads is 2; it must divide"),
    (
        "Attention",
        [X, floats(4, 12), floats(12), ids(1, 1, 1)],
        {"num_heads": 2},
        r"the mask has shape \[3\]; expected is \[2, 3\]",
    ),
    ("MultiHeadAttention", [X], {"num_heads": 2}, "without key and value expected is"),
    ("MultiHeadAttention", [X, X, floats(2, 2, 4)], {"num_heads": 2}, "must be alike"),
    ("GroupQueryAttention", [*ROWS, None, None, ids(2), ids(3)], HEADS, "seqlens_k has shape"),
    ("GroupQueryAttention", [*ROWS, None, None, ids(2, 2), ids(4)], HEADS, "give past_key and"),
    ("GroupQueryAttention", [*ROWS, None, None, ids(2, 2), ids(2)], HEADS, "is 2, with 3 places"),
    (
        "GroupQueryAttention",
        [*ROWS, None, None, ids(2, 2), ids(3)],
        {**HEADS, "do_rotary": 1},
        "give cos_cache and sin_cache",
    ),
    *(
        (
            "EmbedLayerNormalization",
            [ids(0, 1).reshape(1, 2), None, *rest],
            {},
            words,
        )
        for rest, words in (
            (
                [floats(5, 4), np.float32(1), None, floats(4), floats(4)],
                r"position_embedding has shape \[\]; expected is \[rows, numbers\]",
            ),
            (
                [floats(5, 4), floats(5, 3), None, floats(4), floats(4)],
                r"position_embedding has shape \[5, 3\]; expected is",
            ),
            (
                [floats(5, 4), floats(5, 4), None, floats(2, 4), floats(4)],
                r"gamma has shape \[2, 4\]; expected is \[4\]",
            ),
        )
    ),
    (
        "MatMulIntegerToFloat",
        [np.zeros((2, 3), np.uint8), np.uint8(1), np.float32(1), floats(4)],
        {},
        r"b has shape \[\]; expected is a matrix or a vector",
    ),
    (
        "GatherBlockQuantized",
        [np.zeros((3, 16), np.uint8), ints(1), floats(3, 2), np.uint8(3)],
        {"gather_axis": 0, "quantize_axis": 1, "block_size": 16, "bits": 4},
        r"the zero points have shape \[\]; expected are 2 dimensions",
    ),
    (
        "QAttention",
        [
            *(np.zeros(shape, np.uint8) for shape in ((3, 4), (4, 6))),
            floats(6),
            *[np.float32(1)] * 2,
        ],
        {"num_heads": 1},
        r"the input has shape \[3, 4\], the weights \[4, 6\]; expected",
    ),
    (
        "FusedGemm",
        [floats(2, 3), floats(3, 2)],
        {"activation": "Cos"},
        "the activation is 'Cos' with parameters",
    ),
    (
        "MatMulNBits",
        [X, np.zeros((3, 1, 8), np.uint8), floats(3, 2)],
        {"K": 4, "N": 3, "block_size": 16},
        r"the scales have shape \[3, 2\]; expected is \[3, 1\]",
    ),
    (
        "MatMulNBits",
        [X, np.zeros((3, 1, 8), np.uint8), floats(3, 1), None, ids(0, 0, 0)],
        {"K": 4, "N": 3, "block_size": 16},
        r"g_idx has shape \[3\]; expected is \[4\] or \[16\]",
    ),
    ("QLinearConcat", [np.float32(1), np.uint8(0), np.uint8([1])], {"axis": 0}, "1 inputs follow"),
    (
        "RelativePositionBias",
        [floats(8, 2), np.int64(3), np.int64(3)],
        {"max_distance": 4},
        "max_distance is 4; with 8 buckets for a direction it must be more than 4",
    ),
    ("QuantizeLinear", [X, floats(4)], {}, "give the attribute 'axis'"),
]


@pytest.mark.parametrize(("type", "arrays", "attributes", "words"), REFUSED)
def test_what_is_refused(
    type: str, arrays: list[Any], attributes: dict[str, Any], words: str
) -> None:
    constants = {"GroupQueryAttention": [6], "RelativePositionBias": [1, 2]}.get(type, [])
    case = Case(type, arrays, attributes, domain="com.microsoft", constants=constants)
    given = [None if a is None else np.asarray(a) for a in arrays]
    with pytest.raises(PopirError, match=words):
        infer(model_of(case, 1, given), inputs_of(case, given))


def test_heads_without_numbers_give_the_mean_of_the_values() -> None:
    none, values = np.zeros((1, 2, 0), np.float32), floats(1, 2, 4)
    case = Case("MultiHeadAttention", [none, none, values], {"num_heads": 2}, "com.microsoft")
    model = model_of(case, 1, [none, none, values])
    found = infer(model, inputs_of(case, [none, none, values]))[0]
    want = np.broadcast_to(values.mean(1, keepdims=True), values.shape)
    np.testing.assert_allclose(found, want, 1e-6)


@pytest.mark.parametrize("lengths", [(6, 6), (4, 6)])
def test_each_row_goes_on_where_its_cache_ends(lengths: tuple[int, int]) -> None:
    """What comes after the end of a row, onnxruntime clears and popir keeps."""
    arrays = [
        *(floats(2, 1, 64), floats(2, 1, 32, seed=1), floats(2, 1, 32, seed=2)),
        *(floats(2, 2, 6, 16, seed=3), floats(2, 2, 6, 16, seed=4), ids(*lengths)),
        *(np.asarray(7, np.int32), floats(9, 8, seed=5), floats(9, 8, seed=6)),
    ]
    attributes = {**HEADS, "do_rotary": 1}
    case = Case("GroupQueryAttention", arrays, attributes, "com.microsoft", constants=[6])
    case = Case(**{**vars(case), "outputs": 3})
    model, inputs = model_of(case, 1, arrays), inputs_of(case, arrays)
    del model.opset_import[1]
    session = onnxruntime.InferenceSession(model.SerializeToString())
    found, (want, keys, _) = infer(model, inputs), session.run(None, inputs)
    np.testing.assert_allclose(found[0], want, 1e-5, 1e-5)
    for row, length in enumerate(lengths):
        np.testing.assert_allclose(
            found[1][row, :, : length + 1], keys[row, :, : length + 1], 1e-5, 1e-6
        )


@pytest.mark.parametrize("type", ["SimplifiedLayerNormalization", "LayerNormalization"])
def test_names_that_onnxruntime_has_in_the_domain_of_onnx(type: str) -> None:
    """At an opset of before ONNX's LayerNormalization, as its optimizer writes them."""
    node = helper.make_node(type, ["x", "scale"], ["y"], epsilon=0.1, axis=-1)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", 1, [2, 3, 4])],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(floats(4, seed=1), "scale")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    want = session.run(None, {"x": X})[0]
    np.testing.assert_allclose(run(model, {"x": X}, ["y"])["y"], want, 1e-5, 1e-6)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("padding", [0, 7])
def test_rows_in_groups(bits: int, padding: int) -> None:
    """By the formula: onnxruntime reads 2 bits as 4 there, has no 8, and with zero points gives
    another result than without `g_idx` where that changes nothing.
    """
    k, n, size = 25, 3, 16
    rng = np.random.default_rng(bits)
    numbers = rng.integers(0, 1 << bits, (n, 2 * size)).astype(np.uint8)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    each = numbers.reshape(n, 2, -1, len(shifts)) << shifts
    a, scales = floats(2, k), np.abs(floats(n, 2)) + 0.1
    group = rng.integers(0, 2, k + padding).astype(np.int32)
    zeros = rng.uniform(0, 2**bits, (n, 2)).astype(np.float32)
    arrays = [a, np.bitwise_or.reduce(each, axis=-1), scales, zeros, group]
    given = {"K": k, "N": n, "block_size": size, "bits": bits}
    case = Case("MatMulNBits", arrays, given, "com.microsoft", constants=[1, 4])
    found = infer(model_of(case, 1, arrays), inputs_of(case, arrays))[0]
    values = (numbers[:, :k] - zeros[:, group[:k]]) * scales[:, group[:k]]
    np.testing.assert_allclose(found, a @ values.T, 1e-5, 1e-5 * 2**bits)
