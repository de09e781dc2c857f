"""Call: runs a subgraph. Outlining makes it; see docs/transforms.md."""

from __future__ import annotations

from popir.calling import CallingOpx
from popir.errors import popart_exception
from popir.ir import Graph, Op, OpSerialiser
from popir.ops.support.identifiers import graphcore_id
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator


class CallOp(Op):
    """PopART's Call: runs the graph `callee` on its inputs and returns the outputs of that graph,
    both in order.
    """

    callee: Graph

    def setup(self) -> None:
        """Gives the outputs the types and shapes of the callee's outputs.

        Raises popart_exception if the inputs do not match those of the callee.
        """
        callee = self.callee
        if set(self.input) != set(range(len(callee.inputs))):
            raise popart_exception(
                f"{self.debugName()}: the graph '{callee.name}' has {len(callee.inputs)} inputs, "
                f"given were {len(self.input)}."
            )
        for i, id in enumerate(callee.inputs):
            want = callee.getTensor(id).info
            if self.inInfo(i) != want:
                raise popart_exception(
                    f"{self.debugName()}: input {i} is {self.inInfo(i)}; '{id}' of the graph "
                    f"'{callee.name}' is {want}."
                )
        for i, id in enumerate(callee.outputs):
            info = callee.getTensor(id).info
            assert info is not None
            self.setOutInfo(i, info)

    def getCalledGraphs(self) -> list[Graph]:
        """The called graph, `callee`, alone."""
        return [self.callee]

    def appendOutlineAttributes(self, os: OpSerialiser) -> None:
        """The name of the called graph, which is unique in a model."""
        os.appendAttribute("callee", self.callee.name)


CALL = graphcore_id("Call")
OpCreator(CallOp, [CALL], isPublic=False)


class CallOpx(CallingOpx):
    """The lowering of a call."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the copies of the inputs, then the call."""
        function = self.pass_in(self.getOp(CallOp).callee, prog)
        prog.add(function.call(self.debugContext()))
        for o in sorted(self.op_p.output):
            made = function.outputs[o]
            if not function.is_own(o):
                made = self.cloneNcopy(prog, made, f"out{o}")
            self.setOutTensor(o, made)


OpxCreator(CallOpx, CALL)
