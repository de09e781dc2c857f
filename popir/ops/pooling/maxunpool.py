"""MaxUnpool: puts values where MaxPool has found them."""

from __future__ import annotations

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import taken_or_zero
from popir.ops.support.shapes import const_input, product
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class MaxUnpoolOp(Op):
    """ONNX's MaxUnpool, versions 9, 11 and 22: zeros, with the values of input 0 at the indices in
    input 1, which MaxPool's second output gives.

    The indices count the elements of the shape that a MaxPool with these attributes makes input 0
    of. Where input 2, which must be known at compile time, gives a larger shape, there are zeros
    after each dimension. Of several values for one index the last one stays. An index out of range
    has no effect.
    """

    constantInputs = frozenset({2})
    kernel_shape: list[int]
    pads: list[int] | None
    strides: list[int] | None

    def unpooled_shape(self) -> list[int]:
        """The shape whose elements are counted.

        Raises OperatorInputError for an input that is no [batch, channels, spatial...] or whose
        shape is not that of the indices, OperatorAttributeError for malformed attributes.
        """
        shape, n = self.inShape(0), self.inRank(0) - 2
        if n < 1 or self.inShape(1) != shape:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {shape}, the indices {self.inShape(1)}; "
                "expected is [batch, channels, spatial...] for both."
            )
        strides, pads = self.strides or [1] * n, self.pads or [0] * 2 * n
        expected = {"kernel_shape": n, "strides": n, "pads": 2 * n}
        for name, given in (
            ("kernel_shape", self.kernel_shape),
            ("strides", strides),
            ("pads", pads),
        ):
            if len(given) != expected[name] or (name != "pads" and min(given) < 1):
                raise OperatorAttributeError(
                    f"{self.debugName()}: the attribute '{name}' is {given}; expected are "
                    f"{expected[name]} numbers{'' if name == 'pads' else ' of at least 1'}."
                )
        spatial = [
            (shape[2 + d] - 1) * strides[d] + self.kernel_shape[d] - pads[d] - pads[n + d]
            for d in range(n)
        ]
        if min(spatial) < 0:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'pads' is {pads}, more than the windows of "
                f"{self.kernel_shape} reach over for the input {shape}."
            )
        return [*shape[:2], *spatial]

    def setup(self) -> None:
        """Infers the shape of input 2, else the one that the attributes give.

        Raises OperatorInputError for an input 2 that is smaller than that, or has another rank.
        """
        shape = self.unpooled_shape()
        given = const_input(self, 2)
        if given is not None:
            wanted = [int(d) for d in given.reshape(-1)]
            if len(wanted) != len(shape) or any(a < b for a, b in zip(wanted, shape, strict=True)):
                raise OperatorInputError(
                    f"{self.debugName()}: the input output_shape is {wanted}; the indices count "
                    f"the elements of {shape}, and no dimension may be smaller."
                )
            shape = wanted
        if product(shape) >= 2**31:
            raise OperatorInputError(
                f"{self.debugName()}: the output would have shape {shape}; popir has indices for "
                "less than 2^31 elements."
            )
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the values."""
        return [MaxUnpoolGradOp(self)]


class MaxUnpoolGradOp(InputGradOp):
    """The gradient at the indices. Inputs: the output's gradient, the indices."""

    opid = graphcore_id("MaxUnpoolGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def __init__(self, fwdOp: MaxUnpoolOp) -> None:
        super().__init__(fwdOp)
        self._forward["unpooled"] = self.unpooled = fwdOp.unpooled_shape()

    def decompose(self, on: Decomposer, g: IrTensor, indices: IrTensor) -> IrTensor:
        """A Gather of the elements that the indices count."""
        zeros = on.ints(*[0] * len(self.unpooled))
        flat = on.reshape(on.Slice(g, zeros, on.ints(*self.unpooled)), [product(self.unpooled)])
        return taken_or_zero(on, flat, indices)


def _offsets(opx: Opx, size: int, prog: program.Sequence) -> Tensor:
    """The indices, for popops::multiSlice and multiUpdate: INT [count, 1]; -1 if out of range."""
    known = pe.Select(pe._1, pe.Const(-1), pe.Lt(pe._1, pe.Const(size)))
    tree, context = pe.Cast(pe.Max(known, pe.Const(-1)), poplar.INT), opx.debugContext("offsets")
    return popops.map(opx.graph(), tree, [opx.getInTensor(1).flatten()], prog, context).expand([1])


def _counted(t: Tensor, shape: list[int]) -> Tensor:
    """The elements of `t` that indices count, [elements, 1]."""
    for d, size in enumerate(shape):
        t = t.slice(0, size, d)
    return t.flatten().expand([1])


class MaxUnpoolOpx(Opx):
    """The lowering of MaxUnpool."""

    def grow(self, prog: program.Sequence) -> None:
        """Fills with zeros, and calls popops::multiUpdate."""
        op, graph, t = self.getOp(MaxUnpoolOp), self.graph(), self.getInTensor(0)
        kind, linear = popType(self.outInfo(0)), poplar.VariableMappingMethod.LINEAR
        out = graph.addVariable(kind, self.outShape(0), linear, self.debugContext())
        popops.zero(graph, out, prog, self.debugContext("zero"))
        shape = op.unpooled_shape()
        if t.numElements() and product(shape):
            offsets, context = _offsets(self, product(shape), prog), self.debugContext("scatter")
            target, slices = _counted(out, shape), t.flatten().expand([1, 1])
            popops.multiUpdate(graph, target, slices, offsets, [0], [1], prog, debugContext=context)
        self.setOutTensor(0, out)


class MaxUnpoolGradOpx(Opx):
    """The lowering of the gradient."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::multiSlice, which reads 0 for an index out of range."""
        op, graph, shape = self.getOp(MaxUnpoolGradOp), self.graph(), self.outShape(0)
        if 0 in shape or 0 in op.unpooled:
            kind, linear = popType(self.outInfo(0)), poplar.VariableMappingMethod.LINEAR
            out = graph.addVariable(kind, shape, linear, self.debugContext())
            popops.zero(graph, out, prog, self.debugContext("zero"))
            self.setOutTensor(0, out)
            return
        offsets = _offsets(self, product(op.unpooled), prog)
        given, context = _counted(self.getInTensor(0), op.unpooled), self.debugContext()
        found = popops.multiSlice(graph, given, offsets, [0], [1], prog, debugContext=context)
        self.setOutTensor(0, found.reshape(shape))


_IDS = onnx_ids("MaxUnpool", 9, 11, 22)
OpCreator(MaxUnpoolOp, _IDS)
OpxCreator(MaxUnpoolOpx, _IDS)
OpxCreator(MaxUnpoolGradOpx, MaxUnpoolGradOp.opid)
