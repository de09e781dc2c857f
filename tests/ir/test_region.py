"""Regions, and what an operator that says nothing of its own says of them."""

from popir import DataType, OperatorIdentifier, TensorInfo
from popir.ir import Op, Region
from tests.popart.graphs import graph


def test_a_region_knows_its_elements() -> None:
    whole = Region.full([2, 3])
    assert whole == ((0, 0), (2, 3))
    assert whole.is_full([2, 3]) and not whole.is_full([2, 4])
    left, right = Region((0, 0), (2, 1)), Region((0, 1), (2, 3))
    assert left.intersects(whole) and not left.intersects(right)
    assert Region((1, 1), (1, 3)).isEmpty() and not whole.isEmpty()
    assert not Region.full([]).isEmpty()


class Flatten(Op):
    def setup(self) -> None:
        self.setOutInfo(0, TensorInfo(DataType.FLOAT, [6]))

    def modifies(self, inIndex: int) -> bool:
        return True


def test_the_defaults_follow_from_what_is_said_of_whole_tensors() -> None:
    g = graph()
    settings = Op.Settings(g, "f", {"__inplace_op_names": ["A"], "__inplace_op_priorities": [2.0]})
    opid = OperatorIdentifier("test", "Flatten", 1)
    op = g.createConnectedOp(lambda: Flatten(opid, settings), {0: "x"}, {0: "y"})
    whole = Region.full([2, 3])
    assert op.modifiedRegions(0) == op.usedRegions(0) == [whole]
    assert op.aliasedRegions(0, 0) == []
    assert op.fwdRegMap(0, 0, Region((0, 0), (1, 3))) == [Region.full([6])]
    assert op.bwdRegMap(0, 0, Region((0,), (1,))) == [whole]
    assert op.inplacePriorityVeto() == [("A", 2.0)]
    assert op.isOutlineable() and not op.canBeReplacedByIdentity()
