"""Scaling over batch, width, depth, sequence length and threads, beside onnxruntime and PyTorch.

    python -m bench.scaling                     every row
    python -m bench.scaling batch               rows whose names have one of these words
    python -m bench.scaling --realtime          each turn at real-time priority (as root)
    python -m bench.scaling --json FILE         the figures as JSON too

One size at a time is changed. Inference is against onnxruntime, training (as in bench.training)
against PyTorch.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import inference, limits, peers, training
from bench.report import Report, measurement

PEERS = {"inference": "onnxruntime", "training": "torch"}


@dataclass(frozen=True)
class Point:
    """A network, the shape of its input, threads, and whether its training is measured."""

    make: Callable[[Any], Any]
    """From `bench.networks` to the module."""
    shape: tuple[int, ...]
    threads: int = peers.THREADS
    trains: bool = True

    def made(self, train: bool) -> tuple[Any, Any]:
        """The network and its input."""
        import torch

        from bench import networks

        torch.manual_seed(0)
        return self.make(networks).train(train), torch.randn(self.shape)


def points() -> dict[str, Point]:
    """All sizes, by name."""

    def resnet(n: Any) -> Any:
        return n.resnet([2, 2, 2, 2], False)

    def layers(count: int, width: int = 256) -> Callable[[Any], Any]:
        return lambda n: n.transformer("vit", count, width, width // 64)

    def mlp(width: int) -> Callable[[Any], Any]:
        return lambda n: n.mlp(width, width, width, width)

    found: dict[str, Point] = {}
    for b in (1, 2, 4, 8, 16, 32):
        trains = b >= 8  # over fewer values batch normalization makes rounding errors grow by steps
        found[f"batch {b}: ResNet-18, 64 x 64"] = Point(resnet, (b, 3, 64, 64), trains=trains)
    for b in (1, 4, 16, 64, 256):
        found[f"batch {b}: MLP, width 512"] = Point(mlp(512), (b, 512))
    for w in (64, 256, 1024, 2048):
        found[f"width {w}: MLP, batch 64"] = Point(mlp(w), (64, w))
    for w in (128, 256, 512, 1024):
        found[f"width {w}: transformer layer, 128 tokens"] = Point(layers(1, w), (1, 128, w))
    for d in (1, 2, 4, 8, 16):
        found[f"depth {d}: transformer, width 256, 128 tokens"] = Point(layers(d), (1, 128, 256))
    for length in (16, 64, 256, 1024):
        found[f"length {length}: transformer layer, width 256"] = Point(layers(1), (1, length, 256))
    for t in (1, 2):
        found[f"threads {t}: ResNet-18, 64 x 64, batch 8"] = Point(resnet, (8, 3, 64, 64), t)
        found[f"threads {t}: 2 transformer layers, width 512"] = Point(
            layers(2, 512), (1, 128, 512), t
        )
    return found


POINTS = points()


def start(peer: str, name: str, folder: Path) -> Callable[[], Any]:
    """A run, or a step of training; the first results are written to the folder."""
    kind, _, of = name.partition(", ")
    point = POINTS[of]
    if kind == "inference":
        x = np.load(folder / "x.npy")
        run = inference.runner(peer, str(folder / "model.onnx"), "x", "y", x, point.threads)
        np.save(folder / f"{peer}.npy", run())
        return run
    if peer == "popir":
        return training.recorded(peer, training.of_popir(folder, point.threads), folder)
    step = training.of_torch(*point.made(True), folder, point.threads)
    return training.recorded(peer, step, folder)


def check(kind: str, folder: Path) -> None:
    """Raises AssertionError if the results of the two differ."""
    ours, theirs = (np.load(folder / f"{peer}.npy") for peer in ("popir", PEERS[kind]))
    tolerance = 1e-3 if kind == "inference" else 1e-4
    np.testing.assert_allclose(ours, theirs, tolerance, tolerance * float(np.abs(theirs).max()))


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    from bench import networks

    for kind, peer in PEERS.items():
        measured = [of for of, p in POINTS.items() if kind == "inference" or p.trains]
        names = [name for of in measured if report.wants(name := f"{kind}, {of}")]
        if not names:
            continue
        report.table(kind, *peers.Result.columns(peer))
        found: list[peers.Result] = []
        for name in names:
            of = name.partition(", ")[2]
            point, is_training = POINTS[of], kind == "training"
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                (training if is_training else inference).write(*point.made(is_training), folder)
                found.append(peers.compare("scaling", peer, name, folder, report.realtime))
                check(kind, folder)
            work = networks.work(*point.made(is_training), is_training)
            limit = limits.seconds(*work, report.realtime, point.threads)
            report.row(of, *found[-1].cells(limit=limit))
        if len(found) > 1:
            report.say(peers.summary(found))


if __name__ == "__main__":
    main(sys.argv[1:])
