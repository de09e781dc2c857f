"""ONNX's operators by PyTorch's, to differentiate a model: `evaluate`.

Long, because each operator is a few lines of one table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

from popir.onnxio import schemas
from tests.fuzz import popart_torch
from tests.ops.attention_formula import attention

Tensor = torch.Tensor


class Unknown(Exception):
    """There is no counterpart for what the node asks."""


class Node:
    """What a function below is given: inputs, attributes, the version in force."""

    def __init__(self, proto: onnx.NodeProto, opset: int, inputs: Sequence[Tensor | None]) -> None:
        self.type, self.outputs = proto.op_type, len(proto.output)
        self.inputs, self.opset = list(inputs), opset
        versions = schemas.versions(proto.domain, proto.op_type)
        self.version = max(v for v in versions if v <= (1 if proto.domain else opset))
        given = {a.name: helper.get_attribute_value(a) for a in proto.attribute}
        self.attributes = {k: v.decode() if isinstance(v, bytes) else v for k, v in given.items()}

    def __call__(self, name: str, otherwise: Any = None) -> Any:
        """An attribute."""
        return self.attributes.get(name, otherwise)

    @property
    def x(self) -> Tensor:
        """The first input."""
        return self[0]

    def __getitem__(self, i: int) -> Tensor:
        found = self.inputs[i]
        assert found is not None
        return found

    def has(self, i: int) -> bool:
        """Whether input `i` is given."""
        return i < len(self.inputs) and self.inputs[i] is not None

    def ints(self, i: int, name: str) -> list[int] | None:
        """What is input `i` or an attribute."""
        return self[i].reshape(-1).tolist() if self.has(i) else self(name)


def _chain(f: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Node], Tensor]:
    def folded(n: Node) -> Tensor:
        found = n.x
        for i in range(1, len(n.inputs)):
            found = f(found, n[i])
        return found

    return folded


def _unary(f: Callable[[Tensor], Tensor]) -> Callable[[Node], Tensor]:
    return lambda n: f(n.x)


def _binary(f: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Node], Tensor]:
    return lambda n: f(n[0], n[1])


def _stacked(n: Node) -> Tensor:
    """All inputs, broadcast: of an extremum by pairs, gradients would depend on their order."""
    return torch.stack(torch.broadcast_tensors(*(n[i] for i in range(len(n.inputs)))))


def _clip(n: Node) -> Tensor:
    low = n[1] if n.has(1) else n("min")
    high = n[2] if n.has(2) else n("max")
    found = n.x
    found = found if low is None else torch.clamp(found, min=low)
    return found if high is None else torch.clamp(found, max=high)


def _shrink(n: Node) -> Tensor:
    lambd, bias = n("lambd", 0.5), n("bias", 0.0)
    zero = torch.zeros_like(n.x)
    above = torch.where(n.x > lambd, n.x - bias, zero)
    return torch.where(n.x < -lambd, n.x + bias, above)


def _center_crop_pad(n: Node) -> Tensor:
    found, sizes = n.x, n.ints(1, "shape") or []
    for d, size in zip(n("axes") or range(found.ndim), sizes, strict=True):
        d %= found.ndim
        less = found.shape[d] - size
        if less > 0:
            found = found.narrow(d, less // 2, size)
        elif less < 0:
            pads = [0, 0] * (found.ndim - 1 - d) + [-less // 2, -less - -less // 2]
            found = F.pad(found, pads)
    return found * 1


def _group_normalization(n: Node) -> Tensor:
    shape, groups = n.x.shape, n("num_groups")
    rows = n.x.reshape(shape[0] * groups, -1) if n.x.numel() else n.x.reshape(0, 1)
    mean = rows.mean(1, keepdim=True)
    variance = ((rows - mean) ** 2).mean(1, keepdim=True)
    normed = (rows - mean) / torch.sqrt(variance + n("epsilon", 1e-5))
    many = len(n[1])
    width = n.x.numel() // (shape[0] * many) if n.x.numel() else 0
    found = normed.reshape(shape[0], many, width) * n[1][:, None] + n[2][:, None]
    return found.reshape(shape)


def _reshape(n: Node) -> Tensor:
    target = n.ints(1, "shape") or []
    if not n("allowzero", 0):
        target = [n.x.shape[i] if d == 0 else d for i, d in enumerate(target)]
    return n.x.reshape(target)


def _flatten(n: Node) -> Tensor:
    axis = n("axis", 1)
    axis += n.x.ndim if axis < 0 else 0
    return n.x.reshape(
        math.prod(n.x.shape[:axis]), -1 if n.x.numel() else math.prod(n.x.shape[axis:])
    )


def _squeeze(n: Node) -> Tensor:
    axes = n.ints(1, "axes")
    return n.x.squeeze() if axes is None else n.x.squeeze(tuple(axes))


def _unsqueeze(n: Node) -> Tensor:
    axes = n.ints(1, "axes") or []
    rank = n.x.ndim + len(axes)
    found = n.x
    for axis in sorted(a % rank for a in axes):
        found = found.unsqueeze(axis)
    return found


def _slice(n: Node) -> Tensor:
    starts, ends = n.ints(1, "starts") or [], n.ints(2, "ends") or []
    axes = n.ints(3, "axes") or list(range(len(starts)))
    steps = n.ints(4, "steps") or [1] * len(starts)
    found = n.x
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        size = found.shape[axis]
        first = max(start, -size) if step < 0 else start
        indices = list(range(*slice(first, end, step).indices(size)))
        found = found.index_select(axis, torch.tensor(indices, dtype=torch.int64))
    return found


def _split(n: Node) -> Sequence[Tensor]:
    axis = n("axis", 0)
    sizes = n.ints(1, "split")
    if sizes is None:
        length = n.x.shape[axis]
        part = -(-length // n.outputs)
        sizes = [min(part, length - i * part) for i in range(n.outputs)]
    return n.x.split(sizes, axis)


def _expand(n: Node) -> Tensor:
    shape = torch.broadcast_shapes(n.x.shape, tuple(n[1].tolist()))
    return n.x.expand(shape)


def _trilu(n: Node) -> Tensor:
    k = int(n[1]) if n.has(1) else 0
    return torch.triu(n.x, k) if n("upper", 1) else torch.tril(n.x, k)


def _gather(n: Node) -> Tensor:
    axis = n("axis", 0) % n.x.ndim
    indices = n[1].long() % max(n.x.shape[axis], 1)
    found = n.x.index_select(axis, indices.reshape(-1))
    return found.reshape([*n.x.shape[:axis], *indices.shape, *n.x.shape[axis + 1 :]])


def _elements(n: Node) -> Tensor:
    axis = n("axis", 0) % n.x.ndim
    return torch.gather(n.x, axis, n[1].long() % max(n.x.shape[axis], 1))


def _places(n: Node, batch: int = 0) -> tuple[Tensor, ...]:
    """What indexes the data with the rows of the last dimension of the indices."""
    given = n[1].long()
    shape = given.shape[:-1]
    batches = [
        torch.arange(shape[d]).reshape([-1, *[1] * (len(shape) - d - 1)]).expand(shape)
        for d in range(batch)
    ]
    sizes = n.x.shape[batch:]
    columns = [given[..., j] % max(sizes[j], 1) for j in range(given.shape[-1])]
    return (*batches, *columns)


def _scattered(n: Node, axis: int, data: Tensor, at: Tensor, updates: Tensor) -> Tensor:
    name = n("reduction", "none")
    if name == "none":
        return torch.scatter(data, axis, at, updates)
    names = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}
    return torch.scatter_reduce(data, axis, at, updates, names[name])


def _scatter_elements(n: Node) -> Tensor:
    axis = n("axis", 0) % n.x.ndim
    return _scattered(n, axis, n.x, n[1].long() % max(n.x.shape[axis], 1), n[2])


def _scatter_nd(n: Node) -> Tensor:
    depth = n[1].shape[-1]
    numbers = torch.arange(math.prod(n.x.shape[:depth])).reshape(n.x.shape[:depth])
    width = math.prod(n.x.shape[depth:])
    rows = numbers[_places(n)].reshape(-1, 1).expand(-1, width)
    data = n.x.reshape(numbers.numel(), width)
    return _scattered(n, 0, data, rows, n[2].reshape(rows.shape)).reshape(n.x.shape)


def _tensor_scatter(n: Node) -> Tensor:
    axis = n("axis", -2) % n.x.ndim
    size, count, batch = n.x.shape[axis], n[1].shape[axis], n.x.shape[0]
    start = n[2].long() if n.has(2) else torch.zeros(batch, dtype=torch.long)
    place = (start[:, None] + torch.arange(count)) % max(size, 1)
    shape = [batch, *[1] * (axis - 1), count, *[1] * (n.x.ndim - axis - 1)]
    return torch.scatter(n.x, axis, place.reshape(shape).expand(n[1].shape), n[1])


def _reverse_sequence(n: Node) -> Tensor:
    time = n("time_axis", 0)
    x = n.x.transpose(0, time)
    steps = torch.arange(x.shape[0])[:, None]
    taken = torch.where(steps < n[1], n[1].long() - 1 - steps, steps)
    found = x.gather(0, taken.reshape([*taken.shape, *[1] * (x.ndim - 2)]).expand(x.shape))
    return found.transpose(0, time)


def _one_hot(n: Node) -> Tensor:
    depth = int(n[1])
    i = n.x.long()
    i = torch.where(i < 0, i + depth, i)
    axis = n("axis", -1) % (i.ndim + 1)
    numbers = torch.arange(depth).reshape([-1, *[1] * (i.ndim - axis)])
    return torch.where(i.unsqueeze(axis) == numbers, n[2][1], n[2][0])


def _compress(n: Node) -> Tensor:
    axis = n("axis")
    x = n.x.reshape(-1) if axis is None else n.x
    return x.index_select(axis or 0, torch.nonzero(n[1]).reshape(-1))


def _col2im(n: Node) -> Tensor:
    pads, image = n("pads"), n[1].tolist()
    padded = [image[d] + pads[d] + pads[d + 2] for d in range(2)]
    found = F.fold(n.x, padded, n[2].tolist(), n("dilations"), 0, n("strides"))
    return found[:, :, pads[0] : pads[0] + image[0], pads[1] : pads[1] + image[1]]


def _grouped(n: Node) -> Tensor:
    groups, axis = n("group_size", 1), n("axis", 0)
    if groups == 1:
        return _gather(n)
    rows = n[1].long() % n.x.shape[axis]
    return torch.stack([n.x[i].index_select(axis - 1, rows[i]) for i in range(groups)])


def _channels(t: Tensor, like: Tensor) -> Tensor:
    return t.reshape([1, -1, *[1] * (like.ndim - 2)])


def _batch_norm(n: Node) -> Sequence[Tensor]:
    x, scale, bias, mean, variance = (n[i] for i in range(5))
    outputs = [mean, variance]
    if n("training_mode", 0):
        axes = [0, *range(2, x.ndim)]
        mean, variance = x.mean(axes), x.var(axes, correction=0)
        keep = n("momentum", _float(0.9))
        outputs = [
            (o * keep + new * (1 - keep)).detach()  # State, through which no gradient flows.
            for o, new in zip(outputs, (mean, variance), strict=True)
        ]
    normal = (x - _channels(mean, x)) / torch.sqrt(
        _channels(variance, x) + n("epsilon", _float(1e-5))
    )
    return [normal * _channels(scale, x) + _channels(bias, x), *outputs][: n.outputs]


def trains(node: onnx.NodeProto, opset: int) -> bool:
    """Whether a BatchNormalization, of which version ever, uses the batch's own statistics."""
    if not node.domain and opset >= 14:
        return any(a.name == "training_mode" and a.i for a in node.attribute)
    return len(node.output) > 1


def _own_batch_norm(n: Node) -> Sequence[Tensor]:
    """With five outputs of the batch's statistics, the running variance over n - 1."""
    training = n.outputs == 5
    n.attributes |= {"training_mode": training}
    n.outputs = min(n.outputs, 1)
    (found,) = _batch_norm(n)
    axes = [0, *range(2, n.x.ndim)]
    keep = n("momentum", _float(0.9))
    mean, variance = n.x.mean(axes), n.x.var(axes, correction=0)
    running = [(mean, n[3]), (n.x.var(axes, correction=1), n[4])] if training else []
    kept = [old * keep + new * (1 - keep) for new, old in running]
    statistics = [each.detach() for each in (*kept, mean, variance)]
    return [found, *statistics] if training else [found]


def _layer_norm(n: Node) -> Sequence[Tensor]:
    axis = n("axis", -1) % n.x.ndim
    axes = tuple(range(axis, n.x.ndim))
    mean = n.x.mean(axes, keepdim=True)
    inverse = 1 / torch.sqrt(
        (n.x - mean).square().mean(axes, keepdim=True) + n("epsilon", _float(1e-5))
    )
    found = (n.x - mean) * inverse * n[1]
    return [found + n[2] if n.has(2) else found, mean, inverse][: n.outputs]


def _rms_normalization(n: Node) -> Tensor:
    axes = tuple(range(n("axis", -1) % n.x.ndim, n.x.ndim))
    mean = n.x.square().mean(axes, keepdim=True)
    return n.x / torch.sqrt(mean + n("epsilon", _float(1e-5))) * n[1]


def _rotary_embedding(n: Node) -> Tensor:
    heads, cos, sin = n.x, n[1], n[2]
    if n.x.ndim == 3:
        heads = n.x.unflatten(2, (n("num_heads"), -1)).transpose(1, 2)
    if n.has(3):
        cos, sin = cos[n[3]], sin[n[3]]
    cos, sin = cos[:, None], sin[:, None]
    half = cos.shape[-1]
    turned, rest = heads[..., : 2 * half], heads[..., 2 * half :]
    paired = bool(n("interleaved", 0))
    a, b = turned.unflatten(-1, (half, 2) if paired else (2, half)).unbind(-1 if paired else -2)
    pair = torch.stack([a * cos - b * sin, a * sin + b * cos], -1 if paired else -2)
    found = torch.cat([pair.flatten(-2), rest], -1)
    return found if n.x.ndim == 4 else found.transpose(1, 2).flatten(2)


def _causal_conv(n: Node) -> Sequence[Tensor]:
    batch, channels, _ = n.x.shape
    before = n[1].shape[2] - 1
    state = n[3] if n.has(3) else n.x.new_zeros(batch, channels, before)
    whole = torch.cat([state, n.x], 2)
    y = F.conv1d(whole, n[1], n[2] if n.has(2) else None, groups=channels)
    return [y if n("activation", "none") == "none" else F.silu(y), whole[:, :, n.x.shape[2] :]]


def _lp_normalization(n: Node) -> Tensor:
    norm = n.x.norm(n("p", 2), n("axis", -1), keepdim=True)
    return n.x / torch.where(norm == 0, torch.ones_like(norm), norm)


def _lrn(n: Node) -> Tensor:
    size, alpha = n("size"), n("alpha", _float(1e-4))
    squares = F.pad(n.x.square().movedim(1, -1), ((size - 1) // 2, size // 2))
    sums = squares.unfold(-1, size, 1).sum(-1).movedim(-1, 1)
    return n.x / (n("bias", 1.0) + alpha / size * sums) ** n("beta", 0.75)


def _softmax(n: Node) -> Tensor:
    f = torch.log_softmax if n.type == "LogSoftmax" else torch.softmax
    if n.version >= 13:
        return f(n.x, n("axis", -1))
    axis = n("axis", 1) % n.x.ndim
    return f(n.x.reshape(math.prod(n.x.shape[:axis]), math.prod(n.x.shape[axis:])), 1).reshape(
        n.x.shape
    )


def _top_k(n: Node) -> list[Tensor]:
    axis, largest = n("axis", -1), n("largest", 1)
    k = int(n[1]) if n.has(1) else n("k")
    # Equal elements in the order of their indices.
    order = torch.argsort(-n.x if largest else n.x, dim=axis, stable=True)
    index = order.narrow(axis, 0, k)
    return [n.x.gather(axis, index), index][: n.outputs]


def _running(n: Node) -> Tensor:
    axis = int(n[1])
    x = n.x.flip(axis) if n("reverse", 0) else n.x
    parts = list(x.unbind(axis))
    for i in range(1, len(parts)):
        parts[i] = parts[i - 1] * parts[i] if n.type == "CumProd" else parts[i - 1] + parts[i]
    if n("exclusive", 0) and parts:
        first = torch.ones_like if n.type == "CumProd" else torch.zeros_like
        parts = [first(parts[0]), *parts[:-1]]
    found = torch.stack(parts, axis) if parts else x * 1
    return found.flip(axis) if n("reverse", 0) else found


def _gemm(n: Node) -> Tensor:
    a = n[0].T if n("transA", 0) else n[0]
    b = n[1].T if n("transB", 0) else n[1]
    found = n("alpha", 1.0) * (a @ b)
    return found + n("beta", 1.0) * n[2] if n.has(2) else found


def _padding(n: Node, window: Sequence[int]) -> list[tuple[int, int]]:
    spatial = n.x.shape[2:]
    rank = len(spatial)
    strides, dilations = n("strides", [1] * rank), n("dilations", [1] * rank)
    mode, pads = n("auto_pad", "NOTSET"), n("pads", [0] * 2 * rank)
    if mode == "VALID":
        pads = [0] * 2 * rank
    if not mode.startswith("SAME"):
        return list(zip(pads[:rank], pads[rank:], strict=True))
    found = []
    for d, w, s, r in zip(spatial, window, strides, dilations, strict=True):
        total = max((-(-d // s) - 1) * s + (w - 1) * r + 1 - d, 0)
        small, large = total // 2, total - total // 2
        found.append((small, large) if mode == "SAME_UPPER" else (large, small))
    return found


def _padded(x: Tensor, pads: Sequence[tuple[int, int]], value: float = 0) -> Tensor:
    return F.pad(x, [p for pair in reversed(pads) for p in pair], value=value)


def _conv(n: Node) -> Tensor:
    rank = n.x.ndim - 2
    f = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    x = _padded(n.x, _padding(n, n[1].shape[2:]))
    bias = n[2] if n.has(2) else None
    steps = [tuple(n(name, [1] * rank)) for name in ("strides", "dilations")]
    return f(x, n[1], bias, steps[0], 0, steps[1], n("group", 1))


def _conv_transpose(n: Node) -> Tensor:
    """Each dimension of the result is cut to the padding asked for."""
    rank = n.x.ndim - 2
    f = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[rank - 1]
    pads, extra = n("pads", [0] * 2 * rank), n("output_padding", [0] * rank)
    bias = n[2] if n.has(2) else None
    steps = [tuple(n(name, [1] * rank)) for name in ("strides", "dilations")]
    found = f(n.x, n[1], None, steps[0], 0, 0, n("group", 1), steps[1])
    found = _padded(found, [(0, e) for e in extra])
    for i in range(rank):
        found = found.narrow(2 + i, pads[i], found.shape[2 + i] - pads[i] - pads[rank + i])
    return found if bias is None else found + _channels(bias, found)


def _pad(n: Node) -> Tensor:
    """Index by index: every mode is a choice of elements, or of the constant."""
    pads = n.ints(1, "pads") or []
    axes = n[3].tolist() if n.has(3) else list(range(n.x.ndim))
    value = n[2].reshape([]) if n.has(2) else torch.tensor(n("value", 0.0), dtype=n.x.dtype)
    mode, found = n("mode", "constant"), n.x
    for i, axis in enumerate(axes):
        size, before, after = found.shape[axis], pads[i], pads[len(axes) + i]
        places = torch.arange(-before, size + after)
        outside = (places < 0) | (places >= size)
        if mode == "reflect":
            places = size - 1 - (size - 1 - places.abs()).abs()
        elif mode == "wrap":
            places = places % size
        found = found.index_select(axis, places.clamp(0, size - 1))
        if mode == "constant":
            shape = [1] * found.ndim
            shape[axis] = -1
            found = torch.where(outside.reshape(shape), value, found)
    return found


def _blocks(n: Node) -> Tensor:
    size = n("blocksize")
    b, c, h, w = n.x.shape
    if n.type == "SpaceToDepth":
        parts = n.x.reshape(b, c, h // size, size, w // size, size).permute(0, 3, 5, 1, 2, 4)
        return parts.reshape(b, c * size * size, h // size, w // size)
    c //= size * size
    if n("mode", "DCR") == "CRD":
        parts = n.x.reshape(b, c, size, size, h, w).permute(0, 1, 4, 2, 5, 3)
    else:
        parts = n.x.reshape(b, size, size, c, h, w).permute(0, 3, 4, 1, 5, 2)
    return parts.reshape(b, c, h * size, w * size)


def _class_loss(n: Node) -> Sequence[Tensor]:
    logs = torch.log_softmax(n.x, 1) if n.type == "SoftmaxCrossEntropyLoss" else n.x
    weight = n[2].detach() if n.has(2) else None  # docs/losses.md: they are not trained.
    # Without the attribute nothing is ignored, where PyTorch would -100.
    ignored = n("ignore_index", -(10**6))
    loss = F.nll_loss(
        logs, n[1].long(), weight, ignore_index=ignored, reduction=n("reduction", "mean")
    )
    return [loss, logs][: n.outputs]


def _pool(n: Node) -> Tensor:
    """A maximum or mean over windows that are gathered one dimension after the other."""
    window = n("kernel_shape")
    rank = len(window)
    strides, dilations = n("strides", [1] * rank), n("dilations", [1] * rank)
    mean, largest = n.type == "AveragePool", n.type == "MaxPool"
    pads, nothing = _padding(n, window), -math.inf if largest else 0
    x = n.x if n.type != "LpPool" else n.x.abs() ** n("p", 2)
    found = _padded(x, pads, nothing)
    counted = torch.ones_like(n.x[:1, :1])
    counted = _padded(counted, pads, float(n("count_include_pad", 0)))
    for i in range(rank):
        reach = (window[i] - 1) * dilations[i] + 1
        room = found.shape[2 + i] - reach
        steps = -(-room // strides[i]) if n("ceil_mode", 0) else room // strides[i]
        if n("ceil_mode", 0) and steps * strides[i] >= n.x.shape[2 + i] + pads[i][0]:
            steps -= 1
        beyond = max(0, steps * strides[i] + reach - found.shape[2 + i])
        # Behind what is left of the space lie the elements of the windows so far.
        extra = [(0, 0)] * (rank + i)
        extra[i] = (0, beyond)
        found = _padded(found, extra, nothing)
        counted = _padded(counted, extra)
        found = found.unfold(2 + i, reach, strides[i])[..., :: dilations[i]]
        counted = counted.unfold(2 + i, reach, strides[i])[..., :: dilations[i]]
    found = found.flatten(2 + rank)
    counted = counted.flatten(2 + rank)
    if mean:
        return found.sum(-1) / counted.sum(-1)
    if largest:
        values, index = found.max(-1)
        if n.outputs == 1:
            return values
        # Which element of the input the chosen one of the windows is.
        if any(a or b for a, b in pads) or n("ceil_mode", 0):
            raise Unknown("indices with padding")
        numbers = torch.arange(n.x.numel(), dtype=n.x.dtype).reshape(n.x.shape)
        for i in range(rank):
            reach = (window[i] - 1) * dilations[i] + 1
            numbers = numbers.unfold(2 + i, reach, strides[i])[..., :: dilations[i]]
        chosen = numbers.flatten(2 + rank).gather(-1, index[..., None])[..., 0].long()
        return [values, chosen]
    return found.sum(-1) ** (1 / n("p", 2))


def _max_unpool(n: Node) -> Tensor:
    strides = n("strides")
    spatial = [
        (d - 1) * s + w for d, s, w in zip(n.x.shape[2:], strides, n("kernel_shape"), strict=True)
    ]
    shape = [*n.x.shape[:2], *spatial]
    zeros = torch.zeros(math.prod(shape), dtype=n.x.dtype)
    return zeros.scatter(0, n[1].reshape(-1), n.x.reshape(-1)).reshape(shape)


def _sides(at: float, size: int) -> list[tuple[int, float]]:
    """The pixels at both sides of a coordinate, and their weights; none if it is outside."""
    if at < -1 or at > size:
        return []
    at = min(max(at, 0), size - 1)
    low = int(at)
    return [(low, 1 - (at - low)), (min(low + 1, size - 1), at - low)]


def _roi_align(n: Node) -> Tensor:
    bins, ratio = [n("output_height", 1), n("output_width", 1)], n("sampling_ratio", 0)
    half = n.version >= 16 and n("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    scale, results = n("spatial_scale", 1.0), []
    for corners, image in zip(n[1].detach().tolist(), n[2].tolist(), strict=True):
        points = []
        for i in range(2):
            begin, end = (corners[k] * scale - 0.5 * half for k in (1 - i, 3 - i))
            length = end - begin if half else max(end - begin, 1.0)
            step = length / bins[i]
            count = ratio or max(math.ceil(step), 0)
            points.append(
                [
                    [begin + b * step + (k + 0.5) * step / count for k in range(count)]
                    for b in range(bins[i])
                ]
            )
        for down in points[0]:
            for across in points[1]:
                terms = []
                for y in down:
                    for x in across:
                        four = [
                            wy * wx * n.x[image, :, py, px]
                            for py, wy in _sides(y, n.x.shape[2])
                            for px, wx in _sides(x, n.x.shape[3])
                        ]
                        terms.append(torch.stack(four) if four else 0 * n.x[image, None, :, 0, 0])
                if n("mode", "avg") == "max":
                    results.append(torch.cat(terms).max(0).values)
                else:
                    results.append(torch.stack([t.sum(0) for t in terms]).mean(0))
    shape = [n[1].shape[0], *bins, n.x.shape[1]]
    return torch.stack(results).reshape(shape).movedim(-1, 1)


def _max_roi_pool(n: Node) -> Tensor:
    bins, scale, results = n("pooled_shape"), n("spatial_scale", 1.0), []
    for image, *corners in n[1].detach().tolist():
        low, high = ([math.floor(v * scale + 0.5) for v in corners[k : k + 2]] for k in (0, 2))
        ranges = []
        for i, count in enumerate(bins):
            size, first = n.x.shape[2 + i], low[1 - i]
            step = max(high[1 - i] - first + 1, 1) / count
            ends = [(math.floor(b * step), math.ceil((b + 1) * step)) for b in range(count)]
            ranges.append([[min(max(e + first, 0), size) for e in pair] for pair in ends])
        for top, bottom in ranges[0]:
            for left, right in ranges[1]:
                part = n.x[int(image), :, top:bottom, left:right].flatten(1)
                results.append(part.max(1).values if part.shape[1] else 0 * n.x[0, :, 0, 0])
    shape = [n[1].shape[0], *bins, n.x.shape[1]]
    return torch.stack(results).reshape(shape).movedim(-1, 1)


def _global(n: Node) -> Tensor:
    flat = n.x.flatten(2)
    found = flat.mean(-1) if n.type == "GlobalAveragePool" else flat.max(-1).values
    return found.reshape([*n.x.shape[:2], *[1] * (n.x.ndim - 2)])


def _lstm(n: Node) -> Sequence[Tensor]:
    steps, batch = n.x.shape[:2]
    size, direction = n("hidden_size"), n("direction", "forward")
    lengths = n[4].tolist() if n.has(4) else [steps] * batch
    results: list[list[Tensor]] = [[], [], []]
    for d in range(n[1].shape[0]):
        backwards = direction == "reverse" or d == 1
        bias = n[3][d].reshape(2, -1).sum(0) if n.has(3) else 0
        columns = []
        for b in range(batch):
            h, c = (
                n[5 + k][d, b] if n.has(5 + k) else torch.zeros(size, dtype=n.x.dtype)
                for k in (0, 1)
            )
            peepholes = n[7][d].split(size) if n.has(7) else (0, 0, 0)
            ys: dict[int, Tensor] = {}
            order = range(lengths[b])
            for t in reversed(order) if backwards else order:
                gates = n.x[t, b] @ n[1][d].T + h @ n[2][d].T + bias
                i, o, f, g = gates.split(size)
                i, f = torch.sigmoid(i + peepholes[0] * c), torch.sigmoid(f + peepholes[2] * c)
                c = f * c + i * torch.tanh(g)
                h = torch.sigmoid(o + peepholes[1] * c) * torch.tanh(c)
                ys[t] = h
            zero = torch.zeros(size, dtype=n.x.dtype)
            columns.append((torch.stack([ys.get(t, zero) for t in range(steps)]), h, c))
        for k in range(3):
            results[k].append(torch.stack([column[k] for column in columns], 1 if k == 0 else 0))
    return [torch.stack(r, 1 if k == 0 else 0) for k, r in enumerate(results)][: n.outputs]


def _recurrent(n: Node) -> Sequence[Tensor]:
    """GRU and RNN."""
    steps, batch = n.x.shape[:2]
    size, direction = n("hidden_size"), n("direction", "forward")
    lengths = n[4].tolist() if n.has(4) else [steps] * batch
    results: list[list[Tensor]] = [[], []]
    for d in range(n[1].shape[0]):
        backwards = direction == "reverse" or d == 1
        none = torch.zeros(n[1].shape[1], dtype=n.x.dtype)
        bias_w, bias_r = n[3][d].reshape(2, -1) if n.has(3) else (none, none)
        w, r = n[1][d].T, n[2][d].T
        columns = []
        for b in range(batch):
            h = n[5][d, b] if n.has(5) else torch.zeros(size, dtype=n.x.dtype)
            ys: dict[int, Tensor] = {}
            order = range(lengths[b])
            for t in reversed(order) if backwards else order:
                x = n.x[t, b] @ w + bias_w
                if n.type == "RNN":
                    h = torch.tanh(x + h @ r + bias_r)
                else:
                    z, reset = torch.sigmoid(x + h @ r + bias_r)[: 2 * size].split(size)
                    late = n("linear_before_reset", 0)
                    new = (h if late else reset * h) @ r[:, 2 * size :] + bias_r[2 * size :]
                    h = (1 - z) * torch.tanh(x[2 * size :] + (reset * new if late else new)) + z * h
                ys[t] = h
            zero = torch.zeros(size, dtype=n.x.dtype)
            columns.append((torch.stack([ys.get(t, zero) for t in range(steps)]), h))
        for k in range(2):
            results[k].append(torch.stack([column[k] for column in columns], 1 if k == 0 else 0))
    return [torch.stack(r, 1 if k == 0 else 0) for k, r in enumerate(results)][: n.outputs]


def _inside(n: Node, name: str, given: Sequence[Tensor]) -> list[Tensor]:
    """The outputs of a graph in an attribute."""
    graph = n(name)
    values = {each.name: torch.tensor(numpy_helper.to_array(each)) for each in graph.initializer}
    values.update({i.name: tensor for i, tensor in zip(graph.input, given, strict=True)})
    found = evaluate(graph.node, n.opset, values)
    return [found[output.name] for output in graph.output]


def _if(n: Node) -> Sequence[Tensor]:
    return _inside(n, "then_branch" if n.x.item() else "else_branch", [])


def _loop(n: Node) -> Sequence[Tensor]:
    values, slices = [n[2]], []
    for i in range(int(n.x.item())):
        _, value, slice = _inside(n, "body", [torch.tensor(i), torch.tensor(True), *values])
        values = [value]
        slices.append(slice)
    return [*values, torch.stack(slices)]


def _scan(n: Node) -> Sequence[Tensor]:
    state, slices = n.x, []
    rows = list(n[1])
    for row in rows[::-1] if n("scan_input_directions", [0])[0] else rows:
        state, slice = _inside(n, "body", [state, row])
        slices.append(slice)
    return [state, torch.stack(slices)]


_REDUCTIONS: dict[str, Callable[[Tensor, list[int]], Tensor]] = {
    "Sum": lambda x, a: x.sum(a, keepdim=True),
    "Mean": lambda x, a: x.mean(a, keepdim=True),
    "Max": lambda x, a: x.amax(a, keepdim=True),
    "Min": lambda x, a: x.amin(a, keepdim=True),
    "SumSquare": lambda x, a: x.square().sum(a, keepdim=True),
    "L1": lambda x, a: x.abs().sum(a, keepdim=True),
    "L2": lambda x, a: x.square().sum(a, keepdim=True).sqrt(),
    "LogSum": lambda x, a: x.sum(a, keepdim=True).log(),
    "LogSumExp": lambda x, a: x.logsumexp(a, keepdim=True),
}


def _reduce(n: Node) -> Tensor:
    axes = n.ints(1, "axes")
    if not axes:
        if n("noop_with_empty_axes", 0):
            if n.type == "ReduceSum" or n.version < 27:
                axes = []
        else:
            axes = list(range(n.x.ndim))
    kind = n.type.removeprefix("Reduce")
    if axes == [] and n.x.ndim:
        one = _REDUCTIONS.get(kind)
        if kind == "Prod" or one is None:
            return n.x
        return one(n.x.unsqueeze(-1), [-1]).squeeze(-1)
    axes = sorted(a % n.x.ndim for a in axes or [])
    if kind == "Prod":
        found = n.x
        for a in axes:
            found = found.prod(a, keepdim=True)
    elif axes:
        found = _REDUCTIONS[kind](n.x, axes)
    else:
        found = _REDUCTIONS[kind](n.x.reshape(1), [0]).reshape([])
    return found if n("keepdims", 1) else found.squeeze(tuple(axes)) if axes else found


def _resize(n: Node) -> Tensor:
    """By sizes or scales of the last two dimensions."""
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(n("mode", "nearest"), "nearest")
    way = n("coordinate_transformation_mode", "asymmetric")
    if n.type == "Upsample" or n.version == 10:
        if mode != "nearest":
            raise Unknown("positions from the first element on")
        given = n[1].tolist() if n.has(1) else n("scales")
        factors = given[2:] if given else [n("height_scale"), n("width_scale")]
        return F.interpolate(n.x, scale_factor=factors)
    aligned = None if mode == "nearest" else way == "align_corners"
    if n.has(3):
        return F.interpolate(n.x, n[3].tolist()[2:], mode=mode, align_corners=aligned)
    factors = n[2].tolist()[2:]
    return F.interpolate(n.x, scale_factor=factors, mode=mode, align_corners=aligned)


def _grid_sample(n: Node) -> Tensor:
    mode = n("mode", "linear")
    return F.grid_sample(
        n.x,
        n[1].detach() if mode == "nearest" else n[1],
        mode={"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode),
        padding_mode=n("padding_mode", "zeros"),
        align_corners=bool(n("align_corners", 0)),
    )


def _deform_conv(n: Node) -> Tensor:
    """Each element of the window is sampled by grid_sample, then summed by the weights."""
    batch, channels, h, w = n.x.shape
    out_channels, depth, kh, kw = n[1].shape
    oh, ow = n[2].shape[2:]
    parts, group, pads = n("offset_group", 1), n("group", 1), n("pads", [0] * 4)
    offsets = n[2].reshape(batch, parts, kh * kw, 2, oh, ow)
    masks = n[4].reshape(batch, parts, kh * kw, oh, ow) if n.has(4) else None
    y = torch.zeros(batch, out_channels, oh, ow, dtype=n.x.dtype)
    for p, k in ((p, k) for p in range(parts) for k in range(kh * kw)):
        rows = offsets[:, p, k, 0] + torch.arange(oh).reshape(-1, 1) + (k // kw - pads[0])
        columns = offsets[:, p, k, 1] + torch.arange(ow) + (k % kw - pads[1])
        grid = torch.stack([(2 * columns + 1) / w - 1, (2 * rows + 1) / h - 1], -1)
        each = channels // parts
        part = n.x[:, p * each : (p + 1) * each]
        found = F.grid_sample(part, grid, align_corners=False)
        if masks is not None:
            found = found * masks[:, p, k].unsqueeze(1)
        whole = torch.zeros(batch, channels, oh, ow, dtype=n.x.dtype)
        whole = torch.cat([whole[:, : p * each], found, whole[:, (p + 1) * each :]], 1)
        weights = n[1][:, :, k // kw, k % kw].reshape(group, out_channels // group, depth)
        grouped = whole.reshape(batch, group, depth, oh, ow)
        y = y + torch.einsum("god,bgdhw->bgohw", weights, grouped).reshape(y.shape)
    return y + n[3].reshape(-1, 1, 1) if n.has(3) else y


def _dft(n: Node) -> Tensor:
    x = torch.view_as_complex(n.x.contiguous()) if n.x.shape[-1] == 2 else n.x[..., 0]
    size = int(n[1]) if n.has(1) else None
    axis = (int(n[2]) if n.has(2) else n("axis", 1 if n.version < 20 else -2)) % n.x.ndim
    if n("inverse", 0) and n("onesided", 0):
        return torch.fft.irfft(x, size, axis).unsqueeze(-1)
    found = (torch.fft.ifft if n("inverse", 0) else torch.fft.fft)(x, size, axis)
    found = torch.view_as_real(found)
    return found.narrow(axis, 0, found.shape[axis] // 2 + 1) if n("onesided", 0) else found


def _stft(n: Node) -> Tensor:
    size = int(n[3]) if n.has(3) else n[2].shape[0]
    frames = n.x[..., 0].unfold(1, size, int(n[1]))
    found = torch.fft.fft(frames * n[2] if n.has(2) else frames)
    found = found[..., : size // 2 + 1] if n("onesided", 1) else found
    return torch.view_as_real(found)


def _reduced(values: Tensor, reduction: str, count: Any = None) -> Tensor:
    if reduction == "NoReduction":
        return values
    total = values.sum()
    return total if reduction == "Sum" else total / (values.numel() if count is None else count)


def _nll(n: Node) -> Tensor:
    labels = n[1].long()
    used = labels != n("ignoreIndex", -1)
    picked = n.x.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    losses = -picked if n("inputIsLogProbability", 0) else -picked.log()
    losses = torch.where(used, losses, torch.zeros_like(losses))
    return _reduced(losses, n("reduction", "Mean"), used.sum().clamp(min=1))


def _gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def _float(value: float) -> float:
    """As it is kept in a model."""
    return float(torch.tensor(value, dtype=torch.float32))


_ONNX: dict[str, Callable[[Node], Tensor | Sequence[Tensor]]] = {
    **{
        type: _unary(getattr(torch, type.lower()))
        for type in ("Neg", "Abs", "Sign", "Floor", "Ceil", "Exp", "Log", "Sqrt", "Reciprocal")
    },
    **{type: _unary(getattr(torch, type.lower())) for type in ("Sin", "Cos", "Tan", "Erf", "Relu")},
    **{
        type: _unary(getattr(torch, type.lower()))
        for type in ("Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Round")
    },
    "Celu": lambda n: torch.where(
        n.x > 0, n.x, n("alpha", 1.0) * torch.expm1(n.x / n("alpha", 1.0))
    ),
    "Tanh": _unary(torch.tanh),
    "Sigmoid": _unary(torch.sigmoid),
    "Softplus": _unary(lambda x: torch.logaddexp(x, torch.zeros_like(x))),
    "Softsign": _unary(F.softsign),
    "Elu": lambda n: torch.where(n.x > 0, n.x, n("alpha", 1.0) * torch.expm1(n.x)),
    "Selu": lambda n: (
        n("gamma", _float(1.0507009873554805))
        * torch.where(n.x > 0, n.x, n("alpha", _float(1.6732632423543772)) * torch.expm1(n.x))
    ),
    "HardSigmoid": lambda n: torch.clamp(n("alpha", _float(0.2)) * n.x + n("beta", 0.5), 0, 1),
    "ThresholdedRelu": lambda n: torch.where(n.x > n("alpha", 1.0), n.x, torch.zeros_like(n.x)),
    "LeakyRelu": lambda n: torch.where(n.x < 0, n("alpha", _float(0.01)) * n.x, n.x),
    "Gelu": lambda n: F.gelu(n.x, approximate=n("approximate", "none")),
    "Add": _binary(torch.add),
    "Sub": _binary(torch.sub),
    "Mul": _binary(torch.mul),
    "Div": _binary(torch.div),
    "Pow": _binary(torch.pow),
    "Mod": _binary(torch.fmod),
    "Sum": _chain(torch.add),
    "Mean": lambda n: _chain(torch.add)(n) / len(n.inputs),
    "Max": lambda n: _stacked(n).amax(0),
    "Min": lambda n: _stacked(n).amin(0),
    "Where": lambda n: torch.where(n[0], n[1], n[2]),
    "Clip": _clip,
    "Identity": lambda n: n.x * 1,
    "Mish": _unary(F.mish),
    "HardSwish": _unary(F.hardswish),
    "PRelu": lambda n: torch.where(n.x < 0, n[1] * n.x, n.x),
    "Pad": _pad,
    "DepthToSpace": _blocks,
    "SpaceToDepth": _blocks,
    "SoftmaxCrossEntropyLoss": _class_loss,
    "NegativeLogLikelihoodLoss": _class_loss,
    "Reshape": _reshape,
    "Flatten": _flatten,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Transpose": lambda n: n.x.permute(n("perm", list(range(n.x.ndim))[::-1])),
    "Concat": lambda n: torch.cat([n[i] for i in range(len(n.inputs))], n("axis")),
    "Slice": _slice,
    "Split": _split,
    "Expand": _expand,
    "Tile": lambda n: n.x.repeat(n[1].tolist()) if n.x.ndim else n.x * 1,
    "Trilu": _trilu,
    "Gather": _gather,
    "GatherElements": _elements,
    "GatherND": lambda n: n.x[_places(n, n("batch_dims", 0))],
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
    "ReverseSequence": _reverse_sequence,
    "OneHot": _one_hot,
    "Compress": _compress,
    "Col2Im": _col2im,
    "BatchNormalization": _batch_norm,
    "LayerNormalization": _layer_norm,
    "LRN": _lrn,
    "GroupNormalization": lambda n: _group_normalization(n),
    "Shrink": lambda n: _shrink(n),
    "CenterCropPad": lambda n: _center_crop_pad(n),
    "LpNormalization": lambda n: _lp_normalization(n),
    "RMSNormalization": _rms_normalization,
    "SwiGLU": lambda n: n.x * torch.sigmoid(n("alpha", 1.0) * n.x) * n[1],
    "CausalConvWithState": _causal_conv,
    "RotaryEmbedding": _rotary_embedding,
    "Attention": lambda n: attention(*n.inputs, **n.attributes)[: n.outputs],
    "Softmax": _softmax,
    "LogSoftmax": _softmax,
    "TopK": _top_k,
    "CumSum": _running,
    "CumProd": _running,
    "MatMul": _binary(torch.matmul),
    "Gemm": _gemm,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "MaxPool": _pool,
    "LpPool": _pool,
    "MaxUnpool": _max_unpool,
    "RoiAlign": _roi_align,
    "MaxRoiPool": _max_roi_pool,
    "AveragePool": _pool,
    "GlobalMaxPool": _global,
    "GlobalAveragePool": _global,
    "GlobalLpPool": lambda n: (
        n.x.flatten(2).norm(n("p", 2), 2).reshape(*n.x.shape[:2], *[1] * (n.x.ndim - 2))
    ),
    "LSTM": _lstm,
    "Resize": _resize,
    "Upsample": _resize,
    "GridSample": _grid_sample,
    "AffineGrid": lambda n: F.affine_grid(
        n.x,
        [max(1, size) for size in n.ints(1, "size") or []],  # The number of channels may be 0.
        align_corners=bool(n("align_corners", 0)),
    ),
    "DeformConv": _deform_conv,
    "Einsum": lambda n: torch.einsum(n("equation"), *(n[i] for i in range(len(n.inputs)))),
    "Det": lambda n: torch.linalg.det(n.x),
    "DFT": _dft,
    "STFT": _stft,
    "InstanceNormalization": lambda n: F.instance_norm(
        n.x, weight=n[1], bias=n[2], eps=n("epsilon", _float(1e-5))
    ),
    "GRU": _recurrent,
    "RNN": _recurrent,
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
    **{f"Reduce{kind}": _reduce for kind in (*_REDUCTIONS, "Prod")},
}
_OWN: dict[str, Callable[[Node], Tensor | Sequence[Tensor]]] = {
    "Log1p": _unary(torch.log1p),
    "Expm1": _unary(torch.expm1),
    "Swish": _unary(F.silu),
    "Gelu": _unary(_gelu),
    "GeluErf": _unary(F.gelu),
    "Round": _unary(lambda x: torch.sign(x.detach()) * torch.floor(x.abs() + 0.5)),
    "NearbyInt": _unary(torch.round),
    "Nop": _unary(lambda x: x * 1),
    "Detach": _unary(torch.Tensor.detach),
    "Scale": lambda n: n("scale") * n.x,
    "Fmod": _binary(torch.fmod),
    "Remainder": _binary(torch.remainder),
    "Atan2": _binary(torch.atan2),
    "Reshape": lambda n: n.x.reshape(n("shape")),
    "GroupedGather": _grouped,
    "BatchNormalization": _own_batch_norm,
    "L1": lambda n: _reduced(n.x.abs() * n("lambda"), n("reduction", "Mean")),
    "IdentityLoss": lambda n: _reduced(n.x * 1, n("reduction", "Mean")),
    "Nll": _nll,
    **popart_torch.OPERATORS,
}
OPERATORS = {
    **{("ai.onnx", type): f for type, f in _ONNX.items()},
    **{("ai.graphcore", type): f for type, f in _OWN.items()},
}
"""Those with a derivative, by domain and name."""


def evaluate(
    nodes: Sequence[onnx.NodeProto],
    opset: int,
    given: Mapping[str, Tensor],
    rounded: Callable[[Tensor], Tensor] = lambda result: result,
) -> dict[str, Tensor]:
    """All values; `rounded` is called with each result and gives what stands for it. Raises
    Unknown.
    """
    values = dict(given)
    for proto in nodes:
        function = OPERATORS.get((proto.domain or "ai.onnx", proto.op_type))
        if function is None:
            raise Unknown(proto.op_type)
        inputs = [values[name] if name else None for name in proto.input]
        try:
            found = function(Node(proto, opset, inputs))
        except (IndexError, RuntimeError) as error:
            raise Unknown(f"{proto.op_type}: {error}") from error
        results = [found] if isinstance(found, Tensor) else found
        values.update(zip(proto.output, map(rounded, results), strict=True))
    return values
