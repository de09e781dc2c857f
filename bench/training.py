"""A training step of networks against PyTorch on two threads.

    python -m bench.training                     every row
    python -m bench.training MLP U-Net           rows whose names have one of these words
    python -m bench.training --realtime          each turn at real-time priority (as root)
    python -m bench.training --json FILE         the figures as JSON too

The loss is half the mean square of the output, the optimizer plain SGD unless the row names
another; both start with the same weights and train on the same input. The losses of the first 50
steps must agree within 1e-4. popir trains what PyTorch's exporter writes at opset 17; PyTorch runs
eagerly, in training mode.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench import peers
from bench.report import Report, measurement

RATE, MOMENTUM, EPSILON, STEPS = 1e-3, 0.9, 1e-6, 50
NETWORKS = {
    "MLP 784-512-512-10, batch 64": ("MLP batch 256", 64),
    "small convnet, batch 64": ("small convnet, batch 64", 64),
    "2 transformer blocks, width 256, 8 x 128": ("blocks", 8),
    "ResNet-18, batch 8": ("ResNet-18, batch 8", 8),
    "BERT-tiny, batch 16": ("BERT-tiny, batch 16", 16),
    "GPT, 1 layer, 4 x 64": ("GPT layer", 4),
    "LSTM 256, 4 x 100": ("LSTM bidirectional 256", 4),
    "GRU 128, batch 8": ("GRU 128, batch 8", 8),
    "U-Net, 4 x 64 x 64": ("small U-Net", 4),
    "MobileNetV2, batch 4": ("MobileNetV2", 4),
    "autoencoder, batch 16": ("autoencoder, batch 4", 16),
    "ConvNeXt, 3 blocks, batch 2": ("ConvNeXt, 3 blocks", 2),
    "ResNeXt, 4 blocks, batch 8": ("ResNeXt, 4 blocks", 8),
    "MLP-Mixer, 4 layers, batch 2": ("MLP-Mixer, 4 layers", 2),
}
"""For each measurement the network of `bench.networks`, and the batch."""
OPTIMIZERS = ("Adam", "momentum")
ROWS = NETWORKS | {
    f"{name}, {optimizer}": NETWORKS[name]
    for name, optimizer in (
        ("MLP 784-512-512-10, batch 64", "Adam"),
        ("GPT, 1 layer, 4 x 64", "Adam"),
        ("BERT-tiny, batch 16", "Adam"),
        ("ResNet-18, batch 8", "momentum"),
        ("autoencoder, batch 16", "momentum"),
    )
}


def made(name: str) -> tuple[Any, Any]:
    """The network in training mode, and an input."""
    import torch

    from bench import networks

    smaller = {
        "blocks": networks.Row(lambda: networks.transformer("vit", 2, 256, 8), (1, 128, 256)),
        "GPT layer": networks.Row(lambda: networks.transformer("gpt", 1, 768, 12), (1, 64, 768)),
        "small U-Net": networks.Row(lambda: networks.UNet(32), (1, 3, 64, 64)),
    }
    torch.manual_seed(0)
    of, batch = ROWS[name]
    row = smaller.get(of) or networks.ROWS[of]
    return row.make().train(), torch.randn(batch, *row.shape[1:])


def start(peer: str, name: str, folder: Path) -> Callable[[], Any]:
    """A training step; the losses of the first are written to the folder."""
    optimizer = optimizer_of(name)
    step = (
        of_popir(folder, optimizer=optimizer)
        if peer == "popir"
        else of_torch(*made(name), folder, optimizer=optimizer)
    )
    return recorded(peer, step, folder)


def optimizer_of(name: str) -> str:
    """The optimizer that a row names."""
    last = name.rpartition(", ")[2]
    return last if last in OPTIMIZERS else "SGD"


def recorded(peer: str, run: Callable[[], Any], folder: Path) -> Callable[[], Any]:
    """The step, after the first ones, whose losses are written to the folder."""
    np.save(folder / f"{peer}.npy", np.array([float(run()) for _ in range(STEPS)]))
    return run


def of_popir(
    folder: Path, threads: int = peers.THREADS, optimizer: str = "SGD"
) -> Callable[[], Any]:
    """A step by a training session on the exported network."""
    import popir

    options = popir.SessionOptions()
    options.engineOptions = {"host.numThreads": str(threads)}
    optimizers: dict[str, Callable[[], Any]] = {
        "SGD": lambda: popir.ConstSGD(RATE),
        "Adam": lambda: popir.Adam({"defaultLearningRate": (RATE, True)}),
        "momentum": lambda: popir.SGD(
            {"defaultLearningRate": (RATE, True), "defaultMomentum": (MOMENTUM, True)}
        ),
    }
    session = popir.TrainingSession(
        fnModel=str(folder / "model.onnx"),
        dataFlow=popir.DataFlow(1, ["loss"]),
        loss="loss",
        optimizer=optimizers[optimizer](),
        deviceInfo=popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    io = popir.PyStepIO({"x": np.load(folder / "x.npy")}, anchors)

    def step() -> Any:
        session.run(io)
        return anchors["loss"]

    return step


def of_torch(
    network: Any, x: Any, folder: Path, threads: int = peers.THREADS, optimizer: str = "SGD"
) -> Callable[[], Any]:
    """The usual loop on a module of PyTorch, with the weights in the folder."""
    import torch

    torch.set_num_threads(threads)
    network.load_state_dict(torch.load(folder / "weights.pt"))
    weights = network.parameters()
    made: Any = {
        "SGD": lambda: torch.optim.SGD(weights, lr=RATE, fused=True),
        "Adam": lambda: torch.optim.Adam(weights, lr=RATE, eps=EPSILON, fused=True),
        "momentum": lambda: torch.optim.SGD(weights, lr=RATE, momentum=MOMENTUM, fused=True),
    }[optimizer]()

    def step() -> Any:
        made.zero_grad()
        loss = network(x).square().mean() / 2
        loss.backward()
        made.step()
        return loss.item()

    return step


def export(name: str, folder: Path) -> None:
    """Writes the row's model with its loss, its weights and its input."""
    write(*made(name), folder)


def write(network: Any, x: Any, folder: Path) -> None:
    """Writes the model of a module of PyTorch with its loss, its weights and an input."""
    import torch
    from torch import nn

    torch.save(network.state_dict(), folder / "weights.pt")

    class WithLoss(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.network(x).square().mean() / 2

    torch.onnx.export(
        *(WithLoss().train(), (x,), str(folder / "model.onnx")),
        input_names=["x"],
        output_names=["loss"],
        opset_version=17,
        dynamo=False,
        training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False,
    )
    np.save(folder / "x.npy", x.numpy())


def agree(name: str, folder: Path) -> None:
    """Raises AssertionError if the losses of the two differ."""
    ours, theirs = (np.load(folder / f"{peer}.npy") for peer in ("popir", "torch"))
    np.testing.assert_allclose(ours, theirs, 1e-4)


def work(name: str) -> tuple[float, float]:
    """The row's operations, and the bytes of input, weights and their gradients."""
    from bench import networks

    return networks.work(*made(name), training=True)


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    peers.table(report, "torch", ROWS, export, agree, work)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
