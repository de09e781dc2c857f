"""Compile time per operator of a long chain: operators of a C++ library against built-in ones.

    python -m bench.operator_chain            10,000 operators
    python -m bench.operator_chain 1000       another length

The model is a chain of LeakyRelu, in inference and in training. One process has the built-in
operator, another one the library models/leaky_relu, which takes its place. They take turns, and the
least processor time of each stage counts. A ratio is the library's time over the built-in one's.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def main(length: int = 10_000) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        workers = Worker(length, ""), Worker(length, str(build(Path(folder))))
        for kind in ("inference", "training"):
            rounds = [[w.compile(kind) for w in workers] for _ in range(ROUNDS)]
            print(f"{kind}, {length} operators: microseconds per operator")
            totals = [min(sum(r[who]) for r in rounds) for who in (0, 1)]
            rows = [
                (stage, [min(r[who][i] for r in rounds) for who in (0, 1)])
                for i, stage in enumerate(STAGES)
            ]
            for name, (ours, theirs) in [*rows, ("together", totals)]:
                print(
                    f"  {name:20} built in {ours / length * 1e6:7.1f}   "
                    f"C++ {theirs / length * 1e6:7.1f}   ratio {theirs / ours:.2f}"
                )
        for each in workers:
            each.process.communicate()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(int(sys.argv[2]), sys.argv[3])
    else:
        main(*map(int, sys.argv[1:]))
