"""The example models/soft_clip."""

import sys

import numpy as np
import pytest

import popir
from tests.foreign.xla.models import run
from tests.toolchain import ROOT

FOLDER = ROOT / "models" / "soft_clip"


def test_both_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    import soft_clip  # pyright: ignore[reportMissingImports]

    popir.build_op_library(FOLDER / "soft_clip.cu")
    host, device = soft_clip.trained("Host"), soft_clip.trained("CUDA")
    assert host == device
    assert host[-1] < host[0] / 10
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [300]))
    y = soft_clip.soft_clip(x, [300], 0.5, "CUDA")
    builder.addOutputTensor(y)
    values = np.linspace(-3, 3, 300, dtype=np.float32)
    (found,) = run(builder.getModelProto(), {x: values}, [y])
    np.testing.assert_allclose(found, 0.5 * np.tanh(values / 0.5), rtol=1e-6)
    del sys.modules["soft_clip"]
