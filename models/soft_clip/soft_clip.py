"""A layer that is a custom call of XLA, on the host and on the simulated stream of a GPU.

    python models/soft_clip/soft_clip.py

Trains y = soft_clip(x w) for 100 steps on each platform, and prints the losses.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np

import popir
from popir.custom_ops import CustomCallGradient, custom_call

SOURCE = Path(__file__).with_name("soft_clip.cu")


def soft_clip(x: str, shape: list[int], limit: float, platform: str = "Host") -> str:
    """limit * tanh(x / limit), element by element."""
    return custom_call(
        "soft_clip",
        [x],
        ("float32", shape),
        opaque=struct.pack("=qf", math.prod(shape), limit),
        api_version=3,
        platform=platform,
        gradient=CustomCallGradient("soft_clip_grad", ["operand 0", "gradient 0"]),
    )


def trained(platform: str, steps: int = 100) -> list[float]:
    """The loss after each step."""
    random = np.random.default_rng(0)
    data = random.standard_normal((64, 8)).astype(np.float32)
    wanted = np.tanh(data @ random.standard_normal((8, 4))).astype(np.float32)

    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo(data))
    target = builder.addInputTensor(popir.TensorInfo(wanted))
    w = builder.addInitializedInputTensor(np.zeros((8, 4), np.float32))
    y = soft_clip(builder.aiOnnx.matmul([x, w]), [64, 4], 1.5, platform)
    error = builder.aiOnnx.sub([y, target])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([error, error])])
    builder.addOutputTensor(loss)

    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, {loss: popir.AnchorReturnType("All")}),
        loss,
        popir.ConstSGD(0.5),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    losses: list[float] = []
    for _ in range(steps):
        session.run(popir.PyStepIO({x: data, target: wanted}, anchors))
        losses.append(float(anchors[loss]))
    return losses


if __name__ == "__main__":
    popir.build_op_library(SOURCE)
    for each in ("Host", "CUDA"):
        found = trained(each)
        print(f"{each}: loss {found[0]:.4f} at first, {found[-1]:.4f} after {len(found)} steps")
