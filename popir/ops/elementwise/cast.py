"""Cast and CastLike: conversion of the element type. BitCast: the same bits in another type."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import popops
from popir.errors import LeavesDeviceError, OperatorAttributeError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.elementwise.table import FLOATS
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.narrow import Narrow
from popir.opx import Opx, popType
from popir.poplar import BOOL, FLOAT, INT, UNSIGNED_CHAR, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_ROUNDING = ("up", "down", "nearest")


class ConversionOp(Op):
    """The base class of Cast and CastLike: input 0 in another type.

    To an integer type floating-point numbers are truncated, and clamped to the range, of INT32 for
    types of less than 8 bits; NaN becomes 0. Integers lose their upper bits. To FLOAT8E8M0 negative
    numbers become NaN, and to floats of 4 and 6 bits NaN becomes minus zero.
    """

    round_mode: str | None
    saturate: bool | None

    def target(self) -> DataType:
        """The element type of the output."""
        raise NotImplementedError

    def setup(self) -> None:
        """Infers the input's shape. Raises OperatorAttributeError for an unknown round_mode,
        LeavesDeviceError for strings.
        """
        if self.round_mode not in (None, *_ROUNDING):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'round_mode' is {self.round_mode!r}; expected "
                f"is one of {', '.join(map(repr, _ROUNDING))}."
            )
        if DataType.STRING in (self.target(), self.inInfo(0).dataType()):
            raise LeavesDeviceError(
                f"{self.debugName()}: strings are converted on the host; a device program holds "
                "none. popir.backend.prepare and popir run run such a model in segments."
            )
        self.setOutInfo(0, TensorInfo(self.target(), self.inShape(0)))

    def dimensionNames(self) -> Dimensions | None:
        """All dimensions of the input."""
        return Dimensions.same(self.inRank(0))

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the type stays the same."""
        return self.inInfo(0) == self.outInfo(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The converted elements. None if a number is out of an integer type's range: the device
        decides then.
        """
        if 0 not in inputs:
            return None
        given, kind = inputs[0], self.outInfo(0).dataType()
        if kind.is_narrow:
            return None
        to = kind.numpy
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

    `saturate` is about 8-bit floats, `round_mode` about FLOAT8E8M0. Strings are converted on the
    host (`popir.ops.text.cast`). Not available are complex numbers.
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

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A Cast back to the input's type."""
        return on.cast(g, self.target().dataType())


class BitCastOp(Op):
    """ONNX's BitCast, version 26: the bits of the input as elements of the type `to`, which has as
    many bits. As BOOL, any bits but 0 are True. Not available are strings and complex numbers.
    """

    to: int

    def setup(self) -> None:
        """Infers the input's shape. Raises OperatorAttributeError for a type of other width."""
        kind, given = DataType.of(self.to), self.inInfo(0).dataType()
        if kind.bits != given.bits or DataType.STRING in (kind, given):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'to' is {kind.name}, of {kind.bits} bits; the "
                f"input is {given.name}, of {given.bits}. They must be as wide."
            )
        self.setOutInfo(0, TensorInfo(kind, self.inShape(0)))

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the type stays the same."""
        return self.inInfo(0) == self.outInfo(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The same bytes. None for BOOL."""
        to = self.outInfo(0).dataType()
        if 0 not in inputs or to is DataType.BOOL:
            return None
        return [np.ascontiguousarray(inputs[0]).view(to.numpy).reshape(self.outShape(0))]


class BitCastOpx(Opx):
    """The lowering of BitCast."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a copy, or for BOOL a comparison with 0."""
        to, given = popType(self.outInfo(0)), self.getInTensor(0)
        if to != BOOL:
            self.setOutTensor(0, self.cloneNcopy(prog, given.reinterpret(to)))
            return
        bytes = given.reinterpret(UNSIGNED_CHAR)
        self.setOutTensor(0, popops.cast(self.graph(), bytes, to, prog, self.debugContext()))


class CastOpx(Opx):
    """The lowering of casts and of their gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::cast, or the conversions of `Narrow`; copies if the type stays the same."""
        source, target = self.inInfo(0).dataType(), self.outInfo(0).dataType()
        to = popType(target)
        given = self.getInTensor(0)
        if source is not target and source.is_narrow:
            wide = INT if source.is_integer else FLOAT
            given = Narrow(self, prog).widened(given, source, wide if target.is_narrow else to)
            if not target.is_narrow:
                self.setOutTensor(0, given)
                return
        if source is not target and target.is_narrow:
            op = self.getOp(ConversionOp)
            mode = op.round_mode or "up"
            narrow = Narrow(self, prog).narrowed(given, target, op.saturate is not False, mode)
            self.setOutTensor(0, narrow)
        elif given.elementType() == to:
            self.setOutTensor(0, self.cloneNcopy(prog, given))
        else:
            self.setOutTensor(0, popops.cast(self.graph(), given, to, prog, self.debugContext()))


_IDS = onnx_ids("Cast", 6, 9, 13, 19, 21, 23, 24, 25, 28)
_LIKE_IDS = onnx_ids("CastLike", 15, 19, 21, 23, 24, 25)
_BIT_IDS = onnx_ids("BitCast", 26)
OpCreator(CastOp, _IDS)
OpCreator(BitCastOp, _BIT_IDS)
OpxCreator(BitCastOpx, _BIT_IDS)
OpCreator(CastLikeOp, _LIKE_IDS)
OpxCreator(CastOpx, [*_IDS, *_LIKE_IDS, CastGradOp.opid])
