"""Whole image classifiers at batch 1 on two threads, against onnxruntime.

    python -m bench.models                    SqueezeNet and ResNet-50
    python -m bench.models all                all nine light models
    python -m bench.models resnet50 vgg19     by name
    python -m bench.models --realtime ...     each turn at real-time priority (as root)

Weights are random (models/light.py). Each runtime is in a process of its own and they take turns,
a few runs at a time, so that other load meets both. The ratio is that of the least times, popir's
over onnxruntime's: below 1, popir is faster; beside it, the middle half of the ratios of single
turns. The outputs must agree.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
PEERS = ("popir", "popir unfused", "onnxruntime")
USUAL = ["squeezenet", "resnet50"]
THREADS = 2
TURNS, TURN_SECONDS, LEAST_RUNS = 15, 0.05, 2
RTOL, ATOL = 1e-3, 1e-5


def set_priority(realtime: bool) -> None:
    """Of all threads of this process."""
    policy, priority = (os.SCHED_FIFO, 1) if realtime else (os.SCHED_OTHER, 0)
    for thread in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # it has ended since
            os.sched_setscheduler(int(thread), policy, os.sched_param(priority))


def worker(peer: str, name: str, output: str, realtime: str) -> None:
    """For each line of stdin, runs the model a few times and prints the least seconds."""
    from models import light

    model = light.randomized(light.path(name))
    model.graph.output[0].name = light.logits(model)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    id, shape = light.image_input(model)
    image = np.random.default_rng(1).standard_normal(shape, np.float32)
    run = popir_run if peer.startswith("popir") else onnxruntime_run
    once = run(model.SerializeToString(), id, image, peer)
    np.save(output, once())
    for _ in sys.stdin:
        if realtime:
            set_priority(True)
        times: list[float] = []
        while len(times) < LEAST_RUNS or sum(times) < TURN_SECONDS:
            start = time.perf_counter()
            once()
            times.append(time.perf_counter() - start)
        if realtime:
            set_priority(False)
        print(min(times), flush=True)


def popir_run(model: bytes, id: str, image: NDArray[np.float32], peer: str):
    """A function that runs the model and gives its output."""
    import onnx

    import popir

    out = onnx.load_from_string(model).graph.output[0].name
    options = popir.SessionOptions()
    fuse = "false" if peer.endswith("unfused") else "true"
    options.engineOptions = {"host.numThreads": str(THREADS), "host.fuse": fuse}
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(model, popir.DataFlow(1, [out]), device, userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    io = popir.PyStepIO({id: image}, anchors)

    def once() -> NDArray[np.float32]:
        session.run(io)
        return anchors[out]

    return once


def onnxruntime_run(model: bytes, id: str, image: NDArray[np.float32], peer: str):
    """The same by onnxruntime, with its defaults but for the number of threads."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {id: image})[0]


class Worker:
    """One runtime with one model."""

    def __init__(self, peer: str, name: str, output: Path, realtime: bool) -> None:
        worker = ["-m", "bench.models", "--worker", peer, name, str(output)]
        command = [sys.executable, *worker, "realtime" if realtime else ""]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )

    def seconds(self) -> float:
        """Of one run, the least of a turn."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def measure(name: str, realtime: bool) -> str:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder) / f"{i}.npy" for i in range(len(PEERS))]
        workers = [
            Worker(peer, name, out, realtime) for peer, out in zip(PEERS, outputs, strict=True)
        ]
        for each in workers:
            each.seconds()
        turns = [[each.seconds() for each in workers] for _ in range(TURNS)]
        for each in workers:
            each.process.communicate()
        results = [np.load(output) for output in outputs]
    expected = results[-1]
    for result in results:
        np.testing.assert_allclose(
            result.ravel(), expected.ravel(), RTOL, ATOL * float(np.abs(expected).max())
        )
    ours, unfused, theirs = (min(times) for times in zip(*turns, strict=True))
    low, _, high = statistics.quantiles([t[0] / t[2] for t in turns], n=4)
    return (
        f"| {name} | {1e3 * ours:.2f} | {1e3 * unfused:.2f} | {1e3 * theirs:.2f} "
        f"| {ours / theirs:.2f} | {low:.2f} to {high:.2f} |"
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
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main(sys.argv[1:])
