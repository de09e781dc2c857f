"""PopART's operators that consist of others by PyTorch's: see `torch_ops`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from tests.fuzz.torch_ops import Node

Tensor = torch.Tensor


def _sort(n: Node) -> list[Tensor]:
    found = torch.sort(n.x, dim=n("axis", -1), descending=bool(n("descending", 0)), stable=True)
    return [found.values, found.indices]


def _median(n: Node) -> list[Tensor]:
    x, axes, keepdims = n.x, n("axes"), n("keepdims", 1)
    left = [d for d in range(x.dim()) if d not in axes]
    rows = x.permute(*left, *axes).reshape(*(x.shape[d] for d in left), -1)
    values, at = torch.sort(rows, dim=-1, stable=True)
    half = (rows.shape[-1] - 1) // 2
    shape = [1 if d in axes else s for d, s in enumerate(x.shape) if keepdims or d not in axes]
    return [values[..., half].reshape(shape), at[..., half].reshape(shape)]


def _scaled(n: Node) -> Tensor:
    a = n[2] if n.has(2) else n("scale0", 1.0)
    return a * n.x + (n[3] if n.has(3) else n("scale1", 1.0)) * n[1]


def _groups(n: Node) -> list[Tensor]:
    x, groups, epsilon = n.x, n("num_groups"), n("epsilon", 1e-5)
    rows = x.detach().reshape(x.shape[0] * groups, -1)
    out = F.group_norm(x, groups, n[1], n[2], epsilon)
    inverse = 1 / torch.sqrt(rows.var(1, unbiased=False) + epsilon)
    return [out, rows.mean(1), inverse]


def _lstm(n: Node) -> list[Tensor]:
    x, w, b, (h, c) = n.x, n[1], n[2], n[3]
    found: list[Tensor] = []
    for step in x:
        both = torch.cat([step, h], 1)
        f, i, g, o = (both @ w[k] + b[k] for k in range(4))
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        found.append(h)
    return [torch.stack(found) if n("outputFullSequence", 1) else h, c]


def _convs(n: Node) -> list[Tensor]:
    pads = n("pads")
    return [
        F.conv1d(F.pad(n[3 * k], pads[2 * k : 2 * k + 2]), n[3 * k + 1], n[3 * k + 2])
        for k in range(2)
    ]


def _slice(n: Node) -> Tensor:
    out = n.x
    for start, end, axis in zip(n("starts"), n("ends"), n("axes"), strict=True):
        end = min(end, out.shape[axis])
        out = out.narrow(axis, start, max(end - start, 0))
    return out


def _subsample(n: Node) -> Tensor:
    return n.x[tuple(slice(None, None, s) for s in n("strides"))]


def _depth(n: Node) -> Tensor:
    x, s = n.x, n("blocksize")
    b, c, h, w = x.shape
    c //= s * s
    if n("mode", "DCR") == "DCR":
        out = x.reshape(b, s, s, c, h, w).permute(0, 3, 4, 1, 5, 2)
    else:
        out = x.reshape(b, c, s, s, h, w).permute(0, 1, 4, 2, 5, 3)
    return out.reshape(b, c, h * s, w * s)


def _sequences(n: Node) -> Tensor:
    out = torch.zeros_like(n[1]) if n("zeroUnused", 0) else n[1].clone()
    for count, s, t in zip(*(n[i].tolist() for i in (2, 3, 4)), strict=True):
        out = torch.cat([out[:t], n.x[s : s + count], out[t + count :]])
    return out


def _dynamic(n: Node) -> Tensor:
    x, (a,), (size,), offset = n.x, n("axes"), n("sizes"), int(n[1][0])
    inside = offset + size <= x.shape[a]
    if n.type == "DynamicSlice":
        return x.narrow(a, offset, size) if inside else x.narrow(a, 0, size) * 0
    if not inside:
        return x * 1
    old = x.narrow(a, offset, size)
    part = old * 0 if n.type == "DynamicZero" else n[2]
    part = part + old if n.type == "DynamicAdd" else part
    rest = x.narrow(a, offset + size, x.shape[a] - offset - size)
    return torch.cat([x.narrow(a, 0, offset), part, rest], a)


def _scatter(n: Node) -> Tensor:
    a = n("axis", -1) % n.x.dim()
    shape = [n("axis_size") if d == a else s for d, s in enumerate(n.x.shape)]
    start = n[2] if n.has(2) else torch.zeros(shape, dtype=n.x.dtype)
    index = n[1].long().reshape([-1 if d == a else 1 for d in range(n.x.dim())])
    index = index.expand(n.x.shape).contiguous()
    how = {"sum": "sum", "max": "amax", "min": "amin"}[n("reduction", "sum")]
    return start.scatter_reduce(a, index, n.x, how, include_self=n.has(2) or how == "sum")


OPERATORS: dict[str, Callable[[Node], Any]] = {
    "Reverse": lambda n: n.x.flip(n("dimensions")),
    "Subsample": _subsample,
    "Slice": _slice,
    "DepthToSpace": _depth,
    "ScaledAdd": _scaled,
    "Sort": _sort,
    "ReduceMedian": _median,
    "GroupNormalization": _groups,
    "LSTM": _lstm,
    "MultiConv": _convs,
    "TensorRemap": lambda n: n.x * 1,
    "SequenceSlice": _sequences,
    **dict.fromkeys(("DynamicSlice", "DynamicUpdate", "DynamicAdd", "DynamicZero"), _dynamic),
    "ScatterReduce": _scatter,
}
"""Those with a derivative, in double; others have none, or no doubles."""
