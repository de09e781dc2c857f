"""ConstExprOps: what operators give, computed while a graph is compiled, against numpy."""

import numpy as np

from tests.cpp_sessions.conftest import Program

A = np.array([[1.5, -2, 3], [4.25, 5, -6]], np.float32)
B = np.array([[2, 3, 4], [5, 6, 7]], np.float32)


def _numbers(line: str) -> np.ndarray:
    return np.array(line.split(), np.float64)


def test_each_type_gives_what_numpy_gives(program: Program) -> None:
    wanted = [
        A + B,
        A - B,
        A * B,
        A / B,
        np.fmod(A, B),
        np.floor(A),
        A,
        A * np.float32(0.5),
        np.concatenate([A, B], 1),
        A.T,
        A.reshape(3, 2),
        A[:, 1:3],
        A[:, [2, 0]],
        A.prod(-1),
        A.astype(np.int32),
    ]
    lines = program("constants", "types").splitlines()
    assert len(lines) == len(wanted)
    for number, (line, values) in enumerate(zip(lines, wanted, strict=True)):
        np.testing.assert_allclose(_numbers(line), values.ravel(), 1e-5, err_msg=str(number))


def test_constants_take_the_place_of_operators(program: Program) -> None:
    """(A + B) * A + x: one of three operators is left, and the run gives the same."""
    known, error, left, result = program("constants", "folded").splitlines()
    np.testing.assert_allclose(_numbers(known), ((A + B) * A).ravel(), 1e-5)
    assert error == (
        "Tensor::getDataViaGraphTraversal: the value of 'y' is not known when the graph is compiled"
    )
    assert left == "1 Const"
    x = np.arange(1, 7).reshape(2, 3)
    np.testing.assert_allclose(_numbers(result), ((A + B) * A + x).ravel(), 1e-5)


def test_operators_whose_constants_others_read_stay_without_the_option(program: Program) -> None:
    assert program("constants", "once") == "2\n"


def test_one_of_the_program(program: Program) -> None:
    registered, values, error = program("constants", "own").splitlines()
    assert registered == "11"
    assert values.split() == ["42"] * 6
    assert error == (
        "com.acme.OwnShort:1 (1): its ConstExprOp computed 3 bytes; the output has 24"
    ) or error.endswith("its ConstExprOp computed 3 bytes; the output has 24")


def test_what_cannot_be_computed(program: Program) -> None:
    value, kind = program("constants", "refused").splitlines()
    assert value.endswith(": input 1, 'x', has no value, so the operator cannot be computed"), value
    assert kind.endswith(": there is no ConstExprOp for operators of this type"), kind
