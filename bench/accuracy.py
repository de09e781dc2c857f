"""Errors of popir and onnxruntime against float64, on networks, products and convolutions.

    python -m bench.accuracy                     every row
    python -m bench.accuracy BERT                rows whose names have one of these words
    python -m bench.accuracy --json FILE         the figures as JSON too

An error is the root of the mean square of the differences from what PyTorch computes in float64,
over that of the values. A ratio is onnxruntime's error over popir's: above 1 popir is nearer.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench import inference
from bench.contraction import error
from bench.report import Report, measurement

PEERS = ("popir", "onnxruntime")
PRODUCTS = [(1, 768, 3072), (64, 512, 512), (128, 3072, 768), (256, 64, 256), (512, 4096, 128)]
CONVOLUTIONS = [
    (3, 64, 224, 7, 2, 1),
    (64, 64, 56, 3, 1, 1),
    (512, 512, 7, 3, 1, 1),
    (256, 256, 14, 1, 1, 1),
    (192, 192, 28, 3, 1, 192),
]
"""Channels in and out, height and width, kernel, stride, groups."""


def modules() -> Iterator[tuple[str, object, object]]:
    """The name of each row, its module of PyTorch and its input."""
    import torch
    from torch import nn

    from bench import networks

    for m, k, n in PRODUCTS:
        torch.manual_seed(0)
        yield f"product {m} x {k} x {n}", nn.Linear(k, n, bias=False).eval(), torch.randn(m, k)
    for i, o, size, kernel, stride, groups in CONVOLUTIONS:
        torch.manual_seed(0)
        one = nn.Conv2d(i, o, kernel, stride, kernel // 2, groups=groups, bias=False).eval()
        what = f"convolution {i} x {size}^2 to {o}, {kernel}^2 / {stride}"
        yield what + f" in {groups} groups" * (groups > 1), one, torch.randn(1, i, size, size)
    for name in networks.ROWS:
        yield name, *networks.made(name)


def errors(network: object, x: object) -> list[float]:
    """Of popir and of onnxruntime."""
    import torch

    assert isinstance(network, torch.nn.Module) and isinstance(x, torch.Tensor)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        inference.write(network, x, folder)
        given = np.load(folder / "x.npy")
        model = str(folder / "model.onnx")
        found = [inference.runner(peer, model, "x", "y", given)().copy() for peer in PEERS]
    with torch.no_grad():
        exact = network.double()(x.double()).numpy()
    return [error(each.astype(np.float64), exact) for each in found]


@measurement()
def main(report: Report) -> None:
    """Measure and print."""
    report.table("row", "popir's error", "onnxruntime's", "ratio")
    ratios: list[float] = []
    for name, network, x in modules():
        if report.wants(name):
            ours, theirs = errors(network, x)
            ratios.append(theirs / ours)
            report.row(name, ours, theirs, ratios[-1])
    if len(ratios) > 1:
        mean, least = statistics.geometric_mean(ratios), min(ratios)
        report.say(f"Geometric mean of ratios {mean:.2f}, least {least:.2f}.")


if __name__ == "__main__":
    main(sys.argv[1:])
