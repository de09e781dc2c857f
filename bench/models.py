"""Whole image classifiers at batch 1 on two threads, against onnxruntime.

    python -m bench.models                    SqueezeNet and ResNet-50
    python -m bench.models all                all nine light models
    python -m bench.models resnet50 vgg19     by name
    python -m bench.models --realtime ...     each turn at real-time priority (as root)

Weights are random (models/light.py). A third runtime is popir without fusion. The ratio is that of
the least times, onnxruntime's over popir's: above 1, popir is faster; beside it, the middle half of
the ratios of single turns. The outputs must agree.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx

from bench import inference, peers

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


def measure(name: str, realtime: bool) -> str:
    """One line of the table."""
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
    ours, unfused, theirs = (min(times) for times in zip(*turns, strict=True))
    low, _, high = statistics.quantiles([t[2] / t[0] for t in turns], n=4)
    return (
        f"| {name} | {1e3 * ours:.2f} | {1e3 * unfused:.2f} | {1e3 * theirs:.2f} "
        f"| {theirs / ours:.2f} | {low:.2f} to {high:.2f} |"
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and print."""
    from models import light

    realtime = "--realtime" in arguments
    names = [name for name in arguments if name != "--realtime"]
    print("| model | popir ms | unfused ms | onnxruntime ms | ratio | of single turns |")
    print("|---" * 6 + "|")
    for name in light.NAMES if names == ["all"] else names or USUAL:
        print(measure(name, realtime), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
