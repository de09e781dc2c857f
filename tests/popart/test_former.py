"""Operators as SDK 1 had them."""

import ctypes
from pathlib import Path

import numpy as np

from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated


def check_former(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(3, 4)
    for name, given, factor in (
        ("Plain", {}, 2),
        ("Scaled", {"factor": 0.5}, 0.5),
        ("Defined", {}, 3),
        ("Defined", {"factor": 1.0}, 1),
        ("Braced", {}, 3),
        ("Braced", {"factor": 1.0}, 1),
        ("First", {}, 2),
        ("Second", {}, 2),
        ("Listed", {}, 2),
    ):
        y, gradients, weights = results(name, {"x": x}, "x", **given)
        np.testing.assert_allclose(y, factor / 2 * x * x, rtol=1e-6, err_msg=name)
        np.testing.assert_allclose(gradients["x"], factor * weights * x, rtol=1e-5, err_msg=name)


def test_creators_and_gradients_of_sdk_1(library: Library, tmp_path: Path) -> None:
    isolated(check_former, library("former"), cwd=tmp_path)
