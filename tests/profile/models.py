"""Profiles of small models that the tests of this folder share."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import popir
from popir.profile import Profile

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 &amp; 'x'"
"""A name that would run, if a page took it for more than text."""


def session(
    batch: int = 16,
    loss: bool = False,
    name: str = "fc",
    off_chip: bool = False,
    **options: object,
) -> Any:
    """Two dense layers on eight tiles; with `loss` a step of training; with `off_chip` the weights
    are in streaming memory. Prepared.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    random = np.random.default_rng(0)
    x = builder.addInputTensor("FLOAT", [batch, 64], "x")
    h = x
    for i in range(2):
        w = builder.addInitializedInputTensor(
            random.standard_normal((64, 64)).astype(np.float32), f"w{i}"
        )
        h = builder.aiOnnx.relu([builder.aiOnnx.matmul([h, w], f"layer{i}/{name}")], f"relu{i}")
    p = builder.aiOnnx.softmax([h], axis=1, debugContext="probabilities")
    builder.addOutputTensor(p)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 8, **options})
    # Its layers would become one function, whose operators stand there once.
    flags = popir.SessionOptions(
        engineOptions={"debug.allowOutOfMemory": "true"}, enableOutlining=False
    )
    if off_chip:
        where = popir.TensorLocationSettings(popir.TensorStorage.OffChip)
        flags.weightTensorLocationSettings = where
    if loss:
        labels = builder.addInputTensor("INT32", [batch], "labels")
        target = builder.aiGraphcore.nllloss([p, labels], debugContext="loss")
        flow, how = popir.DataFlow(1, [target]), popir.ConstSGD(0.1)
        made: Any = popir.TrainingSession(
            builder.getModelProto(), flow, target, how, device, userOptions=flags
        )
    else:
        flow = popir.DataFlow(1, [p])
        made = popir.InferenceSession(builder.getModelProto(), flow, device, userOptions=flags)
    made.prepareDevice(loadEngine=False)
    return made


def profile(**options: Any) -> Profile:
    """The profile of such a session."""
    return session(**options).getProfile()


def changed(profile: Profile, **at: Any) -> Any:
    """A copy of a profile's data with other values: `changed(p, memory__fullest_tile=9)`."""
    data = json.loads(profile.json())
    for place, value in at.items():
        *path, last = place.split("__")
        part = data
        for key in path:
            part = part[int(key) if key.isdigit() else key]
        part[int(last) if last.isdigit() else last] = value
    return data
