"""Operators of PopART's that consist of others, and patterns that take them apart."""

import numpy as np
import pytest

from tests.cpp_sessions.conftest import Program

X = np.array([[[0.5, -1.25, 2], [0.75, 1.5, 3]]], "float32")
BIAS = np.array([10, 20], "float32")


def expected() -> dict[str, np.ndarray]:
    """Each result, by its id."""
    with np.errstate(invalid="ignore"):
        scalars = [
            (X + 2.5, 2.5 + X),
            (2.5 - X, X - 2.5),
            (X * 2.5, X * 2.5),
            (2.5 / X, X / 2.5),
            (2.5**X, X**2.5),
        ]
    found = {"square": X**2, "like": np.zeros_like(X), "zeros": np.zeros(2)}
    found |= {
        f"scalar{i}{j}": each for i, pair in enumerate(scalars) for j, each in enumerate(pair)
    }
    found |= {
        "biased": X + BIAS[:, None],
        "biased0": X,
        "biased1": X.sum((0, 2)),
        "pad": np.pad(X, ((0, 0), (1, 0), (2, 1)), constant_values=1),
        "pad0": X,
        "same": X,
        "moved": X,
        "transposed": X.transpose(0, 2, 1),
        "up": X.repeat(2, 2),
    }
    return found


@pytest.mark.parametrize("how", ["plain", "patterns"])
def test_results(program: Program, how: str) -> None:
    """The session takes the operators apart; or PopART's patterns do it before."""
    lines = program("composed", how).splitlines()
    assert "BinaryConstScalar10" in lines[0]
    if how == "patterns":
        *names, rest = lines.pop(1).split(" ", 4)
        assert names == [
            "DecomposeBinaryConstScalar1",
            "ZerosLikeOpPattern1",
            "TransposeToIdentityOrReshapePattern1",
            "UpsampleToResize1",
        ]
        types = rest.split()
        assert {"Reshape1", "Resize1", "Transpose1", "Zeros2"} <= set(types)
        assert not [t for t in types if t.startswith(("BinaryConst", "ZerosLike", "Upsample"))]
    lines.pop(0)
    names, truth = lines.pop(0).split(), expected()
    assert sorted(names) == sorted(truth)
    for name, line in zip(names, lines, strict=True):
        found = np.array([float(word) for word in line.split()])
        np.testing.assert_allclose(found, truth[name].ravel(), rtol=2e-5, err_msg=name)


def test_structures(program: Program) -> None:
    """Copies between IPUs step by step; weights that are flipped twice are read unflipped."""
    assert program("composed", "structures").splitlines() == [
        "10",
        "[1] --> [0] [0] --> [1] [1] --> [2] [2] --> [3] [3] --> [2] [2] --> [1] FLOAT [2]",
        "110 w",
    ]


def test_operators_that_compute_the_same(program: Program) -> None:
    """One of each stays, but for random numbers and what the host gets."""
    types, read, *values, number, fault = program("composed", "merged").splitlines()
    assert types.split() == ["Abs2", "RandomUniformLike3", "Scale2", "Square3"]
    assert read == "abs of a"
    assert [[float(word) for word in line.split()] for line in values] == [
        [4, 16],
        [4, 16],
        [9, 36],
    ]
    assert number == "-7"
    assert fault.endswith("has no meaning for elements of type BOOL")


def test_faults(program: Program) -> None:
    found = program("composed", "faults").splitlines()
    for line, words in zip(
        found,
        [
            "the operation 5 is none of Add, Sub, Mul, Div and Pow, 0 to 4",
            "the index of the number is 2, and has to be 0 or 1",
            "expected are [N, C, ...] and [C]",
            "is none of FLOAT, FLOAT16, INT32, UINT32 and BOOL",
            "a PadGradOp is one of a pad with constants, which neither cuts off nor reverses",
        ],
        strict=True,
    ):
        assert line.startswith("error: ")
        assert words in line
