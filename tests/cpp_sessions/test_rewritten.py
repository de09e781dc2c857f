"""Patterns and variants in place on a program's graph, and smaller parts of PopART's interface."""

import pytest

from tests.cpp_sessions.conftest import Program


@pytest.mark.parametrize("way", ["patterns", "none"])
def test_patterns_and_variants(program: Program, way: str) -> None:
    """A pattern of the program's that is switched on makes 3 t of relu(t); variants in place keep
    what the host sends and gets, and the result. y is relu(2 x) or 6 x, and z = 5 y + x.
    """
    operators, variants, result = program("rewritten", "graphs", way).splitlines()
    assert operators == ("04" if way == "patterns" else "13")
    # The second scaling of the called graph, the scaling of a pattern, and the sum.
    assert variants == ("21" if way == "patterns" else "11")
    assert result == ("-6 12 -31 62" if way == "patterns" else "0 4 -1 22")


def test_operators_that_no_graph_takes(program: Program) -> None:
    """They are deleted without the lock of Python, which a program does not hold."""
    made, error, ids = program("rewritten", "alone").splitlines()
    assert made == "1 0.5 10"
    assert error == (
        "error: Attributes: 'nothing' is no integer, float, string or graph, and no list of one of "
        "these"
    )
    assert ids.split() == ["a", "a__t1__b", "100", "t0", "_t1", "__t1", "__t", "a__t1b"]


def test_groups_across_groups(program: Program) -> None:
    """Of 8 replicas, in all groups and in each of some; and supersets that there are not."""
    lines = program("rewritten", "groups").splitlines()
    kinds = ["None, replicaGroupSize=0", "All, replicaGroupSize=0"]
    kinds += ["Orthogonal, replicaGroupSize=4", "Consecutive, replicaGroupSize=4"]
    assert lines[0] == "".join(f"CommGroup(type={kind}) " for kind in kinds)
    assert lines[1] == f"CommGroup(type={kinds[2]}) CommGroup(type={kinds[0]})"
    groups = ("stride=2, groupSize=4", "stride=1, groupSize=1")
    assert lines[2] == " ".join(f"ReplicaGrouping(numReplicas=8, {each})" for each in groups)
    assert "the superset is to be all replicas, or the group itself" in lines[3]
    assert lines[4].startswith("error: Expected the number of replicas in the groups to be equal.")
    assert lines[5].startswith("error: Could not return a supported ReplicaGrouping transpose of")
    assert len(lines) == 6
