"""Operators that the tests of the IR use; they need no device."""

from popir.ir import GradInOutMapper, GradOp, GradOpInType, Graph, Op, OperatorIdentifier
from popir.types import TensorInfo

LEAKY_RELU = OperatorIdentifier("ai.onnx", "LeakyRelu", 6)
LEAKY_RELU_GRAD = OperatorIdentifier("ai.onnx", "LeakyReluGrad", 6)
ADD = OperatorIdentifier("ai.onnx", "Add", 7)
UPDATE = OperatorIdentifier("test", "Update", 1)
VIEW = OperatorIdentifier("test", "View", 1)


class LeakyReluOp(Op):
    alpha: float

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        return [LeakyReluGradOp(self)]


class LeakyReluGradOp(GradOp):
    opid = LEAKY_RELU_GRAD
    alpha: float

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        return [
            GradInOutMapper(0, 0, GradOpInType.GradOut),
            GradInOutMapper(1, 0, GradOpInType.In),
        ]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        return {0: 0}


class AddOp(Op):
    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))


class UpdateOp(AddOp):
    """Writes its input 0 in place; output 0 is that memory."""

    def modifies(self, inIndex: int) -> bool:
        return inIndex == 0

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        return inIndex == 0


class ViewOp(AddOp):
    """Output 0 is input 0's memory."""

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        return inIndex == 0


def stream_graph(*ids: str) -> Graph:
    """A graph with a FLOAT[4] input for each id."""
    graph = Graph("main")
    for id in ids or ("x",):
        graph.addStream(id, TensorInfo("FLOAT", [4]))
    return graph


def add(graph: Graph, cls: type[Op], opid: OperatorIdentifier, inputs: str, output: str) -> Op:
    """An operator with the inputs, whose ids are separated by blanks, and one output."""
    ins = dict(enumerate(inputs.split()))
    attributes = {"alpha": 0.1} if "alpha" in cls.declaredAttributes() else {}
    return graph.createConnectedOp(cls, ins, {0: output}, opid, Op.Settings(graph), attributes)
