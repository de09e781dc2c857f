"""Hours of training and of making and dropping sessions: `python -m tests.soak --minutes 120`.

The memory of the process must stay flat. One session trains the whole time; beside it others are
made, run and dropped, in rounds of equal work: training and inference, on the host and on the
simulated machine, saved and loaded again, shared by threads, refused. Each minute prints what the
process holds. After a quarter of the time it may grow by `SLACK` at most.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir.backend import PopirBackend
from tests.fuzz.graphs import OTHER_WAYS, make
from tests.models import Array, step, training_session

BATCH = 8
SLACK = 4 << 20
"""Bytes: fragments of the heap come and go; a leak of one small session a minute is more."""
GRAPHS = 50
"""So many random graphs, in turn."""


class Network:
    """Convolution, batch normalisation, dropout, two dense layers, a loss; its inputs."""

    def __init__(self) -> None:
        random = np.random.default_rng(1)
        builder = popir.Builder()
        onnx = builder.aiOnnxOpset11

        def weight(*shape: int) -> str:
            value = (random.standard_normal(shape) * 0.1).astype(np.float32)
            return builder.addInitializedInputTensor(value)

        images = builder.addInputTensor("FLOAT", [BATCH, 1, 8, 8], "images")
        labels = builder.addInputTensor("INT32", [BATCH], "labels")
        x = onnx.conv([images, weight(16, 1, 3, 3), weight(16)], pads=[1, 1, 1, 1])
        ones = [builder.addInitializedInputTensor(np.ones(16, np.float32)) for _ in range(2)]
        x = onnx.batchnormalization([x, ones[0], weight(16), weight(16), ones[1]], 5)[0]
        x = onnx.dropout([onnx.relu([x])], 1, 0.1)[0]
        x = onnx.gemm([onnx.flatten([x]), weight(1024, 64), weight(64)])
        self.logits = onnx.gemm([onnx.tanh([x]), weight(64, 10), weight(10)])
        builder.addOutputTensor(self.logits)
        self.inference = builder.getModelProto()
        probabilities = onnx.softmax([self.logits])
        self.loss = builder.aiGraphcore.nllloss([probabilities, labels])
        builder.addOutputTensor(self.loss)
        self.training = builder.getModelProto()
        self.inputs: dict[str, Array] = {
            "images": random.random((BATCH, 1, 8, 8), np.float32),
            "labels": random.integers(0, 10, BATCH).astype(np.int32),
        }

    def trained(self, device: Any = None, **options: Any) -> popir.TrainingSession:
        """A session that trains it, prepared, with its weights on the device."""
        session = popir.TrainingSession(
            self.training,
            popir.DataFlow(1, [self.loss]),
            self.loss,
            popir.SGD({"defaultLearningRate": (0.01, False), "defaultMomentum": (0.9, True)}),
            device or popir.DeviceManager().createCpuDevice(),
            userOptions=popir.SessionOptions(**options),
        )
        session.prepareDevice()
        session.weightsFromHost()
        return session

    def inferred(self, **options: Any) -> popir.InferenceSession:
        """A session that infers, prepared."""
        session = popir.InferenceSession(
            self.inference,
            popir.DataFlow(1, [self.logits]),
            popir.DeviceManager().createCpuDevice(),
            userOptions=popir.SessionOptions(**options),
        )
        session.prepareDevice()
        return session


class Rounds:
    """Equal work, again and again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.network = Network()
        self.longest = self.network.trained()
        self.count = 0

    def train(self) -> None:
        """Some steps of the session that lives as long as the process."""
        for _ in range(200):
            step(self.longest, self.network.inputs)
        self.longest.weightsToHost()

    def on_the_machine(self) -> None:
        """A training session on the simulated machine, with its reports."""
        device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 16})
        session = self.network.trained(device)
        step(session, self.network.inputs)
        session.getReport()
        session.getProfile()

    def saved(self) -> None:
        """A trained model goes out and comes in again; an engine comes from a cache."""
        path = self.folder / "trained.onnx"
        session = self.network.trained(
            enableEngineCaching=True, cachePath=str(self.folder / "cache")
        )
        step(session, self.network.inputs)
        session.modelToHost(path)
        session.resetHostWeights(path)
        training_session(str(path), self.network.loss)

    def shared(self) -> None:
        """An inference session of two threads."""
        session = self.network.inferred(enableOutlining=True)
        images = {"images": self.network.inputs["images"]}
        threads = [threading.Thread(target=step, args=(session, images)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def backend(self) -> None:
        """A model of onnx's backend interface, at another batch size each time."""
        program, _ = make("soak", self.count % GRAPHS)
        PopirBackend.prepare(program.model()).run(program.inputs)

    def random(self) -> None:
        """A random graph, in one of the ways to run it."""
        program, _ = make("soak", self.count % GRAPHS)
        OTHER_WAYS[self.count % len(OTHER_WAYS)].run(program)

    def refused(self) -> None:
        """Sessions that cannot be made, and steps that cannot be run."""
        for wrong in (b"", b"\0" * 100, self.network.training[:-100]):
            self.fails(lambda wrong=wrong: popir.Builder(wrong))
        session = self.network.inferred()
        self.fails(lambda: step(session, {}))
        self.fails(lambda: step(session, {"images": np.zeros((1, 2), np.float32)}))

    def fails(self, call: Callable[[], object]) -> None:
        """Calls what must raise popir's error."""
        try:
            call()
        except popir.PopirError:
            return
        raise AssertionError("accepted")

    def round(self) -> None:
        """Each kind of work once."""
        works = (self.train, self.on_the_machine, self.saved, self.shared, self.random)
        for work in (*works, self.backend, self.refused):
            try:
                work()
            except popir.PopirError:
                if work not in (self.random, self.backend):  # a graph may be one that is refused
                    raise
        self.count += 1


def held() -> int:
    """Bytes of anonymous memory that the process holds: pages of files come and go with what other
    processes need.
    """
    gc.collect()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (anonymous,) = (line for line in lines if line.startswith("RssAnon:"))
    return int(anonymous.split()[1]) * 1024


def main() -> int:
    """Returns 1 if memory grew."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--share", type=float, default=1.0, help="of the time, to work in")
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    readings: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        rounds = Rounds(Path(folder))
        start = said = time.monotonic()
        while (now := time.monotonic()) - start < 60 * given.minutes:
            rounds.round()
            time.sleep((time.monotonic() - now) * (1 / given.share - 1))
            if time.monotonic() - said >= 60 or not readings:
                said = time.monotonic()
                readings.append(held())
                line = f"{(said - start) / 60:.0f} min, {rounds.count} rounds: {readings[-1]} bytes"
                print(line, flush=True)
    quarter = len(readings) // 4
    grown = max(readings[-quarter or -1 :]) - max(readings[: 2 * quarter][quarter:] or readings[:1])
    print(f"grown by {grown} bytes since the second quarter, {SLACK} allowed")
    return 1 if grown > SLACK else 0


if __name__ == "__main__":
    sys.exit(main())
