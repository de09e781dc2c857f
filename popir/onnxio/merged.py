"""Separates initializers that an exporter has merged.

Exporters store initializers with equal values once: for example the zeros and ones that biases,
scales and statistics start with, or the weights of cloned layers. In training, layers that share
such an initializer would be updated together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from onnx import ModelProto, TensorProto

from popir import memory
from popir.cached import cached_property
from popir.errors import ModelError
from popir.ir.origin import BUILDER
from popir.onnxio import fx
from popir.onnxio.load import Loaded
from popir.onnxio.origin import KIND, producer_of
from popir.onnxio.tensors import TensorReader

STATISTICS: Mapping[str, Mapping[int, str]] = {
    "BatchNormalization": {3: "running_mean", 4: "running_var"}
}
"""The inputs that are statistics, by operator type, with PyTorch's names."""


def separate_merged(loaded: Loaded) -> Loaded:
    """The model with merged initializers separated, as far as the file tells which ones were
    merged.

    An initializer is taken for merged if all its elements are equal, or if the names differ in
    numbers only, as in the cloned layers of `nn.TransformerEncoder`. All others were shared on
    purpose: tied weights stay tied. If the file has the node's call in PyTorch, that decides.

    - `b = Identity(a)`, from PyTorch's tracing exporter: `b` becomes an initializer. In models of a
      Builder, or without a producer, an Identity is kept.
    - `one.weight` is read by nodes of the modules `one` and `two`, by the metadata of PyTorch's
      default exporter: the node of `two` gets a copy, `two.weight`.
    - A statistic of a normalisation that is also read as something else: the normalisation gets a
      copy, `bn.running_mean`.

    Raises OutOfMemoryException if the host cannot hold the copies.
    """
    merged = _Merged(loaded)
    if producer_of(loaded.model) not in ("", BUILDER):
        merged.separate_identities()
    merged.separate_modules()
    merged.separate_statistics()
    if merged.model is loaded.model:
        return loaded
    return loaded._replace(model=merged.model, values=merged.values)


class _Merged:
    """A model, which is copied before the first change."""

    def __init__(self, loaded: Loaded) -> None:
        self.model, self._given = loaded.model, loaded.model
        self._reader = TensorReader(loaded.folder, loaded.values)
        self.values = dict(loaded.values)
        self._outputs = {value.name for value in self.model.graph.output}
        self._uniform: dict[str, bool] = {}
        self._copies: dict[str, str] = {}
        """For each new initializer, the name of the one that it is a copy of."""

    @cached_property
    def _tensors(self) -> dict[str, TensorProto]:
        """The initializers, by name."""
        return {tensor.name: tensor for tensor in self._given.graph.initializer}

    @cached_property
    def _taken(self) -> set[str]:
        """The names of all tensors."""
        graph = self.model.graph
        read = {id for node in graph.node for id in (*node.input, *node.output)}
        return read.union(self._tensors, self._outputs, (value.name for value in graph.input))

    def separate_identities(self) -> None:
        """Replaces an Identity of a merged initializer by an initializer with its output's name."""
        gone: list[int] = []
        for n, node in enumerate(self.model.graph.node):
            if node.op_type != "Identity" or node.domain or not node.input or not node.output:
                continue
            if fx.call(node):  # An Identity of the network itself, not of the exporter.
                continue
            old, name = node.input[0], node.output[0]
            if name not in self._outputs and self._was_merged(old, name):
                self._copy(old, name)
                gone.append(n)
        for n in reversed(gone):
            del self.model.graph.node[n]

    def separate_modules(self) -> None:
        """Gives each module its own copy of an initializer that nodes of several modules read."""
        readers: dict[str, list[tuple[int, int, str]]] = {}
        nodes = self.model.graph.node
        modules = {fx.module(node) for node in nodes}
        if not any(modules):
            return

        @cache
        def named(suffix: str) -> Mapping[str, str]:
            """Maps the spelling in calls to the parameter name, for this suffix and all modules."""
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
                if name == id:  # The node read this parameter in PyTorch, too.
                    continue
                related = _within(owner, module) or _within(module, owner)
                if name is None and not related and self._was_merged(id, module + suffix):
                    name = module + suffix
                if name and (name not in self._taken or self._copies.get(name) == id):
                    self._replace(n, i, name)

    def separate_statistics(self) -> None:
        """Gives normalisations their own copies of statistics that are also read as something
        else.
        """
        normalisations = [
            (n, node) for n, node in enumerate(self.model.graph.node) if node.op_type in STATISTICS
        ]
        if not normalisations:
            return
        other = {
            id
            for node in self.model.graph.node
            for i, id in enumerate(node.input)
            if id in self._tensors and i not in STATISTICS.get(node.op_type, {})
        }
        names: dict[tuple[str, str], str] = {}
        for n, node in normalisations:
            for i, what in STATISTICS[node.op_type].items():
                if i < len(node.input) and node.input[i] in other:
                    old = node.input[i]
                    base = f"{node.input[1].removesuffix('.weight')}.{what}"
                    self._replace(n, i, names.setdefault((old, what), self._unused(base)))

    def _was_merged(self, id: str, other: str) -> bool:
        """Whether the initializers `id` and `other` were different ones, merged for equal
        values.
        """
        clones = re.sub(r"\d+", "0", id) == re.sub(r"\d+", "0", other)
        return id in self._tensors if clones else self._is_uniform(id)

    def _is_uniform(self, id: str) -> bool:
        """Whether `id` is an initializer with equal elements."""
        if id not in self._tensors:
            return False
        if id not in self._uniform:
            try:
                array = self._reader.initializer(self._tensors[id]).reshape(-1)
            except ModelError:  # The importer will raise it again, with its reason.
                self._uniform[id] = False
            else:
                self._uniform[id] = bool(len(array)) and bool((array == array[0]).all())
        return self._uniform[id]

    def _replace(self, n: int, i: int, name: str) -> None:
        """Makes input `i` of node `n` a copy of its initializer, named `name`. It is of the kind
        that the node's call says.
        """
        node = self.model.graph.node[n]
        if name not in self._copies:
            self._copy(node.input[i], name, fx.kind(node, name))
        self.model.graph.node[n].input[i] = name

    def _copy(self, old: str, name: str, kind: str = "") -> None:
        if self.model is self._given:
            self.model = ModelProto()
            self.model.CopyFrom(self._given)
        tensor = self._tensors[old]
        values = self.values.get(old)
        size = tensor.ByteSize() + (0 if values is None else len(values))
        memory.require(f"The initializer '{name}'", size)
        if values is not None:
            self.values[name] = values
        made = self.model.graph.initializer.add()
        made.CopyFrom(tensor)
        made.name = name
        if kind:
            kept = [entry for entry in tensor.metadata_props if entry.key != KIND]
            del made.metadata_props[:]
            made.metadata_props.extend(kept)
            made.metadata_props.add(key=KIND, value=kind)
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
