"""popir.ext.integerConvolution: convolutions of bytes minus zero points, against PyTorch's in
double precision, which is exact for the sums here.
"""

import numpy as np
import pytest
import torch

from popir import errors, ext, poplar, poplin
from popir.poplar import program
from tests.poplin.programs import run, run_again
from tests.poplin.test_integer_product import BYTES, bytes_of


def params_of(data, weights, group, stride, dilation, lower, upper):
    fields = len(stride)
    none, one, forwards = [0] * fields, [1] * fields, [False] * fields
    cut = [[max(-p, 0) for p in pads] for pads in (lower, upper)]
    padded = [[max(p, 0) for p in pads] for pads in (lower, upper)]
    transform = poplin.ConvParams.InputTransform
    return poplin.ConvParams(
        *(poplar.SIGNED_CHAR, poplar.INT, data[0], data[2:], weights[2:], weights[1]),
        *(weights[0] // group, group, transform(*cut, one, *padded, forwards)),
        transform(none, none, dilation, none, none, forwards),
        poplin.ConvParams.OutputTransform(none, none, stride, none, none),
    )


def expected(x, w, x_zero, w_zeros, group, stride, dilation, lower, upper):
    data = torch.from_numpy(x.astype(np.float64) - (0 if x_zero is None else float(x_zero[0])))
    weights = w.astype(np.float64)
    if w_zeros is not None:
        weights -= w_zeros.astype(np.float64).reshape(-1, *[1] * (w.ndim - 1))
    pads = [p for pair in zip(lower[::-1], upper[::-1], strict=True) for p in pair]
    data = torch.nn.functional.pad(data, pads)
    convolve = getattr(torch.nn.functional, f"conv{len(stride)}d")
    found = convolve(
        data, torch.from_numpy(weights), None, tuple(stride), 0, tuple(dilation), group
    )
    return found.numpy().astype(np.int64).astype(np.int32)


FORMS = {
    "one element": ((1, 1, 1), (1, 1, 1), 1, (1,), (1,), (0,), (0,)),
    "a line": ((2, 3, 40), (5, 3, 4), 1, (1,), (2,), (3,), (1,)),
    "1 x 1": ((2, 24, 9, 11), (70, 24, 1, 1), 1, (1, 1), (1, 1), (0, 0), (0, 0)),
    "3 x 3": ((1, 16, 14, 14), (33, 16, 3, 3), 1, (1, 1), (1, 1), (1, 1), (1, 1)),
    "a long row": ((1, 3, 5, 150), (9, 3, 3, 3), 1, (1, 1), (1, 1), (1, 1), (1, 1)),
    "strides": ((2, 6, 17, 23), (10, 6, 3, 5), 1, (2, 3), (1, 1), (1, 2), (0, 3)),
    "strides beyond the window": ((1, 4, 12, 12), (6, 4, 1, 2), 1, (3, 4), (1, 1), (0, 0), (0, 0)),
    "dilations and strides": ((1, 5, 20, 19), (4, 5, 3, 2), 1, (2, 2), (3, 2), (2, 1), (4, 0)),
    "groups": ((2, 12, 10, 10), (18, 4, 3, 3), 3, (1, 1), (1, 1), (1, 0), (0, 1)),
    "depthwise": ((1, 40, 15, 15), (40, 1, 3, 3), 40, (2, 2), (1, 1), (1, 1), (1, 1)),
    "cut off": ((1, 3, 12, 13), (4, 3, 3, 3), 1, (1, 2), (1, 1), (-2, 1), (1, -3)),
    "padding alone": ((1, 2, 3, 3), (3, 2, 2, 2), 1, (1, 1), (1, 1), (4, 3), (4, 5)),
    "volumes": ((2, 3, 6, 7, 8), (5, 3, 2, 3, 3), 1, (2, 1, 2), (1, 2, 1), (1, 0, 2), (0, 1, 1)),
    "no image": ((0, 3, 6, 7), (5, 3, 2, 3), 1, (1, 1), (1, 1), (0, 0), (0, 0)),
    "no channels": ((1, 0, 6, 7), (5, 0, 2, 3), 1, (1, 1), (1, 1), (0, 0), (0, 0)),
}


@pytest.mark.parametrize("w_type", BYTES)
@pytest.mark.parametrize("x_type", BYTES)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms(form, x_type, w_type):
    data, weights, group, *window = form
    x, w = bytes_of(x_type, *data), bytes_of(w_type, *weights, seed=2)
    given = {
        "x": x,
        "w": w.reshape(group, weights[0] // group, *weights[1:]),
        "x_zero": bytes_of(x_type, 1, seed=3),
        "w_zero": bytes_of(w_type, 1, seed=4),
        "w_zeros": bytes_of(w_type, weights[0], seed=5),
    }
    kinds = [(None, None), ("x_zero", None), (None, "w_zero"), ("x_zero", "w_zeros")]
    window = [list(sizes) for sizes in window]

    def build(graph, prog, **t):
        params = params_of(list(data), list(weights), group, *window)
        return [
            ext.integerConvolution(graph, t["x"], t["w"], params, t.get(a), t.get(b), prog)
            for a, b in kinds
        ]

    found = run(given, build, 2)
    for result, (a, b) in zip(found, kinds, strict=True):
        if 0 in data:
            assert result.size == 0 or not result.any()
        else:
            want = expected(x, w, given.get(a), given.get(b), group, *window)
            np.testing.assert_array_equal(result, want, err_msg=f"{a}, {b}")


def test_random_windows():
    rng = np.random.default_rng(7)
    for _ in range(60):
        fields = int(rng.integers(1, 4))
        group, size = int(rng.integers(1, 4)), [int(n) for n in rng.integers(4, 19, fields)]
        channels, outputs = int(rng.integers(1, 20)), int(rng.integers(1, 60))
        kernel = [int(n) for n in rng.integers(1, 4, fields)]
        window = [[int(n) for n in rng.integers(*r, fields)] for r in ((1, 4), (1, 3))]
        window += [[int(n) for n in rng.integers(0, 4, fields)] for _ in range(2)]
        spans = [d * (k - 1) + 1 for k, d in zip(kernel, window[1], strict=True)]
        size = [max(n, span) for n, span in zip(size, spans, strict=True)]
        data = [int(rng.integers(1, 3)), channels * group, *size]
        weights = [outputs * group, channels, *kernel]
        x, w = bytes_of(np.uint8, *data), bytes_of(np.int8, *weights, seed=2)
        zero = bytes_of(np.uint8, 1, seed=3)

        def build(graph, prog, x, w, zero, made=(data, weights, group, *window)):
            return [ext.integerConvolution(graph, x, w, params_of(*made), zero, None, prog)]

        shaped = w.reshape(group, outputs, *weights[1:])
        (found,) = run({"x": x, "w": shaped, "zero": zero}, build, 2)
        want = expected(x, w, zero, None, group, *window)
        np.testing.assert_array_equal(found, want, err_msg=f"{data}, {weights}, {window}")


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_without_the_instructions_for_bytes(isa):
    run_again(isa, __file__)


def convolution(x=poplar.UNSIGNED_CHAR, zeros=([], []), **changed):
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    params = params_of([1, 2, 5, 5], [4, 2, 3, 3], 1, *[[1, 1]] * 2, *[[0, 0]] * 2)
    for name, value in changed.items():
        setattr(params, name, value)
    data = graph.addVariable(x, [1, 2, 5, 5])
    weights = graph.addVariable(poplar.SIGNED_CHAR, [1, 4, 2, 3, 3])
    points = [
        graph.addVariable(kind, shape) if shape else None
        for kind, shape in zip((x, poplar.SIGNED_CHAR), zeros, strict=True)
    ]
    return ext.integerConvolution(graph, data, weights, params, *points, program.Sequence())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"x": poplar.SHORT},
            "the input: given is short [1, 2, 5, 5]; expected signed char or unsigned char "
            "[1, 2, 5, 5]",
        ),
        ({"kernelShape": [2, 3]}, "the weights: given is signed char [1, 4, 2, 3, 3]; expected"),
        ({"zeros": ([2], [])}, "the zero point of the input: given is unsigned char [2]; expected"),
        (
            {"zeros": ([], [3])},
            "the zero point of the weights: given is signed char [3]; expected signed char [1] or "
            "[4]",
        ),
        (
            {
                "outputTransform": poplin.ConvParams.OutputTransform(
                    [0, 0], [0, 0], [1, 1], [1, 0], [0, 0]
                )
            },
            "the parameters have other transforms than truncation and padding of the input",
        ),
    ],
)
def test_what_does_not_fit(given, message):
    assert convolution().shape() == [1, 4, 3, 3]
    with pytest.raises(errors.poplibs_exception) as raised:
        convolution(**given)
    assert f"popir::integerConvolution: {message}" in str(raised.value)
