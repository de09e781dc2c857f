"""Element-wise steps on concatenations of several variables join as those on one do."""

import numpy as np
import pytest

from popir import poplar, popops
from popir.popops import expr as pe
from tests.poplar.test_fusion import ADD, RELU, SCALE, Built, names


@pytest.mark.parametrize("kept", [(), (0,), (0, 1)])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_chain_in_place(axis: int, kept: tuple[int, ...]) -> None:
    """One step, which writes what is read later, too."""
    b = Built()
    parts = [b.activation([4, 6]), b.activation([4, 6])]
    whole = poplar.concat(parts, axis)
    for expression in (SCALE, pe.Add(pe._1, pe.Const(1.5)), pe.Tanh(pe._1)):
        popops.mapInPlace(b.graph, expression, [whole], b.prog, "step")
    b.result(b.map(RELU, whole))
    for i in kept:
        b.result(parts[i])
    assert names(b.check(exact=True)).count("map") == 1


def test_a_part_that_changes_in_between() -> None:
    b = Built()
    parts = [b.activation([8]), b.activation([8])]
    whole = poplar.concat(parts)
    popops.mapInPlace(b.graph, SCALE, [whole], b.prog, "halve")
    popops.mapInPlace(b.graph, ADD, [parts[0], b.activation([8])], b.prog, "one of them")
    b.result(b.map(pe.Sin(pe._1), whole))
    b.result(b.map(pe.Cos(pe._1), poplar.concat(parts[::-1])))
    assert names(b.check(exact=True)).count("map") >= 3


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    """Steps on variables and on concatenations of them, in any order, in place or not."""
    rng, b = np.random.default_rng(seed), Built(seed)
    shape = [3, 4]
    variables = [b.activation(shape) if i % 2 else b.variable(shape) for i in range(4)]

    def view(wide: bool) -> poplar.Tensor:
        chosen = rng.permutation(4)[: 2 if wide else 1]
        return poplar.concat([variables[i] for i in chosen], 1)

    for _ in range(12):
        wide = bool(rng.integers(3))
        t, one = view(wide), bool(rng.integers(2))
        if one:
            popops.mapInPlace(b.graph, pe.Mul(pe.Sin(pe._1), pe.Const(0.9)), [t], b.prog, "one")
        elif t.intersectsWith(other := view(wide)):
            b.result(b.map(ADD, t, other))
        else:
            popops.mapInPlace(b.graph, ADD, [t, other], b.prog, "two")
    for t in rng.permutation(4)[: rng.integers(4)]:
        b.result(variables[t])
    b.result(view(True))
    b.check(exact=True)
