"""Every attribute of every version of every operator: another value than the default changes what
is computed, is refused with words, or is said to have no meaning.

Long, because every operator with attributes has its rows here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper

import popir
from popir import registry
from popir.errors import OperatorAttributeError, PopirError
from popir.ir import Graph, Op, OperatorIdentifier, Tensor, TensorType
from popir.onnxio import schema_text, schemas
from popir.options import OptionWarning
from popir.types import DataType
from tests.models import step, training_session
from tests.ops.cases import Array, Case, ints
from tests.ops.cases.attention import HEADS, SIDE_BY_SIDE
from tests.ops.cases.case import distinct
from tests.ops.cases.control import BRANCHES, LOOP_BODY, SCAN_BODY
from tests.ops.cases.microsoft import MICROSOFT
from tests.ops.cases.ml import LABELS as LABELS_OF_CLASSES
from tests.ops.cases.ml import LINES, SUPPORT, ml
from tests.ops.cases.pooling import ROIS, UNPOOLED
from tests.ops.cases.popart import PARTS
from tests.ops.cases.reduction import TIES
from tests.ops.cases.update import STEPS
from tests.ops.test_cases import infer, inputs_of, model_of
from tests.poplin.programs import multiplies_bytes


@dataclass(frozen=True)
class Row:
    """One attribute: an operator without or with some value of it, and another value."""

    case: Case
    attribute: str
    value: Any
    trained: bool = False
    """Whether it acts in training only."""
    refused: str = ""
    """The words of the error that the value leads to, as a regular expression."""
    unmeaning: bool = False
    """Whether it has no meaning here, which a warning says."""
    neutral: str = ""
    """Why no value of it asks for anything but what is done anyway."""
    dtype: Any = np.float32
    """The type of the inputs that are floating-point numbers."""
    versions: Sequence[int] = ()
    """The versions of the operator that the row is for; by default all that have the attribute."""

    def covers(self, opid: OperatorIdentifier, attribute: str) -> bool:
        """Whether the row is about that attribute of that version."""
        own = (self.case.domain, self.case.type, self.attribute)
        return own == (opid.domain, opid.type, attribute) and opid.version in (
            self.versions or [opid.version]
        )


def rows(case: Case, **values: Any) -> list[Row]:
    """A row for each of the values, all changes of one case."""
    return [Row(case, name.removesuffix("_"), value) for name, value in values.items()]


def graphcore(type: str, inputs: Sequence[Any], **attributes: Any) -> Case:
    """A case of an operator of PopART's."""
    return Case(type, inputs, attributes, domain="ai.graphcore")


TRUTH = np.array([[True, False, True], [False, False, True], [True, True, False]])
NUMBERS = np.arange(9).reshape(3, 3)
SIGNED = np.linspace(-2.0, 2.0, 6).reshape(2, 3)
SQUARE = [1, 1, 5, 5]
TWICE = {"kernel_shape": [2, 2], "strides": [2, 2]}
LSTM = [[3, 3, 2], [1, 8, 2], [1, 8, 2]]
LABELS = ints(1, 0, 2, dtype=np.int32)
CHANNELS = [[3], [3], [3], np.array([0.5, 1.0, 2.0])]


def legacy() -> Iterator[Row]:
    """Broadcasting by attributes, before version 7."""
    for type in ("Add", "Sub", "Mul", "Div", "Pow", "Greater", "Less", "Equal", "And", "Or", "Xor"):
        whole, row = {
            "Equal": (NUMBERS % 2, ints(0, 1, 0)),
            **dict.fromkeys(("And", "Or", "Xor"), (TRUTH, np.array([True, False, True]))),
        }.get(type, (np.abs(np.sin(NUMBERS + 1.0)) + 0.1, np.array([0.3, 0.7, 0.9])))
        yield Row(Case(type, [whole, row], {"broadcast": 1}), "axis", 0)
        placed = Case(type, [whole, row], {"broadcast": 1, "axis": 0})
        yield Row(placed, "broadcast", 0, refused="'axis' is 0, which counts with 'broadcast' 1")


def reductions() -> Iterator[Row]:
    for name in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split():
        case = Case(f"Reduce{name}", [[2, 3, 4]], low=0.5)
        yield from rows(case, axes=[1], keepdims=0, noop_with_empty_axes=1)


def pools() -> Iterator[Row]:
    for type in ("MaxPool", "AveragePool"):
        case = Case(type, [SQUARE], {"kernel_shape": [2, 2]})
        yield from rows(
            case,
            auto_pad="SAME_UPPER",
            kernel_shape=[3, 3],
            pads=[1, 0, 0, 1],
            strides=[2, 2],
            dilations=[2, 2],
        )
        yield Row(replace(case, attributes=TWICE), "ceil_mode", 1)
        padded = replace(case, attributes={"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]})
        yield Row(padded, "count_include_pad", 1)
        yield Row(replace(case, outputs=2), "storage_order", 1)
    norm = Case("LpPool", [SQUARE], {"kernel_shape": [2, 2]})
    yield from rows(
        norm,
        auto_pad="SAME_UPPER",
        kernel_shape=[3, 3],
        pads=[1, 0, 0, 1],
        strides=[2, 2],
        dilations=[2, 2],
        p=3,
    )
    yield Row(replace(norm, attributes=TWICE), "ceil_mode", 1)
    unpool = Case("MaxUnpool", [[1, 1, 2, 2], UNPOOLED[:1, :1] % 9], {"kernel_shape": [2, 2]})
    yield from rows(unpool, kernel_shape=[3, 3], pads=[0, 0, -1, 0], strides=[2, 2])
    images, index = distinct(2, 2, 6, 7), ints(0, 1, 1)
    align = Case("RoiAlign", [images, ROIS, index])
    yield from rows(
        align, output_height=2, output_width=2, sampling_ratio=1, spatial_scale=0.5, mode="max"
    )
    yield Row(align, "coordinate_transformation_mode", "output_half_pixel")
    pool = Case("MaxRoiPool", [images, np.insert(ROIS, 0, [0, 1, 1], 1)], {"pooled_shape": [1, 1]})
    yield from rows(pool, pooled_shape=[2, 1], spatial_scale=0.5)


def searches() -> Iterator[Row]:
    yield from rows(Case("Hardmax", [TIES]), axis=0)
    for type in ("ArgMax", "ArgMin"):
        yield from rows(Case(type, [TIES]), axis=1, keepdims=0, select_last_index=1)
    old = Case("TopK", [distinct(3, 4)], {"k": 1}, outputs=2)
    yield Row(old, "k", 2)
    yield Row(old, "axis", 0, versions=(1,))
    top = Case("TopK", [distinct(3, 4), ints(1)], constants=[1], outputs=2)
    yield Row(top, "axis", 0, versions=(10, 11, 24))
    yield Row(top, "largest", 0)
    yield Row(top, "sorted", 0, unmeaning=True)
    for type in ("CumSum", "CumProd"):
        yield from rows(Case(type, [[3], ints(0)[0]], constants=[1]), exclusive=1, reverse=1)


def convolutions() -> Iterator[Row]:
    forward = Case("Conv", [[1, 2, 5, 5], [2, 2, 3, 3]])
    back = Case("ConvTranspose", [[1, 2, 4, 4], [2, 2, 3, 3]])
    for case in (forward, back):
        yield from rows(
            case,
            auto_pad="SAME_LOWER",
            dilations=[2, 2],
            pads=[1, 1, 1, 1],
            strides=[2, 2],
        )
        yield Row(case, "kernel_shape", [2, 2], refused="kernel_shape")
    yield Row(forward, "group", 2, refused="group")
    yield Row(back, "group", 2)
    strided = replace(back, attributes={"strides": [2, 2]})
    yield from rows(strided, output_padding=[1, 1], output_shape=[8, 8])


def normalisations() -> Iterator[Row]:
    x = [2, 3, 4]
    yield from rows(Case("LpNormalization", [x]), axis=1, p=1)
    groups = Case("GroupNormalization", [[2, 4, 3], [4], [4]], {"num_groups": 2}, opsets=(21,))
    yield Row(groups, "epsilon", 0.5, versions=[21])
    yield Row(groups, "num_groups", 4, versions=[21])
    yield Row(groups, "stash_type", 16)
    old = replace(groups, inputs=[[2, 4, 3], [2], [2]], opsets=(18,))
    yield Row(old, "epsilon", 0.5, versions=[18])
    fits = r"expected are .samples, channels, .* and twice .groups."
    yield Row(old, "num_groups", 4, refused=fits, versions=[18])
    for domain in ("ai.onnx", "ai.graphcore"):
        case = Case("BatchNormalization", [x, *CHANNELS], domain=domain, constants=[1, 2, 3, 4])
        yield Row(case, "epsilon", 0.5, versions=(1, 7, 9, 14, 15))
        trained = replace(case, outputs=5)
        yield Row(trained, "epsilon", 0.5, versions=[6], trained=True)
        yield Row(trained, "momentum", 0.25, versions=(1, 6, 7, 9), trained=True)
    training = replace(case, domain="ai.onnx", outputs=3, attributes={"training_mode": 1})
    yield Row(training, "momentum", 0.25, versions=(14, 15))
    yield Row(replace(training, outputs=1), "training_mode", 0)
    single = replace(case, domain="ai.onnx")
    yield Row(replace(single, outputs=5), "is_test", 1, refused="says by is_test")
    each = [[3, 4], [3, 4], [3, 4], np.ones((3, 4))]
    yield Row(
        replace(single, inputs=[x, *each], attributes={"spatial": 0}),
        *("spatial", 1),
        refused="one number for each channel",
    )
    case = Case("LayerNormalization", [[2, 3, 4], [4]], outputs=3)
    yield from rows(case, axis=1, epsilon=0.5, stash_type=16)
    yield from rows(Case("LRN", [[1, 4, 2, 2]], {"size": 3}), alpha=0.5, bias=2.0, size=1)
    yield from rows(Case("InstanceNormalization", [[2, 3, 4], [3], [3]]), epsilon=0.5)
    yield from rows(Case("LRN", [[1, 4, 2, 2]], {"size": 3, "alpha": 0.5}), beta=0.25)


def positions() -> Iterator[Row]:
    """Attention, what turns by positions, and what else language models are made of."""
    yield Row(Case("SwiGLU", [SIGNED, SIGNED]), "alpha", 0.5)
    causal = Case("CausalConvWithState", [[2, 3, 5], [3, 1, 4]], outputs=2)
    yield Row(causal, "activation", "silu")
    norm = Case("RMSNormalization", [[2, 4, 4], [4]])
    yield from rows(norm, axis=1, epsilon=0.5, stash_type=10)
    heads = Case("Attention", HEADS)
    yield from rows(heads, is_causal=1, scale=0.2, softcap=0.5, softmax_precision=10)
    yield from rows(heads, left_window_size=0, right_window_size=0)
    yield Row(replace(heads, outputs=4), "qk_matmul_output_mode", 3)
    flat = Case("Attention", [[2, 3, 16], [2, 5, 8], [2, 5, 8]], SIDE_BY_SIDE)
    yield Row(flat, "q_num_heads", 2, refused="expected is the same size of a head")
    alike = Case("Attention", [[2, 3, 8]] * 3, {"q_num_heads": 2, "kv_num_heads": 2})
    yield Row(alike, "kv_num_heads", 4, refused="expected is the same size of a head")
    turned = Case("RotaryEmbedding", [[2, 3, 4, 8], [2, 4, 4], [2, 4, 4]])
    yield Row(turned, "interleaved", 1)
    yield Row(turned, "rotary_embedding_dim", 6, refused=r"expected is \[2, 4, 3\]")
    yield Row(
        Case("RotaryEmbedding", [[2, 4, 24], [2, 4, 4], [2, 4, 4]], {"num_heads": 3}),
        "num_heads",
        2,
        refused=r"expected is \[2, 4, 6\]",
    )


def recurrent() -> Iterator[Row]:
    case = Case("LSTM", LSTM, outputs=3)
    yield from rows(
        case,
        activations=["Sigmoid", "Tanh", "Relu"],
        clip=0.1,
        direction="reverse",
        input_forget=1,
        layout=1,
    )
    numbers = replace(case, attributes={"activations": ["HardSigmoid", "Tanh", "Tanh"]})
    yield from rows(numbers, activation_alpha=[0.3], activation_beta=[0.1])
    yield Row(case, "hidden_size", 3, refused="hidden_size is 3")
    yield Row(case, "output_sequence", 1, unmeaning=True)
    for type, gates, names in (("GRU", 3, ["Sigmoid", "Relu"]), ("RNN", 1, ["Relu"])):
        case = Case(type, [[3, 3, 2], [1, 2 * gates, 2], [1, 2 * gates, 2]], outputs=2)
        yield from rows(case, activations=names, clip=0.1, direction="reverse", layout=1)
        hard = ["HardSigmoid", "Tanh"][: len(names)]
        numbers = replace(case, attributes={"activations": hard})
        yield from rows(numbers, activation_alpha=[0.3], activation_beta=[0.1])
        yield Row(case, "hidden_size", 3, refused="hidden_size is 3")
        yield Row(case, "output_sequence", 1, unmeaning=True)
    bias = replace(case, type="GRU", inputs=[[3, 3, 2], [1, 6, 2], [1, 6, 2], [1, 12]])
    yield Row(bias, "linear_before_reset", 1)


def graphs() -> Iterator[Row]:
    """Operators that run graphs."""
    names = ["then_branch", "else_branch"]
    for given, name, other in ((True, *names), (False, *names[::-1])):
        yield Row(Case("If", [np.array(given)], BRANCHES), name, BRANCHES[other])
    loop = Case("Loop", [np.array(3), None, [2, 3]], {"body": LOOP_BODY}, constants=[0], outputs=2)
    yield Row(loop, "body", swapped(LOOP_BODY, "Tanh", "Neg"))
    body = {"body": SCAN_BODY, "num_scan_inputs": 1}
    scan = Case("Scan", [[3], [3, 3]], body, outputs=2)
    since = (9, 11, 16, 19, 21, 23, 24, 25)
    yield Row(scan, "body", swapped(SCAN_BODY, "Tanh", "Neg"), versions=since)
    yield Row(scan, "num_scan_inputs", 3, versions=since, refused="num_scan_inputs = 3")
    for name in ("scan_input_axes", "scan_input_directions", "scan_output_directions"):
        yield Row(scan, name, [1], versions=since)
    yield Row(scan, "scan_output_axes", [1], versions=since)
    old = replace(scan, inputs=[None, [2, 3], [2, 4, 3]])
    yield Row(old, "body", swapped(SCAN_BODY, "Tanh", "Neg"), versions=[8])
    yield Row(old, "num_scan_inputs", 3, versions=[8], refused="num_scan_inputs = 3")
    yield Row(old, "directions", [1], versions=[8])


def swapped(graph: Any, old: str, new: str) -> Any:
    """A copy of the graph with operators of another type."""
    found = type(graph)()
    found.CopyFrom(graph)
    for node in found.node:
        node.op_type = new if node.op_type == old else node.op_type
    return found


def losses() -> Iterator[Row]:
    scores, probabilities = [3, 4], np.full((3, 4), 0.25) + np.arange(12).reshape(3, 4) / 100
    for type in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        yield from rows(Case(type, [scores, LABELS]), ignore_index=0, reduction="sum")
    nll = graphcore("Nll", [probabilities, LABELS])
    yield from rows(nll, reduction="Sum", ignoreIndex=0, inputIsLogProbability=1)
    yield from rows(graphcore("IdentityLoss", [[2, 3]]), reduction="Sum")
    yield from rows(graphcore("L1", [SIGNED], **{"lambda": 0.5}), lambda_=0.25, reduction="Sum")


def shapes() -> Iterator[Row]:
    x = [2, 3, 4]
    yield from rows(Case("Concat", [[2, 2], [2, 2]], {"axis": 0}), axis=1)
    yield from rows(Case("Flatten", [x]), axis=2)
    yield from rows(Case("Gather", [[3, 3], ints(0, 2)]), axis=1)
    grouped = graphcore("GroupedGather", [[1, 3, 3], ints(0, 2).reshape(1, 2)], axis=0)
    yield Row(grouped, "axis", 1)
    yield Row(
        graphcore("GroupedGather", [[2, 3, 3], ints(0, 1).reshape(2, 1)], group_size=2, axis=1),
        "group_size",
        1,
    )
    yield from rows(graphcore("Reshape", [[2, 3]], shape=[3, 2]), shape=[6])
    empty = Case("Reshape", [np.zeros((2, 0)), ints(0, 0)], constants=[1])
    yield Row(empty, "allowzero", 1)
    yield from rows(Case("Shape", [x]), start=1, end=2)
    yield from rows(
        Case("Slice", [[4, 4]], {"starts": [0], "ends": [2]}), axes=[1], ends=[3], starts=[1]
    )
    equal = Case("Split", [[4, 4]], outputs=2)
    uneven = replace(equal, inputs=[[4, 4], ints(1, 3)], constants=[1])
    yield Row(equal, "axis", 1, versions=(2, 11))
    yield Row(uneven, "axis", 1, versions=(13, 18))
    yield Row(equal, "split", [1, 3])
    yield Row(
        replace(equal, attributes={"num_outputs": 2}), "num_outputs", 3, refused="num_outputs"
    )
    yield from rows(Case("Squeeze", [[1, 2, 1]], {"axes": [0]}), axes=[2])
    yield from rows(Case("Unsqueeze", [[2]], {"axes": [0]}), axes=[1])
    yield from rows(Case("Transpose", [x]), perm=[0, 2, 1])
    yield from rows(Case("Trilu", [[3, 3]]), upper=0)
    blocks = Case("DepthToSpace", [[1, 16, 2, 2]], {"blocksize": 2})
    yield from rows(blocks, blocksize=4, mode="CRD")
    yield from rows(Case("SpaceToDepth", [[1, 2, 4, 4]], {"blocksize": 2}), blocksize=4, mode="CRD")
    old = Case("Pad", [[2, 3]], {"pads": [0, 1, 0, 1]})
    yield from rows(old, pads=[1, 0, 1, 0], value=2.0)
    yield Row(old, "mode", "edge", versions=[2])
    new = Case("Pad", [[2, 3], ints(0, 1, 0, 1)], constants=[1])
    yield Row(new, "mode", "edge", versions=(11, 13, 18, 19, 21, 23, 24, 25))


def indexed() -> Iterator[Row]:
    at = ints(1, 0, 0, 2, 1, 1).reshape(2, 3) % 2
    yield from rows(Case("GatherElements", [[2, 3], at]), axis=1)
    yield Row(Case("GatherND", [[2, 2, 2], ints(0, 1).reshape(2, 1)]), "batch_dims", 1)
    yield from rows(Case("Scatter", [[2, 3], at, [2, 3]]), axis=1)
    yield from rows(Case("ScatterElements", [[2, 3], at, [2, 3]]), axis=1, reduction="mul")
    yield from rows(Case("ScatterND", [[3, 2], ints(1, 0).reshape(2, 1), [2, 2]]), reduction="add")
    yield from rows(Case("OneHot", [ints(0, 2), np.int64(3), [2]], constants=[1]), axis=0)
    sequences = Case("ReverseSequence", [[2, 2], ints(2, 1)])
    yield Row(sequences, "batch_axis", 0, refused="batch_axis is 0, time_axis 0; one must")
    yield Row(sequences, "time_axis", 1, refused="batch_axis is 1, time_axis 1; one must")
    yield from rows(Case("EyeLike", [[2, 3]]), k=1, dtype=6)
    turned = {"mode": "circular"}
    yield from rows(Case("TensorScatter", [[1, 2, 2], [1, 2, 2], ints(1)], turned), axis=-1)
    yield Row(Case("TensorScatter", [[1, 3, 2], [1, 2, 2], ints(2)]), "mode", "circular")
    compressed = Case("Compress", [[2, 2], np.array([False, True])], constants=[1])
    yield from rows(compressed, axis=0)
    blocks = Case("Col2Im", [[1, 4, 8], ints(5, 5), ints(2, 2)], constants=[1, 2])
    yield Row(replace(blocks, attributes={"strides": [1, 2]}), "strides", [2, 1])
    blocks = replace(blocks, inputs=[[1, 4, 12], ints(4, 4), ints(2, 2)])
    yield Row(replace(blocks, attributes={"pads": [1, 0, 0, 0]}), "pads", [0, 0, 1, 0])
    blocks = replace(blocks, inputs=[[1, 4, 6], ints(4, 4), ints(2, 2)])
    yield Row(replace(blocks, attributes={"dilations": [1, 2]}), "dilations", [2, 1])


def sampling() -> Iterator[Row]:
    image, sizes = [1, 1, 4, 5], ints(1, 1, 7, 8)
    scales, region = np.float32([1, 1, 1.6, 0.7]), np.float32([0, 0, 0.1, 0.2, 1, 1, 1.5, 1])
    old = Case("Resize", [image, scales], constants=[1])
    yield Row(old, "mode", "linear", versions=[10])
    nearest = Case("Resize", [image, region, None, sizes], constants=[1, 3])
    for versions in ((11,), (13, 18, 19)):
        no_scales = np.zeros(0, np.float32) if versions == (11,) else None
        nearest = replace(nearest, inputs=[image, region, no_scales, sizes])
        nearest = replace(nearest, constants=[1, 2, 3] if versions == (11,) else [1, 3])
        crop = "tf_crop_and_resize"
        cubic = replace(nearest, attributes={"mode": "cubic"})
        cropped = replace(nearest, attributes={"coordinate_transformation_mode": crop})
        for case, name, value in (
            (nearest, "mode", "linear"),
            (nearest, "nearest_mode", "ceil"),
            (cubic, "coordinate_transformation_mode", crop),
            (cubic, "cubic_coeff_a", -0.5),
            (cubic, "exclude_outside", 1),
            (cropped, "extrapolation_value", 2.0),
        ):
            yield Row(case, name, value, versions=versions)
    small = Case("Resize", [image, None, None, ints(2, 3)], constants=[3])
    small = replace(small, attributes={"mode": "linear", "axes": [2, 3]})
    yield from rows(small, antialias=1, axes=[3, 2], keep_aspect_ratio_policy="not_larger")
    factors = {"mode": "nearest", "height_scale": 2.0, "width_scale": 2.0}
    first = Case("Upsample", [image], factors)
    yield Row(first, "height_scale", 3.0)
    yield Row(first, "width_scale", 3.0)
    yield Row(first, "mode", "bilinear", versions=[1])
    second = Case("Upsample", [image], {"scales": [1.0, 1.0, 2.0, 2.0]})
    yield Row(second, "scales", [1.0, 1.0, 2.0, 3.0])
    yield Row(second, "mode", "linear", versions=[7])
    third = Case("Upsample", [image, np.float32([1, 1, 2, 3])], constants=[1])
    yield Row(third, "mode", "linear", versions=[9])
    yield from rows(
        Case("CenterCropPad", [[4, 4], ints(3)], {"axes": [0]}, constants=[1]), axes=[1]
    )
    affine = Case("AffineGrid", [[1, 2, 3], ints(1, 1, 2, 3)], constants=[1])
    yield from rows(affine, align_corners=1)
    grid = Case("GridSample", [image, np.array([[[[0.3, -0.4], [1.5, 0.2]]]])])
    yield from rows(grid, align_corners=1, mode="nearest", padding_mode="border")
    convolution = Case("DeformConv", [[1, 4, 4, 4], [2, 4, 2, 2], [1, 8, 4, 4]])
    convolution = replace(convolution, attributes={"pads": [0, 0, 1, 1]})
    yield from rows(convolution, pads=[1, 1, 0, 0])
    for name, value in (("strides", [2, 1]), ("dilations", [2, 2]), ("offset_group", 2)):
        yield Row(convolution, name, value, refused="the offsets have shape")
    yield Row(convolution, "group", 2, refused="group=2")
    yield Row(convolution, "kernel_shape", [2, 3], refused="kernel_shape")


def transforms() -> Iterator[Row]:
    yield from rows(Case("Einsum", [[3, 3], [3, 3]], {"equation": "ij,jk"}), equation="ij,kj")
    yield from rows(Case("DFT", [[2, 4, 3, 1]]), axis=2, inverse=1, onesided=1)
    yield from rows(Case("STFT", [[1, 8, 1], np.int64(2), [4]], constants=[1]), onesided=0)
    numbers = [np.int64(4), np.int64(16), np.int64(8000), np.float32(100), np.float32(4000)]
    mel = Case("MelWeightMatrix", numbers, constants=[0, 1, 2, 3, 4])
    yield Row(mel, "output_datatype", 11)


def elements() -> Iterator[Row]:
    yield from rows(Case("Cast", [SIGNED], {"to": 7}), to=6)
    large = np.array([1e6, 1.5])
    for target in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu):
        name = "saturate" if target is ml_dtypes.float8_e4m3fn else "round_mode"
        value = 0 if name == "saturate" else "down"
        like = np.ones(1, target)
        yield Row(Case("Cast", [large], {"to": DataType.of(like.dtype).onnx}), name, value)
        yield Row(Case("CastLike", [large, like]), name, value)
    yield Row(Case("BitCast", [ints(-1)], {"to": 13}), "to", 11)
    yield from rows(Case("Clip", [SIGNED]), min=-1.0, max=1.0)
    yield from rows(Case("Elu", [SIGNED]), alpha=0.5)
    yield from rows(Case("GlobalLpPool", [[1, 2, 3]]), p=1)
    yield from rows(Case("Celu", [SIGNED]), alpha=0.5)
    yield from rows(Case("Shrink", [SIGNED]), lambd=0.1, bias=0.25)
    infinities = Case("IsInf", [np.array([np.inf, -np.inf])])
    yield from rows(infinities, detect_negative=0, detect_positive=0)
    yield from rows(Case("Gelu", [SIGNED]), approximate="tanh")
    yield from rows(Case("HardSigmoid", [SIGNED]), alpha=0.1, beta=0.25)
    yield from rows(Case("LeakyRelu", [SIGNED]), alpha=0.5)
    yield from rows(Case("Selu", [SIGNED]), alpha=0.5, gamma=0.5)
    yield from rows(Case("ThresholdedRelu", [SIGNED]), alpha=0.25)
    yield from rows(graphcore("Scale", [SIGNED], scale=2.0), scale=3.0)
    shifted = Case("BitShift", [ints(5, dtype=np.uint8)] * 2, {"direction": "LEFT"})
    yield Row(shifted, "direction", "RIGHT")
    yield from rows(Case("Mod", [ints(-5), ints(3)]), fmod=1)
    for type in ("Softmax", "LogSoftmax"):
        yield from rows(Case(type, [[2, 3, 4]]), axis=0)
    dropout = Case("Dropout", [[64]])
    yield Row(dropout, "ratio", 0.75, trained=True)
    yield Row(dropout, "is_test", 1, trained=True)
    yield Row(dropout, "seed", 7, unmeaning=True)


def others() -> Iterator[Row]:
    square = [[3, 3]] * 3
    yield from rows(Case("Gemm", square), alpha=0.5, beta=0.5, transA=1, transB=1)
    row = Case("Gemm", [[3, 3], [3, 3], [3]], {"broadcast": 1})
    yield Row(row, "broadcast", 0, neutral="C broadcasts whatever the attribute says")
    filled = Case("ConstantOfShape", [ints(2)], constants=[0])
    yield Row(filled, "value", helper.make_tensor("value", 1, [1], [5.0]))
    # In steps of 1e-4 from 1024, float rounds some numbers to the middle between two of half.
    steps = Case("Range", [np.float32(v) for v in (1024, 1026, 1e-4)], constants=[0, 1, 2])
    yield Row(steps, "stash_type", 11, dtype=np.float16, versions=[27])


def quantized() -> Iterator[Row]:
    """Quantization, and convolutions of integers."""
    x, zeros = np.linspace(-3.0, 3.0, 4).reshape(2, 2), ints(0, 9, dtype=np.uint8)
    bytes, scales = ints(1, 2, 3, 4, dtype=np.uint8).reshape(2, 2), np.array([0.1, 0.3])
    for type, given in (("QuantizeLinear", x), ("DequantizeLinear", bytes)):
        yield from rows(Case(type, [given, scales, zeros]), axis=0)
        blocks = Case(type, [given, scales.reshape(2, 1)], {"block_size": 2})
        yield Row(blocks, "block_size", 1, refused=r"expected is \[2, 2\]")
    yield from rows(Case("QuantizeLinear", [x, np.float64(0.3)]), output_dtype=3)
    # The quotient, 100.53, is 100.5 in half.
    yield Row(Case("QuantizeLinear", [np.array([30.16]), np.float64(0.3)]), "precision", 10)
    float8 = np.zeros((), ml_dtypes.float8_e4m3fn)
    yield Row(Case("QuantizeLinear", [x * 1e6, np.float64(0.3), float8]), "saturate", 0)
    yield Row(Case("DequantizeLinear", [bytes, np.float64(0.3)]), "output_dtype", 10)
    data = (np.arange(50) % 7).astype(np.uint8).reshape(1, 2, 5, 5)
    weights = (np.arange(36) % 5).astype(np.uint8).reshape(2, 2, 3, 3)
    one, zero = np.float32(1), np.uint8(0)
    scaled = [data, one, zero, weights, one, zero, one, zero]
    for case in (Case("ConvInteger", [data, weights]), Case("QLinearConv", scaled)):
        yield from rows(
            case, auto_pad="SAME_LOWER", dilations=[2, 2], pads=[1, 1, 1, 1], strides=[2, 2]
        )
        yield Row(case, "kernel_shape", [2, 2], refused="kernel_shape")
        yield Row(case, "group", 2, refused="group")


def random_numbers() -> Iterator[Row]:
    for like, inputs in (("", []), ("Like", [[2, 3]])):
        shape = {} if like else {"shape": [2, 3]}
        normal = Case(f"RandomNormal{like}", inputs, shape)
        yield from rows(normal, dtype=11, mean=1.0, scale=2.0, seed=1.5)
        uniform = Case(f"RandomUniform{like}", inputs, shape)
        yield from rows(uniform, dtype=11, low=-1.0, high=2.0, seed=1.5)
        if not like:
            yield from (row for case in (normal, uniform) for row in rows(case, shape=[3]))
    logarithms = Case("Multinomial", [np.zeros((4, 9))], {"sample_size": 5})
    yield from rows(logarithms, dtype=7, sample_size=6, seed=1.5)
    yield from rows(Case("Bernoulli", [np.full((4, 9), 0.5)]), dtype=7, seed=1.5)


def fused(name: str, **attributes: Any) -> Case:
    """The row of an operator of onnxruntime's, with other attributes."""
    (case,) = [case for case in MICROSOFT if case.name == name]
    return replace(case, attributes={**case.attributes, **attributes})


def microsoft() -> Iterator[Row]:
    """onnxruntime's own operators."""
    norm = fused("SimplifiedLayerNormalization-axis")
    yield from rows(norm, epsilon=0.5)
    yield Row(replace(norm, inputs=[[2, 4, 4], [4]], attributes={}), "axis", 1)
    yield Row(norm, "stash_type", 11, refused="stash_type is 11; popir has FLOAT")
    yield from rows(fused("QuickGelu"), alpha=0.5)
    square = replace(fused("BiasSoftmax"), inputs=[[3, 3, 3], [3, 1, 3]])
    yield Row(square, "axis", 1, refused="the bias has shape")
    yield Row(square, "is_inner_broadcast", 0, refused="the bias has shape")
    for name in ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization"):
        yield from rows(fused(name), epsilon=0.5)
    embedded = fused("EmbedLayerNormalization")
    yield from rows(embedded, epsilon=0.5, mask_index_type=0)
    for name in ("GroupNorm", "SkipGroupNorm"):
        images = fused(name)
        inputs = [[2, 4, 3, 4], *images.inputs[1:3], [2, 4, 3, 4]][: 3 + (name != "GroupNorm")]
        images = replace(images, inputs=inputs)
        yield from rows(images, epsilon=0.5, activation=0, groups=4, channels_last=0)


def fused_attention() -> Iterator[Row]:
    """onnxruntime's attention, rotary positions and products."""
    for name in ("Attention-mask", "QAttention", "MultiHeadAttention-bias"):
        case, plain = fused(name), name != "QAttention"
        if not plain:  # With a mask.
            case = replace(case, inputs=[*case.inputs[:5], ints(2, 1, dtype=np.int32)])
        yield from rows(case, num_heads=1, scale=0.2, mask_filter_value=-0.5)
        whole = fused(name.partition("-")[0])
        if name.startswith("Multi"):
            whole = replace(whole, inputs=[[2, 3, 4]] * 3)
        yield Row(whole, "unidirectional", 1)
        for word in ("do_rotary", "past_present_share_buffer") if "Multi" not in name else ():
            yield Row(case, word, 1, refused=f"{word} is 1; popir does not have it")
    sizes = replace(fused("Attention"), inputs=[[2, 3, 5], [5, 12]])
    yield Row(sizes, "qkv_hidden_sizes", [2, 2, 8])
    yield Row(sizes, "rotary_embedding_dim", 32, refused="rotary_embedding_dim is 32")
    distances = fused("RelativePositionBias-causal")
    yield from rows(distances, max_distance=20, is_bidirectional=1)
    turned = fused("RotaryEmbedding-part")
    yield from rows(turned, interleaved=0)
    heads = replace(turned, inputs=[[2, 2, 12], *turned.inputs[1:]])
    yield Row(heads, "num_heads", 2)
    yield Row(turned, "rotary_embedding_dim", 2, refused="the caches have rows of 2")
    yield Row(turned, "is_packed_batching", 1, refused="is_packed_batching is 1")
    yield Row(turned, "scale", 2.0, refused="scale 2.0")
    group = fused("GroupQueryAttention")
    yield from rows(group, scale=0.2, softcap=0.5, local_window_size=1, causal=0, smooth_softmax=1)
    yield Row(group, "num_heads", 3, refused="num_heads is 3, kv_num_heads 2")
    yield Row(group, "kv_num_heads", 4, refused="the key has shape")
    plain = {"num_heads": 4, "kv_num_heads": 2}
    late = replace(fused("GroupQueryAttention-one more"), attributes=plain)
    yield Row(late, "do_rotary", 1)
    yield Row(replace(late, attributes={**plain, "do_rotary": 1}), "rotary_interleaved", 1)
    inputs = [*group.inputs, *[None] * 7, [8], [8]]
    yield Row(replace(group, inputs=inputs), "qk_norm_epsilon", 0.5)
    scores = replace(group, outputs=4, attributes={**plain, "qk_output": 1})
    yield Row(scores, "qk_output", 2)
    yield Row(group, "sliding_window_cache", 1, refused="sliding_window_cache is 1")
    yield Row(group, "kv_cache_bit_width", 8, refused="kv_cache_bit_width is 8")
    for name in ("k_quant_type", "v_quant_type"):
        yield Row(group, name, "PER_TENSOR", refused=f"{name} is 'PER_TENSOR'")


def fused_products() -> Iterator[Row]:
    """onnxruntime's products of matrices and convolutions."""
    cube = {"transBatchA": 0, "transBatchB": 0}
    for name in ("FusedMatMul", "TransposeMatMul"):
        case = fused(name, alpha=1.0)
        more = cube if name == "FusedMatMul" else {}
        case = replace(case, inputs=[[3, 3, 3], [3, 3, 3]], attributes=more)
        yield from rows(case, alpha=0.5, transA=1, transB=1, **dict.fromkeys(more, 1))
    gemm = replace(fused("FusedGemm"), inputs=[[3, 3]] * 3, attributes={"activation": "Tanh"})
    yield from rows(gemm, alpha=0.5, beta=0.5, transA=1, transB=1)
    yield Row(replace(gemm, attributes={}), "activation", "Relu")
    hard = replace(gemm, attributes={"activation": "HardSigmoid", "activation_alpha": 0.2})
    yield from rows(hard, activation_alpha=0.1, activation_beta=0.2)
    selu = replace(gemm, attributes={"activation": "Selu", "activation_alpha": 0.5})
    yield Row(selu, "activation_gamma", 0.5)
    for name in ("FusedConv", "NhwcFusedConv", "NhwcConv"):
        first = name == "FusedConv"
        case = fused(name)
        image = [1, 2, 6, 6] if first else [1, 6, 6, 2]
        kernel = [2, 3, 3, 2] if name == "NhwcConv" else [2, 2, 3, 3]
        case = replace(case, inputs=[image, kernel], formula=None, attributes={})
        yield from rows(case, auto_pad="SAME_UPPER", dilations=[2, 2], pads=[1, 0, 0, 1])
        yield from rows(case, strides=[2, 2])
        yield Row(case, "kernel_shape", [2, 2], refused="kernel_shape")
        yield Row(case, "group", 2, refused="group")
        if name != "NhwcConv":
            yield Row(case, "activation", "Relu")
            leaky = replace(case, attributes={"activation": "LeakyRelu"})
            yield Row(leaky, "activation_params", [0.5])


def fused_quantized() -> Iterator[Row]:
    """onnxruntime's operators on quantized data."""
    for type, given in (("QuantizeLinear", [2, 2]), ("DequantizeLinear", ints(5, 6, 7, 8))):
        case, one = fused(f"{type}-axis"), np.float64([0.1, 0.3])
        given = given if isinstance(given, list) else given.astype(np.uint8).reshape(2, 2)
        yield Row(replace(case, inputs=[given, one], attributes={"axis": 1}), "axis", 0)
    bits = fused("MatMulNBits")
    yield Row(bits, "K", 40, refused="B has shape")
    yield Row(bits, "N", 4, refused="B has shape")
    yield Row(bits, "block_size", 8, refused="block_size is 8; expected is a power of two")
    yield Row(bits, "bits", 8, refused="B has shape")
    bytes = np.resize(bits.inputs[1], (40, 2, 8))  # columns for half a panel at least
    wide = replace(bits, inputs=[[2, 24], bytes, [40, 2]], attributes={**bits.attributes, "N": 40})
    other = "" if multiplies_bytes() else "without VNNI popir computes in A's type in any case"
    yield Row(wide, "accuracy_level", 4, neutral=other)
    yield Row(bits, "weight_prepacked", 1, refused="weight_prepacked is 1")
    table = fused("GatherBlockQuantized-bytes")
    yield Row(table, "bits", 4, refused="the scales have shape")
    yield Row(table, "gather_axis", 1, refused="gather_axis is 1, quantize_axis 1 of 2 dimensions")
    yield Row(table, "quantize_axis", 0, refused="quantize_axis 0 of 2 dimensions")
    yield Row(table, "block_size", 17, refused="block_size is 17; expected is a power of two")
    yield from rows(fused("QLinearLeakyRelu"), alpha=0.9)
    cube = replace(fused("QLinearSoftmax"), inputs=[DATA, *fused("QLinearSoftmax").inputs[1:]])
    yield from rows(cube, axis=1, opset=11)
    mean = fused("QLinearReduceMean")
    yield from rows(mean, axes=[0], keepdims=1)
    for name in ("QLinearGlobalAveragePool", "QLinearAveragePool"):
        pool = fused(name)
        cube = DATA.reshape(1, 2, 3, 3).repeat(2, 1)[:, :3]
        first = replace(pool, inputs=[cube, *pool.inputs[1:]])
        yield Row(
            replace(first, attributes={**pool.attributes, "channels_last": 0}), "channels_last", 1
        )
    pool = replace(pool, inputs=[IMAGE, *pool.inputs[1:]], attributes={"kernel_shape": [2, 2]})
    yield from rows(
        pool, auto_pad="SAME_UPPER", kernel_shape=[3, 3], pads=[1, 0, 0, 1], strides=[2, 2]
    )
    yield Row(replace(pool, attributes=TWICE), "ceil_mode", 1)
    padded = {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}
    yield Row(replace(pool, attributes=padded), "count_include_pad", 1)
    yield from rows(fused("QLinearConcat", axis=0), axis=1)
    conv = fused("QLinearConv", channels_last=0)
    kernel = conv.inputs[3].reshape(2, 3, 2, 2)
    conv = replace(conv, inputs=[IMAGE, *conv.inputs[1:3], kernel[:, :1], *conv.inputs[4:8]])
    yield from rows(
        conv, auto_pad="SAME_LOWER", dilations=[2, 2], pads=[1, 1, 1, 1], strides=[2, 2]
    )
    yield Row(conv, "kernel_shape", [3, 3], refused="kernel_shape")
    yield Row(conv, "group", 2, refused="group")
    narrow = replace(conv, inputs=[IMAGE.reshape(1, 5, 5, 1)[:, :, :1], *conv.inputs[1:]])
    narrow = replace(narrow, inputs=[np.repeat(IMAGE, 2, 3)[..., :5], *conv.inputs[1:]])
    yield Row(narrow, "channels_last", 1, refused="group")
    gemm = fused("QGemm", alpha=1.0, transB=0)
    gemm = replace(gemm, inputs=[DATA[0], *gemm.inputs[1:3], DATA[1], *gemm.inputs[4:]])
    yield from rows(gemm, alpha=0.25, transA=1, transB=1)


DATA = (np.arange(18) * 29 % 256).astype(np.uint8).reshape(2, 3, 3)
IMAGE = (np.arange(25) * 29 % 256).astype(np.uint8).reshape(1, 1, 5, 5)


def machine_learning() -> Iterator[Row]:
    """What of ai.onnx.ml runs on the device."""
    yield from rows(ml("Scaler", [[2, 3]]), offset=[1.0, 2.0, 3.0], scale=[2.0])
    yield from rows(ml("Normalizer", [[2, 3]]), norm="L2")
    yield from rows(ml("Binarizer", [[4, 3]]), threshold=0.75)
    gaps = ml("Imputer", [np.array([[0.0, 4.0]])], {"imputed_value_floats": [9.0]})
    yield from rows(gaps, imputed_value_floats=[8.0], replaced_value_float=4.0)
    gaps = ml("Imputer", [ints(0, 4).reshape(1, 2)], {"imputed_value_int64s": [9]})
    yield from rows(gaps, imputed_value_int64s=[8], replaced_value_int64=4)
    yield from rows(ml("FeatureVectorizer", [[2, 3], [2, 1]]), inputdimensions=[2, 1])
    hot = ml("OneHotEncoder", [ints(1, 3)], {"cats_int64s": [1, 2]})
    yield from rows(hot, cats_int64s=[3, 1])
    yield Row(hot, "zeros", 0, refused="with 'zeros' 0 an element")
    yield Row(hot, "cats_strings", ["a"], refused="and not 'cats_strings'")
    targets = ml("LinearRegressor", [[2, 3]], {**LINES, "targets": 3})
    classes = ml("LinearClassifier", [[2, 3]], {**LINES, **LABELS_OF_CLASSES}, outputs=2)
    for case in (targets, classes):
        yield from rows(
            case,
            coefficients=LINES["coefficients"][::-1],
            intercepts=[1.0, 2.0, 3.0],
            post_transform="SOFTMAX",
        )
    yield Row(targets, "targets", 2, refused="9 coefficients and 3 intercepts for 2 scores")
    yield from rows(classes, classlabels_ints=[1, 2, 3])
    yield Row(classes, "classlabels_strings", ["a"], refused="in one of 'classlabels_ints'")
    yield Row(classes, "multi_class", 1, neutral="what was learnt differs, not what is computed")
    machine = ml("SVMRegressor", [[2, 2]], {**SUPPORT, "kernel_type": "POLY"})
    yield from rows(
        machine,
        coefficients=[0.1, 0.2, 0.3],
        kernel_params=[0.25, 0.0, 2.0],
        kernel_type="RBF",
        one_class=1,
        post_transform="LOGISTIC",
        rho=[0.5],
        support_vectors=[0.5] * 6,
    )
    yield Row(machine, "n_supports", 2, refused="3 coefficients for 2")


def optimizer_steps() -> Iterator[Row]:
    for case in STEPS:
        if case.type == "Gradient":
            yield Row(case, "xs", ["z"], refused="names 'z', which is no tensor")
            yield Row(case, "y", "sideways", refused="names 'sideways', which is no tensor")
            yield Row(case, "zs", ["z"], refused="'xs' and 'zs' name 2 tensors")
        elif not case.id or case.id == "standard":
            values = {
                **dict.fromkeys(("alpha", "decay_factor", "norm_coefficient"), 0.5),
                **dict.fromkeys(("beta", "epsilon", "norm_coefficient_post"), 0.25),
                "mode": "nesterov",
            }
            yield from rows(case, **{k: v for k, v in values.items() if k in case.attributes})


def parts() -> Iterator[Row]:
    """PopART's operators that consist of others, and those of slices at run time."""
    found: dict[str, Case] = {}
    for case in PARTS:
        found.setdefault(case.type, case)
    plain = {"Subsample": {"strides": [1, 2]}, "Reverse": {"dimensions": [1]}}
    plain["Slice"] = {"ends": [4, -1], "starts": [0, 1], "axes": [1, 0]}
    plain["ScaledAdd"] = {"scale0": 2.0, "scale1": 3.0}
    plain["IncrementMod"] = {"increment": 1.0, "modulus": 3.0}
    plain["Sort"] = {"axis": 1, "descending": 1}
    plain["ReduceMedian"] = {"axes": [1, 2], "keepdims": 0}
    plain["Bucketize"] = {"right": 1}
    plain["NormalizeImage"] = {"scale": 2.0}
    plain["GroupNormalization"] = {"num_groups": 4, "epsilon": 0.5}
    plain["LSTM"] = {"outputFullSequence": 0}
    plain["SequenceSlice"] = {"zeroUnused": 0}
    plain["DynamicSlice"] = {"sizes": [1]}
    plain["SplineBasis"] = {"degree": 1}
    plain["PackedDataBlock"] = {"resultSize": 7}
    for type, values in plain.items():
        yield from rows(found[type], **values)
    scale = np.array(1, np.int32)
    small = np.arange(32, 64, dtype=np.uint8).view(ml_dtypes.float8_e4m3fnuz)
    yield Row(graphcore("Pow2ScaleThenCast", [[4], scale], to="FLOAT8_143"), "to", "FLOAT8_152")
    yield Row(graphcore("CastThenPow2Scale", [small, scale]), "to", "FLOAT")
    deep = replace(found["DepthToSpace"], inputs=[[1, 16, 2, 3]])
    yield from rows(deep, blocksize=4, mode="CRD")
    yield Row(found["Sort"], "stable", 1, unmeaning=True)
    square = replace(found["DynamicSlice"], inputs=[[5, 5], np.array([1], np.uint32)])
    yield Row(square, "axes", [0])
    updates = [[5, 5], np.array([1], np.uint32), [2, 2]]
    for type in ("DynamicUpdate", "DynamicAdd", "DynamicZero"):
        given = updates if type != "DynamicZero" else updates[:2]
        both = [given[0], np.array([1, 2], np.uint32), *given[2:]]
        case = graphcore(type, both, axes=[0, 1], sizes=[2, 2])
        yield Row(case, "axes", [1, 0])
        if type == "DynamicZero":
            yield Row(case, "sizes", [2, 1])
        else:
            yield Row(case, "sizes", [2, 1], refused="the slice is")
    for type in ("DynamicSlice", "DynamicUpdate", "DynamicAdd", "DynamicZero"):
        yield Row(found[type], "noOverlap", 1, unmeaning=True)
    yield from rows(found["MultiConv"], dilations=[2, 2], inDilations=[2, 1], outPads=[1, 0, 0, 0])
    yield from rows(found["MultiConv"], pads=[0, 1, 0, 1], strides=[1, 2])
    for name, value in (("planType", "serial"), ("perConvReservedTiles", 9), ("cycleBackOff", 0.5)):
        yield Row(found["MultiConv"], name, value, unmeaning=True)
    yield Row(found["MultiConv"], "numConvs", 2, refused="numConvs = 2")
    dropped = replace(found["ShapedDropout"], inputs=[[40, 30]])
    dropped = replace(dropped, attributes={"shape": [40, 1]})
    yield Row(dropped, "shape", [1, 30], trained=True)
    yield Row(dropped, "ratio", 0.9, trained=True)
    yield from rows(found["Init"], shape=[3, 2], data_type=10)
    yield Row(found["Init"], "init_type", 0, neutral="undefined values may be zeros")
    yield Row(found["Init"], "batch_axis", 0, unmeaning=True)
    yield Row(found["Init"], "tensor_type", 1, refused="the tensor_type is 1")
    yield Row(found["TensorRemap"], "remap_type", 1, neutral="it is about layouts, not values")
    scatter = found["ScatterReduce"]
    yield Row(scatter, "axis_size", 5)
    yield Row(replace(scatter, inputs=[[4, 4], np.array([0, 2, 2, 1], np.uint32)]), "axis", 0)
    yield Row(scatter, "reduction", "max")
    part = replace(scatter, inputs=[[2, 4, 3], np.array([[[0], [1]]], np.uint32)])
    some = replace(part, attributes={**part.attributes, "enable_index_broadcast": 0})
    yield Row(some, "enable_index_broadcast", 1, refused="Failed to expand")
    yield Row(scatter, "group_size", 2, refused="Invalid rank for indices")
    ctc = found["Ctc"]
    yield from rows(replace(ctc, outputs=2), reduction="Sum", outDataType=10, blank=2)
    never = [ctc.inputs[0], ctc.inputs[1], np.array([1], np.uint32), ctc.inputs[3]]
    yield Row(replace(ctc, inputs=never), "zeroInfinity", 1)
    decoder = replace(found["CtcBeamSearchDecoder"], outputs=3)
    yield from rows(decoder, blank=0, beam_width=2, top_paths=3)
    printed = {
        "print_gradient": 0,
        "print_self": 0,
        "title": "x",
        "summariseThreshold": 2,
        "edgeItems": 1,
        "maxLineWidth": 9,
        "digits": 2,
        "floatFormat": 2,
        "separator": 44,
        "openBracket": 40,
        "closeBracket": 41,
    }
    for name, value in printed.items():
        # tests/builder/test_popart_leniencies.py looks at what is printed.
        yield Row(found["PrintTensor"], name, value, neutral="it is about what is printed")
    packed = found["PackedDataBlock"]
    yield Row(packed, "maxSequenceLengths", [1])
    yield Row(packed, "callbackBatchSize", 3, refused="it must divide")
    other = helper.make_graph(
        [helper.make_node("Neg", ["a"], ["b"])],
        "negative",
        packed.attributes["callback"].input,
        packed.attributes["callback"].output,
    )
    yield Row(packed, "callback", other)


ROWS = [
    row
    for family in (
        *(legacy, reductions, pools, searches, convolutions, normalisations, positions),
        *(recurrent, graphs, losses, shapes, indexed, elements, others),
        *(quantized, random_numbers, sampling, transforms, parts),
        *(microsoft, fused_attention, fused_products, fused_quantized),
        *(machine_learning, optimizer_steps),
    )
    for row in family()
]


def attributes() -> Iterator[tuple[OperatorIdentifier, str]]:
    """Every attribute of every version of the built-in operators that a model may have. Those of
    operators for TensorFlow, XLA and Habana name a library or are text: `tests/foreign` has them.
    """
    for entry in registry.entries():
        if entry.opid.domain in ("ai.graphcore.tensorflow", "ai.habana", "org.openxla"):
            continue
        if entry.source == registry.BUILT_IN and entry.isPublic and in_force(entry.opid):
            known = schemas.attributes(entry.opid)
            for name in entry.opClass.declaredAttributes() if known is None else known:
                yield entry.opid, name


def in_force(opid: OperatorIdentifier) -> bool:
    """Whether a model of the oldest opset or of a newer one may have that version."""
    opset = max(opid.version, schemas.OLDEST_OPSET) if opid.domain == "ai.onnx" else opid.version
    return registry.find(opid.domain, opid.type, opset).opid == opid


def outcome(row: Row, opset: int) -> list[Array]:
    """What the operator computes; in training, also the weights and the state that follow."""
    arrays = row.case.arrays(row.dtype)
    model, inputs = model_of(row.case, opset, arrays), inputs_of(row.case, arrays)
    if not row.trained:
        return infer(model, inputs)
    total = helper.make_node("ReduceSum", ["y"], ["loss"], keepdims=0)
    model.graph.node.append(total)
    names = [value.name for value in model.graph.output]
    session = training_session(model, "loss", names[:1], popir.ConstSGD(0.1))
    session.setRandomSeed(3)
    found = list(step(session, inputs).values())
    weights = {x.name: np.array(arrays[int(x.name[1:])]) for x in model.graph.initializer}
    if weights:
        session.weightsToHost()
        session.readWeights(popir.PyWeightsIO(weights))
    return [*found, *weights.values()]


def equal(a: list[Array], b: list[Array]) -> bool:
    return len(a) == len(b) and all(
        x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
        for x, y in zip(a, b, strict=True)
    )


def test_an_attribute_of_before_the_oldest_opset_is_refused() -> None:
    """No model has LeakyRelu:1, but an operator library may define it."""
    settings = Op.Settings(Graph(), "node", {})
    x = Tensor(Graph(), "x", TensorType.Stream, popir.TensorInfo("FLOAT", [2]))
    with pytest.raises(OperatorAttributeError, match=r"'consumed_inputs' is .*does not support"):
        registry.createOp("ai.onnx", "LeakyRelu", 1, settings, {"consumed_inputs": [0]}, [x])


def test_every_attribute_has_a_row() -> None:
    missing = [
        f"{opid}.{name}"
        for opid, name in attributes()
        if not any(row.covers(opid, name) for row in ROWS)
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("opid", "name"), [pytest.param(*each, id=f"{each[0]}.{each[1]}") for each in attributes()]
)
def test_an_attribute_acts_or_is_refused_or_says_so(opid: OperatorIdentifier, name: str) -> None:
    opset = max(opid.version, schemas.OLDEST_OPSET)
    (row,) = [row for row in ROWS if row.covers(opid, name)]
    plain = outcome(row, opset)
    other = replace(
        row, case=replace(row.case, attributes={**row.case.attributes, name: row.value})
    )
    if row.neutral:
        assert equal(outcome(other, opset), plain)
    elif row.refused:
        with pytest.raises(PopirError, match=row.refused):
            outcome(other, opset)
    elif row.unmeaning:
        with pytest.warns(OptionWarning) as said:
            found = outcome(other, opset)
        assert len(said) == 1
        words = f"the attribute {name} = {row.value!r} has no meaning here: "
        assert words in str(said[0].message)
        assert equal(found, plain)
    else:
        assert not equal(outcome(other, opset), plain)


@pytest.mark.parametrize(
    ("opid", "name"),
    [
        pytest.param(opid, name, id=f"{opid}.{name}")
        for opid, name in attributes()
        if (spec := schemas.attributes(opid) or {})[name].kind.name == "STRING"
        and (opid.type, name) != ("PrintTensor", "title")  # any text
    ],
)
def test_an_unknown_word_is_refused(opid: OperatorIdentifier, name: str) -> None:
    (row,) = [row for row in ROWS if row.covers(opid, name)]
    case = replace(row.case, attributes={**row.case.attributes, name: "sideways"})
    with warnings.catch_warnings(), pytest.raises(PopirError, match="sideways"):
        warnings.simplefilter("ignore", OptionWarning)
        outcome(replace(row, case=case), max(opid.version, schemas.OLDEST_OPSET))


@pytest.mark.parametrize(
    ("opid", "name"),
    [
        pytest.param(opid, name, id=f"{opid}.{name}")
        for opid, name in attributes()
        if (schemas.attributes(opid) or {})[name].is_truth
    ],
)
def test_a_truth_value_is_0_or_1(opid: OperatorIdentifier, name: str) -> None:
    (row,) = [row for row in ROWS if row.covers(opid, name)]
    case = replace(row.case, attributes={**row.case.attributes, name: 2})
    with pytest.raises(OperatorAttributeError) as error:
        outcome(replace(row, case=case), max(opid.version, schemas.OLDEST_OPSET))
    assert str(error.value) == f"{opid} 'node': the attribute '{name}' is 2; expected is 0 or 1."


def test_every_truth_value_of_onnx_is_known() -> None:
    """By ONNX's texts, but for what is a number with such a text."""
    words = r"(?i)\b(whether|if (set to )?(1|true)|0 or 1|default 1|flag|0 \(false\)|be one of 0)\b"
    numbers = {"multi_class", "max_skip_count", "maxsplit", "output_height", "output_width", "k"}
    numbers |= {"output_dtype", "seed", "axis", "targets", "stash_type", "end", "time_axis"}
    found = {
        name
        for schema in onnx.defs.get_all_schemas_with_history()
        for name, spec in schema.attributes.items()
        if spec.type.name == "INT" and re.search(words, spec.description)
    }
    assert found - schema_text.TRUTHS - numbers == set()
    assert len(found & schema_text.TRUTHS) > 25
