"""Compile time per operator of a long chain: operators of a C++ library against built-in ones.

    python -m bench.operator_chain                    10,000 operators
    python -m bench.operator_chain --length 1000      another length
    python -m bench.operator_chain --json FILE        the figures as JSON too

The model is a chain of LeakyRelu, in inference and in training. One process has the built-in
operator, another one the library models/leaky_relu, which takes its place. They take turns, and the
least processor time of each stage counts. A ratio is the library's time over the built-in one's.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.report import Report, measurement

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "models" / "leaky_relu" / "leaky_relu_custom_op.cpp"
CONFIG = ROOT / "popir" / "bin" / "popir-config"
ROUNDS = 3
STAGES = ("import and passes", "lowering and engine")


def build(folder: Path) -> Path:
    """The operator library."""
    flags = subprocess.run(
        [CONFIG, "--cflags", "--libs"], check=True, capture_output=True, text=True
    ).stdout.split()
    library = folder / "libleaky_relu.so"
    command = ["g++", "-std=c++14", "-O3", "-fPIC", "-shared", SOURCE, *flags, "-o", library]
    subprocess.run(command, check=True)
    return library


def worker(length: int, library: str) -> None:
    """For each line of stdin, compiles the chain once and prints the seconds of each stage."""
    import numpy as np

    import popir

    if library:
        popir.load_op_library(library)
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [4]))
    weight = builder.addInitializedInputTensor(np.ones(4, np.float32))
    tensor = builder.aiOnnxOpset11.mul([x, weight])
    for _ in range(length):
        tensor = builder.customOp("LeakyRelu", 6, "ai.onnx", [tensor], {"alpha": 0.1})[0]
    loss = builder.aiGraphcore.identityloss([tensor])
    model = builder.getModelProto()
    flow = popir.DataFlow(1, {tensor: popir.AnchorReturnType("Final")})
    device = popir.DeviceManager().createCpuDevice()
    for line in sys.stdin:
        start = time.process_time()
        if line.strip() == "training":
            session = popir.TrainingSession(model, flow, loss, popir.ConstSGD(0.1), device)
        else:
            session = popir.InferenceSession(model, flow, device)
        made = time.process_time()
        session.prepareDevice()
        print(made - start, time.process_time() - made, flush=True)


class Worker:
    """One of the two processes."""

    def __init__(self, length: int, library: str) -> None:
        command = [sys.executable, "-m", "bench.operator_chain", "--worker", str(length), library]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )

    def compile(self, kind: str) -> list[float]:
        """Seconds of each stage."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(kind, file=self.process.stdin, flush=True)
        return [float(word) for word in self.process.stdout.readline().split()]


@measurement(words=False)
def main(report: Report) -> None:
    """Measure and print."""
    length = report.asked.length
    times = ("built in us", "C++ us", "ratio", "least round", "most")
    report.table(f"of each of {length} operators", *times)
    with tempfile.TemporaryDirectory() as folder:
        workers = Worker(length, ""), Worker(length, str(build(Path(folder))))
        for kind in ("inference", "training"):
            rounds = [[w.compile(kind) for w in workers] for _ in range(ROUNDS)]
            for i, name in enumerate((*STAGES, "together")):
                pairs = [
                    [each[i] if i < len(STAGES) else sum(each) for each in both] for both in rounds
                ]
                ours, theirs = map(min, zip(*pairs, strict=True))
                ratios = [b / a for a, b in pairs]
                micro = (ours / length * 1e6, theirs / length * 1e6)
                report.row(f"{kind}, {name}", *micro, theirs / ours, min(ratios), max(ratios))
        for each in workers:
            each.process.communicate()


main.parser.add_argument("--length", type=int, default=10_000)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(int(sys.argv[2]), sys.argv[3])
    else:
        main(sys.argv[1:])
