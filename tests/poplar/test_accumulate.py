"""Products that are added to a weight where they are made: results with `host.fuse` and without."""

import numpy as np
import pytest

from popir import poplar, poplin, popops
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from tests.plans import instructions
from tests.poplar.test_fusion import ADD, RELU, Built, names

ROWS, DEPTH, COLUMNS = 24, 10, 40
DESCENT = pe.Sub(pe._1, pe.Mul(pe.Const(0.25), pe._2))
UPDATES = {
    "descent": DESCENT,
    "factor last": pe.Sub(pe._1, pe.Mul(pe._2, pe.Const(0.25))),
    "ascent": pe.Add(pe._1, pe.Mul(pe.Const(0.25), pe._2)),
    "ascent, turned round": pe.Add(pe.Mul(pe.Const(0.25), pe._2), pe._1),
    "sum": ADD,
    "difference": pe.Sub(pe._1, pe._2),
}


def product(b: Built) -> Tensor:
    """[ROWS, COLUMNS], of an operand that is transposed as a layer's input is."""
    x, g = b.activation([DEPTH, ROWS]), b.activation([DEPTH, COLUMNS])
    return poplin.matMul(b.graph, x.transpose(), g, b.prog, poplar.FLOAT, "product")


def update(b: Built, expression, w: Tensor, gradient: Tensor) -> None:
    popops.mapInPlace(b.graph, expression, [w, gradient], b.prog, "update")


def weight(b: Built) -> Tensor:
    """A variable that the host reads and writes."""
    w = b.variable([ROWS, COLUMNS])
    name = "weight"
    b.graph.createHostRead(name, w)
    b.results[name] = w
    return w


@pytest.mark.parametrize("expression", UPDATES.values(), ids=UPDATES)
def test_an_update_is_one_step_with_its_gradient(expression):
    b = Built()
    w = weight(b)
    update(b, expression, w, product(b))
    assert names(b.check()) == ["matmul"]


def test_large_enough_for_the_other_source_and_for_threads():
    b = Built()
    w = b.variable([300, 256])
    x, g = b.activation([64, 300]), b.activation([64, 256])
    gradient = poplin.matMul(b.graph, x.transpose(), g, b.prog, poplar.FLOAT, "product")
    update(b, DESCENT, w, gradient)
    b.result(w)
    assert names(b.check()) == ["matmul", "copy"]


def test_what_lies_between_goes_after_the_update():
    b = Built()
    w, gradient = weight(b), product(b)
    b.result(b.map(RELU, b.activation([7])))
    update(b, DESCENT, w, gradient)
    assert names(b.check()) == ["matmul", "map", "copy"]


def test_in_every_round_of_a_loop():
    b = Built()
    w, x, g = weight(b), b.activation([DEPTH, ROWS]), b.activation([DEPTH, COLUMNS])
    body = program.Sequence()
    gradient = poplin.matMul(b.graph, x.transpose(), g, body, poplar.FLOAT, "product")
    popops.mapInPlace(b.graph, DESCENT, [w, gradient], body, "update")
    b.prog.add(program.Repeat(3, body))
    assert names(b.check()) == ["repeat", "matmul", "end"]


@pytest.mark.parametrize(
    "expression",
    [
        pe.Sub(pe._2, pe._1),
        pe.Sub(pe.Mul(pe.Const(0.5), pe._1), pe._2),
        pe.Sub(pe._1, pe.Mul(pe._2, pe._2)),
        pe.Sub(pe._1, pe.Divide(pe._2, pe.Const(4.0))),
        pe.Mul(pe._1, pe._2),
    ],
    ids=["from the gradient", "decayed", "squared", "divided", "multiplied"],
)
def test_other_updates_stay_a_pass(expression):
    b = Built()
    w = weight(b)
    update(b, expression, w, product(b))
    assert names(b.check()) == ["matmul", "map"]


def test_a_gradient_that_others_read_is_written():
    b = Built()
    w, gradient = weight(b), product(b)
    update(b, DESCENT, w, gradient)
    b.result(gradient)
    assert names(b.check()) == ["matmul", "map", "copy"]


def test_a_gradient_that_is_read_before_the_update_is_written():
    b = Built()
    w, gradient = weight(b), product(b)
    b.result(gradient)
    update(b, DESCENT, w, gradient)
    assert names(b.check()) == ["matmul", "copy", "map"]


def test_a_weight_that_is_read_between_keeps_its_value_until_then():
    b = Built()
    w, gradient = weight(b), product(b)
    b.result(w)
    update(b, DESCENT, w, gradient)
    assert names(b.check()) == ["matmul", "copy", "map"]


def test_a_result_elsewhere_stays_a_pass():
    b = Built()
    b.result(b.map(DESCENT, b.variable([ROWS, COLUMNS]), product(b)))
    assert names(b.check())[:2] == ["matmul", "map"]


def test_a_weight_that_its_own_gradient_is_made_of():
    b = Built()
    w, x = b.variable([ROWS, ROWS]), b.activation([ROWS, ROWS])
    gradient = poplin.matMul(b.graph, w, x, b.prog, poplar.FLOAT, "product")
    update(b, DESCENT, w, gradient)
    b.result(w)
    assert names(b.check()) == ["matmul", "map", "copy"]


def test_part_of_a_weight():
    b = Built()
    w = b.variable([ROWS + 5, 2 * COLUMNS])
    update(b, DESCENT, w.slice(2, ROWS + 2, 0).slice(8, COLUMNS + 8, 1), product(b))
    b.result(w)
    assert names(b.check()) == ["matmul", "copy"]


def test_doubles_stay_a_pass():
    b = Built()
    x = b.graph.addVariable(poplar.DOUBLE, [8, 8], poplar.VariableMappingMethod.LINEAR, "x")
    w = b.graph.addVariable(poplar.DOUBLE, [8, 8], poplar.VariableMappingMethod.LINEAR, "w")
    for name, t in (("x", x), ("w", w)):
        b.graph.createHostWrite(name, t)
        b.begin[name] = np.random.default_rng(3).standard_normal([8, 8])
    popops.mapInPlace(b.graph, pe.Add(pe._1, pe._1), [x], b.prog, "changes")
    gradient = poplin.matMul(b.graph, x, x, b.prog, poplar.DOUBLE, "product")
    update(b, DESCENT, w, gradient)
    assert names(instructions(b.engine(True))) == ["map", "matmul", "map"]


def test_costs_are_those_of_the_program_as_grown():
    reports = []
    for fuse in (True, False):
        b = Built()
        b.graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice())
        w = weight(b)
        update(b, DESCENT, w, product(b))
        reports.append(b.engine(fuse).machineReport())
    assert reports[0] == reports[1]
