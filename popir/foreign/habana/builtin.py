"""GUIDs that need no library: common kernels, as operations of the device.

A name is that of the operation, `_fwd` or `_bwd`, and the element type: `div_fwd_f32`,
`relu6_bwd_bf16`. Inputs are broadcast as numpy does it. A library may have a kernel of the same
name; then that is taken.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorInputError
from popir.opx import Opx, popType
from popir.popops import expr as pe
from popir.types import DataType, TensorInfo

Tree = Any
Make = Callable[..., Tree]

_1, _2, _3 = pe._1, pe._2, pe._3
_SUFFIXES = {
    "f32": DataType.FLOAT,
    "bf16": DataType.BFLOAT16,
    "f16": DataType.FLOAT16,
    "i32": DataType.INT32,
    "i16": DataType.INT16,
    "i8": DataType.INT8,
    "u32": DataType.UINT32,
    "u16": DataType.UINT16,
    "u8": DataType.UINT8,
}


def _const(value: float) -> Tree:
    return pe.Const(float(value))


_FORWARD: dict[str, tuple[int, Tree]] = {
    "abs": (1, pe.Abs(_1)),
    "add": (2, _1 + _2),
    "ceil": (1, pe.Ceil(_1)),
    "cos": (1, pe.Cos(_1)),
    "div": (2, _1 / _2),
    "erf": (1, pe.Erf(_1)),
    "exp": (1, pe.Exp(_1)),
    "floor": (1, pe.Floor(_1)),
    "gelu": (1, pe.GeluErf(_1)),
    "log": (1, pe.Log(_1)),
    "max": (2, pe.Max(_1, _2)),
    "min": (2, pe.Min(_1, _2)),
    "mult": (2, _1 * _2),
    "neg": (1, pe.Neg(_1)),
    "pow": (2, pe.Pow(_1, _2)),
    "reciprocal": (1, pe.Inv(_1)),
    "relu": (1, pe.Relu(_1)),
    "relu6": (1, pe.Min(pe.Relu(_1), _const(6))),
    "round": (1, pe.NearbyInt(_1)),
    "rsqrt": (1, pe.Rsqrt(_1)),
    "sigmoid": (1, pe.Sigmoid(_1)),
    "sign": (1, pe.Signum(_1)),
    "sin": (1, pe.Sin(_1)),
    "sqrt": (1, pe.Sqrt(_1)),
    "square": (1, pe.Square(_1)),
    "sub": (2, _1 - _2),
    "tanh": (1, pe.Tanh(_1)),
}
"""The number of inputs, and the expression of them."""
_BACKWARD: dict[str, Tree] = {
    "relu": pe.Select(_1, _const(0), pe.Gt(_2, _const(0))),
    "relu6": pe.Select(_1, _const(0), pe.And(pe.Gt(_2, _const(0)), pe.Lt(_2, _const(6)))),
    "sigmoid": _1 * _2 * (_const(1) - _2),
    "tanh": _1 * (_const(1) - _2 * _2),
    "exp": _1 * _2,
    "log": _1 / _2,
    "square": _1 * _2 * _const(2),
    "sqrt": _1 / (_2 * _const(2)),
    "neg": pe.Neg(_1),
}
"""The expression of the gradient of the result and of a second input: the result for sigmoid, tanh,
exp and sqrt, and the operand, or the result, for the others.
"""
_OF_REALS = {
    *("ceil", "cos", "erf", "exp", "floor", "gelu", "leakyrelu", "log", "reciprocal", "round"),
    *("rsqrt", "sigmoid", "sin", "sqrt", "tanh"),
}
"""Those that there are for floats alone."""
_ALIASES = {"mul": "mult", "relu_6": "relu6", "recip": "reciprocal"}


class Builtin:
    """One of these kernels, for one element type."""

    def __init__(self, guid: str, inputs: int, kind: DataType, make: Tree | Make) -> None:
        self.guid = guid
        self.inputs = inputs
        self.kind = kind
        self._make = make

    def expression(self, who: str, parameters: bytes) -> Tree:
        """The expression of the inputs. Raises OperatorInputError for wrong parameters."""
        if callable(self._make):
            return self._make(who, parameters)
        if parameters:
            raise OperatorInputError(
                f"{who}: the built-in kernel '{self.guid}' takes no parameters; given were "
                f"{len(parameters)} bytes."
            )
        return self._make

    def check(self, who: str, inputs: Sequence[TensorInfo], outputs: Sequence[TensorInfo]) -> None:
        """Raises OperatorInputError for tensors that the kernel does not take."""
        if len(inputs) != self.inputs or len(outputs) != 1:
            raise OperatorInputError(
                f"{who}: the built-in kernel '{self.guid}' has {self.inputs} inputs and 1 output; "
                f"given were {len(inputs)} and {len(outputs)}."
            )
        for info in [*inputs, *outputs]:
            if info.dataType() is not self.kind:
                raise OperatorInputError(
                    f"{who}: the built-in kernel '{self.guid}' is for tensors of "
                    f"{self.kind.name}; given was one of {info.dataType().name}."
                )
        try:
            shape = np.broadcast_shapes(*(info.shape() for info in inputs))
        except ValueError:
            shape = None
        if shape is None or list(shape) != outputs[0].shape():
            raise OperatorInputError(
                f"{who}: the built-in kernel '{self.guid}' gives "
                f"{'nothing' if shape is None else list(shape)} for inputs of "
                f"{' and '.join(str(info.shape()) for info in inputs)}; its output is defined as "
                f"{outputs[0].shape()}."
            )

    def grow(self, opx: Opx, prog: Any, inputs: Sequence[Any], parameters: bytes) -> Any:
        """Adds the kernel to a program, and returns its result."""
        tree = self.expression(opx.op_p.debugName(), parameters)
        return popops.map(opx.graph(), tree, list(inputs), prog, opx.debugContext(self.guid))


def find(guid: str) -> Builtin | None:
    """The built-in kernel of that name; None if there is none."""
    stem, _, suffix = guid.rpartition("_")
    kind = _SUFFIXES.get(suffix)
    if kind is None:
        return None
    name, _, way = stem.rpartition("_")
    name = name if way in ("fwd", "bwd") else stem
    name = _ALIASES.get(name, name)
    if name in _OF_REALS and kind.numpy.kind in "iu":
        return None
    if way == "bwd":
        tree = _BACKWARD.get(name)
        return None if tree is None else Builtin(guid, 2, kind, tree)
    if name == "leakyrelu":
        return Builtin(guid, 1, kind, _leaky)
    found = _FORWARD.get(name)
    return None if found is None else Builtin(guid, found[0], kind, found[1])


def _leaky(who: str, parameters: bytes) -> Tree:
    if len(parameters) != 4:
        raise OperatorInputError(
            f"{who}: the built-in kernel leakyrelu has one float as its parameters; given were "
            f"{len(parameters)} bytes."
        )
    alpha = struct.unpack("<f", parameters)[0]
    return pe.Select(_1, _1 * _const(alpha), pe.Gt(_1, _const(0)))


def names() -> list[str]:
    """The names of these kernels for floats; those of other types end otherwise."""
    forward = [f"{name}_fwd_f32" for name in [*_FORWARD, "leakyrelu"]]
    return sorted([*forward, *(f"{name}_bwd_f32" for name in _BACKWARD)])


def like(opx: Opx, info: TensorInfo, name: str) -> Any:
    """A new tensor for a result, spread over the tiles."""
    linear = poplar.VariableMappingMethod.LINEAR
    context = opx.debugContext(name)
    return opx.graph().addVariable(popType(info), info.shape(), linear, context)
