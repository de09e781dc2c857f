"""Gradient of ai.onnx.preview.training: derivatives of a tensor, by the names of tensors."""

from __future__ import annotations

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op, OperatorIdentifier
from popir.registry import OpCreator


class GradientOp(Op):
    """ONNX's Gradient of ai.onnx.preview.training, version 1: the derivatives of the sum of the
    tensor `y` with respect to those named in `xs`, at the values that the inputs have for `xs` and
    `zs`. The graph between them is that of the model. A second derivative needs operators whose
    gradient operators have gradients: few do.

    The first pass of the compiler puts the operators that compute it in its place
    (`popir.transforms.gradients`): it has no lowering. In the body of a loop, or in a branch, it
    differentiates what is computed there; a tensor around that is a constant, unless `xs` names it.
    """

    xs: list[str]
    y: str
    zs: list[str] | None

    def setup(self) -> None:
        """Infers the types and shapes of the values. Raises OperatorInputError unless there is one
        for each name, OperatorAttributeError for names that are there twice.
        """
        names = self.names()
        if len(set(names)) < len(names) or not self.xs:
            raise OperatorAttributeError(
                f"{self.debugName()}: 'xs' and 'zs' name the tensors {names}; each must be there "
                "once, and one or more in 'xs'."
            )
        if sorted(self.input) != [*range(len(names))] or max(self.output, default=0) >= len(
            self.xs
        ):
            raise OperatorInputError(
                f"{self.debugName()}: it has {len(self.input)} inputs and {len(self.output)} "
                f"outputs; 'xs' and 'zs' name {len(names)} tensors, 'xs' {len(self.xs)}."
            )
        for i in self.output:
            self.setOutInfo(i, self.inInfo(i))

    def names(self) -> list[str]:
        """The names of the tensors that the inputs stand for, in order."""
        return [*self.xs, *(self.zs or [])]


OpCreator(GradientOp, [OperatorIdentifier("ai.onnx.preview.training", "Gradient", 1)])
