"""Matrix products and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.cases.case import Array, Case, ints, sigmoid

_COLUMNS = np.array([1, 0, 250, 128, 7], np.uint8)
_BYTES = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
_UNSIGNED = np.arange(120, 140, dtype=np.uint8).reshape(4, 5)


def causal(x: Array, weight: Array, bias: Any = 0.0, state: Any = None) -> tuple[Array, Array]:
    """CausalConvWithState with SiLU, position by position."""
    before = weight.shape[2] - 1
    state = np.zeros((*x.shape[:2], before), x.dtype) if state is None else state
    whole = np.concatenate([state, x], 2)
    ends = range(before + 1, whole.shape[2] + 1)
    found = np.stack([(whole[:, :, n - before - 1 : n] * weight[:, 0]).sum(2) for n in ends], 2)
    y = found + np.reshape(bias, (-1, 1))
    return (y * sigmoid(y)).astype(x.dtype), whole[:, :, whole.shape[2] - before :]


CONTRACTIONS = [
    *(
        Case(
            "CausalConvWithState",
            [[2, 3, 5], *more],
            {"activation": "silu"},
            opsets=(27,),
            outputs=2,
            formula=causal,
            widest="float32",
            atol=1e-5,
            id=name,
        )
        for name, more in (
            ("first", [[3, 1, 4]]),
            ("next", [[3, 1, 3], [3], [2, 3, 2]]),
            ("alone", [[3, 1, 1], [3]]),
        )
    ),
    Case("MatMulInteger", [_BYTES, _UNSIGNED], gradient=False, id="plain"),
    Case(
        "MatMulInteger",
        [_BYTES, _UNSIGNED, np.int8(-3), np.uint8(128)],
        gradient=False,
        id="zero points",
    ),
    Case(
        "MatMulInteger",
        [np.stack([_BYTES + 6, _BYTES + 9]).astype(np.uint8), _UNSIGNED, np.uint8(3), _COLUMNS],
        gradient=False,
        id="columns",
    ),
    Case("MatMul", [[2, 3], [3, 4]]),
    Case("MatMul", [[2, 5, 3], [3, 4]], opsets=(9,), id="rows"),
    Case("MatMul", [[2, 1, 5, 3], [4, 3, 2]], opsets=(9,), id="stacks"),
    Case("MatMul", [[3], [3]], opsets=(9,), id="vectors"),
    Case("MatMul", [[3], [2, 3, 4]], opsets=(9,), id="row"),
    Case("MatMul", [[2, 4, 3], [3]], opsets=(9,), id="column"),
    Case("Gemm", [[2, 3], [3, 4], [4]], opsets=(7, 9, 11, 13)),
    Case("Gemm", [[2, 3], [3, 4], [2, 4]], {"alpha": 0.5, "beta": 2.0}, id="factors"),
    Case(
        "Gemm", [[3, 2], [4, 3], [1]], {"transA": 1, "transB": 1}, opsets=(7, 11), id="transposed"
    ),
    Case("Gemm", [[3, 2], [3, 4]], {"transA": 1, "alpha": 3.0}, opsets=(11, 13), id="no C"),
    Case("Conv", [[2, 3, 5, 6], [4, 3, 3, 2], [4]], {"pads": [1, 0, 1, 1]}, atol=1e-5),
    Case(
        "Conv", [[2, 4, 7], [6, 2, 3]], {"group": 2, "strides": [2]}, opsets=(11,), id="1-D groups"
    ),
    Case(
        "Conv",
        [[1, 2, 4, 5, 4], [3, 2, 2, 3, 1], [3]],
        {"dilations": [1, 2, 1], "pads": [0, 1, 0, 0, 1, 0]},
        opsets=(11,),
        atol=1e-5,
        id="3-D dilated",
    ),
    Case(
        "Conv",
        [[1, 1, 5, 6], [2, 1, 3, 3]],
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        opsets=(11,),
        id="same upper",
    ),
    Case(
        "Conv",
        [[1, 1, 6, 6], [2, 1, 3, 3]],
        {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
        opsets=(11,),
        id="same lower",
    ),
    Case("Conv", [[1, 3, 4, 4], [3, 1, 3, 3]], {"group": 3}, opsets=(11,), id="depthwise"),
    Case(
        "ConvTranspose",
        [[2, 3, 4, 3], [3, 2, 3, 2], [2]],
        {"strides": [2, 1], "pads": [1, 0, 0, 1]},
        atol=1e-5,
    ),
    Case(
        "ConvTranspose",
        [[2, 4, 5], [4, 3, 3]],
        {"group": 2, "strides": [3], "output_padding": [2], "dilations": [2]},
        opsets=(11,),
        id="1-D groups",
    ),
    Case(
        "ConvTranspose",
        [[1, 2, 2, 3, 2], [2, 1, 2, 2, 3]],
        {"output_shape": [5, 6, 4], "strides": [2, 2, 2]},
        opsets=(11,),
        id="3-D shape",
    ),
    *(
        Case(
            "ConvTranspose",
            [[1, 2, 3, 2], [2, 1, 4, 3]],
            {"auto_pad": mode, "strides": [2, 3]},
            opsets=(11,),
            id=mode,
        )
        for mode in ("SAME_UPPER", "SAME_LOWER", "VALID")
    ),
    Case(
        "ConvTranspose", [[1, 1, 1, 2], [1, 1, 1, 1]], {"strides": [3, 2]}, opsets=(11,), id="gaps"
    ),
    Case(
        "Conv",
        [[2, 3, 1, 2], [4, 3, 3, 3]],
        {"pads": [1, 1, 1, 1]},
        opsets=(11,),
        atol=1e-5,
        id="a field smaller than the window",
    ),
]


def _einsum(equation: str, *inputs: Any, opsets: Sequence[int] = (12,)) -> Case:
    """A row of Einsum, against numpy's."""
    return Case(
        "Einsum",
        inputs,
        {"equation": equation},
        opsets=opsets,
        formula=lambda *given: np.einsum(equation.replace(" ", ""), *given),
        rtol=1e-5,
        atol=1e-5,
        id=equation,
    )


CONTRACTIONS += [
    _einsum("bij, bjk -> bik", [2, 3, 4], [2, 4, 5], opsets=(12, 28)),
    _einsum("bqhd,bkhd->bhqk", [2, 3, 2, 4], [2, 5, 2, 4]),
    _einsum("...ij,...jk->...ik", [3, 1, 2, 3], [4, 3, 2]),
    _einsum("...ij,...jk", [2, 2, 3], [2, 3, 2]),
    _einsum("i...,...j->i...j", [2, 3, 4], [3, 4, 2]),
    _einsum("ii", [3, 3]),
    _einsum("bii->ib", [2, 3, 3]),
    _einsum("ijij,jk->ik", [2, 3, 2, 3], [3, 2]),
    _einsum("ij->ji", [2, 3]),
    _einsum("ba", [2, 3]),
    _einsum("ijk->j", [2, 3, 4]),
    _einsum("i,i", [4], [4]),
    _einsum("i,j->ij", [4], [3]),
    _einsum("ij,k->i", [2, 3], [4]),
    _einsum(",i->i", [], [3]),
    _einsum("ij,jk->ik", [2, 0], [0, 3]),
    _einsum("ij,ij->ij", [2, 1], [2, 3]),
    _einsum("ij,jk->ik", [2, 1], [3, 4]),
    _einsum("ab,bc,cd->ad", [2, 3], [3, 4], [4, 2]),
    _einsum("ijk,ilm,njm,nlk->", [2, 2, 3], [2, 2, 2], [3, 2, 2], [3, 2, 3]),
    Case(
        "Einsum",
        [ints(*range(6)).reshape(2, 3), ints(*range(12)).reshape(3, 4)],
        {"equation": "ij,jk->ik"},
        opsets=(12,),
        gradient=False,
        id="integers",
    ),
    *(Case("Det", [[2, n, n]], rtol=1e-5, atol=1e-5, id=f"{n}") for n in (1, 2, 3, 4, 6)),
    Case("Det", [[3, 3]], opsets=(22,), rtol=1e-5, atol=1e-5, id="one"),
    Case(
        *("Det", [np.array([[0.0, 2, 0, 1], [3, 0, 1, 0], [0, 1, 0, 2], [1, 0, 4, 1]])]),
        opsets=(22,),
        rtol=1e-5,
        id="exchanged",
    ),
    Case("Det", [np.ones((4, 4))], opsets=(22,), gradient=False, id="singular"),
]
