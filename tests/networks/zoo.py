"""Networks of the kinds that people train, as small as they can be, to be exported by PyTorch.

Long, because it holds thirty of them, none of which needs another.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def conv(i: int, o: int, k: int = 3, stride: int = 1, groups: int = 1) -> nn.Module:
    """Convolution without bias, batch norm."""
    return nn.Sequential(
        nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(o)
    )


class Residual(nn.Module):
    """x + body(x), or skip(x) + body(x)."""

    def __init__(self, body: nn.Module, skip: nn.Module | None = None) -> None:
        super().__init__()
        self.body = body
        self.skip = skip or nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.skip(x) + self.body(x)


class Head(nn.Sequential):
    def __init__(self, channels: int, classes: int = 5) -> None:
        super().__init__(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


def lenet() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(1, 4, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2)),
        *(nn.Conv2d(4, 6, 5), nn.Sigmoid(), nn.AvgPool2d(2)),
        *(nn.Flatten(), nn.Linear(24, 12), nn.Tanh(), nn.Linear(12, 5)),
    )


def alexnet() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(3, 8, 5, 2, 2), nn.ReLU(True), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(8, 12, 3, padding=1, groups=2), nn.ReLU(True), nn.MaxPool2d(3, 2)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.5), nn.Linear(12, 16)),
        *(nn.ReLU(True), nn.Dropout(0.5), nn.Linear(16, 5)),
    )


def vgg() -> nn.Module:
    return nn.Sequential(
        *(conv(3, 6), nn.ReLU(True), conv(6, 6), nn.ReLU(True), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(True), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(128, 8), nn.ReLU(True), nn.Dropout(), nn.Linear(8, 5)),
    )


def resnet() -> nn.Module:
    def block(i: int, o: int, stride: int) -> nn.Module:
        body = nn.Sequential(conv(i, o, 3, stride), nn.ReLU(), conv(o, o))
        same = i == o and stride == 1
        return nn.Sequential(Residual(body, None if same else conv(i, o, 1, stride)), nn.ReLU())

    return nn.Sequential(
        *(conv(3, 6, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)),
        *(block(6, 6, 1), block(6, 10, 2), Head(10)),
    )


def preact() -> nn.Module:
    def block(n: int) -> nn.Module:
        layers: list[nn.Module] = []
        for _ in range(2):
            layers += [nn.BatchNorm2d(n), nn.ReLU(), nn.Conv2d(n, n, 3, padding=1, bias=False)]
        return Residual(nn.Sequential(*layers))

    return nn.Sequential(
        nn.Conv2d(3, 6, 3, 2, 1), block(6), block(6), nn.BatchNorm2d(6), nn.ReLU(), Head(6)
    )


class DenseNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 6, 3, padding=1)
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm2d(6 + 4 * i), nn.ReLU(), nn.Conv2d(6 + 4 * i, 4, 3, padding=1)
            )
            for i in range(3)
        )
        self.end = nn.Sequential(
            nn.BatchNorm2d(18), nn.ReLU(), nn.Conv2d(18, 9, 1), nn.AvgPool2d(2), Head(9)
        )

    def forward(self, x: Tensor) -> Tensor:
        features = [self.stem(x)]
        for layer in self.layers:
            features.append(layer(torch.cat(features, 1)))
        return self.end(torch.cat(features, 1))


def inverted(i: int, o: int, stride: int, activation: nn.Module, *inner: nn.Module) -> nn.Module:
    wide = 2 * i
    body = nn.Sequential(
        *(conv(i, wide, 1), activation, conv(wide, wide, 3, stride, wide), activation),
        *(*inner, conv(wide, o, 1)),
    )
    return Residual(body) if i == o and stride == 1 else body


def mobilenet2() -> nn.Module:
    act = nn.ReLU6()
    return nn.Sequential(
        conv(3, 6, 3, 2), act, inverted(6, 6, 1, act), inverted(6, 8, 2, act), act, Head(8)
    )


class SqueezeExcite(nn.Module):
    def __init__(self, n: int, activation: nn.Module, gate: nn.Module) -> None:
        super().__init__()
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(n, 4, 1), activation, nn.Conv2d(4, n, 1), gate
        )

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gate(x)


def mobilenet3() -> nn.Module:
    act = nn.Hardswish()
    se = SqueezeExcite(12, nn.ReLU(), nn.Hardsigmoid())
    return nn.Sequential(
        conv(3, 6, 3, 2), act, inverted(6, 6, 1, act, se), inverted(6, 8, 2, act), act, Head(8)
    )


def efficientnet() -> nn.Module:
    act = nn.SiLU()
    se = SqueezeExcite(12, act, nn.Sigmoid())
    return nn.Sequential(
        conv(3, 6, 3, 2), act, inverted(6, 6, 1, act, se), inverted(6, 8, 2, act), act, Head(8)
    )


class Shuffle(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        half = n // 2
        self.body = nn.Sequential(
            *(conv(half, half, 1), nn.ReLU(), conv(half, half, 3, 1, half)),
            *(conv(half, half, 1), nn.ReLU()),
        )

    def forward(self, x: Tensor) -> Tensor:
        a, b = x.chunk(2, 1)
        y = torch.cat([a, self.body(b)], 1)
        n, c, h, w = y.shape
        return y.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def shufflenet() -> nn.Module:
    return nn.Sequential(conv(3, 8, 3, 2), nn.ReLU(), Shuffle(8), Shuffle(8), Head(8))


class Inception(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = conv(3, 6, 3, 2)
        self.branches = nn.ModuleList(
            [
                conv(6, 4, 1),
                nn.Sequential(conv(6, 3, 1), nn.ReLU(), conv(3, 4, 5)),
                nn.Sequential(
                    nn.Conv2d(6, 4, (1, 5), padding=(0, 2)), nn.Conv2d(4, 4, (5, 1), padding=(2, 0))
                ),
                nn.Sequential(nn.AvgPool2d(3, 1, 1, count_include_pad=False), conv(6, 4, 1)),
                nn.Sequential(nn.MaxPool2d(3, 1, 1), conv(6, 4, 1)),
            ]
        )
        self.head = Head(20)

    def forward(self, x: Tensor) -> Tensor:
        x = F.leaky_relu(self.stem(x), 0.1)
        return self.head(torch.cat([F.relu(branch(x)) for branch in self.branches], 1))


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(conv(3, 4), nn.ReLU())
        self.second = nn.Sequential(conv(4, 8), nn.ReLU())
        self.bottom = nn.Sequential(conv(8, 8), nn.ReLU())
        self.up2 = nn.ConvTranspose2d(8, 8, 2, 2)
        self.up1 = nn.ConvTranspose2d(8, 4, 2, 2)
        self.join2 = nn.Sequential(conv(16, 8), nn.ReLU())
        self.join1 = nn.Sequential(conv(8, 4), nn.ReLU(), nn.Conv2d(4, 2, 1))

    def forward(self, x: Tensor) -> Tensor:
        one = self.first(x)
        two = self.second(F.max_pool2d(one, 2))
        y = self.up2(self.bottom(F.max_pool2d(two, 2)))
        y = self.up1(self.join2(torch.cat([y, two], 1)))
        return self.join1(torch.cat([y, one], 1))


class VAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 16), nn.ELU(), nn.Linear(16, 8))
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.Softplus(), nn.Linear(16, 20))

    def forward(self, x: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        mean, logvar = self.encoder(x).chunk(2, -1)
        y = torch.sigmoid(self.decoder(mean + noise * torch.exp(0.5 * logvar)))
        kl = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp(), 1)
        return y, kl


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase], **options: object) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.rnn = kind(8, 6, batch_first=True, **options)
        self.head = nn.Linear(12 if options.get("bidirectional") else 6, 5)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.rnn(self.words(words))[0].mean(1))


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 16)
        self.positions = nn.Parameter(torch.empty(1, 6, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 32, 0.1, F.gelu, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 5)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.layers(self.words(words) + self.positions)[:, 0])


class Attention(nn.Module):
    def __init__(self, n: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(n, 3 * n)
        self.out = nn.Linear(n, n)
        self.drop = nn.Dropout(0.1)
        self.causal = causal
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, x: Tensor) -> Tensor:
        b, t, n = x.shape
        q, k, v = (
            y.view(b, t, self.heads, n // self.heads).transpose(1, 2)
            for y in self.qkv(x).split(n, 2)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(n // self.heads)
        if self.causal:
            scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, -torch.inf)
        y = self.drop(scores.softmax(-1)) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, n))


class Block(nn.Module):
    def __init__(self, n: int, heads: int, causal: bool, gelu: str = "none") -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(n), nn.LayerNorm(n)
        self.attention = Attention(n, heads, causal)
        self.mlp = nn.Sequential(
            nn.Linear(n, 4 * n), nn.GELU(gelu), nn.Linear(4 * n, n), nn.Dropout(0.1)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Embedding and head share their weight."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(20, 16), nn.Embedding(16, 16)
        self.blocks = nn.Sequential(*(Block(16, 4, True, "tanh") for _ in range(2)))
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 20, bias=False)
        self.head.weight = self.words.weight

    def forward(self, words: Tensor) -> Tensor:
        places = torch.arange(words.shape[1])
        return self.head(self.norm(self.blocks(self.words(words) + self.positions(places))))


class SdpaBlock(nn.Module):
    """Rotary positions, RMS norm, SwiGLU, scaled_dot_product_attention: a Llama block."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 16)
        self.norm1, self.norm2 = nn.RMSNorm(16), nn.RMSNorm(16)
        self.qkv, self.out = nn.Linear(16, 48, bias=False), nn.Linear(16, 16, bias=False)
        self.gate, self.up = nn.Linear(16, 24, bias=False), nn.Linear(16, 24, bias=False)
        self.down, self.head = nn.Linear(24, 16, bias=False), nn.Linear(16, 20, bias=False)
        angles = torch.outer(torch.arange(6.0), 1 / 100 ** (torch.arange(2) / 2))
        self.register_buffer("cos", torch.cat([angles.cos()] * 2, -1))
        self.register_buffer("sin", torch.cat([angles.sin()] * 2, -1))

    def rotate(self, x: Tensor) -> Tensor:
        a, b = x.chunk(2, -1)
        return x * self.cos + torch.cat([-b, a], -1) * self.sin

    def forward(self, words: Tensor) -> Tensor:
        x = self.words(words)
        b, t, n = x.shape
        q, k, v = (y.view(b, t, 4, 4).transpose(1, 2) for y in self.qkv(self.norm1(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, n))
        z = self.norm2(x)
        return self.head(x + self.down(F.silu(self.gate(z)) * self.up(z)))


class ViT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.token = nn.Parameter(torch.empty(1, 1, 16))
        self.positions = nn.Parameter(torch.empty(1, 5, 16))
        self.blocks = nn.Sequential(Block(16, 4, False), Block(16, 4, False))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.head(self.norm(self.blocks(x))[:, 0])


class MixerBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)
        self.tokens = nn.Sequential(nn.Linear(16, 12), nn.GELU(), nn.Linear(12, 16))
        self.channels = nn.Sequential(nn.Linear(8, 12), nn.GELU(), nn.Linear(12, 8))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        self.blocks = nn.Sequential(MixerBlock(), MixerBlock())
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(1))


class ConvNeXtBlock(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(n, n, 7, padding=3, groups=n)
        self.norm = nn.LayerNorm(n, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, n))
        self.scale = nn.Parameter(torch.empty(n))

    def forward(self, x: Tensor) -> Tensor:
        y = self.depthwise(x).permute(0, 2, 3, 1)
        return x + (self.scale * self.mlp(self.norm(y))).permute(0, 3, 1, 2)


def convnext() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 2, 2), ConvNeXtBlock(8), ConvNeXtBlock(8), Head(8))


class TextCNN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.convs = nn.ModuleList(nn.Conv1d(8, 6, k) for k in (2, 3, 4))
        self.drop, self.head = nn.Dropout(0.5), nn.Linear(18, 5)

    def forward(self, words: Tensor) -> Tensor:
        x = self.words(words).transpose(1, 2)
        found = [F.relu(each(x)).max(2).values for each in self.convs]
        return self.head(self.drop(torch.cat(found, 1)))


class WaveNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv1d(2, 6, 1)
        self.gated = nn.ModuleList(nn.Conv1d(6, 12, 2, dilation=d) for d in (1, 2, 4))
        self.mixed = nn.ModuleList(nn.Conv1d(6, 6, 1) for _ in range(3))
        self.end = nn.Conv1d(6, 5, 1)

    def forward(self, x: Tensor) -> Tensor:
        x, skips = self.stem(x), 0.0
        for gated, mixed in zip(self.gated, self.mixed, strict=True):
            a, b = gated(F.pad(x, (gated.dilation[0], 0))).chunk(2, 1)
            y = mixed(torch.tanh(a) * torch.sigmoid(b))
            x, skips = x + y, skips + y
        return self.end(F.relu(skips))


def superresolution() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(3, 8, 3, padding=1), nn.PReLU(8), nn.Conv2d(8, 12, 3, padding=1)),
        *(nn.PixelShuffle(2), nn.Conv2d(3, 3, 3, padding=1), nn.Hardtanh()),
    )


class Siamese(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Conv2d(1, 4, 3, 2), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(196, 8), nn.BatchNorm1d(8)),
        )

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        one, two = F.normalize(self.body(a), dim=1), F.normalize(self.body(b), dim=1)
        return torch.stack([(one * two).sum(1), F.pairwise_distance(one, two)], 1)


class DLRM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())
        self.tables = nn.ModuleList(nn.Embedding(10, 4) for _ in range(3))
        self.top = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, dense: Tensor, sparse: Tensor) -> Tensor:
        x = self.bottom(dense)
        found = [table(sparse[:, i]) for i, table in enumerate(self.tables)]
        y = torch.stack([x, *found], 1)
        products = y @ y.transpose(1, 2)
        i, j = torch.tril_indices(4, 4, -1)
        return torch.sigmoid(self.top(torch.cat([x, products[:, i, j]], 1)))


def style() -> nn.Module:
    body = nn.Sequential(
        *(nn.ReflectionPad2d(1), nn.Conv2d(6, 6, 3), nn.ELU()),
        *(nn.ConstantPad2d(1, 0.5), nn.Conv2d(6, 6, 3), nn.ReplicationPad2d(1)),
        nn.Conv2d(6, 6, 3),
    )
    return nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), Residual(body), nn.Mish(), Head(6))


class GCN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(5, 8), nn.Linear(8, 3)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        degree = edges.sum(-1, keepdim=True).clamp(min=1)
        y = F.leaky_relu(edges @ self.one(x) / degree)
        return F.log_softmax(edges @ self.two(y) / degree, -1)


class Given(NamedTuple):
    """A network, and what it is run on."""

    make: Callable[[], nn.Module]
    inputs: Callable[[torch.Generator], tuple[Tensor, ...]]


def normal(*shape: int) -> Callable[[torch.Generator], tuple[Tensor, ...]]:
    return lambda random: (torch.randn(shape, generator=random),)


def words(random: torch.Generator) -> tuple[Tensor, ...]:
    return (torch.randint(0, 20, (4, 6), generator=random),)


IMAGES = normal(4, 3, 16, 16)

ZOO: dict[str, Given] = {
    "lenet": Given(lenet, normal(4, 1, 16, 16)),
    "alexnet": Given(alexnet, IMAGES),
    "vgg": Given(vgg, IMAGES),
    "resnet": Given(resnet, IMAGES),
    "preact_resnet": Given(preact, IMAGES),
    "densenet": Given(DenseNet, IMAGES),
    "mobilenet2": Given(mobilenet2, IMAGES),
    "mobilenet3": Given(mobilenet3, IMAGES),
    "efficientnet": Given(efficientnet, IMAGES),
    "shufflenet": Given(shufflenet, IMAGES),
    "inception": Given(Inception, IMAGES),
    "unet": Given(UNet, IMAGES),
    "vae": Given(VAE, lambda r: (torch.randn(4, 20, generator=r), torch.randn(4, 4, generator=r))),
    "lstm": Given(lambda: Recurrent(nn.LSTM, bidirectional=True), words),
    "encoder": Given(Encoder, words),
    "gpt": Given(GPT, words),
    "llama": Given(SdpaBlock, words),
    "vit": Given(ViT, IMAGES),
    "mixer": Given(Mixer, IMAGES),
    "convnext": Given(convnext, IMAGES),
    "textcnn": Given(TextCNN, words),
    "wavenet": Given(WaveNet, normal(4, 2, 12)),
    "superresolution": Given(superresolution, IMAGES),
    "siamese": Given(
        Siamese,
        lambda r: (torch.randn(4, 1, 16, 16, generator=r), torch.randn(4, 1, 16, 16, generator=r)),
    ),
    "dlrm": Given(
        DLRM, lambda r: (torch.randn(4, 6, generator=r), torch.randint(0, 10, (4, 3), generator=r))
    ),
    "style": Given(style, IMAGES),
    "gcn": Given(
        GCN,
        lambda r: (torch.randn(4, 7, 5, generator=r), torch.rand(4, 7, 7, generator=r).round()),
    ),
}


def made(
    name: str, training: bool, dropout: bool = False, fresh: bool = False
) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The network with weights and statistics that all tell, and its inputs.

    Without `dropout` nothing is dropped. `fresh`: weights as PyTorch makes them, biases of zeros.
    """
    torch.manual_seed(0)
    network = ZOO[name].make()
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.Dropout) and not dropout:
                module.p = 0.0
            if fresh and type(module).__module__.startswith("torch."):
                if isinstance(getattr(module, "bias", None), Tensor):
                    module.bias.zero_()
                continue
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.running_mean.normal_(0, 0.2)
                module.running_var.uniform_(0.5, 1.5)
            for id, weight in module.named_parameters(recurse=False):
                fans = weight[0].numel() if weight.dim() > 1 else 25
                norm = "Norm" in type(module).__name__
                weight.normal_(1.0 if norm and id == "weight" else 0.0, 1 / math.sqrt(fans))
            if isinstance(module, nn.MultiheadAttention) and not dropout:
                module.dropout = 0.0
    return network.train(training), ZOO[name].inputs(torch.Generator().manual_seed(1))
