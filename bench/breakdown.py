"""Where the time goes: popir's time by type of operator, and its dearest instructions.

    python -m bench.breakdown                     every row
    python -m bench.breakdown ResNet-50           rows whose names have one of these words
    python -m bench.breakdown --realtime          at real-time priority (as root)
    python -m bench.breakdown --json FILE         the figures as JSON too

From the engine's own clock (`host.profile`), which is read after each instruction of the plan. What
one step of a fused program does for several operators is filed under all of them ("Conv+Relu").
Types below one per cent are added up. "limit" is what the machine needs at least (bench.limits).
Two threads.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench import inference, limits, peers, training
from bench.report import Report, measurement

RUNS, DEAREST = 30, 5
ROWS = {
    "ResNet-50, batch 1": ("inference", "ResNet-50, batch 1"),
    "4 BERT-base layers, 128 tokens": ("inference", "4 BERT-base layers, 128 tokens"),
    "ResNet-18, batch 8, training": ("training", "ResNet-18, batch 8"),
    "2 transformer blocks, training": ("training", "2 transformer blocks, width 256, 8 x 128"),
}
"""For each name the measurement that has the network, and its name there."""


def limit(kind: str, name: str, realtime: bool) -> float:
    """Seconds that the machine needs at least."""
    work = (inference if kind == "inference" else training).work(name)
    return limits.seconds(*work, realtime)


def profile(kind: str, name: str, realtime: bool) -> Any:
    """The session's host profile of RUNS runs."""
    import popir

    options = popir.SessionOptions()
    options.engineOptions = {"host.numThreads": str(peers.THREADS), "host.profile": "true"}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (inference if kind == "inference" else training).export(name, folder)
        x, model = np.load(folder / "x.npy"), str(folder / "model.onnx")
        device = popir.DeviceManager().createCpuDevice()
        flow = popir.DataFlow(1, ["y" if kind == "inference" else "loss"])
        if kind == "inference":
            session: Any = popir.InferenceSession(model, flow, device, userOptions=options)
        else:
            rate = popir.ConstSGD(training.RATE)
            session = popir.TrainingSession(model, flow, "loss", rate, device, userOptions=options)
    session.prepareDevice()
    if kind == "training":
        session.weightsFromHost()
    io = popir.PyStepIO({"x": x}, session.initAnchorArrays())
    session.run(io)
    before = session.getHostProfile()
    peers.set_priority(realtime)
    for _ in range(RUNS):
        session.run(io)
    peers.set_priority(False)
    return session.getHostProfile().since(before)


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    for row in filter(report.wants, ROWS):
        found = profile(*ROWS[row], report.realtime)
        report.table(row, "ms of a run", "%")
        rest = 0.0
        for kind, seconds in found.byType().items():
            share = seconds / found.seconds
            if share < 0.01:
                rest += seconds
            else:
                report.row(kind, 1e3 * seconds / RUNS, 100 * share)
        report.row("other types", 1e3 * rest / RUNS, 100 * rest / found.seconds)
        report.row("all", 1e3 * found.seconds / RUNS, 100.0)
        least = limit(*ROWS[row], report.realtime)
        report.row("limit", 1e3 * least, 100 * least * RUNS / found.seconds)
        dearest = sorted(found.instructions, key=lambda each: -each.seconds)[:DEAREST]
        lines = [
            f"{1e3 * e.seconds / RUNS:.2f} ms, {e.type}, {e.operator}: {e.what}" for e in dearest
        ]
        report.say("Dearest instructions:\n- " + "\n- ".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
