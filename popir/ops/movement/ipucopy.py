"""IpuCopy: brings a tensor to another IPU. The compiler adds it; models do not have it."""

from __future__ import annotations

from popir import poplar
from popir.ir import Op
from popir.ops.support.identifiers import graphcore_id
from popir.opx import Opx, popType
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator


class IpuCopyOp(Op):
    """PopART's IpuCopy, version 1: the output is the input, on the IPU `destination_ipu`. It was on
    the IPU `source_ipu`.
    """

    openAttributes = True

    def setup(self) -> None:
        """Infers the type and shape of the input."""
        self.setOutInfo(0, self.inInfo(0))

    def isOutlineable(self) -> bool:
        """False: what is called runs on one IPU."""
        return False


class IpuCopyOpx(Opx):
    """The lowering: one copy into a variable on the tiles of the destination."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the variable, and the copy."""
        info, linear = self.outInfo(0), poplar.VariableMappingMethod.LINEAR
        context = self.debugContext()
        copy = self.graph().addVariable(popType(info), info.shape(), linear, context)
        prog.add(program.Copy(self.getInTensor(0), copy, context))
        self.setOutTensor(0, copy)


_ID = graphcore_id("IpuCopy")
OpCreator(IpuCopyOp, [_ID], isPublic=False)
OpxCreator(IpuCopyOpx, [_ID])
