"""Networks for the measurements of inference and training, as modules of PyTorch.

They stand for the families that people run; `ROWS` names each with its input. Weights are random.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def conv(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution that keeps the size at stride 1, and a batch normalization."""
    one = nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(one, nn.BatchNorm2d(outputs))


class Residual(nn.Module):
    """Layers whose result is added to their input, or to a projection of it, and an activation."""

    def __init__(self, layers: nn.Module, project: nn.Module | None, last: nn.Module) -> None:
        super().__init__()
        self.layers, self.project, self.last = layers, project or nn.Identity(), last

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.project(x) + self.layers(x))


def resnet(depths: list[int], bottleneck: bool) -> nn.Module:
    """ResNet-18 is [2, 2, 2, 2], ResNet-50 [3, 4, 6, 3] with bottlenecks. (He et al. 2015)"""
    layers: list[nn.Module] = [conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, depth in enumerate(depths):
        width = 64 << stage
        outputs = width * 4 if bottleneck else width
        for i in range(depth):
            stride = 2 if stage and not i else 1
            if bottleneck:
                parts = [conv(inputs, width, 1), nn.ReLU(), conv(width, width, 3, stride)]
                parts += [nn.ReLU(), conv(width, outputs, 1)]
            else:
                parts = [conv(inputs, width, 3, stride), nn.ReLU(), conv(width, width, 3)]
            project = conv(inputs, outputs, 1, stride) if inputs != outputs else None
            layers.append(Residual(nn.Sequential(*parts), project, nn.ReLU()))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


class Excitation(nn.Module):
    """Squeeze and excitation. (Hu et al. 2017)"""

    def __init__(self, width: int, reduced: int) -> None:
        super().__init__()
        self.parts = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(width, reduced, 1),
            nn.SiLU(),
            nn.Conv2d(reduced, width, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x * self.parts(x)


def inverted(
    inputs: int, outputs: int, expand: int, stride: int, size: int, act: type[nn.Module], se: bool
) -> nn.Module:
    """An inverted residual block, of MobileNetV2 and EfficientNet."""
    width = inputs * expand
    parts: list[nn.Module] = [conv(inputs, width, 1), act()] if expand != 1 else []
    parts += [conv(width, width, size, stride, width), act()]
    if se:
        parts.append(Excitation(width, max(1, inputs // 4)))
    block = nn.Sequential(*parts, conv(width, outputs, 1))
    return Residual(block, None, nn.Identity()) if stride == 1 and inputs == outputs else block


def mobile(rows: list[tuple[int, int, int, int, int]], act: type[nn.Module], se: bool) -> nn.Module:
    """Inverted residuals, a row for each stage: expansion, channels, depth, stride, kernel."""
    layers: list[nn.Module] = [conv(3, 32, 3, 2), act()]
    inputs = 32
    for expand, outputs, depth, stride, size in rows:
        for i in range(depth):
            layers.append(inverted(inputs, outputs, expand, 1 if i else stride, size, act, se))
            inputs = outputs
    layers += [conv(inputs, 1280, 1), act(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(1280, 1000))


def mobilenet_v2() -> nn.Module:
    """(Sandler et al. 2018)"""
    rows = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 32, 3, 2, 3), (6, 64, 4, 2, 3)]
    rows += [(6, 96, 3, 1, 3), (6, 160, 3, 2, 3), (6, 320, 1, 1, 3)]
    return mobile(rows, nn.ReLU6, False)


def efficientnet_b0() -> nn.Module:
    """(Tan and Le 2019)"""
    rows = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3)]
    rows += [(6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]
    return mobile(rows, nn.SiLU, True)


class Attention(nn.Module):
    """Self-attention by the elementary operators, as exporters write it."""

    def __init__(self, width: int, heads: int, causal: bool = False, rotary: bool = False) -> None:
        super().__init__()
        self.heads, self.causal, self.rotary = heads, causal, rotary
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        size = width // self.heads

        def split(t: Tensor) -> Tensor:
            return t.view(batch, length, self.heads, size).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        if self.rotary:
            angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
            cos, sin = (of(angles).repeat(1, 2).to(x.dtype) for of in (torch.cos, torch.sin))
            q, k = (t * cos + turned(t) * sin for t in (q, k))
        scores = q @ k.transpose(-1, -2) / math.sqrt(size)
        if self.causal:
            masked = max(-1e9, torch.finfo(x.dtype).min)
            scores = scores + torch.full((length, length), masked, dtype=x.dtype).triu(1)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
        return self.out(mixed)


def turned(t: Tensor) -> Tensor:
    """The halves of the last dimension, exchanged, and the new first one negated."""
    half = t.shape[-1] // 2
    return torch.cat([-t[..., half:], t[..., :half]], -1)


class RMSNorm(nn.Module):
    """(Zhang and Sennrich 2019), by elementary operators."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * self.weight


class Gated(nn.Module):
    """The feed-forward layer of Llama: SiLU of one projection gates another."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate, self.up = (
            nn.Linear(width, inner, bias=False),
            nn.Linear(width, inner, bias=False),
        )
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """A transformer layer: BERT's (normalized after), GPT's (before), or Llama's."""

    def __init__(self, kind: str, width: int, heads: int) -> None:
        super().__init__()
        self.before = kind != "bert"
        norm = RMSNorm if kind == "llama" else nn.LayerNorm
        self.attention = Attention(width, heads, kind in ("gpt", "llama"), kind == "llama")
        plain = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.forwards = Gated(width, 8 * width // 3) if kind == "llama" else plain
        self.norms = nn.ModuleList([norm(width), norm(width)])

    def forward(self, x: Tensor) -> Tensor:
        for layer, norm in zip((self.attention, self.forwards), self.norms, strict=True):
            x = x + layer(norm(x)) if self.before else norm(x + layer(x))
        return x


def transformer(kind: str, layers: int, width: int, heads: int) -> nn.Module:
    """Layers alone, on activations."""
    return nn.Sequential(*(Block(kind, width, heads) for _ in range(layers)))


class Vision(nn.Module):
    """ViT. (Dosovitskiy et al. 2020)"""

    def __init__(self, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.place = nn.Parameter(torch.randn(1, 196, width) * 0.02)
        self.layers = transformer("vit", layers, width, heads)
        self.head = nn.Linear(width, 1000)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2) + self.place
        return self.head(self.layers(x).mean(1))


class Recurrent(nn.Module):
    """An LSTM or GRU, and a layer on its outputs."""

    def __init__(self, kind: type[nn.LSTM | nn.GRU], inputs: int, width: int, both: bool) -> None:
        super().__init__()
        self.cells = kind(inputs, width, bidirectional=both, batch_first=True)
        self.head = nn.Linear(width * (1 + both), 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.cells(x)[0])


class UNet(nn.Module):
    """(Ronneberger et al. 2015), with three levels."""

    def __init__(self, width: int) -> None:
        super().__init__()

        def pair(inputs: int, outputs: int) -> nn.Module:
            return nn.Sequential(
                conv(inputs, outputs, 3), nn.ReLU(), conv(outputs, outputs, 3), nn.ReLU()
            )

        self.down = nn.ModuleList([pair(3, width), pair(width, 2 * width)])
        self.middle = pair(2 * width, 4 * width)
        self.ups = nn.ModuleList(
            [
                nn.ConvTranspose2d(4 * width, 2 * width, 2, 2),
                nn.ConvTranspose2d(2 * width, width, 2, 2),
            ]
        )
        self.up = nn.ModuleList([pair(4 * width, 2 * width), pair(2 * width, width)])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept: list[Tensor] = []
        for each in self.down:
            x = each(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for grow, each in zip(self.ups, self.up, strict=True):
            x = each(torch.cat([grow(x), kept.pop()], 1))
        return self.head(x)


class ConvNext(nn.Module):
    """A block of ConvNeXt on [batch, channels, height, width]. (Liu et al. 2022)"""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depth = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.depth(x).permute(0, 2, 3, 1))
        return x + self.narrow(F.gelu(self.wide(y))).permute(0, 3, 1, 2)


class Cardinal(nn.Module):
    """A block of ResNeXt, of groups of `group` channels. (Xie et al. 2017)"""

    def __init__(self, width: int, group: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()),
            nn.Conv2d(width, width, 3, padding=1, groups=width // group, bias=False),
            *(nn.BatchNorm2d(width), nn.ReLU()),
            *(nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width)),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.layers(x))


class Mixer(nn.Module):
    """A layer of MLP-Mixer on [batch, tokens, channels]. (Tolstikhin et al. 2021)"""

    def __init__(self, tokens: int, width: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.tokens, self.channels = mlp(tokens, 256, tokens), mlp(width, 4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.tokens(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norms[1](x))


class Dense(nn.Module):
    """Layers of DenseNet: each reads all before it. (Huang et al. 2016)"""

    def __init__(self, inputs: int, growth: int, layers: int) -> None:
        super().__init__()
        each = [
            nn.Sequential(
                nn.BatchNorm2d(inputs + i * growth),
                nn.ReLU(),
                nn.Conv2d(inputs + i * growth, 4 * growth, 1, bias=False),
                nn.BatchNorm2d(4 * growth),
                nn.ReLU(),
                nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
            )
            for i in range(layers)
        ]
        self.layers = nn.ModuleList(each)

    def forward(self, x: Tensor) -> Tensor:
        for each in self.layers:
            x = torch.cat([x, each(x)], 1)
        return x


class Shuffle(nn.Module):
    """A unit of ShuffleNet, of grouped convolutions. (Zhang et al. 2017)"""

    def __init__(self, width: int, groups: int) -> None:
        super().__init__()
        self.groups = groups
        self.first, self.last = (
            conv(width, width // 4, 1, 1, groups),
            conv(width // 4, width, 1, 1, groups),
        )
        self.depth = conv(width // 4, width // 4, 3, 1, width // 4)

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.first(x))
        batch, channels, height, wide = y.shape
        y = y.view(batch, self.groups, channels // self.groups, height, wide).transpose(1, 2)
        y = y.reshape(batch, channels, height, wide)
        return F.relu(x + self.last(self.depth(y)))


class Separable(nn.Module):
    """Causal dilated convolutions over time, as in temporal convolutional networks."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv1d(width, width, 3, dilation=1 << i) for i in range(layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        for i, each in enumerate(self.layers):
            x = x + F.relu(each(F.pad(x, (2 << i, 0))))
        return x


class Chain(nn.Module):
    """Three times y = tanh(0.9 y) + sigmoid(x)."""

    def forward(self, x: Tensor) -> Tensor:
        y = x
        for _ in range(3):
            y = torch.tanh(0.9 * y) + torch.sigmoid(x)
        return y


def mlp(*sizes: int, act: type[nn.Module] = nn.GELU) -> nn.Module:
    """Linear layers with an activation between them."""
    layers: list[nn.Module] = []
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:], strict=False)):
        layers += [act()] if i else []
        layers.append(nn.Linear(inputs, outputs))
    return nn.Sequential(*layers)


def small_convnet() -> nn.Module:
    """For digits, with 32 and 64 channels."""
    return nn.Sequential(
        *(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(64 * 7 * 7, 10)),
    )


def vgg() -> nn.Module:
    """The first stages of VGG-11. (Simonyan and Zisserman 2014)"""
    layers: list[nn.Module] = []
    inputs = 3
    for outputs in (64, 128, 256, 256):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if outputs != inputs else []
        inputs = outputs
    return nn.Sequential(*layers)


def autoencoder() -> nn.Module:
    """Convolutions down, transposed ones up."""
    return nn.Sequential(
        *(nn.Conv2d(3, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(32, 64, 4, 2, 1)),
        *(nn.LeakyReLU(0.2), nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU()),
        *(nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh()),
    )


@dataclass(frozen=True)
class Row:
    """A network and the shape of its input."""

    make: Callable[[], nn.Module]
    shape: tuple[int, ...]
    half: bool = False


TABLE = {
    "ResNet-50, batch 1": Row(lambda: resnet([3, 4, 6, 3], True), (1, 3, 224, 224)),
    "MobileNetV2": Row(mobilenet_v2, (1, 3, 224, 224)),
    "4 BERT-base layers, 128 tokens": Row(lambda: transformer("bert", 4, 768, 12), (1, 128, 768)),
    "4 GPT layers, 64 tokens": Row(lambda: transformer("gpt", 4, 768, 12), (1, 64, 768)),
    "4 BERT layers in half": Row(lambda: transformer("bert", 4, 768, 12), (1, 128, 768), True),
    "MLP batch 1": Row(lambda: mlp(784, 512, 512, 10, act=nn.ReLU), (1, 784)),
    "MLP batch 256": Row(lambda: mlp(784, 512, 512, 10, act=nn.ReLU), (256, 784)),
    "LSTM bidirectional 256": Row(lambda: Recurrent(nn.LSTM, 256, 256, True), (1, 100, 256)),
    "tanh/sigmoid chain, 4 Mi": Row(Chain, (4 << 20,)),
    "LeakyRelu 16 Mi": Row(lambda: nn.LeakyReLU(0.1), (16 << 20,)),
}
"""The rows that are named in targets."""

OTHERS = {
    "ResNet-18, batch 8": Row(lambda: resnet([2, 2, 2, 2], False), (8, 3, 224, 224)),
    "EfficientNet-B0": Row(efficientnet_b0, (1, 3, 224, 224)),
    "ViT, width 192": Row(lambda: Vision(192, 3, 6), (1, 3, 224, 224)),
    "Llama, 2 layers, 256 tokens": Row(lambda: transformer("llama", 2, 512, 8), (1, 256, 512)),
    "GPT, 1 token": Row(lambda: transformer("gpt", 4, 768, 12), (1, 1, 768)),
    "BERT-tiny, batch 16": Row(lambda: transformer("bert", 2, 128, 2), (16, 64, 128)),
    "U-Net, 128 x 128": Row(lambda: UNet(32), (1, 3, 128, 128)),
    "ConvNeXt, 3 blocks": Row(
        lambda: nn.Sequential(*(ConvNext(96) for _ in range(3))), (1, 96, 56, 56)
    ),
    "ResNeXt, 4 blocks": Row(
        lambda: nn.Sequential(*(Cardinal(128, 4) for _ in range(4))), (1, 128, 28, 28)
    ),
    "MLP-Mixer, 4 layers": Row(
        lambda: nn.Sequential(*(Mixer(196, 256) for _ in range(4))), (1, 196, 256)
    ),
    "DenseNet, 8 layers": Row(lambda: Dense(64, 32, 8), (1, 64, 56, 56)),
    "ShuffleNet, 4 units": Row(
        lambda: nn.Sequential(*(Shuffle(240, 3) for _ in range(4))), (1, 240, 28, 28)
    ),
    "VGG, 4 layers": Row(vgg, (1, 3, 112, 112)),
    "autoencoder, batch 4": Row(autoencoder, (4, 3, 64, 64)),
    "dilated convolutions": Row(lambda: Separable(64, 6), (1, 64, 512)),
    "GRU 128, batch 8": Row(lambda: Recurrent(nn.GRU, 64, 128, False), (8, 50, 64)),
    "small convnet, batch 64": Row(small_convnet, (64, 1, 28, 28)),
    "MLP, narrow and deep": Row(lambda: mlp(*[64] * 20, act=nn.Tanh), (32, 64)),
    "MLP, wide": Row(lambda: mlp(1024, 4096, 1024), (64, 1024)),
    "LayerNorm and softmax": Row(
        lambda: nn.Sequential(nn.LayerNorm(1024), nn.Softmax(-1)), (4096, 1024)
    ),
    "pooling pyramid": Row(
        lambda: nn.Sequential(nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(3, 2, 1), nn.MaxPool2d(5, 1, 2)),
        (8, 32, 112, 112),
    ),
}
"""Other rows."""

ROWS = TABLE | OTHERS

HALVES = {f"{name}, halves": replace(row, half=True) for name, row in ROWS.items() if not row.half}
"""The float rows with weights, inputs and outputs in half."""


def made(name: str) -> tuple[nn.Module, Tensor]:
    """The network in evaluation mode with random weights, and an input."""
    torch.manual_seed(0)
    row = (ROWS | HALVES)[name]
    network, x = row.make().eval(), torch.randn(row.shape)
    return (network.half(), x.half()) if row.half else (network, x)


def work(network: nn.Module, x: Tensor, training: bool) -> tuple[float, float]:
    """Multiplications and additions of products and convolutions, and bytes that must be moved:
    input, output and weights once; in training the weights are written, too.
    """
    from torch.utils.flop_counter import FlopCounterMode, conv_flop_count

    def gradients(
        g: torch.Size, x: torch.Size, w: torch.Size, *more: Any, out_shape: Any = None, **_: Any
    ) -> int:
        *_, transposed, _, _, mask = more  # torch's own count leaves the groups out
        return (mask[0] + mask[1]) * conv_flop_count(list(x), list(w), list(g), transposed)

    weights = sum(p.nbytes for p in network.parameters())
    own = {torch.ops.aten.convolution_backward: gradients}
    counter = FlopCounterMode(display=False, custom_mapping=own)
    # an LSTM of mkldnn is not counted; to switch it off warns of GPUs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.backends.mkldnn.flags(enabled=False), counter, torch.set_grad_enabled(training):
            y = network.float()(x.float())
            if training:
                y.square().mean().backward()
    moved = x.nbytes + (2 * weights if training else weights + y.nbytes)
    return float(counter.get_total_flops()), float(moved)
