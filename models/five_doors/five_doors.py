"""One model with an operator of each interface, trained, saved, and loaded in another process.

    python models/five_doors/five_doors.py

x -> Gemm -> LeakyRelu (PopART, C++) -> HalfSquare (Python) -> Scale (TensorFlow on the IPU, device)
  -> Sine (TensorFlow on the IPU, host) -> tanh(y) + y / 4 (an expression) -> soft_clip (XLA)
  -> softsign (Habana's accelerators) -> Gemm -> mean square error
"""

from __future__ import annotations

import math
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir.custom_ops import (
    CustomCallGradient,
    HpuLibrary,
    build_hpu_library,
    build_kernel_library,
    codelet_expression_op,
    cpu_user_operation,
    custom_call,
    precompiled_user_op,
)

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent
ROWS, WIDTH = 32, 16
RATE, STEPS = 0.05, 100
Array = np.ndarray[Any, Any]


def libraries() -> tuple[popir.OpLibrary, HpuLibrary]:
    """Compiles, or finds compiled, and registers everything that the model's operators need;
    returns the two libraries that functions name.
    """
    os.environ.setdefault("POPIR_CACHE", str(MODELS.parent / "build" / "models" / "cache"))
    sys.path.insert(0, str(HERE))
    import square  # noqa: F401  registers HalfSquare

    popir.build_op_library(MODELS / "leaky_relu" / "leaky_relu_custom_op.cpp")
    popir.build_op_library(MODELS / "soft_clip" / "soft_clip.cu")
    softsign = MODELS / "softsign_hpu"
    sources = [softsign / n for n in ("softsign_f32.c", "softsign_grad_f32.c", "glue.cpp")]
    os.environ["GC_KERNEL_PATH"] = str(build_kernel_library(sources, "softsign_kernels").library)
    hpu = build_hpu_library(softsign / "softsign_op.cpp", name="softsign_hpu")
    return popir.build_op_library(HERE / "user_ops.cpp"), hpu


def data() -> tuple[Array, Array]:
    """Inputs [ROWS, 4] and targets [ROWS, 2]."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (ROWS, 4)).astype(np.float32)
    return x, np.stack([x[:, 0] * x[:, 1], np.sin(3 * x[:, 2])], 1).astype(np.float32)


class Model:
    """The model under construction, and the ids of its tensors."""

    def __init__(self, user_ops: popir.OpLibrary, hpu: HpuLibrary) -> None:
        rng = np.random.default_rng(1)
        self.builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
        onnx = self.builder.aiOnnx
        self.x, self.target = (
            self.builder.addInputTensor("FLOAT", [ROWS, n], name)
            for n, name in ((4, "x"), (2, "target"))
        )
        self.weights = [
            self.builder.addInitializedInputTensor(
                (0.5 * rng.standard_normal(shape)).astype(np.float32), debugContext=name
            )
            for name, shape in (("w1", (4, WIDTH)), ("b1", (WIDTH,)), ("w2", (WIDTH, 2)))
        ]
        w1, b1, w2 = self.weights
        shape = [ROWS, WIDTH]
        outs = {"output_types": [np.float32], "output_shapes": [shape]}
        y = onnx.gemm([self.x, w1, b1])
        y = onnx.leakyrelu([y], alpha=0.1)  # the library's, in place of popir's own
        (y,) = self.builder.customOp("HalfSquare", 1, "com.acme", [y])
        factor = {"attributes": "0.8", "gradient_attributes": "0.8"}
        (y,) = precompiled_user_op([y], user_ops, outs=outs, op_name="Scale", **factor)
        (y,) = cpu_user_operation([y], user_ops, outs=outs, op_name="Sine")
        y = codelet_expression_op(lambda v: np.tanh(v) + v / 4, y)
        y = custom_call(
            "soft_clip",
            [y],
            ("float32", shape),
            opaque=struct.pack("=qf", math.prod(shape), 1.5),
            api_version=3,
            gradient=CustomCallGradient("soft_clip_grad", ["operand 0", "gradient 0"]),
        )
        y = hpu.softsign_hpu(y, gradient="SoftsignHpuGrad", gradient_inputs=["grad:0", "in:0"])
        self.y = onnx.matmul([y, w2])
        error = onnx.sub([self.y, self.target])
        self.loss = onnx.reducemean([onnx.mul([error, error])], keepdims=False)
        self.builder.addOutputTensor(self.y)
        self.builder.addOutputTensor(self.loss)


def training_session(model: Model, rate: float, anchors: list[str]) -> popir.TrainingSession:
    """A session with plain SGD."""
    session = popir.TrainingSession(
        model.builder.getModelProto(),
        popir.DataFlow(1, anchors),
        model.loss,
        popir.ConstSGD(rate),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    session.weightsFromHost()
    return session


def stepped(session: popir.Session) -> dict[str, Array]:
    """The anchors after one step on the data."""
    x, target = data()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x, "target": target}, anchors))
    return anchors


def worst_gradient(model: Model) -> float:
    """The largest difference between gradients of the first layer's weights and central
    differences of the loss, over the largest gradient.
    """
    session = training_session(model, 0.0, [model.loss, popir.reservedGradientPrefix() + "w1"])
    values = {"w1": np.empty((4, WIDTH), np.float32)}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(values))
    gradient = stepped(session)[popir.reservedGradientPrefix() + "w1"]
    difference, worst = 3e-3, 0.0
    for place in np.ndindex(gradient.shape):
        losses: list[float] = []
        for sign in (1, -1):
            moved = {"w1": values["w1"].copy()}
            moved["w1"][place] += sign * difference
            session.writeWeights(popir.PyWeightsIO(moved))
            session.weightsFromHost()
            losses.append(float(stepped(session)[model.loss]))
        slope = (losses[0] - losses[1]) / (2 * difference)
        worst = max(worst, abs(slope - float(gradient[place])))
    return worst / float(np.abs(gradient).max())


def outputs(file: str) -> Array:
    """What a saved model computes from the data."""
    y = popir.Builder(file).getOutputTensorIds()[0]
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(file, popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    return stepped(session)[y]


def main() -> None:
    """Checks the gradients, trains, saves, and compares with what another process computes."""
    model = Model(*libraries())
    print(f"gradients: {worst_gradient(model):.1e} from differences of the loss")
    session = training_session(model, RATE, [model.loss])
    losses = [float(stepped(session)[model.loss]) for _ in range(STEPS)]
    print(f"loss: {losses[0]:.4f} at first, {losses[-1]:.4f} after {STEPS} steps")
    session.weightsToHost()
    with tempfile.TemporaryDirectory() as folder:
        file, found = f"{folder}/model.onnx", f"{folder}/y.npy"
        session.modelToHost(file)
        subprocess.run([sys.executable, __file__, file, found], check=True)
        same = np.array_equal(np.load(found), outputs(file))
    print(f"another process computes {'the same bits' if same else 'something else'}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        libraries()
        np.save(sys.argv[2], outputs(sys.argv[1]))
    else:
        main()
