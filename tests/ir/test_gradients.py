"""What an operator in Python says wrongly of itself: who, in which function, what was expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import popir
from popir import popops, registry
from popir.ir import GradInOutMapper, GradOp, GradOpInType, Op, OperatorIdentifier
from popir.popops import expr as pe
from popir.testing import gradcheck, run
from tests.popart.graphs import refusal

OPID = OperatorIdentifier("test.gradients", "Foo", 1)
GRAD_OPID = OperatorIdentifier("test.gradients", "FooGrad", 1)
MAPPERS = [GradInOutMapper(0, 0, GradOpInType.GradOut), GradInOutMapper(1, 0, GradOpInType.In)]


class FooOp(popir.Op):
    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        return [FooGradOp(self)]


class FooGradOp(GradOp):
    opid = GRAD_OPID

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        return MAPPERS

    def gradOutToNonGradIn(self) -> dict[int, int]:
        return {0: 0}


class FooOpx(popir.Opx):
    def grow(self, prog: Any) -> None:
        self.setOutTensor(0, popops.map(self.graph(), pe._1 * pe._1, [self.getInTensor(0)], prog))


class FooGradOpx(popir.Opx):
    def grow(self, prog: Any) -> None:
        given = [self.getInTensor(0), self.getInTensor(1)]
        tree = pe.Const(2) * pe._1 * pe._2
        self.setOutTensor(0, popops.map(self.graph(), tree, given, prog))


@pytest.fixture(autouse=True)
def _scoped() -> Iterator[None]:
    with registry.scoped():
        popir.OpCreator(FooOp, OPID)
        popir.OpxCreator(FooOpx, OPID)
        popir.OpxCreator(FooGradOpx, GRAD_OPID)
        yield


def says(function: str, value: Any, cls: type = FooOp, call: Any = None) -> str:
    """What `gradcheck` says when `function` of the class does or returns something else."""
    replaced = value if callable(value) and not isinstance(value, type) else lambda *_: value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cls, function, replaced)
        return refusal(popir.popart_exception, call or (lambda: gradcheck(str(OPID), [[2]])))


def test_as_it_is_it_is_right() -> None:
    assert gradcheck(str(OPID), [[2]]).ok


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "FooOp.getGradOps() returned None (is there a `return`?); expected is a list of"),
        (None, "operators, such as [FooGradOp(self)]."),
        (3, "returned 3; expected is a list"),
        ([FooGradOp], "returned ['FooGradOp'], a class and no object; expected is"),
        (lambda op: FooGradOp(op), "returned FooGradOp; expected is a list"),
        (lambda op: op.none, "FooOp.getGradOps() failed: AttributeError: 'FooOp' object has no"),
    ],
)
def test_gradient_operators(value: Any, words: str) -> None:
    assert words in says("getGradOps", value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "FooGradOp.gradInputInfo() returned None (is there a `return`?); expected is"),
        ([(0, 0, "GradOut")], "returned [(0, 0, 'GradOut')]; expected is a list of mappers, such"),
        ([(0, 0, GradOpInType.In)], "expected is a list of mappers"),
        (lambda op: op.none, "FooGradOp.gradInputInfo() failed: AttributeError"),
        ([GradInOutMapper(0, 7, GradOpInType.In)], "expected each input once, and indices among"),
    ],
)
def test_inputs_of_gradient_operators(value: Any, words: str) -> None:
    floats = [popir.DataType.DOUBLE]
    popir.OpCreator(FooOp, {OPID: popir.OpDefinition([("x", floats)], [("y", floats)])})
    assert words in says("gradInputInfo", value, FooGradOp)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "FooGradOp.gradOutToNonGradIn() returned None"),
        (0, "returned 0; expected is a dict of its outputs' indices to those of inputs, such as"),
        ({0: "x"}, "returned {0: 'x'}; expected is a dict"),
        (lambda op: 1 // 0, "FooGradOp.gradOutToNonGradIn() failed: ZeroDivisionError"),
    ],
)
def test_outputs_of_gradient_operators(value: Any, words: str) -> None:
    assert words in says("gradOutToNonGradIn", value, FooGradOp)


def test_what_setup_does() -> None:
    def once() -> Any:
        return run(str(OPID), [np.ones(2)])

    said = says("setup", lambda op: op.setOutInfo(0, (2, 3)), call=once)
    assert "FooOp.setOutInfo takes an object of TensorInfo as info; given was (2, 3)." in said
    assert "(in FooOp.setup()" in said
    said = says("setup", None, call=once)
    assert "FooOp.setup() has not set type and shape of output 0; let it call self.setOut" in said
    said = says("setup", lambda op: op.inInfo(1), call=once)
    assert said.endswith("has no input 1. (in FooOp.setup())")
    said = says("setup", lambda op: 1 // 0, FooGradOp)
    assert "FooGradOp.setup() failed: ZeroDivisionError" in said


def test_what_grow_does() -> None:
    def once() -> Any:
        return run(str(OPID), [np.ones(2)])

    def wrong(opx: popir.Opx, prog: Any) -> None:
        opx.setOutTensor(0, popops.map(opx.graph(), pe._1 * pe._2, [opx.getInTensor(0)], prog))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FooOpx, "grow", wrong)
        said = refusal(popir.poplibs_exception, once)
    assert "_2: there is no such tensor; 1 were given" in said
    assert "(in FooOpx.grow() of Op(" in said and "test.gradients.Foo:1" in said
    said = says("grow", lambda opx, prog: opx.getInTensor(1), FooOpx, once)
    assert said.endswith("has no input 1. (in FooOpx.grow())")
    said = says("grow", lambda opx, prog: opx.none, FooOpx, once)
    assert "FooOpx.grow() failed: AttributeError" in said
