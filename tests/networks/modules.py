"""Small modules over the breadth of PyTorch's functions, as real code uses them: `MODULES`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Functional(nn.Module):
    """A function of inputs, with parameters and layers of its own as attributes of the first
    argument.
    """

    def __init__(self, given: Given) -> None:
        super().__init__()
        for name, shape in given.weights.items():
            self.register_parameter(name, nn.Parameter(0.5 * torch.randn(tuple(shape))))
        for name, make in given.layers.items():
            self.add_module(name, make())
        self.function = given.function

    def forward(self, *xs: Tensor) -> Any:
        return self.function(self, *xs)


class Given(NamedTuple):
    """A module: its function, its inputs, its parameters and its layers."""

    function: Callable[..., Any]
    inputs: Sequence[Tensor]
    weights: Mapping[str, Sequence[int]] = {}
    layers: Mapping[str, Callable[[], nn.Module]] = {}


def normal(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def below(high: int, *shape: int, seed: int = 1) -> Tensor:
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(seed))


def padded_attention(m: Any, x: Tensor, padding: Tensor) -> Any:
    return m.attention(x, x, x, key_padding_mask=padding, need_weights=False)[0]


def alibi(m: Any, x: Tensor) -> Any:
    b, t, _ = x.shape
    q, k, v = m.qkv(x).view(b, t, 3, 4, 2).permute(2, 0, 3, 1, 4)
    slopes = 2.0 ** (-2.0 * torch.arange(1, 5))
    distance = torch.arange(t)[None, :] - torch.arange(t)[:, None]
    scores = q @ k.transpose(-1, -2) / math.sqrt(2) + slopes[:, None, None] * distance.clamp(max=0)
    return (scores.masked_fill(distance > 0, float("-inf")).softmax(-1) @ v).transpose(1, 2)


def windows(m: Any, x: Tensor) -> Any:
    b, h, w, c = x.shape
    y = torch.roll(x, (-2, -2), (1, 2)).view(b, h // 4, 4, w // 4, 4, c).transpose(2, 3)
    q, k, v = m.qkv(y.reshape(-1, 16, c)).reshape(-1, 16, 3, 2, 2).permute(2, 0, 3, 1, 4).unbind(0)
    y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, h // 4, w // 4, 4, 4, c)
    return torch.roll(y.transpose(2, 3).reshape(b, h, w, c), (2, 2), (1, 2))


def linear_attention(m: Any, q: Tensor, k: Tensor, v: Tensor) -> Any:
    q, k = F.elu(torch.einsum("blhd,hde->blhe", q, m.w)) + 1, F.elu(k) + 1
    sums = 1 / (torch.einsum("blhd,bhd->blh", q, k.sum(1)) + 1e-6)
    return torch.einsum("blhd,bhdm,blh->blhm", q, torch.einsum("blhd,blhm->bhdm", k, v), sums)


def rotary(m: Any, x: Tensor, positions: Tensor) -> Any:
    angles = positions[..., None].float() / 100 ** (torch.arange(0, 8, 2).float() / 8)
    c, s = angles.cos()[:, :, None], angles.sin()[:, :, None]
    a, b = (x @ m.w)[..., ::2], (x @ m.w)[..., 1::2]
    return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2)


def assigned(m: Any, x: Tensor, at: Tensor, v: Tensor) -> Any:
    y = (x * m.w).clone()
    y[:, ::2] = v
    y[1:3, -2:] += 1
    y[at, 1] = 0.5
    return y, x[at] * m.w, x.index_put((at,), v[0].repeat(2).expand(2, 6))


def graph_layer(m: Any, x: Tensor, edges: Tensor) -> Any:
    h, (source, target) = m.linear(x), edges
    scores = F.leaky_relu(torch.cat([h[source], h[target]], 1) @ m.a, 0.2).exp()
    sums = torch.zeros(5).scatter_add(0, target, scores)
    weights = scores / sums[target]
    messages = weights[:, None] * h[source]
    return torch.zeros(5, 3).scatter_add(0, target[:, None].expand(-1, 3), messages)


def experts(m: Any, x: Tensor) -> Any:
    p = m.gate(x).softmax(-1)
    w, at = p.topk(2, -1)
    dense = torch.zeros_like(p).scatter(1, at, w / w.sum(-1, keepdim=True))
    hidden = F.silu(torch.einsum("td,edh->teh", x, m.up))
    return (torch.einsum("teh,ehd->ted", hidden, m.down) * dense[..., None]).sum(1), at


def neighbours(m: Any, x: Tensor) -> Any:
    distances = (x[:, :, None] - x[:, None]).square().sum(-1)
    at = distances.topk(3, -1, largest=False).indices[..., None].expand(-1, -1, -1, 3)
    near = torch.gather(x[:, None].expand(-1, 6, -1, -1), 2, at)
    return m.linear(near - x[:, :, None]).relu().max(2)[0]


def sorted_values(m: Any, x: Tensor) -> Any:
    values, at = torch.sort(x * m.w, dim=1, descending=True)
    return values, at, (x * m.w).cumsum(1), (x * m.w).amax(0), x.argmin(1)


def routed(m: Any, x: Tensor) -> Any:
    u = torch.einsum("bic,ijcd->bijd", x, m.w)
    logits = torch.zeros(2, 6, 3)
    for _ in range(2):
        v = (logits.softmax(2)[..., None] * u).sum(1)
        n = v.square().sum(-1, keepdim=True)
        v = n / (1 + n) * v / (n + 1e-8).sqrt()
        logits = logits + (u * v[:, None]).sum(-1)
    return v


def state_space(m: Any, x: Tensor) -> Any:
    step = F.softplus(m.step(x))
    b, c = m.both(x).chunk(2, -1)
    decay = torch.exp(step[..., None] * -m.a.exp())
    h, found = torch.zeros(2, 4, 3), []
    for t in range(5):
        h = decay[:, t] * h + (step[..., None] * b[:, :, None] * x[..., None])[:, t]
        found.append((h * c[:, t, None]).sum(-1))
    return torch.stack(found, 1) + x * m.d


def styled(m: Any, x: Tensor, z: Tensor) -> Any:
    a, b = m.linear(z * torch.rsqrt(z.pow(2).mean(1, keepdim=True))).chunk(2, 1)
    mean, deviation = x.mean((2, 3), keepdim=True), x.std((2, 3), keepdim=True)
    return (x - mean) / (deviation + 1e-5) * (1 + a[:, :, None, None]) + b[:, :, None, None]


def dynamic_weights(m: Any, x: Tensor, z: Tensor) -> Any:
    w = m.linear(z).view(6, 4, 3, 3)
    return F.conv2d(x.reshape(1, 12, 6, 6), w, padding=1, groups=3).view(3, 2, 6, 6)


def transformer(m: Any, x: Tensor) -> Any:
    offsets = 0.3 * m.linear(x.mean((2, 3))).tanh().view(2, 3, 4, 2)
    y, x_ = torch.meshgrid(torch.linspace(-1, 1, 3), torch.linspace(-1, 1, 4), indexing="ij")
    return F.grid_sample(x, torch.stack([x_, y], -1) + offsets, align_corners=False)


def cells(m: Any, x: Tensor) -> Any:
    h, c, z = torch.zeros(2, 3), torch.zeros(2, 3), torch.zeros(2, 4)
    for each in x.unbind(0):
        h, c = m.lstm(each, (h, c))
        z = m.gru(h, z)
    return z, c


def losses(m: Any, x: Tensor, labels: Tensor, y: Tensor) -> Any:
    scores = x * m.w
    return (
        F.cross_entropy(scores, labels, weight=torch.tensor([1.0, 2.0, 0.5])),
        F.binary_cross_entropy_with_logits(scores, y.sigmoid(), pos_weight=torch.tensor([2.0])),
        F.kl_div(scores.log_softmax(1), y.softmax(1), reduction="batchmean"),
        F.mse_loss(scores, y, reduction="none"),
    )


def contrastive(m: Any, x: Tensor, y: Tensor) -> Any:
    a, b = F.normalize(m.linear(x), dim=1), F.normalize(m.linear(y), dim=1)
    return F.cross_entropy(a @ b.t() * m.t.exp(), torch.arange(4)), F.cosine_similarity(a, b)


def unfolded(m: Any, x: Tensor) -> Any:
    columns = F.unfold(x, (2, 2), padding=1)
    return columns.transpose(1, 2) @ m.w, x.unfold(3, 4, 3)


def _norms(m: Any, x: Tensor) -> Any:
    return m.layer(x), m.group(x), m.instance(x), F.local_response_norm(x, 5), x.norm(p=2, dim=1)


def _pads(m: Any, x: Tensor) -> Any:
    y = x * m.w
    modes = [F.pad(y, (1, 2, 2, 1), mode) for mode in ("reflect", "replicate", "circular")]
    return *modes, F.pad(y, (1, -2, 0, 1), value=0.5), m.conv(x)


def _pools(m: Any, x: Tensor) -> Any:
    y = x * m.w
    return (
        F.max_pool2d(y, 3, 2, 1, ceil_mode=True),
        F.max_pool2d(y, (2, 3), dilation=2),
        F.avg_pool2d(y, 3, 2, 1, count_include_pad=False),
        F.adaptive_avg_pool2d(y, (4, 5)),
        F.adaptive_max_pool2d(y, (2, 1)),
        F.lp_pool2d(y.abs(), 2.0, 2),
    )


def _resized(m: Any, x: Tensor) -> Any:
    y = x * m.w
    return (
        F.interpolate(y, scale_factor=2),
        F.interpolate(y, size=(7, 9), mode="bilinear"),
        F.interpolate(y, scale_factor=(2.0, 1.5), mode="bilinear", align_corners=True),
        F.interpolate(y, size=(9, 8), mode="bicubic"),
    )


def _functions(m: Any, x: Tensor) -> Any:
    y = x * m.w
    smooth = F.elu(y, 0.5) + F.selu(y) + F.celu(y, 0.7) + F.gelu(y) + F.silu(y) + F.mish(y)
    bent = F.hardswish(y) + F.hardtanh(y, -0.7, 0.8) + F.softshrink(y, 0.2) + F.softplus(y, 2.0)
    odd = F.softsign(y) + F.tanhshrink(y) + F.logsigmoid(y) + F.prelu(y, m.w.abs())
    return smooth + bent, odd, F.glu(y, 1), torch.erf(y), y.clamp_min(0.2), torch.atan(y)


def _whole_numbers(m: Any, a: Tensor, b: Tensor) -> Any:
    truths = (a > b).logical_and(b > 2).logical_not(), torch.logical_xor(a > 4, b > 4)
    return *truths, a // b, a % b, a << 1, -a.abs(), a.float() / b * m.w


def _shaped(m: Any, x: Tensor) -> Any:
    y = x * m.w
    a, b = y.split([2, 4], 1)
    return (
        *(y.unflatten(1, (2, -1)).movedim(1, -1), y.flip(1), torch.roll(y, 2, -1)),
        *(y.tril(-1) + y.triu(1), y.diagonal(dim1=-2, dim2=-1), y.repeat(1, 2, 1)),
        *(y.repeat_interleave(2, 1), a.sum(1) * b.mean(1), y[:, None].expand(-1, 3, -1, -1)),
        *(y.var(1), y.std(dim=(0, 2), unbiased=False), y.logsumexp((1, 2)), y.prod(1)),
    )


def relative_shift(m: Any, x: Tensor, positions: Tensor) -> Any:
    q, k, r = m.q(x).view(2, 5, 2, 4), m.k(x).view(2, 5, 2, 4), m.r(positions).view(9, 2, 4)
    near = torch.einsum("bind,bjnd->bnij", q + m.u, k)
    far = torch.einsum("bind,jnd->bnij", q + m.v, r)
    b, n, i, j = far.shape
    far = F.pad(far, (1, 0)).view(b, n, j + 1, i)[:, :, 1:].view(b, n, i, j)[..., :5]
    return ((near + far) / 2).softmax(-1)


def cache_slot(m: Any, x: Tensor, cache: Tensor, at: Tensor) -> Any:
    here = (torch.arange(6) == at)[None, :, None]
    cache = torch.where(here, m.k(x), cache)
    seen = (torch.arange(6) <= at)[None, None]
    scores = (m.q(x) @ cache.transpose(1, 2)).masked_fill(~seen, -1e9)
    return scores.softmax(-1) @ cache, cache


def at_run_time(m: Any, x: Tensor, i: Tensor) -> Any:
    y = x * m.w
    return torch.narrow(y, 1, i, 4), y[:, i : i + 3], y[:, i] * 2, m.e(i + torch.arange(3))


def cached(m: Any, x: Tensor, cache: Tensor, at: Tensor) -> Any:
    i = int(at.item())
    torch._check(i >= 0)
    torch._check(i < 6)
    y = x * m.w
    k = torch.cat([cache[:, :i], y[:, None]], 1).view(2, -1, 2, 2).transpose(1, 2)
    attended = F.scaled_dot_product_attention(y.view(2, 2, 1, 2), k, k)
    first, last = torch.split(cache * m.w, [i, 6 - i], 1)
    return attended, torch.cat([last, first], 1), F.pad(cache * m.w, (0, 0, i, 6 - i))


def capacity(m: Any, x: Tensor) -> Any:
    weight, at = m.gate(x).softmax(-1).max(-1)
    chosen = F.one_hot(at, 3)
    place = (chosen.cumsum(0) * chosen - 1).max(-1).values
    slot = F.one_hot(place.clamp(0, 1), 2)
    sent = (chosen[:, :, None] * slot[:, None]).float() * (place < 2)[:, None, None]
    hidden = torch.einsum("ecd,edf->ecf", torch.einsum("tec,td->ecd", sent, x), m.up).relu()
    found = torch.einsum("ecf,efd->ecd", hidden, m.down)
    return torch.einsum("tec,ecd->td", sent * weight[:, None, None], found)


def expert_weights(m: Any, x: Tensor) -> Any:
    w, at = m.gate(x).topk(2, -1)
    hidden = F.gelu(torch.einsum("td,tkdf->tkf", x, m.up[at]))
    return (torch.einsum("tkf,tkfd->tkd", hidden, m.down[at]) * w.softmax(-1)[..., None]).sum(1)


def packed(m: Any, x: Tensor, lengths: Tensor) -> Any:
    rnn = nn.utils.rnn
    given = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    y, h = m.gru(given)
    return rnn.pad_packed_sequence(y, batch_first=True, total_length=6)[0], h


def _slots(m: Any, x: Tensor) -> Any:
    k, v = m.k(x), m.v(x)
    z = m.slots[None].expand(2, -1, -1)
    for _ in range(2):
        a = torch.einsum("bid,bjd->bij", m.q(z), k).softmax(1) + 1e-8
        u = torch.einsum("bij,bjd->bid", a / a.sum(-1, keepdim=True), v)
        z = m.gru(u.reshape(-1, 4), z.reshape(-1, 4)).view(2, 3, 4)
    return z


def masked(m: Any, x: Tensor, mask: Tensor, y: Tensor) -> Any:
    z = x * m.w
    put = z.masked_scatter(mask[..., None].expand_as(x), m.linear(y))
    return put, z[mask].sum() / mask.sum(), z[mask].square().mean(), z[mask].exp().sum(0)


def mask_assigned(m: Any, x: Tensor, mask: Tensor) -> Any:
    y = (x * m.w).clone()
    y[mask] = 0.5
    return y


def bags(m: Any, words: Tensor, begins: Tensor, flat: Tensor, weights: Tensor) -> Any:
    return m.sums(words, per_sample_weights=weights), m.means(flat, begins), m.most(words)


def stacks(m: Any, x: Tensor) -> Any:
    y = x * m.w
    return torch.hstack([y, y]), torch.vstack([y, y * 2]), torch.hstack([m.w, m.w])


def _faked(m: Any, x: Tensor) -> Any:
    scales, zeros = torch.tensor([0.1, 0.05, 0.2, 0.02]), torch.zeros(4, dtype=torch.int32)
    w = torch.fake_quantize_per_channel_affine(m.w, scales, zeros, 0, -128, 127)
    return torch.fake_quantize_per_tensor_affine(x @ w, 0.05, 3, -128, 127)


def overlaps(m: Any, x: Tensor, y: Tensor) -> Any:
    a = torch.cat([x[:, :2], x[:, :2] + x[:, 2:] * m.w.abs() + 0.1], -1)
    b = torch.cat([y[:, :2] * 0.5, y[:, :2] + y[:, 2:]], -1)
    low, high = torch.max(a[:, None, :2], b[:, :2]), torch.min(a[:, None, 2:], b[:, 2:])
    both = (high - low).clamp(min=0).prod(-1)
    areas = [(each[:, 2:] - each[:, :2]).prod(-1) for each in (a, b)]
    return both / (areas[0][:, None] + areas[1] - both)


def cost_volume(m: Any, x: Tensor, y: Tensor) -> Any:
    a, b = m.conv(x), F.pad(m.conv(y), (1, 1, 1, 1))
    shifts = [(a * b[:, :, i : i + 4, j : j + 4]).mean(1) for i in range(3) for j in range(3)]
    all = torch.einsum("bchw,bcij->bhwij", a, b).reshape(16, 1, 6, 6)
    return torch.stack(shifts, 1), F.avg_pool2d(all, 2)


def video(m: Any, x: Tensor) -> Any:
    y = m.time(F.relu(m.norm(m.space(x))))
    return F.adaptive_avg_pool3d(F.relu(y + m.skip(x)), (1, 2, 3)), F.max_pool3d(y, (1, 2, 2))


def crf(m: Any, scores: Tensor, tags: Tensor) -> Any:
    total, best = m.first + scores[0], m.first + scores[0]
    for each in scores[1:]:
        total = torch.logsumexp(total[:, :, None] + m.steps + each[:, None], 1)
        best = (best[:, :, None] + m.steps).max(1).values + each
    path = m.first[tags[0]] + scores.gather(2, tags[..., None]).squeeze(-1).sum(0)
    path = path + m.steps[tags[:-1], tags[1:]].sum(0)
    return torch.logsumexp(total, 1) - path, *best.max(1)


def linear(i: int, o: int) -> Callable[[], nn.Module]:
    return lambda: nn.Linear(i, o)


_PADDING = torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]).bool()
_EDGES = torch.tensor([[0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 4]])
_MASK = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 1]]).bool()
MODULES: dict[str, Given] = {
    "padded_attention": Given(
        padded_attention,
        [normal(2, 5, 8), _PADDING],
        layers={"attention": lambda: nn.MultiheadAttention(8, 2, batch_first=True)},
    ),
    "alibi": Given(alibi, [normal(2, 6, 8)], layers={"qkv": linear(8, 24)}),
    "windows": Given(windows, [normal(2, 8, 8, 4)], layers={"qkv": linear(4, 12)}),
    "linear_attention": Given(
        linear_attention, [normal(2, 5, 3, 4, seed=n) for n in range(3)], {"w": [3, 4, 4]}
    ),
    "rotary": Given(rotary, [normal(2, 5, 2, 8), below(9, 2, 5)], {"w": [8, 8]}),
    "assigned": Given(
        assigned, [normal(4, 6), torch.tensor([0, 2]), normal(4, 3, seed=2)], {"w": [6]}
    ),
    "graph": Given(graph_layer, [normal(5, 4), _EDGES], {"a": [6]}, {"linear": linear(4, 3)}),
    "experts": Given(
        experts, [normal(6, 4)], {"up": [4, 4, 8], "down": [4, 8, 4]}, {"gate": linear(4, 4)}
    ),
    "neighbours": Given(neighbours, [normal(2, 6, 3)], layers={"linear": linear(3, 5)}),
    "sorted": Given(sorted_values, [normal(3, 6)], {"w": [6]}),
    "routed": Given(routed, [normal(2, 6, 4)], {"w": [6, 3, 4, 5]}),
    "state_space": Given(
        state_space,
        [normal(2, 5, 4)],
        {"a": [4, 3], "d": [4]},
        {"both": linear(4, 6), "step": linear(4, 4)},
    ),
    "styled": Given(styled, [normal(2, 3, 4, 5), normal(2, 6)], layers={"linear": linear(6, 6)}),
    "dynamic_weights": Given(
        dynamic_weights, [normal(3, 4, 6, 6), normal(3, 5)], layers={"linear": linear(5, 72)}
    ),
    "spatial_transformer": Given(
        transformer, [normal(2, 3, 6, 7)], layers={"linear": linear(3, 24)}
    ),
    "cells": Given(
        cells,
        [normal(4, 2, 5)],
        layers={"lstm": lambda: nn.LSTMCell(5, 3), "gru": lambda: nn.GRUCell(3, 4)},
    ),
    "losses": Given(losses, [normal(4, 3), below(3, 4), normal(4, 3, seed=2)], {"w": [3]}),
    "contrastive": Given(
        contrastive, [normal(4, 6), normal(4, 6, seed=2)], {"t": []}, {"linear": linear(6, 3)}
    ),
    "unfolded": Given(unfolded, [normal(2, 3, 6, 7)], {"w": [12, 12]}),
    "norms": Given(
        _norms,
        [normal(2, 6, 4, 5)],
        layers={
            "layer": lambda: nn.LayerNorm((4, 5)),
            "group": lambda: nn.GroupNorm(3, 6),
            "instance": lambda: nn.InstanceNorm2d(6, affine=True),
        },
    ),
    "pads": Given(
        _pads,
        [normal(2, 3, 5, 6)],
        {"w": [6]},
        {"conv": lambda: nn.Conv2d(3, 2, 3, padding=1, padding_mode="circular")},
    ),
    "pools": Given(_pools, [normal(2, 3, 8, 10)], {"w": [10]}),
    "resized": Given(_resized, [normal(2, 3, 4, 5)], {"w": [5]}),
    "functions": Given(_functions, [normal(3, 8)], {"w": [8]}),
    "whole_numbers": Given(
        _whole_numbers, [below(20, 3, 4) + 1, below(9, 3, 4, seed=2) + 1], {"w": [4]}
    ),
    "relative_shift": Given(
        relative_shift,
        [normal(2, 5, 8), normal(9, 8, seed=2)],
        {"u": [2, 4], "v": [2, 4]},
        {"q": linear(8, 8), "k": linear(8, 8), "r": linear(8, 8)},
    ),
    "cache_slot": Given(
        cache_slot,
        [normal(2, 1, 4), normal(2, 6, 4, seed=2), torch.tensor(3)],
        layers={"k": linear(4, 4), "q": linear(4, 4)},
    ),
    "at_run_time": Given(
        at_run_time,
        [normal(2, 9, 3), torch.tensor(2)],
        {"w": [3]},
        {"e": lambda: nn.Embedding(12, 4)},
    ),
    "cached": Given(cached, [normal(2, 4), normal(2, 6, 4, seed=2), torch.tensor(3)], {"w": [4]}),
    "capacity": Given(
        capacity, [normal(6, 4)], {"up": [3, 4, 5], "down": [3, 5, 4]}, {"gate": linear(4, 3)}
    ),
    "expert_weights": Given(
        expert_weights, [normal(5, 4)], {"up": [4, 4, 6], "down": [4, 6, 4]}, {"gate": linear(4, 4)}
    ),
    "packed": Given(
        packed,
        [normal(3, 6, 4), torch.tensor([4, 6, 2])],
        layers={"gru": lambda: nn.GRU(4, 3, 2, batch_first=True)},
    ),
    "slots": Given(
        _slots,
        [normal(2, 6, 4)],
        {"slots": [3, 4]},
        {**dict.fromkeys("qkv", linear(4, 4)), "gru": lambda: nn.GRUCell(4, 4)},
    ),
    "masked": Given(
        masked, [normal(2, 4, 3), _MASK, normal(4, 3, seed=2)], {"w": [3]}, {"linear": linear(3, 3)}
    ),
    "mask_assigned": Given(mask_assigned, [normal(2, 4), _MASK], {"w": [4]}),
    "bags": Given(
        bags,
        [below(10, 3, 4), torch.tensor([0, 3, 4]), below(10, 7, seed=2), normal(3, 4)],
        layers={
            "sums": lambda: nn.EmbeddingBag(10, 3, mode="sum"),
            "means": lambda: nn.EmbeddingBag(10, 3, mode="mean"),
            "most": lambda: nn.EmbeddingBag(10, 3, mode="max"),
        },
    ),
    "stacks": Given(stacks, [normal(2, 6, 4)], {"w": [4]}),
    "fake_quantized": Given(_faked, [normal(3, 4)], {"w": [4, 4]}),
    "overlaps": Given(overlaps, [normal(5, 4).abs(), normal(5, 4, seed=2).abs()], {"w": [2]}),
    "cost_volume": Given(
        cost_volume,
        [normal(1, 3, 4, 4), normal(1, 3, 4, 4, seed=2)],
        layers={"conv": lambda: nn.Conv2d(3, 4, 1)},
    ),
    "video": Given(
        video,
        [normal(1, 3, 4, 6, 6)],
        layers={
            "space": lambda: nn.Conv3d(3, 4, (1, 3, 3), padding=(0, 1, 1)),
            "norm": lambda: nn.BatchNorm3d(4),
            "time": lambda: nn.Conv3d(4, 4, (3, 1, 1), (2, 1, 1), (1, 0, 0)),
            "skip": lambda: nn.Conv3d(3, 4, 1, (2, 1, 1)),
        },
    ),
    "crf": Given(crf, [normal(4, 2, 3), below(3, 4, 2)], {"steps": [3, 3], "first": [3]}),
    "shaped": Given(_shaped, [normal(2, 6, 6)], {"w": [6]}),
}
