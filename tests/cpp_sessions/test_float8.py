"""8-bit floats in graphs that a program in C++ makes, beside ml_dtypes."""

import ml_dtypes
import numpy as np

from tests.cpp_sessions.conftest import Program


def test_8_bit_floats(program: Program) -> None:
    infos, y, half, *refused, known, device, far = program("float8").splitlines()
    assert infos == "1 FLOAT16 [2 2] FLOAT FLOAT8_143 [2 3]"
    x = np.array([[0.5, -1, 2], [0.3, 7, -0.1]], np.float32)
    w = np.array([[1, 2], [-0.7, 4], [3, 0.25]], np.float32)
    x8 = (x * 4).astype(ml_dtypes.float8_e4m3fnuz).astype("f8")
    w8 = w.astype(ml_dtypes.float8_e5m2fnuz).astype("f8")
    np.testing.assert_allclose(numbers(y), (x8 @ w8 / 8).ravel(), rtol=1e-3)
    np.testing.assert_allclose(numbers(half), (x8 / 8).ravel(), rtol=1e-5)
    assert refused == [
        "a tensor of int as one of 8-bit floats; expected is unsigned char",
        "FLOAT16 is no 8-bit float",
    ]
    values = np.array([0x40, 0x41, 0xC0, 0x80], np.uint8).view(ml_dtypes.float8_e4m3fnuz)
    for line, scale in ((known, 2), (device, 8)):
        np.testing.assert_array_equal(numbers(line), values.astype("f4") * scale)
    assert "Log2 scale is not in the range [-32, 32)." in far


def numbers(line: str) -> list[float]:
    return [float(word) for word in line.split()]
