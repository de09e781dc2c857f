"""Operators whose lowerings are classes of PopART, or derive from those of element-wise ones."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
import torch

import popir
from tests.popart.conftest import Library
from tests.popart.graphs import floats, refusal, results
from tests.popart.libraries import isolated


def check_places(library: str) -> None:
    """A stash of three places over five runs, and what reads it in the same order, against a ring
    in numpy.
    """
    ctypes.CDLL(library)
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2, 3]), "x")
    (stash,) = builder.customOp("Kept", 1, "test", [x], {"places": 3})
    (back,) = builder.customOp("Back", 1, "test", [stash], {"places": 3})
    doubled = builder.aiOnnx.add([x, x])
    (over,) = builder.customOp("BackInPlace", 1, "test", [stash, doubled], {"places": 3})
    outputs = [stash, back, over]
    for output in outputs:
        builder.addOutputTensor(output)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, outputs), device)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    written: list[np.ndarray] = []
    for run in range(5):
        written.append(floats(2, 3) + run)
        session.run(popir.PyStepIO({"x": written[-1]}, anchors))
        for age in range(min(run + 1, 3)):
            np.testing.assert_array_equal(anchors[stash][(run - age) % 3], written[run - age])
        np.testing.assert_array_equal(anchors[back], written[-1])
        np.testing.assert_array_equal(anchors[over], written[-1])


def test_places_of_a_stash(library: Library, tmp_path: Path) -> None:
    isolated(check_places, library("lowerings"), cwd=tmp_path)


def check_flip(library: str) -> None:
    ctypes.CDLL(library)
    for groups in (1, 2):
        w = floats(4, 3, 2, 5)
        y, gradients, weights = results("Flip", {"w": w}, "w", groups=groups)
        split = w.reshape(groups, 4 // groups, 3, 2, 5)[..., ::-1, ::-1]
        np.testing.assert_array_equal(
            y, split.swapaxes(1, 2).reshape(3 * groups, 4 // groups, 2, 5)
        )
        back = weights.reshape(groups, 3, 4 // groups, 2, 5)[..., ::-1, ::-1]
        np.testing.assert_array_equal(gradients["w"], back.swapaxes(1, 2).reshape(4, 3, 2, 5))


def test_weights_that_are_flipped(library: Library, tmp_path: Path) -> None:
    isolated(check_flip, library("lowerings"), cwd=tmp_path)


def check_signed(library: str) -> None:
    ctypes.CDLL(library)
    for name in ("Signed31", "Signed22", "Signed33"):
        x = floats(3, 4)
        y, _, _ = results(name, {"x": x})
        expected = torch.nn.functional.softsign(torch.tensor(x)).numpy()
        np.testing.assert_allclose(y, expected, rtol=1e-6, err_msg=name)
    said = refusal(popir.popart_exception, results, "SignedNone", {"x": floats(3)})
    assert "the class of its Opx has no grow()" in said


def check_times(library: str) -> None:
    ctypes.CDLL(library)
    a, b = floats(3, 4), floats(4)
    y, _, _ = results("Times", {"a": a, "b": b})
    np.testing.assert_array_equal(y, a * b)


@pytest.mark.parametrize("check", [check_signed, check_times])
def test_element_wise_lowerings_of_each_interface(
    library: Library, tmp_path: Path, check: object
) -> None:
    isolated(check, library("lowerings"), cwd=tmp_path)  # type: ignore[arg-type]
