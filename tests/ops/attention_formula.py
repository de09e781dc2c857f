"""ONNX's Attention in PyTorch, by the words of its documentation."""

from __future__ import annotations

from typing import Any

import torch

Tensor = torch.Tensor


def attention(*inputs: Any, **given: Any) -> list[Tensor]:
    """The four outputs for inputs of floating-point types, in the operator's order with None for
    one that is left out, with the attributes by name.
    """
    rest: list[Any] = [*inputs, *[None] * 4]
    query, key, value, mask, past_key, past_value, lengths = rest[:7]
    counts = (given.get("q_num_heads"), given.get("kv_num_heads"), given.get("kv_num_heads"))
    parts = [
        t if t.ndim == 4 else t.unflatten(2, (n, t.shape[2] // (n or 1))).transpose(1, 2)
        for t, n in zip((query, key, value), counts, strict=True)
    ]
    q, k, v = parts
    offset = torch.zeros(len(q), dtype=torch.int64)
    if past_key is not None and past_value is not None:
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
        offset += past_key.shape[2]
    elif lengths is not None:
        offset = lengths - q.shape[2]
    present = [k, v]
    places, total = q.shape[2], k.shape[2]
    k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], 1) for t in (k, v))
    scale = given.get("scale", q.shape[3] ** -0.5)
    raw = torch.einsum("bhqd,bhkd->bhqk", q, k) * scale
    cap = given.get("softcap", 0.0)
    capped = torch.tanh(raw / cap) * cap if cap else raw

    at = (offset[:, None] + torch.arange(places))[:, None, :, None]
    steps = torch.arange(total)
    unseen = torch.zeros(len(q), 1, places, total, dtype=torch.bool)
    if given.get("is_causal"):
        unseen |= steps > at
    left, right = given.get("left_window_size", -1), given.get("right_window_size", -1)
    unseen |= (steps < at - left) & (left >= 0)
    unseen |= (steps > at + right) & (right >= 0)
    if lengths is not None:
        unseen |= steps >= lengths[:, None, None, None]
    bias = torch.zeros(unseen.shape, dtype=q.dtype).masked_fill(unseen, -torch.inf)
    if mask is not None:
        if mask.dtype is torch.bool:
            mask = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
        mask = mask.to(q.dtype)
        if mask.ndim and mask.shape[-1] < total:
            mask = torch.nn.functional.pad(mask, (0, total - mask.shape[-1]), value=-torch.inf)
        bias = bias + mask
    masked = capped + bias
    blind = (bias.amax(-1, keepdim=True) == -torch.inf).expand(*masked.shape[:3], 1)
    weights = torch.where(blind, 0.0, torch.softmax(masked.masked_fill(blind, 0.0), -1))
    y = weights @ v.to(weights.dtype)
    if query.ndim == 3:
        y = y.transpose(1, 2).flatten(2)
    shown = (raw, capped, masked, weights)[given.get("qk_matmul_output_mode", 0)]
    return [y, *present, shown]
