"""Where the time goes: popir's time by type of operator, and its dearest instructions.

    python -m bench.breakdown                     every row
    python -m bench.breakdown ResNet-50           rows whose names have one of these words
    python -m bench.breakdown --realtime          at real-time priority (as root)
    python -m bench.breakdown --json FILE         the figures as JSON too

From the engine's own clock (`host.profile`), which is read after each instruction of the plan. What
one step of a fused program does for several operators is filed under all of them ("Conv+Relu"); an
operator and its gradients have one name and are filed together ("MatMul/MatMulLhsGrad"), told apart
by the kind of instruction where that differs. Rows below one per cent are added up. "limit" is what
the machine needs at least (bench.limits). Two threads.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
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
        sums: Counter[tuple[str, str]] = Counter()
        for each in found.instructions:
            sums[each.type, each.what.split()[0]] += each.seconds
        sums_shown = [(key, s) for key, s in sums.most_common() if s >= found.seconds / 100]
        rest = found.seconds - sum(s for _, s in sums_shown)
        least = RUNS * limit(*ROWS[row], report.realtime)
        report.table(row, "instruction", "ms of a run", "%")
        for (kind, what), seconds in sums_shown:
            report.row(kind, what, 1e3 * seconds / RUNS, 100 * seconds / found.seconds)
        for name, seconds in (("others", rest), ("all", found.seconds), ("limit", least)):
            report.row(name, None, 1e3 * seconds / RUNS, 100 * seconds / found.seconds)
        dearest = sorted(found.instructions, key=lambda each: -each.seconds)[:DEAREST]
        lines = [
            f"{1e3 * e.seconds / RUNS:.2f} ms, {e.type}, {e.operator}: {e.what}" for e in dearest
        ]
        report.say("Dearest instructions:\n- " + "\n- ".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
