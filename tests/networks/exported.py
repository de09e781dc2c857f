"""A transformer encoder and an LSTM of PyTorch, exported in both ways that it has."""

from __future__ import annotations

import warnings
from pathlib import Path

import onnx
import torch
from torch import nn

WORDS, LENGTH, CLASSES = 50, 12, 10


class Encoder(nn.Module):
    """Words [batch, LENGTH] to logits [batch, LENGTH, CLASSES], by two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, 32)
        self.positions = nn.Parameter(torch.empty(1, LENGTH, 32))
        layer = nn.TransformerEncoderLayer(
            32, 4, 64, dropout=0.0, activation="gelu", batch_first=True
        )
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, CLASSES)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(self.words(words) + self.positions))


class Recurrent(nn.Module):
    """[batch, time, 16] to logits of each step, and the last states, by two layers both ways."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(16, 24, 2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(48, CLASSES)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        y, (hidden, cell) = self.lstm(x)
        return self.head(y), hidden, cell


def made(kind: type[nn.Module]) -> nn.Module:
    """The module with random weights, biases and factors too, so that all of them tell."""
    torch.manual_seed(0)
    module = kind().eval()
    with torch.no_grad():
        for name, weight in module.named_parameters():
            is_factor = "norm" in name and name.endswith("weight")
            weight.copy_((1.0 if is_factor else 0.0) + 0.2 * torch.randn_like(weight))
    return module


def exported(module: nn.Module, given: torch.Tensor, dynamo: bool, folder: Path) -> onnx.ModelProto:
    """The module as ONNX: by the exporter's default, or without `dynamo` by tracing, opset 17."""
    file = folder / "exported.onnx"
    options = (
        {"dynamo": True, "verbose": False} if dynamo else {"dynamo": False, "opset_version": 17}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (given,), str(file), **options)
    return onnx.load(file)
