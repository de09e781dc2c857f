"""Networks that replicas train, by PyTorch on the whole batch, and as models of parts of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

from tests.networks.exported import CLASSES, LENGTH, WORDS, Encoder, exported, made
from tests.networks.test_training_step import with_loss
from tests.replicas.training import ROWS, STEPS, Array

Data = dict[str, Array]


class Network:
    """A network, its data [STEPS, ROWS, ...], and what PyTorch makes of it."""

    def __init__(self, module: torch.nn.Module, data: Data, model: Callable[[int], Any]) -> None:
        self.module, self.data = module, data
        self.models = {rows: model(rows) for rows in (ROWS, ROWS // 2, ROWS // 4)}
        """The serialised models for batches of so many rows."""

    def losses(self) -> Array:
        """The losses of the large batch by PyTorch, on one thread: they are small."""
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            return self._losses()
        finally:
            torch.set_num_threads(threads)

    def _losses(self) -> Array:
        module = copy.deepcopy(self.module)
        optimizer = torch.optim.SGD(module.parameters(), 0.05, 0.8)
        losses: list[float] = []
        for n in range(STEPS):
            x, labels = (torch.tensor(rows[n]) for rows in self.data.values())
            optimizer.zero_grad()
            scores = module(x)
            loss = F.cross_entropy(scores.flatten(0, -2), labels.flatten().long())
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return np.array(losses)


def mlp() -> Network:
    """Two layers."""
    torch.manual_seed(1)
    module = torch.nn.Sequential(torch.nn.Linear(8, 24), torch.nn.Tanh(), torch.nn.Linear(24, 4))
    x = np.random.default_rng(2).standard_normal([STEPS, ROWS, 8]).astype(np.float32)
    labels = x[..., :4].argmax(-1).astype(np.int32)
    weights = {name: w.detach().numpy().copy() for name, w in module.named_parameters()}

    def model(rows: int) -> bytes:
        gemm = {"transB": 1}
        nodes = [
            helper.make_node("Gemm", ["x", "0.weight", "0.bias"], ["h"], **gemm),
            helper.make_node("Tanh", ["h"], ["a"]),
            helper.make_node("Gemm", ["a", "2.weight", "2.bias"], ["scores"], **gemm),
        ]
        graph = helper.make_graph(
            nodes,
            "mlp",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [rows, 8])],
            [],
            [numpy_helper.from_array(w, name) for name, w in weights.items()],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        return with_loss(made, "scores", [rows, 4]).SerializeToString()

    return Network(module, {"x": x, "labels": labels}, model)


def transformer(folder: Path) -> Network:
    """Two blocks of attention."""
    module = made(Encoder)
    random = np.random.default_rng(3)
    words = random.integers(0, WORDS, [STEPS, ROWS, LENGTH])
    labels = random.integers(0, CLASSES, [STEPS, ROWS, LENGTH]).astype(np.int32)

    def model(rows: int) -> bytes:
        found = exported(module, torch.tensor(words[0, :rows]), False, folder)
        (end,) = (value.name for value in found.graph.output)
        return with_loss(found, end, [rows * LENGTH, CLASSES]).SerializeToString()

    first = exported(module, torch.tensor(words[0]), False, folder).graph.input[0].name
    return Network(module, {first: words, "labels": labels}, model)
