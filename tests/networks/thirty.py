"""Thirty modules that were chosen before any was tried: `THIRTY`."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

from tests.networks.modules import Given, below, linear, normal


def bilinear(m: Any, x: Tensor, y: Tensor) -> Any:
    return m.layer(x, y), F.bilinear(x, y, m.w)


def translator(m: Any, x: Tensor, y: Tensor, padding: Tensor) -> Any:
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    return m.transformer(x, y, tgt_mask=mask, memory_key_padding_mask=padding)


def adaptive_softmax(m: Any, x: Tensor) -> Any:
    return m.softmax.log_prob(m.linear(x)), m.softmax.predict(m.linear(x))


def metric_losses(m: Any, x: Tensor, y: Tensor, z: Tensor, sign: Tensor) -> Any:
    a, b, c = m.linear(x), m.linear(y), m.linear(z)
    return (
        F.triplet_margin_loss(a, b, c, margin=0.5, swap=True),
        F.cosine_embedding_loss(a, b, sign, margin=0.1),
        F.margin_ranking_loss(a.sum(1), b.sum(1), sign.float(), margin=0.3),
        F.hinge_embedding_loss(F.pairwise_distance(a, c), sign.float()),
    )


def regression_losses(m: Any, x: Tensor, y: Tensor, labels: Tensor, many: Tensor) -> Any:
    a = m.linear(x)
    return (
        F.gaussian_nll_loss(a, y, F.softplus(a) + 0.1),
        F.poisson_nll_loss(a, y.abs(), full=True),
        F.huber_loss(a, y, delta=0.4) + F.smooth_l1_loss(a, y, beta=0.3),
        F.soft_margin_loss(a, y.sign()) + F.l1_loss(a, y),
        F.multi_margin_loss(a, labels) + F.multilabel_soft_margin_loss(a, many),
    )


def ctc(m: Any, x: Tensor, labels: Tensor) -> Any:
    scores = m.linear(x).log_softmax(-1)
    lengths = torch.tensor([7, 5]), torch.tensor([3, 2])
    return F.ctc_loss(scores, labels, *lengths, reduction="none")


def folded(m: Any, x: Tensor) -> Any:
    y = x * m.w
    pooled, at = F.max_pool2d(y, 2, return_indices=True)
    columns = F.unfold(y, 3, padding=1, stride=2)
    return (
        F.fold(columns * 2, (4, 6), 3, padding=1, stride=2),
        F.max_unpool2d(pooled * 3, at, [2, 2]),
        F.pixel_unshuffle(F.channel_shuffle(y, 2), 2),
    )


def distances(m: Any, x: Tensor, y: Tensor) -> Any:
    a = m.linear(x)
    return (
        torch.cdist(a, y),
        torch.cdist(a, y, p=1.0),
        torch.cdist(a, y, p=float("inf")),
        F.pdist(a[0]),
    )


def cumulative(m: Any, x: Tensor) -> Any:
    y = x * m.w
    most, least = torch.cummax(y, 1), torch.cummin(y, 0)
    return (
        torch.logcumsumexp(y, 1),
        *(most[0], most[1], least[0], torch.cumprod(y, 1)),
        *(torch.diff(y, dim=1), torch.trapezoid(y, dim=1), torch.cumulative_trapezoid(y)),
    )


def reparametrized(m: Any, x: Tensor) -> Any:
    return m.head(F.relu(m.conv(x)).mean((2, 3)))


def spectrogram(m: Any, x: Tensor) -> Any:
    found = torch.stft(x * m.w, 16, 4, window=torch.hann_window(16), return_complex=True)
    return torch.log(found.abs().square() @ torch.ones(9, 9) + 1e-3) @ m.mel, found.real


def fourier_mixer(m: Any, x: Tensor) -> Any:
    y = torch.fft.fft2(x, dim=(-1, -2)).real
    z = torch.fft.irfft(torch.fft.rfft(m.linear(x), dim=1) * m.filter, n=6, dim=1)
    return m.linear(y), z


def sampled_volume(m: Any, x: Tensor, y: Tensor) -> Any:
    grid = F.affine_grid(m.theta, [2, 2, 3, 4, 3], align_corners=False)
    flat = F.affine_grid(m.flat, [2, 2, 5, 4], align_corners=True)
    return (
        F.grid_sample(x, grid, padding_mode="border", align_corners=False),
        F.grid_sample(y, flat, "bicubic", "reflection", True),
    )


def tensor_products(m: Any, x: Tensor, y: Tensor) -> Any:
    a = x * m.w
    return (
        *(torch.tensordot(a, y, 1), torch.kron(a, m.w), torch.outer(a[0], y[1])),
        *(torch.trace(a[:, :3]), torch.linalg.multi_dot([a, y, a]), torch.linalg.det(a @ y)),
        *(torch.linalg.cross(a[:, :3], y[:3, :3].T), torch.linalg.vector_norm(a, 3, 1)),
        *(torch.linalg.matrix_norm(a), torch.linalg.matrix_norm(a, 1), torch.inner(a, a)),
    )


def indexed(m: Any, x: Tensor, at: Tensor, v: Tensor) -> Any:
    y = x * m.w
    return (
        torch.take_along_dim(y, at.view(1, 3).expand(4, -1), 1),
        *(y.index_add(1, at, v, alpha=0.5), y.index_copy(1, at, v), y.index_fill(1, at, 0.3)),
        y.scatter_reduce(1, at.view(1, 3).expand(4, -1), v, "amax"),
        *(torch.select_scatter(y, v[:, 0], 1, 2), torch.slice_scatter(y, v, 1, 1, 6, 2)),
    )


def activations(m: Any, x: Tensor) -> Any:
    y = x * m.w
    return (
        F.rrelu(y) + F.threshold(y, 0.1, -0.5) + F.hardshrink(y, 0.3),
        F.softmin(y, 1) + F.hardsigmoid(y) + F.relu6(4 * y) + F.hardtanh(y),
        torch.logit(y.sigmoid(), 1e-3) + torch.special.expit(y) + m.prelu(y),
        m.planes(y.view(1, 2, 3, 4)),
        F.dropout(y, 0.5, training=False) + F.feature_alpha_dropout(y, 0.5, training=False),
    )


def upsampled(m: Any, x: Tensor, y: Tensor) -> Any:
    a, b = x * m.w, y * m.w
    return (
        F.interpolate(a, scale_factor=2, mode="trilinear"),
        F.interpolate(a, size=(2, 2, 2), mode="area"),
        F.interpolate(b, size=(7, 5), mode="nearest-exact"),
        F.interpolate(b, size=(3, 2), mode="bilinear", antialias=True),
    )


def recurrent(m: Any, x: Tensor, h: Tensor) -> Any:
    a, last = m.rnn(x)
    b, (h1, c1) = m.lstm(a)
    return m.gru(b, h)[0], last, h1, c1


def special(m: Any, x: Tensor) -> Any:
    y = x * m.w
    p = y.abs() + 0.3
    return (
        *(torch.lgamma(p), torch.digamma(p), torch.erfinv(y.tanh() * 0.9), torch.special.i0(y)),
        *(torch.xlogy(p, p), torch.sinc(y), torch.special.entr(p), torch.special.log_ndtr(y)),
        torch.logaddexp(y, p) + torch.hypot(y, p) + torch.copysign(p, y) + torch.frac(y),
        torch.expm1(y) + torch.log1p(p) + torch.atan2(y, p) + torch.fmod(y, 0.7) + torch.exp2(y),
        torch.nan_to_num(torch.log(y)) + torch.heaviside(y, p) + torch.ldexp(y, p),
    )


def grouped_query(m: Any, x: Tensor) -> Any:
    q = m.q(x).view(2, 5, 4, 4).transpose(1, 2)
    k, v = m.kv(x).view(2, 5, 2, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
    sdpa = F.scaled_dot_product_attention
    y = sdpa(q, k, v, is_causal=True, scale=0.3, enable_gqa=True)
    return y.transpose(1, 2).flatten(2), sdpa(q, q, q, attn_mask=m.bias)


def attention_options(m: Any, x: Tensor, k: Tensor, v: Tensor) -> Any:
    y, weights = m.attention(x, k, v, average_attn_weights=False)
    return y, weights


def order_statistics(m: Any, x: Tensor) -> Any:
    y = x * m.w
    least, most = torch.aminmax(y, dim=1)
    deviation, mean = torch.std_mean(y, 1)
    return (
        *(torch.median(y, 1)[0], torch.quantile(y, 0.3, 1), torch.kthvalue(y, 2, 1)[0]),
        *(least, most, deviation, mean, torch.argsort(y, 1), torch.msort(y)),
        *(torch.count_nonzero(y > 0, 1), torch.nanmean(y, 0), torch.nansum(y, 1)),
    )


def rearranged(m: Any, x: Tensor) -> Any:
    y = x * m.w
    rows, columns = torch.tril_indices(4, 4)
    return (
        *(y.as_strided((3, 3), (4, 1), 1), torch.rot90(y, 1, (0, 1)), torch.diag_embed(y)),
        *(torch.block_diag(y, y[:2]), torch.cartesian_prod(y[0], y[1]), torch.vander(y[0])),
        *(y[rows, columns], y.swapaxes(0, 1).tile(2, 1), torch.combinations(y[0])),
        *(y.unfold(1, 2, 1).sum(-1), torch.broadcast_to(y[:, :1], (4, 3)), y.fliplr()),
    )


def transposed_volumes(m: Any, x: Tensor, y: Tensor) -> Any:
    return m.volume(x), m.line(m.same(y))


def conditional(m: Any, x: Tensor) -> Any:
    return torch.cond(x.sum() > 0, lambda y: m.a(y).relu(), lambda y: m.b(y).tanh(), (x,))


def newton(m: Any, x: Tensor) -> Any:
    target = (x * m.w).abs() + 1

    def far(n: Tensor, r: Tensor) -> Tensor:
        return ((r * r - target).abs().max() > 1e-3) & (n < 20)

    def better(n: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
        return n + 1, (r + target / r) / 2

    from torch._higher_order_ops import while_loop

    return while_loop(far, better, (torch.tensor(0), torch.ones_like(target)))


def scanned(m: Any, x: Tensor) -> Any:
    from torch._higher_order_ops.scan import scan

    decay, given = m.decay.sigmoid(), m.linear(x)

    def one(h: Tensor, each: Tensor) -> tuple[Tensor, Tensor]:
        h = decay * h + each
        return h, h.tanh()

    return scan(one, torch.zeros(2, 4), given, dim=0)


def complex_rotary(m: Any, x: Tensor) -> Any:
    angles = torch.outer(torch.arange(5.0), 10.0 ** (-torch.arange(4) / 4))
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(m.linear(x).view(2, 5, 2, 4, 2))
    return torch.view_as_real(pairs * turns[None, :, None]).flatten(3)


def binned(m: Any, x: Tensor) -> Any:
    y = (x * m.w).contiguous()
    edges = torch.tensor([-1.0, -0.2, 0.1, 0.9])
    places = torch.bucketize(y, edges, right=True)
    found = torch.searchsorted(edges, y)
    soft = torch.exp(-((y[..., None] - edges) ** 2) / 0.1).sum((0, 1))
    return places, found, m.e(places), torch.histc(x, 5, -1.0, 1.0), soft


def tied(m: Any, words: Tensor) -> Any:
    h = m.norm(m.words(words)) * math.sqrt(4)
    return F.linear(h, m.words.weight, m.bias), F.embedding(
        words, m.words.weight.t().contiguous().t()
    )


_SPLIT = torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]).bool()
THIRTY: dict[str, Given] = {
    "bilinear": Given(
        bilinear,
        [normal(3, 4), normal(3, 5, seed=2)],
        {"w": [2, 4, 5]},
        {"layer": lambda: nn.Bilinear(4, 5, 3)},
    ),
    "translator": Given(
        translator,
        [normal(2, 5, 8), normal(2, 4, 8, seed=2), _SPLIT],
        layers={
            "transformer": lambda: nn.Transformer(
                *(8, 2, 1, 1, 12), 0.0, "gelu", batch_first=True, norm_first=True
            )
        },
    ),
    "adaptive_softmax": Given(
        adaptive_softmax,
        [normal(3, 4)],
        layers={
            "linear": linear(4, 8),
            "softmax": lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], 2.0),
        },
    ),
    "metric_losses": Given(
        metric_losses,
        [*(normal(4, 5, seed=n) for n in range(3)), torch.tensor([1, -1, 1, -1])],
        layers={"linear": linear(5, 3)},
    ),
    "regression_losses": Given(
        regression_losses,
        [normal(4, 5), normal(4, 3, seed=2), below(3, 4), below(2, 4, 3).float()],
        layers={"linear": linear(5, 3)},
    ),
    "ctc": Given(ctc, [normal(7, 2, 4), below(4, 2, 3) + 1], layers={"linear": linear(4, 6)}),
    "folded": Given(folded, [normal(2, 4, 4, 6)], {"w": [6]}),
    "distances": Given(
        distances, [normal(2, 4, 3), normal(2, 5, 3, seed=2)], layers={"linear": linear(3, 3)}
    ),
    "cumulative": Given(cumulative, [normal(3, 5)], {"w": [5]}),
    "reparametrized": Given(
        reparametrized,
        [normal(2, 3, 5, 5)],
        layers={
            "conv": lambda: weight_norm(nn.Conv2d(3, 4, 3)),
            "head": lambda: spectral_norm(nn.Linear(4, 3)),
        },
    ),
    "spectrogram": Given(spectrogram, [normal(2, 32)], {"w": [32], "mel": [9, 4]}),
    "fourier_mixer": Given(
        fourier_mixer, [normal(2, 6, 4)], {"filter": [4, 1]}, {"linear": linear(4, 4)}
    ),
    "sampled_volume": Given(
        sampled_volume,
        [normal(2, 2, 3, 4, 5), normal(2, 2, 6, 5, seed=2)],
        {"theta": [2, 3, 4], "flat": [2, 2, 3]},
    ),
    "tensor_products": Given(tensor_products, [normal(3, 4), normal(4, 3, seed=2)], {"w": [3, 4]}),
    "indexed": Given(
        indexed,
        [normal(4, 6), torch.tensor([0, 3, 5]), normal(4, 3, seed=2)],
        {"w": [6]},
    ),
    "activations": Given(
        activations,
        [normal(6, 4)],
        {"w": [4]},
        {"prelu": lambda: nn.PReLU(4), "planes": nn.Softmax2d},
    ),
    "upsampled": Given(upsampled, [normal(1, 2, 3, 4, 4), normal(2, 2, 5, 4, seed=2)], {"w": [4]}),
    "recurrent": Given(
        recurrent,
        [normal(5, 2, 4), normal(2, 2, 3, seed=2)],
        layers={
            "rnn": lambda: nn.RNN(4, 3, nonlinearity="relu", bidirectional=True),
            "lstm": lambda: nn.LSTM(6, 4, 2),
            "gru": lambda: nn.GRU(4, 3, bidirectional=True),
        },
    ),
    "special": Given(special, [normal(3, 5)], {"w": [5]}),
    "grouped_query": Given(
        grouped_query,
        [normal(2, 5, 8)],
        {"bias": [5, 5]},
        {"q": linear(8, 16), "kv": linear(8, 16)},
    ),
    "attention_options": Given(
        attention_options,
        [normal(2, 4, 8), normal(2, 5, 6, seed=2), normal(2, 5, 4, seed=3)],
        layers={
            "attention": lambda: nn.MultiheadAttention(
                8, 2, add_bias_kv=True, add_zero_attn=True, kdim=6, vdim=4, batch_first=True
            )
        },
    ),
    "order_statistics": Given(order_statistics, [normal(4, 5)], {"w": [5]}),
    "rearranged": Given(rearranged, [normal(4, 4)], {"w": [4]}),
    "transposed_volumes": Given(
        transposed_volumes,
        [normal(1, 4, 3, 3, 2), normal(2, 3, 7, seed=2)],
        layers={
            "volume": lambda: nn.ConvTranspose3d(
                4, 4, (3, 2, 2), (2, 1, 2), (1, 0, 0), (1, 0, 1), groups=2, dilation=(1, 2, 2)
            ),
            "same": lambda: nn.Conv1d(3, 4, 4, padding="same", dilation=2),
            "line": lambda: nn.ConvTranspose1d(4, 2, 3, 2, output_padding=1),
        },
    ),
    "conditional": Given(
        conditional, [normal(3, 4)], layers={"a": linear(4, 3), "b": linear(4, 3)}
    ),
    "newton": Given(newton, [normal(3, 4)], {"w": [4]}),
    "scanned": Given(scanned, [normal(5, 2, 4)], {"decay": [4]}, {"linear": linear(4, 4)}),
    "complex_rotary": Given(complex_rotary, [normal(2, 5, 16)], layers={"linear": linear(16, 16)}),
    "binned": Given(binned, [normal(3, 4)], {"w": [4]}, {"e": lambda: nn.Embedding(5, 3)}),
    "tied": Given(
        tied,
        [below(9, 2, 5)],
        {"bias": [9]},
        {"words": lambda: nn.Embedding(9, 4, padding_idx=0), "norm": lambda: nn.LayerNorm(4)},
    ),
}
