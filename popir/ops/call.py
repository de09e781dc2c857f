"""Call: runs a graph. The outliner makes it of what repeats; see docs/transforms.md."""

from __future__ import annotations

from popir.errors import popart_exception
from popir.ir import Graph, Op, OpSerialiser
from popir.ops.identifiers import graphcoreId
from popir.registry import OpCreator


class CallOp(Op):
    """Gives its inputs to the graph `callee`, in the order of that graph's inputs, and returns its
    outputs.
    """

    callee: Graph

    def setup(self) -> None:
        """What the outputs of the callee are. Raises popart_exception for wrong inputs."""
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
        """The callee."""
        return [self.callee]

    def appendOutlineAttributes(self, os: OpSerialiser) -> None:
        """Which graph it is: the names of called graphs are unique in a model."""
        os.appendAttribute("callee", self.callee.name)


CALL = graphcoreId("Call")
OpCreator(CallOp, [CALL], isPublic=False)
