"""Constant folding: replaces an operator with constant inputs by its results.

The importer folds each operator right after adding it. Later operators may need the value of an
input at compile time (a Reshape needs its shape), and find a constant there.
"""

from __future__ import annotations

import numpy as np

from popir.ir.graph import Op, TensorType
from popir.types import TensorInfo


def fold(op: Op) -> bool:
    """Replaces an operator by constants if possible, and returns whether it did.

    The operator must be connected and set up. It stays if `evaluate` cannot compute it from its
    constant inputs, if it has side effects or draws random numbers, or if its outputs together have
    more than `mostFolded` elements. Values whose gradient is asked for count as not known.
    """
    if type(op).evaluate is Op.evaluate:
        return False
    if op.hasSideEffect() or op.requiresRandomSeed() or not op.output:
        return False
    infos = {i: t.info for i, t in op.output.items() if t.info is not None}
    if len(infos) < len(op.output) or sum(map(TensorInfo.nelms, infos.values())) > op.mostFolded:
        return False
    asked = op.graph.differentiated
    known = {
        i: t.data
        for i, t in op.input.items()
        if t.isConst() and t.data is not None and t.id not in asked
    }
    results = op.evaluate(known)
    if results is None:
        return False
    outputs = dict(op.output)
    op.graph.eraseOp(op.id)
    for i, tensor in outputs.items():
        dtype = infos[i].dataType().numpy
        # numpy makes a scalar of an array without dimensions at times.
        tensor.data = np.asarray(results[i], dtype).reshape(infos[i].shape())
        tensor.tensorType = TensorType.Const
    op.graph.changes += 1
    return True
