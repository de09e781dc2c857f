"""Gradients of gradients, an operator at a time, against PyTorch.

An operator computes y from m = x w. The penalty is the square of the gradient of the sum of sin(y)
with respect to x; compared is its gradient with respect to w.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper, parser

import popir
from tests.fuzz.torch_ops import OPERATORS, Node

Function = Callable[[torch.Tensor], torch.Tensor]
Case = tuple[list[int], str, Function]
"""The shape of x and w, the operators from m to y, and the same in PyTorch."""

REGIONS = [[0.2, 0.4, 4.6, 5.1], [1.3, -1.0, 3.2, 8.0], [3, 2, 3.1, 2.5]]
ROIS = (
    f"r = Constant<value=double[3,4] {{{', '.join(str(c) for each in REGIONS for c in each)}}}>() "
    "i = Constant<value=int64[3] {1, 0, 1}>() "
)
FIVES = ", ".join(str(c) for at, each in zip((1, 0, 1), REGIONS, strict=True) for c in (at, *each))
TAKEN = torch.tensor([[1, 0, 2, 1], [2, 2, 0, 1]])
INDICES = "i = Constant<value=int64[2,4] {1, 0, 2, 1, 2, 2, 0, 1}>()"
FIRST_TWO = "b0 = Constant<value_ints=[0]>() b2 = Constant<value_ints=[2]>() u = Slice(m, b0, b2)"
LABELS = torch.tensor([0, 3, 1])
IGNORING = torch.tensor([[0, 2, -100, 1], [2, 2, 0, 1]])
CLASS_WEIGHTS = torch.tensor([0.5, 2, 0.25], dtype=torch.float64)
SCALE, BIAS = torch.tensor([[0.5, 1.5], [0.7, 2.0]], dtype=torch.float64)
SCALE_AND_BIAS = (
    "c = Constant<value=double[2] {0.5, 1.5}>() d = Constant<value=double[2] {0.7, 2.0}>()"
)


def padded(m: torch.Tensor, mode: str) -> torch.Tensor:
    """Two columns before and one after, in a mode that takes a batch in PyTorch."""
    return F.pad(m[None], (2, 1), mode=mode)[0]


def response(m: torch.Tensor) -> torch.Tensor:
    """LRN of five channels with the window of the row."""
    squares = F.pad(m * m, (0, 0, 1, 2))
    return m * (1.5 + 0.5 / 4 * sum(squares[:, i : i + 5] for i in range(4))) ** -0.625


def regions(type: str, **attributes: Any) -> Function:
    """A pooling over REGIONS, as the gradient fuzzer has it in PyTorch."""
    rois, at = torch.tensor(REGIONS, dtype=torch.float64), torch.tensor([1, 0, 1])
    given = [torch.cat([at[:, None], rois], 1)] if type == "MaxRoiPool" else [rois, at]
    names = ["m", "r", "i"][: len(given) + 1]
    proto = helper.make_node(type, names, ["y"], **attributes)
    return lambda m: cast(torch.Tensor, OPERATORS["ai.onnx", type](Node(proto, 21, [m, *given])))


def batch_norm(m: torch.Tensor) -> torch.Tensor:
    """BatchNormalization in training."""
    return F.batch_norm(m, None, None, SCALE, BIAS, training=True, eps=0.125)


def transposed(m: torch.Tensor) -> torch.Tensor:
    """A ConvTranspose of the input by itself."""
    return F.conv_transpose2d(
        m, m[:, :1], stride=(2, 1), padding=(1, 0), output_padding=(1, 0), dilation=(1, 2)
    )


def multiplied(data: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor) -> torch.Tensor:
    """ScatterElements with products along dimension 0, whose gradients need no quotients."""
    rows = []
    for row in range(len(data)):
        factors = torch.where(indices == row, updates, 1.0)
        product = data[row]
        for each in factors:
            product = product * each
        rows.append(product)
    return torch.stack(rows)


CASES: dict[str, Case] = {
    "Pad": (
        [3, 4],
        "p = Constant<value_ints=[1, -1, 0, 2]>() y = Pad(m, p)",
        lambda m: F.pad(m, (-1, 2, 1, 0)),
    ),
    "Pad, of its own sum": (
        [3, 4],
        "p = Constant<value_ints=[1, -1, 0, 2]>() s = ReduceSum<keepdims=0>(m) y = Pad(m, p, s)",
        lambda m: torch.cat([torch.cat([m.sum().expand(1, 3), m[:, 1:]]), m.sum().expand(4, 2)], 1),
    ),
    "Pad, reflect": (
        [3, 4],
        'p = Constant<value_ints=[0, 2, 0, 1]>() y = Pad<mode="reflect">(m, p)',
        lambda m: padded(m, "reflect"),
    ),
    "Pad, edge": (
        [3, 4],
        'p = Constant<value_ints=[0, 2, 0, 1]>() y = Pad<mode="edge">(m, p)',
        lambda m: padded(m, "replicate"),
    ),
    "Pad, wrap": (
        [3, 4],
        'p = Constant<value_ints=[0, 2, 0, 1]>() y = Pad<mode="wrap">(m, p)',
        lambda m: padded(m, "circular"),
    ),
    "Trilu": (
        [2, 3, 4],
        "k = Constant<value_int=1>() y = Trilu<upper=1>(m, k)",
        lambda m: torch.triu(m, 1),
    ),
    "DepthToSpace": (
        [1, 8, 1, 2],
        'd = DepthToSpace<blocksize=2, mode="CRD">(m) y = Mul(d, d)',
        lambda m: F.pixel_shuffle(m, 2) ** 2,
    ),
    "SpaceToDepth": (
        [1, 1, 4, 2],
        "d = SpaceToDepth<blocksize=2>(m) y = Mul(d, d)",
        lambda m: F.pixel_unshuffle(m, 2) ** 2,
    ),
    "TopK": (
        [3, 4],
        "k = Constant<value_ints=[2]>() y, i = TopK<axis=-1, largest=0>(m, k)",
        lambda m: torch.topk(m, 2, largest=False)[0],
    ),
    "CumSum": (
        [3, 4],
        "k = Constant<value_int=1>() y = CumSum<exclusive=1, reverse=1>(m, k)",
        lambda m: torch.flip(torch.cumsum(torch.flip(m, [1]), 1), [1]) - m,
    ),
    "CumProd": (
        [3, 4],
        "k = Constant<value_int=1>() y = CumProd(m, k)",
        lambda m: torch.cumprod(m, 1),
    ),
    "CumProd, exclusive and reverse": (
        [4, 3],
        "k = Constant<value_int=0>() y = CumProd<exclusive=1, reverse=1>(m, k)",
        lambda m: torch.stack([m[1] * m[2] * m[3], m[2] * m[3], m[3], m[3] * 0 + 1]),
    ),
    "ReduceProd": (
        [3, 2, 2],
        "k = Constant<value_ints=[0, 2]>() y = ReduceProd(m, k)",
        lambda m: m.prod(2).prod(0),
    ),
    "Clip": (
        [3, 4],
        "a = Constant<value=double {-0.2}>() c = Clip(m, a) y = Mul(c, m)",
        lambda m: m.clamp(min=-0.2) * m,
    ),
    "Clip by a bound that is computed": (
        [3, 4],
        "a = ReduceMean<keepdims=0>(m) c = Clip(m, a) y = Mul(c, m)",
        lambda m: torch.maximum(m, m.mean()) * m,
    ),
    "Max of three": (
        [3, 4],
        "a = Sin(m) k = Constant<value_ints=[0]>() b = ReduceMean(m, k) z = Max(m, a, b) "
        "y = Mul(z, m)",
        lambda m: torch.maximum(torch.maximum(m, torch.sin(m)), m.mean(0, keepdim=True)) * m,
    ),
    "ScatterND, add": (
        [3, 4],
        "i = Constant<value=int64[4,1] {0, 2, 0, 1}>() b = Constant<value_ints=[0]>() "
        "e = Constant<value_ints=[1]>() n = Slice(m, b, e) s = Mul(n, n) u = Concat<axis=0>(m, s) "
        'z = ScatterND<reduction="add">(m, i, u) y = Mul(z, m)',
        lambda m: torch.index_add(m, 0, torch.tensor([0, 2, 0, 1]), torch.cat([m, m[:1] ** 2])) * m,
    ),
    "ScatterElements": (
        [3, 4],
        f"{FIRST_TWO} {INDICES} s = Mul(u, u) z = ScatterElements(m, i, s) y = Mul(z, m)",
        lambda m: m.scatter(0, TAKEN, m[:2] ** 2) * m,
    ),
    "ScatterElements, mul": (
        [3, 4],
        f"{FIRST_TWO} {INDICES} s = Mul(u, u) "
        'z = ScatterElements<reduction="mul">(m, i, s) y = Mul(z, m)',
        lambda m: multiplied(m, TAKEN, m[:2] ** 2) * m,
    ),
    "ScatterElements, mul, with factors that are 0": (
        [3, 4],
        f"{FIRST_TWO} {INDICES} k = Constant<value=double[2,4] {{1, 0, 1, 0, 0, 1, 2, 0}}>() "
        's = Mul(u, k) z = ScatterElements<reduction="mul">(m, i, s) y = Mul(z, m)',
        lambda m: multiplied(m, TAKEN, m[:2] * torch.tensor([[1, 0, 1, 0], [0, 1, 2, 0]])) * m,
    ),
    "ScatterND, mul, with one factor and with many": (
        [8, 3],
        "i = Constant<value=int64[8,1] {3, 0, 3, 3, -5, 7, 3, 3}>() s = Sin(m) "
        'z = ScatterND<reduction="mul">(m, i, s) y = Mul(z, m)',
        lambda m: (
            multiplied(m, torch.tensor([3, 0, 3, 3, 3, 7, 3, 3])[:, None].expand(8, 3), m.sin()) * m
        ),
    ),
    "ScatterElements, max": (
        [3, 4],
        f"{FIRST_TWO} {INDICES} s = Mul(u, u) "
        'z = ScatterElements<reduction="max">(m, i, s) y = Mul(z, m)',
        lambda m: m.scatter_reduce(0, TAKEN, m[:2] ** 2, "amax") * m,
    ),
    "GatherElements": (
        [3, 4],
        f"{INDICES} g = GatherElements(m, i) y = Mul(g, g)",
        lambda m: torch.gather(m, 0, TAKEN) ** 2,
    ),
    "GroupedGather": (
        [2, 3, 4],
        "i = Constant<value=int32[2,4] {0, 2, 0, 1, 1, 1, 2, 0}>() "
        "g = ai.graphcore.GroupedGather<axis=1, group_size=2>(m, i) y = Mul(g, g)",
        lambda m: torch.stack([m[0][[0, 2, 0, 1]], m[1][[1, 1, 2, 0]]]) ** 2,
    ),
    "AveragePool": (
        [2, 2, 5, 6],
        "y = AveragePool<kernel_shape=[2, 3], strides=[2, 1], pads=[1, 1, 0, 1]>(m)",
        lambda m: (
            F.avg_pool2d(F.pad(m, (1, 1, 1, 0)), (2, 3), (2, 1))
            / F.avg_pool2d(F.pad(torch.ones_like(m), (1, 1, 1, 0)), (2, 3), (2, 1))
        ),
    ),
    "AveragePool, counting its padding": (
        [1, 2, 5, 6],
        "y = AveragePool<kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1, "
        "count_include_pad=1>(m)",
        lambda m: F.avg_pool2d(m, (3, 2), (2, 2), (1, 1), ceil_mode=True),
    ),
    "AveragePool, dilated": (
        [1, 1, 6],
        "y = AveragePool<kernel_shape=[2], dilations=[3]>(m)",
        lambda m: (m[..., :3] + m[..., 3:]) / 2,
    ),
    "GlobalAveragePool": (
        [2, 2, 3, 2],
        "a = GlobalAveragePool(m) y = Mul(a, a)",
        lambda m: m.mean((2, 3), keepdim=True) ** 2,
    ),
    "MaxPool": (
        [2, 2, 5, 6],
        "y = MaxPool<kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 0, 1]>(m)",
        lambda m: F.max_pool2d(m, (2, 3), (2, 1), (0, 1)),
    ),
    "MaxPool, dilated and rounded up": (
        [1, 1, 7],
        "y = MaxPool<kernel_shape=[2], dilations=[2], strides=[3], ceil_mode=1>(m)",
        lambda m: F.max_pool1d(m, 2, 3, dilation=2, ceil_mode=True),
    ),
    "GlobalMaxPool": (
        [2, 2, 3, 2],
        "a = GlobalMaxPool(m) y = Mul(a, a)",
        lambda m: m.amax((2, 3), keepdim=True) ** 2,
    ),
    "RoiAlign": (
        [2, 2, 6, 7],
        f"{ROIS} y = RoiAlign<output_height=2, output_width=3, sampling_ratio=2>(m, r, i)",
        regions("RoiAlign", output_height=2, output_width=3, sampling_ratio=2),
    ),
    "RoiAlign, max": (
        [2, 2, 6, 7],
        f'{ROIS} y = RoiAlign<mode="max", output_height=2, output_width=2>(m, r, i)',
        regions("RoiAlign", mode="max", output_height=2, output_width=2),
    ),
    "MaxRoiPool": (
        [2, 2, 6, 7],
        f"r = Constant<value=double[3,5] {{{FIVES}}}>() y = MaxRoiPool<pooled_shape=[2, 2]>(m, r)",
        regions("MaxRoiPool", pooled_shape=[2, 2]),
    ),
    "LpPool": (
        [2, 2, 5, 6],
        "y = LpPool<kernel_shape=[2, 3], strides=[2, 1], p=2>(m)",
        lambda m: torch.sqrt(6 * F.avg_pool2d(m * m, (2, 3), (2, 1))),
    ),
    "GlobalLpPool": (
        [2, 2, 3, 2],
        "y = GlobalLpPool<p=3>(m)",
        lambda m: (m.abs() ** 3).sum((2, 3), keepdim=True) ** (1 / 3),
    ),
    "MaxUnpool": (
        [1, 2, 4, 4],
        "p, i = MaxPool<kernel_shape=[2, 2], strides=[2, 2]>(m) "
        "u = MaxUnpool<kernel_shape=[2, 2], strides=[2, 2]>(p, i) y = Mul(u, u)",
        lambda m: F.max_unpool2d(*F.max_pool2d(m, 2, 2, return_indices=True), 2, 2) ** 2,
    ),
    "Col2Im": (
        [1, 12, 6],
        "a = Constant<value_ints=[5, 3]>() b = Constant<value_ints=[2, 2]>() "
        "c = Col2Im<pads=[0, 1, 0, 0], strides=[2, 1]>(m, a, b) y = Mul(c, c)",
        lambda m: F.fold(m, (5, 4), (2, 2), stride=(2, 1))[..., 1:] ** 2,
    ),
    "ConvTranspose": (
        [2, 2, 3, 3],
        "b = Constant<value_ints=[0]>() e = Constant<value_ints=[1]>() v = Slice(m, b, e, e) "
        "y = ConvTranspose<strides=[2, 1], pads=[1, 0, 1, 0], output_padding=[1, 0], "
        "dilations=[1, 2]>(m, v)",
        transposed,
    ),
    "ConvTranspose in groups with a bias": (
        [4, 4, 3],
        "k = Constant<value_ints=[0, 2]>() b = ReduceMean<keepdims=0>(m, k) v = Sin(m) "
        "j = Constant<value_ints=[2]>() o = Constant<value_ints=[0]>() "
        "l1 = Constant<value_ints=[1]>() f = Slice(v, o, j, l1) "
        "y = ConvTranspose<group=2>(m, f, b)",
        lambda m: F.conv_transpose1d(m, torch.sin(m)[:, :2], m.mean((0, 2)), groups=2),
    ),
    "LRN": ([2, 5, 3], "y = LRN<size=4, alpha=0.5, beta=0.625, bias=1.5>(m)", response),
    "BatchNormalization": (
        [3, 2, 4],
        f"{SCALE_AND_BIAS} y = BatchNormalization<epsilon=0.125>(m, c, d, c, d)",
        lambda m: F.batch_norm(m, SCALE, BIAS, SCALE, BIAS, eps=0.125),
    ),
    "BatchNormalization in training": (
        [3, 2, 4],
        f"{SCALE_AND_BIAS} "
        "y, f, h = BatchNormalization<epsilon=0.125, training_mode=1>(m, c, d, c, d)",
        batch_norm,
    ),
    "BatchNormalization by statistics that are computed": (
        [3, 2, 4],
        "k = Constant<value_ints=[0, 2]>() c = ReduceMean<keepdims=0>(m, k) v = Exp(c) "
        "y = BatchNormalization<epsilon=0.125>(m, v, c, c, v)",
        lambda m: (
            (m - m.mean((0, 2))[:, None])
            * (m.mean((0, 2)).exp() / torch.sqrt(m.mean((0, 2)).exp() + 0.125))[:, None]
            + m.mean((0, 2))[:, None]
        ),
    ),
    "InstanceNormalization": (
        [2, 2, 5],
        f"{SCALE_AND_BIAS} y = InstanceNormalization<epsilon=0.125>(m, c, d)",
        lambda m: F.instance_norm(m, None, None, SCALE, BIAS, eps=0.125),
    ),
    "GroupNormalization": (
        [2, 2, 5],
        f"{SCALE_AND_BIAS} "
        "y = GroupNormalization<epsilon=0.125, num_groups=1, stash_type=11>(m, c, d)",
        lambda m: F.group_norm(m, 1, SCALE, BIAS, 0.125),
    ),
    "NegativeLogLikelihoodLoss": (
        [3, 4],
        "i = Constant<value=int64[3] {0, 3, 1}>() n = Mul(m, m) "
        'y = NegativeLogLikelihoodLoss<reduction="mean">(n, i)',
        lambda m: F.nll_loss(m * m, LABELS),
    ),
    "SoftmaxCrossEntropyLoss": (
        [3, 4],
        "i = Constant<value=int64[3] {0, 3, 1}>() "
        'y = SoftmaxCrossEntropyLoss<reduction="none">(m, i)',
        lambda m: F.cross_entropy(m, LABELS, reduction="none"),
    ),
    "SoftmaxCrossEntropyLoss with weights": (
        [2, 3, 4],
        "i = Constant<value=int64[2,4] {0, 2, -100, 1, 2, 2, 0, 1}>() "
        "q = Constant<value=double[3] {0.5, 2.0, 0.25}>() "
        'a, p = SoftmaxCrossEntropyLoss<reduction="mean", ignore_index=-100>(m, i, q) '
        "b = ReduceMean<keepdims=0>(p) y = Add(a, b)",
        lambda m: F.cross_entropy(m, IGNORING, CLASS_WEIGHTS) + F.log_softmax(m, 1).mean(),
    ),
    "Nll": (
        [3, 4],
        "i = Constant<value=int32[3] {0, 3, 1}>() p = Softmax(m) q = Mul(p, p) "
        'y = ai.graphcore.Nll<reduction="Mean", ignoreIndex=3>(q, i)',
        lambda m: F.nll_loss(2 * F.log_softmax(m, 1), LABELS, ignore_index=3),
    ),
    "DynamicSlice": (
        [3, 4],
        "i = Constant<value=uint32[1] {1}>() "
        "s = ai.graphcore.DynamicSlice<axes=[1], sizes=[2]>(m, i) y = Mul(s, s)",
        lambda m: m[:, 1:3] ** 2,
    ),
    "DynamicUpdate": (
        [3, 4],
        f"{FIRST_TWO} i = Constant<value=uint32[1] {{1}}>() s = Mul(u, u) q = Mul(m, m) "
        "d = ai.graphcore.DynamicUpdate<axes=[0], sizes=[2]>(q, i, s) y = Mul(d, m)",
        lambda m: torch.cat([m[:1] ** 2, m[:2] ** 2]) * m,
    ),
    "DynamicAdd": (
        [3, 4],
        f"{FIRST_TWO} i = Constant<value=uint32[1] {{1}}>() s = Mul(u, u) "
        "d = ai.graphcore.DynamicAdd<axes=[0], sizes=[2]>(m, i, s) y = Mul(d, m)",
        lambda m: (m + torch.cat([m[:1] * 0, m[:2] ** 2])) * m,
    ),
    "TensorRemap": (
        [3, 4],
        "r = ai.graphcore.TensorRemap<remap_type=0>(m) y = Mul(r, r)",
        torch.square,
    ),
    "PrintTensor": (
        [1],
        'r = ai.graphcore.PrintTensor<print_gradient=0, title="r">(m) y = Mul(r, r)',
        torch.square,
    ),
    "Dropout that drops nothing": (
        [3, 4],
        "k = Constant<value=float {0.0}>() r = Dropout(m, k) y = Mul(r, r)",
        torch.square,
    ),
    "Loop": (
        [3, 4],
        """n = Constant<value_int=3>() t = Constant<value=bool {1}>() y = Loop(n, t, m)
        <body = b (int64 i, bool c, double[3, 4] s) => (bool k, double[3, 4] o)
        { k = Identity(c) e = Sin(s) o = Mul(e, m) }>""",
        lambda m: torch.sin(torch.sin(torch.sin(m) * m) * m) * m,
    ),
    "Loop of operators with gradients of their own": (
        [3, 4],
        """n = Constant<value_int=2>() t = Constant<value=bool {1}>()
        p = Constant<value_ints=[0, 1, 0, 0]>() b = Constant<value_ints=[0]>()
        z = Constant<value_ints=[4]>() a = Constant<value_ints=[1]>() y = Loop(n, t, m)
        <body = b1 (int64 i, bool c, double[3, 4] s) => (bool k, double[3, 4] o)
        { k = Identity(c) e = Pad(s, p) f = Slice(e, b, z, a) h = Mul(f, m) o = Softmax(h) }>""",
        lambda m: softmax_of_shifted(softmax_of_shifted(m, m), m),
    ),
    "Scan": (
        [3, 4],
        """z = Constant<value=double[4] {0.5, 0.5, 0.5, 0.5}>() e, y = Scan<num_scan_inputs=1,
        body = b (double[4] s, double[4] r) => (double[4] o, double[4] p)
        { q = Mul(s, r) o = Sin(q) p = Tanh(o) }>(z, m)""",
        lambda m: scanned(m),
    ),
    "If": (
        [3, 4],
        """k = Constant<value=double {-100.0}>() d = ReduceMax<keepdims=0>(m) c = Greater(d, k)
        y = If(c)<then_branch = a () => (double[3, 4] o) { e = Sin(m) o = Mul(e, m) },
        else_branch = b () => (double[3, 4] p) { p = Identity(m) }>""",
        lambda m: torch.sin(m) * m,
    ),
    "GRU": (
        [2, 1, 3],
        "q = Concat<axis=2>(m, m) j = Constant<value_ints=[1, 6, 2]>() v = Reshape(q, j) "
        "g0 = Constant<value_ints=[0]>() g2 = Constant<value_ints=[2]>() "
        "a2 = Constant<value_ints=[2]>() f = Slice(m, g0, g2, a2) "
        "y = GRU<hidden_size=2>(f, v, v)",
        lambda m: gru(m),
    ),
    "LSTM": (
        [3, 8, 2],
        "e0 = Constant<value_ints=[0]>() e1 = Constant<value_ints=[1]>() v = Slice(m, e0, e1) "
        "e2 = Constant<value_ints=[2]>() e5 = Constant<value_ints=[5]>() f = Slice(m, e2, e5, e1) "
        "a, , c = LSTM<hidden_size=2>(f, v, v) b = ReduceSum<keepdims=0>(c) y = Add(a, b)",
        lambda m: lstm(m),
    ),
    "LSTM with all its inputs": (
        [3, 16, 2],
        """e0 = Constant<value_ints=[0]>() e1 = Constant<value_ints=[1]>()
        e2 = Constant<value_ints=[2]>() e3 = Constant<value_ints=[3]>()
        v0 = Slice(m, e0, e1) j = Constant<value_ints=[2, 8, 2]>() v = Reshape(v0, j)
        p = Constant<value_ints=[2, 16]>() b = Reshape(v0, p) f = Slice(m, e0, e2, e1)
        h = Slice(m, e1, e3, e0) k = Constant<value_ints=[2, 6]>() q2 = Constant<value_ints=[6]>()
        g0 = Slice(b, e0, q2, e1) n2 = Constant<value=int32[2] {1, 3}>()
        g = Slice(f, e1, e3, e0)
        a, c, d = LSTM<hidden_size=2, direction="bidirectional", clip=0.875, activations=["Sigmoid",
        "Tanh", "Softsign", "HardSigmoid", "Tanh", "Tanh"]>(f, v, v, b, n2, g, g, g0)
        r = ReduceSum<keepdims=0>(c) z = ReduceSum<keepdims=0>(d) n = Mul(r, z) y = Add(a, n)""",
        lambda m: bidirectional(m),
    ),
}


def lstm(m: torch.Tensor) -> torch.Tensor:
    """ONNX's LSTM of two hidden units, step by step, with one matrix as W and R."""
    v = m[0]
    h, c = (torch.zeros(3, 2, dtype=torch.float64) for _ in range(2))
    found: list[torch.Tensor] = []
    for x in m[:, 2:5]:
        i, o, f, n = torch.split(x @ v.T + h @ v.T, 2, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(n)
        h = torch.sigmoid(o) * torch.tanh(c)
        found.append(h)
    return torch.stack(found)[:, None] + c.sum()


def bidirectional(m: torch.Tensor) -> torch.Tensor:
    """The second LSTM above, step by step."""
    weights, lengths = m[0].reshape(2, 8, 2), [1, 3]
    states = m[1:3, :2]
    biases = m[0].reshape(2, 16)
    peepholes = biases[:, :6]
    outs, hiddens, memories = [], [], []
    activations = [
        (torch.sigmoid, torch.tanh, F.softsign),
        (lambda x: (0.2 * x + 0.5).clamp(0, 1), torch.tanh, torch.tanh),
    ]
    for d, (f_, g_, h_) in enumerate(activations):
        v, bias = weights[d], biases[d][:8] + biases[d][8:]
        pi, po, pf = peepholes[d].split(2)
        h, c = states[d], states[d]
        row: list[Any] = [None] * 3
        for t in range(3)[:: -1 if d else 1]:
            within = torch.tensor([[t < length] for length in lengths])
            i, o, f, n = torch.split(m[t, :2] @ v.T + h @ v.T + bias, 2, 1)
            new = f_((f + pf * c).clamp(-0.875, 0.875)) * c
            new = new + f_((i + pi * c).clamp(-0.875, 0.875)) * g_(n.clamp(-0.875, 0.875))
            out = f_((o + po * new).clamp(-0.875, 0.875)) * h_(new)
            row[t] = torch.where(within, out, 0)
            h, c = torch.where(within, out, h), torch.where(within, new, c)
        outs.append(torch.stack(row))
        hiddens.append(h)
        memories.append(c)
    return torch.stack(outs, 1) + torch.stack(hiddens).sum() * torch.stack(memories).sum()


def softmax_of_shifted(s: torch.Tensor, m: torch.Tensor) -> torch.Tensor:
    """An iteration of the loop above."""
    return torch.softmax(F.pad(s, (1, 0))[:, :4] * m, -1)


def scanned(m: torch.Tensor) -> torch.Tensor:
    """The scan above."""
    state, found = torch.full([4], 0.5, dtype=torch.float64), []
    for row in m:
        state = torch.sin(state * row)
        found.append(torch.tanh(state))
    return torch.stack(found)


def gru(m: torch.Tensor) -> torch.Tensor:
    """ONNX's GRU of two hidden units, step by step, with one matrix as W and R."""
    v = torch.cat([m, m], 2).reshape(6, 2)
    h, found = torch.zeros(1, 2, dtype=torch.float64), []
    for x in m[..., :2]:
        z = torch.sigmoid(x @ v[:2].T + h @ v[:2].T)
        r = torch.sigmoid(x @ v[2:4].T + h @ v[2:4].T)
        n = torch.tanh(x @ v[4:].T + (r * h) @ v[4:].T)
        h = (1 - z) * n + z * h
        found.append(h)
    return torch.stack(found)[:, None]


PENALTY = """dx = ai.onnx.preview.training.Gradient<xs=["x"], y="l">(x)
    squared = Mul(dx, dx) penalty = ReduceSum<keepdims=0>(squared)"""
OPSETS = '["": 26, "ai.onnx.preview.training": 1, "ai.graphcore": 1]'


def trained(
    body: str, x: np.ndarray[Any, Any], w: np.ndarray[Any, Any], *more: str
) -> tuple[np.ndarray[Any, Any], ...]:
    """The penalty, its gradient with respect to w, which is what a step of learning rate 1
    subtracts, and what is anchored besides.
    """
    dims = ",".join(map(str, x.shape))
    text = f"""<ir_version: 10, opset_import: {OPSETS}>
    g (double[{dims}] x) => (double l, double penalty) {{
      m = Mul(x, w) {body} t_ = Sin(y) l = ReduceSum<keepdims=0>(t_) {PENALTY} }}"""
    proto = parser.parse_model(text)
    proto.graph.initializer.append(numpy_helper.from_array(w, "w"))
    assert proto.graph.initializer[0].data_type == TensorProto.DOUBLE
    session = popir.TrainingSession(
        proto,
        popir.DataFlow(1, ["penalty", *more]),
        "penalty",
        popir.ConstSGD(1.0),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    session.weightsToHost()
    after = {"w": np.empty_like(w)}
    session.readWeights(popir.PyWeightsIO(after))
    return anchors["penalty"], w - after["w"], *(anchors[each] for each in more)


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_of_a_gradient(name: str) -> None:
    shape, body, function = CASES[name]
    rng = np.random.default_rng(1)
    x, w = (rng.standard_normal(shape) * 0.7 for _ in range(2))
    tensors = [torch.tensor(each, requires_grad=True) for each in (x, w)]
    loss = torch.sin(function(tensors[0] * tensors[1])).sum()
    (slope,) = torch.autograd.grad(loss, tensors[0], create_graph=True)
    expected = (slope**2).sum()
    expected.backward()

    penalty, gradient = trained(body, x, w)
    np.testing.assert_allclose(penalty, expected.item(), rtol=1e-9)
    assert tensors[1].grad is not None
    np.testing.assert_allclose(gradient, tensors[1].grad.numpy(), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("given", ["m, k, q", "m, k"])
def test_dropout_draws_one_mask(given: str) -> None:
    """The operator Gradient reads a copy of what it differentiates, which drops the same."""
    rng = np.random.default_rng(1)
    x, w = (rng.standard_normal([8, 8]) for _ in range(2))
    body = f"""k = Constant<value=float {{0.5}}>() q = Constant<value=bool {{1}}>()
    r, mask = Dropout({given}) y = Mul(r, r)"""
    penalty, gradient, mask = trained(body, x, w, "mask")
    assert 8 < mask.sum() < 56

    tensors = [torch.tensor(each, requires_grad=True) for each in (x, w)]
    loss = torch.sin((tensors[0] * tensors[1] * torch.tensor(mask) * 2) ** 2).sum()
    (slope,) = torch.autograd.grad(loss, tensors[0], create_graph=True)
    expected = (slope**2).sum()
    expected.backward()
    np.testing.assert_allclose(penalty, expected.item(), rtol=1e-9)
    assert tensors[1].grad is not None
    np.testing.assert_allclose(gradient, tensors[1].grad.numpy(), rtol=1e-7, atol=1e-9)


def test_products_with_factors_of_zero() -> None:
    """No quotient is formed: one factor that is 0, two, and none."""
    x = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0], [2.0, 3.0, 4.0]])
    w = np.ones_like(x)
    for body, function in (
        ("k = Constant<value_ints=[1]>() y = ReduceProd(m, k)", lambda m: m.prod(1)),
        ("k = Constant<value_int=1>() y = CumProd(m, k)", lambda m: torch.cumprod(m, 1)),
    ):
        _, gradient = trained(body, x, w)
        steps = [torch.tensor(w, requires_grad=True), torch.tensor(x, requires_grad=True)]
        m = steps[1] * steps[0]
        parts = torch.stack([m[:, 0], m[:, 0] * m[:, 1], m[:, 0] * m[:, 1] * m[:, 2]], 1)
        y = parts if "Cum" in body else parts[:, -1]
        assert torch.equal(y, function(m))
        (slope,) = torch.autograd.grad(torch.sin(y).sum(), steps[1], create_graph=True)
        (slope**2).sum().backward()
        assert steps[0].grad is not None
        np.testing.assert_allclose(gradient, steps[0].grad.numpy(), rtol=1e-7, atol=1e-9)
