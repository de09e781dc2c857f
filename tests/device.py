"""Runs library functions on arrays: what tests of popops, popnn, poprand and popir.ext share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from popir import poplar

Build = Callable[..., Any]


TYPES = {
    t.dtype: t
    for t in (
        poplar.BOOL,
        poplar.SIGNED_CHAR,
        poplar.UNSIGNED_CHAR,
        poplar.SHORT,
        poplar.UNSIGNED_SHORT,
        poplar.INT,
        poplar.UNSIGNED_INT,
        poplar.LONGLONG,
        poplar.UNSIGNED_LONGLONG,
        poplar.HALF,
        poplar.FLOAT,
        poplar.DOUBLE,
    )
}
"""The device type that holds a numpy dtype."""


class Device:
    """A graph of `build(graph, *tensors, prog)`, whose inputs are arrays and results tensors.

    `build` returns a tensor, a list of tensors, or None; then the inputs, which it has changed, are
    the results.
    """

    def __init__(self, build: Build, *arrays: np.ndarray, threads: int = 1) -> None:
        self.graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.prog = poplar.program.Sequence()
        self.inputs = []
        linear = poplar.VariableMappingMethod.LINEAR
        for i, array in enumerate(arrays):
            t = self.graph.addVariable(poplar.typeOf(array.dtype), array.shape, linear, f"in{i}")
            self.graph.createHostWrite(f"in{i}", t)
            self.inputs.append(t)
        results = build(self.graph, *self.inputs, self.prog)
        self.single = not isinstance(results, Sequence | None)
        self.results = self.inputs if results is None else [results] if self.single else results
        for i, t in enumerate(self.results):
            self.graph.createHostRead(f"out{i}", t)
        options = {"host.numThreads": str(threads)}
        self.engine = poplar.Engine(self.graph, [self.prog], options)
        self.write(*arrays)

    def write(self, *arrays: np.ndarray) -> None:
        for i, array in enumerate(arrays):
            self.engine.writeTensor(f"in{i}", np.ascontiguousarray(array))

    def run(self) -> Any:
        """The results after one more run: an array, or a list if `build` gave one or None."""
        self.engine.run()
        arrays = []
        for i, t in enumerate(self.results):
            out = np.empty(t.shape(), t.elementType().dtype)
            self.engine.readTensor(f"out{i}", out)
            arrays.append(out)
        return arrays[0] if self.single else arrays


def run(build: Build, *arrays: np.ndarray, threads: int = 1) -> Any:
    """What `build(graph, *tensors, prog)` computes from the arrays; see Device."""
    return Device(build, *arrays, threads=threads).run()
