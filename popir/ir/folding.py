"""Constant folding: an operator whose inputs are known is replaced by its results.

The importer folds each operator as it comes, so that later ones, which may need the value of an
input when they are compiled (the shape of a Reshape), find it.
"""

from __future__ import annotations

from popir.ir.op import Op
from popir.ir.tensor import TensorType
from popir.types import TensorInfo


def fold(op: Op) -> bool:
    """Replaces an operator of a graph, connected and set up, by constants; whether it could.

    It stays if it cannot be evaluated from the inputs that are constants, does more than computing
    its outputs, draws random numbers, or has results of more than `mostFolded` elements.
    """
    if op.hasSideEffect() or op.requiresRandomSeed() or not op.output:
        return False
    infos = {i: t.info for i, t in op.output.items() if t.info is not None}
    if len(infos) < len(op.output) or sum(map(TensorInfo.nelms, infos.values())) > op.mostFolded:
        return False
    known = {i: t.data for i, t in op.input.items() if t.isConst() and t.data is not None}
    results = op.evaluate(known)
    if results is None:
        return False
    outputs = dict(op.output)
    op.graph.eraseOp(op.id)
    for i, tensor in outputs.items():
        dtype = infos[i].dataType().numpy
        tensor.data = results[i].astype(dtype, copy=False).reshape(infos[i].shape())
        tensor.tensorType = TensorType.Const
    return True
