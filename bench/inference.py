"""Networks against onnxruntime on two threads: the rows of `bench.networks`.

    python -m bench.inference                     every row
    python -m bench.inference BERT U-Net          rows whose names have one of these words
    python -m bench.inference --realtime          each turn at real-time priority (as root)
    python -m bench.inference --halves            the float rows in half
    python -m bench.inference --json FILE         the figures as JSON too

The models are what PyTorch's exporter writes at opset 17. Outputs must agree with onnxruntime's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench import peers
from bench.report import Report, measurement


def start(peer: str, name: str, folder: Path) -> Callable[[], None]:
    """A run of the model in the folder; its first result is written there."""
    run = runner(peer, str(folder / "model.onnx"), "x", "y", np.load(folder / "x.npy"))
    np.save(folder / f"{peer}.npy", run())
    return run


def runner(
    peer: str,
    model: str,
    input: str,
    output: str,
    x: np.ndarray,
    threads: int = peers.THREADS,
    cache: str | None = None,
) -> Callable[[], np.ndarray]:
    """A function that runs the model and gives its output. The peer is popir, "popir unfused",
    "popir on IpuModel", or onnxruntime, with its defaults but for the number of threads. `cache` is
    popir's folder of compiled programs.
    """
    if peer == "onnxruntime":
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        theirs = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return lambda: theirs.run([output], {input: x})[0]
    import popir

    options = popir.SessionOptions()
    fuse = "false" if peer.endswith("unfused") else "true"
    options.engineOptions = {"host.numThreads": str(threads), "host.fuse": fuse}
    if cache is not None:
        options.enableEngineCaching, options.cachePath = True, cache
    manager, flow = popir.DeviceManager(), popir.DataFlow(1, [output])
    is_cpu = not peer.endswith("IpuModel")
    device = manager.createCpuDevice() if is_cpu else manager.createIpuModelDevice()
    if not is_cpu:
        options.engineOptions["debug.allowOutOfMemory"] = "true"
    session = popir.InferenceSession(model, flow, device, userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    io = popir.PyStepIO({input: x}, anchors)

    def once() -> np.ndarray:
        session.run(io)
        return anchors[output]

    return once


def export(name: str, folder: Path) -> None:
    """Writes the row's model and its input."""
    from bench import networks

    write(*networks.made(name), folder)


def write(network: Any, x: Any, folder: Path) -> None:
    """Writes the model of a module of PyTorch, and its input."""
    import torch

    with torch.no_grad():
        torch.onnx.export(
            *(network, (x,), str(folder / "model.onnx")),
            input_names=["x"],
            output_names=["y"],
            opset_version=17,
            dynamo=False,
        )
    np.save(folder / "x.npy", x.numpy())


def agree(name: str, folder: Path) -> None:
    """Raises AssertionError if the results of the two differ."""
    from bench import networks

    ours, theirs = (
        np.load(folder / f"{peer}.npy").astype(float) for peer in ("popir", "onnxruntime")
    )
    tolerance = 2e-2 if (networks.ROWS | networks.HALVES)[name].half else 1e-3
    np.testing.assert_allclose(ours, theirs, tolerance, tolerance * np.abs(theirs).max())


def work(name: str) -> tuple[float, float]:
    """The row's operations, and the bytes of input, output and weights."""
    from bench import networks

    return networks.work(*networks.made(name), training=False)


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    from bench import networks

    rows = networks.HALVES if report.asked.halves else networks.ROWS
    peers.table(report, "onnxruntime", rows, export, agree, work)


main.parser.add_argument("--halves", action="store_true", help="the float rows in half")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
