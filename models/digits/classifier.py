"""The classifier: two convolutions, a pooling, two dense layers, in ONNX's opset 11."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import popir

ALPHA = 0.1


@dataclass
class Classifier:
    """A model for batches of one size, and the ids of its tensors."""

    batch: int
    activation: Callable[[popir.Builder, str], str]
    """Adds one activation to a builder; takes and gives a tensor's id."""
    builder: popir.Builder = field(init=False)
    images: str = field(init=False)
    """[batch, 1, 8, 8], float32"""
    labels: str = field(init=False)
    """[batch], int32"""
    probabilities: str = field(init=False)
    """[batch, 10]"""
    loss: str = field(init=False)
    weights: dict[str, np.ndarray] = field(init=False, default_factory=dict)
    """The initial values, by the ids of the weights."""

    def __post_init__(self) -> None:
        self.builder = popir.Builder()
        self._random = np.random.default_rng(1)
        aiOnnx = self.builder.aiOnnxOpset11
        self.images = self.builder.addInputTensor("FLOAT", [self.batch, 1, 8, 8], "images")
        x = self._convolution(self.images, 1, 16)
        x = self._convolution(x, 16, 32)
        (x,) = aiOnnx.maxpool([x], 1, kernel_shape=[2, 2], strides=[2, 2])
        x = aiOnnx.flatten([x])
        x = self.activation(self.builder, self._dense(x, 32 * 4 * 4, 64))
        self.probabilities = aiOnnx.softmax([self._dense(x, 64, 10)])
        self.builder.addOutputTensor(self.probabilities)

    def inference_model(self) -> bytes:
        """The model up to the probabilities; asked for before `training_model`."""
        return self.builder.getModelProto()

    def training_model(self) -> bytes:
        """The model with its loss."""
        self.labels = self.builder.addInputTensor("INT32", [self.batch], "labels")
        self.loss = self.builder.aiGraphcore.nllloss([self.probabilities, self.labels])
        self.builder.addOutputTensor(self.loss)
        return self.builder.getModelProto()

    def _convolution(self, x: str, inputs: int, outputs: int) -> str:
        w = self._weight(f"conv{inputs}.weight", [outputs, inputs, 3, 3], inputs * 9)
        b = self._weight(f"conv{inputs}.bias", [outputs])
        y = self.builder.aiOnnxOpset11.conv([x, w, b], pads=[1, 1, 1, 1])
        return self.activation(self.builder, y)

    def _dense(self, x: str, inputs: int, outputs: int) -> str:
        w = self._weight(f"dense{inputs}.weight", [inputs, outputs], inputs)
        b = self._weight(f"dense{inputs}.bias", [outputs])
        return self.builder.aiOnnxOpset11.gemm([x, w, b])

    def _weight(self, name: str, shape: list[int], fan_in: int = 0) -> str:
        """A weight as He and others initialise it, or a bias at zero."""
        scale = np.sqrt(2 / fan_in) if fan_in else 0.0
        value = (self._random.standard_normal(shape) * scale).astype(np.float32)
        id = self.builder.addInitializedInputTensor(value, name)
        self.weights[id] = value
        return id
