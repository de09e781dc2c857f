"""A training step of an MLP against PyTorch: 784-512-512-10, batch 64, softmax, nll, plain SGD.

    python -m bench.mlp_training [--realtime] [--json FILE]

Each peer has a process and two threads of its own; they take turns with the same data and the same
initial weights; losses and weights of the first round are compared. A session of popir runs the
batches of a round in one step, or in a step each; PyTorch, eager, runs the usual loop. Both read a
new batch from host memory each time and hand out every loss. A ratio is PyTorch's time over
popir's: above 1, popir is faster. With --realtime (as root) each round runs at real-time priority,
with a pause after it: on a machine that others use, two threads are else hardly ever at work
together.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench import peers
from bench.report import Report, measurement

ROOT = Path(__file__).resolve().parents[1]
THREADS, BATCH, BATCHES, ROUNDS, RATE, SLOPE = 2, 64, 20, 15, 0.05, 0.01
SIZES = (784, 512, 512, 10)
ACTIVATIONS = ("relu", "leakyrelu")
PEERS = ("torch", "popir", "popir, a step each")
PAUSE = 0.1
"""Seconds for everybody else after a round at real-time priority."""
SECONDS = 30
"""After so long no more rounds begin, but three there are."""


def data() -> tuple[np.ndarray, np.ndarray]:
    """Images [batches, batch, 784] and labels [batches, batch], int32, that depend on them."""
    random = np.random.default_rng(1)
    images = random.standard_normal((BATCHES, BATCH, SIZES[0])).astype(np.float32)
    labels = (images @ random.standard_normal((SIZES[0], SIZES[-1])).astype(np.float32)).argmax(-1)
    return images, labels.astype(np.int32)


def initial() -> list[np.ndarray]:
    """The weights [inputs, outputs] and biases of each layer."""
    random = np.random.default_rng(2)
    found = []
    for fan_in, fan_out in zip(SIZES, SIZES[1:], strict=False):
        w = random.standard_normal((fan_in, fan_out)) * np.sqrt(2 / fan_in)
        found += [w.astype(np.float32), np.zeros(fan_out, np.float32)]
    return found


def of_popir(activation: str, per_step: int):
    """Two functions: one round, which returns its losses; the weights."""
    import popir

    builder = popir.Builder()
    onnx = builder.aiOnnxOpset11
    x = images = builder.addInputTensor("FLOAT", [BATCH, SIZES[0]])
    labels = builder.addInputTensor("INT32", [BATCH])
    ids = [builder.addInitializedInputTensor(value) for value in initial()]
    for layer in range(len(SIZES) - 1):
        x = onnx.gemm([x, *ids[2 * layer : 2 * layer + 2]])
        if layer < len(SIZES) - 2:
            x = onnx.relu([x]) if activation == "relu" else onnx.leakyrelu([x], alpha=SLOPE)
    loss = builder.aiGraphcore.nllloss([onnx.softmax([x]), labels])
    options = popir.SessionOptions()
    options.engineOptions = {"host.numThreads": str(THREADS)}
    session = popir.TrainingSession(
        fnModel=builder.getModelProto(),
        dataFlow=popir.DataFlow(per_step, [loss]),
        loss=loss,
        optimizer=popir.ConstSGD(RATE),
        deviceInfo=popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    x, y = data()
    steps = [
        popir.PyStepIO({images: x[at], labels: y[at]}, anchors)
        for i in range(0, BATCHES, per_step)
        for at in [slice(i, i + per_step) if per_step > 1 else i]
    ]

    def run() -> np.ndarray:
        losses = []
        for step in steps:
            session.run(step)
            losses.append(anchors[loss].copy())
        return np.array(losses).reshape(-1)

    def weights() -> list[np.ndarray]:
        found = {id: np.empty_like(value) for id, value in zip(ids, initial(), strict=True)}
        session.weightsToHost()
        session.readWeights(popir.PyWeightsIO(found))
        return [found[id] for id in ids]

    return run, weights


def of_torch(activation: str):
    """The same of PyTorch."""
    import torch

    torch.set_num_threads(THREADS)
    layers: list[torch.nn.Module] = []
    values = initial()
    for layer, (fan_in, fan_out) in enumerate(zip(SIZES, SIZES[1:], strict=False)):
        linear = torch.nn.Linear(fan_in, fan_out)
        linear.weight.data.copy_(torch.from_numpy(values[2 * layer].T))
        linear.bias.data.copy_(torch.from_numpy(values[2 * layer + 1]))
        layers += [linear]
        if layer < len(SIZES) - 2:
            layers += [torch.nn.ReLU() if activation == "relu" else torch.nn.LeakyReLU(SLOPE)]
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, fused=True)  # its fastest
    x, y = data()
    images, labels = torch.from_numpy(x), torch.from_numpy(y.astype(np.int64))

    def run() -> np.ndarray:
        losses = []
        for image, label in zip(images, labels, strict=True):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(image), label)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return torch.stack(losses).numpy()

    return run, lambda: [p.detach().numpy().T for p in model.parameters()]


def hurry(on: bool) -> None:
    """Real-time priority, or the usual one. Threads inherit that of who makes them."""
    policy = os.SCHED_FIFO if on else os.SCHED_OTHER
    os.sched_setscheduler(0, policy, os.sched_param(int(on)))


def worker(peer: str, activation: str, file: str, realtime: bool) -> None:
    """Saves the losses and weights of one round; then, for each line of stdin, prints the seconds
    of another.
    """
    hurry(realtime)
    if peer == "torch":
        run, weights = of_torch(activation)
    else:
        run, weights = of_popir(activation, BATCHES if peer == "popir" else 1)
    np.savez(file, run(), *weights())
    hurry(False)
    print("ready", flush=True)
    for _ in sys.stdin:
        hurry(realtime)
        start = time.perf_counter()
        run()
        seconds = time.perf_counter() - start
        hurry(False)
        print(seconds, flush=True)
        time.sleep(PAUSE * realtime)


class Worker:
    """The process of one peer."""

    def __init__(self, peer: str, activation: str, folder: str, realtime: bool) -> None:
        self.file = Path(folder) / f"{PEERS.index(peer)}.npz"
        module = ["-m", "bench.mlp_training", "--worker", peer, activation, str(self.file)]
        module += ["--realtime"] * realtime
        self.process = subprocess.Popen(
            [sys.executable, *module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": str(THREADS)},
        )
        self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args!r} ended early")
        return line

    def round(self) -> float:
        """The seconds of one round."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self._line())

    def result(self) -> list[np.ndarray]:
        """The losses of the first round, and the weights after it."""
        self.process.communicate()
        with np.load(self.file) as saved:
            return [saved[name] for name in saved.files]


def check(peer: str, mine: list[np.ndarray], theirs: list[np.ndarray]) -> None:
    """Losses agree to 1e-4; weights to a hundredth of the way that they have gone, since rounding
    alone may turn a unit off or on.
    """
    np.testing.assert_allclose(mine[0], theirs[0], rtol=1e-4, err_msg=f"losses of {peer}")
    for a, b, start in zip(mine[1:], theirs[1:], initial(), strict=True):
        off, moved = np.linalg.norm(a - b), np.linalg.norm(b - start)
        assert off <= 0.01 * moved, f"weights of {peer}: {off} off, torch's have moved by {moved}"


def compare(activation: str, report: Report) -> None:
    """Measures and reports the rows of one activation."""
    with tempfile.TemporaryDirectory() as folder:
        workers = [Worker(peer, activation, folder, report.realtime) for peer in PEERS]
        times, end = [], time.perf_counter() + SECONDS
        while len(times) < 3 or (len(times) < ROUNDS and time.perf_counter() < end):
            times.append([w.round() / BATCHES for w in workers])
        expected, *others = [w.result() for w in workers]
    theirs, *columns = zip(*times, strict=True)
    for peer, column, result in zip(PEERS[1:], columns, others, strict=True):
        check(peer, result, expected)
        report.row(f"{activation}, {peer}", *peers.Result.of(column, theirs).cells("us")[:-1])


@measurement(realtime=True)
def main(report: Report) -> None:
    """Print the ratios; losses and weights agree, or an error says where not."""
    report.table("a batch", *peers.Result.columns("torch", "us")[:-1])
    for activation in filter(report.wants, ACTIVATIONS):
        compare(activation, report)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        peer, activation, file = sys.argv[2:5]
        worker(peer, activation, file, "--realtime" in sys.argv)
    else:
        main(sys.argv[1:])
