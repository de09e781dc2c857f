"""An operator for Habana's accelerators, from its TPC-C kernels to a model that is trained with it.

    python models/softsign_hpu/softsign.py

With TensorFlow on an accelerator one would write `lib = htf.load_op_library(path)`, call
`lib.softsign_hpu(x)` inside a tf.function, and register the gradient by tf.RegisterGradient.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import popir
from popir import custom_ops

HERE = Path(__file__).parent


def libraries() -> custom_ops.HpuLibrary:
    """Compiles both libraries. The kernels are found by GC_KERNEL_PATH."""
    sources = [HERE / "softsign_f32.c", HERE / "softsign_grad_f32.c", HERE / "glue.cpp"]
    kernels = custom_ops.build_kernel_library(sources, "softsign_kernels")
    os.environ["GC_KERNEL_PATH"] = str(kernels.library)
    return custom_ops.build_hpu_library(HERE / "softsign_op.cpp", name="softsign_hpu")


def softsign(lib: custom_ops.HpuLibrary, x: str) -> str:
    """The operator with its gradient, which reads the gradient of y, and x."""
    gradient = {"gradient": "SoftsignHpuGrad", "gradient_inputs": ["grad:0", "in:0"]}
    return lib.softsign_hpu(x, **gradient)


def main() -> None:
    """Fits a curve by a network with one hidden layer, and prints the loss before and after."""
    lib = libraries()
    rng = np.random.default_rng(0)
    x = np.linspace(-2, 2, 64, dtype=np.float32).reshape(64, 1)
    target = np.sin(2 * x)
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    inputs = [builder.addInputTensor("FLOAT", [64, 1], name) for name in ("x", "target")]
    weights = [
        builder.addInitializedInputTensor(rng.standard_normal(shape).astype(np.float32))
        for shape in ((1, 32), (32,), (32, 1))
    ]
    hidden = softsign(lib, builder.aiOnnx.gemm([inputs[0], weights[0], weights[1]]))
    error = builder.aiOnnx.sub([builder.aiOnnx.matmul([hidden, weights[2]]), inputs[1]])
    loss = builder.aiOnnx.reducemean([builder.aiOnnx.mul([error, error])], keepdims=False)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        loss,
        popir.ConstSGD(0.02),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    losses: list[float] = []
    for _ in range(200):
        session.run(popir.PyStepIO({"x": x, "target": target}, anchors))
        losses.append(float(anchors[loss]))
    print(f"loss: {losses[0]:.3f} before, {losses[-1]:.3f} after 200 steps")


if __name__ == "__main__":
    main()
