"""What the nodes of a random graph compute, by other hands.

onnxruntime answers for the whole model where it can. Node by node, it answers for each type that it
has; where it lacks one, half and bfloat16 are computed in float and rounded, and integers by
`onnx.reference`. Operators of ai.graphcore are formulas of numpy.

Long, because it names, operator by operator, where other hands depart from ONNX's text.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

from popir.onnxio import schemas
from popir.types import DataType
from tests.fuzz import learning, popart
from tests.fuzz.generator import BFLOAT16, FLOATS, Array, Graph, Type, Value

_HALF, _FLOAT = np.dtype(np.float16), np.dtype(np.float32)


class Refused(Exception):
    """No oracle computes this."""


_STATES = ("NotImplemented", "InvalidGraph", "Fail", "InvalidArgument", "RuntimeException")
_REFUSALS: tuple[Any, ...] = (
    *(getattr(onnxruntime.capi.onnxruntime_pybind11_state, state) for state in _STATES),
    RuntimeError,
)


def _options() -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options


def _session(model: onnx.ModelProto) -> Any:
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), _options(), providers=["CPUExecutionProvider"]
        )
    except _REFUSALS as error:
        raise Refused(str(error)) from error


def whole(
    model: onnx.ModelProto, inputs: Mapping[str, Array], values: Mapping[str, Value]
) -> dict[str, Array]:
    """The model's outputs by onnxruntime. Raises Refused."""
    for node in model.graph.node:
        known = [values[name] for name in node.input if name]
        if node.domain or not _is_right(node, known):
            raise Refused(f"onnxruntime does not do {node.op_type} as ONNX says")
    if any(array.dtype == BFLOAT16 for array in inputs.values()):
        raise Refused("inputs of bfloat16")
    names = [value.name for value in model.graph.output]
    try:
        return dict(zip(names, _session(model).run(None, dict(inputs)), strict=True))
    except _REFUSALS as error:
        raise Refused(str(error)) from error


def evaluate(
    nodes: Sequence[onnx.NodeProto],
    opset: int,
    given: Mapping[str, Array],
    change: Callable[[str, Array, Any], Array] = lambda _, array, __: array,
) -> dict[str, Array]:
    """All values, node by node. Raises Refused.

    `change` is applied to each value before it is used; it is told the value's name, and the size
    of what was cancelled on the way to it.
    """
    values = {name: np.asarray(change(name, array, 0.0)) for name, array in given.items()}
    softmaxes = {name for node in nodes if node.op_type == "Softmax" for name in node.output}
    for node in nodes:
        inputs = [values[name] if name else None for name in node.input]
        if node.op_type == "Nll" and node.input[0] in softmaxes:
            _check_joined(node, *(np.asarray(a) for a in inputs))
        for i, (name, array) in enumerate(
            zip(node.output, apply(node, opset, inputs), strict=True)
        ):
            values[name] = np.asarray(change(name, array, _cancelled(node, i, inputs)))
    return values


def _check_joined(node: onnx.NodeProto, p: Array, labels: Array) -> None:
    """Raises Unspecified where a pattern that joins Softmax and Nll has another result: it knows
    logarithms below the one that PopART has its losses end at.
    """
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    used = labels != given.get("ignoreIndex", -1)
    picked = np.take_along_axis(p, np.where(used, labels, 0)[..., None], -1)[..., 0]
    least = picked[used].astype(np.float64).min(initial=1)
    if not given.get("inputIsLogProbability", 0) and least < _least(p.dtype):
        raise Unspecified("Nll of a Softmax that is nearly 0")


def _cancelled(node: onnx.NodeProto, output: int, inputs: Sequence[Array | None]) -> Any:
    """The size of the terms whose difference an output is, which may be larger than itself."""
    if node.op_type not in CANCELLING:
        return 0.0
    epsilon = next((a.f for a in node.attribute if a.name == "epsilon"), 1e-5)
    if node.op_type == "BatchNormalization" and not output:
        # The mean is taken off after both were divided by the deviation.
        x, scale, _, mean, variance = (np.asarray(a).astype(np.float64) for a in inputs)
        if len(node.output) == 5:
            axes = (0, *range(2, x.ndim))
            mean, variance = x.mean(axes), x.var(axes)
        with np.errstate(all="ignore"):
            size = np.abs(mean * scale) / np.sqrt(variance + epsilon)
        return 1 + size.reshape(-1, *[1] * (x.ndim - 2))
    if node.op_type == "LayerNormalization" and not output:
        x, scale = (np.asarray(a).astype(np.float64) for a in inputs[:2])
        axis = next((a.i for a in node.attribute if a.name == "axis"), -1)
        axes = tuple(range(axis % x.ndim, x.ndim))
        mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        with np.errstate(all="ignore"):
            return 1 + np.abs(mean * scale) / np.sqrt(variance + epsilon)
    if node.op_type == "GridSample":
        # A position is off by a rounding, and the field between elements as steep as it is large.
        field = np.abs(np.asarray(inputs[0]).astype(np.float64))
        return field[np.isfinite(field)].max(initial=0)
    return 1.0


_NEWEST = 26
"""The newest opset that onnxruntime takes."""


def apply(node: onnx.NodeProto, opset: int, inputs: Sequence[Array | None]) -> list[Array]:
    """The outputs of one node. Raises Refused."""
    _check(node, inputs)
    if node.domain == "ai.graphcore":
        return _formula(node, inputs)
    if node.domain:
        return learning.formula(node, [np.asarray(a) for a in inputs])
    if node.op_type in ("MaxPool", "AveragePool", "LpPool"):
        node = _explicit(node, np.shape(inputs[0]))
    if node.op_type == "MaxPool":
        # The same operator, which onnxruntime has for doubles, too; onnx.reference is wrong where
        # the two paddings of a dimension differ.
        opset = max(opset, 8)
    if max(v for v in schemas.versions("ai.onnx", node.op_type) if v <= opset) <= _NEWEST:
        opset = min(opset, _NEWEST)
    types = tuple(None if a is None else (a.dtype, a.shape) for a in inputs)
    fits = all(a is None or a.dtype != BFLOAT16 for a in inputs)
    try:
        if not fits or _cast_to(node) == DataType.BFLOAT16.onnx:
            raise Refused("bfloat16")
        if not _is_right(node, [a for a in inputs if a is not None]):
            raise Refused(node.op_type)
        return _run(_single(node.SerializeToString(), opset, types), inputs)
    except Refused:
        if any(a is not None and a.dtype in (_HALF, BFLOAT16) for a in inputs) or _cast_to(node):
            return _widened(node, opset, inputs)
        return _reference(node, opset, inputs)


def _is_right(node: onnx.NodeProto, inputs: Sequence[Value | Array]) -> bool:
    """Whether onnxruntime does what the standard says, where it takes the node."""
    if node.op_type in _OF_INTEGERS and inputs[0].dtype not in FLOATS:
        # It forms squares and sums of exponentials in the integers' type, each one cut off: of 9
        # and 9 it makes 9 + log(1 + 1) = 9, of large numbers the root of what is left of a square.
        return False
    if node.op_type.startswith("Reduce"):
        # Dimensions of no element it leaves instead of making them 1.
        return 0 not in inputs[0].shape
    if node.op_type in ("Gemm", "MatMul", "MatMulInteger") and 0 in inputs[0].shape:
        # Where nothing is added up it forgets Gemm's beta, and leaves a product unwritten.
        return False
    if (
        node.op_type in ("MaxPool", "AveragePool", "LpPool")
        and _explicit(node, inputs[0].shape) != node
    ):
        return False
    if node.op_type == "Attention":  # With is_causal, a mask and a past it has other results.
        return False
    if node.op_type == "DFT":  # Its angles are floats: of 257 elements 4 digits are left.
        return False
    # It has the constants in float.
    double = any(each.dtype == np.float64 for each in inputs)
    if node.op_type in ("Gelu", "HardSwish", "Mish") and double:
        return False
    arrays = [each for each in inputs if isinstance(each, np.ndarray)]
    return len(arrays) < len(inputs) or _is_right_of(node, arrays)


def _is_right_of(node: onnx.NodeProto, inputs: Sequence[Array]) -> bool:
    """Whether onnxruntime does what the standard says with these elements."""
    type, x = node.op_type, inputs[0]
    finite = x.dtype not in FLOATS or np.isfinite(x.astype(np.float64)).all()
    if not finite and (
        # The running sum of its windows keeps a NaN; its mean and variance are formed in one pass;
        # its loops over doubles pass over NaN, and over the sign of a NaN in half.
        type in ("LRN", "LayerNormalization")
        or (type == "LogSoftmax" and x.dtype == np.float64)
        or (type == "Sign" and x.dtype == _HALF)
        # It begins with the least finite number, and takes it for a bound that is left out.
        or type == "GlobalMaxPool"
        or (type == "Clip" and len([name for name in node.input if name]) < 3)
    ):
        return False
    if type == "LRN":
        # The running sum of its windows takes out again what it has added: beside a large square
        # the others lose their digits.
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        largest = np.square(x.astype(np.float64)).max(initial=0) * given.get("alpha", 1e-4)
        return bool(largest <= 8 * given.get("bias", 1.0) * given["size"])
    if type == "Slice" and len(inputs) == 5:
        # The largest number it takes for "to the end" backwards, too, where that is the first
        # element; the standard has it be clamped.
        ends, steps = inputs[2], inputs[4]
        return not ((steps < 0) & (ends >= np.iinfo(np.int32).max)).any()
    if type == "BitCast":
        return bool(finite)  # The bits of a NaN are nobody's.
    if type == "Pow" and x.dtype not in FLOATS:
        # It computes in double, from which what is too large does not come back modulo 2^n.
        return not _overflows(x, inputs[1])
    return True


def _overflows(base: Array, exponent: Array) -> bool:
    """Whether some power is beyond the integers of the base's type."""
    with np.errstate(all="ignore"):
        powers = np.abs(np.power(base.astype(np.float64), exponent.astype(np.float64)))
    return bool((powers > np.iinfo(base.dtype).max).any())


def _explicit(node: onnx.NodeProto, shape: Sequence[int]) -> onnx.NodeProto:
    """A pooling whose windows are narrower than its strides, with as many windows as `auto_pad`
    SAME asks for and no padding where none is needed; others as they are.

    There onnxruntime's AveragePool and onnx.reference cut off instead of padding, onnxruntime's
    MaxPool refuses, and neither's Conv does.
    """
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    mode = given.get("auto_pad", b"NOTSET")
    n = len(shape) - 2
    strides, window = given.get("strides", [1] * n), given["kernel_shape"]
    reach = [(w - 1) * d + 1 for w, d in zip(window, given.get("dilations", [1] * n), strict=True)]
    totals = [
        (-(-size // s) - 1) * s + r - size
        for size, s, r in zip(shape[2:], strides, reach, strict=True)
    ]
    if not mode.startswith(b"SAME") or min(totals) >= 0:
        return node
    small = [max(total, 0) // 2 for total in totals]
    large = [max(total, 0) - a for total, a in zip(totals, small, strict=True)]
    found = onnx.NodeProto()
    found.CopyFrom(node)
    kept = [a for a in node.attribute if a.name not in ("auto_pad", "ceil_mode")]
    del found.attribute[:]
    pads = [*small, *large] if mode == b"SAME_UPPER" else [*large, *small]
    found.attribute.extend([*kept, helper.make_attribute("pads", pads)])
    return found


class Unspecified(Refused):
    """The standard does not say what this computes."""


def _check(node: onnx.NodeProto, inputs: Sequence[Array | None]) -> None:
    """Raises Unspecified."""
    if node.op_type == "Pow" and inputs[0] is not None and inputs[1] is not None:
        base, exponent = inputs[0], inputs[1]
        if base.dtype not in FLOATS and exponent.dtype in FLOATS and _overflows(base, exponent):
            raise Unspecified("Pow: a float beyond the integers")
    type = node.op_type
    floats = [a.astype(np.float64) for a in inputs if a is not None and a.dtype in FLOATS]
    extrema = type in ("MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin", "MaxRoiPool", "TopK")
    extrema |= type in ("ArgMax", "ArgMin", "Hardmax", "Sort")
    if extrema and floats and np.isnan(floats[0]).any():
        raise Unspecified(f"{type} of NaN: onnxruntime passes over it, numpy and PyTorch do not")
    if type == "QuantizeLinear" and any((~(np.abs(a) < 1e6)).any() for a in floats):
        raise Unspecified("QuantizeLinear of NaN, and of what onnx.reference has no int32 for")
    scatters = type in ("ScatterElements", "ScatterND") and any(np.isnan(a).any() for a in floats)
    if scatters and any(a.s in (b"max", b"min") for a in node.attribute):
        raise Unspecified(f"{type} of NaN: onnxruntime's result depends on the order")
    if type == "RoiAlign" and any(not np.isfinite(a).all() for a in floats):
        raise Unspecified("RoiAlign: whether pixels of the weight 0 are multiplied by it")
    if type in ("LSTM", "GRU", "RNN") and any(not np.isfinite(a).all() for a in floats):
        raise Unspecified(f"{type}: whether products with an initial state of zeros are made")
    if type in ("LSTM", "GRU", "RNN") and any(
        ((a != 0) & (np.abs(a) < 1e-30)).any() for a in floats
    ):
        raise Unspecified(f"{type}: whether numbers near the least one are taken for 0")
    recurrent = type in ("LSTM", "GRU", "RNN") and len(inputs) > 5 and inputs[5] is not None
    if recurrent and (np.abs(np.asarray(inputs[5]).astype(np.float64)) > 5).any():
        raise Unspecified(f"{type}: onnxruntime's sigmoid keeps three digits of a large state")
    weights = floats[1:2] if type == "Conv" else floats if type == "MultiConv" else []
    if any(not np.isfinite(a).all() for a in weights) and _pads(node):
        raise Unspecified(f"{type}: whether weights without bounds are multiplied by padding")
    if type == "Scan" and _HALF in (np.asarray(a).dtype for a in inputs):
        # The body of the generator: state * row + state.
        with np.errstate(all="ignore"):
            growth = 1 + np.abs(floats[1].reshape(len(floats[1]), -1)).max(1, initial=0)
            if not np.abs(floats[0]).max(initial=0) * growth.prod() < 6e4:
                raise Unspecified("Scan: whether a half overflows on the way")
    if type == "Shrink" and not floats:
        # onnxruntime computes it in float, onnx.reference in double.
        largest = np.abs(np.asarray(inputs[0]).astype(np.float64)).max(initial=0)
        if largest >= 2**24:
            raise Unspecified("Shrink of integers that are no floats")
    if type in ("Shrink", "GroupNormalization") and np.asarray(inputs[0]).dtype == np.float64:
        raise Unspecified(f"{type}: onnxruntime computes doubles in float")
    if type == "SplineWeighting" and any((~(np.abs(a) < 1e12)).any() for a in floats):
        raise Unspecified("SplineWeighting: which of its products of three overflows first")
    if type == "Attention" and any(not np.isfinite(a).all() for a in floats):
        raise Unspecified("Attention: whether what is not seen is multiplied by 0")
    if type == "LRN" and floats and (np.abs(floats[0]) > 1e15).any():
        raise Unspecified("LRN: squares may overflow")
    if type in ("ReduceProd", "ReduceSum", "ReduceSumSquare") and not floats:
        sizes = np.abs(np.asarray(inputs[0]).astype(np.float64))
        largest = np.maximum(sizes, 1).prod() if type == "ReduceProd" else np.square(sizes).sum()
        if not largest < np.iinfo(np.asarray(inputs[0]).dtype).max:
            raise Unspecified(f"{type}: integers may overflow")
    if type in ("ReduceLogSum", "ReduceLogSumExp") and not floats:
        least = 1 if type == "ReduceLogSum" else -np.inf
        if not np.asarray(inputs[0]).size or np.min(np.asarray(inputs[0])) < least:
            raise Unspecified(f"{type}: the logarithm may be no integer")
    if type in _OF_INTEGERS and not floats:
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        axes = [np.asarray(a) for a in inputs[1:] if a is not None]
        with np.errstate(all="ignore"):
            exact = _OF_INTEGERS[type](np.asarray(inputs[0]), *axes, **given)
        whole = np.rint(exact)
        close = np.abs(exact - whole) <= 1e-12 * np.abs(exact)
        # Squares up to 2^52 are added up without rounding.
        if (close & ((exact != whole) | (np.abs(exact) > 2**26))).any():
            raise Unspecified(f"{type}: rounding decides on which side of an integer it is")
        if not (np.abs(exact) < np.iinfo(np.asarray(inputs[0]).dtype).max).all():
            raise Unspecified(f"{type}: integers may overflow")
    if type in ("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"):
        ignored = next((a.i for a in node.attribute if a.name == "ignore_index"), None)
        labels = np.asarray(inputs[1])
        weights = np.asarray(inputs[2]) if len(inputs) > 2 and inputs[2] is not None else None
        used = labels[labels != ignored] if ignored is not None else labels
        if not used.size or (weights is not None and not weights[used].astype(np.float64).sum()):
            raise Unspecified(f"{type}: a mean over no label")
    if type == "Scale" and not floats:
        factor = next(a.f for a in node.attribute if a.name == "scale")
        sizes = np.abs(np.asarray(inputs[0]).astype(np.float64)) * abs(factor)
        if not (sizes < np.iinfo(np.asarray(inputs[0]).dtype).max).all():
            raise Unspecified("Scale: integers may overflow")
    if type == "ReduceMean" and not floats and not np.asarray(inputs[0]).size:
        raise Unspecified("ReduceMean of no integers")
    if type in ("MaxPool", "AveragePool") and _has_empty_window(node, np.shape(inputs[0])):
        raise Unspecified(f"{type} of a window of padding alone")
    is_contraction = type in ("Conv", "ConvTranspose", "Gemm", "MatMul") and floats
    if is_contraction and _may_overflow(floats[0], floats[1], np.asarray(inputs[0]).dtype):
        raise Unspecified(f"{type}: whether a product overflows before it is added")
    if type == "ReduceProd" and floats and (floats[0] == 0).any():
        sizes = np.abs(floats[0][np.isfinite(floats[0])])
        with np.errstate(over="ignore"):
            if np.maximum(sizes, 1).prod() > np.finfo(np.float32).max:
                raise Unspecified("ReduceProd: whether 0 comes before the product overflows")
    if type == "BatchNormalization" and node.domain and not _has_factors(node, floats):
        raise Unspecified("BatchNormalization: a factor that all elements have overflows")


def _has_empty_window(node: onnx.NodeProto, shape: Sequence[int]) -> bool:
    """Whether a dilated window of a pooling lies in the padding on both sides: in one dimension
    that is enough. Of these onnxruntime, PyTorch and onnx.reference all have something else.
    """
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    n = len(shape) - 2
    one = [1] * n
    dilations, strides = given.get("dilations", one), given.get("strides", one)
    pads = given.get("pads", [0] * 2 * n)
    if dilations == one:
        return False
    for i, (size, w, d, s) in enumerate(
        zip(shape[2:], given["kernel_shape"], dilations, strides, strict=True)
    ):
        last = size + pads[n + i] - (w - 1) * d - 1
        for begin in range(-pads[i], last + s, s):
            if not any(0 <= begin + k * d < size for k in range(w)):
                return True
    return False


def _may_overflow(a: Array, b: Array, type: Type) -> bool:
    """Whether products of finite elements may be beyond the type in which they are added up."""
    largest = [np.abs(x[np.isfinite(x)]).max(initial=0) for x in (a, b)]
    most = np.finfo(np.float64 if type == np.float64 else np.float32).max
    with np.errstate(over="ignore"):
        return not largest[0] * largest[1] <= most


def _has_factors(node: onnx.NodeProto, floats: Sequence[Array]) -> bool:
    """Whether scale / deviation, and that times the mean, are finite where their parts are, in
    PopART's order; and the statistics of the batch, too.
    """
    epsilon = next((a.f for a in node.attribute if a.name == "epsilon"), 1e-5)
    x, scale, _, mean, variance = floats
    with np.errstate(all="ignore"):
        if len(node.output) == 5:
            axes = (0, *range(2, x.ndim))
            mean, variance = x.mean(axes), x.var(axes)
            if (variance > 1e37).any():
                return False
        factor = scale / np.sqrt(variance + epsilon)
        return not (
            np.isinf(scale) | (np.abs(factor) > 1e37) | (np.abs(factor * mean) > 1e37)
        ).any()


def _pads(node: onnx.NodeProto) -> bool:
    """Whether a convolution has padding."""
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return any(given.get("pads", [])) or given.get("auto_pad", b"NOTSET").startswith(b"SAME")


def _cast_to(node: onnx.NodeProto) -> int:
    return next((a.i for a in node.attribute if a.name == "to" and node.op_type == "Cast"), 0)


@functools.lru_cache(256)
def _single(node: bytes, opset: int, types: tuple[tuple[Type, Any] | None, ...]) -> Any:
    """A session of one node whose inputs are inputs of the graph; its outputs have no type."""
    only = onnx.NodeProto.FromString(node)
    only.name = "node"
    infos: dict[str, Any] = {}
    for i, type in enumerate(types):
        if type is not None:
            only.input[i] = f"x{i}"
            code = DataType.of(type[0]).onnx
            infos[f"x{i}"] = helper.make_tensor_value_info(f"x{i}", code, type[1])
    only.output[:] = [f"y{i}" for i in range(len(only.output))]
    outputs = [onnx.ValueInfoProto(name=name) for name in only.output]
    graph = helper.make_graph([only], "node", list(infos.values()), outputs)
    imports = [helper.make_opsetid("", opset)]
    return _session(helper.make_model(graph, opset_imports=imports, ir_version=10))


def _run(session: Any, inputs: Sequence[Array | None]) -> list[Array]:
    given = {f"x{i}": array for i, array in enumerate(inputs) if array is not None}
    try:
        return list(session.run(None, given))
    except _REFUSALS as error:
        raise Refused(str(error)) from error


def _widened(node: onnx.NodeProto, opset: int, inputs: Sequence[Array | None]) -> list[Array]:
    """Computed in float, then rounded to the narrow type."""
    narrow = next(
        (a.dtype for a in inputs if a is not None and a.dtype in (_HALF, BFLOAT16)), _FLOAT
    )
    wide = [
        a.astype(_FLOAT) if a is not None and a.dtype in (_HALF, BFLOAT16) else a for a in inputs
    ]
    code = _cast_to(node)
    if code:
        target = DataType.of(code).numpy
        with np.errstate(all="ignore"):
            return [np.asarray(wide[0]).astype(target)]
    found = apply(node, opset, wide)
    types = _result_types(node, opset, inputs, narrow)
    with np.errstate(over="ignore"):
        return [
            a.astype(type) if a.dtype == _FLOAT else a for a, type in zip(found, types, strict=True)
        ]


def _result_types(
    node: onnx.NodeProto, opset: int, inputs: Sequence[Array | None], narrow: Type
) -> list[Type]:
    """The floating-point types of a node's results: as the schema says, that of an input, as Pow's
    is the base's; float, if no input has it, as of the statistics of LayerNormalization.
    """
    if node.domain:
        return [narrow] * len(node.output)
    if node.op_type == "DequantizeLinear":  # Newer versions have a type of the result's own.
        return [narrow]
    schema = onnx.defs.get_schema(node.op_type, opset, "")
    places = zip(_formal(schema.inputs, len(inputs)), inputs, strict=True)
    given = {place.type_str: a.dtype for place, a in reversed([*places]) if a is not None}
    return [given.get(p.type_str, _FLOAT) for p in _formal(schema.outputs, len(node.output))]


def _formal(declared: Sequence[Any], count: int) -> list[Any]:
    """The declared parameters of so many actual ones; the last one may stand for several."""
    return [declared[min(i, len(declared) - 1)] for i in range(count)]


def _reference(node: onnx.NodeProto, opset: int, inputs: Sequence[Array | None]) -> list[Array]:
    if node.op_type in ("LSTM", "GRU", "RNN"):
        raise Refused("onnx.reference knows no lengths and no direction")
    if node.op_type == "AveragePool" and np.isnan(np.asarray(inputs[0])).any():
        raise Refused("onnx.reference takes NaN for padding")
    formulas = _PRECISE
    if np.asarray(inputs[0]).dtype not in FLOATS:
        formulas = {**_PRECISE, **_OF_INTEGERS, **_MODULAR}
    if node.op_type in formulas:
        return _formula(node, inputs, formulas)
    if node.op_type == "ConvTranspose" and len(inputs) > 2:
        # Of several groups onnx.reference adds the first one's bias to all.
        bias = np.asarray(inputs[2]).reshape(-1, *[1] * (np.ndim(inputs[0]) - 2))
        without = onnx.NodeProto()
        without.CopyFrom(node)
        del without.input[2:]
        return [_reference(without, opset, inputs[:2])[0] + bias]
    if node.op_type in ("Softmax", "LogSoftmax", "Hardmax") and opset < 13:
        return [_over_the_rest(node, np.asarray(inputs[0]))]
    names = [f"x{i}" if a is not None else "" for i, a in enumerate(inputs)]
    only = onnx.NodeProto()
    only.CopyFrom(node)
    only.input[:] = names
    infos = [onnx.ValueInfoProto(name=name) for name in names if name]
    outputs = [onnx.ValueInfoProto(name=name) for name in only.output]
    graph = helper.make_graph([only], "node", infos, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    given = {name: a for name, a in zip(names, inputs, strict=True) if a is not None}
    try:
        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(model).run(None, given)
    except Exception as error:
        raise Refused(f"onnx.reference: {error!r}") from error
    arrays = [np.asarray(a) for a in found]
    if node.op_type.startswith("Reduce"):  # numpy sums integers in 64 bits
        arrays = [a.astype(np.asarray(inputs[0]).dtype) for a in arrays]
    if node.op_type == "RMSNormalization":  # its result has the type of the scale
        arrays = [a.astype(np.asarray(inputs[1]).dtype) for a in arrays]
    if node.op_type == "LayerNormalization":  # its statistics are float, whatever the data are
        arrays[1:] = [a.astype(_FLOAT) for a in arrays[1:]]
    return arrays


def _over_the_rest(node: onnx.NodeProto, x: Array) -> Array:
    """A softmax before version 13, over the dimensions from `axis` on; onnx.reference has only the
    newest.
    """
    axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
    rows = x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
    last = helper.make_node(node.op_type, ["x"], ["y"], axis=-1)
    (found,) = _reference(last, 13, [rows])
    return found.reshape(x.shape)


# Operators of ai.graphcore.


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _reduced(values: Array, reduction: str, count: int | None = None) -> Array:
    if reduction == "NoReduction":
        return values
    total = np.asarray(values.sum())
    return (
        total if reduction == "Sum" else total / np.float64(values.size if count is None else count)
    )


def _least(type: Type) -> float:
    """What PopART's Nll takes for all smaller probabilities."""
    return 6.104e-5 if type == _HALF else 1e-7


def _nll(p: Array, labels: Array, **attributes: Any) -> Array:
    used = labels != attributes.get("ignoreIndex", -1)
    picked = np.take_along_axis(p, np.where(used, labels, 0)[..., None], -1)[..., 0]
    if attributes.get("inputIsLogProbability", 0):
        losses = -picked
    else:
        losses = -np.log(np.maximum(picked, attributes["least"]))
    return _reduced(np.where(used, losses, 0), attributes["reduction"], max(used.sum(), 1))


def _batch_norm(x: Array, *given: Array, **attributes: Any) -> list[Array]:
    scale, bias, mean, variance = given
    outputs = [mean, variance, mean, variance]
    if attributes["outputs"] == 5:
        axes = (0, *range(2, x.ndim))
        mean, variance = x.mean(axes), x.var(axes)
        keep, n = np.float32(0.9), x.size // x.shape[1]
        running = (mean, variance * n / (n - 1))
        outputs = [keep * a + (1 - keep) * b for a, b in zip(given[2:], running, strict=True)]
        outputs += [mean, variance]
    shape = [1, -1, *[1] * (x.ndim - 2)]
    inverse = 1 / np.sqrt(variance + attributes.get("epsilon", np.float32(1e-5)))
    parts = [a.reshape(shape) for a in (mean, inverse, scale, bias)]
    return [(x - parts[0]) * parts[1] * parts[2] + parts[3], *outputs]


def _grouped(x: Array, indices: Array, axis: int = 0, group_size: int = 1) -> Array:
    try:
        if group_size == 1:
            return np.take(x, indices, axis)
        return np.stack([np.take(x[i], indices[i], axis - 1) for i in range(group_size)])
    except IndexError as error:
        raise Unspecified(f"GroupedGather: {error}") from error


_FORMULAS: dict[str, Callable[..., Any]] = {
    "Log1p": np.log1p,
    "Expm1": np.expm1,
    "Swish": lambda x: x * _sigmoid(x),
    "Gelu": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "GeluErf": lambda x: x / 2 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))),
    "Round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "NearbyInt": np.rint,
    "Nop": lambda x: x,
    "Detach": lambda x: x,
    "Scale": lambda x, scale: x * np.float32(scale),
    "Fmod": np.fmod,
    "Remainder": np.mod,
    "Atan2": np.arctan2,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "BitwiseXnor": lambda x, y: ~(x ^ y),
    "BitwiseNot": np.invert,
    "Reshape": lambda x, shape: x.reshape(shape),
    "GroupedGather": _grouped,
    "BatchNormalization": _batch_norm,
    "L1": lambda x, reduction, **more: _reduced(np.abs(x) * np.float32(more["lambda"]), reduction),
    "IdentityLoss": _reduced,
    "Nll": _nll,
    **popart.FORMULAS,
}


def _gelu(x: Array, approximate: str = "none") -> Array:
    return _FORMULAS["Gelu" if approximate == "tanh" else "GeluErf"](x)


def _lrn(x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0) -> Array:
    before, channels = (size - 1) // 2, range(x.shape[1])
    windows = [x[:, max(0, c - before) : c - before + size] for c in channels]
    sums = [np.square(window).sum(1) for window in windows]
    return x / (bias + alpha / size * np.stack(sums, 1)) ** beta if sums else x


def _over(
    function: Callable[..., Any],
    x: Array,
    axes: Any = None,
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Array:
    """A reduction by `function` of an array in double and the axes."""
    wide, given = x.astype(np.float64), [int(a) for a in np.asarray([] if axes is None else axes)]
    if not given and noop_with_empty_axes:
        return function(wide[None], axis=(0,), keepdims=False)
    return function(wide, axis=tuple(given) or None, keepdims=bool(keepdims))


def _log_sum_exp(x: Array, axis: Any, keepdims: bool) -> Array:
    top = x.max(axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    found = np.log(np.exp(x - top).sum(axis, keepdims=True)) + top
    return found if keepdims else found.squeeze(axis)


def _root_of_squares(x: Array, axis: Any, keepdims: bool) -> Array:
    return np.sqrt(np.square(x).sum(axis, keepdims=keepdims))


def _gemm(
    a: Array,
    b: Array,
    c: Array | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Array:
    """Of integers, modulo 2^n, with whole factors."""
    product = (a.T if transA else a) @ (b.T if transB else b)
    factor = [np.asarray(int(f)).astype(a.dtype) for f in (alpha, beta)]
    return factor[0] * product + (factor[1] * c if c is not None else a.dtype.type(0))


def _slice(
    x: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Array:
    """As the standard clamps starts and ends, which is not as numpy does."""
    axes = np.arange(len(starts)) if axes is None else axes
    steps = np.ones(len(starts), np.int64) if steps is None else steps
    for axis, *given, step in zip(*(a.tolist() for a in (axes, starts, ends, steps)), strict=True):
        size = x.shape[axis]
        start, end = (v + size if v < 0 else v for v in given)
        if step > 0:
            start, end = min(max(start, 0), size), min(max(end, 0), size)
        else:
            start, end = min(max(start, 0), size - 1), min(max(end, -1), size - 1)
        x = np.take(x, list(range(start, end, step)) if size else [], axis)
    return x


_OF_INTEGERS: dict[str, Callable[..., Array]] = {
    "ReduceL2": partial(_over, _root_of_squares),
    "ReduceLogSumExp": partial(_over, _log_sum_exp),
}
"""Roots and logarithms of integers, which are cut off after the point; of these alone."""
_MODULAR: dict[str, Callable[..., Array]] = {"Gemm": _gemm}
"""Of integers alone, which `onnx.reference` multiplies by floating-point factors."""
_PRECISE: dict[str, Callable[..., Array]] = {
    "LRN": _lrn,
    "ReduceLogSumExp": partial(_over, _log_sum_exp),
    "Slice": _slice,
    "Erf": np.vectorize(math.erf, otypes=[float]),
    "Gelu": _gelu,
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "GlobalMaxPool": lambda x: x.max(tuple(range(2, x.ndim)), keepdims=True),
    "GlobalAveragePool": lambda x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
}
"""Operators of ONNX that `onnx.reference` has in float only, or not for all ranks and ranges, as
infinities.
"""


def _formula(
    node: onnx.NodeProto,
    inputs: Sequence[Array | None],
    formulas: Mapping[str, Callable[..., Any]] = _FORMULAS,
) -> list[Array]:
    """In double for what is floating-point."""
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    given = {k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()}
    first = np.asarray(inputs[0] if inputs else np.float32(0))
    wide = [
        np.asarray(a).astype(np.float64) if a is not None and a.dtype in FLOATS else a
        for a in inputs
    ]
    with np.errstate(all="ignore"):
        if node.op_type == "BatchNormalization":
            given["outputs"] = len(node.output)
        if node.op_type == "Nll":
            given["least"] = _least(first.dtype)
        found = formulas[node.op_type](*wide, **given)
        if isinstance(found, tuple):  # Indices among them keep their type.
            each = [np.asarray(a) for a in found[: len(node.output)]]
            return [a if a.dtype.kind in "iu" else a.astype(first.dtype) for a in each]
        results = found if isinstance(found, list) else [found]
        return [np.asarray(a).astype(first.dtype) for a in results[: len(node.output)]]


# How far a right answer may be from another one.


CANCELLING = {
    *("Gelu", "GeluErf", "Elu", "Celu", "Selu", "Softplus", "Expm1", "Sigmoid"),
    *(
        "ReduceLogSumExp",
        "LogSoftmax",
        "SoftmaxCrossEntropyLoss",
        "Nll",
        "LSTM",
        "GRU",
        "RNN",
        "LayerNormalization",
        "BatchNormalization",
        "SplineBasis",
        "GridSample",
    ),
}
"""Operators that lose digits inside, as 1 + erf(x) does near 0: the error is not relative."""
_EPSILON = {_HALF: 2.0**-11, BFLOAT16: 2.0**-8, _FLOAT: 2.0**-24, np.dtype(np.float64): 2.0**-53}


def spread(
    g: Graph | Any,
    nodes: Sequence[onnx.NodeProto],
    given: Mapping[str, Array],
    outputs: Sequence[str],
) -> dict[str, Array]:
    """By how much each element of the outputs changes if every value on the way to it is off by a
    rounding error or two; infinite where it is not always a number or always the same infinity.

    All errors point one way in one run and the other way in another, so that what is cut off on one
    side is seen; in four more they are random.
    """
    rng = np.random.default_rng(0)
    # Off by the least, an exponent is no whole number, and the power of a negative one none at all;
    # a Range has another length.
    wholes = {node.input[1] for node in nodes if node.op_type == "Pow"}
    wholes |= {name for node in nodes if node.op_type == "Range" for name in node.input}

    # onnxruntime's GRU has a sigmoid and a tanh of its own, good to 1e-5.
    rough = {name for node in nodes if node.op_type == "GRU" for name in node.output}

    def noise(array: Array, size: Any, whole: bool, sign: int, scale: float) -> Array:
        if array.dtype not in FLOATS or not array.size:
            return array
        signs = np.full(array.shape, float(sign)) if sign else rng.choice([-1, 1], array.shape)
        parts = rng.uniform(0, 2, (2, *array.shape)) if not sign else [2.0, 2.0]
        with np.errstate(all="ignore"):
            # The sign of zero is lost in onnxruntime's Where, as in any sum.
            unit = scale * _EPSILON[array.dtype]
            factor = np.where(array == 0, signs, 1 + signs * parts[0] * unit)
            found = array.astype(np.float64) * factor
            found += signs * parts[1] * unit * size
            exact = whole & (array == np.rint(array.astype(np.float64)))
            return np.where(exact, array, found.astype(array.dtype))

    def changed(sign: int) -> dict[str, Array]:
        return evaluate(
            nodes,
            g.opset,
            given,
            lambda name, array, size: noise(
                array, size, name in wholes, sign, 64.0 if name in rough else 1.0
            ),
        )

    runs = [evaluate(nodes, g.opset, given)]
    try:
        runs += map(changed, (1, -1, 0, 0, 0, 0))
    except ValueError:  # A shape depends on what was changed.
        return {name: np.full(np.shape(runs[0][name]), np.inf) for name in outputs}
    found: dict[str, Array] = {}
    for name in outputs:
        arrays = [np.asarray(run[name]).astype(np.float64) for run in runs]
        if len({a.shape for a in arrays}) > 1:
            found[name] = np.full(arrays[0].shape, np.inf)
            continue
        with np.errstate(all="ignore"):
            stacked = np.stack(arrays)
            width = stacked.max(0) - stacked.min(0)
            steady = (np.isnan(stacked).all(0)) | (stacked == stacked[0]).all(0)
        found[name] = np.where(steady, 0, np.where(np.isfinite(width), width, np.inf))
    return found
