"""Element-wise operators."""

from __future__ import annotations

import numpy as np

from tests.ops.cases.case import BOOLS, POPART, SMALL, Array, Case, distinct, erf, ints, sigmoid

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
    *(Case(type, [SMALL], low=-0.9, high=0.9) for type in ("Asin", "Acos", "Atanh")),
    *(Case(type, [SMALL]) for type in ("Atan", "Sinh", "Cosh", "Asinh")),
    Case("Acosh", [SMALL], low=1.1, high=5),
    *(
        Case(type, [np.array([-40.0, -12.5, 0.0, 1e-5, 11.0, 60.0])], opsets=(9,), id="range")
        for type in ("Sinh", "Cosh", "Asinh")
    ),
    Case("Acosh", [np.array([1.0001, 2e9, 1e30])], opsets=(9,), gradient=False, id="range"),
    Case("Acos", [np.array([0.9999, -1.0, 1.0])], opsets=(7,), gradient=False, id="range"),
    Case("Round", [SMALL], away=[-1.5, -0.5, 0.5, 1.5]),
    Case("IsNaN", [np.array([1.0, np.nan, -np.inf, 0.0])], gradient=False),
    *(
        Case(
            "IsInf",
            [np.array([np.inf, -np.inf, np.nan, 2.0])],
            {"detect_negative": negative, "detect_positive": positive},
            gradient=False,
            id=f"{negative}{positive}",
        )
        for negative in (0, 1)
        for positive in (0, 1)
    ),
    Case("Celu", [SMALL], {"alpha": 0.7}, opsets=(12,), away=[0]),
    Case(
        "SwiGLU",
        [SMALL, SMALL],
        {"alpha": 0.5},
        opsets=(28,),
        formula=lambda a, b: a * sigmoid(0.5 * a) * b,
    ),
    Case("Shrink", [SMALL], {"lambd": 0.75, "bias": 0.25}, away=[-0.75, 0.75]),
    Case("Shrink", [ints(0, 1, 3, 4, 255, dtype=np.uint8)], {"lambd": 3.0}, gradient=False, id="u"),
    Case("Shrink", [ints(-9, -3, 3, 4)], {"lambd": 3.0, "bias": -2.0}, gradient=False, id="signed"),
    Case(
        "Celu",
        [SMALL],
        {"alpha": 0.7},
        opsets=(28,),
        away=[0],
        formula=lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7)).astype(x.dtype),
        id="newest",
    ),
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
    Case("Log1p", [SMALL], **POPART, low=-0.5, formula=np.log1p),
    Case("Expm1", [SMALL], **POPART, formula=np.expm1),
    Case("Scale", [SMALL], {"scale": 0.3}, **POPART, formula=lambda x: np.float32(0.3) * x),
    Case("Swish", [SMALL], **POPART, formula=lambda x: x * sigmoid(x)),
    Case(
        "Gelu",
        [SMALL],
        **POPART,
        formula=lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    Case("GeluErf", [SMALL], **POPART, formula=lambda x: x / 2 * (1 + erf(x / np.sqrt(2)))),
    Case("Round", [SMALL], **POPART, away=[-1.5, -0.5, 0.5, 1.5], formula=np.round),
    Case("NearbyInt", [SMALL], **POPART, away=[-1.5, -0.5, 0.5, 1.5], formula=np.rint),
    Case("Atan2", [SMALL, SMALL], **POPART, away=[0], formula=np.arctan2),
    Case("Fmod", [SMALL, np.array([0.7, -0.8, 0.9])], **POPART, formula=np.fmod),
    Case("Remainder", [SMALL, np.array([0.7, -0.8, 0.9])], **POPART, formula=np.mod),
    Case(
        "Remainder",
        [ints(7, -7, 7, -6, dtype=np.int32), ints(3, 3, -3, 3, dtype=np.int32)],
        **POPART,
        formula=np.mod,
        gradient=False,
        id="integers",
    ),
]

_BITS = [ints(12, -7, 5, dtype=np.int32), ints(10, 3, -1, dtype=np.int32)]
BITWISE = [
    Case(type, _BITS[:n], **POPART, formula=formula, gradient=False)
    for type, n, formula in (
        ("BitwiseAnd", 2, np.bitwise_and),
        ("BitwiseOr", 2, np.bitwise_or),
        ("BitwiseXor", 2, np.bitwise_xor),
        ("BitwiseXnor", 2, lambda a, b: ~(a ^ b)),
        ("BitwiseNot", 1, np.invert),
    )
]
BITWISE += [
    *(Case(f"Bitwise{name}", _BITS, gradient=False, opsets=(18,)) for name in ("And", "Or", "Xor")),
    Case("BitwiseNot", _BITS[:1], gradient=False, opsets=(18,)),
]


def _shifted(x: Array, y: Array) -> Array:
    wide = x.astype(object) >> y.astype(object)
    return np.where((y < 0) | (y >= 8 * x.itemsize), np.where(x < 0, -1, 0), wide).astype(x.dtype)


_UNSIGNED = [ints(200, 7, 1, 255, dtype=np.uint8), ints(1, 0, 9, 4, dtype=np.uint8)]
_SIGNED = [ints(-100, 100, -1, -7, 7, dtype=np.int16), ints(3, 3, 16, 1, 15, dtype=np.int16)]
BITWISE += [
    Case("BitShift", _UNSIGNED, {"direction": "LEFT"}, gradient=False, opsets=(11,), id="left"),
    Case("BitShift", _UNSIGNED, {"direction": "RIGHT"}, gradient=False, opsets=(11,), id="right"),
    Case(
        "BitShift",
        _SIGNED,
        {"direction": "RIGHT"},
        gradient=False,
        opsets=(28,),
        formula=_shifted,
        id="sign",
    ),
    Case(
        "BitShift",
        _SIGNED,
        {"direction": "LEFT"},
        gradient=False,
        opsets=(28,),
        formula=lambda x, y: (x.astype(np.int64) << y).astype(np.int16),
        id="past the sign",
    ),
    Case("BitCast", [ints(-1, 5)], {"to": 13}, gradient=False, formula=lambda x: x.view("u8")),
]
