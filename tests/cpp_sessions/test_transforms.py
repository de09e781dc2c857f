"""Transforms that a program registers, applied while a session compiles a model."""

from tests.cpp_sessions.conftest import Program


def test_transforms_of_a_program_are_applied(program: Program) -> None:
    """The input doubled after the import; Prune then removes what nothing needs, and keeps the
    anchor.
    """
    assert program("transforms", "Fwd0", "infer", "Doubled", "Prune", "Doubled").splitlines() == [
        "ops 2 trains 0 gradients 0 anchors 1 batches 1 loss  backward 0",
        "ops 2 trains 0 gradients 0 anchors 1 batches 1 loss  backward 0",
        "4 -8",
    ]


def test_gradients_are_those_of_the_changed_graph(program: Program) -> None:
    """The loss, the mean of |2 x w|, has the gradient 2 x sign(w) / 2 in each of both elements."""
    lines = program("transforms", "Fwd0", "train", "Doubled").splitlines()
    assert lines == [
        "ops 3 trains 1 gradients 0 anchors 1 batches 1 loss L1:0 backward 0",
        "4 -8",
        "0 1",
    ]
    lines = program("transforms", "Bwd0", "train", "Doubled").splitlines()
    assert lines == [
        "ops 5 trains 1 gradients 1 anchors 1 batches 1 loss L1:0 backward 1",
        "4 -8",
        "0 1",
    ]


def test_every_time_of_a_transform(program: Program) -> None:
    for stage, ops in (("Fwd1", 2), ("PreAlias", 2), ("Final", 1)):
        lines = program("transforms", stage, "infer", "Doubled").splitlines()
        told = f"ops {ops} trains 0 gradients 0 anchors 1 batches 1 loss  backward 0"
        assert lines == [told, "4 -8"], stage


def test_transforms_that_cannot_be_applied(program: Program) -> None:
    assert "names 'MainLoops'; transforms can be applied at Fwd0, Fwd1" in program(
        "transforms", "MainLoops", "infer", "Doubled"
    )
    assert "No transform 'Trebled' is registered" in program(
        "transforms", "Fwd0", "infer", "Trebled"
    )
    assert "After the transform 'Broken': " in program("transforms", "Fwd0", "infer", "Broken")
