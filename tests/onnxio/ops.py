"""Operators that stand in for popir's own where a test wants some that it knows."""

from popir import registry
from popir.ir import Op, OperatorIdentifier
from popir.types import DataType, TensorInfo


class SameShapeOp(Op):
    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))


class LeakyReluOp(SameShapeOp):
    alpha: float


class ReshapeOp(Op):
    constantInputs = frozenset({1})

    def setup(self) -> None:
        shape = self.inTensor(1).data
        assert shape is not None
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape.tolist()))


class ClipOp(SameShapeOp):
    constantInputs = frozenset({1, 2})


class SplitOp(Op):
    axis: int
    split: list[int] | None

    def setup(self) -> None:
        shape = self.inShape(0)
        shape[self.axis] //= self.numOutputs()
        for i in self.output:
            self.setOutInfo(i, TensorInfo(DataType.FLOAT, shape))


class FaultyOp(Op):
    def setup(self) -> None:
        self.setOutInfo(0, TensorInfo("FLOAT", [[1][1]]))


def register() -> None:
    """Replaces popir's own, if there are any, until the end of the `registry.scoped()`."""
    for cls, type, version in (
        (LeakyReluOp, "LeakyRelu", 6),
        (SameShapeOp, "Relu", 6),
        (SameShapeOp, "Add", 7),
        (ReshapeOp, "Reshape", 5),
        (ClipOp, "Clip", 11),
        (SplitOp, "Split", 2),
        (SameShapeOp, "Identity", 1),
    ):
        registry.OpCreator(cls, [OperatorIdentifier("", type, version)], override=True)
    registry.OpCreator(FaultyOp, [OperatorIdentifier("com.acme", "Faulty", 1)])
