"""Copies that follow one another are one exchange, as Poplar makes one of them (a comment in
PopART's lowering of Pad says so). The expected figures are those of one Copy of the same data,
joined, and sums over tiles that are worked out beside each."""

import pytest

from popir import poplar
from popir.poplar import program
from popir.profile import MachineReport
from tests.machine.net import CALL, SYNC, Net, parts

NAMES = "abcd"


def pairs(net: Net, shape: int = 64) -> list[tuple[poplar.Tensor, poplar.Tensor]]:
    """Four tensors on tile i, and where each is to go: tile i + 1."""
    return [
        (net.input(name, [shape], i), net.input(name * 2, [shape], (i + 1) % 4))
        for i, name in enumerate(NAMES)
    ]


def copies(of: list[tuple[poplar.Tensor, poplar.Tensor]]) -> list[program.Copy]:
    return [program.Copy(src, dst) for src, dst in of]


def code(report: MachineReport, category: str) -> list[int]:
    return next(list(m.tileBytes) for m in report.memory if m.category == category)


def joined(shape: int = 64) -> MachineReport:
    """The same data in one copy."""
    net = Net()
    of = pairs(net, shape)
    src, dst = (poplar.concat([pair[i] for pair in of]) for i in (0, 1))
    return net.report(program.Copy(src, dst))


@pytest.mark.parametrize("shape", [2, 64, 1000])
def test_four_copies_take_what_one_of_all_takes(shape: int) -> None:
    net = Net()
    report = net.report(program.Sequence(copies(pairs(net, shape))))
    one = joined(shape)
    assert parts(report) == parts(one)
    assert parts(report)[2] == SYNC
    assert report.exchangeBytes == one.exchangeBytes == 4 * 4 * shape
    for category in ("exchange code", "control code"):
        assert code(report, category) == code(one, category), category
    # Each has its step and its row; the first has the sync, and the rest what they add: tiles
    # receive at the same time.
    assert [s.syncCycles for s in report.steps] == [SYNC, 0, 0, 0]
    # A span takes three cycles at least.
    assert [s.exchangeCycles for s in report.steps] == [max(shape, 3), 0, 0, 0]
    assert sum(o.exchangeBytes for o in report.operations) == report.exchangeBytes
    assert list(report.tileReceivedBytes) == [4 * shape] * 4
    assert any("are one exchange" in line for line in report.counts)


def test_what_one_tile_receives_is_added_up() -> None:
    """All four go to tile 3, which has one of them: it receives 3 * 64 words, one a cycle."""
    net = Net()
    of = [(net.input(n, [64], i), net.input(n * 2, [64], 3)) for i, n in enumerate(NAMES)]
    report = net.report(program.Sequence(copies(of)))
    assert [s.exchangeCycles for s in report.steps] == [64, 64, 64, 0]
    # The last one is copied on its tile, which is a call.
    assert [s.syncCycles for s in report.steps] == [SYNC, 0, 0, CALL]


def test_copies_of_nested_sequences_join() -> None:
    net = Net()
    first, second, third, fourth = copies(pairs(net))
    nested = net.report(
        program.Sequence([first, program.Sequence([second, third], debugContext="part"), fourth])
    )
    assert [s.syncCycles for s in nested.steps] == [SYNC, 0, 0, 0]


@pytest.mark.parametrize("how", ["reads", "overwrites", "overwrites what is read"])
def test_a_copy_that_needs_another_waits_for_it(how: str) -> None:
    net = Net()
    (a, aa), (b, bb), *_ = pairs(net)
    second = {
        "reads": program.Copy(aa, bb),
        "overwrites": program.Copy(b, aa),
        "overwrites what is read": program.Copy(b, a),
    }[how]
    report = net.report(program.Sequence([program.Copy(a, aa), second]))
    moves = [s.exchangeCycles > 0 for s in report.steps]
    assert [s.syncCycles for s in report.steps] == [SYNC if moved else CALL for moved in moves]
    assert not any("are one exchange" in line for line in report.counts)


@pytest.mark.parametrize(("apart", "together"), [(True, True), (False, False)])
def test_parts_of_a_tensor_are_looked_at_by_element(apart: bool, together: bool) -> None:
    """A halo: both ends of a tensor are read and written, by copies that meet nowhere or at one
    element."""
    net = Net()
    t = net.input("t", [256], 0, 1, 2, 3)
    near = program.Copy(t.slice(64, 66), t.slice(0, 2))
    last = 128 if apart else 64
    far = program.Copy(
        t.slice(last, last + 2), t.slice(65 if not apart else 66, 67 if not apart else 68)
    )
    report = net.report(program.Sequence([near, far]))
    assert [s.syncCycles > 0 for s in report.steps] == [True, not together]


def test_other_steps_loops_and_branches_end_a_group() -> None:
    net = Net()
    of = pairs(net)
    first, second, third, _ = copies(of)
    prog = program.Sequence([first, program.Repeat(3, second), third])
    report = net.report(prog)
    assert [(s.times, s.syncCycles) for s in report.steps] == [(1, SYNC), (3, SYNC), (1, SYNC)]
    net = Net()
    first, second, *_ = copies(pairs(net))
    x = net.input("x", [64], 0)
    net.prog.add(first)
    net.add(x, x, 0)
    net.prog.add(second)
    assert [s.syncCycles for s in net.report().steps] == [SYNC, CALL, SYNC]


def test_a_node_of_two_groups_is_in_none() -> None:
    """The sum over two programs must not depend on which of them is asked for first."""
    net = Net()
    first, second, third, _ = copies(pairs(net))
    both = program.Sequence([first, second, program.Sync(program.SyncType.INTERNAL), second, third])
    report = net.report(both)
    assert [s.syncCycles for s in report.steps if s.kind == "Copy"] == [SYNC] * 4


def test_a_sequence_that_stands_twice_has_its_groups_in_both() -> None:
    net = Net()
    part = program.Sequence(copies(pairs(net)))
    report = net.report(program.Sequence([part, program.Sync(program.SyncType.INTERNAL), part]))
    assert [s.syncCycles for s in report.steps if s.kind == "Copy"] == [SYNC, 0, 0, 0] * 2


def test_copies_between_ipus_are_not_joined() -> None:
    graph = poplar.Graph(poplar.Target.createIPUTarget(2, 4, "ipu2"))
    prog = program.Sequence()
    for name in "ab":
        src, dst = (graph.addVariable(poplar.FLOAT, [8], name) for _ in range(2))
        graph.setTileMapping(src, 0)
        graph.setTileMapping(dst, 4)
        prog.add(program.Copy(src, dst))
    report = MachineReport.of(poplar.Engine(graph, [prog]))
    assert report.steps[0].syncCycles == report.steps[1].syncCycles > SYNC
