"""TensorRemap: a tensor in another layout."""

from __future__ import annotations

from collections.abc import Mapping

from popir import poplar
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op
from popir.ir import Tensor as IrTensor
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator

_REVERSE, _AGAIN, _FORWARD = 0, 1, 2


class TensorRemapOp(Op):
    """PopART's TensorRemap: the input in a new tensor, spread evenly over the tiles, or laid out as
    the second input is. (PopART asks the tensor's readers for its layout.)

    The gradient is laid out as the forward input (`remap_type` 0), anew (1), or stays (2).
    """

    nonDifferentiableInputs = frozenset({1})
    remap_type: int

    def setup(self) -> None:
        """Infers the input's type and shape. Raises OperatorAttributeError for an unknown
        remap_type, OperatorInputError for a second input of another shape.
        """
        if self.remap_type not in (_REVERSE, _AGAIN, _FORWARD):
            raise OperatorAttributeError(
                f"{self.debugName()}: the remap_type is {self.remap_type}; expected is 0, 1 or 2."
            )
        if self.hasInput(1) and self.inInfo(1) != self.inInfo(0):
            raise OperatorInputError(
                f"{self.debugName()}: the reference is {self.inInfo(1)}; expected is a tensor like "
                f"the input, {self.inInfo(0)}."
            )
        self.setOutInfo(0, self.inInfo(0))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The input as it is."""
        return [inputs[0]] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, laid out as `remap_type` says."""
        return [TensorRemapGradOp(self)]


class TensorRemapGradOp(InputGradOp):
    """The gradient in the layout that `remap_type` chooses. Input 1 is the forward input, if the
    gradient takes its layout.
    """

    opid = graphcore_id("TensorRemapGrad")

    def __init__(self, fwdOp: TensorRemapOp) -> None:
        super().__init__(fwdOp)
        self.remap_type = fwdOp.remap_type

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The gradient, and the forward input for its layout."""
        found = [GradInOutMapper(0, 0, GRAD)]
        return [*found, GradInOutMapper(1, 0, IN)] if self.remap_type == _REVERSE else found

    def decompose(self, on: Decomposer, g: IrTensor, *_: IrTensor) -> IrTensor:
        """The gradient as it is: the layout of what is computed from it is free."""
        return on.Identity(g)

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether the gradient stays as it is."""
        return inIndex == 0 and self.remap_type == _FORWARD


class TensorRemapOpx(Opx):
    """The lowering of both: a copy."""

    def grow(self, prog: program.Sequence) -> None:
        """Copies into a clone of the reference, or into a tensor that is spread evenly."""
        graph, t, context = self.graph(), self.getInTensor(0), self.debugContext()
        if isinstance(self.op_p, TensorRemapGradOp) and self.op_p.remap_type == _FORWARD:
            self.setOutTensor(0, t)
            return
        if 1 in self.op_p.input:
            out = graph.clone(self.getInTensor(1), context)
        else:
            linear = poplar.VariableMappingMethod.LINEAR
            out = graph.addVariable(t.elementType(), t.shape(), linear, context)
        prog.add(program.Copy(t, out, context))
        self.setOutTensor(0, out)


OpCreator(TensorRemapOp, graphcore_id("TensorRemap"))
OpxCreator(TensorRemapOpx, [graphcore_id("TensorRemap"), TensorRemapGradOp.opid])
