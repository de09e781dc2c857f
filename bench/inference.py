"""Networks against onnxruntime on two threads: the rows of `bench.networks`.

    python -m bench.inference                     every row
    python -m bench.inference BERT U-Net          rows whose names have one of these words
    python -m bench.inference --realtime          each turn at real-time priority (as root)
    python -m bench.inference --json FILE         the figures as JSON too

The models are what PyTorch's exporter writes at opset 17. Outputs must agree with onnxruntime's.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import peers


def start(peer: str, name: str, folder: Path) -> Callable[[], None]:
    """A run of the model in the folder; its first result is written there."""
    x = np.load(folder / "x.npy")
    run = (popir_run if peer == "popir" else onnxruntime_run)(str(folder / "model.onnx"), x)
    np.save(folder / f"{peer}.npy", run())
    return run


def popir_run(model: str, x: np.ndarray) -> Callable[[], np.ndarray]:
    """A function that runs the model and gives its output."""
    import popir

    options = popir.SessionOptions()
    options.engineOptions = {"host.numThreads": str(peers.THREADS)}
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(model, popir.DataFlow(1, ["y"]), device, userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    io = popir.PyStepIO({"x": x}, anchors)

    def once() -> np.ndarray:
        session.run(io)
        return anchors["y"]

    return once


def onnxruntime_run(model: str, x: np.ndarray) -> Callable[[], np.ndarray]:
    """The same by onnxruntime, with its defaults but for the number of threads."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = peers.THREADS
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(["y"], {"x": x})[0]


def export(name: str, folder: Path) -> None:
    """Writes the model and its input."""
    import torch

    from bench import networks

    network, x = networks.made(name)
    with torch.no_grad():
        torch.onnx.export(
            *(network, (x,), str(folder / "model.onnx")),
            input_names=["x"],
            output_names=["y"],
            opset_version=17,
            dynamo=False,
        )
    np.save(folder / "x.npy", x.numpy())


def agree(folder: Path, half: bool) -> None:
    """Raises AssertionError if the results of the two differ."""
    ours, theirs = (
        np.load(folder / f"{peer}.npy").astype(float) for peer in ("popir", "onnxruntime")
    )
    tolerance = 2e-2 if half else 1e-3
    np.testing.assert_allclose(ours, theirs, tolerance, tolerance * np.abs(theirs).max())


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    import warnings

    from bench import networks

    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(prog="bench.inference")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--json")
    asked = parser.parse_args([] if arguments is None else arguments)
    names = [n for n in networks.ROWS if not asked.words or any(w in n for w in asked.words)]
    found: dict[str, peers.Result] = {}
    print("| model | popir ms | onnxruntime ms | ratio | of single turns |\n|---|---|---|---|---|")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            export(name, Path(folder))
            r = peers.compare("inference", "onnxruntime", name, Path(folder), asked.realtime)
            agree(Path(folder), networks.ROWS[name].half)
        found[name] = r
        times = f"{1e3 * r.popir:.3f} | {1e3 * r.peer:.3f}"
        print(f"| {name} | {times} | {r.ratio:.2f} | {r.low:.2f} to {r.high:.2f} |", flush=True)
    ratios = [r.ratio for r in found.values()]
    if len(ratios) > 1:
        print(f"geometric mean {peers.mean(ratios):.2f}, least {min(ratios):.2f}")
    if asked.json:
        figures = {name: vars(r) | {"ratio": r.ratio} for name, r in found.items()}
        Path(asked.json).write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
