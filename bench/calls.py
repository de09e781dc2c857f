"""What a call costs beside its work: models of one small operator against onnxruntime's `run`.

    python -m bench.calls                     every row
    python -m bench.calls Relu                rows whose names have one of these words
    python -m bench.calls --realtime          each turn at real-time priority (as root)
    python -m bench.calls --json FILE         the figures as JSON too

A model is called in three ways: by a session with a PyStepIO made once, whose result lies in the
anchors; by the ONNX backend's `run`, which gives new arrays as onnxruntime does; and by
onnxruntime. One thread each. The results must agree. Below is what one call of `Engine.run` of a
program of 16 floats takes.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from bench import elementwise, inference, peers
from bench.report import Report, measurement

CALLS, ROUNDS = 5_000, 11
WAYS = {"session": "PyStepIO", "backend": "backend"}
ROWS: dict[str, tuple[str, list[int], list[int] | None]] = {
    "Relu of 16": ("Relu", [16], None),
    "Add of 16": ("Add", [16], [16]),
    "Softmax of 4 x 16": ("Softmax", [4, 16], None),
    "MatMul, 1 x 64 x 64": ("MatMul", [1, 64], [64, 64]),
    "Relu of 4096": ("Relu", [4096], None),
}
"""For each name the operator, the shape of its input and that of a weight."""


def model(name: str) -> tuple[onnx.ModelProto, np.ndarray]:
    """The model, and an input."""
    of, shape, weights = ROWS[name]
    random = np.random.default_rng(0)
    kept = [] if weights is None else [random.standard_normal(weights).astype(np.float32)]
    node = helper.make_node(of, ["x", "w"][: 1 + len(kept)], ["y"])
    infos = [helper.make_tensor_value_info(id, TensorProto.FLOAT, shape) for id in "xy"]
    initializers = [numpy_helper.from_array(w, "w") for w in kept]
    graph = helper.make_graph([node], "call", infos[:1], infos[1:], initializers)
    opsets = [helper.make_opsetid("", 17)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return made, random.standard_normal(shape).astype(np.float32)


def start(peer: str, name: str, folder: Path) -> Callable[[], object]:
    """A call of the row's model; its first result is written to the folder."""
    made, x = model(name)
    if peer == "backend":
        from popir import backend

        rep = backend.prepare(made)

        def run() -> object:
            return rep.run([x])

        result = rep.run([x])[0]
    else:
        file = folder / f"{peer}.onnx"
        onnx.save(made, file)
        of = "onnxruntime" if peer == "onnxruntime" else "popir"
        run = inference.runner(of, str(file), "x", "y", x, threads=1)
        result = run()
    np.save(folder / f"{peer}.npy", result)
    return run


def engine_seconds() -> float:
    """Of `Engine.run` from Python: the median of rounds of many calls."""
    from popir.popops import expr as pe

    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    run = elementwise.of_popir(pe.Relu(pe._1), x, y)
    return statistics.median(elementwise.seconds(run, CALLS) for _ in range(ROUNDS))


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    report.table("model", "way", *peers.Result.columns("onnxruntime", "us")[:-1])
    for name in filter(report.wants, ROWS):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            names = [*WAYS, "onnxruntime"]
            found = peers.turns("calls", names, name, folder, report.realtime)
            results = [np.load(folder / f"{peer}.npy") for peer in names]
        for result in results:
            np.testing.assert_allclose(result, results[-1], 1e-5, 1e-6)
        *ours, theirs = zip(*found, strict=True)
        for way, times in zip(WAYS.values(), ours, strict=True):
            report.row(name, way, *peers.Result.of(times, theirs).cells("us")[:-1])
    peers.set_priority(report.realtime)
    report.say(f"Engine.run of 16 floats: {1e6 * engine_seconds():.2f} us a call.")
    peers.set_priority(False)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
