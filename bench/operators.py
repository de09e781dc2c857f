"""Single operators of ONNX against onnxruntime, one thread each, slowest ratio first.

    python -m bench.operators                   all rows
    python -m bench.operators Softmax TopK      rows whose names have one of these words
    python -m bench.operators --realtime        at real-time priority (as root)
    python -m bench.operators --json FILE       the figures as JSON too

Each row is a model of one node, called as a user calls it, in turns in one process; the least time
of each counts. One thread, because a runtime that spins while it waits would take a second core
from the other. A ratio is onnxruntime's time over popir's.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from bench import peers
from bench.report import Report, measurement

Array = np.ndarray[Any, Any]
SECONDS, LEAST_RUNS = 0.15, 6
WIDE = (64, 4096)
_random = np.random.default_rng(0)


def floats(*shape: int) -> Array:
    """Normal numbers."""
    return _random.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Array:
    """Numbers of 0.1 and more."""
    return np.asarray(np.abs(floats(*shape)) + 0.1, np.float32)


def integers(most: int, *shape: int, kind: Any = np.int64) -> Array:
    """Numbers from 0 to `most` - 1."""
    return _random.integers(0, most, shape).astype(kind)


def number(value: float) -> Array:
    """A constant of rank 0."""
    return np.array(value, np.float32)


@dataclass
class Row:
    """A model of one node: its inputs, then its initializers."""

    type: str
    inputs: list[Array]
    constants: list[Array] = field(default_factory=list)
    note: str = ""
    outputs: int = 1
    opset: int = 17
    domain: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The type, with what tells rows of one type apart."""
        return f"{self.type}{f', {self.note}' if self.note else ''}"

    def model(self) -> bytes:
        """The serialised model; an empty constant is an input that is left out."""
        given = [f"x{i}" for i in range(len(self.inputs))]
        kept = [f"c{i}" if c.size else "" for i, c in enumerate(self.constants)]
        made = [f"y{i}" for i in range(self.outputs)]
        attributes = {"domain": self.domain, **self.attributes}
        node = helper.make_node(self.type, given + kept, made, **attributes)
        kinds = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in self.inputs]
        infos = map(helper.make_tensor_value_info, given, kinds, (x.shape for x in self.inputs))
        outputs = [helper.make_tensor_value_info(id, TensorProto.UNDEFINED, None) for id in made]
        for each in outputs:
            each.ClearField("type")
        named = zip(kept, self.constants, strict=True)
        initializers = [numpy_helper.from_array(c, id) for id, c in named if id]
        graph = helper.make_graph([node], "operator", [*infos], outputs, initializers)
        opsets = [helper.make_opsetid("", self.opset)]
        if self.domain:
            opsets.append(helper.make_opsetid(self.domain, 1))
        return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def elementwise() -> Iterator[Row]:
    """Functions of one, two and three tensors, and casts."""
    names = (
        "Abs Neg Relu Sigmoid Tanh Exp Erf Floor Round Sign Softplus Softsign Selu Elu LeakyRelu"
    )
    names += " HardSigmoid HardSwish Sin Cos Tan Atan Sinh Cosh Asinh Reciprocal Celu Mish"
    for name in names.split():
        yield Row(name, [floats(*WIDE)], opset=18)
    for form in ("none", "tanh"):
        yield Row("Gelu", [floats(*WIDE)], [], form, opset=20, attributes={"approximate": form})
    for name in ("Sqrt", "Log"):
        yield Row(name, [positive(*WIDE)])
    for name in ("Asin", "Acos", "Atanh"):
        yield Row(name, [np.clip(floats(*WIDE) / 5, -0.9, 0.9)])
    for name in ("Add", "Sub", "Mul", "Div", "Max"):
        for note, other in {"": WIDE, "a row": (4096,), "a column": (64, 1)}.items():
            yield Row(name, [floats(*WIDE), positive(*other)], [], note)
    for exponent in (0.5, 2, 3, 4):
        yield Row("Pow", [positive(*WIDE)], [number(exponent)], str(exponent))
    yield Row("Pow", [positive(*WIDE), floats(*WIDE)], [], "tensors")
    yield Row("Mod", [floats(*WIDE), positive(*WIDE)], attributes={"fmod": 1})
    for name in ("Mul", "Div", "Mod"):
        yield Row(name, [integers(100, *WIDE), integers(9, *WIDE) + 1], [], "INT64")
    for name in ("Equal", "Greater"):
        yield Row(name, [floats(*WIDE), floats(*WIDE)])
    condition = integers(2, *WIDE, kind=bool)
    yield Row("Where", [condition, floats(*WIDE), floats(*WIDE)])
    yield Row("Clip", [floats(*WIDE)], [number(-1), number(1)])
    yield Row("PRelu", [floats(8, 32, 32, 32), positive(32, 1, 1)])
    types = {"FLOAT16": 10, "INT64": 7, "UINT8": 2}
    for note, kind in types.items():
        yield Row("Cast", [positive(*WIDE)], [], f"to {note}", attributes={"to": kind})
    for kind in (np.int32, np.uint8, bool):
        name = f"from {np.dtype(kind).name}"
        yield Row("Cast", [integers(99, *WIDE, kind=kind)], [], name, attributes={"to": 1})
    scale, zero = number(0.1), np.array(0, np.uint8)
    yield Row("QuantizeLinear", [floats(*WIDE)], [scale, zero])
    yield Row("DequantizeLinear", [integers(255, *WIDE, kind=np.uint8)], [scale, zero])
    yield Row("DynamicQuantizeLinear", [floats(*WIDE)], outputs=3)


def other_types() -> Iterator[Row]:
    """Functions of integers, halves, doubles and truth values."""
    names = "Add Mul Div Mod Max Equal Less".split()
    bytes: dict[Any, list[str]] = {
        np.int8: ["Mod"],
        np.uint8: ["Mod", "Max"],
    }  # what onnxruntime has of them
    kinds: tuple[Any, ...] = (np.int8, np.uint8, np.int32, np.int64)
    for kind in kinds:
        for name in bytes.get(kind, names):
            x, y = integers(100, *WIDE, kind=kind), integers(9, *WIDE, kind=kind) + kind(1)
            yield Row(name, [x, y], [], np.dtype(kind).name)
    x, y = integers(100, *WIDE), integers(9, *WIDE) + 1
    for name in ("Add", "Div", "Mod"):
        yield Row(name, [x], [np.array(7)], "int64 by a constant")
    for name in ("Abs", "Neg", "Sign"):
        yield Row(name, [x - 50], [], "int64")
    shift, bits = {"direction": "LEFT"}, integers(99, *WIDE, kind=np.uint32)
    yield Row("BitShift", [bits, bits % 9], attributes=shift)
    yield Row("BitwiseAnd", [x, y], opset=18)
    truth = [integers(2, *WIDE, kind=bool), integers(2, *WIDE, kind=bool)]
    for name in ("And", "Or", "Xor"):
        yield Row(name, truth)
    yield Row("Not", truth[:1])
    for name in ("IsNaN", "IsInf"):
        yield Row(name, [floats(*WIDE)])
    column = integers(2, 64, 1, kind=bool)
    yield Row("Where", [column, floats(*WIDE), floats(4096)], [], "broadcast")
    yield Row("Where", [truth[0], floats(*WIDE)], [number(0)], "a scalar")
    yield Row("Where", [truth[0], x, y], [], "int64")
    for kind in (np.float16, np.float64):
        note = np.dtype(kind).name
        a, b = floats(*WIDE).astype(kind), positive(*WIDE).astype(kind)
        for name in ("Add", "Mul", "Div"):
            yield Row(name, [a, b], [], note)
        for name in ("Relu", "Sigmoid", "Tanh", "Exp", "Sqrt"):
            yield Row(name, [b], [], note)
    pairs = ("float32 int32", "float32 int8", "float32 float64", "float32 bool", "float16 float32")
    pairs += ("float64 float32", "int64 float32", "int64 int32", "int32 int64", "uint8 int32")
    for pair in (*pairs, "bool int64", "int64 bool", "float64 int64", "float16 int32"):
        given, to = map(np.dtype, pair.split())
        x = (positive(*WIDE) * 50).astype(given)
        kind = helper.np_dtype_to_tensor_dtype(to)
        yield Row("Cast", [x], [], f"{given} to {to}", attributes={"to": kind})
    for name in ("Sin", "Log"):
        yield Row(name, [positive(*WIDE).astype(np.float64)], [], "float64")
    x, scale, zero = floats(*WIDE), positive(64), integers(9, 64, kind=np.uint8)
    axis = {"axis": 0}
    yield Row("QuantizeLinear", [x], [scale, zero], "of rows", attributes=axis)
    zero = np.array(0, np.int8)
    yield Row("QuantizeLinear", [x], [number(0.1), zero], "int8")
    eight = integers(99, *WIDE, kind=np.int8)
    yield Row("DequantizeLinear", [eight], [number(0.1), zero], "int8")
    zeros = integers(9, 64, kind=np.int8)
    yield Row("DequantizeLinear", [eight], [scale, zeros], "of rows", attributes=axis)
    for name in "Add Mul Relu Sigmoid Exp Div".split():
        two = [positive(256)] * 2 if name in ("Add", "Mul", "Div") else [floats(256)]
        yield Row(name, two, [], "256 elements")
    for name in ("ThresholdedRelu", "Shrink", "Ceil", "Acosh"):
        yield Row(name, [positive(*WIDE) + 1])
    for name in ("Sum", "Mean", "Min"):
        yield Row(name, [floats(*WIDE)] * 3, [], "of 3")
    yield Row("Add", [floats(64, 1), floats(4096)], [], "a column and a row")
    yield Row("Mul", [floats(8, 32, 32, 32), floats(32, 1, 1)], [], "channels")


def rows() -> Iterator[Row]:
    """Reductions, normalisations, and what selects or orders."""
    for name in "Mean Max Prod L1 L2 LogSumExp SumSquare".split():
        for axis in (0, 1):
            attributes = {"axes": [axis]}
            yield Row(f"Reduce{name}", [positive(*WIDE)], [], f"{axis}", attributes=attributes)
    for axes in ([1], [2, 3]):
        x = floats(16, 64, 16, 16)
        yield Row("ReduceMean", [x], [], f"{axes} of 4", attributes={"axes": axes})
    for name in ("Softmax", "LogSoftmax", "Hardmax", "LpNormalization"):
        yield Row(name, [floats(*WIDE)])
    yield Row("Softmax", [floats(2048, 128)], [], "short rows")
    yield Row("Softmax", [floats(16, 64, 256)], [], "axis 1", attributes={"axis": 1})
    yield Row("LayerNormalization", [floats(1024, 256)], [positive(256), floats(256)])
    yield Row("RMSNormalization", [floats(256, 512)], [positive(512)], opset=23)
    image, channel = floats(8, 32, 32, 32), [positive(32), floats(32)]
    group = {"num_groups": 8}
    yield Row("GroupNormalization", [image], channel, opset=21, attributes=group)
    yield Row("InstanceNormalization", [image], channel)
    yield Row("BatchNormalization", [image], [*channel, floats(32), positive(32)])
    yield Row("LRN", [image], attributes={"size": 5})
    for axis in (0, 1):
        yield Row("ArgMax", [floats(*WIDE)], [], f"{axis}", attributes={"axis": axis})
        yield Row("CumSum", [floats(*WIDE)], [np.array(axis)], f"{axis}")
    for name in "Sum Min LogSum".split():
        for axis in (0, 1):
            yield Row(f"Reduce{name}", [positive(*WIDE)], [np.array([axis])], f"{axis}", opset=18)
    for kind in (np.int32, np.int64, np.float64, np.float16):
        x = integers(100, *WIDE).astype(kind)
        for name in ("ReduceSum", "ReduceMax"):
            if not (kind == np.float16 and name == "ReduceMax"):
                for axis in (0, 1):
                    note = f"{axis} of {np.dtype(kind)}"
                    yield Row(name, [x], [np.array([axis])], note, opset=18)
    whole = {"keepdims": 0}
    for name in ("ReduceSum", "ReduceMax", "ReduceMean"):
        yield Row(name, [floats(*WIDE)], [], "all", opset=18, attributes=whole)
    middle = {"axes": [1]}
    for name in ("ReduceMean", "ReduceMax"):
        yield Row(name, [floats(16, 64, 256)], [], "1 of 3", attributes=middle)
    yield Row("ArgMin", [floats(16, 64, 256)], [], "1 of 3", attributes={"axis": 1})
    yield Row("ArgMax", [integers(99, *WIDE, kind=np.int32)], [], "int32", attributes={"axis": 1})
    yield Row("CumSum", [integers(99, *WIDE)], [np.array(1)], "1 of int64")
    yield Row("CumSum", [floats(16, 64, 256)], [np.array(1)], "1 of 3", attributes={"reverse": 1})
    half = floats(*WIDE).astype(np.float16)
    yield Row("Softmax", [half], [], "float16")
    yield Row("Softmax", [floats(*WIDE).astype(np.float64)], [], "float64")
    yield Row("MeanVarianceNormalization", [image])
    yield Row("LpPool", [image], attributes={"kernel_shape": [2, 2], "strides": [2, 2]})
    yield Row("LayerNormalization", [floats(4096, 32)], [positive(32), floats(32)], "short rows")
    for k in (1, 10, 1000):
        yield Row("TopK", [floats(*WIDE)], [np.array([k])], f"{k}", outputs=2)
    middle = {"axis": 1}
    yield Row("TopK", [floats(128, 64, 16)], [np.array([5])], "1 of 3", 2, attributes=middle)
    yield Row("TopK", [integers(100000, 64, 1000)], [np.array([20])], "int64", 2)
    yield Row("ArgMax", [floats(8, 21, 64, 64)], [], "1 of 4", attributes=middle)
    axes = {"axes": [1]}
    yield Row("ReduceLogSumExp", [floats(16, 64, 256)], [], "1 of 3", attributes=axes)


def movement() -> Iterator[Row]:
    """What copies, repeats, gathers and scatters."""
    shapes: dict[tuple[int, ...], tuple[int, ...]] = {
        (1, 0): (512, 512),
        (0, 2, 1, 3): (8, 64, 8, 64),
        (0, 2, 3, 1): (8, 32, 64, 64),
        (0, 3, 1, 2): (8, 64, 64, 32),
        (2, 1, 0): (64, 64, 64),
    }
    for perm, shape in shapes.items():
        yield Row("Transpose", [floats(*shape)], [], f"{perm}", attributes={"perm": perm})
    for axis in (0, 1):
        parts = [floats(64, 2048), floats(64, 2048)]
        yield Row("Concat", parts, [], f"{axis}", attributes={"axis": axis})
    yield Row("Split", [floats(*WIDE)], outputs=4, opset=13, attributes={"axis": 1})
    bounds = [np.array([n]) for n in (1, 4096, 1, 2)]
    yield Row("Slice", [floats(*WIDE)], bounds, "a step")
    pads, image = np.array([0, 0, 1, 1, 0, 0, 1, 1]), floats(8, 32, 30, 30)
    for mode in ("constant", "reflect", "edge"):
        yield Row("Pad", [image], [pads], mode, attributes={"mode": mode})
    yield Row("Expand", [floats(64, 1)], [np.array(WIDE)])
    yield Row("Tile", [floats(64, 512)], [np.array([1, 8])])
    table, at = floats(*WIDE), integers(4096, 64, 1024)
    yield Row("Gather", [floats(4096, 64), integers(4096, 4096)], [], "rows")
    yield Row("Gather", [table, at[0]], [], "columns", attributes={"axis": 1})
    yield Row("GatherElements", [table, at], attributes={"axis": 1})
    points = np.stack([integers(64, 4096), integers(4096, 4096)], -1)
    yield Row("GatherND", [table, points])
    yield Row("ScatterND", [table, points, floats(4096)])
    yield Row("ScatterElements", [table, at, floats(64, 1024)], attributes={"axis": 1})
    yield Row("OneHot", [integers(128, 2048)], [np.array(128), np.array([0, 1], np.float32)])
    yield Row("Trilu", [floats(16, 128, 128)])
    yield Row("DepthToSpace", [floats(4, 64, 32, 32)], attributes={"blocksize": 2})
    lengths, axes = integers(64, 64) + 1, {"batch_axis": 1, "time_axis": 0}
    yield Row("ReverseSequence", [floats(64, 64, 64), lengths], attributes=axes)
    yield Row("Gather", [integers(99, 4096, 64), integers(4096, 4096)], [], "rows of int64")
    yield Row("Gather", [floats(4096), integers(4096, 64, 1024)], [], "elements")
    yield Row("GatherElements", [table, integers(64, 64, 4096)], [], "0", attributes={"axis": 0})
    yield Row("GatherElements", [integers(99, *WIDE), at], [], "int64", attributes={"axis": 1})
    yield Row("GatherND", [table, integers(64, 256, 1)], [], "rows")
    even = np.arange(0, 64, 2).reshape(-1, 1)
    yield Row("ScatterND", [table, even, floats(32, 4096)], [], "rows")
    added, updates = {"axis": 1, "reduction": "add"}, floats(64, 1024)
    yield Row("ScatterElements", [table, at, updates], [], "add", opset=18, attributes=added)
    across = {"axis": 0}
    places = integers(64, 64, 4096)
    yield Row("ScatterElements", [table, places, floats(*WIDE)], [], "0", attributes=across)
    for axis in (0, 1):
        three = [floats(16, 32, 256)] * 3
        yield Row("Concat", three, [], f"{axis} of 3", attributes={"axis": axis})
    yield Row("Concat", [floats(4096, 3)] * 2, [], "short rows", attributes={"axis": 1})
    yield Row("Split", [floats(*WIDE)], [], "0", 4, opset=13)
    yield Row("Slice", [floats(*WIDE)], [np.array([n]) for n in (8, 4000, 1)], "columns")
    bounds = [np.array([n]) for n in (-1, -5000, 1, -1)]
    yield Row("Slice", [floats(*WIDE)], bounds, "backwards")
    bounds = [np.array(n) for n in ([0, 0], [64, 64], [2, 3], [2, 2])]
    yield Row("Slice", [floats(8, 32, 64, 64)], bounds, "2 steps")
    yield Row("Expand", [floats(1, 4096)], [np.array(WIDE)], "rows")
    yield Row("Expand", [floats(16, 1, 256)], [np.array([16, 64, 256])], "middle")
    yield Row("Tile", [floats(64, 64)], [np.array([8, 8])], "both")
    for kind in (np.int64, np.uint8):
        x = integers(99, 512, 512, kind=kind)
        yield Row("Transpose", [x], [], np.dtype(kind).name, attributes={"perm": (1, 0)})
    yield Row("SpaceToDepth", [floats(4, 16, 64, 64)], attributes={"blocksize": 2})
    yield Row("Identity", [floats(*WIDE)])
    yield Row("Reshape", [floats(*WIDE)], [np.array([4096, 64])])
    kept = integers(2, 64, kind=bool)
    yield Row("Compress", [floats(*WIDE)], [kept], attributes={"axis": 0})
    yield Row("Trilu", [integers(9, 16, 128, 128)], [], "int64", attributes={"upper": 0})
    sizes = np.array([4, 32, 48, 80], np.int64)
    align = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    empty = np.array([], np.float32)
    yield Row(
        "Resize",
        [floats(4, 32, 32, 32)],
        [empty, empty, sizes],
        "linear to sizes",
        attributes=align,
    )
    half = np.array([1, 1, 0.5, 0.5], np.float32)
    down = {"mode": "linear"}
    yield Row("Resize", [floats(4, 32, 64, 64)], [empty, half], "linear down", attributes=down)
    pictures = integers(200, 8, 56, 56, 24, kind=np.uint8)
    yield Row("Transpose", [pictures], [], "uint8, 24 channels", attributes={"perm": (0, 3, 1, 2)})
    halves = floats(32, 64, 64).astype(np.float16)
    along = {"axis": 1}
    yield Row("GatherElements", [halves, integers(64, 32, 16, 64)], [], "half", attributes=along)
    halves, at = floats(1000, 8, 64).astype(np.float16), integers(8, 12)
    yield Row("Gather", [halves, at], [], "1 of 3, half", attributes=along)
    halves = floats(128, 64, 64).astype(np.float16)
    at = np.stack([integers(128, 500), integers(64, 500)], -1)
    yield Row("ScatterND", [halves, at, halves[0, 0] * np.ones((500, 1), np.float16)], [], "half")
    sequences = {"batch_axis": 0, "time_axis": 1}
    lengths = integers(100, 32) + 1
    yield Row("ReverseSequence", [floats(32, 100, 64), lengths], [], "rows", attributes=sequences)
    twice, none = np.array([1, 1, 2, 2], np.float32), np.array([], np.float32)
    for mode in ("nearest", "linear", "cubic"):
        x = floats(4, 32, 32, 32)
        yield Row("Resize", [x], [none, twice], mode, attributes={"mode": mode})
    yield Row("GridSample", [floats(2, 16, 32, 32), np.clip(floats(2, 32, 32, 2), -1, 1)])


def contractions() -> Iterator[Row]:
    """Pooling, products, convolutions and recurrences."""
    image = floats(4, 32, 64, 64)
    two = {"kernel_shape": [2, 2], "strides": [2, 2]}
    three = {"kernel_shape": [3, 3], "pads": [1] * 4}
    for note, attributes in {"2 x 2": two, "3 x 3": three}.items():
        for name in ("MaxPool", "AveragePool"):
            yield Row(name, [image], [], note, attributes=attributes)
    for name in ("GlobalAveragePool", "GlobalMaxPool"):
        yield Row(name, [image])
    halved = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}
    for name in ("MaxPool", "AveragePool"):
        yield Row(name, [image], [], "3 x 3 by 2", attributes=halved)
    line = {"kernel_shape": [4], "strides": [2]}
    yield Row("MaxPool", [floats(16, 32, 512)], [], "of a line", attributes=line)
    for m, k, n in ((1, 1024, 1024), (128, 512, 512), (100, 333, 777), (4096, 16, 32)):
        yield Row("MatMul", [floats(m, k)], [floats(k, n)], f"{m} x {k} x {n}")
    yield Row("MatMul", [floats(128, 512), floats(512, 512)], [], "both change")
    yield Row("MatMul", [floats(8, 128, 64), floats(8, 64, 128)], [], "8 of 128 x 64 x 128")
    for kind in (np.float16, np.float64):
        a, b = floats(128, 512).astype(kind), floats(512, 512).astype(kind)
        yield Row("MatMul", [a], [b], np.dtype(kind).name)
    a, b = integers(255, 128, 512, kind=np.uint8), integers(100, 512, 512, kind=np.uint8)
    yield Row("MatMulInteger", [a], [b])
    signed = integers(100, 512, 512, kind=np.int8)
    zeros = [np.array(3, np.uint8), np.array(2, np.int8)]
    yield Row("MatMulInteger", [a], [signed, *zeros], "zero points")
    yield Row("MatMulInteger", [a[:1]], [signed], "one row")
    byte, scale = np.array(3, np.uint8), number(0.01)
    quantized = [scale, byte, b, scale, byte, number(0.5), byte]
    yield Row("QLinearMatMul", [a], quantized)
    x, w = integers(255, 1, 64, 28, 28, kind=np.uint8), integers(99, 64, 64, 3, 3, kind=np.int8)
    kept = {"pads": [1] * 4}
    signed_zero = np.array(0, np.int8)
    convolved = [scale, byte, w, scale, signed_zero, number(0.5), byte]
    yield Row("QLinearConv", [x], convolved, attributes=kept)
    yield Row("ConvInteger", [x], [w.astype(np.uint8)], attributes=kept)
    packed = [integers(255, 512, 16, 16, kind=np.uint8), positive(512 * 16)]
    bits = {"K": 512, "N": 512, "bits": 4, "block_size": 32}
    yield Row("MatMulNBits", [floats(8, 512)], packed, domain="com.microsoft", attributes=bits)
    yield Row("Gemm", [floats(128, 512)], [floats(512, 512), floats(512)], attributes={"transB": 1})
    equation = {"equation": "bij,bjk->bik"}
    yield Row("Einsum", [floats(8, 128, 64), floats(8, 64, 128)], attributes=equation)
    equation = {"equation": "bhid,bhjd->bhij"}
    heads = [floats(2, 4, 64, 64), floats(2, 4, 64, 64)]
    yield Row("Einsum", heads, [], "heads", attributes=equation)
    same = [1] * 4
    yield Row("Conv", [floats(1, 256, 28, 28)], [floats(128, 256, 1, 1)], "one point")
    weights = floats(64, 64, 3, 3)
    yield Row("Conv", [floats(1, 64, 56, 56)], [weights], "3 x 3", attributes={"pads": same})
    halved = {"pads": same, "strides": [2, 2]}
    yield Row("Conv", [floats(1, 64, 56, 56)], [weights], "3 x 3 by 2", attributes=halved)
    channels = {"pads": same, "group": 64}
    weights = floats(64, 1, 3, 3)
    yield Row("Conv", [floats(1, 64, 56, 56)], [weights], "depthwise", attributes=channels)
    groups = {"pads": same, "group": 4}
    yield Row("Conv", [floats(1, 64, 28, 28)], [floats(64, 16, 3, 3)], "groups", attributes=groups)
    line = {"pads": [1, 1]}
    yield Row("Conv", [floats(4, 64, 1000)], [floats(64, 64, 3)], "of a line", attributes=line)
    upper = {"strides": [2, 2]}
    yield Row("ConvTranspose", [floats(1, 64, 28, 28)], [floats(64, 32, 2, 2)], attributes=upper)
    for name, gates in {"LSTM": 4, "GRU": 3, "RNN": 1}.items():
        weights = [0.1 * floats(1, gates * 128, 64), 0.1 * floats(1, gates * 128, 128)]
        yield Row(name, [floats(32, 8, 64)], weights, attributes={"hidden_size": 128})


def measure(row: Row) -> peers.Result:
    """The times of popir and of onnxruntime."""
    import onnxruntime as ort

    import popir

    model, inputs = row.model(), {f"x{i}": x for i, x in enumerate(row.inputs)}
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    theirs = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    theirs.run(None, inputs)
    given = popir.SessionOptions()
    given.engineOptions = {"host.numThreads": "1"}
    device, flow = popir.DeviceManager().createCpuDevice(), [f"y{i}" for i in range(row.outputs)]
    session = popir.InferenceSession(model, popir.DataFlow(1, flow), device, userOptions=given)
    session.prepareDevice()
    io = popir.PyStepIO(inputs, session.initAnchorArrays())
    session.run(io)
    own: list[float] = []
    others: list[float] = []
    end = time.perf_counter() + SECONDS
    while len(own) < LEAST_RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        session.run(io)
        middle = time.perf_counter()
        theirs.run(None, inputs)
        own.append(middle - start)
        others.append(time.perf_counter() - middle)
    return peers.Result.of(own, others)


@measurement(realtime=True)
def main(report: Report) -> None:
    """Measure and print."""
    found: dict[str, peers.Result] = {}
    peers.set_priority(report.realtime)
    for part in (elementwise, other_types, rows, movement, contractions):
        for row in part():
            if report.wants(row.name):
                found[row.name] = measure(row)
    peers.set_priority(False)
    report.table("operator", *peers.Result.columns("onnxruntime", "us")[:-1])
    for name, each in sorted(found.items(), key=lambda item: item[1].ratio):
        report.row(name, *each.cells("us")[:-1])
    if len(found) > 1:
        report.say(f"{len(found)} rows. {peers.summary(list(found.values()))}")


if __name__ == "__main__":
    main(sys.argv[1:])
