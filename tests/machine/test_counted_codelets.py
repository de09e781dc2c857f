"""Codelets without an estimate take what they execute, counted at their first execution.

The codelets of counted.cpp have turns of a known number of instructions; what a compiler adds to a
turn is the same in codelets that differ by those alone.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir import errors, poplar
from popir.poplar import program
from popir.profile import MachineReport

SOURCE = Path(__file__).parents[1] / "poplar" / "counted.cpp"
CONTEXTS = 6
"""A worker's cycle is so many of its tile."""


@pytest.fixture(scope="module", autouse=True)
def anew(tmp_path_factory):
    """What this build counts, not what another one has kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POPIR_CACHE", str(tmp_path_factory.mktemp("codelets")))
        yield


class Bench:
    """Vertices on tile 0 of one compute set, and what an engine that ran them says they take."""

    def __init__(self, source: str = str(SOURCE)) -> None:
        self.graph = poplar.Graph(poplar.IPUModel().createDevice())
        self.graph.addCodelets(source)
        self.set = self.graph.addComputeSet("set")
        self.read: list[poplar.Tensor] = []

    def variable(self, values, dtype: Any = np.int32):
        array = np.asarray(values, dtype)
        t = self.graph.addVariable(poplar.typeOf(array.dtype), array.shape, "x")
        self.graph.setTileMapping(t, 0)
        self.graph.setInitialValue(t, array)
        return t

    def vertex(self, name, **fields):
        v = self.graph.addVertex(self.set, name, fields)
        self.graph.setTileMapping(v, 0)
        return v

    def turns(self, name, turns):
        return self.vertex(name, turns=self.variable(turns), done=self.variable(0))

    def engine(self, options=None, times=1):
        counting = {"debug.instrument": "true"} if options is None else options
        prog = program.Sequence([program.Execute(self.set)] * times)
        return poplar.Engine(self.graph, [prog], counting)

    def report(self, times=1):
        engine = self.engine(times=times)
        engine.run(0)
        return MachineReport.of(engine)

    def worker(self):
        """Instructions of the worker that has most."""
        report = self.report()
        assert [row.source for row in report.operations] == ["counted"]
        cycles, rest = divmod(report.computeCycles, CONTEXTS)
        assert rest == 0
        return cycles


def instructions(name, turns):
    bench = Bench()
    bench.turns(name, turns)
    return bench.worker()


def test_twice_the_work_takes_twice_as_long():
    none, some, twice, thrice = (instructions("Turns<0>", n) for n in (0, 1000, 2000, 3000))
    assert thrice - twice == twice - some
    assert twice - some == 1000  # a branch
    assert 0 < none < 20
    assert abs(some - none - (twice - some)) < 20


def test_instructions_of_a_block_are_all_counted():
    """Turns<10> has ten more a turn, in a text with comments and several to a line."""
    for n in 1, 7, 500:
        assert instructions("Turns<10>", n) - instructions("Turns<0>", n) == 10 * n


def test_branches_that_are_not_taken_cost_nothing():
    def of(negative):
        bench = Bench()
        bench.vertex("Branches", x=bench.variable([-1] * negative + [1] * (9 - negative)))
        return bench.worker()

    none, one, all_ = of(0), of(1), of(9)
    assert 10 <= one - none <= 12  # the branch's own ten, and a jump there and back
    assert all_ - none == 9 * (one - none)


def test_functions_and_recursion_are_counted():
    def of(n):
        bench = Bench()
        out = bench.variable(0)
        bench.vertex("Calls", out=out, n=n)
        return bench.worker()

    one, two, four = of(1), of(2), of(4)
    assert four - two == 2 * (two - one)
    assert two - one >= 6  # call, nop, double, return; add; subtract


def test_workers_of_a_multivertex_run_side_by_side():
    """Worker n has 100 n turns: the last one 500, all together 1500.

    A turn is nop and branch, of a g++ nop, add, compare, jump.
    """
    bench = Bench()
    bench.vertex("Workers", out=bench.variable(np.zeros(6), np.uint32))
    report = bench.report()
    assert CONTEXTS * 500 * 2 <= report.computeCycles <= CONTEXTS * (500 * 4 + 30)


def test_a_supervisor_issues_every_cycle():
    bench = Bench()
    bench.vertex("Supervisor", out=bench.variable(0, np.uint32))
    assert 500 * 3 <= bench.report().computeCycles <= 500 * 4 + 30


def test_seven_vertices_on_six_workers():
    bench = Bench()
    for _ in range(7):
        bench.turns("Turns<10>", 100)
    assert bench.worker() == 2 * instructions("Turns<10>", 100)


def test_the_first_execution_is_counted_and_changes_nothing_else():
    bench = Bench()
    x = bench.variable(1)
    bench.vertex("Grows", x=x)
    bench.graph.createHostRead("x", x)
    found, counted = np.zeros((), np.int32), []
    for options in {}, {"debug.instrumentCompute": "true"}:
        engine = bench.engine(options, times=2)
        engine.run(0)
        engine.readTensor("x", found)
        assert found == 10000
        report = MachineReport.of(engine)
        counted.append([row.source for row in report.operations])
    assert counted == [["unknown"], ["counted"]]
    one = Bench()
    one.vertex("Grows", x=one.variable(1))
    assert report.computeCycles == 2 * CONTEXTS * one.worker()


def test_estimates_of_the_users_win():
    bench = Bench()
    bench.graph.setPerfEstimate(bench.turns("Turns<10>", 1000), 77)
    report = bench.report()
    assert report.computeCycles == CONTEXTS * 77
    assert [row.source for row in report.operations] == ["setPerfEstimate"]
    bench.turns("Turns<10>", 1000)
    report = bench.report()
    assert [row.source for row in report.operations] == ["setPerfEstimate, counted"]
    assert report.computeCycles > CONTEXTS * 10000


def test_what_did_not_run_has_no_number():
    bench = Bench()
    bench.turns("Turns<10>", 1000)
    engine = bench.engine()
    report = MachineReport.of(engine)
    assert [row.source for row in report.operations] == ["unknown"]
    assert report.unknown == ["Turns<10>"] and report.computeCycles == 0
    assert f"Cycles: at least {report.cycles} (" in report.summary
    assert "     unknown  " in report.summary
    assert "an engine with the option debug.instrument" not in report.summary
    engine.run(0)
    report = MachineReport.of(engine)
    assert report.unknown == [] and f"Cycles: {report.cycles} (" in report.summary
    assert "by counted)" in report.summary
    assert "class 'Turns<10>' take the " in report.summary
    plain = bench.engine({})
    plain.run(0)
    report = MachineReport.of(plain)
    assert [row.source for row in report.operations] == ["unknown"]
    assert "run the program first in an engine with the option debug.instrument" in report.summary


def test_the_same_instructions_run_as_often_whether_counted_or_not():
    bench = Bench()
    bench.turns("Turns<10>", 3)
    rows = []
    for options in {}, {"debug.instrument": "true"}:
        engine = bench.engine({**options, "host.profile": "true"}, times=2)
        before = engine.planText()
        for _ in range(3):
            engine.run(0)
            MachineReport.of(engine)
        assert engine.planText() == before
        rows.append([row[:3] for row in engine.hostProfile(0)])
    assert rows[0] == rows[1]
    assert [row[2] for row in rows[0]] == [3, 3]


def test_a_saved_executable_is_counted_too():
    bench = Bench()
    bench.turns("Turns<10>", 1000)
    saved = poplar.compileGraph(bench.graph, [program.Execute(bench.set)]).serialize()
    executable = poplar.Executable.deserialize(saved)
    engine = poplar.Engine(executable, {"debug.instrument": "true"})
    engine.run(0)
    assert MachineReport.of(engine).computeCycles == CONTEXTS * bench.worker()


def test_checked_codelets_are_not_counted():
    bench = Bench()
    bench.turns("Turns<10>", 1000)
    engine = bench.engine({"debug.instrument": "true", "debug.checkBounds": "true"})
    engine.run(0)
    assert [row.source for row in MachineReport.of(engine).operations] == ["unknown"]


def test_what_throws_is_named_while_it_is_counted():
    bench = Bench(str(SOURCE.with_name("codelets.cpp")))
    bench.vertex("Thrower", at=bench.variable(3), out=bench.variable(0))
    kind = errors.poplar_application_runtime_error
    for _ in range(2):
        with pytest.raises(kind, match=r"vertex 'Thrower' \(number 0 .*\) on tile 0 threw"):
            bench.engine().run(0)


def test_without_a_compiler_the_reason_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("POPIR_CACHE", str(tmp_path))
    text = SOURCE.read_text().replace("* 100", "* 101")  # which no process has compiled
    bench = Bench(text)
    bench.turns("Turns<10>", 3)
    monkeypatch.setenv("CXX", "no-such-compiler")
    report = bench.report()
    assert [row.source for row in report.operations] == ["unknown"]
    assert "Vertices of class 'Turns<10>' could not be counted: " in report.summary


def test_without_a_clang_there_is_no_number(monkeypatch, tmp_path):
    """Instructions of the host say nothing of a tile's."""
    monkeypatch.setenv("POPIR_CACHE", str(tmp_path))
    monkeypatch.setenv("CXX", "g++")
    bench = Bench()
    for _ in range(200):  # One attempt is enough for all.
        bench.turns("Turns<10>", 3)
    report = bench.report()
    assert [row.source for row in report.operations] == ["unknown"]
    assert report.computeCycles == 0 and report.unknown == ["Turns<10>"]
    assert "'Turns<10>' could not be counted: codelets of '" in report.summary
    assert "counted.cpp': 'g++' does not tell what a tile would execute; install a clang" in (
        report.summary
    )


@pytest.mark.parametrize("option", ["autoReport.all", "autoReport.outputExecutionProfile"])
def test_a_profile_that_is_written_counts(option, tmp_path):
    bench = Bench()
    bench.turns("Turns<10>", 1000)
    engine = bench.engine({option: "true", "autoReport.directory": str(tmp_path)})
    engine.run(0)
    assert MachineReport.of(engine).computeCycles > CONTEXTS * 10000
