"""Functions of bytes that are looked up in a table of 256 results: the bits of the loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir

Array = np.ndarray[Any, Any]
TYPES = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8, np.float32: TensorProto.FLOAT}


class Model:
    """A model of one input, written node by node."""

    def __init__(self, kind: Any, *shape: int) -> None:
        self.kind, self.shape = kind, shape
        self.nodes: list[onnx.NodeProto] = []
        self.values: list[onnx.TensorProto] = []
        self.results: list[tuple[str, Any]] = []

    def const(self, value: Any) -> str:
        self.values.append(numpy_helper.from_array(np.asarray(value), f"c{len(self.values)}"))
        return self.values[-1].name

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [*inputs], [name], **attributes))
        return name

    def floats(self, x: str, scale: float, zero: int, kind: Any = None) -> str:
        given = self.const(np.float32(scale)), self.const((kind or self.kind)(zero))
        return self.add("DequantizeLinear", x, *given)

    def quantized(self, x: str, scale: float, zero: int, kind: Any = None) -> str:
        given = self.const(np.float32(scale)), self.const((kind or self.kind)(zero))
        return self.add("QuantizeLinear", x, *given)

    def result(self, name: str, kind: Any = None) -> str:
        self.results.append((name, kind or self.kind))
        return name

    def bytes(self) -> bytes:
        given = helper.make_tensor_value_info("x", TYPES[self.kind], self.shape)
        ends = [
            helper.make_tensor_value_info(name, TYPES[kind], None) for name, kind in self.results
        ]
        graph = helper.make_graph(self.nodes, "bytes", [given], ends, initializer=self.values)
        opsets = [helper.make_opsetid("", 17)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return made.SerializeToString()

    def run(self, x: Array, without: str = "", threads: int = 2) -> tuple[list[Array], str]:
        """The results, and the plan."""
        names = [name for name, _ in self.results]
        options = {"host.without": without, "host.numThreads": str(threads)}
        session = popir.InferenceSession(
            self.bytes(),
            popir.DataFlow(1, names),
            popir.DeviceManager().createCpuDevice(),
            userOptions=popir.SessionOptions(engineOptions={"debug.verifyPlan": "true", **options}),
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({"x": x}, anchors))
        return [np.array(anchors[name]) for name in names], session.planText()


def every(kind: Any, *shape: int) -> Array:
    """Random bytes, each of the 256 among them."""
    count = int(np.prod(shape))
    found = np.random.default_rng(1).integers(0, 256, count, np.uint8)
    found[:256] = np.arange(256)
    return found.view(kind).reshape(shape)


def swish(m: Model, x: str = "x") -> str:
    """x times its sigmoid, which is quantized in between, as quantizers write it."""
    wide = m.floats(x, 0.043, 7)
    sigmoid = m.quantized(m.add("Sigmoid", wide), 1 / 256, 0)
    return m.quantized(m.add("Mul", wide, m.floats(sigmoid, 1 / 256, 0)), 0.031, 9)


@pytest.mark.parametrize("shape", [(4096,), (3, 17, 331), (65, 4099)])
@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_a_chain_of_bytes_is_one_table(kind: Any, shape: tuple[int, ...]) -> None:
    m = Model(kind, *shape)
    m.result(swish(m))
    x = every(kind, *shape)
    (found,), plan = m.run(x)
    (loops,), other = m.run(x, "tables")
    assert ", table" in plan and ", table" not in other
    np.testing.assert_array_equal(found, loops)
    peer = onnxruntime.InferenceSession(m.bytes(), providers=["CPUExecutionProvider"])
    (expected,) = peer.run(None, {"x": x})
    # Their sigmoid is within a unit of the last place of ours, and may round to the next byte.
    apart = np.abs(found.astype(int) - np.asarray(expected).astype(int))
    assert apart.max() <= 1 and (apart > 0).mean() < 0.02


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_read_by_way_of_a_buffer(threads: int) -> None:
    m = Model(np.uint8, 128, 96)
    turned = m.add("Transpose", "x", perm=[1, 0])
    m.result(m.quantized(m.add("Exp", m.floats(turned, 0.01, 130)), 0.02, 3))
    x = every(np.uint8, 128, 96)
    (found,), _ = m.run(x, threads=threads)
    (loops,), _ = m.run(x, "tables", threads)
    np.testing.assert_array_equal(found, loops)


def test_several_tables_and_what_others_read() -> None:
    """Of one input: two tables of other types, a chain of floats that is a result, and a sum."""
    m = Model(np.uint8, 70, 90)
    wide = m.floats("x", 0.02, 128)
    tanh = m.add("Tanh", wide)
    m.result(m.quantized(tanh, 1 / 128, -3, np.int8), np.int8)
    m.result(tanh, np.float32)
    m.result(m.quantized(m.add("Exp", wide), 0.05, 0))
    m.result(m.add("Add", tanh, wide), np.float32)
    x = every(np.uint8, 70, 90)
    found, plan = m.run(x)
    loops, _ = m.run(x, "tables")
    assert ", table" in plan
    for one, other in zip(found, loops, strict=True):
        np.testing.assert_array_equal(one, other)


def test_two_inputs_of_bytes_have_no_table() -> None:
    m = Model(np.uint8, 64, 128)
    other = m.const(every(np.uint8, 64, 128))
    both = m.add("Add", m.floats("x", 0.02, 128), m.floats(other, 0.03, 100))
    m.result(m.quantized(m.add("Sigmoid", both), 1 / 256, 0))
    x = every(np.uint8, 64, 128)[::-1].copy()
    (found,), plan = m.run(x)
    (loops,), _ = m.run(x, "tables")
    assert ", table" not in plan
    np.testing.assert_array_equal(found, loops)


def test_few_elements_have_no_table() -> None:
    m = Model(np.uint8, 1000)
    m.result(swish(m))
    assert ", table" not in m.run(every(np.uint8, 1000))[1]
