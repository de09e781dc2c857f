"""TiedGather: a table of which a Gather takes rows, and which is the weight of a matrix product
too, as word embeddings and their output layer are.
"""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.contraction.options import OUTPUT, Serialization, serialization
from popir.ops.movement.gather import GatherOp
from popir.ops.movement.transpose import TransposeOp
from popir.options.annotations import FULLY_CONNECTED
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, is_built_in, make, replace

_TIED = ("ai.graphcore", "PopartTiedGather", 1)


class TiedGather(Rewrite):
    """A Gather becomes a TiedGather or, of a table whose product is computed in parts of the output
    channels, the sum of one for each part. PopART's pattern of this name.
    """

    types = frozenset({"Gather"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` takes rows of a weight that is the second operand of a MatMul too."""
        return is_built_in(op, "Gather") and _product(op.inTensor(0)) is not None

    def check(self, op: Op) -> str | None:
        """The rows have to be the columns of the product, and a session that trains has to
        accumulate gradients.
        """
        assert isinstance(op, GatherOp)
        options = op.graph.session_options
        if op.graph.isTraining and not (options and options.enableGradientAccumulation):
            return "gradients are not accumulated"
        if op.graph.has_gradients:
            return "its gradient is there already"
        if op.inRank(0) != 2 or op.how() != (0, 1, True):
            return "it takes no rows of a matrix by the rules of ONNX"
        product = _product(op.inTensor(0))
        assert product is not None
        if _is_transposed(op.inTensor(0)) == _is_transposed(product.inTensor(1)):
            return f"its rows are no columns of the weight of {product.debugName()}"
        cut = serialization(product)
        if cut is not None and cut.size != OUTPUT:
            return f"{product.debugName()} is computed in parts of its {cut.size}"
        return constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """None: the output stays, and its value."""
        return []

    def rewrite(self, op: Op) -> None:
        """Adds a TiedGather for each part, and their sums."""
        product = _product(op.inTensor(0))
        assert product is not None
        product.settings.nodeAttributes[FULLY_CONNECTED] = 0
        cut = serialization(product) or Serialization(OUTPUT, 1, keep_precision=False)
        table, indices, out = op.inId(0), op.inId(1), op.outId(0)
        how = {"axis": 0, "parts": cut.factor}
        if cut.factor == 1:
            replace(op, _TIED, [table, indices], {**how, "part": 0})
            return
        graph, total = op.graph, ""
        op.disconnectAllOutputs()
        for part in range(cut.factor):
            rows = graph.uniqueId(f"{out}/part")
            make(op, _TIED, [table, indices], rows, {**how, "part": part})
            if not total:
                total = rows
                continue
            summed = out if part == cut.factor - 1 else graph.uniqueId(f"{out}/parts")
            make(op, ("ai.onnx", "Add", 14), [total, rows], summed)
            total = summed
        graph.eraseOp(op.id)


def _product(table: Tensor) -> Op | None:
    """The MatMul whose second operand is the variable that a table is, or its transpose."""
    maker = table.producer
    weight = maker.inTensor(0) if isinstance(maker, TransposeOp) else table
    if not weight.is_variable():
        return None
    views = [op.outTensor(0) for op in weight.uses if isinstance(op, TransposeOp)]
    for view in (weight, *views):
        for op in view.uses:
            if is_built_in(op, "MatMul") and op.inTensor(1) is view:
                return op
    return None


def _is_transposed(tensor: Tensor) -> bool:
    maker = tensor.producer
    return isinstance(maker, TransposeOp) and not maker.canBeReplacedByIdentity()


PatternCreator(TiedGather, "TiedGather", enabled=False, source="built in")
