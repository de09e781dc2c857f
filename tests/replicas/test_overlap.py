"""Collectives that travel while the step goes on: what is planned, and that no bit changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from popir import gcl, poplar, popops
from popir.poplar import program
from popir.popops import expr as pe
from tests.models import Array, floats
from tests.plans import instructions, passes
from tests.replicas.networks import Network, mlp, transformer
from tests.replicas.training import ROWS, options, session_of

N = 3
ADD = popops.Operation.ADD
OPTION = "host.overlapCollectives"


class Program:
    """A program of N replicas on `x`, whose results are read."""

    def __init__(self, add: Callable[[Program, Any], None], elements: int = 8) -> None:
        self.graph = poplar.Graph(poplar.Device.createCPUDevice(), N)
        self.elements = elements
        linear = poplar.VariableMappingMethod.LINEAR
        self.x = self.graph.addVariable(poplar.FLOAT, [elements], linear, "x")
        self.graph.createHostWrite("x", self.x)
        self.results: dict[str, int] = {}
        self.program = program.Sequence()
        # A program changes what it reads: else its vertices would run once, before all runs.
        popops.mapInPlace(self.graph, pe.Neg(pe._1), [self.x], self.program)
        add(self, self.program)

    def sum(self, tensor: poplar.Tensor, prog: Any, name: str) -> poplar.Tensor:
        """The collective."""
        return gcl.allReduceCrossReplica(
            self.graph, tensor, gcl.CollectiveOperator.ADD, prog, gcl.CommGroup(0, 1), name
        )

    def scattered(self, tensor: poplar.Tensor, prog: Any, name: str) -> poplar.Tensor:
        """The collective that gives each replica its part of a sum."""
        return gcl.reduceScatterCrossReplica(
            self.graph, tensor, gcl.CollectiveOperator.ADD, prog, gcl.CommGroup(0, 1), name
        )

    def gathered(self, tensor: poplar.Tensor, prog: Any, name: str) -> poplar.Tensor:
        """The collective that gives each replica what all have."""
        return gcl.allGatherCrossReplica(self.graph, tensor, prog, gcl.CommGroup(0, 1), name)

    def read(self, tensor: poplar.Tensor, prog: Any = None) -> None:
        """Makes it a result, as float."""
        if prog is not None:
            tensor = popops.cast(self.graph, tensor, poplar.FLOAT, prog)
        name = f"result {len(self.results)}"
        self.results[name] = tensor.numElements()
        self.graph.createHostRead(name, tensor)

    def engines(self, overlaps: bool = True) -> list[poplar.Engine]:
        asked = {OPTION: str(overlaps).lower(), "host.numThreads": "1"}
        return [poplar.Engine(self.graph, [self.program], asked) for _ in range(N)]

    def run(self, overlaps: bool) -> list[dict[str, Array]]:
        """What the replicas have after two runs on values of their own."""
        engines = self.engines(overlaps)
        together = poplar.Replicas(engines)
        for n, engine in enumerate(engines):
            engine.writeTensor("x", floats(self.elements, seed=n))
        for _ in range(2):
            together.run()
        found: list[dict[str, Array]] = []
        for engine in engines:
            found.append({id: np.empty(n, np.float32) for id, n in self.results.items()})
            for name, value in found[-1].items():
                engine.readTensor(name, value)
        return found


def order(made: Program) -> list[str]:
    """The sums of a plan: "+a" where a begins, "-a" where it ends, "a" where it does both; and "."
    for other vertices.
    """
    found: list[str] = []
    for line in instructions(made.engines()[0]).splitlines()[1:]:
        words = line.split()
        if words[0] in ("begin", "end"):
            found.append({"begin": "+", "end": "-"}[words[0]] + words[2].partition("/")[0])
        elif words[:2] == ["host", "function"]:
            found.append(words[2].partition("/")[0])
        elif words[0] == "map":
            found.append(".")
    return found


def buckets(made: Program) -> str | None:
    """What the pass says."""
    return passes(made.engines()[0]).get("overlap collectives")


def agree(made: Program) -> None:
    """Results are those of collectives that do not overlap."""
    assert "overlap collectives" not in passes(made.engines(False)[0])
    for found, want in zip(made.run(True), made.run(False), strict=True):
        for name, value in want.items():
            np.testing.assert_array_equal(found[name], value, err_msg=name)


def backward(p: Program, prog: Any) -> None:
    """Three sums, each of what the step before it has computed; then their uses."""
    h, sums = p.x, []
    for name in "abc":
        h = popops.exp(p.graph, popops.sin(p.graph, h, prog), prog)
        sums.append(p.sum(h, prog, name))
    for total in sums:
        p.read(popops.tanh(p.graph, total, prog))


@pytest.mark.parametrize(
    ("elements", "said"),
    [(8, "1 bucket"), (100_000, "2 buckets"), (200_000, "3 buckets"), (300_000, "3 buckets")],
)
def test_small_sums_travel_together(elements: int, said: str) -> None:
    """Of 32 bytes, 0.4 MB, 0.8 MB and 1.2 MB."""
    made = Program(backward, elements)
    assert order(made) == [".", "+a", ".", "+b", ".", "+c", "-a", ".", "-b", ".", "-c", "."]
    assert buckets(made) == f"3 collectives in {said}"
    agree(made)


@pytest.mark.parametrize(
    ("elements", "said"), [(8, "2 buckets"), (100_000, "3 buckets"), (300_000, "4 buckets")]
)
def test_scattered_sums_travel_together(elements: int, said: str) -> None:
    """Of sizes that 3 replicas do not divide, and beside a sum that is whole: what each replica
    gets is the same.
    """

    def add(p: Program, prog: Any) -> None:
        h, sums = p.x, []
        for name in "abcd":
            h = popops.exp(p.graph, popops.sin(p.graph, h, prog), prog)
            data = h if name == "a" else h.slice(0, p.elements - ord(name) + ord("a"), 0)
            sums.append((p.sum if name == "c" else p.scattered)(data, prog, name))
        for total in sums:
            p.read(popops.tanh(p.graph, total, prog))

    made = Program(add, elements)
    assert order(made)[:8] == [".", "+a", ".", "+b", ".", "+c", ".", "+d"]
    assert buckets(made) == f"4 collectives in {said}"
    agree(made)
    # Each run negates x, so the second one has what was written.
    rows = np.exp(np.sin(np.stack([floats(elements, seed=n) for n in range(N)])))
    part = -(-elements // N)
    for n, found in enumerate(made.run(True)):
        share = rows.sum(0)[n * part : (n + 1) * part]
        want = np.concatenate([share, np.zeros(part - len(share))])
        np.testing.assert_allclose(found["result 0"], np.tanh(want), rtol=1e-5)


def test_a_gather_begins_where_the_one_before_is_used() -> None:
    """So of three, two are there at a time."""

    def add(p: Program, prog: Any) -> None:
        parts = [popops.sin(p.graph, p.x, prog)]
        parts += [popops.mul(p.graph, parts[0], p.x, prog), popops.cos(p.graph, p.x, prog)]
        h = p.x
        for name, part in zip("abc", parts, strict=True):
            whole = p.gathered(part, prog, name)
            rows = popops.add(p.graph, whole, popops.tanh(p.graph, h, prog).expand([0]), prog)
            h = popops.reduce(p.graph, rows, [0], popops.ReduceParams(ADD), prog, "sum")
        p.read(h)

    made = Program(add)
    found = order(made)
    begins, ends = ([found.index(sign + name) for name in "abc"] for sign in "+-")
    assert ends[0] < begins[1] < ends[1] < begins[2] < ends[2]
    assert "." in found[begins[1] : ends[1]]
    assert buckets(made) == "3 collectives in 3 buckets"
    agree(made)


def test_a_gather_over_what_is_still_read_waits() -> None:
    """The result lies in a variable that a step between the data and the gather reads."""

    def add(p: Program, prog: Any) -> None:
        state = popops.cos(p.graph, p.x, prog)
        whole = p.gathered(state, prog, "a")
        kept = popops.exp(p.graph, whole, prog)
        data = popops.sin(p.graph, p.x, prog)
        p.read(popops.tanh(p.graph, whole, prog).flatten())
        again = p.gathered(data, prog, "b")
        prog.add(program.Copy(again, whole))
        p.read(popops.exp(p.graph, popops.exp(p.graph, p.x, prog), prog))
        p.read(popops.add(p.graph, whole, kept, prog).flatten())

    agree(Program(add))


def test_a_sum_moves_up_to_its_data_and_down_to_its_use() -> None:
    def add(p: Program, prog: Any) -> None:
        data = popops.sin(p.graph, p.x, prog)
        p.read(popops.exp(p.graph, popops.exp(p.graph, data, prog), prog))
        total = p.sum(data, prog, "a")
        p.read(popops.exp(p.graph, popops.cos(p.graph, p.x, prog), prog))
        p.read(popops.tanh(p.graph, total, prog))
        popops.mapInPlace(p.graph, pe.Neg(pe._1), [data], prog)
        p.read(data)

    made = Program(add)
    assert order(made) == [".", "+a", ".", "-a", ".", "."]
    assert buckets(made) == "1 collective in 1 bucket"
    agree(made)


def test_a_sum_that_is_used_at_once_stays() -> None:
    def add(p: Program, prog: Any) -> None:
        total = p.sum(popops.sin(p.graph, p.x, prog), prog, "a")
        p.read(popops.exp(p.graph, total, prog))

    made = Program(add)
    assert order(made) == [".", "a", "."]
    assert buckets(made) is None


def test_a_sum_of_sums_waits_for_them() -> None:
    def add(p: Program, prog: Any) -> None:
        total = p.sum(popops.sin(p.graph, p.x, prog), prog, "a")
        other = p.sum(popops.cos(p.graph, p.x, prog), prog, "b")
        again = p.sum(total, prog, "c")
        p.read(popops.exp(p.graph, p.x, prog))
        p.read(popops.add(p.graph, again, other, prog))

    made = Program(add)
    found = order(made)
    assert found.index("-a") < found.index("+c")
    agree(made)


def test_kinds_travel_apart() -> None:
    def add(p: Program, prog: Any) -> None:
        sums = []
        for name, kind in zip("abc", (poplar.FLOAT, poplar.HALF, poplar.FLOAT), strict=True):
            data = popops.cast(p.graph, popops.sin(p.graph, p.x, prog), kind, prog)
            sums.append(p.sum(data, prog, name))
        for total in sums:
            p.read(popops.exp(p.graph, total, prog), prog)

    made = Program(add)
    assert buckets(made) == "3 collectives in 2 buckets"
    agree(made)


@pytest.mark.parametrize("kind", ["loop", "branch"])
def test_a_sum_stays_in_its_loop_or_branch(kind: str) -> None:
    def add(p: Program, prog: Any) -> None:
        state = popops.sin(p.graph, p.x, prog)
        body = program.Sequence()
        first = p.sum(popops.cos(p.graph, state, body), body, "a")
        second = p.sum(popops.sin(p.graph, state, body), body, "b")
        both = popops.mul(p.graph, first, second, body)
        body.add(program.Copy(popops.tanh(p.graph, both, body), state))
        last = p.sum(state, body, "c")  # nothing in the body uses it
        if kind == "loop":
            prog.add(program.Repeat(3, body))
        else:
            zero = p.graph.addConstant(poplar.BOOL, [], False)
            p.graph.setTileMapping(zero, 0)
            prog.add(program.If(zero, program.Sequence(), body))
        p.read(popops.exp(p.graph, state, prog))
        if kind == "loop":
            p.read(popops.exp(p.graph, last, prog))

    agree(Program(add))


@pytest.fixture(scope="module", params=["mlp", "transformer"])
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Network:
    return mlp() if request.param == "mlp" else transformer(tmp_path_factory.mktemp("model"))


def test_gradients_travel_in_the_backward_pass(network: Network) -> None:
    """The sums of the last layers begin before the gradients of the first ones are computed."""
    asked = options(2)
    asked.engineOptions[OPTION] = "true"
    session = session_of(network.models[ROWS // 2], asked)
    lines = instructions(session._engine).splitlines()
    begins = [n for n, line in enumerate(lines) if line.startswith("  begin of")]
    ends = [n for n, line in enumerate(lines) if line.startswith("  end of")]
    assert len(begins) == len(ends) > 3
    assert max(begins) < min(ends)
    assert any(word in lines[n] for n in range(begins[0], begins[-1]) for word in ("matmul", "map"))
    del asked.engineOptions[OPTION]  # in one process it is not the default
    lines = instructions(session_of(network.models[ROWS // 2], asked)._engine).splitlines()
    assert not any(line.startswith(("  begin of", "  end of")) for line in lines)
