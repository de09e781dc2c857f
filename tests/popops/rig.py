"""Runs library functions on numpy arrays: what goes in, one program, what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir import poplar, popops
from popir.poplar import program

LINEAR = poplar.VariableMappingMethod.LINEAR


class Rig:
    """A graph whose variables hold arrays, and a sequence to add to; `run` gives the results."""

    def __init__(self, threads: int | None = None, target: poplar.Target | None = None) -> None:
        self.graph = poplar.Graph(target or poplar.Target.createCPUTarget())
        self.prog = program.Sequence()
        self.options = {} if threads is None else {"host.numThreads": str(threads)}
        self.written: dict[str, np.ndarray] = {}
        self.read: dict[str, tuple[tuple[int, ...], np.dtype]] = {}

    def tensor(self, values: Any) -> poplar.Tensor:
        """A variable that holds `values`."""
        array = np.ascontiguousarray(values).reshape(np.shape(values))
        name = f"in{len(self.written)}"
        t = self.graph.addVariable(poplar.typeOf(array.dtype), array.shape, LINEAR, name)
        self.graph.createHostWrite(name, t)
        self.written[name] = array
        return t

    def result(self, t: poplar.Tensor) -> str:
        """A handle under which `run` returns the elements of `t`."""
        name = f"out{len(self.read)}"
        self.graph.createHostRead(name, t)
        self.read[name] = (tuple(t.shape()), t.elementType().dtype)
        return name

    def run(self) -> dict[str, np.ndarray]:
        """One run of the sequence."""
        engine = poplar.Engine(self.graph, [self.prog], self.options)
        for name, array in self.written.items():
            engine.writeTensor(name, array)
        engine.run()
        results = {}
        for name, (shape, dtype) in self.read.items():
            results[name] = np.empty(shape, dtype)
            engine.readTensor(name, results[name])
        return results


def evaluate(expr: Any, *arrays: Any, threads: int | None = None) -> np.ndarray:
    """`popops.map(expr)` over arrays."""
    rig = Rig(threads)
    name = rig.result(popops.map(rig.graph, expr, [rig.tensor(a) for a in arrays], rig.prog))
    return rig.run()[name]
