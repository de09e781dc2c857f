"""Weights that a program changes, and that many of its steps read in between."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from popir import poplar, poplin, popops
from popir.poplar import program
from tests.plans import instructions

ROWS, WIDTH, RUNS = 4, 256, 3
Array = npt.NDArray[np.float64]


@dataclass
class Machine:
    """A graph beside the same computation by numpy in float64."""

    graph: poplar.Graph = field(
        default_factory=lambda: poplar.Graph(poplar.Target.createCPUTarget())
    )
    sequence: program.Sequence = field(default_factory=program.Sequence)
    tensors: dict[str, poplar.Tensor] = field(default_factory=dict)
    values: dict[str, Array] = field(default_factory=dict)
    steps: list[Callable[[], None]] = field(default_factory=list)

    def variable(self, name: str, value: Array) -> None:
        t = self.graph.addVariable(poplar.FLOAT, list(value.shape), name)
        self.graph.setTileMapping(t, 0)
        self.graph.setInitialValue(t, value.astype(np.float32))
        self.graph.createHostRead(name, t)
        self.tensors[name], self.values[name] = t, value

    def multiply(self, x: str, w: str, times: int, turned: bool = False) -> None:
        """x = x @ w, so many times."""
        for _ in range(times):
            weights = self.tensors[w].transpose() if turned else self.tensors[w]
            y = poplin.matMul(self.graph, self.tensors[x], weights, self.sequence, "product")
            self.sequence.add(program.Copy(y, self.tensors[x]))

        def step() -> None:
            for _ in range(times):
                self.values[x] = self.values[x] @ (self.values[w].T if turned else self.values[w])

        self.steps.append(step)

    def negate(self, w: str) -> None:
        popops.negInPlace(self.graph, self.tensors[w], self.sequence, "change")

        def step() -> None:
            self.values[w] = -self.values[w]

        self.steps.append(step)

    def plan(self, times: int = 1, without: str = "") -> str:
        """Runs the program, the sequence so many times, and compares.

        Returns:
            its instructions.
        """
        whole = program.Repeat(times, self.sequence) if times > 1 else self.sequence
        options = {"host.numThreads": "2", "host.without": without}
        engine = poplar.Engine(self.graph, [whole], options)
        engine.load(poplar.Device.createCPUDevice())
        for _ in range(RUNS):
            engine.run(0)
            for _ in range(times):
                for step in self.steps:
                    step()
            for name, expected in self.values.items():
                found = np.zeros(expected.shape, np.float32)
                engine.readTensor(name, found)
                np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5, err_msg=name)
        return instructions(engine)


@pytest.fixture
def machine() -> Machine:
    made, rng = Machine(), np.random.default_rng(0)
    # Products with orthogonal matrices neither grow nor vanish.
    for name in ("w", "v"):
        made.variable(name, np.linalg.qr(rng.standard_normal((WIDTH, WIDTH)))[0])
    for name in ("x", "y"):
        made.variable(name, rng.standard_normal((ROWS, WIDTH)))
    return made


def packs(plan: str) -> tuple[int, int]:
    """How often weights are packed, and how many products read what was."""
    return plan.count("pack product"), plan.count(", packed")


def test_weights_are_packed_where_the_first_step_reads_them(machine: Machine) -> None:
    machine.multiply("x", "w", 20)
    machine.negate("w")
    plan = machine.plan()
    assert packs(plan) == (1, 20)
    lines = [line.split()[0] for line in plan.splitlines() if "product" in line]
    assert lines.index("pack") < lines.index("matmul")


def test_weights_are_packed_again_after_a_change(machine: Machine) -> None:
    machine.multiply("x", "w", 16)
    machine.negate("w")
    machine.multiply("x", "w", 20)
    machine.negate("w")
    machine.multiply("x", "w", 3)  # too few to pack for
    assert packs(machine.plan()) == (2, 36)


def test_each_way_to_read_weights_has_its_form(machine: Machine) -> None:
    machine.multiply("x", "w", 16)
    machine.multiply("x", "v", 16)
    machine.multiply("y", "w", 16, turned=True)
    machine.negate("w")
    machine.negate("v")
    assert packs(machine.plan()) == (3, 48)


def test_few_steps_read_weights_as_they_lie(machine: Machine) -> None:
    machine.multiply("x", "w", 15)
    machine.negate("w")
    assert packs(machine.plan()) == (0, 0)


def test_packing_may_be_left_out(machine: Machine) -> None:
    machine.multiply("x", "w", 20)
    machine.negate("w")
    assert packs(machine.plan(without="packing")) == (0, 0)


def test_a_body_packs_in_each_of_its_runs(machine: Machine) -> None:
    machine.multiply("x", "w", 20)
    machine.negate("w")
    plan = machine.plan(times=3)
    assert packs(plan) == (1, 20)
    assert plan.index("repeat") < plan.index("pack product")


def test_chains_side_by_side_pack_for_themselves(machine: Machine) -> None:
    """Neither waits for the other; both read one weight."""
    machine.multiply("x", "w", 40)
    machine.multiply("y", "w", 40)
    machine.negate("w")
    plan = machine.plan()
    assert "side by side" in plan
    assert packs(plan) == (2, 80)
