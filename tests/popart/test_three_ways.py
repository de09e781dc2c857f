"""One operator, built in, as a C++ library and in Python: the same results to the last bit, by the
same instructions.
"""

import ctypes
import hashlib
import runpy
from pathlib import Path

import numpy as np
import onnx

import popir
from popir import AnchorReturnType, DataFlow, DeviceManager, TensorInfo
from popir.ir.graph import called_graphs
from tests.popart.libraries import isolated
from tests.toolchain import ROOT

PYTHON = ROOT / "models" / "leaky_relu" / "leaky_relu_custom_op.py"


def check_training(source: str) -> None:
    """Prints who defined the operator, and a digest of losses and weights after some steps and of
    what kind of instructions the engine runs for them.
    """
    if source.endswith(".so"):
        ctypes.cdll.LoadLibrary(source)
    elif source:
        runpy.run_path(source)
    rng = np.random.default_rng(0)
    builder = popir.Builder()
    opset = builder.aiOnnxOpset11
    x = builder.addInputTensor(TensorInfo("FLOAT", [8, 16]))
    target = builder.addInputTensor(TensorInfo("FLOAT", [8, 16]))
    h = x
    for i in range(3):
        w = builder.addInitializedInputTensor(rng.normal(0, 0.4, (16, 16)).astype("f4"), f"w{i}")
        h = opset.matmul([h, w])
        h = builder.customOp("LeakyRelu", 6, "ai.onnx", [h], {"alpha": 0.1})[0]
    error = opset.sub([h, target])
    loss = builder.aiGraphcore.identityloss([opset.mul([error, error])])
    session = popir.TrainingSession(
        builder.getModelProto(),
        DataFlow(1, {loss: AnchorReturnType("All"), h: AnchorReturnType("All")}),
        loss,
        popir.ConstSGD(0.1),
        DeviceManager().createCpuDevice(),
    )
    ops = [op for graph in called_graphs(session.graph) for op in graph.ops.values()]
    used = {op.source for op in ops if op.opid.type.startswith("LeakyRelu")}
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    plan = session._engine.planText()
    digest = hashlib.sha256(" ".join(line.split()[0] for line in plan.splitlines()).encode())
    losses = []
    for _ in range(20):
        data = rng.normal(0, 1, (8, 16)).astype("f4")
        session.run(popir.PyStepIO({x: data, target: data[:, ::-1].copy()}, anchors))
        digest.update(anchors[loss].tobytes() + anchors[h].tobytes())
        losses.append(float(anchors[loss]))
    assert np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5])
    session.modelToHost("trained.onnx")
    for weight in sorted(onnx.load("trained.onnx").graph.initializer, key=lambda w: w.name):
        digest.update(onnx.numpy_helper.to_array(weight).tobytes())
    print(*used, digest.hexdigest())


def test_the_same_bits(library, tmp_path: Path) -> None:
    ways = {"built in": "", "python": str(PYTHON)}
    cpp = library("leaky_relu_custom_op")
    ways[cpp] = cpp
    said = {
        who: isolated(check_training, source, cwd=tmp_path).strip().rpartition(" ")
        for who, source in ways.items()
    }
    assert {who: used for who, (used, _, _) in said.items()} == {who: who for who in ways}
    assert len({digest for _, _, digest in said.values()}) == 1
