"""Pow2ScaleThenCast and CastThenPow2Scale: conversion to and from 8-bit floats, with a power of two
as a factor.
"""

from __future__ import annotations

from popir import poplar, popops
from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ir.dimensions import Dimensions
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.scaled import GRADIENT_REMEDY, check_scale, metadata
from popir.opx import Opx, popType
from popir.poplar import QUARTER, program
from popir.registry import OpCreator, OpxCreator
from popir.types import FLOAT8, DataType, TensorInfo


class Pow2Op(Op):
    """The base class of both: input 0 in the type `to`, with a factor, of which input 1 is the
    logarithm. They have no gradient.
    """

    to: str
    targets = frozenset[DataType]()
    gradient_remedy = GRADIENT_REMEDY

    def setup(self) -> None:
        """Infers the input's shape. Raises OperatorAttributeError for another type,
        OperatorInputError for a factor that is no scalar of INT32.
        """
        kind = DataType.of(self.to)
        if kind not in self.targets:
            expected = " or ".join(sorted(each.name for each in self.targets))
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'to' is {self.to!r}; expected is {expected}."
            )
        check_scale(self, 1)
        self.setOutInfo(0, TensorInfo(kind, self.inShape(0)))

    def dimensionNames(self) -> Dimensions | None:
        """All dimensions of the input."""
        return Dimensions.same(self.inRank(0))


class Pow2ScaleThenCastOp(Pow2Op):
    """PopART's Pow2ScaleThenCast: X * 2^log2_scale in FLOAT8_143 or FLOAT8_152."""

    targets = FLOAT8
    refusesGradient = True


class CastThenPow2ScaleOp(Pow2Op):
    """PopART's CastThenPow2Scale: FLOAT8_143 or FLOAT8_152 in FLOAT16 or FLOAT, times
    2^log2_scale.
    """

    targets = frozenset({DataType.FLOAT16, DataType.FLOAT})


class Pow2ScaleThenCastOpx(Opx):
    """The lowering to 8-bit floats."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::cast with metadata of the negated logarithm: what it divides by."""
        scale = metadata(self, self.outInfo(0).dataType(), 1, prog, inverted=True)
        given, context = self.getInTensor(0), self.debugContext()
        self.setOutTensor(0, popops.cast(self.graph(), given, QUARTER, scale, prog, context))


class CastThenPow2ScaleOpx(Opx):
    """The lowering from 8-bit floats."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::cast on the elements with metadata."""
        scale = metadata(self, self.inInfo(0).dataType(), 1, prog)
        given = poplar.withMetadata(self.getInTensor(0), scale)
        to, context = popType(self.outInfo(0)), self.debugContext()
        self.setOutTensor(0, popops.cast(self.graph(), given, to, prog, context))


_TO, _FROM = graphcore_id("Pow2ScaleThenCast"), graphcore_id("CastThenPow2Scale")
OpCreator(Pow2ScaleThenCastOp, [_TO])
OpCreator(CastThenPow2ScaleOp, [_FROM])
OpxCreator(Pow2ScaleThenCastOpx, [_TO])
OpxCreator(CastThenPow2ScaleOpx, [_FROM])
