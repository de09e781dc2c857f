"""Codelets that come with an operator: by the path of a source, or as text in the library."""

import ctypes
from pathlib import Path

import numpy as np

import popir
from popir import TensorInfo
from tests.popart.graphs import refusal
from tests.popart.libraries import isolated


def shifted(x: np.ndarray, *by: float, **attributes: int) -> np.ndarray:
    """`x` with each number added by an operator of its own."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    kind = {"f": "FLOAT", "e": "FLOAT16"}[x.dtype.char]
    y = builder.addInputTensor(TensorInfo(kind, list(x.shape)), "x")
    for number in by:
        given = {"by": number, **attributes}
        (y,) = builder.customOp("Shift", 1, "test.codelets", [y], given)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    return anchors[y]


def check(library: str) -> None:
    ctypes.CDLL(library)
    x = np.random.default_rng(0).standard_normal((7, 5))
    for dtype, close in (np.float32, 1e-6), (np.float16, 2e-3):
        for embedded in 0, 1:
            given = x.astype(dtype)
            found = shifted(given, 1.5, 2.0, 0.25, embedded=embedded)
            np.testing.assert_allclose(found, given + dtype(3.75), rtol=close, atol=close)
    kind = popir.errors.poplar_application_runtime_error
    said = refusal(kind, shifted, x.astype(np.float32), -1.0)
    assert "no way back" in said and "Shift<float>" in said, said
    np.testing.assert_allclose(shifted(x.astype(np.float32), 1.0), x + 1, rtol=1e-5, atol=1e-6)


def test_codelets_of_an_operator(library) -> None:
    path = library("codelets")
    isolated(check, path, cwd=Path(path).parent)  # where the source that it names lies
