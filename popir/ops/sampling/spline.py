"""SplineBasis and SplineWeighting: convolutions on graphs with B-splines as weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator
from popir.types import DataType

_PIECES: dict[int, list[list[float]]] = {
    0: [[1]],
    1: [[1, -1], [0, 1]],
    2: [[0.5, -1, 0.5], [0.5, 1, -1], [0, 0, 0.5]],
    3: [
        [1 / 6, -1 / 2, 1 / 2, -1 / 6],
        [2 / 3, 0, -1, 1 / 2],
        [1 / 6, 1 / 2, 1 / 2, -1 / 2],
        [0, 0, 0, 1 / 6],
    ],
}
"""The pieces of the B-splines of each degree that are not zero between two knots: coefficients of
1, v, v² and v³, v being the place between the knots.
"""


class SplineBasis(Decomposition):
    """PopART's SplineBasis: the products of one B-spline of each dimension that are not zero at
    a point, and the numbers of their weights, the first dimension counting fastest.

    A point of 0 to 1 lies among kernel_size splines, of which an open one of degree d has d less
    intervals; a closed one is a circle.

    PopART has no gradient; here it is that of the polynomials, as in torch-spline-conv: the numbers
    of the weights are constant between knots.
    """

    degree: int

    def decompose(
        self, on: Decomposer, pseudo: Tensor, kernel_size: Tensor, is_open_spline: Tensor
    ) -> Sequence[Tensor]:
        """A polynomial for each piece and dimension, and their products."""
        if self.degree not in _PIECES:
            raise OperatorAttributeError(
                f"{self._who()}: degree = {self.degree} is not valid: must be between 0 and 3."
            )
        for what, tensor, rank in (
            ("pseudo", pseudo, 2),
            ("kernel_size", kernel_size, 1),
            ("is_open_spline", is_open_spline, 1),
        ):
            if len(on.shape(tensor)) != rank:
                raise self.wrong(f"{what} is not a {rank}-D tensor; it is {on.info(tensor)}.")
        points, dims = on.shape(pseudo)
        if on.shape(kernel_size) != [dims] or on.shape(is_open_spline) != [dims]:
            raise self.wrong(
                f"kernel_size is {on.info(kernel_size)} and is_open_spline "
                f"{on.info(is_open_spline)}; both must have {dims} elements, as pseudo dimensions."
            )
        kind, wide, whole = on.info(pseudo).dataType(), DataType.FLOAT, DataType.INT32
        size = on.cast(kernel_size, whole)
        less = on.Mul(on.cast(is_open_spline, whole), on.const(self.degree, whole))
        scaled = on.Mul(on.cast(pseudo, wide), on.cast(on.Sub(size, less), wide))
        knot = on.Floor(scaled)
        place, first = on.Sub(scaled, knot), on.cast(knot, whole)
        pieces = len(_PIECES[self.degree])
        parts = [_polynomial(on, place, c) for c in _PIECES[self.degree]]
        numbers = [on.Mod(on.Add(first, on.const(k, whole)), size) for k in range(pieces)]
        basis = on.const(np.ones((points, 1)), wide)
        index, stride = on.const(np.zeros((points, 1)), whole), on.const(1, whole)
        for d in range(dims):
            ends = (on.ints(d), on.ints(d + 1), on.ints(1))
            column = on.Concat(*(on.Slice(p, *ends) for p in parts), axis=1)
            number = on.Concat(*(on.Slice(n, *ends) for n in numbers), axis=1)
            basis = _products(on, on.Mul, column, basis)
            index = _products(on, on.Add, on.Mul(number, stride), index)
            stride = on.Mul(stride, on.Slice(size, on.ints(d), on.ints(d + 1)))
        return [on.cast(basis, kind), index]


def _polynomial(on: Decomposer, v: Tensor, coefficients: Sequence[float]) -> Tensor:
    """The polynomial of v, by Horner's rule."""
    *rest, last = coefficients
    found = on.Add(on.Mul(v, on.like(0, v)), on.like(last, v)) if not rest else on.like(last, v)
    for c in reversed(rest):
        found = on.Add(on.Mul(found, v), on.like(c, v))
    return found


def _products(
    on: Decomposer, combine: Callable[[Tensor, Tensor], Tensor], slow: Tensor, fast: Tensor
) -> Tensor:
    """All combinations of the columns of two tensors, those of `fast` counting fastest."""
    (points, m), (_, n) = on.shape(slow), on.shape(fast)
    found = combine(on.reshape(slow, [points, m, 1]), on.reshape(fast, [points, 1, n]))
    return on.reshape(found, [points, m * n])


class SplineWeighting(Decomposition):
    """PopART's SplineWeighting: for each point, the sum over its splines s of
    basis[s] * (input . weight[weight_index[s]]).

    PopART has no gradient; here it is that of the arithmetic.
    """

    def decompose(
        self, on: Decomposer, x: Tensor, weight: Tensor, basis: Tensor, weight_index: Tensor
    ) -> Tensor:
        """The products of the inputs by all weights, of which each point adds up its own."""
        for what, tensor, rank in (
            ("input", x, 2),
            ("weight", weight, 3),
            ("basis", basis, 2),
            ("weight_index", weight_index, 2),
        ):
            if len(on.shape(tensor)) != rank:
                raise self.wrong(f"{what} is not a {rank}-D tensor; it is {on.info(tensor)}.")
        (points, inputs), (count, fan, outputs) = on.shape(x), on.shape(weight)
        splines = on.shape(basis)
        if fan != inputs or splines[0] != points or on.shape(weight_index) != splines:
            raise self.wrong(
                f"the input is {on.info(x)}, the weight {on.info(weight)}, the basis "
                f"{on.info(basis)} and the weight_index {on.info(weight_index)}; they must be "
                "[points, inputs], [weights, inputs, outputs] and twice [points, splines]."
            )
        columns = on.reshape(on.Transpose(weight, perm=[1, 0, 2]), [inputs, count * outputs])
        every = on.reshape(on.MatMul(x, columns), [points, count, outputs])
        index = on.Unsqueeze(on.cast(weight_index, DataType.INT32), on.ints(2))
        index = on.Expand(index, on.ints(*splines, outputs))
        # Products are picked, not multiplied by 0: weights that a point does not name do not count.
        picked = on.GatherElements(every, index, axis=1)
        return on.ReduceSum(on.Mul(picked, on.Unsqueeze(basis, on.ints(2))), on.ints(1), keepdims=0)


OpCreator(SplineBasis, graphcore_id("SplineBasis"))
OpCreator(SplineWeighting, graphcore_id("SplineWeighting"))
