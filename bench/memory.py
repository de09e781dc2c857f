"""Memory: the resident set of a runtime beyond its import, against onnxruntime and PyTorch.

    python -m bench.memory                     every row
    python -m bench.memory ResNet              rows whose names have one of these words
    python -m bench.memory --json FILE         the figures as JSON too

Each runtime has a process of its own. Counted is from after its import, with the input loaded:
what is resident after creation, the peak of creation, what is resident after ten runs, and the
peak up to then. Bytes of weights stand beside. Inference is against onnxruntime, a training step
(half the mean square, plain SGD, as in bench.training) against PyTorch.
"""

from __future__ import annotations

import gc
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import inference, peers, training
from bench.report import Report, measurement

RUNS = 10
MIB = 1 << 20
ROWS = {
    "ResNet-18, batch 8": ("inference", "ResNet-18, batch 8"),
    "ResNet-50, batch 1": ("inference", "ResNet-50, batch 1"),
    "4 BERT-base layers, 128 tokens": ("inference", "4 BERT-base layers, 128 tokens"),
    "ResNet-18, batch 8, training": ("training", "ResNet-18, batch 8"),
    "2 transformer blocks, training": ("training", "2 transformer blocks, width 256, 8 x 128"),
    "small convnet, batch 64, training": ("training", "small convnet, batch 64"),
}
"""For each name the measurement that has the network, and its name there."""
PEERS = {"inference": "onnxruntime", "training": "torch"}
COLUMNS = ("after creation", "peak of creation", "after runs", "peak")


def resident(key: str = "VmRSS") -> float:
    """MiB of this process now, or with "VmHWM" the most since `forget_peak`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {key}: this measurement needs Linux.")


def forget_peak() -> None:
    """Begins a new peak."""
    Path("/proc/self/clear_refs").write_text("5")


def worker(kind: str, peer: str, name: str, folder: str) -> None:
    """Prints MiB for each of COLUMNS."""
    importlib.import_module(peer)
    if peer == "torch":
        importlib.import_module("bench.networks")
    make = creator(kind, peer, name, Path(folder))
    gc.collect()
    before = resident()
    forget_peak()
    run = make()
    found = [resident(), resident("VmHWM")]
    for _ in range(RUNS):
        run()
    found += [resident(), resident("VmHWM")]
    print(json.dumps([each - before for each in found]))


def creator(kind: str, peer: str, name: str, folder: Path) -> Callable[[], Callable[[], object]]:
    """What creates the session; its input is loaded before."""
    if kind == "training":
        if peer == "popir":
            return lambda: training.of_popir(folder)
        return lambda: training.of_torch(*training.made(name), folder)
    x = np.load(folder / "x.npy")
    return lambda: inference.runner(peer, str(folder / "model.onnx"), "x", "y", x)


def weights_of(file: Path) -> float:
    """MiB of the initializers of a model."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(file)
    return sum(numpy_helper.to_array(t).nbytes for t in model.graph.initializer) / MIB


def measure(kind: str, peer: str, name: str, folder: Path) -> list[float]:
    """In a process of its own."""
    words = [sys.executable, "-W", "ignore", "-m", "bench.memory", "--worker"]
    words += [kind, peer, name, str(folder)]
    done = subprocess.run(words, cwd=peers.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


@measurement()
def main(report: Report) -> None:
    """Measure and print."""
    report.table("network", "runtime", "weights MiB", *COLUMNS)
    for row in filter(report.wants, ROWS):
        kind, name = ROWS[row]
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            (inference if kind == "inference" else training).export(name, folder)
            weights = weights_of(folder / "model.onnx")
            found = {peer: measure(kind, peer, name, folder) for peer in ("popir", PEERS[kind])}
        for peer, values in found.items():
            report.row(row, peer, weights, *values)
        ratios = [b / a for a, b in zip(*found.values(), strict=True)]
        report.row(row, "ratio, the peer's over popir's", None, *ratios)
    report.say("MiB of the resident set beyond that after import. Above 1, popir needs less.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main(sys.argv[1:])
