"""Counts what a step allocates: `counted` runs models in a process whose malloc is counted.

`python -m tests.allocations KIND ...` is that process: it prints, as JSON, which models of some
kinds have steps that allocate.
"""

from __future__ import annotations

import ctypes
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import popir
from tests import unchanged
from tests.toolchain import CACHED_CXX, ROOT, run

STEPS = 4


def measured() -> Iterator[tuple[str, unchanged.Model]]:
    """Networks of `bench.training`, large enough for oneDNN and several threads."""
    from bench import training

    for name in ("MLP 784-512-512-10, batch 64", "small convnet, batch 64", "BERT-tiny, batch 16"):
        with tempfile.TemporaryDirectory() as folder:
            training.export(name, Path(folder))
            model = (Path(folder) / "model.onnx").read_bytes()
            x = np.load(Path(folder) / "x.npy")
        yield name, unchanged.Model(model, {"x": x}, ["loss"], "loss")


KINDS: dict[str, Callable[[], Iterator[tuple[str, unchanged.Model]]]] = {
    "rows": unchanged.rows,
    "graphs": lambda: unchanged.graphs(60),
    "networks": lambda: unchanged.networks(["superresolution", "lstm"]),
    "measured": measured,
}


def counter(folder: Path) -> Path:
    """The library to preload, built in a folder."""
    library = folder / "allocations.so"
    source = Path(__file__).with_suffix(".cpp")
    run(*CACHED_CXX, "-O2", "-fPIC", "-shared", source, "-o", library, cwd=folder)
    return library


def counted(folder: Path, kind: str) -> dict[str, Any]:
    """The number of models of a kind, and of allocations in a step of those that have any."""
    env = {"LD_PRELOAD": str(counter(folder)), "PYTHONPATH": str(ROOT)}
    printed = run(sys.executable, "-m", "tests.allocations", kind, cwd=folder, env=env)
    return json.loads(printed.splitlines()[-1])  # operators print, too


def of_step(step: Callable[[], object]) -> int:
    """The fewest allocations of some steps after the first one, in the counted process: a thread
    that takes part for the first time gets its memory then.
    """
    library = ctypes.CDLL(None)
    library.allocations_count(0)  # ctypes looks the name up
    step()
    found = []
    for _ in range(STEPS):
        library.allocations_count(1)
        step()
        found.append(library.allocations_count(0))
    return min(found)


def stepping(model: unchanged.Model) -> Callable[[], object]:
    """A step of the model on two threads, with arrays that stay."""
    options = popir.SessionOptions()
    options.engineOptions = {"host.numThreads": "2"}
    device, flow = popir.DeviceManager().createCpuDevice(), popir.DataFlow(1, model.outputs)
    session: Any
    if model.loss:
        optimizer = unchanged.OPTIMIZERS["momentum"]()
        session = popir.TrainingSession(
            *(model.file, flow, model.loss, optimizer, device), userOptions=options
        )
    else:
        session = popir.InferenceSession(model.file, flow, device, userOptions=options)
    session.prepareDevice()
    if model.loss:
        session.weightsFromHost()
    io = popir.PyStepIO(dict(model.inputs), session.initAnchorArrays())
    return lambda: session.run(io)


def main(kinds: list[str]) -> None:
    """Prints what was found."""
    warnings.simplefilter("ignore")
    count, allocating = 0, {}
    for kind in kinds:
        # Of a row at several opsets the last one.
        models = {name.split(", opset ")[0]: model for name, model in KINDS[kind]()}
        for name, model in models.items():
            count += 1
            if found := of_step(stepping(model)):
                allocating[name] = found
    print(json.dumps({"models": count, "allocating": allocating}))


if __name__ == "__main__":
    main(sys.argv[1:])
