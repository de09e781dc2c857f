"""Mutated models: each is examined, imported, compiled, run if it is small, and saved.

Anything but success or a PopirError is a finding.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir.errors import PopirError, VerificationError, popart_internal_exception
from popir.onnxio.examine import examine
from popir.onnxio.importer import import_model
from tests.fuzz.mutations import mutate_files, mutated
from tests.fuzz.seeds import seeds

SMALL = 50_000
"""Elements of all tensors of a graph, up to which it is run."""


def make_case(folder: Path, seed: str, number: int) -> Path:
    """Writes the case's files to the folder, and returns the model's path."""
    rng = random.Random(f"{seed}/{number}")
    chosen = rng.choice(seeds())
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, data in chosen.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    mutate_files(rng, folder, list(chosen.files))
    (folder / "model.onnx").write_bytes(mutated(rng, chosen))
    return folder / "model.onnx"


class Case:
    """One case, stage by stage; `stage` is the last one that began."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stage = ""

    def run(self) -> None:
        """Examines, imports, compiles, prepares and, if that is quick, runs the model."""
        self.stage = "examine"
        if self.path.stat().st_size % 64 == 0:
            with contextlib.suppress(PopirError):
                examine(self.path)
        self.stage = "import"
        graph = import_model(self.path)
        self.stage = "compile"
        device = popir.DeviceManager().createCpuDevice()
        anchors = list(dict.fromkeys(graph.outputs))
        session: Any = popir.InferenceSession(self.path, popir.DataFlow(1, anchors), device)
        self.stage = "prepare"
        session.prepareDevice()
        infos = [tensor.info for tensor in graph.tensors.values()]
        if sum(info.nelms() for info in infos if info is not None) > SMALL:
            return
        self.stage = "run"
        rng = np.random.default_rng(0)
        given = {id: graph.getTensor(id).info for id in graph.inputs}
        inputs = {
            id: rng.integers(0, 2, info.shape()).astype(info.dataType().numpy)
            for id, info in given.items()
            if info is not None
        }
        with np.errstate(all="ignore"):
            session.run(popir.PyStepIO(inputs, session.initAnchorArrays()))
        self.stage = "save"
        session.modelToHost(self.path.with_name("again.onnx"))


def outcome(case: Case) -> dict[str, Any]:
    """What became of the case; with the key "finding" if that should not be."""
    try:
        case.run()
    except PopirError as error:
        found = {"stage": case.stage, "outcome": type(error).__name__}
        wrong = isinstance(error, (VerificationError, popart_internal_exception))
        if wrong or "() failed" in str(error) or len(str(error)) > 20_000:
            found["finding"] = "".join(traceback.format_exception(error))[-6000:]
        return found
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        return {"stage": case.stage, "outcome": type(error).__name__, "finding": text[-6000:]}
    return {"stage": case.stage, "outcome": "success"}


def start() -> None:
    """Makes the models that are mutated."""
    seeds()


def run(folder: Path, seed: str, number: int) -> dict[str, Any]:
    """Makes one case in the folder, and says what became of it."""
    return outcome(Case(make_case(folder, seed, number)))
