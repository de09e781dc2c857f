"""Gradients of gradients: gradient operators as operators that have gradients themselves.

A gradient operator has a lowering of its own, and no gradient. If one has to be differentiated, as
for a gradient penalty, autodiff replaces it by the operators that its `decompose()` adds
(`decomposed`), and walks on through these. So it does with any operator that has `decompose()` and
no gradient, such as DequantizeBits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from popir import registry
from popir.errors import MissingGradientError
from popir.ir import GradOp, Op, Tensor
from popir.ir.likeness import is_own
from popir.ops.support.decomposition import OPSET, Decomposer
from popir.ops.support.shapes import summed_dims
from popir.ops.support.symbolic import Arg, Call, Const, Expr
from popir.types import DataType, TensorInfo


def can_be_decomposed(op: Op) -> bool:
    """Whether an operator, a gradient or one of popir's own, has no gradient, but consists of
    operators that do.
    """
    is_last = type(op).getGradOps is Op.getGradOps and hasattr(op, "decompose")
    return is_last and (isinstance(op, GradOp) or is_own(op))


def decomposed(op: Op) -> None:
    """Replaces an operator in its graph by the operators that compute the same."""
    graph, outputs = op.graph, [op.output[i] for i in sorted(op.output)]
    places = sorted(op.output)
    inputs = [op.input.get(i) for i in range(max(op.input, default=-1) + 1)]
    on = Decomposer(op, outputs[0].id)
    made = cast(Any, op).decompose(on, *inputs)
    made = [made] if isinstance(made, Tensor) else made
    graph.eraseOp(op.id)
    for place, tensor in zip(places, outputs, strict=True):
        _become(on, made[place], tensor)


def _become(on: Decomposer, made: Tensor, tensor: Tensor) -> None:
    """Makes what computes `made` compute `tensor`; or a copy, if others read `made`, too."""
    graph, info = on.graph, tensor.info
    assert info is not None
    made = on.cast(on.reshape(made, info.shape()), info.dataType())
    producer = made.producer
    if producer is None or made.uses or made.id in graph.outputs:
        settings = Op.Settings(graph, tensor.id)
        graph.createConnectedOp(
            registry.createOp,
            {0: made.id},
            {0: tensor.id},
            *("ai.onnx", "Identity", OPSET, settings, {}, [made], [tensor.id]),
        )
        return
    index = next(i for i, each in producer.output.items() if each is made)
    producer.disconnectOutTensor(index)
    graph.removeTensor(made.id)
    producer.connectOutTensor(index, tensor.id)


def sum_to(on: Decomposer, t: Tensor, shape: Sequence[int]) -> Tensor:
    """The tensor summed to a shape that broadcasts to its own."""
    dims = summed_dims(on.shape(t), shape)
    if dims:
        t = on.ReduceSum(t, on.ints(*dims), keepdims=1)
    return on.reshape(t, shape)


def expand_to(on: Decomposer, t: Tensor, shape: Sequence[int]) -> Tensor:
    """The tensor broadcast to a shape."""
    return t if on.shape(t) == list(shape) else on.Expand(t, on.ints(*shape))


def taken(on: Decomposer, t: Tensor, positions: np.ndarray[Any, Any]) -> Tensor:
    """The elements of `t`, taken flat, at constant positions, in the shape of these."""
    flat = on.reshape(t, [-1 if not on.shape(t) else int(np.prod(on.shape(t)))])
    return on.Gather(flat, on.const(positions, DataType.INT64), axis=0)


def placed(
    on: Decomposer, t: Tensor, positions: np.ndarray[Any, Any], shape: Sequence[int]
) -> Tensor:
    """Zeros of a shape, with the elements of `t` at constant positions of it, taken flat; each
    position is there once.
    """
    size = int(np.prod(shape))
    source = np.full(size, positions.size, np.int64)
    source[positions.reshape(-1)] = np.arange(positions.size)
    flat = on.reshape(t, [positions.size])
    padded = on.Concat(flat, on.zeros(TensorInfo(on.info(t).dataType(), [1])), axis=0)
    return on.reshape(on.Gather(padded, on.const(source, DataType.INT64), axis=0), shape)


def taken_or_zero(on: Decomposer, t: Tensor, rows: Tensor) -> Tensor:
    """The slices of `t` along dimension 0 at numbers in `rows`; zeros for a number that is none of
    a slice.
    """
    size, shape = on.shape(t)[0], on.shape(t)
    end = on.like(size, rows)
    inside = on.And(on.GreaterOrEqual(rows, on.like(0, rows)), on.Less(rows, end))
    zero = on.zeros(TensorInfo(on.info(t).dataType(), [1, *shape[1:]]))
    return on.Gather(on.Concat(t, zero, axis=0), on.Where(inside, rows, end), axis=0)


def put_along(
    on: Decomposer, t: Tensor, axis: int, places: np.ndarray[Any, Any], size: int
) -> Tensor:
    """Zeros with `size` elements along an axis, to which each slice of `t` is added at its constant
    place; one with a negative place is left out.
    """
    known = np.flatnonzero(places >= 0)
    if not known.size or 0 in on.shape(t):
        shape = [*on.shape(t)[:axis], size, *on.shape(t)[axis + 1 :]]
        return on.zeros(TensorInfo(on.info(t).dataType(), shape))
    first, last = int(known[0]), int(known[-1])
    if last - first + 1 == known.size < len(places):
        t = on.Slice(t, on.ints(first), on.ints(last + 1), on.ints(axis))
    elif known.size < len(places):
        t = on.Gather(t, on.const(known, DataType.INT64), axis=axis)
    places = places[known]
    begin = int(places[0])
    if np.array_equal(places, np.arange(begin, begin + known.size)):
        if known.size == size:
            return t
        after = size - begin - known.size
        return on.Pad(t, on.ints(begin, after), None, on.ints(axis))
    order = [axis, *(d for d in range(len(on.shape(t))) if d != axis)]
    front = on.Transpose(t, perm=order)
    zeros = on.zeros(TensorInfo(on.info(t).dataType(), [size, *on.shape(front)[1:]]))
    rows = on.const(places.reshape(-1, 1), DataType.INT64)
    summed = on.ScatterND(zeros, rows, front, reduction="add")
    return on.Transpose(summed, perm=[order.index(d) for d in range(len(order))])


_SAME = {
    **{name: name for name in ("Abs", "Add", "And", "Asin", "Ceil", "Cos", "Equal", "Erf", "Exp")},
    **{name: name for name in ("Floor", "IsInf", "IsNaN", "Log", "Max", "Min", "Mul", "Neg")},
    **{name: name for name in ("Not", "Or", "Pow", "Sigmoid", "Sin", "Sqrt", "Sub", "Tan", "Tanh")},
    "Divide": "Div",
    "Gt": "Greater",
    "Gte": "GreaterOrEqual",
    "Lt": "Less",
    "Lte": "LessOrEqual",
    "Inv": "Reciprocal",
    "NearbyInt": "Round",
    "Signum": "Sign",
}
"""Functions of expressions that are operators of ai.onnx."""


def _floor_divide(on: Decomposer, x: Tensor, y: Tensor) -> Tensor:
    """x // y as numpy has it: (x - x % y) / y, a whole number that rounding cannot change."""
    zero, rest = on.like(0, x), on.Mod(x, y, fmod=1)
    other = on.Not(on.Equal(on.Less(rest, zero), on.Less(y, zero)))
    wrong = on.And(on.Not(on.Equal(rest, zero)), other)
    quotient = on.Div(on.Sub(x, on.Where(wrong, on.Add(rest, y), rest)), y)
    return on.Floor(on.Add(quotient, on.like(0.25, x)))


def _of_popart(name: str) -> Callable[..., Tensor]:
    return lambda on, *args: on.add("ai.graphcore", name, 1, args, 1, {})


_OTHERS: dict[str, Callable[..., Tensor]] = {
    "Cbrt": lambda on, x: on.Mul(on.Sign(x), on.Pow(on.Abs(x), on.like(1 / 3, x))),
    "Exp2": lambda on, x: on.Pow(on.like(2, x), x),
    "FloorDivide": _floor_divide,
    **{name: _of_popart(name) for name in ("Atan2", "Expm1", "Log1p")},
    "IsFinite": lambda on, x: on.Not(on.Or(on.IsInf(x), on.IsNaN(x))),
    "NotEqual": lambda on, x, y: on.Not(on.Equal(x, y)),
    "Rsqrt": lambda on, x: on.Reciprocal(on.Sqrt(x)),
    "Select": lambda on, x, y, condition: on.Where(condition, x, y),
    "Square": lambda on, x: on.Mul(x, x),
    "Rem": lambda on, x, y: on.Mod(x, y, fmod=1),
    "Trunc": lambda on, x: on.Mul(on.Sign(x), on.Floor(on.Abs(x))),
}


def operators(on: Decomposer, e: Expr, operands: Sequence[Tensor]) -> Tensor:
    """The value of an expression over the operands, by operators. Constants have the type of the
    first operand.

    Raises MissingGradientError for a function that is no operator.
    """
    if isinstance(e, Arg):
        return operands[e.index]
    if isinstance(e, Const):
        return on.like(e.value, operands[0])
    assert isinstance(e, Call)
    args = [operators(on, each, operands) for each in e.args]
    if e.name in _SAME:
        return getattr(on, _SAME[e.name])(*args)
    if e.name in _OTHERS:
        return _OTHERS[e.name](on, *args)
    raise MissingGradientError(
        f"{on.op.debugName()}: its own gradient is not implemented, since {e.name} is no operator."
    )
