"""Cast and CastLike: conversion of the element type."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import popops
from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ir.traits import Array
from popir.ops.elementwise.table import FLOATS
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.opx import Opx, popType
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_ROUNDING = ("up", "down", "nearest")
_NO_FLOAT8 = "it is about 8-bit floating-point numbers, which popir does not have."


class ConversionOp(Op):
    """The base class of Cast and CastLike: input 0 in another type."""

    withoutMeaning = {"saturate": _NO_FLOAT8, "round_mode": _NO_FLOAT8}
    round_mode: str | None
    saturate: bool | None

    def target(self) -> DataType:
        """The element type of the output."""
        raise NotImplementedError

    def setup(self) -> None:
        """Infers the input's shape. Raises OperatorAttributeError for an unknown round_mode."""
        if self.round_mode not in (None, *_ROUNDING):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'round_mode' is {self.round_mode!r}; expected "
                f"is one of {', '.join(map(repr, _ROUNDING))}."
            )
        self.setOutInfo(0, TensorInfo(self.target(), self.inShape(0)))

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the type stays the same."""
        return self.inInfo(0) == self.outInfo(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The converted elements. None if a number is out of an integer type's range: the device
        decides then.
        """
        if 0 not in inputs:
            return None
        given, to = inputs[0], self.outInfo(0).dataType().numpy
        if self.inInfo(0).dataType() in FLOATS and to.kind in "iu":
            limits = np.iinfo(to)
            if not ((given > limits.min) & (given < limits.max)).all():
                return None
        return [given.astype(to)]

    def getGradOps(self) -> list[Op]:
        """A cast back, for floating-point types; none for others."""
        floats = {self.inInfo(0).dataType(), self.outInfo(0).dataType()} <= FLOATS
        return [CastGradOp(self)] if floats else []


class CastOp(ConversionOp):
    """ONNX's Cast, versions 6, 9, 13, 19, 21, 23, 24, 25 and 28: the input in the type `to`, an
    ONNX number or, in PopART's Builder, a name.

    Not available are strings, complex numbers, 8-bit floats and types of less than 8 bits.
    `saturate` and `round_mode`, which are about 8-bit floats, have no effect.
    """

    to: int

    def target(self) -> DataType:
        """The type in the attribute `to`."""
        return DataType.of(self.to)


class CastLikeOp(ConversionOp):
    """ONNX's CastLike, versions 15, 19, 21, 23, 24 and 25: input 0 in the type of input 1. The
    values of input 1 have no effect. Element types are those of Cast.
    """

    nonDifferentiableInputs = frozenset({1})

    def target(self) -> DataType:
        """The element type of input 1."""
        return self.inInfo(1).dataType()


class CastGradOp(InputGradOp):
    """The output's gradient, converted to the type of the forward operator's input."""

    opid = graphcore_id("CastGrad")


class CastOpx(Opx):
    """The lowering of casts and of their gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::cast; copies if the type stays the same."""
        to = popType(self.outInfo(0))
        given = self.getInTensor(0)
        if given.elementType() == to:
            self.setOutTensor(0, self.cloneNcopy(prog, given))
        else:
            self.setOutTensor(0, popops.cast(self.graph(), given, to, prog, self.debugContext()))


_IDS = onnx_ids("Cast", 6, 9, 13, 19, 21, 23, 24, 25, 28)
_LIKE_IDS = onnx_ids("CastLike", 15, 19, 21, 23, 24, 25)
OpCreator(CastOp, _IDS)
OpCreator(CastLikeOp, _LIKE_IDS)
OpxCreator(CastOpx, [*_IDS, *_LIKE_IDS, CastGradOp.opid])
