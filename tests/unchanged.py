"""Whether a redesign changes nothing that a user sees: outputs, weights, machine reports, plans.

    python -m tests.unchanged record FOLDER [--cases 300]    the tree as it was
    python -m tests.unchanged compare FOLDER                 the tree as it is

Cases are every row of the operators' table at each of its opsets, ONNX's node tests, random graphs
and training graphs of the fuzzers, the networks that PyTorch exports, and the `.onnx` files of
`--models`, each on the host with one thread and two, and on the machine, with several optimizers.
Operator libraries, saved executables and stochastic rounding are not among them. Outputs are
compared bit for bit, reports and `Engine.planText()` as text; `--without REGEX` leaves out of both
what a redesign means to change, such as names of passes. FOLDER keeps the models: later exporters
and fuzzers do not matter.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import hashlib
import json
import multiprocessing
import pickle
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import popir
from popir.errors import PopirError

Array = np.ndarray[Any, Any]
BATCH = 200
PARTS = ("outputs", "report", "plan")


@dataclass(frozen=True)
class Model:
    """A model, what it is given, and its loss if it is trained."""

    file: bytes
    inputs: Mapping[str, Array]
    outputs: list[str]
    loss: str = ""


OPTIMIZERS: dict[str, Callable[[], popir.Optimizer]] = {
    "plain": lambda: popir.ConstSGD(0.01),
    "momentum": lambda: popir.SGD(
        {"defaultLearningRate": (0.01, False), "defaultMomentum": (0.9, True)}
    ),
    "everything": lambda: popir.SGD(
        {
            "defaultLearningRate": (0.01, True),
            "defaultMomentum": (0.9, False),
            "defaultDampening": (0.1, False),
            "defaultVelocityScaling": (0.5, False),
            "defaultWeightDecay": (0.05, False),
            "lossScaling": (2.0, False),
        }
    ),
}
WAYS: dict[str, dict[str, Any]] = {
    "host": {"optimizer": "plain"},
    "host, 2 threads": {"threads": 2, "optimizer": "momentum"},
    "machine": {"device": {"tilesPerIPU": 8}, "optimizer": "everything"},
    "machine, outlined": {
        "device": {"tilesPerIPU": 64},
        "outlining": True,
        "optimizer": "momentum",
    },
}


def rows() -> Iterator[tuple[str, Model]]:
    """The operators' table, each row at each of its opsets."""
    from tests.ops.cases import CASES
    from tests.ops.test_cases import inputs_of, model_of, opsets_of

    for number, case in enumerate(CASES):
        arrays = case.arrays(np.float32)
        for opset in opsets_of(case):
            model = model_of(case, opset, arrays)
            outputs = [value.name for value in model.graph.output]
            yield (
                f"row {number} {case.name}, opset {opset}",
                Model(model.SerializeToString(), inputs_of(case, arrays), outputs),
            )


def graphs(count: int) -> Iterator[tuple[str, Model]]:
    """Random graphs; a third as many that are trained."""
    from tests.fuzz import gradients, graphs

    for number in range(count):
        program, _ = graphs.make("unchanged", number)
        yield (
            f"graph {number}",
            Model(program.model().SerializeToString(), program.inputs, list(program.outputs)),
        )
    for number in range(count // 3):
        program, _ = gradients.make("unchanged", number)
        yield (
            f"training {number}",
            Model(
                program.model().SerializeToString(),
                program.inputs,
                [gradients.LOSS],
                gradients.LOSS,
            ),
        )


def networks(names: Sequence[str] = ()) -> Iterator[tuple[str, Model]]:
    """What PyTorch exports, to be run and to be trained: all networks, or some by name."""
    from tests.networks.test_zoo import exported, with_loss
    from tests.networks.zoo import ZOO, made

    for name in names or ZOO:
        for training in (False, True):
            network, given = made(name, training)
            with tempfile.TemporaryDirectory() as folder:
                model = exported(network, given, "default", Path(folder))
            found = network(*given)
            results = list(found) if isinstance(found, tuple) else [found]
            inputs = [value.name for value in model.graph.input]
            arrays = {i: np.asarray(each) for i, each in zip(inputs, given, strict=False)}
            outputs = [value.name for value in model.graph.output]
            if training:
                factors = with_loss(model, results)
                ones = [np.ones(tuple(each.shape), np.float32) for each in results]
                arrays |= dict(zip(factors, ones, strict=True))
                outputs = ["loss"]
            yield (
                f"network {name}, {'training' if training else 'evaluation'}",
                Model(model.SerializeToString(), arrays, outputs, outputs[0] if training else ""),
            )


def node_tests() -> Iterator[tuple[str, Model]]:
    """ONNX's node tests, those without sequences and optionals among their inputs."""
    from onnx.backend.test.loader import load_model_tests

    for case in load_model_tests(kind="node"):
        if case.model is None or case.data_sets is None:
            continue
        model, given = case.model, case.data_sets[0][0]
        if all(isinstance(each, np.ndarray) for each in given):
            names = [value.name for value in model.graph.input]
            outputs = [value.name for value in model.graph.output]
            yield (
                f"node test {case.name}",
                Model(model.SerializeToString(), dict(zip(names, given, strict=False)), outputs),
            )


def files(folder: Path) -> Iterator[tuple[str, Model]]:
    """The models of a folder, given random numbers; every input has a fixed shape."""
    random = np.random.default_rng(1)
    for path in sorted(folder.rglob("*.onnx")):
        model = onnx.load(path)
        initializers = {tensor.name for tensor in model.graph.initializer}
        inputs: dict[str, Array] = {}
        for value in model.graph.input:
            if value.name not in initializers:
                dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
                kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
                inputs[value.name] = (random.random(dims) * 2).astype(kind)
        outputs = [value.name for value in model.graph.output]
        yield f"file {path.relative_to(folder)}", Model(model.SerializeToString(), inputs, outputs)


def run(model: Model, way: Mapping[str, Any]) -> dict[str, str]:
    """What a user sees of two steps, by part; the words of an error as outputs."""
    options = popir.SessionOptions()
    options.enableOutlining = way.get("outlining", False)
    options.engineOptions = {"host.numThreads": str(way.get("threads", 1))}
    manager = popir.DeviceManager()
    device = (
        manager.createIpuModelDevice(way["device"])
        if "device" in way
        else manager.createCpuDevice()
    )
    common = {"userOptions": options}
    flow = popir.DataFlow(1, model.outputs)
    try:
        if model.loss:
            session: Any = popir.TrainingSession(
                *(model.file, flow, model.loss, OPTIMIZERS[way["optimizer"]](), device), **common
            )
        else:
            session = popir.InferenceSession(model.file, flow, device, **common)
        session.prepareDevice()
        if model.loss:
            session.weightsFromHost()
        anchors = session.initAnchorArrays()
        found: dict[str, Array] = {}
        for _ in range(2):
            session.run(popir.PyStepIO(dict(model.inputs), anchors))
        found |= anchors
        if model.loss:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "trained.onnx"
                session.modelToHost(str(file))
                found |= {
                    tensor.name: onnx.numpy_helper.to_array(tensor)
                    for tensor in onnx.load(file).graph.initializer
                }
    except PopirError as error:
        return {"outputs": f"{type(error).__name__}: {error}", "report": "", "plan": ""}
    digests = {
        name: f"{a.dtype}{list(a.shape)} {hashlib.sha256(np.ascontiguousarray(a)).hexdigest()}"
        for name, a in sorted(found.items())
    }
    report = json.dumps(session.getProfile().data, indent=0) if "device" in way else ""
    return {
        "outputs": json.dumps(digests, indent=0),
        "report": report,
        "plan": session.planText(),
    }


def _case(item: tuple[str, Model]) -> list[tuple[str, dict[str, str]]]:
    name, model = item
    return [(f"{name}: {way}", run(model, options)) for way, options in WAYS.items()]


def record(folder: Path, count: int, more: list[Path], jobs: int) -> None:
    """Keeps the models and what comes of them."""
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [*rows(), *node_tests(), *graphs(count), *networks()]
        for each in more:
            models += files(each)
    with gzip.open(folder / "models.gz", "wb", 1) as stream:
        pickle.dump(models, stream)
    with gzip.open(folder / "results.gz", "wb", 1) as stream:
        pickle.dump(dict(_results(models, jobs)), stream)


def _results(models: list[tuple[str, Model]], jobs: int) -> Iterator[tuple[str, dict[str, str]]]:
    context = multiprocessing.get_context("spawn")
    for start in range(0, len(models), BATCH):  # Processes that are new: none grows too large.
        with ProcessPoolExecutor(jobs, context) as pool:
            yield from chain.from_iterable(pool.map(_case, models[start : start + BATCH]))
        print(f"{min(start + BATCH, len(models))} of {len(models)} models", flush=True)


def compare(folder: Path, without: list[str], jobs: int) -> int:
    """Prints what differs; how many cases that are. What was an error and runs now is counted."""
    with gzip.open(folder / "models.gz") as stream:
        models = pickle.load(stream)
    with gzip.open(folder / "results.gz") as stream:
        before = pickle.load(stream)
    left = re.compile("|".join(without)) if without else None
    counts: Counter[str] = Counter()
    for name, now in _results(models, jobs):
        was = before[name]
        if was["outputs"][:1] != "{" and now["outputs"][:1] == "{":
            counts["now run"] += 1
            continue
        for part in PARTS:
            texts = [was[part], now[part]]
            if left and part != "outputs":
                texts = [left.sub("", text) for text in texts]
            counts[f"{part} compared"] += bool(texts[0])
            if texts[0] != texts[1]:
                counts[f"{part} differ"] += 1
                lines = [text.splitlines() for text in texts]
                diff = list(difflib.unified_diff(*lines, "before", "now", lineterm="", n=1))
                shown = 30 if counts[f"{part} differ"] <= 5 else 0
                print(f"{name}: {part}", *diff[:shown], sep="\n", flush=True)
    print(", ".join(f"{what}: {n}" for what, n in sorted(counts.items())))
    return sum(n for what, n in counts.items() if what.endswith("differ"))


def main() -> int:
    """1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.unchanged", description=__doc__)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=300, help="random graphs (%(default)s)")
    parser.add_argument(
        "--models", type=Path, action="append", default=[], help="a folder of .onnx files"
    )
    parser.add_argument("--without", action="append", default=[], help="a pattern to leave out")
    parser.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    given = parser.parse_args()
    if given.what == "record":
        record(given.folder, given.cases, given.models, given.jobs)
        return 0
    return 1 if compare(given.folder, given.without, given.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
