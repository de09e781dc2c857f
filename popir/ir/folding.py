"""Constant folding: replaces an operator with constant inputs by its results.

The importer folds each operator right after adding it. Later operators may need the value of an
input at compile time (a Reshape needs its shape), and find a constant there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popir.ir.graph import Op, Tensor, TensorType
from popir.types import TensorInfo


def results_of(
    op: Op, value: Callable[[Tensor], NDArray[Any] | None]
) -> dict[int, NDArray[Any]] | None:
    """What an operator gives, by the values of its inputs, of which some may be None.

    The operator must be connected and set up. None if `evaluate` cannot compute it, if it has side
    effects or draws random numbers, or if its outputs have more than `mostFolded` elements in all.
    """
    if type(op).evaluate is Op.evaluate:
        return None
    if op.hasSideEffect() or op.requiresRandomSeed() or not op.output:
        return None
    infos = {i: t.info for i, t in op.output.items() if t.info is not None}
    if len(infos) < len(op.output) or sum(map(TensorInfo.nelms, infos.values())) > op.mostFolded:
        return None
    values = {i: value(tensor) for i, tensor in op.input.items()}
    results = op.evaluate({i: known for i, known in values.items() if known is not None})
    if results is None:
        return None
    # numpy makes a scalar of an array without dimensions at times.
    return {
        i: np.asarray(results[i], info.dataType().numpy).reshape(info.shape())
        for i, info in infos.items()
    }


def fold(op: Op) -> bool:
    """Replaces an operator by constants if possible, and returns whether it did: see `results_of`.
    Values whose gradient is asked for count as not known.
    """
    asked = op.graph.differentiated
    results = results_of(op, lambda t: t.data if t.isConst() and t.id not in asked else None)
    if results is None:
        return False
    outputs = dict(op.output)
    op.graph.eraseOp(op.id)
    for i, tensor in outputs.items():
        tensor.data = results[i]
        tensor.tensorType = TensorType.Const
    op.graph.changes += 1
    return True


def values_of(op: Op) -> list[bytes]:
    """The elements of the outputs of an operator, in order, by constants and the initial values of
    variables, and by what other operators make of these; none if it cannot be computed.
    """
    results = results_of(op, _value)
    return [results[i].tobytes() for i in sorted(results)] if results is not None else []


def _value(tensor: Tensor) -> NDArray[Any] | None:
    """What `values_of` knows of a tensor."""
    if tensor.data is not None or tensor.producer is None:
        return tensor.data
    results = results_of(tensor.producer, _value)
    if results is None:
        return None
    return next(results[i] for i, out in tensor.producer.output.items() if out is tensor)
