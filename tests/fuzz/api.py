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
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir import poplar, poplin, popnn, poputil
from popir.errors import PopirError
from popir.popops import expr as pe
from tests.fuzz.signatures import Signature, signatures
from tests.fuzz.values import OF_A_GRAPH, SHAPES, TYPES, CallbackError, Program, views
from tests.fuzz.worker import bound_memory

CALLS = 14
"""The most in a program, those not counted that are tried again with other arguments."""
TRIES = 3
"""How often a function is called until it takes its arguments."""
SECONDS = 20.0
"""The most that a program may take."""
_LEFT_OUT = (
    "popart.install",  # replaces what the compiler calls, for all cases to come
    "setBudgetOfThread",  # bounds all cases to come
    "popart.nameLibrary",
    "_pybind11_conduit_v1_",
    "RepeatWhile",  # a program that never ends is no finding
    "xla.registerType",  # takes addresses, as those in the capsules of extensions
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


@functools.cache
def _codelets() -> Path:
    """A compiled codelet."""
    folder = Path(tempfile.mkdtemp())
    (folder / "scale.cpp").write_text(CODELET)
    popc = Path(popir.__file__).with_name("bin") / "popc"
    made = folder / "scale.gp"
    subprocess.run([popc, folder / "scale.cpp", "-o", made], check=True)
    return made


CODELET = """
#include <poplar/Vertex.hpp>
struct Scale : poplar::Vertex {
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  float factor;
  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) out[i] = factor * in[i];
  }
};
"""


class Case:
    """One program. Each call is written down before it is made."""

    def __init__(self, rng: random.Random, said: Path) -> None:
        self.rng = rng
        self.said = said.open("w", encoding="utf-8", errors="backslashreplace")
        self.program = Program(rng, _constructors(), self._constructed)
        self.graphs: list[tuple[Any, list[Any]]] = []
        """Each with what belongs to it."""
        self.stage = "build"
        self.tally: dict[str, list[int]] = {}
        """Of each function, by name and parameters: calls, and those that were not refused."""

    def run(self) -> None:
        """Makes objects, calls, and often an engine of what came of them."""
        self._objects()
        for _ in range(self.rng.randrange(2, CALLS)):
            signature = self.rng.choice(_all())
            # These are called by the compiler alone, with its own objects.
            internal = [AttributeError] if signature.name.startswith("popart.") else []
            if signature.name.startswith("poplin.contraction."):  # which the tests call alone
                internal = [ValueError]
            for _ in range(TRIES):
                with contextlib.suppress(*_ALLOWED, *internal):
                    self.call(signature)
                    break
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
                if isinstance(each, OF_A_GRAPH):
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
        if self.rng.random() < 0.6:
            self.program.alike()
        self.program.makes_expression = signature.name.startswith("popops.expr.")
        arguments: list[Any] = []
        for parameter in signature.parameters:
            if parameter.optional and self.rng.random() < 0.7:
                break
            value = self.program.value(parameter.type, parameter.name)
            arguments.append(graph if graph is not None and type(value) is type(graph) else value)
        if signature.name.startswith("poplar.program.Repeat") and isinstance(arguments[0], int):
            arguments[0] = min(arguments[0], 100)  # a program that runs for hours is no finding
        self._say(signature.name, arguments)
        count = self.tally.setdefault(str(signature), [0, 0])
        count[0] += 1
        result = signature.call(*arguments)
        count[1] += 1
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
        for make in targets[:2]:
            self.program.add(make())
        for each in self._plausible():
            self.program.add(each)

    def _plausible(self) -> Iterator[Any]:
        """Objects that are seldom made of arguments that know nothing of each other."""
        yield from (pe._1, pe._2, pe.Const(2.0), pe.Add(pe._1, pe._2), pe.Abs(pe._1))
        field, kernel = self.rng.choice([([4, 4], [2, 2]), ([4], [3]), ([4, 4], [1, 3])])
        n, ones = len(field), [1] * len(field)
        channels = self.rng.choice([1, 2, 4])
        conv = poplin.ConvParams(poplar.FLOAT, 1, field, kernel, channels, 2, 1)
        yield from (conv, conv.inputTransform, conv.kernelTransform, conv.outputTransform)
        kind = self.rng.choice([*popnn.PoolingType.__members__.values()])
        zeros, of = [0] * n, self.rng.choice([1, 4])
        yield popnn.pooling.PoolParams(kind, field, kernel, ones, zeros, zeros, of, 1, poplar.FLOAT)
        for graph, own in self.graphs:
            for make in (poplin.createInput, poplin.createWeights):
                own.append(make(graph, conv))
            shape = [1, of, *field]
            pooled = graph.addVariable(
                poplar.FLOAT, shape, poplar.VariableMappingMethod.LINEAR, "pooled"
            )
            own.append(pooled)
            for type in (poplar.FLOAT, poplar.INT, poplar.UNSIGNED_INT, poplar.BOOL):
                for name in ("a", "b"):
                    mapped = poplar.VariableMappingMethod.LINEAR
                    own.append(graph.addVariable(type, [2, 4], mapped, name))

    def _vertex(self, graph: Any) -> list[Any]:
        """A vertex, its field, and its compute set."""
        graph.addCodelets(str(_codelets()))
        mapped = poplar.VariableMappingMethod.LINEAR
        x, y = (graph.addVariable(poplar.FLOAT, [4], mapped, name) for name in "xy")
        cs = graph.addComputeSet("scale")
        vertex = graph.addVertex(cs, "Scale", {"in": x, "out": y, "factor": 3.0})
        if self.rng.random() < 0.8:
            graph.setTileMapping(vertex, 0)
        made = [cs, vertex, vertex["in"], graph.addFunction(poplar.program.Execute(cs))]
        made.append(graph.addHostFunction("host", [(poplar.FLOAT, 4)], [(poplar.FLOAT, 4)]))
        for each in (*made, poplar.program.Execute(cs)):
            self.program.add(each)
        return [x, y, *made]

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
            found.append(add(name, poplar.FLOAT, 4))
        found.append(graph.addComputeSet("cs"))
        for each in found[-3:]:
            self.program.add(each)
        if self.rng.random() < 0.2:
            found += self._vertex(graph)
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
    _all(), _constructors(), _codelets()


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
    return {"stage": case.stage, "outcome": "success", "tally": case.tally}


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
    children, each outcome a line of JSON; with the word "table" behind it, how many calls of each
    function there were, and how many of them were not refused.
    """
    seed, number = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) < 4:
        Case(random.Random(f"{seed}/{number}\n"), Path("/dev/stderr")).run()
        return
    start()
    bound_memory()
    with tempfile.TemporaryDirectory() as folder:
        cases = range(number, number + int(sys.argv[3]))
        outcomes = ({"number": each, **run(Path(folder), seed, each)} for each in cases)
        if sys.argv[4:] == ["table"]:
            print(table(outcomes))
            return
        for outcome in outcomes:
            print(json.dumps(outcome), flush=True)


def tallied(outcomes: Iterable[dict[str, Any]]) -> dict[str, list[int]]:
    """Calls of each function, and those that were not refused, of all cases."""
    found = {str(each): [0, 0] for each in _all()}
    for outcome in outcomes:
        for name, counts in outcome.get("tally", {}).items():
            for i, count in enumerate(counts):
                found[name][i] += count
    return found


def table(outcomes: Iterable[dict[str, Any]]) -> str:
    """The same as text: those that were always refused first."""
    found = tallied(outcomes)
    rows = sorted(found.items(), key=lambda row: (row[1][1], row[0]))
    lines = [f"{calls:8} {taken:8} {name}" for name, (calls, taken) in rows]
    never = sum(taken == 0 for _, taken in found.values())
    calls, taken = (sum(counts[i] for counts in found.values()) for i in range(2))
    last = f"{taken} of {calls} calls, {len(found) - never} of {len(found)} functions"
    return "\n".join(["   calls    taken", *lines, last])


if __name__ == "__main__":
    main()
