"""Random typed graphs, grown node by node: `Graph`. What each operator needs is in
`tests.fuzz.operators`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import TypeProto, helper, numpy_helper
from onnx.shape_inference import InferenceError, infer_node_outputs

from popir.onnxio import schemas
from popir.types import DataType

Array = np.ndarray[Any, Any]
Type = np.dtype[Any]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS: tuple[Type, ...] = (
    *(np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16)),
    BFLOAT16,
)
INTEGERS: tuple[Type, ...] = tuple(
    np.dtype(f"{sign}{bits}") for sign in ("int", "uint") for bits in (8, 16, 32, 64)
)
BOOL = np.dtype(bool)
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
_WEIGHTS = {np.dtype(np.float32): 12, np.dtype(np.float16): 3, INT64: 3, INT32: 3}
DIMENSIONS = [0, 1, 1, 2, 2, 3, 3, 4, 5, 17, 33]
RANKS = [0, 1, 1, 2, 2, 2, 3, 3, 4, 5]
LARGEST = 3000
"""Elements of a tensor, at most."""
OPSETS = range(7, 29)
"""Versions of ai.onnx. What is newer than 26 onnxruntime lacks: onnx.reference has it."""


class Invalid(Exception):
    """A node that the standard does not allow; another one is tried in its place."""


@dataclass(frozen=True)
class Value:
    """A tensor of the graph."""

    name: str
    dtype: Type
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


Sampler = Callable[[np.random.Generator, tuple[int, ...]], Array]


class Graph:
    """A graph under construction: nodes, and arrays for inputs and initializers."""

    def __init__(self, rng: random.Random, opset: int, types: Iterable[Type] | None = None) -> None:
        self.rng = rng
        self.opset = opset
        self.arrays = np.random.default_rng(rng.getrandbits(32))
        self.allowed = None if types is None else set(types)
        """The floating-point types that are used; None for all."""
        self.special = 0.08
        """How often an array of data has infinities, NaN and numbers near the ends of the range."""
        self.smooth = False
        """Whether data keep away from what has no derivative: equal numbers, integers, zero."""
        self._made = 0
        self._free: set[str] = set()
        """Inputs and initializers that any other data may replace."""
        self.nodes: list[onnx.NodeProto] = []
        self.values: dict[str, Value] = {}
        self.inputs: dict[str, Array] = {}
        self.initializers: dict[str, Array] = {}

    # Values.

    def shape(self, rank: int | None = None, least: int = 0) -> tuple[int, ...]:
        """A shape of few enough elements, whose dimensions are `least` and more."""
        ranks = RANKS if rank is None else [rank]
        sizes = [d for d in DIMENSIONS if d >= least]
        while True:
            found = tuple(self.rng.choice(sizes) for _ in range(self.rng.choice(ranks)))
            if math.prod(found) <= LARGEST:
                return found

    def type(self, types: Iterable[Type]) -> Type:
        """One of the types, the usual ones more often."""
        found = sorted(self._usable(types), key=str)
        if not found:
            raise Invalid("no type")
        return self.rng.choices(found, [_WEIGHTS.get(t, 1) for t in found])[0]

    def _usable(self, types: Iterable[Type]) -> list[Type]:
        kept = self.allowed
        return [t for t in types if kept is None or t not in FLOATS or t in kept]

    def pick(
        self, types: Iterable[Type], accepts: Callable[[Value], bool] = lambda _: True
    ) -> Value:
        """A value of the graph that is accepted, or a new one."""
        known = set(self._usable(types))
        found = [v for v in self._shared() if v.dtype in known and accepts(v)]
        if found and self.rng.random() < 0.75:
            return self.rng.choice(found[-6:] if self.rng.random() < 0.6 else found)
        for _ in range(100):
            value = Value("", self.type(known), self.shape())
            if accepts(value):
                return self.fresh(value.dtype, value.shape)
        raise Invalid("no shape is accepted")

    def like(self, dtype: Type, shape: tuple[int, ...]) -> Value:
        """A value of exactly this type: one of the graph, or a new one."""
        found = [v for v in self._shared() if v.dtype == dtype and v.shape == shape]
        if found and self.rng.random() < 0.4:
            return self.rng.choice(found)
        return self.fresh(dtype, shape)

    def _shared(self) -> list[Value]:
        """The values that may be used again. What operators take as a constant has no gradient."""
        if not self.smooth:
            return list(self.values.values())
        given = {*self.inputs, *self.initializers} - self._free
        return [v for v in self.values.values() if v.name not in given]

    def partner(self, value: Value, dtype: Type | None = None) -> Value:
        """A value that broadcasts with the given one, mostly to the shape of that."""
        shape = list(value.shape)
        action = self.rng.random()
        if action < 0.4:
            shape = shape[self.rng.randrange(len(shape) + 1) :]
        if action < 0.6:
            shape = [1 if self.rng.random() < 0.4 else d for d in shape]
        elif action < 0.7:
            shape = [self.rng.choice([2, 3, 5]) if d == 1 else d for d in shape]
            if len(shape) < 5 and self.rng.random() < 0.3:
                shape = [self.rng.choice([1, 2, 3]), *shape]
        if math.prod(np.broadcast_shapes(tuple(shape), value.shape)) > LARGEST:
            shape = list(value.shape)
        return self.like(dtype or value.dtype, tuple(shape))

    def fresh(
        self,
        dtype: Type,
        shape: Sequence[int],
        sampler: Sampler | None = None,
        constant: bool | None = None,
    ) -> Value:
        """A new input or initializer of the graph."""
        if constant is None:
            constant = self.rng.random() < 0.4
        name = f"{'c' if constant else 'x'}{self._made}"
        self._made += 1
        value = Value(name, dtype, tuple(shape))
        if sampler is None:
            self._free.add(name)
        array = self.data(dtype, value.shape) if sampler is None else sampler(self.arrays, shape)
        array = np.asarray(array, dtype).reshape(shape)
        (self.initializers if constant else self.inputs)[name] = array
        self.values[name] = value
        return value

    def constant(self, array: Any, dtype: Type = INT64) -> Value:
        """An initializer with these elements."""
        given = np.asarray(array, dtype)
        return self.fresh(dtype, given.shape, lambda *_: given, constant=True)

    def data(self, dtype: Type, shape: tuple[int, ...]) -> Array:
        """Elements of one of several distributions."""
        if dtype == BOOL:
            return self.arrays.random(shape) < 0.5
        if dtype not in FLOATS:
            low = 0 if dtype.kind == "u" else -9
            return self.arrays.integers(low, 10, shape)
        kind = 0.2 + 0.8 * self.rng.random() if self.smooth else self.rng.random()
        if kind < 0.15:
            found = self.arrays.integers(-3, 4, shape).astype(np.float64)
        elif kind < 0.3:
            found = self.arrays.uniform(0.1, 2, shape)
        elif kind < 0.35:
            found = self.arrays.standard_normal(shape) * 30
        else:
            found = self.arrays.standard_normal(shape)
        if self.smooth:
            found += np.where(found < 0, -0.05, 0.05)
        elif found.size and self.rng.random() < self.special:
            flat = found.reshape(-1)
            limits = ml_dtypes.finfo(dtype)
            points = [math.inf, -math.inf, math.nan, 0.0, -0.0, float(limits.max)]
            points += [float(limits.tiny), float(limits.smallest_subnormal), 1.0, -1.0, 100.0]
            for _ in range(self.rng.choice([1, 2, 5])):
                flat[self.rng.randrange(flat.size)] = self.rng.choice(points)
            found = flat.reshape(shape)
        with np.errstate(over="ignore"):
            return found.astype(dtype)

    # Nodes.

    def version(self, type: str) -> int:
        """The version of an operator of ai.onnx that is in force."""
        found = [v for v in schemas.versions("ai.onnx", type) if v <= self.opset]
        if not found:
            raise Invalid(f"{type} is newer than opset {self.opset}")
        return found[-1]

    def types(self, type: str, input: int = 0, domain: str = "ai.onnx") -> list[Type]:
        """The types of an input that the schema in force declares, of those used here."""
        schema = schemas.find(domain, type, self.opset if domain == "ai.onnx" else 1)
        if schema is None:
            raise Invalid(f"{type} is newer than opset {self.opset}")
        declared = {t.onnx for t in schema.inputs[input].types}
        every = (*FLOATS, *INTEGERS, BOOL)
        found = [t for t in every if DataType.of(t).onnx in declared]
        wanted = [t for t in found if self.allowed and t in self.allowed]
        return wanted or found

    def node(
        self,
        type: str,
        inputs: Sequence[Value | None],
        attributes: Mapping[str, Any] | None = None,
        outputs: int = 1,
        results: Sequence[tuple[Type, Sequence[int]]] | None = None,
        domain: str = "",
    ) -> list[Value]:
        """Adds a node. Types and shapes of its outputs are what onnx infers, unless given.

        Raises Invalid where onnx refuses the node or does not know the shapes.
        """
        names = ["" if v is None else v.name for v in inputs]
        while names and not names[-1]:
            names.pop()
        n = len(self.nodes)
        made = [f"t{n}" if not i else f"t{n}_{i}" for i in range(outputs)]
        node = helper.make_node(type, names, made, f"n{n}", domain=domain, **(attributes or {}))
        if not domain:
            self.version(type)
        if results is None:
            results = self._inferred(node)
        found = [Value(name, t, tuple(s)) for name, (t, s) in zip(made, results, strict=True)]
        if any(v.size > LARGEST for v in found):
            raise Invalid("too large")
        if any(min(v.shape, default=0) < 0 for v in found):  # As the last of too many equal parts.
            raise Invalid("nothing is left")
        self.nodes.append(node)
        self.values.update((v.name, v) for v in found)
        return found

    def _inferred(self, node: onnx.NodeProto) -> list[tuple[Type, tuple[int, ...]]]:
        schema = onnx.defs.get_schema(node.op_type, self.opset, node.domain)
        given = {name: typeOf(self.values[name]) for name in node.input if name}
        data = {
            name: numpy_helper.from_array(self.initializers[name], name)
            for name in node.input
            if name in self.initializers
        }
        imports = [helper.make_opsetid("", self.opset)]
        try:
            found = infer_node_outputs(schema, node, given, data, None, imports)
        except (InferenceError, onnx.checker.ValidationError) as error:
            raise Invalid(str(error)) from error
        return [_known(found[name]) for name in node.output]

    # The whole.

    def repeat(self) -> None:
        """Adds all nodes once more, on some other constants, and on a result in place of an input
        where one has the same type.
        """
        again = {
            name: self.fresh(array.dtype, array.shape, constant=True).name
            for name, array in list(self.initializers.items())
            if name in self._free and self.rng.random() < 0.5
        }
        made = [self.values[name] for node in self.nodes for name in node.output]
        for name in self.inputs:
            old = self.values[name]
            same = [v for v in made if (v.dtype, v.shape) == (old.dtype, old.shape)]
            if same and name in self._free and self.rng.random() < 0.7:
                again.setdefault(name, self.rng.choice(same).name)
        for node in list(self.nodes):
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.name = f"{node.name}r"
            copy.input[:] = [again.get(name, name) for name in node.input]
            copy.output[:] = [f"{name}r" for name in node.output]
            for old, new in zip(node.output, copy.output, strict=True):
                again[old] = new
                self.values[new] = Value(new, self.values[old].dtype, self.values[old].shape)
            self.nodes.append(copy)

    def results(self) -> list[str]:
        """The outputs of the graph: what nobody reads, and some of the rest."""
        read = {name for node in self.nodes for name in node.input}
        made = [name for node in self.nodes for name in node.output]
        some = [name for name in made if name not in read or self.rng.random() < 0.1]
        given = sorted({*self.inputs, *self.initializers} & read)
        if given and self.rng.random() < 0.03:  # What is given may be a result, too.
            some.append(self.rng.choice(given))
        return some or made[-1:]

    def model(self, outputs: Sequence[str]) -> onnx.ModelProto:
        """The model of these outputs, with all nodes."""
        return make_model(
            self.nodes, self.values, self.initializers, list(self.inputs), outputs, self.opset
        )


def make_model(
    nodes: Sequence[onnx.NodeProto],
    values: Mapping[str, Value],
    initializers: Mapping[str, Array],
    inputs: Sequence[str],
    outputs: Sequence[str],
    opset: int,
) -> onnx.ModelProto:
    """A model of the nodes; inputs and initializers are those that some node reads."""
    read = {name for node in nodes for name in node.input} | set(outputs)
    graph = helper.make_graph(
        nodes,
        "random",
        [info(values[name]) for name in inputs if name in read],
        [info(values[name]) for name in outputs],
        [numpy_helper.from_array(a, name) for name, a in initializers.items() if name in read],
    )
    domains = ("ai.graphcore", "ai.onnx.ml", "ai.onnx.preview.training")
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def typeOf(value: Value) -> TypeProto:
    """The value's type as ONNX writes it."""
    return helper.make_tensor_type_proto(DataType.of(value.dtype).onnx, value.shape)


def info(value: Value) -> onnx.ValueInfoProto:
    """The value's name and type as ONNX writes them."""
    return helper.make_tensor_value_info(value.name, DataType.of(value.dtype).onnx, value.shape)


def _known(type: TypeProto) -> tuple[Type, tuple[int, ...]]:
    tensor = type.tensor_type
    if not tensor.HasField("shape") or any(not d.HasField("dim_value") for d in tensor.shape.dim):
        raise Invalid("onnx does not know the shape")
    return DataType.of(tensor.elem_type).numpy, tuple(d.dim_value for d in tensor.shape.dim)
