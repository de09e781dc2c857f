"""A custom operator, from its source to a trained model: `make run`.

Compiles an operator library written for PopART, loads it, trains a classifier of handwritten digits
whose activations are that operator, and compares the trained model, written as ONNX and read again,
with onnxruntime. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from digits.classifier import ALPHA, Classifier
from digits.data import Digits, load
from leaky_relu.build_library import build
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

import popir

BATCH = 32
OUT = Path(__file__).resolve().parents[1] / "build" / "models"
console = Console(stderr=False, highlight=False, soft_wrap=True)


def custom_activation(builder: popir.Builder, x: str) -> str:
    """LeakyRelu by its identifier: whoever defines that operator."""
    return builder.customOp(
        opName="LeakyRelu",
        opVersion=6,
        domain="ai.onnx",
        inputs=[x],
        attributes={"alpha": ALPHA},
    )[0]


def define_activation(kind: str) -> None:
    """Brings the operator in: a C++ library, a Python module, or popir's own."""
    if kind == "cpp":
        library = build(OUT)
        console.print(f"compiled {library.name}")
        ctypes.cdll.LoadLibrary(str(library))
    elif kind == "python":
        importlib.import_module("leaky_relu.leaky_relu_custom_op")


def train(digits: Digits, epochs: int, rate: float) -> tuple[popir.TrainingSession, Classifier]:
    """Trains for some rounds through all images, a step of the session for each round."""
    model = Classifier(BATCH, custom_activation)
    batches = len(digits.labels) // BATCH
    proto = model.training_model()
    session = popir.TrainingSession(
        fnModel=proto,
        dataFlow=popir.DataFlow(batches, [model.loss]),
        loss=model.loss,
        optimizer=popir.ConstSGD(rate),
        deviceInfo=popir.DeviceManager().createIpuModelDevice({}),
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    random = np.random.default_rng(2)
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.4f}"),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("training", total=epochs, loss=float("nan"))
        for _ in range(epochs):
            order = random.permutation(len(digits.labels))[: batches * BATCH]
            inputs = {model.images: digits.images[order], model.labels: digits.labels[order]}
            session.run(popir.PyStepIO(inputs, anchors))
            progress.update(task, advance=1, loss=float(anchors[model.loss].mean()))
    return session, model


def readWeights(session: popir.TrainingSession, model: Classifier) -> dict[str, np.ndarray]:
    """The weights on the device."""
    weights = {id: np.empty_like(value) for id, value in model.weights.items()}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(weights))
    return weights


def predict(model: Any, images: np.ndarray, batch: int) -> np.ndarray:
    """The probabilities that popir computes."""
    ids = Classifier(batch, custom_activation)
    session = popir.InferenceSession(
        model, popir.DataFlow(1, [ids.probabilities]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({ids.images: images}, anchors))
    return anchors[ids.probabilities]


def export(weights: dict[str, np.ndarray], batch: int, file: Path) -> None:
    """Writes the model without its loss, for batches of one size."""
    model = Classifier(batch, custom_activation)
    session = popir.InferenceSession(
        model.inference_model(),
        popir.DataFlow(1, [model.probabilities]),
        popir.DeviceManager().createCpuDevice(),
    )
    session.writeWeights(popir.PyWeightsIO(weights))
    session.modelToHost(str(file))


def main() -> int:
    """Does all of it; 1 if a result is not as good as it has to be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--activation", choices=["cpp", "python", "builtin"], default="cpp")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.1, help="the learning rate")
    parser.add_argument("--weights", type=Path, help="also write the trained weights, as .npz")
    given = parser.parse_args()
    began = time.perf_counter()

    define_activation(given.activation)
    training, test = load()
    session, model = train(training, given.epochs, given.rate)
    weights = readWeights(session, model)
    if given.weights:
        np.savez(given.weights, **weights)

    file = OUT / "digits.onnx"
    OUT.mkdir(parents=True, exist_ok=True)
    export(weights, len(test.labels), file)
    ours = predict(str(file), test.images, len(test.labels))
    other = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    (theirs,) = other.run(None, {other.get_inputs()[0].name: test.images})
    accuracy = float((ours.argmax(1) == test.labels).mean())
    difference = float(np.abs(ours - theirs).max())
    console.print(f"accuracy on {len(test.labels)} held-out images: {accuracy:.4f}")
    console.print(f"{file.name}: largest difference from onnxruntime {difference:.2e}")

    report = session.getReport()
    cycles = report.cycles // (len(training.labels) // BATCH)
    console.print(
        f"simulated {report.target}, {report.tiles} tiles: about {cycles} cycles a training step "
        f"of {BATCH} images, {report.maxTileBytes} bytes on the fullest tile"
    )
    for line in report.counts:
        console.print(f"  {line}")
    result = {
        "accuracy": accuracy,
        "max_abs_diff_onnxruntime": difference,
        "cycles_per_step": cycles,
        "max_tile_bytes": report.maxTileBytes,
        "seconds": round(time.perf_counter() - began, 2),
    }
    print(json.dumps(result), flush=True)
    return 0 if accuracy >= 0.97 and difference <= 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
