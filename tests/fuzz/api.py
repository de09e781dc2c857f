"""Typed programs against the bindings of popir._device: calls of any function and method, with
arguments of the types that it declares, right ones and wrong ones; then the program runs.

Anything but success, a PopirError, or what pybind11 says of arguments is a finding; so is a process
that ends or takes too long.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from popir import poplar, poputil
from popir.errors import PopirError
from tests.fuzz.signatures import Signature, signatures
from tests.fuzz.values import SHAPES, TYPES, CallbackError, Program, views
from tests.fuzz.worker import bound_memory

CALLS = 14
"""The most in a program."""
SECONDS = 20.0
"""The most that a program may take."""
_LEFT_OUT = (
    "popart.install",  # replaces what the compiler calls, for all cases to come
    "setBudgetOfThread",  # bounds all cases to come
    "popart.nameLibrary",
    "_pybind11_conduit_v1_",
    "RepeatWhile",  # a program that never ends is no finding
)
_ALLOWED = (PopirError, TypeError, IndexError, StopIteration, CallbackError)
"""IndexError is how an object without `__iter__` says that a loop over it is at its end."""


@functools.cache
def _all() -> list[Signature]:
    return [s for s in signatures() if not any(word in s.name for word in _LEFT_OUT)]


@functools.cache
def _constructors() -> dict[str, list[Signature]]:
    """By the type that they make, those that say what they take."""
    found: dict[str, list[Signature]] = {}
    for each in _all():
        if each.name.endswith(".__init__"):
            found.setdefault(each.name.removesuffix(".__init__"), []).append(each)
    return found


class Case:
    """One program. Each call is written down before it is made."""

    def __init__(self, rng: random.Random, said: Path) -> None:
        self.rng = rng
        self.said = said.open("w", encoding="utf-8", errors="backslashreplace")
        self.program = Program(rng, _constructors(), self._constructed)
        self.graphs: list[tuple[Any, list[Any]]] = []
        """Each with its tensors."""
        self.stage = "build"
        self.calls = self.returned = 0

    def run(self) -> None:
        """Makes objects, calls, and often an engine of what came of them."""
        self._objects()
        for _ in range(self.rng.randrange(2, CALLS)):
            signature = self.rng.choice(_all())
            # These are called by the compiler alone, with its own objects.
            internal = [AttributeError] if signature.name.startswith("popart.") else []
            if signature.name.startswith("poplin.contraction."):  # which the tests call alone
                internal = [ValueError]
            with contextlib.suppress(*_ALLOWED, *internal):
                self.call(signature)
        if self.rng.random() < 0.6:
            self.stage = "run"
            with contextlib.suppress(*_ALLOWED):
                self._engine()

    def call(self, signature: Signature) -> Any:
        """Makes one call; its result becomes known to later ones."""
        result = self._called(signature)
        self.program.add(result)
        if self._tensors is not None:
            for each in result if isinstance(result, (list, tuple)) else [result]:
                if isinstance(each, poplar.Tensor):
                    self._tensors.append(each)
        return result

    _tensors: list[Any] | None = None

    def _called(self, signature: Signature) -> Any:
        self._tensors = None
        graph = None
        if any("Graph" in each for each in signature.types()) and not self.program.hostile():
            graph, self._tensors = self.rng.choice(self.graphs)
            self.program.own = self._tensors
        else:
            self.program.own = self.rng.choice(self.graphs)[1]
        arguments: list[Any] = []
        for parameter in signature.parameters:
            if parameter.optional and self.rng.random() < 0.7:
                break
            value = self.program.value(parameter.type, parameter.name)
            arguments.append(graph if graph is not None and type(value) is type(graph) else value)
        if signature.name.startswith("poplar.program.Repeat") and isinstance(arguments[0], int):
            arguments[0] = min(arguments[0], 100)  # a program that runs for hours is no finding
        self._say(signature.name, arguments)
        self.calls += 1
        result = signature.call(*arguments)
        self.returned += 1
        return result

    def _constructed(self, signature: Signature, _: Program) -> Any:
        tensors, own = self._tensors, self.program.own
        try:
            made = self._called(signature)
        except _ALLOWED:
            return None
        finally:
            self._tensors, self.program.own = tensors, own
        self.program.add(made)
        return made

    def _say(self, name: str, arguments: list[Any]) -> None:
        self.said.write(f"{name}({', '.join(map(_text, arguments))})\n")
        self.said.flush()

    def _objects(self) -> None:
        create = poplar.Target.createIPUTarget
        targets = [
            *[poplar.Target.createCPUTarget, lambda: create(1, 4, "ipu2")],
            *[lambda: create(2, 8, "ipu2"), lambda: create(1, 1, "ipu2")],
        ]
        for number in range(2):
            which = self.rng.randrange(len(targets))
            graph = poplar.Graph(targets[which]())
            self.said.write(f"# graph {number} of target {which}\n")
            self.program.add(graph)
            self.graphs.append((graph, self._made_in(graph)))
        dead = self._made_in(poplar.Graph(targets[1]()))  # their graph ends here
        for value in [*self.graphs[0][1], *self.graphs[1][1], *dead[:2], poplar.Tensor()]:
            self.program.add(value)
        self.program.add(poplar.Device.createCPUDevice())
        for _ in range(2):
            self.program.add(poplar.program.Sequence())

    def _made_in(self, graph: Any) -> list[Any]:
        found = []
        for number, shape in enumerate(self.rng.sample(SHAPES, 6)):
            kind = getattr(poplar, self.rng.choice(TYPES))
            if self.rng.random() < 0.15 and kind != poplar.QUARTER:
                tensor = graph.addConstant(kind, shape, 1)
            else:
                tensor = graph.addVariable(kind, shape)
            if self.rng.random() < 0.9:
                poputil.mapTensorLinearly(graph, tensor)
            if self.rng.random() < 0.3 and not tensor.containsConstant():
                graph.createHostWrite(f"t{number}", tensor)
                graph.createHostRead(f"t{number}", tensor)
            found += [tensor, *views(self.rng, tensor)]
        for name, add in (("in", graph.addHostToDeviceFIFO), ("out", graph.addDeviceToHostFIFO)):
            self.program.add(add(name, poplar.FLOAT, 4))
        self.program.add(graph.addComputeSet("cs"))
        return found

    def _engine(self) -> None:
        graph, _ = self.rng.choice(self.graphs)
        programs = self.program.objects["poplar.program.Program"]
        chosen = self.rng.sample(programs, min(len(programs), self.rng.choice([1, 2, 3])))
        self.said.write(f"# engine of {graph} and {[type(p).__name__ for p in chosen]}\n")
        self.said.flush()
        engine = poplar.Engine(graph, chosen, self.program.options())
        self.program.add(engine)
        for name in ("in", "out"):
            with contextlib.suppress(PopirError):
                engine.connectStream(name, np.ones(4, np.float32))
        for number in range(len(chosen)):
            with contextlib.suppress(*_ALLOWED):
                self.said.write(f"# run {number}\n")
                self.said.flush()
                engine.run(number)
        of_engines = [s for s in _all() if s.name.startswith("poplar.Engine.")]
        for _ in range(3):
            with contextlib.suppress(*_ALLOWED):
                self.call(self.rng.choice(of_engines))
        if self.rng.random() < 0.3:
            self.said.write("# report\n")
            self.said.flush()
            engine.machineReport()


def _text(value: Any) -> str:
    """An argument, for whoever reads a finding."""
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}{list(value.shape)} strides {value.strides})"
    if isinstance(value, (list, tuple)) and len(value) > 12:
        return f"[{', '.join(map(_text, value[:12]))}, ... {len(value)}]"
    try:
        text = repr(value)
    except Exception as error:  # of an object that is not made right
        return f"<{type(value).__name__}: {error}>"
    return text[:200]


def start() -> None:
    """Reads the signatures."""
    _all(), _constructors()


class _Child:
    """A forked process that runs cases, for it may crash; it is replaced now and then, so that
    little of one case is left for another one.
    """

    CASES = 25

    def __init__(self, said: Path) -> None:
        self.left = self.CASES
        (theirs, self._to), (self._from, back) = os.pipe(), os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(self._to)
                for line in os.fdopen(theirs):
                    os.write(back, json.dumps(_outcome(random.Random(line), said)).encode() + b"\n")
            finally:
                os._exit(1)
        os.close(theirs)
        os.close(back)

    def run(self, name: str) -> dict[str, Any] | str:
        """The outcome of a case; in words if there is none, and then the process is gone."""
        self.left -= 1
        os.write(self._to, f"{name}\n".encode())
        answer, end = b"", time.monotonic() + SECONDS
        while not answer.endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                self.stop()
                return f"no end after {SECONDS:.0f} s"
            part = os.read(self._from, 1 << 16)
            if not part:
                return f"ended with {self.stop()}"
            answer += part
        return json.loads(answer)

    def stop(self) -> int:
        """Ends the process; the code with which it has ended, if it had."""
        os.close(self._to)
        os.close(self._from)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


_child: _Child | None = None


def run(folder: Path, seed: str, number: int) -> dict[str, Any]:
    """Runs a case, and leaves the program's text in the folder."""
    global _child
    folder.mkdir(parents=True, exist_ok=True)
    said = folder / "program.txt"
    if _child is None:
        _child = _Child(said)
    outcome = _child.run(f"{seed}/{number}")
    if isinstance(outcome, str):
        _child = None
        return _ended("hang" if outcome.startswith("no end") else "crash", outcome, said)
    if _child.left == 0:
        _child.stop()
        _child = None
    return outcome


def _outcome(rng: random.Random, said: Path) -> dict[str, Any]:
    case = Case(rng, said)
    try:
        with np.errstate(all="ignore"):
            case.run()
    except BaseException as error:
        last = _last(said)
        return {
            "stage": case.stage,
            "outcome": type(error).__name__,
            "signature": f"{last.partition('(')[0]}: {type(error).__name__}: {str(error)[:100]}",
            "finding": "".join(traceback.format_exception(error))[-4000:] + last,
        }
    counts = {"calls": case.calls, "returned": case.returned}
    return {"stage": case.stage, "outcome": "success", **counts}


def _last(said: Path) -> str:
    lines = said.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else "(nothing)"


def _ended(outcome: str, how: str, said: Path) -> dict[str, Any]:
    last = _last(said)
    return {
        "stage": "?",
        "outcome": outcome,
        "signature": f"{last.partition('(')[0]}: {how}",
        "finding": f"{how}\n{last}\n",
    }


def main() -> None:
    """One case in this process, SEED NUMBER, for a debugger; or COUNT cases from NUMBER on, in
    children, each outcome a line of JSON.
    """
    seed, number = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) < 4:
        Case(random.Random(f"{seed}/{number}\n"), Path("/dev/stderr")).run()
        return
    start()
    bound_memory()
    with tempfile.TemporaryDirectory() as folder:
        for each in range(number, number + int(sys.argv[3])):
            print(json.dumps({"number": each, **run(Path(folder), seed, each)}), flush=True)


if __name__ == "__main__":
    main()
