"""Networks in 8-bit integers against onnxruntime on two threads, as its tools quantize them.

    python -m bench.quantized                     every row
    python -m bench.quantized BERT QDQ            rows whose names have one of these words
    python -m bench.quantized --realtime          each turn at real-time priority (as root)
    python -m bench.quantized --json FILE         the figures as JSON too

Some of the networks of `bench.inference`, in three forms: QDQ, the operators of floats between
DequantizeLinear and QuantizeLinear, with scales by channel; QOperator, QLinearConv and the like;
and dynamic, where matrix products alone take integers, whose scales are found in each run. The
results of the two may differ by less than quantization changes them.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)

from bench import inference, peers
from bench.report import Report, measurement

FORMS = ("QDQ", "QOperator", "dynamic")
NETWORKS = {
    "ResNet-50, batch 1": FORMS[:2],
    "MobileNetV2": FORMS[:2],
    "VGG, 4 layers": FORMS[:2],
    "MLP batch 256": FORMS,
    "4 BERT-base layers, 128 tokens": FORMS,
    "4 GPT layers, 64 tokens": FORMS,
    "ViT, width 192": FORMS,
}
"""onnxruntime takes ten times as long as in floats for dynamic convolutions, so there are none."""
ROWS = {
    f"{network}, {form}": (network, form) for network, forms in NETWORKS.items() for form in forms
}


def start(peer: str, name: str, folder: Path) -> Callable[[], np.ndarray]:
    """A run of the quantized model in the folder; its first result is written there."""
    x = np.load(folder / "x.npy")
    run = inference.runner(peer, str(folder / "quantized.onnx"), "x", "y", x)
    np.save(folder / f"{peer}.npy", run())
    return run


class _Once(CalibrationDataReader):
    """The input that the tools calibrate with."""

    def __init__(self, x: np.ndarray) -> None:
        self.left = [{"x": x}]

    def get_next(self) -> Any:
        """One input, then None."""
        return self.left.pop() if self.left else None


def prepare(name: str, folder: Path) -> None:
    """Writes the row's model, in floats and quantized, its input, and the result in floats."""
    from onnxruntime.quantization.shape_inference import quant_pre_process

    network, form = ROWS[name]
    inference.export(network, folder)
    model, quantized = folder / "prepared.onnx", folder / "quantized.onnx"
    logging.disable(logging.WARNING)
    quant_pre_process(str(folder / "model.onnx"), str(model))
    if form == "dynamic":
        quantize_dynamic(model, quantized)
    else:
        quantize_static(
            *(model, quantized, _Once(np.load(folder / "x.npy"))),
            quant_format=QuantFormat[form],
            per_channel=form == "QDQ",
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
    logging.disable(logging.NOTSET)
    inference.start("onnxruntime", network, folder)
    (folder / "onnxruntime.npy").rename(folder / "floats.npy")


def agree(name: str, folder: Path) -> None:
    """Raises AssertionError if the results differ more than those of quantization and of floats."""
    ours, theirs, floats = (
        np.load(folder / f"{each}.npy").astype(float) for each in ("popir", "onnxruntime", "floats")
    )
    error = np.abs(theirs - floats)
    assert np.abs(ours - theirs).mean() <= error.mean() + 1e-6, name
    assert np.abs(ours - floats).mean() <= 1.1 * error.mean() + 1e-6, name


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    import tempfile

    found: list[peers.Result] = []
    report.table("network", *peers.Result.columns("onnxruntime")[:-1])
    for name in filter(report.wants, ROWS):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            prepare(name, folder)
            found.append(peers.compare("quantized", "onnxruntime", name, folder, report.realtime))
            agree(name, folder)
        report.row(name, *found[-1].cells()[:-1])
    if len(found) > 1:
        report.say(peers.summary(found))


if __name__ == "__main__":
    main(sys.argv[1:])
