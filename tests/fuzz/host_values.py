"""Models that are grown along their values: `HostGraph`. Of operators on the host no shape is known
before the model runs; so each new node runs at once, by onnxruntime.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TypeProto, helper, numpy_helper

from popir.onnxio import schemas
from popir.types import DataType
from tests.fuzz.generator import BOOL, INT64, Array, Invalid

TEXT = np.dtype(object)
FLOAT = np.dtype(np.float32)
NUMBERS = (FLOAT, INT64, np.dtype(np.int32), np.dtype(np.float64), np.dtype(np.uint8))
TYPES = (*NUMBERS, BOOL, TEXT)
_WORDS = ("", "a", "b", "A", "ab", "a b", "b a ", "xyz", "12", "-3", "0.5", "a,b,,c", "ß", "the")
_MOST = 4000
"""Elements of a value."""


@dataclass(frozen=True)
class Item:
    """A value of the model, with what it is in this run."""

    name: str
    value: Any
    """An array, a list for a sequence or a map of it, None for an empty optional value."""
    type: TypeProto

    @property
    def array(self) -> Array:
        """The value of a tensor."""
        return np.asarray(self.value)

    @property
    def shape(self) -> tuple[int, ...]:
        """That of a tensor."""
        return self.array.shape


class HostGraph:
    """A model under construction: nodes, inputs, initializers, and all values."""

    def __init__(self, rng: random.Random, opset: int, learning: int) -> None:
        """`learning` is the version of ai.onnx.ml."""
        self.rng = rng
        self.opset, self.learning = opset, learning
        self.arrays = np.random.default_rng(rng.getrandbits(32))
        self.items: dict[str, Item] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: dict[str, TypeProto] = {}
        self.initializers: dict[str, Array] = {}

    # Values.

    def data(self, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
        """Few different elements, so that some are equal; none is infinite or NaN."""
        if dtype == TEXT:
            found = np.empty(shape, object)
            found.flat = [self.rng.choice(_WORDS) for _ in range(found.size)]
            return found
        if dtype == BOOL:
            return self.arrays.random(shape) < 0.5
        if dtype.kind == "f":
            found = self.arrays.standard_normal(shape)
            return np.asarray(np.round(found * 4) / 4 if self.rng.random() < 0.5 else found, dtype)
        return np.asarray(self.arrays.integers(0 if dtype.kind == "u" else -3, 4, shape), dtype)

    def shape(self, rank: int | None = None, least: int = 0) -> tuple[int, ...]:
        """A shape of few elements."""
        rank = self.rng.choice([0, 1, 1, 2, 2, 3]) if rank is None else rank
        sizes = [d for d in (0, 1, 2, 2, 3, 4, 7) if d >= least]
        return tuple(self.rng.choice(sizes) for _ in range(rank))

    def fresh(self, array: Any, dtype: np.dtype[Any] | None = None) -> Item:
        """A new input, whose shape the model may not know, or a new initializer."""
        array = np.asarray(array, dtype)
        name = f"x{len(self.items)}"
        code = DataType.of(array.dtype).onnx if array.dtype != TEXT else onnx.TensorProto.STRING
        dims: list[Any] | None = list(array.shape)
        if self.rng.random() < 0.35:
            self.initializers[name] = array
        else:
            if self.rng.random() < 0.5:
                dims = [f"{name}_{i}" if self.rng.random() < 0.7 else d for i, d in enumerate(dims)]
            self.inputs[name] = helper.make_tensor_type_proto(code, dims)
        self.items[name] = Item(name, array, helper.make_tensor_type_proto(code, None))
        return self.items[name]

    def tensor(
        self,
        types: Sequence[np.dtype[Any]] = TYPES,
        accepts: Callable[[Array], bool] = lambda _: True,
        least: int = 0,
    ) -> Item:
        """A tensor of one of the types that is accepted, of the model or a new one."""
        found = [
            item
            for item in self.items.values()
            if isinstance(item.value, np.ndarray)
            and item.array.dtype in types
            and min(item.shape, default=1) >= least
            and accepts(item.array)
        ]
        if found and self.rng.random() < 0.75:
            return self.rng.choice(found[-6:])
        for _ in range(60):
            array = self.data(self.rng.choice(types), self.shape(least=least))
            if accepts(array):
                return self.fresh(array)
        raise Invalid("no tensor is accepted")

    def sequence(self, accepts: Callable[[list[Any]], bool] = lambda _: True) -> Item:
        """A sequence of tensors, of the model or a new one."""
        found = [
            item
            for item in self.items.values()
            if item.type.HasField("sequence_type")
            and item.type.sequence_type.elem_type.HasField("tensor_type")
            and accepts(item.value)
        ]
        if found and self.rng.random() < 0.8:
            return self.rng.choice(found)
        x = self.tensor(TYPES)
        made = self.node("SequenceConstruct", [x] * self.rng.choice([1, 2]))[0]
        if not accepts(made.value):
            raise Invalid("no sequence is accepted")
        return made

    # Nodes.

    def node(
        self,
        type: str,
        inputs: Sequence[Item | None],
        attributes: Mapping[str, Any] | None = None,
        outputs: int = 1,
        domain: str = "",
        types: Sequence[TypeProto] | None = None,
    ) -> list[Item]:
        """Adds a node, and runs the model up to it. `types` are those of its outputs; by default
        each is what its value is. Raises Invalid if onnxruntime does not run it.
        """
        version = self.learning if domain else self.opset
        if schemas.find(domain or "ai.onnx", type, version) is None:
            raise Invalid(f"{type} is newer")
        names = ["" if item is None else item.name for item in inputs]
        made = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        given = {k: v for k, v in (attributes or {}).items() if v is not None}
        node = helper.make_node(type, names, made, f"n{len(self.nodes)}", domain=domain, **given)
        self.nodes.append(node)
        try:
            values = self._run(made, types)
            found = [
                Item(name, value, types[i] if types else type_of(value))
                for i, (name, value) in enumerate(zip(made, values, strict=True))
            ]
        except Invalid:
            self.nodes.pop()
            raise
        self.items.update((item.name, item) for item in found)
        return found

    def _run(self, names: Sequence[str], types: Sequence[TypeProto] | None) -> list[Any]:
        """The values of the outputs of the last node."""
        outputs = [
            onnx.ValueInfoProto(name=name, type=types[i] if types else None)
            for i, name in enumerate(names)
        ]
        found = _by_onnxruntime(self.model(outputs), self.feeds())
        if any(np.size(value) > _MOST for value in found if isinstance(value, np.ndarray)):
            raise Invalid("too large")
        return found

    def feeds(self) -> dict[str, Array]:
        """The arrays of the inputs."""
        return {name: self.items[name].array for name in self.inputs}

    def results(self) -> list[Item]:
        """What no node reads, and some of the rest; optional values aside."""
        read = {name for node in self.nodes for name in _read(node)}
        made = [self.items[name] for node in self.nodes for name in node.output]
        made = [item for item in made if not item.type.HasField("optional_type")]
        some = [item for item in made if item.name not in read or self.rng.random() < 0.2]
        return some or made[-1:]

    def model(self, outputs: Sequence[onnx.ValueInfoProto]) -> onnx.ModelProto:
        """The model, with all nodes."""
        graph = helper.make_graph(
            self.nodes,
            "random",
            [onnx.ValueInfoProto(name=name, type=type) for name, type in self.inputs.items()],
            outputs,
            [stored(array, name) for name, array in self.initializers.items()],
        )
        imports = [
            helper.make_opsetid("", self.opset),
            helper.make_opsetid("ai.onnx.ml", self.learning),
        ]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)


def stored(array: Array, name: str) -> onnx.TensorProto:
    """The array as ONNX writes it."""
    if array.dtype == TEXT:
        words = [str(word).encode() for word in array.reshape(-1)]
        return helper.make_tensor(name, onnx.TensorProto.STRING, array.shape, words)
    return numpy_helper.from_array(array, name)


def type_of(value: Any) -> TypeProto:
    """The type of a value, without a shape. Raises Invalid for what has none."""
    if isinstance(value, list) and value:
        return helper.make_sequence_type_proto(type_of(value[0]))
    if isinstance(value, dict) and value:
        key, each = next(iter(value.items()))
        code = onnx.TensorProto.STRING if isinstance(key, str) else onnx.TensorProto.INT64
        return helper.make_map_type_proto(code, type_of(np.asarray(each)))
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype.kind in "OUT":
            return helper.make_tensor_type_proto(onnx.TensorProto.STRING, None)
        return helper.make_tensor_type_proto(DataType.of(array.dtype).onnx, None)
    raise Invalid(f"a value without a type: {value!r}")


def _read(node: onnx.NodeProto) -> list[str]:
    """What the node and its graphs read."""
    inner = [a.g for a in node.attribute if a.HasField("g")]
    return [*node.input, *(name for g in inner for each in g.node for name in _read(each))]


def _by_onnxruntime(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return [_plain(value) for value in session.run(None, dict(feeds))]
    except Exception as error:  # onnxruntime has a class of its own for each kind.
        raise Invalid(f"onnxruntime: {error}") from error


def _plain(value: Any) -> Any:
    """The value with arrays of objects for strings."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "UT":
        return value.astype(object)
    return np.asarray(value) if isinstance(value, np.generic) else value
