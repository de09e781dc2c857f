"""Alias graphs and models, what operators inherit, settings of variables, in C++."""

import re

import numpy as np

from popir import CommGroup, CommGroupType, VariableRetrievalMode, VariableSettings
from tests.cpp_sessions.conftest import Program


def said(line: str) -> dict[str, int]:
    """What a line says of each name."""
    return {name: int(value) for name, value in re.findall(r"(\S.*?)=(-?\d+) ", line)}


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

    def shares(x: np.ndarray, y: np.ndarray) -> int:
        return int(bool(set(x.flat) & set(y.flat)))

    def holds(x: np.ndarray, y: np.ndarray) -> int:
        return int(set(y.flat) <= set(x.flat))

    arrays = {"a": a, "b": b, "left": left, "right": right, "turned": turned}
    arrays |= {"back": back, "odd": odd, "joined": joined}
    for line, f in zip(lines[1:3], (shares, holds), strict=True):
        found = said(line)
        assert found == {each: f(*(arrays[name] for name in each.split(","))) for each in found}
    assert len(said(lines[1])) == 6 and len(said(lines[2])) == 5
    # Intermediate views count too.
    assert said(lines[3]) == {"right": 8, "b": 5}


def test_gates_and_what_does_not_fit(program: Program) -> None:
    lines = program("aliases", "views").splitlines()
    assert said(lines[4]) == {"closed": 1, "written shows a": 0, "a is modified": 0}
    assert said(lines[5]) == {
        "closed": 0,
        "written shows a": 1,
        "left is modified": 1,
        "right is modified": 0,
        "b is modified": 0,
    }
    assert "is no closed gate" in lines[6]
    assert "whose output has the shape [4, 3] does not open at one of [3]" in lines[7]
    assert "A gate of 1 inputs has none at index 1" in lines[8]
    assert "A tensor of shape [4, 6] does not broadcast to [3]" in lines[9]
    assert "do not broadcast" in lines[10]
    assert "has none with the id 99" in lines[11]
    assert "Output 0 does not show input 0" in lines[12]
    assert said(lines[13]) == {"output 0 shows b": 1, "output 1 shows b": 0, "b is modified": 1}


def test_views_that_do_not_fit(program: Program) -> None:
    """Each is refused, and leaves the graph as it was."""
    lines = program("aliases", "misfits").splitlines()
    words = ["reshape", "slice", "dimShuffle", "reverse", "no dimension 4294967296", "subSample"]
    words += ["A stride of at least 1 is expected, 0", "A stride of at least 1 is expected, -1"]
    words += ["concat", "concat: no tensor given"]
    for line, expected in zip(lines, words, strict=False):
        assert expected in line
    assert said(lines[10]) == {"operators": 2}


def test_what_an_operator_writes_of_its_inputs(program: Program) -> None:
    """Row 1 of z, of which the output shows nothing, or row 0."""
    hidden, shown = map(said, program("aliases", "marks").splitlines())
    assert hidden == {
        "operators": 3,  # the row, that it is written, and the output
        "of them its own": 3,
        "k shows z": 0,
        "z is modified": 1,
        "row 1 is modified": 1,
    }
    # The row that is shown is another view, in the shape of the output.
    assert shown == hidden | {"operators": 5, "of them its own": 5, "k shows z": 1}


def test_a_graph_of_operators(program: Program) -> None:
    lines = program("aliases", "models").splitlines()
    address, same = lines[0].split()
    assert address == same
    assert lines[1:4] == ["a ", "r x ", "f "]
    assert said(lines[4]) == {
        "x holds r": 1,
        "has relu": 1,
        "has x": 1,
        "has y": 0,
        "the gate is add's": 1,
        "x is x": 1,
        "operators of add": 2,
    }
    assert said(lines[5]) == {"the gate is proposed": 1, "input": 0}
    assert lines[6] == "a r x "
    assert "has no operator with the id" in lines[7]
    assert "has no tensor y" in lines[8]
    # A closed gate is written in a tensor of its own; an open one in the second input.
    assert lines[9] == "s t " and lines[11] == "s t z "
    for line in (lines[10], lines[12]):
        assert said(line) == {"has f": 0, "has second": 1, "t is modified": 1, "t shows z": 1}


def test_what_is_inherited(program: Program) -> None:
    """Without virtual graphs none is taken; a serialized batch only if asked. The producer comes
    before the consumer.
    """
    off, manual = map(said, program("aliases", "inherited").splitlines())
    assert off == {"graph": -1, "stage": 2, "has a batch phase": 0, "has a phase": 0}
    assert manual == off | {"graph": 3, "has a batch phase": 1}


def test_inheriting_stops_at_what_is_found(program: Program) -> None:
    """Not at the end of the graph: 500 operators have 1000 tensors to look up."""
    assert said(program("aliases", "near"))["look-ups"] < 100


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
    assert said(lines[3]) == {
        "all is the default": 1,
        "all is not groups": 1,
        "groups is a CommGroup": 0,
        "pair 3 begins at": 6,
        "group 2 of 2 with stride 2 begins at": 4,
        "group 5 of 2 with stride 2 begins at": 9,
    }
    assert lines[4] == "[5]"
    assert "a stride of at least 1" in lines[5] and "groups have a size of at least 1" in lines[6]
    assert "were not initialised using a `popart::CommGroup` instance" in lines[7]
    assert "has the shape [3, 5], and 4 groups of the 8 replicas" in lines[8]
    assert lines[9].endswith("[2 2]") and lines[10].endswith("[2 2]")
