"""The models that are mutated: one for each way of using an operator, and some with parts that the
operators' own tests do not need.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np
from onnx import ModelProto, SparseTensorProto, TensorProto, ValueInfoProto, helper, numpy_helper

from popir.onnxio import external, schemas
from tests.ops.cases import CASES, Case

FLOAT = TensorProto.FLOAT


@dataclass(frozen=True)
class Seed:
    """A model, and the files beside it."""

    name: str
    model: ModelProto
    files: dict[str, bytes] = field(default_factory=dict)


@functools.cache
def seeds() -> list[Seed]:
    """All of them, in an order that stays the same."""
    found = [chain(), in_files(), with_functions(), with_subgraphs(), with_constants()] * 5
    for case in CASES:
        versions = schemas.versions(case.domain, case.type)
        oldest = [6] if min(versions) <= 6 else []
        for opset in case.opsets or [*oldest, *(v for v in versions if v > 6)]:
            found.append(of_row(case, opset))
    return found


def of_row(case: Case, opset: int) -> Seed:
    """The operator of a row of the operators' table, alone."""
    given = list(case.arrays(np.float32))
    names = ["" if array is None else f"x{i}" for i, array in enumerate(given)]
    arrays = {name: array for name, array in zip(names, given, strict=True) if name}
    constants = {f"x{i}" for i in case.constants}
    domain = "" if case.domain == "ai.onnx" else case.domain
    outputs = [f"y{i}" for i in range(case.outputs)]
    graph = helper.make_graph(
        [helper.make_node(case.type, names, outputs, "node", domain=domain, **case.attributes)],
        case.name,
        [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for name, array in arrays.items()
            if name not in constants
        ],
        [ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(arrays[name], name) for name in sorted(constants)],
    )
    imports = [helper.make_opsetid("", 10 if domain else opset), helper.make_opsetid("own", 1)]
    domains = ("ai.graphcore", "ai.onnx.ml", "ai.onnx.preview.training")
    imports += [helper.make_opsetid(each, 1) for each in domains]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    return Seed(f"{case.name}-{opset}", model)


def _array(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def _model(name: str, nodes: list, initializers: list, shape: list[int], **more: object) -> Seed:
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [ValueInfoProto(name="y")],
        initializers,
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return Seed(name, helper.make_model(graph, opset_imports=imports, ir_version=8, **more))


def chain() -> Seed:
    """Convolution to class scores, with most kinds of operators in between."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "s", "s", "s", "v"], ["n"], "norm"),
        node("Relu", ["n"], ["r"]),
        node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Reshape", ["p", "shape"], ["f"]),
        node("Gemm", ["f", "g"], ["z"], transB=1),
        node("Softmax", ["z"], ["y"], axis=-1),
    ]
    weights = {
        "w": _array(2, 1, 3, 3),
        "s": np.ones(2, np.float32),
        "v": np.ones(2, np.float32),
        "g": _array(3, 8),
        "shape": np.array([1, -1], np.int64),
    }
    tensors = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    return _model("chain", nodes, tensors, [1, 1, 4, 4])


def in_files() -> Seed:
    """Two tensors in one file, one in another."""
    first, second = _array(3, 4), _array(4)
    where = {
        "w": external.Place("weights.bin", 0, 48),
        "b": external.Place("weights.bin", 64, 16),
        "c": external.Place("sub/c.bin"),
    }
    tensors = []
    for name, place in where.items():
        tensor = numpy_helper.from_array(first if name == "w" else second, name)
        external.points_to(tensor, place)
        tensors.append(tensor)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["a"]),
        helper.make_node("Mul", ["a", "c"], ["y"]),
    ]
    data = {
        "weights.bin": first.tobytes() + bytes(16) + second.tobytes(),
        "sub/c.bin": second.tobytes(),
    }
    found = _model("in_files", nodes, tensors, [2, 3])
    return Seed(found.name, found.model, data)


def with_functions() -> Seed:
    """A function that calls another, with attributes handed down."""
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.add(name="alpha", ref_attr_name="slope", type=1)
    inner = helper.make_function("own", "Inner", ["a"], ["b"], [leaky], imports, ["slope"])
    call = helper.make_node("Inner", ["a"], ["m"], domain="own", slope=0.25)
    twice = helper.make_node("Add", ["m", "m"], ["b"])
    outer = helper.make_function("own", "Outer", ["a"], ["b"], [call, twice], imports)
    nodes = [
        helper.make_node("Outer", ["x"], ["h"], domain="own"),
        helper.make_node("Outer", ["h"], ["y"], domain="own"),
    ]
    return _model("with_functions", nodes, [], [2, 3], functions=[inner, outer])


def with_subgraphs() -> Seed:
    """A condition with a branch inside of a branch."""
    value = [ValueInfoProto(name="o")]
    leaf = helper.make_graph([helper.make_node("Neg", ["x"], ["o"])], "leaf", [], value)
    other = helper.make_graph([helper.make_node("Abs", ["x"], ["o"])], "other", [], value)
    inner = helper.make_node("If", ["k"], ["o"], then_branch=leaf, else_branch=other)
    branch = helper.make_graph([inner], "branch", [], value)
    nodes = [helper.make_node("If", ["k"], ["y"], then_branch=branch, else_branch=other)]
    condition = numpy_helper.from_array(np.array(True), "k")
    return _model("with_subgraphs", nodes, [condition], [2, 3])


def with_constants() -> Seed:
    """Constants of every kind, a sparse initializer, typed data."""
    sparse = SparseTensorProto(
        dims=[2, 3],
        values=numpy_helper.from_array(np.array([1, 2], np.float32), "s"),
        indices=numpy_helper.from_array(np.array([1, 4], np.int64), "i"),
    )
    typed = [
        helper.make_tensor("t", FLOAT, [3], [1.0, 2.0, 3.0]),
        helper.make_tensor("h", TensorProto.FLOAT16, [3], [1.0, 2.0, 3.0]),
        helper.make_tensor("names", TensorProto.STRING, [2], ["a", "b"]),
    ]
    node = helper.make_node
    nodes = [
        node("Constant", [], ["c"], value=helper.make_tensor("c", FLOAT, [3], [1.0, 2.0, 3.0])),
        node("Constant", [], ["f"], value_float=1.5),
        node("Constant", [], ["l"], value_ints=[3, 2]),
        node("Constant", [], ["d"], sparse_value=sparse),
        node("Cast", ["h"], ["g"], to=FLOAT),
        node("Sum", ["x", "s", "t", "c", "f", "d", "g"], ["z"]),
        node("Reshape", ["z", "l"], ["y"]),
    ]
    found = _model("with_constants", nodes, typed, [2, 3])
    found.model.graph.sparse_initializer.append(sparse)
    return found
