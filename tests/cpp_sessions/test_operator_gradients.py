"""Gradients and variants in place of the compiler's operators by PopART's classes, against
PyTorch."""

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F

from tests.cpp_sessions.conftest import Program

Tensor = torch.Tensor


def _shrink(x: Tensor) -> Tensor:
    return torch.where(x < -0.6, x + 0.1, torch.where(x > 0.6, x - 0.1, torch.zeros_like(x)))


def _gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def _scatter(x: Tensor, updates: Tensor) -> Tensor:
    return x.scatter(0, torch.tensor([[1, 0, 1]]), updates)


def _where(x: Tensor, y: Tensor) -> Tensor:
    return torch.where(torch.tensor([[True, False, True], [True, False, False]]), x, y)


def _cumsum(x: Tensor) -> Tensor:
    return torch.cumsum(x, 1) - x  # exclusive


def _roi_align(x: Tensor) -> Tensor:
    """Means of 2 by 2 samples, interpolated between the elements, in each of 2 by 2 parts."""
    regions = [(1, 0.3, 0.2, 2.1, 2.6), (0, 1.0, 0.5, 3.2, 2.9)]
    rows = []
    for image, x0, y0, x1, y1 in regions:
        width, height = max(x1 - x0, 1.0) / 2, max(y1 - y0, 1.0) / 2
        cells = []
        for i in range(2):
            for j in range(2):
                total = torch.zeros(x.shape[1], dtype=x.dtype)
                for a in range(2):
                    for b in range(2):
                        v = y0 + height * (i + (a + 0.5) / 2)
                        h = x0 + width * (j + (b + 0.5) / 2)
                        top, left = int(v), int(h)
                        down, right = min(top + 1, 3), min(left + 1, 3)
                        fv, fh = v - top, h - left
                        total = total + (
                            x[image, :, top, left] * (1 - fv) * (1 - fh)
                            + x[image, :, top, right] * (1 - fv) * fh
                            + x[image, :, down, left] * fv * (1 - fh)
                            + x[image, :, down, right] * fv * fh
                        )
                cells.append(total / 4)
        rows.append(torch.stack(cells, 1).reshape(-1, 2, 2))
    return torch.stack(rows)


def _lrn(x: Tensor) -> Tensor:
    return F.local_response_norm(x, 3, 0.3, 0.75, 1.5)


FUNCTIONS: dict[str, tuple[Callable[..., Tensor | tuple[Tensor, ...]], dict[str, int]]] = {
    "asin": (torch.asin, {"small": 0}),
    "atan": (torch.atan, {"x": 0}),
    "erf": (torch.erf, {"x": 0}),
    "gelu": (_gelu, {"x": 0}),
    "geluerf": (F.gelu, {"x": 0}),
    "sinh": (torch.sinh, {"x": 0}),
    "softplus": (F.softplus, {"x": 0}),
    "softsign": (F.softsign, {"x": 0}),
    "swish": (F.silu, {"x": 0}),
    "elu": (lambda x: F.elu(x, 0.7), {"x": 0}),
    "hardsigmoid": (lambda x: torch.clamp(0.4 * x + 0.5, 0, 1), {"x": 0}),
    "selu": (lambda x: 1.1 * F.elu(x, 1.6), {"x": 0}),
    "shrink": (_shrink, {"x": 0}),
    "thresholdedrelu": (lambda x: torch.where(x > 0.6, x, torch.zeros_like(x)), {"x": 0}),
    "tanh": (torch.tanh, {"x": 0}),
    "sigmoid": (torch.sigmoid, {"x": 0}),
    "relu": (torch.relu, {"x": 0}),
    "leakyrelu": (lambda x: F.leaky_relu(x, 0.2), {"x": 0}),
    "clip": (lambda x: torch.clamp(x, -0.8, 0.5), {"x": 0}),
    "logsoftmax": (lambda x: torch.log_softmax(x, 1), {"x": 0}),
    "negate": (torch.neg, {"x": 0}),
    "cast": (lambda x: x + 0, {"x": 0}),
    "scale": (lambda x: 2.5 * x, {"x": 0}),
    "reshape": (lambda x: x.reshape(3, 2), {"x": 0}),
    "transpose": (lambda x: x.T, {"x": 0}),
    "identityloss": (torch.mean, {"x": 0}),
    "reverse": (lambda x: x.flip(1), {"x": 0}),
    "subsample": (lambda x: x[:, ::2], {"x": 0}),
    "tile": (lambda x: x.repeat(2, 3), {"x": 0}),
    "expand": (lambda row: row.expand(4, 3), {"row": 0}),
    "where": (_where, {"x": 1, "row": 2}),
    "cumsum": (_cumsum, {"x": 0}),
    "topk": (lambda x: torch.topk(x, 2, 1).values, {"x": 0}),
    "scatter": (_scatter, {"x": 0, "updates": 2}),
    "concat": (lambda x, y: torch.cat([x, y], -1), {"x": 0, "beside": 1}),
    "split": (lambda x: torch.split(x, [1, 2], 1), {"x": 0}),
    "sum": (torch.add, {"x": 0, "row": 1}),
    "mean": (lambda x, y: (x + y) / 2, {"x": 0, "row": 1}),
    "max": (torch.maximum, {"x": 0, "row": 1}),
    "min": (torch.minimum, {"x": 0, "row": 1}),
    "groupnorm": (
        lambda x, s, b: F.group_norm(x, 2, s, b, 1e-3),
        {"image": 0, "scales": 1, "biases": 2},
    ),
    "instancenorm": (
        lambda x, s, b: F.instance_norm(x, weight=s, bias=b, eps=1e-3),
        {"image": 0, "scales": 1, "biases": 2},
    ),
    "batchnorm": (
        lambda x, s, b: F.batch_norm(x, None, None, s, b, training=True, eps=1e-3),
        {"image": 0, "scales": 1, "biases": 2},
    ),
    "onehot": (lambda pair: pair[F.one_hot(torch.tensor([2, 0, 1, 2]), 3)], {"pair": 2}),
    "roialign": (_roi_align, {"image": 0}),
    "lrn": (_lrn, {"image": 0}),
    "averagepool": (lambda x: F.avg_pool2d(x, 2, 1), {"image": 0}),
    "maxpool": (lambda x: F.max_pool2d(x, 2, 2), {"image": 0}),
    "globalaveragepool": (lambda x: x.mean((2, 3), keepdim=True), {"image": 0}),
    "globalmaxpool": (lambda x: x.amax((2, 3), keepdim=True), {"image": 0}),
}
"""PyTorch's function, and its arguments with their indices, by the name of the operator."""


def _array(shape: str, words: list[str]) -> np.ndarray:
    return np.array([float(w) for w in words]).reshape([int(w) for w in shape.split()])


def test_gradients_by_classes(program: Program) -> None:
    """The session puts the compiler's gradient in the place of each."""
    printed = program("operator_gradients", "gradients").splitlines()
    types, names_line, *rest = filter(None, printed)
    names = names_line.split()
    split = len(rest) - len(names)
    given: dict[str, np.ndarray] = {}
    for line in rest[:split]:
        id, _, values = line.partition(" [")
        shape, _, numbers = values.partition("]")
        given[id] = _array(shape, numbers.split())
    found = dict(zip(names, rest[split:], strict=True))
    assert len(types.split()) == sum(len(a) for _, a in FUNCTIONS.values()) - 6  # norms have one
    expected = {f"{name}:{i}" for name, (_, args) in FUNCTIONS.items() for i in args.values()}
    assert set(names) == expected
    for name, (function, arguments) in FUNCTIONS.items():
        inputs = [torch.tensor(given[each], requires_grad=True) for each in arguments]
        result = function(*inputs)
        results = result if isinstance(result, tuple) else (result,)
        gs = [torch.tensor(given[f"{name}/g{i}"]) for i in range(len(results))]
        truth = torch.autograd.grad(results, inputs, gs)
        for i, each in zip(arguments.values(), truth, strict=True):
            values = np.array([float(w) for w in found[f"{name}:{i}"].split()])
            np.testing.assert_allclose(
                values, each.numpy().ravel(), rtol=2e-4, atol=2e-5, err_msg=f"{name}:{i}"
            )


VARIANTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "Elu": lambda c, _: F.elu(c, 0.7),
    "LeakyRelu": lambda c, _: F.leaky_relu(c, 0.2),
    "HardSigmoid": lambda c, _: torch.clamp(0.4 * c + 0.5, 0, 1),
    "Sigmoid": lambda c, _: torch.sigmoid(c),
    "SoftPlus": lambda c, _: F.softplus(c),
    "Gelu": lambda c, _: _gelu(c),
    "Clip": lambda c, _: torch.clamp(c, -0.8, 0.5),
    "Ceil": lambda c, _: torch.ceil(c),
    "Round": lambda c, _: torch.round(c),
    "Exp": lambda c, _: torch.exp(c),
    "Softmax": lambda c, _: torch.softmax(c, 1),
    "Mul": lambda c, x: c * x,
    "Atan2": torch.atan2,
}


def test_variants_overwrite_what_later_readers_get(program: Program) -> None:
    types, names, *rows = program("operator_gradients", "variants").splitlines()
    assert all(each.endswith("Inplace1") for each in types.split()), types
    i = np.arange(6)
    x = torch.tensor(0.037 * ((i * 37 + 11) % 101) - 1.86).reshape(2, 3)
    found = dict(zip(names.split(), rows, strict=True))
    for name, function in VARIANTS.items():
        truth = function(1.5 * x, x).numpy().ravel()
        for id, sign in ((f"{name}/out", 1), (f"{name}/later", -1)):
            values = np.array([float(w) for w in found[id].split()])
            np.testing.assert_allclose(values, sign * truth, rtol=2e-5, atol=2e-6, err_msg=id)


def test_variants_are_offered_for_the_class_itself(program: Program) -> None:
    lines = program("operator_gradients", "offered").splitlines()
    assert lines[0] == "10 SigmoidInplace"
    assert lines[1].split() == ["EluGrad", "0.7", "Elu"]
