"""poplin's convolutions in programs, against onnxruntime and against definitions in float64."""

import numpy as np
import onnxruntime
import pytest
import torch
from onnx import helper, numpy_helper

import popir
from popir import errors, poplar, poplin, popops
from popir.popops import expr as pe
from tests.poplin.oracle import Conv, Out, Side
from tests.poplin.programs import run


def params_of(conv: Conv, dtype=poplar.FLOAT) -> poplin.ConvParams:
    def transform(sides: list[Side]) -> poplin.ConvParams.InputTransform:
        return poplin.ConvParams.InputTransform(
            [s.truncation[0] for s in sides],
            [s.truncation[1] for s in sides],
            [s.dilation for s in sides],
            [s.padding[0] for s in sides],
            [s.padding[1] for s in sides],
            [s.flip for s in sides],
        )

    out = poplin.ConvParams.OutputTransform(
        [o.truncation[0] for o in conv.outs],
        [o.truncation[1] for o in conv.outs],
        [o.stride for o in conv.outs],
        [o.padding[0] for o in conv.outs],
        [o.padding[1] for o in conv.outs],
    )
    return poplin.ConvParams(
        dtype, dtype, conv.batch, list(conv.field), list(conv.kernel), *conv.channels, conv.groups,
        transform(conv.inputs), transform(conv.kernels), out,
    )  # fmt: skip


def graph_constant(graph: poplar.Graph, values: np.ndarray) -> poplar.Tensor:
    t = graph.addConstant(poplar.typeOf(values.dtype), list(values.shape), values)
    graph.setTileMapping(t, 0)
    return t


def onnx_conv(op: str, x, w, **attributes) -> np.ndarray:
    """One node of `op`, run by onnxruntime."""
    node = helper.make_node(op, ["x", "w"], ["y"], **attributes)
    infos = [helper.make_tensor_value_info(n, 1, a.shape) for n, a in [("x", x), ("w", w)]]
    y = helper.make_tensor_value_info("y", 1, None)
    model = helper.make_model(
        helper.make_graph([node], "g", infos, [y]), opset_imports=[helper.make_opsetid("", 11)]
    )
    model.ir_version = 8
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (result,) = session.run(None, {"x": x, "w": w})
    return np.asarray(result)


RUNTIME_CASES = {
    "1x1": ((2, 8, 5, 5), (16, 8, 1, 1), {}),
    "3x3": ((2, 16, 9, 9), (32, 16, 3, 3), {"pads": [1, 1, 1, 1]}),
    "strided": ((1, 16, 9, 8), (16, 16, 3, 3), {"pads": [1, 0, 2, 1], "strides": [2, 3]}),
    "dilated": ((1, 4, 12, 11), (6, 4, 3, 3), {"dilations": [2, 3]}),
    "grouped": ((2, 12, 7, 7), (8, 3, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
    "depthwise": ((2, 10, 7, 7), (10, 1, 3, 3), {"group": 10, "strides": [2, 2]}),
    "stem": ((1, 3, 32, 32), (64, 3, 7, 7), {"pads": [3, 3, 3, 3], "strides": [2, 2]}),
    "odd channels": ((1, 17, 6, 6), (19, 17, 3, 3), {}),
    "rank 1": ((2, 5, 20), (7, 5, 4), {"strides": [3], "pads": [1, 2]}),
    "rank 3": ((1, 3, 6, 5, 4), (4, 3, 2, 3, 2), {"pads": [1, 0, 1, 0, 1, 0]}),
}


def conv_of(x_shape, w_shape, attributes) -> Conv:
    """The Conv of an ONNX node's attributes."""
    dims = len(x_shape) - 2
    groups = attributes.get("group", 1)
    pads = attributes.get("pads", [0] * 2 * dims)
    return Conv(
        x_shape[0],
        groups,
        (w_shape[1], w_shape[0] // groups),
        x_shape[2:],
        w_shape[2:],
        [Side(padding=(pads[d], pads[d + dims])) for d in range(dims)],
        [Side(dilation=n) for n in attributes.get("dilations", [1] * dims)],
        [Out(stride=n) for n in attributes.get("strides", [1] * dims)],
    )


def passes(conv: Conv, threads: int, dtype=np.float32, flipped_by_copy: bool = False):
    """Operands, then the three passes by poplin: y, dx, dw, for a random gradient dy of y."""
    params = params_of(conv, poplar.typeOf(np.dtype(dtype)))
    x, w = (a.astype(dtype) for a in conv.operands())
    dy_shape = (conv.batch, conv.groups * conv.channels[1], *params.getOutputFieldShape())
    dy = np.random.default_rng(3).uniform(-1, 1, dy_shape).astype(dtype)

    def build(graph, prog, x, w, dy):
        y = poplin.convolution(graph, x, w, params, False, prog, "forward")
        back = poplin.getGradientParams(params)
        if flipped_by_copy:
            turned = poplin.createWeights(graph, back, "turned")
            poplin.weightsTransposeChansFlipXY(graph, w, turned, prog)
            dx = poplin.convolution(graph, dy, turned, back, False, prog, "backward")
        else:
            dx = poplin.convolution(graph, dy, w, back, True, prog, "backward")
        dw = poplin.calculateWeightDeltas(graph, dy, x, params, prog, "update")
        return [y, dx, dw]

    return (x, w, dy), run({"x": x, "w": w, "dy": dy}, build, threads)


def check_passes(conv: Conv, threads: int, rtol: float, atol: float, **kwargs) -> None:
    (x, w, dy), (y, dx, dw) = passes(conv, threads, **kwargs)
    np.testing.assert_allclose(y, conv.forward(x, w), rtol=rtol, atol=atol)
    np.testing.assert_allclose(dx, conv.data_gradient(w, dy), rtol=rtol, atol=atol)
    np.testing.assert_allclose(dw, conv.weights_gradient(x, dy), rtol=rtol, atol=atol)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", RUNTIME_CASES)
def test_against_onnxruntime(name, threads):
    x_shape, w_shape, attributes = RUNTIME_CASES[name]
    conv = conv_of(x_shape, w_shape, attributes)
    (x, w, _), (y, _, _) = passes(conv, threads)
    expected = onnx_conv("Conv", x, w.reshape(w_shape), **attributes)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", RUNTIME_CASES)
def test_gradients(name, threads):
    check_passes(conv_of(*RUNTIME_CASES[name]), threads, 1e-4, 2e-5)


def test_weight_update():
    conv = conv_of(*RUNTIME_CASES["grouped"])
    params = params_of(conv)
    x, w = (a.astype(np.float32) for a in conv.operands())
    dy = np.random.default_rng(3).uniform(-1, 1, conv.forward(x, w).shape).astype(np.float32)

    def build(graph, prog, x, w, dy):
        poplin.convolutionWeightUpdate(graph, dy, w, x, params, -0.5, prog, "update")
        return [w]

    (updated,) = run({"x": x, "w": w, "dy": dy}, build)
    expected = w - 0.5 * conv.weights_gradient(x, dy)
    np.testing.assert_allclose(updated, expected, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("name", ["3x3", "strided", "grouped", "rank 3"])
def test_input_gradient_by_weights_turned_beforehand(name, copied):
    check_passes(conv_of(*RUNTIME_CASES[name]), 2, 1e-4, 2e-5, flipped_by_copy=copied)


def test_transposed_convolution_against_onnxruntime():
    conv = Conv(2, 2, (3, 4), (5, 6), (3, 3), [Side(dilation=2, padding=(1, 2)), Side(dilation=3)])
    (x, w, _), (y, _, _) = passes(conv, 2)
    # ONNX has [groups * I, O, ...], turned, and counts padding from the other side.
    turned = w.transpose(0, 2, 1, 3, 4)[..., ::-1, ::-1].reshape(6, 4, 3, 3)
    expected = onnx_conv("ConvTranspose", x, turned, group=2, strides=[2, 3], pads=[1, 2, 0, 2])
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


TRANSFORMS = {
    "input truncated": Conv(1, 1, (2, 3), (9,), (3,), [Side(truncation=(2, 1), padding=(1, 0))]),
    "input dilated": Conv(2, 1, (2, 3), (6,), (3,), [Side(dilation=3, padding=(2, 1))]),
    "input dilated, output strided": Conv(
        1, 1, (2, 3), (7,), (3,), [Side(dilation=3, padding=(2, 1))], outs=[Out((1, 2), 2)]
    ),
    "much padding": Conv(1, 1, (2, 3), (4,), (2,), [Side(padding=(5, 4))]),
    "input flipped": Conv(1, 1, (2, 3), (9,), (3,), [Side((1, 0), 2, (3, 1), True)]),
    "kernel dilated": Conv(1, 1, (2, 3), (12,), (4,), kernels=[Side(dilation=3)]),
    "kernel padded": Conv(1, 1, (2, 3), (12,), (3,), kernels=[Side(padding=(2, 1))]),
    "kernel flipped": Conv(1, 2, (2, 3), (12,), (4,), kernels=[Side((0, 1), 2, (1, 2), True)]),
    "kernel truncated": Conv(1, 1, (2, 3), (12,), (5,), kernels=[Side(truncation=(1, 2))]),
    "output truncated": Conv(1, 1, (2, 3), (12,), (3,), outs=[Out(truncation=(2, 3))]),
    "output truncated past padding": Conv(
        1, 1, (2, 3), (12,), (3,), [Side(padding=(1, 2))], outs=[Out(truncation=(4, 3))]
    ),
    "output strided": Conv(1, 1, (2, 3), (12,), (3,), outs=[Out((1, 0), 4)]),
    "output padded": Conv(1, 1, (2, 3), (9,), (3,), outs=[Out((0, 0), 2, (1, 2))]),
    "all of it": Conv(
        2,
        2,
        (3, 2),
        (8, 9),
        (4, 5),
        [Side((1, 0), 2, (2, 3), True), Side((0, 2), 3, (1, 0))],
        [Side((1, 0), 2, (0, 1)), Side((0, 1), 1, (1, 2), True)],
        [Out((1, 2), 2, (0, 1)), Out((0, 3), 3, (2, 0))],
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    check_passes(TRANSFORMS[name], 2, 1e-11, 1e-12, dtype=np.float64)
    check_passes(TRANSFORMS[name], 1, 1e-4, 1e-5, dtype=np.float32)


@pytest.mark.parametrize("name", ["3x3", "grouped"])
def test_halves(name):
    check_passes(conv_of(*RUNTIME_CASES[name]), 2, 2e-3, 2e-3, dtype=np.float16)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_canonical_parameters_say_the_same(name):
    conv = TRANSFORMS[name]
    params = params_of(conv, poplar.DOUBLE)
    canonical = params.canonicalize()
    assert canonical.getOutputFieldShape() == params.getOutputFieldShape()
    assert canonical.canonicalize() == canonical
    x, w = conv.operands()

    def build(graph, prog, x, w):
        return [poplin.convolution(graph, x, w, canonical, False, prog)]

    (y,) = run({"x": x, "w": w}, build)
    np.testing.assert_allclose(y, conv.forward(x, w), rtol=1e-11, atol=1e-12)


def test_equal_convolutions_are_equal_when_canonical():
    padded = params_of(Conv(1, 1, (2, 3), (9,), (3,), [Side(padding=(2, 0))], outs=[Out((1, 0))]))
    plain = params_of(Conv(1, 1, (2, 3), (9,), (3,), [Side(padding=(1, 0))]))
    assert padded != plain
    assert padded.canonicalize() == plain.canonicalize()
    assert hash(padded.canonicalize()) == hash(plain.canonicalize())


def test_gradient_of_the_gradient_is_the_convolution():
    params = params_of(conv_of(*RUNTIME_CASES["3x3"]))
    assert poplin.getGradientParams(poplin.getGradientParams(params)) == params.canonicalize()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, np.int32])
@pytest.mark.parametrize("shape", [(3, 7), (2, 6, 4), (2, 6, 3, 5), (2, 48, 50, 51)])
def test_bias(shape, dtype):
    x = (100 * np.random.default_rng(1).uniform(-1, 1, shape)).astype(dtype)
    bias = np.linspace(-30, 70, shape[1]).astype(dtype)

    def build(graph, prog, x, bias):
        poplin.addBias(graph, x, bias, prog, "bias")
        with pytest.raises(errors.poplibs_exception, match=r"addBias: .*biases \[channels\]"):
            poplin.addBias(graph, x, bias.slice(1, shape[1]), prog)
        return [x]

    (y,) = run({"x": x, "bias": bias}, build)
    np.testing.assert_array_equal(y, x + bias.reshape(-1, *[1] * (len(shape) - 2)))


def test_flops_count_no_padding():
    conv = Conv(2, 3, (4, 5), (6,), (3,), [Side(padding=(1, 1))])
    # 6 output points of 3 taps, less the two that meet padding.
    assert poplin.getFwdFlops(params_of(conv)) == 2 * 2 * 3 * 4 * 5 * (6 * 3 - 2)


@pytest.mark.parametrize("seed", range(60))
def test_flops_are_those_of_ones(seed):
    """A convolution of ones with ones counts the products that are of none of its zeros."""
    rng = np.random.default_rng(seed)
    number = lambda low, high: int(rng.integers(low, high))  # noqa: E731
    side = lambda: Side((0, number(0, 2)), number(1, 4))  # noqa: E731
    conv = Conv(1, 1, (2, 1), (number(6, 12),), (number(2, 5),), [side()], [side()])
    conv.inputs[0].padding = (number(0, 9), number(12, 24))
    conv.kernels[0].padding = (number(0, 4), number(0, 4))
    conv.outs = [Out(stride=number(1, 5))]
    x, w = np.ones((1, 2, *conv.field)), np.ones((1, 1, 2, *conv.kernel))
    assert poplin.getFwdFlops(params_of(conv)) == 2 * conv.forward(x, w).sum()


@pytest.mark.timeout(20)
def test_flops_of_huge_fields_take_no_time():
    n = 2**32 - 1
    params = poplin.ConvParams(poplar.FLOAT, 2, [n], [3], 5, 1, 8)
    assert poplin.getFwdFlops(params) == 2 * 2 * 5 * 8 * 3 * (n - 2)
    params = poplin.ConvParams(poplar.FLOAT, 1, [n], [2**31], 1, 1, 1)
    assert poplin.getFwdFlops(params) == 2 * 2**31 * (n - 2**31 + 1)
    params.batchSize = 64  # more than 64 bits hold
    assert poplin.getFwdFlops(params) == 2**64 - 1


def test_allocators_give_the_shapes_of_the_parameters():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    params = params_of(conv_of(*RUNTIME_CASES["grouped"]))
    assert poplin.createInput(graph, params, "in").shape() == [2, 12, 7, 7]
    assert poplin.createWeights(graph, params, "w").shape() == [4, 2, 3, 3, 3]
    out = poplin.createConvOutput(graph, params, "out")
    assert out.shape() == [2, 8, 7, 7]
    assert poplin.createBiases(graph, out).shape() == [8]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": [Side(truncation=(5, 4))]}, "truncates dimension 0 of \\[9\\] by 5 and 4"),
        ({"inputs": [Side(dilation=0)]}, "inputTransform.dilation is \\[0\\], expected at least 1"),
        ({"kernels": [Side(dilation=5)]}, "kernel has 11 elements, the transformed input 9"),
        ({"outs": [Out((3, 4))]}, "outputTransform truncates dimension 0 by 3 and 4.* of 7"),
        ({"outs": [Out(), Out()]}, "truncationLower is \\[0, 0\\], expected 1 entries"),
        ({"kernel": (3, 3)}, "kernelShape is \\[3, 3\\], expected 1 entries"),
        ({"groups": 0}, "numConvGroups is 0"),
    ],
)
def test_parameters_that_make_no_convolution(change, message):
    conv = Conv(
        **{"batch": 1, "groups": 1, "channels": (2, 3), "field": (9,), "kernel": (3,)} | change
    )
    with pytest.raises(errors.poplibs_exception, match=f"poplin::ConvParams: .*{message}"):
        params_of(conv)


@pytest.mark.parametrize("name", ["InputTransform", "OutputTransform"])
def test_a_transform_of_more_dimensions_than_there_are(name):
    make = getattr(poplin.ConvParams, name)
    assert len(make(3).paddingLower) == 3
    with pytest.raises(errors.poplibs_exception, match=f"{2**31} field dimensions.* at most 3"):
        make(2**31)


def test_operands_that_do_not_fit():
    graph, prog = poplar.Graph(poplar.Target.createCPUTarget()), poplar.program.Sequence()
    params = params_of(Conv(1, 1, (2, 3), (9,), (3,)))
    x, w = poplin.createInput(graph, params), poplin.createWeights(graph, params)

    def refused(message, *args, **kwargs):
        with pytest.raises(errors.poplibs_exception, match=message):
            poplin.convolution(graph, *args, prog, **kwargs)

    refused(
        r"the input is float \[1, 2, 8\], the parameters say float \[1, 2, 9\]",
        x.slice(0, 8, 2), w, params, False,
    )  # fmt: skip
    refused(r"the weights is float \[1, 3, 2, 3\].*say float \[1, 2, 3, 3\]", x, w, params, True)
    with pytest.raises(errors.poplar_invalid_option, match="no option 'partial'"):
        poplin.convolution(graph, x, w, params, False, prog, options={"partial": "half"})
    refused(
        "float, half, bfloat16 or double, or quarter .*; got int to int",
        x,
        w,
        params_of(Conv(1, 1, (2, 3), (9,), (3,)), poplar.INT),
        False,
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_are_kept_between_convolutions(threads):
    first = Conv(2, 1, (3, 32), (9, 9), (3, 3), [Side(padding=(1, 1))] * 2)
    second = Conv(2, 1, (32, 16), (9, 9), (3, 3), [Side(padding=(1, 1))] * 2)
    x, w1 = (a.astype(np.float32) for a in first.operands())
    _, w2 = (a.astype(np.float32) for a in second.operands())
    leaky = pe.Select(pe.Mul(pe.Const(0.1), pe._1), pe._1, pe.Lt(pe._1, pe.Const(0.0)))
    plans = []

    def build(graph, prog, x, w1, w2):
        y = poplin.convolution(graph, x, w1, params_of(first), False, prog, "first")
        poplin.addBias(graph, y, graph_constant(graph, np.arange(32, dtype=np.float32)), prog)
        z = popops.map(graph, leaky, [y], prog)
        return [poplin.convolution(graph, z, w2, params_of(second), False, prog, "second")]

    (result,) = run({"x": x, "w1": w1, "w2": w2}, build, threads, plans=plans, fuse=False)
    y = first.forward(x, w1) + np.arange(32).reshape(32, 1, 1)
    expected = second.forward(np.where(y < 0, np.float32(0.1) * y, y), w2)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    isa = poplin.contraction.isa()
    if isa != "base" and "onednn" in poplin.contraction.sources():
        block = {"avx512": "/c16", "avx2": "/c8"}[isa]
        lines = plans[0].splitlines()
        (written,) = [line for line in lines if line.strip().startswith("conv first")]
        (read,) = [line for line in lines if line.strip().startswith("conv second")]
        assert f"[2,32,9,9]{block}" in written
        assert f"[2,32,9,9]{block}" in read
        assert "gather" not in plans[0]


@pytest.mark.parametrize(
    ("kernel", "stride", "dilation", "pads", "widens"),
    [
        (3, 2, 1, [0, 0], True),  # the last window ends with the slice
        (4, 2, 1, [1, 0], True),
        (3, 2, 1, [1, 1], False),  # it ends in the padding, where the further element lies
        (3, 3, 1, [0, 2], False),
        (1, 2, 1, [0, 0], True),
    ],
)
def test_a_slice_of_a_field_is_read_as_a_whole_only_where_no_window_reads_more(
    kernel: int, stride: int, dilation: int, pads: list[int], widens: bool
) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((1, 2, 8)).astype(np.float32)
    w = rng.standard_normal((3, 2, kernel)).astype(np.float32)
    attributes = {"strides": [stride], "dilations": [dilation], "pads": pads}
    nodes = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node("Slice", ["n", "begin", "end", "axis"], ["t"]),
        helper.make_node("Conv", ["t", "w"], ["y"], **attributes),
    ]
    constants = {"begin": [0], "end": [7], "axis": [2]}
    initializers = [numpy_helper.from_array(np.int64(v), k) for k, v in constants.items()]
    initializers.append(numpy_helper.from_array(w, "w"))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", 1, x.shape)],
        [helper.make_tensor_value_info("y", 1, None)],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    device = popir.DeviceManager().createCpuDevice()
    flow = popir.DataFlow(1, ["y"])
    session = popir.InferenceSession(model.SerializeToString(), flow, device)
    session.prepareDevice()
    found = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, found))
    expected = onnx_conv("Conv", -x[:, :, :7], w, **attributes)
    np.testing.assert_allclose(found["y"], expected, rtol=1e-5, atol=1e-6)
    assert ("used as a whole" in session.planText()) == widens


def test_convolution_into_its_input():
    """The input is read before the result is written; PyTorch's result."""
    x = np.random.default_rng(1).standard_normal((2, 16, 40)).astype("float32")
    w = np.random.default_rng(2).standard_normal((16, 16, 3)).astype("float32")
    params = poplin.ConvParams(poplar.FLOAT, 2, [40], [3], 16, 16, 1)
    params.inputTransform.paddingLower = [1]
    params.inputTransform.paddingUpper = [1]

    def build(graph, prog, x, w):
        w = w.expand([0])
        poplin.convolutionWithOutput(graph, x, w, x, params, False, prog)
        return [x]

    (y,) = run({"x": x, "w": w}, build)
    expected = torch.nn.functional.conv1d(torch.tensor(x), torch.tensor(w), padding=1).numpy()
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)
