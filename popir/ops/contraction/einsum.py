"""Einsum: sums of products of tensors by Einstein's convention, as transposes and MatMuls."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType

Labels = list[str]
_TERM = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")
_SMALL = {
    *(DataType.INT8, DataType.INT16, DataType.UINT8, DataType.UINT16),
}
"""Integers that MatMul does not take. Sums in INT32 have the same last bits."""


@dataclass
class Term:
    """A tensor with a label for each of its dimensions. Those of an ellipsis are "0", "1", ...,
    counted from the last one.
    """

    tensor: Tensor
    labels: Labels


class EinsumOp(Decomposition):
    """ONNX's Einsum, versions 12 and 28: any number of tensors, multiplied and summed as `equation`
    says, such as "bij, bjk -> bik". Dimensions of 1 broadcast, under an ellipsis or a letter.

    Two tensors at a time are multiplied, from those whose product is smallest on.
    """

    equation: str

    def decompose(self, on: Decomposer, *tensors: Tensor) -> Tensor:
        """Diagonals, sums and products. Raises OperatorAttributeError for a malformed equation,
        OperatorInputError for inputs that do not fit it.
        """
        terms, out = self._parsed(on, tensors)
        sizes = self._sizes(on, terms)
        missing = [label for label in out if label not in sizes]
        if missing:
            raise self._malformed(f"the result has {missing[0]!r}, which no input has")
        kind = on.info(tensors[0]).dataType()
        wide = DataType.INT32 if kind in _SMALL else kind
        if len(terms) > 2 or (len(terms) == 2 and _sums_before(terms, out)):
            wide = accumulator_of(wide)  # What lies between is not rounded.
        terms = [_diagonal(on, Term(on.cast(t.tensor, wide), t.labels)) for t in terms]
        while len(terms) > 1:
            i, j = self._next(terms, sizes, out)
            second, first = terms.pop(j), terms.pop(i)
            kept = set(out).union(*(t.labels for t in terms))
            terms.append(_product(on, first, second, kept, sizes))
        (last,) = terms
        last = _summed(on, last, [label for label in last.labels if label not in out])
        return on.cast(_ordered(on, last, out).tensor, kind)

    def _parsed(self, on: Decomposer, tensors: Sequence[Tensor]) -> tuple[list[Term], Labels]:
        """The inputs with their labels, and the labels of the result."""
        left, arrow, right = self.equation.replace(" ", "").partition("->")
        parts = left.split(",")
        if len(parts) != len(tensors):
            raise self._malformed(f"it has {len(parts)} terms for {len(tensors)} inputs")
        terms = [
            Term(tensor, self._labels(part, len(on.shape(tensor)), i))
            for i, (part, tensor) in enumerate(zip(parts, tensors, strict=True))
        ]
        all_labels = [label for term in terms for label in term.labels]
        ellipsis = sorted({x for x in all_labels if x.isdigit()}, key=int, reverse=True)
        if arrow:
            if not _TERM.fullmatch(right):
                raise self._malformed(f"the result {right!r} has more than letters and '...'")
            before, dots, after = right.partition("...")
            out = [*before, *(ellipsis if dots else []), *after]
        else:
            out = [*ellipsis, *sorted(x for x in all_labels if all_labels.count(x) == 1)]
            out = [x for i, x in enumerate(out) if x not in out[:i]]
        if len(set(out)) < len(out):
            raise self._malformed("the result has a letter twice")
        return terms, out

    def _labels(self, part: str, rank: int, i: int) -> Labels:
        if not _TERM.fullmatch(part):
            raise self._malformed(f"the term {part!r} has more than letters and '...'")
        before, dots, after = part.partition("...")
        named = len(before) + len(after)
        if named > rank or (not dots and named < rank):
            raise self.wrong(
                f"input {i} has {rank} dimensions, the term {part!r} of {self.equation!r} "
                f"{'at least ' if dots else ''}{named}."
            )
        return [*before, *(str(k) for k in reversed(range(rank - named))), *after]

    def _malformed(self, text: str) -> OperatorAttributeError:
        return OperatorAttributeError(
            f"{self.debugName()}: the attribute 'equation' is {self.equation!r}: {text}."
        )

    def _sizes(self, on: Decomposer, terms: Sequence[Term]) -> dict[str, int]:
        """The size of each label. Raises OperatorInputError if a label has several."""
        sizes: dict[str, int] = {}
        for i, term in enumerate(terms):
            for label, size in zip(term.labels, on.shape(term.tensor), strict=True):
                known = sizes.setdefault(label, size)
                if known == 1:
                    sizes[label] = size
                elif size not in (1, known):
                    what = "a dimension of the ellipsis" if label.isdigit() else repr(label)
                    raise self.wrong(
                        f"{what} of {self.equation!r} is {known} in one input and {size} in input "
                        f"{i}; they must be equal, or one of them 1."
                    )
        return sizes

    def _next(self, terms: Sequence[Term], sizes: dict[str, int], out: Labels) -> tuple[int, int]:
        """The two tensors to be multiplied next: those whose product has fewest elements, then
        those that take fewest multiplications.
        """

        def cost(pair: tuple[int, int]) -> tuple[int, int]:
            rest = [t.labels for k, t in enumerate(terms) if k not in pair]
            both = {*terms[pair[0]].labels, *terms[pair[1]].labels}
            kept = both & set(out).union(*rest)
            return math.prod(sizes[x] for x in kept), math.prod(sizes[x] for x in both)

        pairs = [(i, j) for j in range(len(terms)) for i in range(j)]
        return min(pairs, key=cost)


def _sums_before(terms: Sequence[Term], out: Labels) -> bool:
    """Whether a term has a label of its own that the result lacks."""
    a, b = (set(term.labels) for term in terms)
    return bool((a ^ b) - set(out))


def _diagonal(on: Decomposer, term: Term) -> Term:
    """The term with each label once: of a repeated one, the diagonal."""
    for label in dict.fromkeys(term.labels):
        while term.labels.count(label) > 1:
            i = term.labels.index(label)
            j = term.labels.index(label, i + 1)
            rest = [k for k in range(len(term.labels)) if k not in (i, j)]
            shape = on.shape(term.tensor)
            kept = [shape[k] for k in rest]
            n, m = shape[i], shape[j]
            x = on.reshape(on.Transpose(term.tensor, perm=[*rest, i, j]), [*kept, n * m])
            # Elements (k, k) are m + 1 apart; of a dimension of 1, all belong to it.
            step = m + 1 if n > 1 and m > 1 else 1
            x = on.Slice(x, on.ints(0), on.ints(n * m), on.ints(len(kept)), on.ints(step))
            term = Term(x, [*(term.labels[k] for k in rest), label])
    return term


def _summed(on: Decomposer, term: Term, labels: Sequence[str]) -> Term:
    """The term summed over some labels."""
    axes = [term.labels.index(label) for label in labels]
    if not axes:
        return term
    summed = on.ReduceSum(term.tensor, on.ints(*axes), keepdims=0)
    return Term(summed, [label for label in term.labels if label not in labels])


def _ordered(on: Decomposer, term: Term, labels: Labels) -> Term:
    """The term with its dimensions in the order of `labels`; what it lacks is a dimension of 1."""
    have = [label for label in labels if label in term.labels]
    x = term.tensor
    if have != term.labels:
        x = on.Transpose(x, perm=[term.labels.index(label) for label in have])
    if have != labels:
        size = dict(zip(have, on.shape(x), strict=True))
        x = on.reshape(x, [size.get(label, 1) for label in labels])
    return Term(x, labels)


def _product(on: Decomposer, a: Term, b: Term, kept: set[str], sizes: dict[str, int]) -> Term:
    """The product of two terms, summed over the labels that are not `kept`."""
    shapes = [dict(zip(t.labels, on.shape(t.tensor), strict=True)) for t in (a, b)]
    # What one of them alone has, or broadcasts, can be summed before.
    loose = [
        [x for x in t.labels if x not in kept and shape[x] == sizes[x] and other.get(x, 1) == 1]
        for t, shape, other in ((a, *shapes), (b, *reversed(shapes)))
    ]
    a, b = _summed(on, a, loose[0]), _summed(on, b, loose[1])
    a, b = _without(on, a, loose[1], kept), _without(on, b, loose[0], kept)
    inner = [x for x in a.labels if x in b.labels and x not in kept]
    if not inner:
        labels = [*a.labels, *(x for x in b.labels if x not in a.labels)]
        return Term(on.Mul(_ordered(on, a, labels).tensor, _ordered(on, b, labels).tensor), labels)
    batch = [x for x in a.labels if x in b.labels and x in kept]
    rows = [x for x in a.labels if x not in b.labels]
    columns = [x for x in b.labels if x not in a.labels]
    left, right = (
        _ordered(on, a, [*batch, *rows, *inner]),
        _ordered(on, b, [*batch, *inner, *columns]),
    )
    shape_a, shape_b = on.shape(left.tensor), on.shape(right.tensor)
    n, k = len(batch), len(inner)
    stack = [max(p, q) if p and q else 0 for p, q in zip(shape_a[:n], shape_b[:n], strict=True)]
    heights, widths = shape_a[n : n + len(rows)], shape_b[n + k :]
    depth = math.prod(sizes[x] for x in inner)
    # Stacks of one shape become one dimension.
    ahead, behind = (
        [[math.prod(stack)] if stack else []] * 2
        if shape_a[:n] == shape_b[:n]
        else [shape_a[:n], shape_b[:n]]
    )
    x = on.reshape(left.tensor, [*ahead, math.prod(heights), depth])
    y = on.reshape(right.tensor, [*behind, depth, math.prod(widths)])
    found = on.reshape(on.MatMul(x, y), [*stack, *heights, *widths])
    return Term(found, [*batch, *rows, *columns])


def _without(on: Decomposer, term: Term, labels: Sequence[str], kept: set[str]) -> Term:
    """The term without those dimensions of 1 that the other one was summed over."""
    gone = [label for label in labels if label in term.labels and label not in kept]
    if not gone:
        return term
    axes = [term.labels.index(label) for label in gone]
    squeezed = on.Squeeze(term.tensor, on.ints(*axes))
    return Term(squeezed, [label for label in term.labels if label not in gone])


OpCreator(EinsumOp, onnx_ids("Einsum", 12, 28))
