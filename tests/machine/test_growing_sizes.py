"""Where an operator on larger tensors takes fewer cycles.

It may: layouts have grains, plans leave out syncs as PopLibs' do, and reductions choose their
stages by thresholds. Where nothing of that is, cycles grow with sizes.
`python -m tests.machine growing` prints each place where they fall.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.machine import test_several_ipus as models
from tests.machine.test_several_ipus import Row, cycles, onnx, with_constant

SIZES: list[int] = [2**e * m // 2 for e in range(1, 12) for m in (2, 3)] + [4096]
WIDE = 256

GROW: dict[str, Callable[[int], Row]] = {
    "relu": lambda n: onnx("relu", (n, WIDE)),
    "exp": lambda n: onnx("exp", (n, WIDE)),
    "add": lambda n: onnx("add", (n, WIDE), (n, WIDE)),
    "times a row": lambda n: onnx("mul", (n, WIDE), (WIDE,)),
    "softmax": lambda n: onnx("softmax", (n, WIDE), axis=-1),
    "sum of all": lambda n: with_constant("reducesum", (n, WIDE), 0, 1),
    "transpose": lambda n: onnx("transpose", (n, WIDE), perm=[1, 0]),
    "concat": lambda n: onnx("concat", (n, WIDE), (n, WIDE), axis=0),
    "running sums of columns": lambda n: models.cumsum((n, WIDE), 0),
}
"""Operators whose cycles never fall, by their first dimension."""
OTHERS: dict[str, Callable[[int], Row]] = {
    "sums of columns": lambda n: with_constant("reducesum", (n, WIDE), 0),
    "sums of rows": lambda n: with_constant("reducesum", (n, WIDE), 1),
    "maxima of columns": lambda n: onnx("reducemax", (n, WIDE), axes=[0]),
    "logsoftmax of columns": lambda n: onnx("logsoftmax", (n, WIDE), axis=0),
    "running sums of rows": lambda n: models.cumsum((n, WIDE), 1),
    "argmax": lambda n: onnx("argmax", (n, WIDE), axis=1),
    "slices of a table": lambda n: onnx("gather", (1024, WIDE), ("i", n)),
    "rows of a table": lambda n: onnx("gather", (n, WIDE), ("i", 64)),
    "topk": lambda n: models.topk((n, 64), 5),
    "layernorm": lambda n: models.norm((n, WIDE), "layer"),
    "nll": lambda n: models.nll(n, WIDE),
    "rows of a product": lambda n: onnx("matmul", (n, WIDE), (WIDE, WIDE)),
    "inner elements of a product": lambda n: onnx("matmul", (WIDE, n), (n, WIDE)),
    "channels of a convolution": lambda n: models.convolution((2, n, 14, 14), (64, n, 3, 3)),
    "images of a convolution": lambda n: models.convolution((n, 16, 14, 14), (16, 16, 3, 3)),
    "images of a pooling": lambda n: onnx("globalaveragepool", (n, 16, 14, 14)),
}
MOST = {
    "channels of a convolution": 512,
    "images of a convolution": 256,
    "images of a pooling": 512,
}


def taken(name: str, sizes: list[int]) -> list[tuple[int, int]]:
    """Sizes and what they take, up to the largest that is looked at."""
    make = (GROW | OTHERS)[name]
    return [(n, cycles(make(n), 1, False)) for n in sizes if n <= MOST.get(name, 4096)]


@pytest.mark.parametrize("name", GROW)
def test_what_has_no_plan_grows_with_its_size(name: str) -> None:
    found = [each for _, each in taken(name, SIZES[::3])]
    assert found == sorted(found) and found[-1] > found[0]


def show() -> None:
    """Prints each size that takes less than the one before, and their number."""
    falls = pairs = 0
    for name in GROW | OTHERS:
        found = taken(name, SIZES)
        pairs += len(found) - 1
        for (less, before), (more, after) in zip(found[:-1], found[1:], strict=True):
            if after < before:
                falls += 1
                print(f"{name:30} {less:>5} {before:>8,} {more:>5} {after:>8,}", flush=True)
    print(f"{falls} of {pairs}")
