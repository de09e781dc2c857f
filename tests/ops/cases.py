"""The table that drives the tests of operators: one row for each operator, more where it has
several forms.

A row is tested forwards against onnxruntime (or a formula, where ONNX lacks the operator), its
gradient against finite differences in double, and its lowering on a machine of several tiles.
Long, because it is one table.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from onnx import numpy_helper

Array = np.ndarray[Any, Any]
FLOATING = np.dtype(np.float64)


@dataclass(frozen=True)
class Case:
    """One use of an operator."""

    type: str
    inputs: Sequence[Any]
    """Arrays, or shapes of arrays of random numbers, or None for an input that is left out.
    Floating-point arrays are of the type tested.
    """
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = "ai.onnx"
    opsets: Sequence[int] = ()
    """At which opsets; by default at every one that changed the operator, from 6 on."""
    constants: Sequence[int] = ()
    """The inputs that are initializers."""
    formula: Callable[..., Array] | None = None
    """The result, where ONNX has no such operator."""
    gradient: bool = True
    """Whether the operator has one."""
    away: Sequence[float] = ()
    """Points that random inputs keep away from: the function has no derivative there."""
    low: float = -2.0
    high: float = 2.0
    rtol: float = 2e-6
    atol: float = 1e-6
    frozen: Sequence[int] = ()
    """The inputs without a gradient, although they are of a floating-point type."""
    outputs: int = 1
    """How many the operator has; the gradient is tested through the first one."""
    id: str = ""

    @property
    def name(self) -> str:
        """What pytest calls the row."""
        return f"{self.type}{'-' if self.id else ''}{self.id}"

    def arrays(self, dtype: Any) -> list[Array | None]:
        """The inputs, with `dtype` for the floating-point ones; always the same."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [
            None if given is None else self._array(rng, given, np.dtype(dtype))
            for given in self.inputs
        ]

    def _array(self, rng: np.random.Generator, given: Any, dtype: np.dtype[Any]) -> Array:
        if isinstance(given, (np.ndarray, np.generic)):
            return np.asarray(given, dtype if given.dtype.kind == "f" else None)
        values = rng.uniform(self.low, self.high, given)
        for point in self.away:
            near = np.abs(values - point) < 0.05
            values = np.where(near, point + np.where(values < point, -0.1, 0.1), values)
        return values.astype(dtype)


def ints(*values: int, dtype: Any = np.int64) -> Array:
    """A vector of integers."""
    return np.array(values, dtype)


def distinct(*shape: int) -> Array:
    """Numbers that are far enough from each other for a maximum to have a derivative."""
    n = int(np.prod(shape))
    order = np.random.default_rng(n).permutation(n)
    return (order.reshape(shape) / n * 4 - 2).astype(np.float64)


BOOLS = np.array([[True, False, True], [False, False, True]])
SMALL = [2, 3]
_POPART = {"domain": "ai.graphcore", "opsets": (1,)}


def _erf(x: Array) -> Array:
    import math

    return np.vectorize(math.erf)(x.astype(np.float64)).astype(x.dtype)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _groups(data: Any, indices: Array, axis: int, groups: int, id: str, **given: Any) -> Case:
    """A row of GroupedGather: torch gathers one element of a group at a time."""

    def formula(x: Array, i: Array) -> Array:
        import torch  # not for the fuzzer, which imports this module and bounds its memory

        along = axis % x.ndim
        if groups == 1:
            x, i, along = x[None], i[None], along + 1
        data, rows = torch.tensor(x), torch.tensor(i.reshape(len(x), -1) % x.shape[along])
        shape = [*x.shape[:along], rows.shape[1], *x.shape[along + 1 :]]
        rows = rows.reshape([len(x), *[1] * (along - 1), -1, *[1] * (x.ndim - along - 1)])
        found = torch.gather(data, along, rows.long().expand(shape))
        found = found.reshape(x.shape[:along] + i.shape[1:] + x.shape[along + 1 :]).numpy()
        return found[0] if groups == 1 else found

    attributes = {"axis": axis, "group_size": groups}
    rest = {"formula": formula, "id": id, **_POPART, **given}
    return Case("GroupedGather", [data, indices], attributes, **rest)


ELEMENTWISE = [
    Case("Add", [SMALL, SMALL]),
    Case("Add", [[4, 1, 3], [2, 1]], opsets=(7, 13), id="broadcast"),
    Case(
        "Add",
        [[2, 3, 4], [3]],
        {"axis": 1, "broadcast": 1},
        opsets=(6,),
        formula=lambda x, y: x + y[:, None],
        id="axis",
    ),
    Case("Sub", [[4, 3], [3]], opsets=(7, 13, 14)),
    Case("Mul", [SMALL, []], opsets=(7, 13, 14)),
    Case("Div", [SMALL, np.array([[1.5], [-2.5]])], opsets=(7, 13, 14)),
    Case("Mod", [ints(7, -7, 7, -6), ints(3, 3, -3, 3)], gradient=False, opsets=(10, 13)),
    Case("Mod", [SMALL, np.array([0.7, -0.8, 0.9])], {"fmod": 1}, opsets=(13,), id="fmod"),
    Case("Gelu", [SMALL]),
    Case("Gelu", [SMALL], {"approximate": "tanh"}, id="tanh"),
    Case("Pow", [SMALL, np.array([2.0, 3.0, 0.5])], low=0.2, opsets=(7, 12, 13, 15)),
    Case("Pow", [SMALL, ints(2, 3, 2)], opsets=(12, 13, 15), id="integers"),
    Case("Sum", [SMALL, SMALL, SMALL]),
    Case("Sum", [SMALL, [3], [2, 1]], opsets=(8, 13), id="broadcast"),
    Case("Mean", [SMALL, SMALL, SMALL]),
    Case("Max", [distinct(2, 3), distinct(2, 3)[::-1].copy(), SMALL]),
    Case("Min", [distinct(2, 3), distinct(2, 3)[::-1].copy(), SMALL]),
    Case("Neg", [SMALL]),
    Case("Abs", [SMALL], away=[0]),
    Case("Sign", [SMALL], away=[0]),
    Case("Floor", [SMALL], away=[-1, 0, 1]),
    Case("Ceil", [SMALL], away=[-1, 0, 1]),
    Case("Exp", [SMALL]),
    Case("Log", [SMALL], low=0.1),
    Case("Sqrt", [SMALL], low=0.1),
    Case("Reciprocal", [SMALL], low=0.3),
    Case("Sin", [SMALL]),
    Case("Cos", [SMALL]),
    Case("Tan", [SMALL], low=-1, high=1),
    Case("Erf", [SMALL]),
    Case("Relu", [SMALL], away=[0]),
    Case("Tanh", [SMALL]),
    Case("Sigmoid", [SMALL]),
    Case("Softplus", [SMALL]),
    Case("Softsign", [SMALL], away=[0]),
    Case("Elu", [SMALL], {"alpha": 0.7}, away=[0]),
    Case("PRelu", [[2, 3, 4], [3, 1]], opsets=(7, 9, 16), away=[0]),
    Case("PRelu", [[2, 3], []], opsets=(16,), away=[0], id="one"),
    Case(
        "PRelu",
        [[2, 3, 4], [3]],
        opsets=(6,),
        away=[0],
        formula=lambda x, slope: np.where(x < 0, slope[:, None] * x, x),  # onnxruntime has it not
        id="channels",
    ),
    Case("Mish", [SMALL]),
    Case("Selu", [SMALL], {"alpha": 1.5, "gamma": 1.1}, away=[0]),
    Case("HardSigmoid", [[4, 3]], {"alpha": 0.5, "beta": 0.4}, away=[-0.8, 1.2]),
    Case("HardSwish", [[4, 3]], opsets=(14, 22), low=-5, high=5, away=[-3, 3]),
    Case("ThresholdedRelu", [SMALL], {"alpha": 0.5}, away=[0.5]),
    Case("LeakyRelu", [[4, 3]], {"alpha": 0.1}, away=[0]),
    Case("LeakyRelu", [[4, 3]], {"alpha": -0.5}, away=[0], id="negative"),
    Case("Equal", [ints(1, 2, 3), ints(1, 5, 3)], gradient=False, opsets=(7, 11, 13, 19)),
    Case("Less", [SMALL, [3]], gradient=False, opsets=(7, 9, 13)),
    Case("Greater", [SMALL, [3]], gradient=False, opsets=(7, 9, 13)),
    Case("LessOrEqual", [SMALL, np.zeros(3)], gradient=False),
    Case("GreaterOrEqual", [SMALL, np.zeros(3)], gradient=False),
    Case("And", [BOOLS, ~BOOLS[:1]], gradient=False, opsets=(7,)),
    Case("Or", [BOOLS, BOOLS[:1]], gradient=False, opsets=(7,)),
    Case("Xor", [BOOLS, BOOLS[:1]], gradient=False, opsets=(7,)),
    Case("Not", [BOOLS], gradient=False),
    Case("Clip", [[4, 5]], {"min": -0.5, "max": 1.0}, opsets=(6,), away=[-0.5, 1]),
    Case(
        "Clip",
        [[4, 5], np.float64(-0.5)],
        opsets=(11, 12, 13),
        away=[-0.5, 1],
        id="min",
    ),
    Case(
        "Clip",
        [[4, 5], np.float64(-0.5), np.float64(1)],
        opsets=(13,),
        away=[-0.5, 1],
        id="both",
    ),
    Case("Clip", [[4, 5], None, np.float64(0.5)], opsets=(11,), away=[0.5], id="max"),
    Case("Clip", [[4, 5], np.float64(1), np.float64(-0.5)], opsets=(13,), away=[1], id="crossed"),
    Case("Where", [BOOLS, SMALL, [3]]),
    Case("Log1p", [SMALL], **_POPART, low=-0.5, formula=np.log1p),
    Case("Expm1", [SMALL], **_POPART, formula=np.expm1),
    Case("Scale", [SMALL], {"scale": 0.3}, **_POPART, formula=lambda x: np.float32(0.3) * x),
    Case("Swish", [SMALL], **_POPART, formula=lambda x: x * _sigmoid(x)),
    Case(
        "Gelu",
        [SMALL],
        **_POPART,
        formula=lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    Case("GeluErf", [SMALL], **_POPART, formula=lambda x: x / 2 * (1 + _erf(x / np.sqrt(2)))),
    Case("Round", [SMALL], **_POPART, away=[-1.5, -0.5, 0.5, 1.5], formula=np.round),
    Case("NearbyInt", [SMALL], **_POPART, away=[-1.5, -0.5, 0.5, 1.5], formula=np.rint),
    Case("Atan2", [SMALL, SMALL], **_POPART, away=[0], formula=np.arctan2),
    Case("Fmod", [SMALL, np.array([0.7, -0.8, 0.9])], **_POPART, formula=np.fmod),
    Case("Remainder", [SMALL, np.array([0.7, -0.8, 0.9])], **_POPART, formula=np.mod),
    Case(
        "Remainder",
        [ints(7, -7, 7, -6, dtype=np.int32), ints(3, 3, -3, 3, dtype=np.int32)],
        **_POPART,
        formula=np.mod,
        gradient=False,
        id="integers",
    ),
]

_BITS = [ints(12, -7, 5, dtype=np.int32), ints(10, 3, -1, dtype=np.int32)]
BITWISE = [
    Case(type, _BITS[:n], **_POPART, formula=formula, gradient=False)
    for type, n, formula in (
        ("BitwiseAnd", 2, np.bitwise_and),
        ("BitwiseOr", 2, np.bitwise_or),
        ("BitwiseXor", 2, np.bitwise_xor),
        ("BitwiseXnor", 2, lambda a, b: ~(a ^ b)),
        ("BitwiseNot", 1, np.invert),
    )
]

SHAPES = [
    Case("Identity", [SMALL]),
    Case("Nop", [SMALL], **_POPART, formula=lambda x: x),
    Case("Detach", [SMALL], **_POPART, formula=lambda x: x, gradient=False),
    Case("Reshape", [[2, 6], ints(3, -1)], constants=[1], opsets=(6, 13, 14, 19)),
    Case("Reshape", [[2, 6, 1], ints(0, 2, 3)], constants=[1], opsets=(6, 14), id="zero"),
    Case(
        "Reshape",
        [[2, 6]],
        {"shape": [4, -1]},
        **_POPART,
        formula=lambda x: x.reshape(4, 3),
        id="attribute",
    ),
    Case("Flatten", [[2, 3, 4]], {"axis": 2}),
    Case("Flatten", [[2, 3]], {"axis": 0}, opsets=(9,), id="axis 0"),
    Case("Flatten", [[2, 3]], {"axis": -1}, opsets=(11,), id="negative"),
    Case("Squeeze", [[1, 2, 1]], {"axes": [2]}, opsets=(6, 11)),
    Case("Squeeze", [[1, 2, 1]], opsets=(6, 11, 13), id="all"),
    Case("Squeeze", [[1, 2, 1], ints(-1)], constants=[1], opsets=(13, 21), id="input"),
    Case("Unsqueeze", [SMALL], {"axes": [0, 3]}, opsets=(6, 11)),
    Case("Unsqueeze", [SMALL, ints(-1, 1)], constants=[1], opsets=(13, 21), id="input"),
    Case("Transpose", [[2, 3, 4]], {"perm": [2, 0, 1]}),
    Case("Transpose", [SMALL], opsets=(6,), id="reversed"),
    Case("Concat", [[2, 3], [2, 1], [2, 2]], {"axis": 1}),
    Case("Concat", [[2, 3], [1, 3]], {"axis": -2}, opsets=(11,), id="negative"),
    Case("Slice", [[5, 4]], {"starts": [1, -3], "ends": [9, -1]}, opsets=(6,)),
    Case("Slice", [[5, 4]], {"starts": [0], "ends": [2], "axes": [1]}, opsets=(6,), id="axes"),
    Case("Slice", [[5, 4], ints(1), ints(4)], constants=[1, 2], opsets=(10, 11, 13), id="inputs"),
    Case(
        "Slice",
        [[5, 7, 2], ints(-1, 1), ints(-99, 6), ints(0, 1), ints(-2, 3)],
        constants=[1, 2, 3, 4],
        opsets=(10, 13),
        id="steps",
    ),
    Case(
        "Slice",
        [[5, 4], ints(-9, 9), ints(-99, -99), ints(0, 1), ints(-1, -2)],
        constants=[1, 2, 3, 4],
        opsets=(10, 13),
        id="backwards from outside",
    ),
    Case("Split", [[5, 4]], {"axis": 0, "split": [2, 3]}, opsets=(6, 11), outputs=2),
    Case(
        "Split",
        [[4, 6], ints(1, 2, 3)],
        {"axis": -1},
        constants=[1],
        opsets=(13,),
        outputs=3,
        id="sizes",
    ),
    Case("Split", [[4, 5]], {"axis": 1, "num_outputs": 2}, opsets=(18,), outputs=2, id="uneven"),
    Case("Cast", [np.array([-1.7, 0.3, 2.5])], {"to": 6}, gradient=False, opsets=(6, 9, 13)),
    Case("CastLike", [SMALL, ints(1)], gradient=False),
    Case("CastLike", [SMALL, SMALL], id="same", frozen=[1]),
    Case("Pad", [[2, 3]], {"pads": [1, 0, 0, 2], "value": 1.5}, opsets=(6,)),
    Case(
        "Pad",
        [[2, 3], ints(1, 0, 0, 2), np.float64(1.5)],
        constants=[1],
        frozen=[2],
        opsets=(11, 13, 18, 19, 21, 23, 24, 25),
        id="value",
    ),
    Case("Pad", [[2, 3], ints(1, -1, 2, 2)], constants=[1], opsets=(13,), id="cut"),
    Case("Pad", [[2, 0, 2], ints(0, 1, 0, 0, 2, 1)], constants=[1], opsets=(13,), id="nothing"),
    Case("Pad", [[2, 3], ints(1, 2), None, ints(-1)], constants=[1, 3], opsets=(18,), id="axes"),
    *(
        Case(
            "Pad",
            [[2, 4, 3], ints(1, 3, 0, 0, 2, 2)],
            {"mode": mode},
            constants=[1],
            opsets=(version,),
            id=mode,
        )
        for mode, version in (("reflect", 11), ("edge", 11), ("wrap", 19))
    ),
    Case(
        "Pad",
        [[4, 3], ints(-1, 1, 2, -1)],
        {"mode": "edge"},
        constants=[1],
        opsets=(13,),
        id="edge-cut",
    ),
    Case("Expand", [[2, 1, 3], ints(2, 1, 4, 1)], constants=[1]),
    Case("Expand", [[2, 3], ints(1, 3)], constants=[1], opsets=(13,), id="same"),
    Case("Tile", [[2, 3], ints(2, 3)], constants=[1]),
    Case("Tile", [[2, 3], ints(1, 1)], constants=[1], opsets=(13,), id="once"),
    Case("DepthToSpace", [[2, 8, 2, 3]], {"blocksize": 2}, opsets=(6, 11, 13)),
    Case("DepthToSpace", [[1, 9, 1, 2]], {"blocksize": 3, "mode": "CRD"}, opsets=(11,), id="CRD"),
    Case("SpaceToDepth", [[2, 2, 4, 6]], {"blocksize": 2}, opsets=(6, 13)),
    Case(
        "SpaceToDepth",
        [np.arange(96.0, dtype=np.float32).reshape(2, 2, 4, 6)],
        {"blocksize": 2, "mode": "CRD"},
        opsets=(28,),
        formula=lambda x: (
            x.reshape(2, 2, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(2, 8, 2, 3)
        ),
        id="columns first",
    ),
    Case("Trilu", [[2, 3, 4]]),
    Case("Trilu", [[4, 3], np.int64(-1)], {"upper": 0}, constants=[1], id="lower"),
    Case("Trilu", [ints(1, 2, 3, 4).reshape(2, 2)], gradient=False, id="integers"),
    Case("Gather", [[5, 4], ints(1, -1, 1, 3)]),
    Case("Gather", [[2, 5, 3], ints(4, 0, 0, -5).reshape(2, 2)], {"axis": 1}, id="middle"),
    Case("Gather", [[4, 3], ints(2, 0, dtype=np.int32)], opsets=(13,), id="int32"),
    Case("Gather", [[2, 3, 4], np.int64(-2)], {"axis": -2}, constants=[1], opsets=(13,), id="view"),
    Case("Gather", [[4, 3], ints(2, 2, 0)], constants=[1], opsets=(13,), id="views, doubled"),
    Case(
        "Gather",
        [[4, 3], np.arange(40).reshape(4, 10) % 4],
        constants=[1],
        opsets=(13,),
        id="many constants",
    ),
    Case("Gather", [ints(7, 8, 9), ints(2, 0)], opsets=(13,), gradient=False, id="of integers"),
    _groups([3, 5, 4], ints(1, -1, 1, 4, 0, 0).reshape(3, 2), 1, 3, "rows"),
    _groups([2, 3, 4, 5], ints(0, 4, -5, 4, 4, 1, 3, 2).reshape(2, 2, 2), -1, 2, "last"),
    _groups([2, 6], ints(-1, 2, dtype=np.int32), 1, 2, "one of each"),
    _groups([2, 3, 4], ints(1, -2, 0, 2).reshape(2, 2), -2, 2, "views", constants=[1]),
    _groups([2, 3], ints(2, 2, 0, 1).reshape(2, 2), -1, 2, "views, doubled", constants=[1]),
    _groups([2, 4], np.arange(40).reshape(2, 20) % 4, 1, 2, "many constants", constants=[1]),
    _groups([5, 3], ints(4, 4, 0), 0, 1, "no groups"),
    _groups(
        ints(7, 8, 9, 6).reshape(2, 2), ints(1, 0).reshape(2, 1), 1, 2, "integers", gradient=False
    ),
]

CONSTANTS = [
    Case("Shape", [[2, 3, 4]], gradient=False),
    Case("Shape", [[2, 3, 4]], {"start": -2, "end": 9}, gradient=False, opsets=(15,), id="part"),
    Case("Size", [[2, 3, 4]], gradient=False),
    Case("ConstantOfShape", [ints(2, 3)], constants=[0], gradient=False),
    Case(
        "ConstantOfShape",
        [ints()],
        {"value": numpy_helper.from_array(ints(7))},
        constants=[0],
        gradient=False,
        opsets=(9,),
        id="integer",
    ),
    Case(
        "Range",
        [np.int64(10), np.int64(-1), np.int64(-3)],
        constants=[0, 1, 2],
        gradient=False,
        opsets=(11,),
    ),
    Case(
        "Range",
        [np.float32(1), np.float32(2), np.float32(0.3)],
        constants=[0, 1, 2],
        gradient=False,
        opsets=(11,),
        id="fractions",
    ),
]


def _normalised(x: Array, scale: Array, bias: Array, mean: Array, var: Array) -> Array:
    return (x - mean) / np.sqrt(var + 1e-5) * scale + bias


_CHANNELS = [[3], [3], np.array([0.1, -0.2, 0.3]), np.array([0.5, 1.5, 0.8])]
NORMALISATION = [
    Case("BatchNormalization", [[2, 3, 4], *_CHANNELS], opsets=(7, 9, 14), atol=1e-5),
    Case(
        "BatchNormalization",
        [[4, 3, 2, 2], *_CHANNELS],
        {"training_mode": 1, "epsilon": 0.1},
        opsets=(14, 15),
        outputs=3,
        atol=1e-5,
        id="training",
    ),
    Case(
        "BatchNormalization",
        [[4, 2, 3], *[[2, 3]] * 3, np.array([[0.5, 1.5, 0.8], [1.2, 0.7, 2.0]])],
        {"spatial": 0},
        opsets=(7,),
        atol=1e-5,
        id="by element",
    ),
    Case(
        "BatchNormalization",
        [[5], *[[1]] * 3, np.array([0.7])],
        opsets=(9, 14),
        formula=lambda *given: _normalised(*given),
        atol=1e-5,
        id="one dimension",
    ),
    Case(
        "BatchNormalization",
        [[2, 3, 4], *_CHANNELS],
        domain="ai.graphcore",
        formula=lambda x, *numbers: _normalised(x, *(n[:, None] for n in numbers)),
        atol=1e-5,
    ),
    Case(
        "CopyVarUpdate",
        [[2, 3], [2, 3]],
        domain="ai.graphcore",
        constants=[0],
        formula=lambda variable, value: value,
        gradient=False,
    ),
]


def _lrn(size: int, x: Array) -> Array:
    """By the definition, with alpha 0.5 and the other defaults."""
    sums = np.zeros_like(x)
    for c in range(x.shape[1]):
        window = x[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1]
        sums[:, c] = np.square(window).sum(1)
    return x / (1 + 0.5 / size * sums) ** 0.75


NORMALISATION += [
    Case("LRN", [[2, 5, 3, 1]], {"size": 3, "alpha": 0.5, "beta": 0.6, "bias": 1.5}),
    Case(
        "LRN",
        [[1, 7, 2]],
        {"size": 4, "alpha": 0.5},
        opsets=(13,),
        formula=partial(_lrn, 4),
        id="even",
    ),
    Case(
        "LRN",
        [[1, 12]],
        {"size": 11, "alpha": 0.5},
        opsets=(13,),
        formula=partial(_lrn, 11),
        id="wide",
    ),
    Case("LayerNormalization", [[2, 3, 4], [4], [4]], atol=1e-5),
    Case(
        "LayerNormalization",
        [[2, 3, 4], [3, 4]],
        {"axis": 1, "epsilon": 0.1},
        outputs=3,
        atol=1e-5,
        id="axes",
    ),
]

_T, _N, _I, _H = 3, 2, 4, 5


def _lstmByBatch(x: Array, w: Array, r: Array, b: Array, _: None, h: Array, c: Array) -> Array:
    """Of one direction, [batch, time, ...]."""
    h, c, found = h[:, 0], c[:, 0], []
    for t in range(x.shape[1]):
        gates = x[:, t] @ w[0].T + h @ r[0].T + b[0].reshape(2, -1).sum(0)
        i, o, f, g = np.split(gates, 4, 1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        h = _sigmoid(o) * np.tanh(c)
        found.append(h)
    return np.stack(found, 1)[:, :, None]


_LSTM = [[_T, _N, _I], [1, 4 * _H, _I], [1, 4 * _H, _H]]
_BOTH = [[_T, _N, _I], [2, 4 * _H, _I], [2, 4 * _H, _H], [2, 8 * _H]]
_STATES = [[1, _N, _H], [1, _N, _H]]
_LENGTHS = ints(3, 1, dtype=np.int32)
RECURRENT = [
    Case("LSTM", _LSTM, {"hidden_size": _H}, opsets=(7, 14, 22), outputs=3, low=-1, high=1),
    Case(
        "LSTM",
        _BOTH,
        {"hidden_size": _H, "direction": "bidirectional"},
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="bidirectional",
    ),
    Case(
        "LSTM",
        [*_LSTM, [1, 8 * _H], _LENGTHS, *_STATES, [1, 3 * _H]],
        {"hidden_size": _H, "direction": "reverse"},
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="everything, reverse",
    ),
    Case(
        "LSTM",
        [*_BOTH, None, [2, _N, _H], [2, _N, _H]],
        {
            "hidden_size": _H,
            "direction": "bidirectional",
            "activations": ["HardSigmoid", "Elu", "Softsign", "Affine", "ScaledTanh", "Tanh"],
            "activation_alpha": [0.3, 0.8, 0.7, 0.9],
            "activation_beta": [0.4, 0.1, 1.1],
        },
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="activations",
    ),
    Case(
        "LSTM",
        [*_LSTM, None, _LENGTHS, None, [1, _N, _H]],
        {"hidden_size": _H, "direction": "reverse", "clip": 0.3, "input_forget": 1},
        opsets=(14,),
        outputs=3,
        low=-1,
        high=1,
        id="clipped, coupled",
    ),
    Case(
        "LSTM",
        [[_N, _T, _I], *_LSTM[1:], [1, 8 * _H], None, [_N, 1, _H], [_N, 1, _H]],
        {"hidden_size": _H, "layout": 1},
        opsets=(14,),
        formula=_lstmByBatch,
        low=-1,
        high=1,
        id="batch first",
    ),
]

RANDOM = [
    Case("Dropout", [SMALL], opsets=(7, 10), gradient=False),
    Case(
        "Dropout",
        [SMALL, np.float64(0.5), np.bool_(False)],
        constants=[1, 2],
        opsets=(12, 13, 22),
        id="not training",
    ),
]

LINEAR = [
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

POOLING = [
    Case("MaxPool", [distinct(2, 2, 4, 6)], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    Case(
        "MaxPool",
        [distinct(1, 2, 5, 5)],
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1},
        opsets=(10, 12),
        id="ceil",
    ),
    Case(
        "MaxPool",
        [distinct(1, 1, 9)],
        {"kernel_shape": [3], "dilations": [2]},
        opsets=(10, 12),
        id="1-D dilated",
    ),
    Case(
        "MaxPool",
        [distinct(1, 1, 5, 5)],
        {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"},
        opsets=(8, 12),
        id="same lower",
    ),
    Case("AveragePool", [[2, 2, 4, 6]], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    Case(
        "AveragePool",
        [[1, 2, 5, 5]],
        {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
        opsets=(7, 10, 19),
        id="padding counts",
    ),
    Case(
        "AveragePool",
        [[1, 1, 5, 5, 4]],
        {"kernel_shape": [2, 3, 2], "strides": [2, 2, 1], "pads": [0, 1, 0, 0, 1, 1]},
        opsets=(7, 11),
        id="3-D padded",
    ),
    Case("GlobalMaxPool", [distinct(2, 3, 4, 2)]),
    Case("GlobalAveragePool", [[2, 3, 4, 2]]),
]

REDUCTIONS = [
    Case(type, [distinct(2, 3, 2) + 2.5], {"axes": [0, 2], "keepdims": 0}, opsets=(6, 11))
    for type in (
        "ReduceSum",
        "ReduceMean",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "ReduceSumSquare",
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSum",
        "ReduceLogSumExp",
    )
] + [
    Case("ReduceSum", [[2, 3, 2], ints(-2)], constants=[1], opsets=(13,), id="input"),
    Case(
        "ReduceSum",
        [SMALL, ints()],
        {"noop_with_empty_axes": 1},
        constants=[1],
        opsets=(13,),
        id="noop",
    ),
    Case(
        "ReduceMean", [[2, 3, 2], ints(1)], {"keepdims": 0}, constants=[1], opsets=(18,), id="input"
    ),
    Case("ReduceMax", [distinct(2, 3, 2)], opsets=(13,), id="all"),
    Case("ReduceL1", [[2, 3]], {"axes": [1]}, opsets=(13,), away=[0], id="signs"),
]

SOFTMAX = [
    Case(type, [[2, 3, 4]], attributes, opsets=opsets, id=id)
    for type in ("Softmax", "LogSoftmax")
    for attributes, opsets, id in (
        ({"axis": 1}, (6, 11, 13), "middle"),
        ({}, (6, 11, 13), "default"),
        ({"axis": 0}, (13,), "first"),
    )
]


def _nll(p: Array, labels: Array, reduction: str = "Mean", ignored: int = -1) -> Array:
    used = labels != ignored
    picked = np.take_along_axis(p, np.where(used, labels, 0)[..., None], -1)[..., 0]
    losses = np.where(used, -np.log(picked), 0).astype(p.dtype)
    total = losses.sum() / (used.sum() if reduction == "Mean" else 1)
    return losses if reduction == "NoReduction" else np.asarray(total, p.dtype)


_PROBABILITIES = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]])
_LABELS = ints(1, 0, 2, 1, dtype=np.int32)
_MAP = ints(1, 0, 2, 1, 0, 0, 2, 2).reshape(2, 4)

LOSSES = [
    Case("Nll", [_PROBABILITIES, _LABELS], **_POPART, formula=_nll),
    Case(
        "Nll",
        [_PROBABILITIES, _LABELS],
        {"reduction": "Sum", "ignoreIndex": 0},
        **_POPART,
        formula=lambda p, t: _nll(p, t, "Sum", 0),
        id="ignored",
    ),
    Case(
        "Nll",
        [_PROBABILITIES, _LABELS],
        {"ignoreIndex": 1},
        **_POPART,
        formula=lambda p, t: _nll(p, t, "Mean", 1),
        id="mean of the rest",
    ),
    Case(
        "Nll",
        [_PROBABILITIES.reshape(2, 2, 3), _LABELS.reshape(2, 2)],
        {"reduction": "NoReduction"},
        **_POPART,
        formula=lambda p, t: _nll(p, t, "NoReduction"),
        id="each",
    ),
    Case(
        "Nll",
        [np.log(_PROBABILITIES), _LABELS],
        {"inputIsLogProbability": 1},
        **_POPART,
        formula=lambda p, t: _nll(np.exp(p), t),
        id="logarithms",
    ),
    *(
        Case(type, [scores, labels, *weights], attributes, frozen=[2] * len(weights), id=id)
        for type in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
        for scores, labels, weights, attributes, id in (
            ([4, 3], _LABELS, [], {}, "mean"),
            ([4, 3], _LABELS, [np.array([0.5, 2.0, 1.5])], {"ignore_index": 1}, "weighted"),
            ([2, 3, 4], _MAP, [np.array([0.5, 2.0, 1.5])], {"reduction": "none"}, "each"),
            ([2, 3, 2, 2], _MAP.reshape(2, 2, 2), [], {"reduction": "sum"}, "2-D"),
        )
    ),
    Case("SoftmaxCrossEntropyLoss", [[2, 3, 4], _MAP], outputs=2, id="log_prob"),
] + [
    Case(
        type,
        [[2, 3]],
        {**attributes, "reduction": reduction},
        **_POPART,
        away=[0],
        formula=formula,
        id=reduction,
    )
    for type, attributes, factor in (
        ("L1", {"lambda": 0.3}, np.abs),
        ("IdentityLoss", {}, np.positive),
    )
    for reduction, formula in (
        (
            "Mean",
            lambda x, f=factor, a=attributes: np.asarray(f(x).mean() * a.get("lambda", 1), x.dtype),
        ),
        (
            "Sum",
            lambda x, f=factor, a=attributes: np.asarray(f(x).sum() * a.get("lambda", 1), x.dtype),
        ),
        (
            "NoReduction",
            lambda x, f=factor, a=attributes: (f(x) * a.get("lambda", 1)).astype(x.dtype),
        ),
    )
]

CASES = [
    *ELEMENTWISE,
    *BITWISE,
    *SHAPES,
    *CONSTANTS,
    *RECURRENT,
    *NORMALISATION,
    *RANDOM,
    *LINEAR,
    *POOLING,
    *REDUCTIONS,
    *SOFTMAX,
    *LOSSES,
]
