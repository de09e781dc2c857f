"""Reshape, Flatten, Squeeze, Unsqueeze: change the shape only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir.errors import OperatorInputError
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import axes, axis, const_input, product
from popir.ops.support.views import ReshapeGradOp, ReshapeOpx, ReshapingOp
from popir.registry import OpCreator, OpxCreator


class ReshapeOp(ReshapingOp):
    """ONNX's Reshape, versions 5, 13, 14, 19, 21, 23, 24 and 25. The shape, input 1, must be known
    at compile time. In it, 0 keeps a dimension (unless `allowzero`), and one -1 is inferred.
    """

    constantInputs = frozenset({1})

    allowzero: bool | None

    def target_shape(self) -> list[int]:
        """The shape in the model, with 0 and -1. Raises OperatorInputError if it is missing or not
        a vector.
        """
        given = const_input(self, 1)
        if given is None or given.ndim != 1:
            what = "missing" if given is None else f"of shape {list(given.shape)}; expected is [N]"
            raise OperatorInputError(f"{self.debugName()}: the second input, the shape, is {what}.")
        return [int(d) for d in given]

    def output_shape(self) -> list[int]:
        """The shape in the model with 0 and -1 replaced. Raises OperatorInputError if it does not
        fit the input.
        """
        have, want = self.inShape(0), self.target_shape()
        shape = list(want)
        if not self.allowzero:
            shape = [have[i] if d == 0 and i < len(have) else d for i, d in enumerate(want)]
        if want.count(-1) > 1:
            raise OperatorInputError(
                f"{self.debugName()}: the shape input to ReshapeOp can only use -1 to specify one "
                f"unknown dimension; given is {want}."
            )
        known = product(d for d in shape if d != -1)
        if shape.count(-1) == 1 and known:
            shape[shape.index(-1)] = product(have) // known
        if min(shape, default=0) < 0 or product(shape) != product(have):
            raise OperatorInputError(
                f"{self.debugName()}: a tensor of shape {have} with {product(have)} elements does "
                f"not reshape to {want}."
            )
        return shape

    def dimensionNames(self) -> Dimensions | None:
        """As any change of the shape; none without elements."""
        return super().dimensionNames() if 0 not in self.inShape(0) else None

    def constantsOfPart(self, outputs: Mapping[int, list[int]]) -> dict[int, Array]:
        """The shape of a part."""
        return {1: np.array(outputs[0], np.int64)}


class GraphcoreReshapeOp(ReshapeOp):
    """PopART's Reshape of the domain ai.graphcore, with the shape as an attribute."""

    shape: list[int]

    def target_shape(self) -> list[int]:
        """The attribute `shape`, with 0 and -1."""
        return self.shape

    def dimensionNames(self) -> Dimensions | None:
        """None: the shape is an attribute, which is that of the whole."""
        return None


class FlattenOp(ReshapingOp):
    """ONNX's Flatten, versions 1, 9, 11, 13, 21, 23, 24 and 25: a matrix with the dimensions before
    `axis` as rows.
    """

    axis: int

    def output_shape(self) -> list[int]:
        """[product of the dimensions before the axis, product of the others]"""
        shape = self.inShape(0)
        split = (
            len(shape)
            if self.axis == len(shape)
            else axis(self, self.axis, len(shape) + (not shape))
        )
        return [product(shape[:split]), product(shape[split:])]


class AxesOp(ReshapingOp):
    """The base class of Squeeze and Unsqueeze. Axes are an attribute before version 13, from then
    on an input that must be known at compile time.
    """

    constantInputs = frozenset({1})

    axes: list[int] | None

    def given_axes(self) -> list[int] | None:
        """The axes in the model; None if there are none."""
        found = const_input(self, 1)
        return self.axes if found is None else [int(a) for a in found.reshape(-1)]


class SqueezeOp(AxesOp):
    """ONNX's Squeeze, versions 1, 11, 13, 21, 23, 24 and 25: removes dimensions of 1, the named
    ones or all.
    """

    def output_shape(self) -> list[int]:
        """The shape without the removed dimensions. Raises OperatorInputError if one of them is not
        1.
        """
        shape, given = self.inShape(0), self.given_axes()
        if given is None:
            return [d for d in shape if d != 1]
        removed = axes(self, given, len(shape))
        for a in removed:
            if shape[a] != 1:
                raise OperatorInputError(
                    f"{self.debugName()}: axis {a} of shape {shape} is {shape[a]}; only a "
                    "dimension of 1 can be squeezed."
                )
        return [d for i, d in enumerate(shape) if i not in removed]

    def dimensionNames(self) -> Dimensions | None:
        """As any change of the shape; none without axes, for a part may have a size of 1 more."""
        return super().dimensionNames() if self.given_axes() is not None else None


class UnsqueezeOp(AxesOp):
    """ONNX's Unsqueeze, versions 1, 11, 13, 21, 23, 24 and 25: inserts dimensions of 1, which have
    the named axes in the result.
    """

    def output_shape(self) -> list[int]:
        """The shape with the inserted dimensions. Raises OperatorInputError without axes."""
        given = self.given_axes()
        if given is None:
            raise OperatorInputError(f"{self.debugName()}: the axes are missing.")
        shape = self.inShape(0)
        for a in axes(self, given, len(shape) + len(given)):
            shape.insert(a, 1)
        return shape


for _op_class, _ids in (
    (ReshapeOp, onnx_ids("Reshape", 5, 13, 14, 19, 21, 23, 24, 25)),
    (GraphcoreReshapeOp, [graphcore_id("Reshape")]),
    (FlattenOp, onnx_ids("Flatten", 1, 9, 11, 13, 21, 23, 24, 25)),
    (SqueezeOp, onnx_ids("Squeeze", 1, 11, 13, 21, 23, 24, 25)),
    (UnsqueezeOp, onnx_ids("Unsqueeze", 1, 11, 13, 21, 23, 24, 25)),
):
    OpCreator(_op_class, _ids)
    OpxCreator(ReshapeOpx, _ids)
OpxCreator(ReshapeOpx, ReshapeGradOp.opid)
