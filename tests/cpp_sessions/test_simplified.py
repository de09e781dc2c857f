"""PopART's patterns on a program's graph, by its classes, and small parts of its interface."""

import numpy as np

from tests.cpp_sessions.conftest import Program

X = np.array([[-1, 0.5, 2], [1.5, -0.25, 3]], "float32")


def values(lines: list[str]) -> dict[str, np.ndarray]:
    """The tensors that a program has printed."""
    found = (line.split(":") for line in lines)
    return {name: np.array([float(v) for v in rest.split()]) for name, rest in found}


def test_patterns_keep_the_results(program: Program) -> None:
    """Each pattern changes the graph once, and the results stay."""
    before, *plain = program("simplified", "graphs", "plain").splitlines()
    first, changed, after, *rewritten = program("simplified", "graphs", "patterns").splitlines()
    assert first == before
    assert (
        before.split()
        == (
            "Cast2 Cosh1 Exp1 Expand1 Identity2 Log1 RandomUniformLike1 Relu1 Reshape2 Scale1 "
            "Split1 Sum3"
        ).split()
    )
    assert changed == "111111101111 ViewSimplifyPattern"
    assert (
        after.split()
        == (
            "Add5 Cast1 Exp2 Expand1 Identity2 Neg2 RandomUniform1 Relu1 Reshape1 Scale1 Slice2"
        ).split()
    )
    two = np.maximum(X, 0) + X
    expected = {
        "minus": -two,
        "four": np.maximum(X, 0) + two + 2 * X,
        "left": np.cosh(X)[:, :1],
        "right": np.cosh(X)[:, 1:],
        "flat again": two,
        "log": X,
        "whole": np.broadcast_to(X.astype("int32"), (4, 2, 3)),
    }
    for lines in (plain, rewritten):
        found = values(lines)
        random = found.pop("random")
        assert random.min() >= 2
        assert random.max() <= 3
        assert len(set(random)) == 6
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_allclose(found[name], value.reshape(-1), rtol=2e-5, err_msg=name)


def test_what_anchors_return(program: Program) -> None:
    """All batches, the last one, their sum, and every third, of a program's graph."""
    assert program("simplified", "returned").splitlines() == [
        "2 4 6 8 10 12 ",
        "10 12 -1 -1 -1 -1 ",
        "18 24 -1 -1 -1 -1 ",
        "10 12 -1 -1 -1 -1 ",
    ]


def test_parts(program: Program) -> None:
    lines = program("simplified", "parts").splitlines()
    # The same graph; another constant, anchor or type.
    assert lines.pop(0) == "1000"
    assert lines == [
        "1 1 2 (5, five)(-1, j, 3)",
        "b/Gradient___t a/t a/t",
        "error: 't' is no id of a gradient",
        "error: Cannot remove scope 'a/' from 'b/Gradient___t', which does not begin with it",
        "outer/inner/t u/t",
        "error: Cannot remove scope 'outer/inner/' from 'outer/t', which does not begin with it",
        "[one][two][][none]",
        "error: splitString: a delimiter was expected; given was an empty text",
        # In the order in which the graph got them; one that is kept for the model is there once.
        "Accl1___w Step___w Accl2___w ",
        "1 1 0 1 1 2 1",
        "error: A location of a tensor is six numbers, the last one 0 or larger; this is [1, 2, 3]",
        "error: No location of a tensor: 9 at place 2 is none of the values 0 to 2",
        "[1 1 1] 17 [1 1 3 4] [3 4]",
        "error: There is no element 24 in a tensor of shape [2, 3, 4]",
        "error: There is no element at [0, 3, 0] in a tensor of shape [2, 3, 4]",
        "error: A shape of 3 dimensions is to have 2",
        "error: A shape of 2 dimensions is to have 3",
        lines[17],
        "MatMulLhsGrad 0.25 1",
        "ai.graphcore.RemoteLoadInplace:1 7",
        lines[20],
    ]
    assert "its outputs are to be at (OffChip, loadTileSet=IO" in lines[17]
    assert "(activationTensorLocationSettings) move tensors of a kind" in lines[17]
    assert "has no in-place variant ai.graphcore.RemoteLoad:1" in lines[20]
