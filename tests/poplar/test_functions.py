"""Functions on the host: each call works on variables of its own, without copies, as far as nobody
can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from popir import poplar, popops
from popir.poplar import program
from popir.popops import expr as pe
from tests.plans import instructions

N = 8
Body = Callable[[poplar.Graph, Any, Any, program.Sequence], None]


class Calls:
    """Tensors x0, x1, ... of the host, and y: what a function makes of them one after the other."""

    def __init__(self, body: Body, calls: int = 3, back_into: bool = False, loops: int = 1) -> None:
        self.graph = poplar.Graph(poplar.Target.createCPUTarget())
        linear = poplar.VariableMappingMethod.LINEAR

        def variable(name: str) -> Any:
            return self.graph.addVariable(poplar.FLOAT, [N], linear, name)

        a, b = variable("a"), variable("b")
        inside = program.Sequence()
        body(self.graph, a, b, inside)
        function = self.graph.addFunction(inside)
        prog = program.Sequence()
        self.names = [f"x{i}" for i in range(calls)]
        made = []
        for name in self.names:
            x = variable(name)
            self.graph.createHostWrite(name, x)
            self.graph.createHostRead(name, x)
            prog.add(program.Copy(x, a))
            prog.add(program.Call(function, name))
            if back_into:
                prog.add(program.Copy(a, x))
            own = variable(f"{name}/out")
            prog.add(program.Copy(b, own))
            made.append(own)
        y = popops.map(self.graph, pe.Add(pe._1, pe._2), [made[0], made[-1]], prog, "sum")
        self.graph.createHostRead("y", y)
        self.prog = program.Repeat(loops, prog) if loops > 1 else prog

    def run(self, fuses: bool) -> tuple[list[np.ndarray[Any, Any]], str]:
        engine = poplar.Engine(self.graph, [self.prog], {"host.fuse": str(fuses).lower()})
        values = np.random.default_rng(0).standard_normal((len(self.names), N)).astype(np.float32)
        for name, value in zip(self.names, values, strict=True):
            engine.writeTensor(name, np.ascontiguousarray(value))
        engine.run()
        engine.run()
        found = []
        for name in ("y", *self.names):
            found.append(np.empty(N, np.float32))
            engine.readTensor(name, found[-1])
        return found, instructions(engine)


def square(graph: poplar.Graph, a: Any, b: Any, prog: program.Sequence) -> None:
    made = popops.map(graph, pe.Mul(pe._1, pe._1), [a], prog, "square")
    prog.add(program.Copy(made, b))


def halves(graph: poplar.Graph, a: Any, b: Any, prog: program.Sequence) -> None:
    """Writes its result in two parts."""
    made = popops.map(graph, pe.Mul(pe._1, pe._1), [a], prog, "square")
    prog.add(program.Copy(made.slice(0, 3), b.slice(0, 3)))
    prog.add(program.Copy(made.slice(3, N), b.slice(3, N)))


def overwrite(graph: poplar.Graph, a: Any, b: Any, prog: program.Sequence) -> None:
    popops.mapInPlace(graph, pe.Mul(pe._1, pe.Const(0.5)), [a], prog, "half")
    prog.add(program.Copy(a, b))


def accumulate(graph: poplar.Graph, a: Any, b: Any, prog: program.Sequence) -> None:
    """Adds to what the call before has left."""
    graph.setInitialValue(b, np.zeros(N, np.float32))
    popops.mapInPlace(graph, pe.Add(pe._1, pe._2), [b, a], prog, "more")


@pytest.mark.parametrize("loops", [1, 3])
@pytest.mark.parametrize("back_into", [False, True])
@pytest.mark.parametrize("body", [square, halves, overwrite, accumulate])
def test_the_same_bits_as_without_any_planning(body: Body, back_into: bool, loops: int) -> None:
    calls = Calls(body, back_into=back_into, loops=loops)
    plain, _ = calls.run(False)
    found, _ = calls.run(True)
    for a, b in zip(plain, found, strict=True):
        np.testing.assert_array_equal(a, b)


def lines(text: str) -> list[str]:
    return [line.split(" [")[0].strip() for line in text.splitlines()]


def test_arguments_and_results_are_not_copied() -> None:
    plan = lines(Calls(square).run(True)[1])
    assert not [line for line in plan if line.startswith("copy")]


def test_what_is_copied_back_is_worked_on_where_it_is() -> None:
    plan = lines(Calls(overwrite, back_into=True).run(True)[1])
    assert not [line for line in plan if line.startswith("copy x")]
    assert not [line for line in plan if "/out" in line]


def test_an_argument_that_the_function_overwrites_is_written_elsewhere_and_not_copied() -> None:
    plan = lines(Calls(overwrite).run(True)[1])
    assert not [line for line in plan if line.startswith("copy")]


def test_what_lasts_from_call_to_call_stays_one_variable() -> None:
    found, _ = Calls(accumulate, calls=2).run(True)
    y, x0, x1 = found
    # Two runs: b is x0, x0 + x1, and then 2 x0 + x1, 2 x0 + 2 x1.
    np.testing.assert_allclose(y, (2 * x0 + x1) + (2 * x0 + 2 * x1), rtol=1e-6)


def joined(overlapping: bool) -> tuple[list[np.ndarray[Any, Any]], str]:
    """What a and b hold after one copy of both, to two others or to each other, and the plan."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    a, b, c, d = (
        graph.addVariable(poplar.FLOAT, [2, 3], poplar.VariableMappingMethod.LINEAR, name)
        for name in "abcd"
    )
    to = (b, a) if overlapping else (c, d)
    for name, t in {"a": a, "b": b}.items():
        graph.createHostWrite(name, t)
    for name, t in zip("xy", to, strict=True):
        graph.createHostRead(name, t)
    parts = poplar.concat([a.flatten(), b.flatten()]), poplar.concat([t.flatten() for t in to])
    engine = poplar.Engine(graph, [program.Copy(*parts)])
    for n, name in enumerate("ab"):
        engine.writeTensor(name, np.full((2, 3), n, np.float32))
    engine.run()
    found = [np.empty((2, 3), np.float32) for _ in "xy"]
    for name, array in zip("xy", found, strict=True):
        engine.readTensor(name, array)
    return found, instructions(engine)


def test_what_is_joined_to_be_copied_is_copied_part_by_part() -> None:
    (x, y), plan = joined(overlapping=False)
    assert (x == 0).all()
    assert (y == 1).all()
    assert len([line for line in lines(plan) if line.startswith("copy")]) == 2


def test_a_copy_over_what_it_reads_is_one() -> None:
    (x, y), plan = joined(overlapping=True)
    assert (x == 0).all()
    assert (y == 1).all()
    assert lines(plan)[1:] == ["gather", "scatter"]
