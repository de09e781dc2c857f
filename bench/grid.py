"""Contractions of 300 random shapes against the better of oneDNN and onnxruntime.

    python -m bench.grid [--realtime] [--shapes N] [--seed S] [--json FILE]

Half of the shapes are matrix products, half are passes of convolutions, with 2e5 to 2e9
floating-point operations. oneDNN is compared within popir, in the same process, as a source of
contractions: its reorders are in its time, but for weights that stay. onnxruntime runs a model of
one node in a process of its own, against popir's session for that model; the two take turns, and
what a call costs is in both. Gradients of convolutions have no model and are compared with oneDNN
alone. Both sources have the same arrays, in turn the same scratch memory, and a run before each
timing. A ratio is the other's time over popir's, the median over turns, with its quartiles. Shapes
below 0.95 are measured again after all others, by new processes and with five times as many turns:
a machine under a hypervisor has states that last longer than a shape's turns. The second figure
counts; both are in the tables.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from bench import peers
from bench.contraction import empty, turned, uniform
from bench.inference import runner
from bench.report import Report, Value, measurement, quartiles
from popir.poplin import contraction

LEAST = 0.95
OTHERS = "oneDNN", "onnxruntime"
TURNS, SECONDS, LONGER = 8, 0.012, 5
FLOPS = 2e5, 2e9
PASSES = ["forward"] * 3 + ["data_gradient", "weights_gradient"]


@dataclass(frozen=True)
class Product:
    """[batch, m, k] x [batch, k, n]; `turned` if the second lies as [n, k]; `kept` if it stays."""

    batch: int
    m: int
    k: int
    n: int
    turned: bool
    kept: bool

    @property
    def flops(self) -> float:
        """Multiplications and additions."""
        return 2.0 * self.batch * self.m * self.k * self.n

    def __str__(self) -> str:
        notes = " turned" * self.turned + " kept" * self.kept
        return f"{self.batch} x {self.m}x{self.k}x{self.n}{notes}"

    def operands(self) -> list[np.ndarray]:
        """Both operands and the result."""
        b = uniform(self.second, 2)
        if self.turned:
            b = turned(b)
        return [uniform((self.batch, self.m, self.k), 1), b, empty(self.result)]

    def prepare(self, source: str, operands: list[np.ndarray]) -> contraction.Prepared:
        """The product by a source of contractions."""
        return contraction.product(*operands, threads=peers.THREADS, source=source)

    @property
    def second(self) -> tuple[int, ...]:
        """The shape of the second operand."""
        return (self.batch, self.k, self.n)

    @property
    def result(self) -> tuple[int, ...]:
        """The shape of the product."""
        return (self.batch, self.m, self.n)

    def model(self) -> tuple[bytes, np.ndarray] | None:
        """A model of one MatMul and its input; None if onnxruntime's would differ."""
        if self.turned or not self.kept:
            return None
        node = helper.make_node("MatMul", ["x", "w"], ["y"])
        shape = (self.batch, self.m, self.k)
        return _model(node, shape, uniform(self.second, 2)), uniform(shape, 1)


@dataclass(frozen=True)
class Convolution:
    """A pass of a convolution of square images; weights stay in the forward pass."""

    which: str
    n: int
    i: int
    o: int
    size: int
    kernel: int
    stride: int
    groups: int

    @property
    def out(self) -> int:
        """The height and width of the result."""
        return (self.size + 2 * (self.kernel // 2) - self.kernel) // self.stride + 1

    @property
    def flops(self) -> float:
        """Multiplications and additions."""
        taps = self.i // self.groups * self.kernel**2
        return 2.0 * self.n * self.o * taps * self.out**2

    @property
    def kept(self) -> bool:
        """Whether the weights stay."""
        return self.which == "forward"

    def __str__(self) -> str:
        groups = f" in {self.groups} groups" if self.groups > 1 else ""
        of = f"{self.n} x {self.i} x {self.size}^2 to {self.o}"
        return f"{self.which} {of}, {self.kernel}^2 / {self.stride}{groups}"

    def operands(self) -> list[np.ndarray]:
        """The image, the weights and the result of the forward pass."""
        shapes = [
            (self.n, self.i, self.size, self.size),
            (self.groups, self.o // self.groups, self.i // self.groups, self.kernel, self.kernel),
            (self.n, self.o, self.out, self.out),
        ]
        return [uniform(shape, i) for i, shape in enumerate(shapes)]

    def prepare(self, source: str, operands: list[np.ndarray]) -> contraction.Prepared:
        """The pass by a source of contractions."""
        return contraction.convolution(
            *(self.which, *operands),
            stride=[self.stride] * 2,
            dilation=[1, 1],
            inDilation=[1, 1],
            padLower=[self.kernel // 2] * 2,
            threads=peers.THREADS,
            source=source,
        )

    def model(self) -> tuple[bytes, np.ndarray] | None:
        """A model of one Conv and its input; None for a gradient."""
        if not self.kept:
            return None
        pads, strides = [self.kernel // 2] * 4, [self.stride] * 2
        node = helper.make_node(
            "Conv", ["x", "w"], ["y"], pads=pads, strides=strides, group=self.groups
        )
        shape = (self.n, self.i, self.size, self.size)
        weights = (self.o, self.i // self.groups, self.kernel, self.kernel)
        return _model(node, shape, uniform(weights, 2)), uniform(shape, 1)


Shape = Product | Convolution


def _model(node: NodeProto, shape: tuple[int, ...], weights: np.ndarray) -> bytes:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "grid", [x], [y], [numpy_helper.from_array(weights, "w")])
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


def shapes(count: int, seed: int) -> list[Shape]:
    """Products and passes of convolutions in turns, the same for one seed."""
    random = np.random.default_rng(seed)

    def size(low: int, high: int) -> int:
        """Between both; small ones as often as large ones, half of them multiples of 16."""
        x = round(math.exp(random.uniform(math.log(low), math.log(high))))
        return max(low, x // 16 * 16) if x >= 32 and random.random() < 0.5 else x

    def product() -> Shape:
        batch = int(random.choice([1, 1, 1, 1, 8, 48]))
        turned, kept = random.random() < 0.3, batch == 1 and random.random() < 0.6
        return Product(batch, size(1, 2048), size(8, 4096), size(8, 4096), turned, kept)

    def convolution() -> Shape:
        kernel, stride = int(random.choice([1, 1, 3, 3, 3, 5, 7])), int(random.choice([1, 1, 2]))
        i, o, groups = size(3, 512), size(8, 512), 1
        kind = random.random()
        if kind < 0.15:  # depthwise
            o = groups = i
        elif kind < 0.25:
            i, o, groups = max(i // 8, 1) * 8, max(o // 8, 1) * 8, 8
        image = int(random.choice([7, 8, 14, 16, 28, 32, 56, 64, 112]))
        batch = int(random.choice([1, 1, 2, 4, 8, 16]))
        which = str(random.choice(PASSES))
        return Convolution(which, batch, i, o, image, kernel, stride, groups)

    found: list[Shape] = []
    while len(found) < count:
        each = product() if len(found) % 2 == 0 else convolution()
        if FLOPS[0] <= each.flops <= FLOPS[1]:
            found.append(each)
    return found


@dataclass(frozen=True)
class Ratio:
    """Another's time over popir's: the median over turns, and the quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, turns: list[list[float]]) -> Ratio:
        """Of turns of our time and theirs."""
        ratios = [theirs / ours for ours, theirs in turns]
        low, median, high = quartiles(ratios)
        return cls(median, low, high)


def against_onednn(shape: Shape, longer: int, realtime: bool) -> Ratio:
    """oneDNN's time over popir's."""
    operands = shape.operands()
    runs = [shape.prepare(source, operands) for source in ("any", "onednn")]
    turns: list[list[float]] = []
    peers.set_priority(realtime)
    try:
        repeats = [_repeats(lambda n, r=run: r.seconds(n, shape.kept)) for run in runs]
        for turn in range(TURNS * longer):
            times = [0.0, 0.0]
            for at in (0, 1) if turn % 2 else (1, 0):  # who comes second finds warmer caches
                times[at] = runs[at].seconds(repeats[at], shape.kept) / repeats[at]
            turns.append(times)
    finally:
        peers.set_priority(False)
    return Ratio.of(turns)


def _repeats(seconds: Callable[[int], float]) -> int:
    seconds(1)
    return max(1, int(SECONDS / max(seconds(1), 1e-7)))


class Worker:
    """A runtime in a process of its own that runs one model after another."""

    def __init__(self, peer: str, realtime: bool) -> None:
        words = [sys.executable, "-W", "ignore", "-m", "bench.grid", "--worker", peer]
        self.process = subprocess.Popen(
            words + ["--realtime"] * realtime,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=peers.ROOT,
        )

    def ask(self, line: str) -> str:
        """Sends a line and waits for the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(line, file=self.process.stdin, flush=True)
        return self.process.stdout.readline()


def serve(peer: str, realtime: bool) -> None:
    """For a line with a model's folder: makes its session. For an empty one: a turn."""
    once: Callable[[], object] = list
    for line in sys.stdin:
        if folder := line.strip():
            x = np.load(Path(folder) / "x.npy")
            once = runner(peer, str(Path(folder) / "model.onnx"), "x", "y", x)
            once()
            print("ready", flush=True)
            continue
        peers.set_priority(realtime)
        times, end = [], time.perf_counter() + SECONDS
        while len(times) < 2 or time.perf_counter() < end:
            start = time.perf_counter()
            once()
            times.append(time.perf_counter() - start)
        peers.set_priority(False)
        print(statistics.median(times), flush=True)


def against_onnxruntime(workers: list[Worker], longer: int) -> Ratio:
    """onnxruntime's time over popir's, of the model that both have."""
    turns: list[list[float]] = []
    for turn in range(TURNS * longer + 1):
        times = [0.0, 0.0]
        for at in (0, 1) if turn % 2 else (1, 0):
            times[at] = float(workers[at].ask(""))
        turns.append(times)
    return Ratio.of(turns[1:])


@measurement(realtime=True)
def main(report: Report) -> None:
    """Reports all shapes, and how many are slower than others make them."""
    asked = report.asked
    each = [shape for shape in shapes(asked.shapes, asked.seed) if report.wants(str(shape))]
    spreads = [f"{other}'s {quartile} quartile" for other in OTHERS for quartile in ("1st", "3rd")]
    report.table("shape", "GFLOP", *OTHERS, *spreads)
    found = look(report, each, 1, lambda shape: (str(shape), 1e-9 * shape.flops))
    first = {shape: found[shape] for shape in found if least(found[shape]) < LEAST}
    if first:
        report.table("once more", "at first", *OTHERS, *spreads)
        found |= look(report, list(first), LONGER, lambda shape: (str(shape), least(first[shape])))
    best = [least(ratios) for ratios in found.values()]
    below = sum(b < LEAST for b in best)
    report.say(
        f"{below} of {len(best)} below {LEAST} of the better one ({len(first)} at first); least "
        f"{min(best):.2f}, geometric mean over the better one {statistics.geometric_mean(best):.2f}"
    )


main.parser.add_argument("--shapes", type=int, default=300)
main.parser.add_argument("--seed", type=int, default=0)


Ratios = dict[str, Ratio]


def least(ratios: Ratios) -> float:
    """Over the better of the others."""
    return min(ratio.median for ratio in ratios.values())


def look(
    report: Report, each: list[Shape], longer: int, first: Callable[[Shape], tuple[Value, Value]]
) -> dict[Shape, Ratios]:
    """Measures shapes with new processes; `first` gives the first two columns of the rows."""
    workers = [Worker(peer, report.realtime) for peer in ("popir", "onnxruntime")]
    found: dict[Shape, Ratios] = {}
    try:
        for shape in each:
            ratios = found[shape] = measured(shape, workers, longer, report.realtime)
            of = [ratios.get(other) for other in OTHERS]
            medians = [ratio and ratio.median for ratio in of]
            spread = [at for ratio in of for at in (ratio and ratio.low, ratio and ratio.high)]
            report.row(*first(shape), *medians, *spread)
    finally:
        for worker in workers:
            worker.process.communicate()
    return found


def measured(shape: Shape, workers: list[Worker], longer: int, realtime: bool) -> Ratios:
    """The ratios of a shape, by the name of the other."""
    ratios = {"oneDNN": against_onednn(shape, longer, realtime)}
    if (made := shape.model()) is not None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "model.onnx").write_bytes(made[0])
            np.save(Path(folder) / "x.npy", made[1])
            for worker in workers:
                worker.ask(folder)
        ratios["onnxruntime"] = against_onnxruntime(workers, longer)
    return ratios


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        serve(sys.argv[2], "--realtime" in sys.argv)
    else:
        main(sys.argv[1:])
