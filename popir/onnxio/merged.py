"""Gives back to each layer the initializers that an exporter has merged.

Exporters store initializers of equal values once: the zeros and ones that biases, scales and
statistics begin with, the weights of layers that were cloned. Training would then move all layers
together that share one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from onnx import ModelProto

from popir import memory
from popir.errors import ModelError
from popir.ir.origin import BUILDER
from popir.onnxio import fx
from popir.onnxio.load import Loaded
from popir.onnxio.origin import originOf
from popir.onnxio.tensors import TensorReader

STATISTICS: Mapping[str, Mapping[int, str]] = {
    "BatchNormalization": {3: "running_mean", 4: "running_var"}
}
"""By operator, the inputs that are statistics, with what PyTorch calls them."""


def separateMerged(loaded: Loaded) -> Loaded:
    """The model with initializers apart that are of different layers, as far as the file says so.

    Merged are initializers whose elements are all equal, and those whose names differ in numbers
    alone, as the layers of `nn.TransformerEncoder` do, which are clones. Others were shared on
    purpose: tied weights stay tied. Where the file holds PyTorch's own call, that decides.

    - `b = Identity(a)`, as PyTorch's tracing exporter writes it: `b` becomes an initializer. In a
      model of a Builder, or of nobody's, an Identity is what it says, also of one element.
    - `one.weight` is read by a node that PyTorch's default exporter says was of the module `two`,
      and by one of `one`: the first reads `two.weight` from then on.
    - A statistic of a normalisation that is something else too: it becomes `bn.running_mean`.

    Raises OutOfMemoryException where the host cannot hold them apart.
    """
    merged = _Merged(loaded)
    if originOf(loaded.model).producer not in ("", BUILDER):
        merged.separateIdentities()
    merged.separateModules()
    merged.separateStatistics()
    return loaded if merged.model is loaded.model else loaded._replace(model=merged.model)


class _Merged:
    """A model, copied before the first change."""

    def __init__(self, loaded: Loaded) -> None:
        self.model, self._given = loaded.model, loaded.model
        self._reader = TensorReader(loaded.folder)
        graph = self.model.graph
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        self._outputs = {value.name for value in graph.output}
        self._taken = {id for node in graph.node for id in (*node.input, *node.output)}
        self._taken |= {*self._tensors, *self._outputs, *(value.name for value in graph.input)}
        self._uniform: dict[str, bool] = {}
        self._copies: dict[str, str] = {}
        """By name, what each is a copy of."""

    def separateIdentities(self) -> None:
        """What an Identity makes of an initializer becomes one itself."""
        gone: list[int] = []
        for n, node in enumerate(self.model.graph.node):
            if node.op_type != "Identity" or node.domain or not node.input or not node.output:
                continue
            if fx.call(node):  # Something that the network computes.
                continue
            old, name = node.input[0], node.output[0]
            if name not in self._outputs and self._wasMerged(old, name):
                self._copy(old, name)
                gone.append(n)
        for n in reversed(gone):
            del self.model.graph.node[n]

    def separateModules(self) -> None:
        """Initializers that nodes of several modules read."""
        readers: dict[str, list[tuple[int, int, str]]] = {}
        nodes = self.model.graph.node
        modules = {fx.module(node) for node in nodes}

        @cache
        def named(suffix: str) -> Mapping[str, str]:
            """The parameters that modules may have, by their names in calls."""
            return {fx.argument(module + suffix): module + suffix for module in modules}

        for n, node in enumerate(nodes):
            if module := fx.module(node):
                for i, id in enumerate(node.input):
                    if id in self._tensors:
                        readers.setdefault(id, []).append((n, i, module))
        for id, uses in readers.items():
            owner = id.rpartition(".")[0]
            own = next((module for _, _, module in uses if _within(owner, module)), None)
            if own is None:
                continue
            for n, i, module in uses:
                suffix = id.removeprefix(own)
                said = fx.parameters(nodes[n]) & named(suffix).keys()
                name = named(suffix)[said.pop()] if len(said) == 1 else None
                if name == id:  # It reads what it read in PyTorch.
                    continue
                related = _within(owner, module) or _within(module, owner)
                if name is None and not related and self._wasMerged(id, module + suffix):
                    name = module + suffix
                if name and (name not in self._taken or self._copies.get(name) == id):
                    self._replace(n, i, name)

    def separateStatistics(self) -> None:
        """Statistics that are read as something else too."""
        other = {
            id
            for node in self.model.graph.node
            for i, id in enumerate(node.input)
            if id in self._tensors and i not in STATISTICS.get(node.op_type, {})
        }
        names: dict[tuple[str, str], str] = {}
        for n, node in enumerate(self.model.graph.node):
            for i, what in STATISTICS.get(node.op_type, {}).items():
                if i < len(node.input) and node.input[i] in other:
                    old = node.input[i]
                    base = f"{node.input[1].removesuffix('.weight')}.{what}"
                    self._replace(n, i, names.setdefault((old, what), self._unused(base)))

    def _wasMerged(self, id: str, other: str) -> bool:
        """Whether the initializer `id` was `other` too for its values alone."""
        clones = re.sub(r"\d+", "0", id) == re.sub(r"\d+", "0", other)
        return id in self._tensors if clones else self._isUniform(id)

    def _isUniform(self, id: str) -> bool:
        """Whether it is an initializer whose elements are all equal."""
        if id not in self._tensors:
            return False
        if id not in self._uniform:
            try:
                array = self._reader.array(self._tensors[id]).reshape(-1)
            except ModelError:  # Who reads it next says why.
                self._uniform[id] = False
            else:
                self._uniform[id] = bool(len(array)) and bool((array == array[0]).all())
        return self._uniform[id]

    def _replace(self, n: int, i: int, name: str) -> None:
        """Has a node read a copy of its input, under another name."""
        old = self.model.graph.node[n].input[i]
        if name not in self._copies:
            self._copy(old, name)
        self.model.graph.node[n].input[i] = name

    def _copy(self, old: str, name: str) -> None:
        if self.model is self._given:
            self.model = ModelProto()
            self.model.CopyFrom(self._given)
        tensor = self._tensors[old]
        memory.require(f"The initializer '{name}'", tensor.ByteSize())
        self.model.graph.initializer.add().CopyFrom(tensor)
        self.model.graph.initializer[-1].name = name
        self._tensors[name] = tensor
        self._copies[name] = old
        self._taken.add(name)

    def _unused(self, base: str) -> str:
        name, n = base, 0
        while name in self._taken:
            n += 1
            name = f"{base}/{n}"
        return name


def _within(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith(f"{outer}.")
