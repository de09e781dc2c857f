"""Who owns what between the compiler and C++ libraries, with AddressSanitizer looking on.

A library's operator, its gradient, and a pattern that replaces one operator by another go through
import, autodiff, training and the end of the process; any use of what is gone ends it at once.
"""

import ctypes
import gc
from pathlib import Path

import numpy as np
import pytest

import popir
from popir import DataFlow, DeviceManager, TensorInfo
from popir.foreign import popart
from tests.popart import guide
from tests.popart.libraries import build, isolated
from tests.popart.test_three_ways import check_training

ADDRESS = "-fsanitize=address"


@pytest.fixture
def sanitized_library(sanitized, tmp_path: Path):
    """Builds a library with AddressSanitizer against the popir that is built with it."""
    config = Path(sanitized["PYTHONPATH"]) / "popir" / "bin" / "popir-config"

    def get(name: str, text: str = "") -> str:
        return str(build(name, tmp_path, config, ADDRESS, "-Wno-unused-parameter", text=text))

    return get


def test_a_librarys_operator(sanitized, sanitized_library, tmp_path: Path) -> None:
    library = sanitized_library("leaky_relu_custom_op")
    assert isolated(check_training, library, cwd=tmp_path, env=sanitized).startswith(library)


@pytest.mark.skipif(guide.document() is None, reason=f"{guide.SEEDS} is not there")
def test_the_guides_operator(sanitized, sanitized_library, tmp_path: Path) -> None:
    document = guide.document()
    assert document is not None
    library = sanitized_library("guides", guide.source(document.read_text(encoding="utf-8")))
    assert isolated(check_training, library, cwd=tmp_path, env=sanitized).startswith(library)


def check_pattern(leaky_relu: str, relu_to_leaky_relu: str) -> None:
    """A chain of Relu becomes one of the library's LeakyRelu, trains, and leaves nothing behind."""
    ctypes.CDLL(leaky_relu)
    ctypes.CDLL(relu_to_leaky_relu)
    builder = popir.Builder()
    opset = builder.aiOnnxOpset11
    x = builder.addInputTensor(TensorInfo("FLOAT", [4, 8]))
    h = opset.mul([x, builder.addInitializedInputTensor(np.ones(8, np.float32))])
    for _ in range(20):
        h = opset.relu([h])
    loss = builder.aiGraphcore.identityloss([h])
    for _ in range(2):
        session = popir.TrainingSession(
            builder.getModelProto(),
            DataFlow(1, [h]),
            loss,
            popir.ConstSGD(0.1),
            DeviceManager().createCpuDevice(),
            patterns=popir.Patterns().enablePattern("ReluToLeakyRelu", True),
            userOptions=popir.SessionOptions(enableOutlining=False),
        )
        sources = [op.source for op in session.graph.ops.values() if "LeakyRelu" in op.opid.type]
        assert sources == [leaky_relu] * 40
        session.prepareDevice()
        session.weightsFromHost()
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({x: np.full((4, 8), -1, np.float32)}, anchors))
        assert (anchors[h] < 0).all()
        assert (anchors[h] > -1e-6).all()
    del session
    gc.collect()
    assert popart.device.liveOps() == 0


def test_a_librarys_pattern(sanitized, sanitized_library, tmp_path: Path) -> None:
    names = sanitized_library("leaky_relu_custom_op"), sanitized_library("relu_to_leaky_relu")
    isolated(check_pattern, *names, cwd=tmp_path, env=sanitized)
