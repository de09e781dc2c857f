"""Whole image classifiers at batch 1 on two threads, against onnxruntime.

    python -m bench.models                    SqueezeNet and ResNet-50
    python -m bench.models all                all nine light models
    python -m bench.models resnet50 vgg19     by name
    python -m bench.models --realtime ...     each turn at real-time priority (as root)

Weights are random (models/light.py). A third runtime is popir without fusion. A ratio is
onnxruntime's time over popir's: above 1, popir is faster. The outputs must agree.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx

from bench import inference, peers
from bench.report import Report, measurement

PEERS = ("popir", "popir unfused", "onnxruntime")
USUAL = ["squeezenet", "resnet50"]
RTOL, ATOL = 1e-3, 1e-5


def start(peer: str, name: str, folder: Path) -> Callable[[], np.ndarray]:
    """A run of the model in the folder; its first result is written there."""
    from models import light

    file = folder / "model.onnx"
    model = onnx.load(file)
    id, shape = light.image_input(model)
    image = np.random.default_rng(1).standard_normal(shape, np.float32)
    run = inference.runner(peer, str(file), id, model.graph.output[0].name, image)
    np.save(folder / f"{peer}.npy", run())
    return run


def measure(name: str, realtime: bool) -> tuple[float | None, ...]:
    """The cells of a row of the table."""
    from models import light

    model = light.randomized(light.path(name))
    model.graph.output[0].name = light.logits(model)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        onnx.save(model, folder / "model.onnx")
        turns = peers.turns("models", PEERS, name, folder, realtime)
        results = [np.load(folder / f"{peer}.npy") for peer in PEERS]
    expected = results[-1]
    for result in results:
        np.testing.assert_allclose(
            result.ravel(), expected.ravel(), RTOL, ATOL * float(np.abs(expected).max())
        )
    ours, unfused, theirs = zip(*turns, strict=True)
    return (1e3 * min(unfused), *peers.Result.of(ours, theirs).cells()[:-1])


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    from models import light

    words = report.asked.words
    report.table("model", "unfused ms", *peers.Result.columns("onnxruntime")[:-1])
    for name in light.NAMES if words == ["all"] else words or USUAL:
        report.row(name, *measure(name, report.realtime))


if __name__ == "__main__":
    main(sys.argv[1:])
