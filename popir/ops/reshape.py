"""Reshape, Flatten, Squeeze, Unsqueeze: the same elements in another shape."""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import axes, axis, constInput, product
from popir.ops.views import ReshapeGradOp, ReshapeOpx, ReshapingOp
from popir.registry import OpCreator, OpxCreator


class ReshapeOp(ReshapingOp):
    """The shape is the constant second input; 0 keeps a dimension (unless `allowzero`), one -1 is
    inferred.
    """

    constantInputs = frozenset({1})

    allowzero: bool | None

    def targetShape(self) -> list[int]:
        """The shape as the model gives it."""
        given = constInput(self, 1)
        if given is None or given.ndim != 1:
            what = "missing" if given is None else f"of shape {list(given.shape)}; expected is [N]"
            raise OperatorInputError(f"{self.debugName()}: the second input, the shape, is {what}.")
        return [int(d) for d in given]

    def outputShape(self) -> list[int]:
        """The target shape, with 0 and -1 replaced."""
        have, want = self.inShape(0), self.targetShape()
        shape = list(want)
        if not self.allowzero:
            shape = [have[i] if d == 0 and i < len(have) else d for i, d in enumerate(want)]
        known = product(d for d in shape if d != -1)
        if shape.count(-1) == 1 and known:
            shape[shape.index(-1)] = product(have) // known
        if min(shape, default=0) < 0 or product(shape) != product(have):
            raise OperatorInputError(
                f"{self.debugName()}: a tensor of shape {have} with {product(have)} elements does "
                f"not reshape to {want}."
            )
        return shape


class GraphcoreReshapeOp(ReshapeOp):
    """The shape is an attribute."""

    shape: list[int]

    def targetShape(self) -> list[int]:
        """The attribute."""
        return self.shape


class FlattenOp(ReshapingOp):
    """A matrix: the dimensions before `axis`, times those from it on."""

    axis: int

    def outputShape(self) -> list[int]:
        """[product before, product from]"""
        shape = self.inShape(0)
        split = (
            len(shape)
            if self.axis == len(shape)
            else axis(self, self.axis, len(shape) + (not shape))
        )
        return [product(shape[:split]), product(shape[split:])]


class AxesOp(ReshapingOp):
    """Base of the two that take axes: an attribute before version 13, a constant input from then
    on.
    """

    constantInputs = frozenset({1})

    axes: list[int] | None

    def givenAxes(self) -> list[int] | None:
        """The axes as the model gives them, None if it gives none."""
        found = constInput(self, 1)
        return self.axes if found is None else [int(a) for a in found.reshape(-1)]


class SqueezeOp(AxesOp):
    """Dimensions of 1 removed: those named, or all."""

    def outputShape(self) -> list[int]:
        """What is left."""
        shape, given = self.inShape(0), self.givenAxes()
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


class UnsqueezeOp(AxesOp):
    """Dimensions of 1 put in, so that they are at the axes named in the result."""

    def outputShape(self) -> list[int]:
        """The longer shape."""
        given = self.givenAxes()
        if given is None:
            raise OperatorInputError(f"{self.debugName()}: the axes are missing.")
        shape = self.inShape(0)
        for a in axes(self, given, len(shape) + len(given)):
            shape.insert(a, 1)
        return shape


for _opClass, _ids in (
    (ReshapeOp, onnxIds("Reshape", 5, 13, 14, 19, 21, 23, 24, 25)),
    (GraphcoreReshapeOp, [graphcoreId("Reshape")]),
    (FlattenOp, onnxIds("Flatten", 1, 9, 11, 13, 21, 23, 24, 25)),
    (SqueezeOp, onnxIds("Squeeze", 1, 11, 13, 21, 23, 24, 25)),
    (UnsqueezeOp, onnxIds("Unsqueeze", 1, 11, 13, 21, 23, 24, 25)),
):
    OpCreator(_opClass, _ids)
    OpxCreator(ReshapeOpx, _ids)
OpxCreator(ReshapeOpx, ReshapeGradOp.opid)
