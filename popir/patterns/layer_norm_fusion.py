"""LayerNormFusion: replaces the operators of a layer normalisation by one LayerNormalization.

Exporters of models before opset 17, and many programs, write it as nine operators. Their gradients
are more than twenty; those of LayerNormalization one. onnxruntime has a fusion of this name.
"""

from __future__ import annotations

from dataclasses import dataclass

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import compile_in, is_built_in, joined, maker, number, remove_dead, replace

_ID = ("ai.onnx", "LayerNormalization", 17)


@dataclass
class _Form:
    """(x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * scale."""

    x: Tensor
    first: int
    """The first dimension that is normalised."""
    epsilon: float
    scale: Tensor
    ops: list[Op]


class LayerNormFusion(Rewrite):
    """`Mul(Div(c, Sqrt(Add(ReduceMean(Pow(c, 2)), epsilon))), scale)` with
    `c = Sub(x, ReduceMean(x))` becomes `LayerNormalization(x, scale)`; an Add after it becomes its
    bias. The square may be a Mul, and the division a product with a Reciprocal.
    """

    _form: _Form | None = None
    """The form that `pattern` has found; `check` and `rewrite` follow."""
    types = frozenset({"Mul"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` multiplies by the scale."""
        self._form = _form(op)
        return self._form is not None

    def check(self, op: Op) -> str | None:
        """The normalised dimensions must be the last ones, the scale must fit them, and nobody else
        may read what lies between.
        """
        form = self._form
        assert form is not None
        shape = form.x.info.shape() if form.x.info is not None else []
        if 0 in shape:
            return "it has no elements"
        return _misfit(form.scale, shape, form.first) or joined(form.ops, op, self.kept)

    def rewrite(self, op: Op) -> None:
        """Replaces `op`, or the Add of a bias after it, by a LayerNormalization, and removes what
        that computes itself.
        """
        form = self._form
        assert form is not None
        inputs, last, between = [form.x.id, form.scale.id], op, list(op.input.values())
        if found := self._biased(op, form):
            last, bias = found
            inputs.append(bias.id)
            between = [op.outTensor(0)]
        compile_in(form.ops, self.name)
        replace(last, _ID, inputs, {"axis": form.first, "epsilon": form.epsilon})
        remove_dead(between, self.kept)

    def touches(self, op: Op) -> list[Tensor]:
        """No tensors: the result stays, and `check` has looked at those before it."""
        return []

    def _biased(self, op: Op, form: _Form) -> tuple[Op, Tensor] | None:
        """The Add that alone reads the result of `op`, and its other operand, which is a bias."""
        last = next(iter(op.outTensor(0).uses), None)
        if last is None or not is_built_in(last, "Add") or joined([op, last], last, self.kept):
            return None
        bias = next((t for t in last.input.values() if t is not op.outTensor(0)), None)
        if bias is None or last.outInfo(0) != op.outInfo(0):
            return None
        return None if _misfit(bias, op.outShape(0), form.first) else (last, bias)


def _misfit(tensor: Tensor, shape: list[int], first: int) -> str | None:
    """The reason why a scale or bias does not fit the dimensions of `shape` from `first` on."""
    given = tensor.info.shape() if tensor.info is not None else []
    dims = shape[first:]
    padded = [1] * (len(dims) - len(given)) + given
    if len(padded) == len(dims) and all(d in (1, n) for d, n in zip(padded, dims, strict=True)):
        return None
    return f"'{tensor.id}' has shape {given}, the normalised dimensions are {dims}"


def _form(op: Op) -> _Form | None:
    """The form that ends with `op`, a product with the scale; None if it is none."""
    if not is_built_in(op, "Mul"):
        return None
    for i in range(2):
        if (normal := maker(op.inTensor(i), "Div", "Mul")) and (found := _normal(normal)):
            x, first, epsilon, ops = found
            return _Form(x, first, epsilon, op.inTensor(1 - i), [*ops, op])
    return None


def _normal(op: Op) -> tuple[Tensor, int, float, list[Op]] | None:
    """For the operator that gives elements of mean 0 and variance 1: the data, the first
    normalised dimension, epsilon, and all operators.
    """
    for i in range(2):
        centred, divisor, ops = op.inTensor(i), op.inTensor(1 - i), [op]
        if op.opid.type == "Div":
            root = maker(divisor, "Sqrt") if i == 0 else None
        elif inverse := maker(divisor, "Reciprocal"):
            root = maker(inverse.inTensor(0), "Sqrt")
            ops.append(inverse)
        else:
            root = None
        shift = maker(centred, "Sub")
        total = root and maker(root.inTensor(0), "Add")
        if not (shift and root and total):
            continue
        mean = maker(shift.inTensor(1), "ReduceMean")
        for j in range(2):
            epsilon, variance = (
                number(total.inTensor(j)),
                maker(total.inTensor(1 - j), "ReduceMean"),
            )
            square = variance and maker(variance.inTensor(0), "Mul", "Pow")
            if epsilon is None or not (mean and variance and square):
                continue
            again = _squared(square)  # Some exporters subtract twice.
            twin = again and maker(again, "Sub")
            first = _first(mean)
            if not twin or twin.input != shift.input or mean.inTensor(0) is not shift.inTensor(0):
                continue
            if first is not None and first == _first(variance):
                ops += [root, total, variance, square, shift, mean]
                return (
                    shift.inTensor(0),
                    first,
                    epsilon,
                    [*ops, *([twin] if twin is not shift else [])],
                )
    return None


def _squared(op: Op) -> Tensor | None:
    """What `op`, a Mul or Pow, squares; None if it does not."""
    if op.opid.type == "Mul":
        return op.inTensor(0) if op.inTensor(0) is op.inTensor(1) else None
    return op.inTensor(0) if number(op.inTensor(1)) == 2 else None


def _first(mean: Op) -> int | None:
    """The first dimension of a mean over the last ones, which it keeps; None for another one."""
    rank = mean.inRank(0)
    gone: list[int] = getattr(mean, "reduced_axes")()  # noqa: B009
    is_last = gone and gone == list(range(gone[0], rank))
    return gone[0] if is_last and mean.outRank(0) == rank else None


PatternCreator(LayerNormFusion, "LayerNormFusion", source="built in")
