"""Alias graphs and models, what operators inherit, settings of variables, in C++."""

import numpy as np

from popir import CommGroup, CommGroupType, VariableRetrievalMode, VariableSettings
from tests.cpp_sessions.conftest import Program


def test_views_against_numpy(program: Program) -> None:
    """Which views share elements, against numpy's of numbers that are each there once."""
    lines = program("aliases", "views").splitlines()
    a = np.arange(24).reshape(4, 6)
    left, right, turned = a[:, :3], a[:, 3:], a.T
    back, odd, b = right.reshape(2, 6)[:, ::-1], a[:, 1:][:, ::2], 100 + np.arange(3)
    wide = np.broadcast_to(b, (4, 3))
    joined = np.concatenate([left, wide], 1)
    shapes = [turned, back, odd, joined, a.reshape(-1), b]
    assert lines[0] == "".join(f"[{' '.join(map(str, each.shape))}]" for each in shapes)

    def shares(x: np.ndarray, y: np.ndarray) -> bool:
        return bool(set(x.flat) & set(y.flat))

    def holds(x: np.ndarray, y: np.ndarray) -> bool:
        return set(y.flat) <= set(x.flat)

    pairs = [(left, right), (a, back), (left, odd), (turned, right), (joined, right), (joined, b)]
    within = [(a, odd), (odd, a), (back, right), (left, odd), (joined, left)]
    expected = [
        "".join(str(int(f(*pair))) for pair in each)
        for f, each in ((shares, pairs), (holds, within))
    ]
    assert lines[1] == " ".join(expected)
    # Intermediate views count too.
    assert lines[2] == "8 5"


def test_gates_and_what_does_not_fit(program: Program) -> None:
    lines = program("aliases", "views").splitlines()
    assert lines[3] == "10001100"
    assert "is no closed gate" in lines[4]
    assert "whose output has the shape [4, 3] does not open at one of [3]" in lines[5]
    assert "A gate of 1 inputs has none at index 1" in lines[6]
    assert "A tensor of shape [4, 6] does not broadcast to [3]" in lines[7]
    assert "do not broadcast" in lines[8]
    assert "has none with the id 99" in lines[9]
    assert "Output 0 does not show input 0" in lines[10]
    assert lines[11] == "101"


def test_a_graph_of_operators(program: Program) -> None:
    lines = program("aliases", "models").splitlines()
    address, same = lines[0].split()
    assert address == same
    assert lines[1:4] == ["a ", "r x ", "f "]
    assert lines[4] == "1110 1 x 2"
    assert lines[5:7] == ["10", "a r x "]
    assert "has no operator with the id" in lines[7]
    assert "has no tensor y" in lines[8]
    # A closed gate is written in a tensor of its own; an open one in the second input.
    assert lines[9:] == ["s t 0111", "s t z 01"]


def test_what_is_inherited(program: Program) -> None:
    """Without virtual graphs none is taken; a serialized batch only if asked. The producer comes
    before the consumer.
    """
    assert program("aliases", "inherited").splitlines() == ["-1 2 0 0", "3 2 1 0"]


def test_settings_of_variables(program: Program) -> None:
    """As Python's settings say."""
    lines = program("aliases", "settings").splitlines()
    settings = [
        VariableSettings(),
        VariableSettings(2, 2, VariableRetrievalMode.AllReplicas),
        VariableSettings(CommGroup(CommGroupType.Consecutive, 2)),
    ]
    for line, each in zip(lines, settings, strict=False):
        grouping = each.getReplicaGrouping(8)
        first = " ".join(map(str, each.groups(8)[0]))
        shape = " ".join(map(str, each.shapeOnHost([3], 8)))
        assert line.endswith(
            f" {each.getGroupCount(8)} {each.getRealGroupSize(8)} {grouping.getStride()} "
            f"{each.numReplicasReturningVariable(8)} [{first}] [{shape}]"
        )
    assert lines[3] == "1106[5]"
    assert "a stride of at least 1" in lines[4] and "groups have a size of at least 1" in lines[5]
    assert "its groups are not those of a CommGroup" in lines[6]
    assert "has the shape [3, 5], and 4 groups of the 8 replicas" in lines[7]
    assert lines[8].endswith("[2 2]") and lines[9].endswith("[2 2]")
