"""TPC kernels by their GUIDs: libraries, glue code, parameters, tables, and what goes wrong."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import custom_ops
from popir.errors import (
    LibraryBuildError,
    LibraryLoadError,
    OperatorAttributeError,
    OperatorInputError,
    PopirError,
    UnknownOperatorError,
)
from popir.foreign.habana import libraries
from popir.testing import gradcheck
from tests.foreign.habana.graphs import Array, model, run, session_of
from tests.toolchain import ROOT

RNG = np.random.default_rng(7)
X = RNG.standard_normal((5, 100)).astype(np.float32)
tpc = custom_ops.tpc_kernel


def test_a_kernel_with_parameters(kernels: Path) -> None:
    (y,) = run(lambda b, x: tpc("probe_affine_f32", [x], parameters=[1.5]), X)
    np.testing.assert_array_equal(y, 2 * X + np.float32(1.5))


def test_parameters_as_bytes(kernels: Path) -> None:
    given = np.float32(-3).tobytes()
    (y,) = run(lambda b, x: tpc("probe_affine_f32", [x], parameters=given), X)
    np.testing.assert_array_equal(y, 2 * X - 3)


@pytest.mark.parametrize(
    "shape", [(1, 1), (7, 3), (3, 64), (2, 65), (300, 1000), (0, 4), (4, 0), (9,)]
)
def test_sizes(kernels: Path, shape: tuple[int, ...]) -> None:
    """Also such that the index space is shared among threads."""
    x = RNG.standard_normal(shape).astype(np.float32)
    (y,) = run(lambda b, x: tpc("probe_affine_f32", [x], parameters=[0.25]), x)
    np.testing.assert_array_equal(y, 2 * x + np.float32(0.25))


def test_outputs_of_other_shapes(kernels: Path) -> None:
    def make(b: Any, x: str) -> Any:
        return tpc("probe_fill_f32", [x], [("FLOAT", [3, 70])])

    (y,) = run(make, X)
    np.testing.assert_array_equal(y, np.full((3, 70), X[0, 0]))


def test_several_outputs(kernels: Path) -> None:
    above, below = run(lambda b, x: tpc("probe_parts_f32", [x], 2), X)
    np.testing.assert_array_equal(above, np.maximum(X, 0))
    np.testing.assert_array_equal(below, np.minimum(X, 0))


def test_an_output_that_the_loader_fills_first(kernels: Path) -> None:
    """The sum is the same in every run, whatever the number of threads."""
    x = RNG.standard_normal((1000, 200)).astype(np.float32)
    first, again = (
        run(lambda b, x: tpc("probe_sum_f32", [x], [("FLOAT", [200])]), x)[0] for _ in range(2)
    )
    np.testing.assert_allclose(first, 100 + x.sum(0), rtol=1e-4)
    np.testing.assert_array_equal(first, again)


def test_tables_of_the_glue_code(kernels: Path) -> None:
    places = np.array([3, 1, 0, 2, 9], np.int32)
    (y,) = run(lambda b, x: tpc("probe_table_f32", [x], [("FLOAT", [5])]), places)
    np.testing.assert_array_equal(y, [3.5, 1.5, 0.5, 2.5, 0])  # Nothing lies outside.


BUILT_IN = {
    "abs_fwd": np.abs,
    "add_fwd": np.add,
    "div_fwd": np.divide,
    "exp_fwd": np.exp,
    "max_fwd": np.maximum,
    "mult_fwd": np.multiply,
    "neg_fwd": np.negative,
    "relu_fwd": lambda x: np.maximum(x, 0),
    "relu6_fwd": lambda x: np.clip(x, 0, 6),
    "sigmoid_fwd": lambda x: 1 / (1 + np.exp(-x)),
    "sub_fwd": np.subtract,
    "tanh_fwd": np.tanh,
    "relu_bwd": lambda g, x: np.where(x > 0, g, 0),
    "relu6_bwd": lambda g, x: np.where((x > 0) & (x < 6), g, 0),
    "sigmoid_bwd": lambda g, y: g * y * (1 - y),
    "tanh_bwd": lambda g, y: g * (1 - y * y),
}


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(("kind", "suffix"), [("float32", "f32"), ("float16", "f16")])
def test_built_in_kernels(name: str, kind: str, suffix: str) -> None:
    reference = BUILT_IN[name]
    two = name.endswith("bwd") or (isinstance(reference, np.ufunc) and reference.nin == 2)
    feeds = [(RNG.standard_normal((4, 9)) * 4).astype(kind) for _ in range(2 if two else 1)]
    (y,) = run(lambda b, *xs: tpc(f"{name}_{suffix}", xs), *feeds)
    expected = reference(*(feed.astype(np.float64) for feed in feeds))
    np.testing.assert_allclose(y, expected, rtol=1e-5 if kind == "float32" else 4e-3, atol=1e-6)


@pytest.mark.parametrize("guid", ["exp_fwd_i32", "round_fwd_i8", "tanh_bwd_u8", "leakyrelu_u16"])
def test_a_built_in_kernel_of_floats_alone(guid: str) -> None:
    words = f"there is no TPC kernel '{guid}'.*Did you mean '{guid.partition('_')[0]}"
    with pytest.raises(UnknownOperatorError, match=words):
        run(lambda b, x: tpc(guid, [x]), X.astype(np.int32))


def test_a_built_in_kernel_broadcasts() -> None:
    row = X[:1]
    (y,) = run(lambda b, x, r: tpc("add_fwd_f32", [x, r]), X, row)
    np.testing.assert_array_equal(y, X + row)


def test_a_gradient_that_is_another_kernel() -> None:
    given = {
        "guid": "sigmoid_fwd_f32",
        "gradient": "sigmoid_bwd_f32",
        "gradient_inputs": ["grad:0", "out:0"],
    }
    gradcheck("ai.habana.TpcKernel", [X[:2, :3]], given)


FAULTS: dict[str, tuple[dict[str, Any], type[PopirError], str]] = {
    "no such kernel": (
        {"guid": "probe_afine_f32"},
        UnknownOperatorError,
        r"no TPC kernel 'probe_afine_f32', neither built in nor in the libraries of "
        r"GC_KERNEL_PATH \(.*popir_probes.so\). Did you mean 'probe_affine_f32'",
    ),
    "no parameters": (
        {"guid": "probe_affine_f32"},
        OperatorInputError,
        "TpcKernel:1.*kernel 'probe_affine_f32' of .*returns GLUE_MISSING_PRIVATE_STRUCTURE",
    ),
    "outputs": (
        {"guid": "probe_affine_f32", "outputs": 2, "parameters": [1.0]},
        OperatorInputError,
        "GLUE_INCOMPATIBLE_OUTPUT_COUNT; it takes 1 outputs, not 2",
    ),
    "output shape": (
        {"guid": "probe_affine_f32", "outputs": [("FLOAT", [5, 99])], "parameters": [1.0]},
        OperatorInputError,
        r"GLUE_INCOMPATIBLE_OUTPUT_SIZE; the shape of output 0 should be \[5,100\], and is "
        r"\[5,99\]",
    ),
    "input type": (
        {"guid": "probe_table_f32"},
        OperatorInputError,
        "GLUE_INCOMPATIBLE_DATA_TYPE; the type of input 0 is wrong",
    ),
    "a code": (
        {"guid": "probe_code_f32", "parameters": [8]},
        OperatorInputError,
        "returns GLUE_UNSUPPORTED_LAYER_CONFIGURATION",
    ),
    "a code without a name": (
        {"guid": "probe_code_f32", "parameters": [77]},
        OperatorInputError,
        "returns code 77",
    ),
    "ever larger buffers": (
        {"guid": "probe_greedy_f32"},
        OperatorInputError,
        "its glue code asks for larger buffers again and again",
    ),
    "an exception": (
        {"guid": "probe_throws_f32"},
        OperatorInputError,
        "its glue code threw: thrown by glue code",
    ),
    "no program": (
        {"guid": "probe_text_f32"},
        LibraryLoadError,
        "its library gives no program, but 11 other bytes",
    ),
    "too few tensors": (
        {"guid": "probe_short_f32"},
        OperatorInputError,
        "its program has 3 tensors; its glue code gives 2",
    ),
    "index space": (
        {"guid": "probe_wide_f32"},
        OperatorInputError,
        "an index space of 9 dimensions; there are 5",
    ),
    "program size": (
        {"guid": "probe_sizes_f32", "parameters": [1]},
        OperatorInputError,
        "'probe_sizes_f32' of .*: its glue code asks for 4000000000 bytes for its program; at most",
    ),
    "buffer size": (
        {"guid": "probe_sizes_f32", "parameters": [2]},
        OperatorInputError,
        "asks for 1152921504606846976 bytes for auxiliary tensor 0; at most 1073741824 are given",
    ),
    "auxiliary shape": (
        {"guid": "probe_sizes_f32", "parameters": [3]},
        OperatorInputError,
        r"'probe_sizes_f32' of .*: auxiliary tensor 0 of its glue code has the shape "
        r"\[1099511627776,1099511627776\], which is more than 1073741824 bytes",
    ),
    "auxiliary rank": (
        {"guid": "probe_sizes_f32", "parameters": [4]},
        OperatorInputError,
        "auxiliary tensor 0 of its glue code has 7 dimensions; there are 5",
    ),
    "auxiliary count": (
        {"guid": "probe_sizes_f32", "parameters": [5]},
        OperatorInputError,
        "its glue code gives 4000000000 auxiliary tensors; there are at most 16",
    ),
    "auxiliary type": (
        {"guid": "probe_sizes_f32", "parameters": [6]},
        OperatorInputError,
        "auxiliary tensor 0 of its glue code: there is no element type 3 on the host",
    ),
    "an empty index space": (
        {"guid": "probe_sizes_f32", "parameters": [7]},
        OperatorInputError,
        "gives an empty index space, and output 0 has elements, which nothing would write",
    ),
    "another device": (
        {"guid": "probe_affine_f32", "device": "gaudi2", "parameters": [1.0]},
        UnknownOperatorError,
        r"no TPC kernel 'probe_affine_f32' of the device gaudi2.*\. There is one of gaudi\.$",
    ),
    "negative time": (
        {"guid": "abs_fwd_f32", "time_limit_ms": -1},
        OperatorAttributeError,
        "tpc_kernel: 'time_limit_ms' is -1; it is a number of milliseconds up to",
    ),
    "long time": (
        {"guid": "abs_fwd_f32", "time_limit_ms": 2**40},
        OperatorAttributeError,
        "'time_limit_ms' is 1099511627776; it is a number of milliseconds up to 2147483647",
    ),
    "negative outputs": (
        {"guid": "abs_fwd_f32", "outputs": -1},
        OperatorAttributeError,
        "`outputs` is -1; a kernel has at least one output",
    ),
    "no outputs": (
        {"guid": "abs_fwd_f32", "outputs": []},
        OperatorAttributeError,
        r"`outputs` is \[\]; a kernel has at least one output",
    ),
    "no library": (
        {"guid": "none_f32", "library": "/none/libnone.so"},
        LibraryLoadError,
        r"^ai\.habana\.TpcKernel:1.*The kernel library '/none/libnone\.so' cannot be read",
    ),
    "no device": (
        {"guid": "abs_fwd_f32", "device": "gaudi7"},
        OperatorAttributeError,
        "'gaudi7' is no device with TPCs; there are gaudi, gaudi2, gaudi3",
    ),
    "built-in type": (
        {"guid": "abs_fwd_bf16"},
        OperatorInputError,
        "the built-in kernel 'abs_fwd_bf16' is for tensors of BFLOAT16; given was one of FLOAT",
    ),
    "built-in parameters": (
        {"guid": "abs_fwd_f32", "parameters": [1]},
        OperatorInputError,
        "'abs_fwd_f32' takes no parameters; given were 4 bytes",
    ),
    "built-in shape": (
        {"guid": "abs_fwd_f32", "outputs": [("FLOAT", [3])]},
        OperatorInputError,
        r"gives \[5, 100\] for inputs of \[5, 100\]; its output is defined as \[3\]",
    ),
    "dynamic": (
        {"guid": "abs_fwd_f32", "outputs": [("FLOAT", [-1])]},
        OperatorAttributeError,
        "Sizes that depend on data are not supported",
    ),
    "gradient input": (
        {"guid": "abs_fwd_f32", "gradient": "abs_bwd_f32", "gradient_inputs": ["dy"]},
        OperatorAttributeError,
        "'dy' is no input of a gradient; write 'grad:N'",
    ),
    "gradient index": (
        {"guid": "abs_fwd_f32", "gradient": "abs_bwd_f32", "gradient_inputs": ["in:3"]},
        OperatorAttributeError,
        "its gradient reads 'in:3', which the operator does not have",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(kernels: Path, name: str) -> None:
    given, error, words = FAULTS[name]
    with pytest.raises(error, match=words):
        run(lambda b, x: tpc(inputs=[x], **given), X)


def test_a_kernel_without_inputs_and_shapes() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    with pytest.raises(OperatorAttributeError, match="give `outputs` as types and shapes"):
        tpc("abs_fwd_f32", [], builder=builder)
    out = builder.customOp("TpcKernel", 1, "ai.habana", [], {"guid": "abs_fwd_f32"}, 1)
    builder.addOutputTensor(out[0])
    with pytest.raises(OperatorAttributeError, match="give the types and shapes of its outputs"):
        session_of(builder.getModelProto(), [out[0]])


def test_a_library_that_lists_too_many_kernels(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POPIR_PROBE_GUIDS", "1")
    words = r"the kernel library '.*popir_probes\.so' says that it has 4000000000 kernels; at most"
    with pytest.raises(OperatorInputError, match=words):
        run(lambda b, x: tpc("probe_affine_f32", [x]), X)


@pytest.mark.parametrize("operands", [(5, 0), (-(2**31), -1)])
def test_a_division_without_a_result(kernels: Path, operands: tuple[int, int]) -> None:
    """It ends the run, not the process, and the next run is a good one."""
    x = np.ones((1, 4), np.float32)
    with pytest.raises(PopirError, match=r"'probe_divide_f32': it divides an integer by zero, or"):
        run(lambda b, x: tpc("probe_divide_f32", [x], parameters=operands), x)
    (y,) = run(lambda b, x: tpc("probe_divide_f32", [x], parameters=[17, 5]), x)
    np.testing.assert_array_equal(y, x * 3 + 2)


def test_a_signal_of_others_still_ends_the_process(kernels: Path) -> None:
    script = """
import os, signal
import numpy as np
from popir import custom_ops
from tests.foreign.habana.graphs import run
make = lambda b, x: custom_ops.tpc_kernel("probe_divide_f32", [x], parameters=[17, 5])
print(run(make, np.ones((1, 1), np.float32))[0].item(), flush=True)
os.kill(os.getpid(), signal.SIGFPE)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout.strip()) == (-signal.SIGFPE, "5.0"), done.stderr


def test_a_type_that_tpcs_do_not_have(kernels: Path) -> None:
    with pytest.raises(OperatorInputError, match=r"no tensors of DOUBLE.*Convert it by Cast"):
        run(lambda b, x: tpc("probe_fill_f32", [x]), X.astype(np.float64))


def test_a_tensor_of_six_dimensions(kernels: Path) -> None:
    with pytest.raises(OperatorInputError, match="rank 6; TPC kernels have tensors of rank 1 to 5"):
        run(lambda b, x: tpc("probe_fill_f32", [x]), X.reshape(1, 1, 1, 1, 5, 100))


def test_a_kernel_that_fails_in_a_run(kernels: Path) -> None:
    words = "the TPC kernel 'probe_fails_f32': it looks up table 1 of the hardware"
    with pytest.raises(PopirError, match=words):
        run(lambda b, x: tpc("probe_fails_f32", [x], name="f"), X)


@pytest.mark.parametrize("size", [8, 128])
def test_a_kernel_that_stores_to_an_input(kernels: Path, size: int) -> None:
    """Others read it: operators, and the caller, whose array it may be."""
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [size]))
    y = custom_ops.tpc_kernel("probe_stores_f32", [x])
    array = np.zeros(size, np.float32)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    io = popir.PyStepIO({x: array}, session.initAnchorArrays())
    with pytest.raises(popir.PopirError, match="it stores to tensor 0, which is an input"):
        session.run(io)
    assert not array.any()


def test_a_kernel_that_never_returns(kernels: Path) -> None:
    x = np.ones((1, 4), np.float32)
    with pytest.raises(PopirError, match=r"probe_slow_f32.*has not returned within 200 ms"):
        run(lambda b, x: tpc("probe_slow_f32", [x], time_limit_ms=200), x)
    (y,) = run(lambda b, x: tpc("probe_slow_f32", [x], time_limit_ms=2000), -x)
    np.testing.assert_array_equal(y, -x)


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GC_KERNEL_PATH", "/none/libnone.so")
    with pytest.raises(LibraryLoadError, match=r"'/none/libnone\.so' cannot be read"):
        run(lambda b, x: tpc("probe_affine_f32", [x]), X)


def test_a_library_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "lib.so"
    file.write_text("text")
    with pytest.raises(LibraryLoadError, match=re.escape(str(file))):
        custom_ops.load_kernel_library(file)
    with pytest.raises(LibraryLoadError, match="has no symbol 'GetKernelGuids'"):
        custom_ops.load_kernel_library(next(Path("/lib/x86_64-linux-gnu").glob("libm.so.6")))


def test_loading_without_the_variable(probes: Path, tmp_path: Path) -> None:
    copy = tmp_path / "libcopy.so"
    shutil.copyfile(probes, copy)
    assert "probe_affine_f32" in custom_ops.load_kernel_library(copy)
    (y,) = run(lambda b, x: tpc("probe_affine_f32", [x], parameters=[0.0]), X)
    np.testing.assert_array_equal(y, 2 * X)
    os.unlink(copy)
    libraries._added.pop(str(copy))


# popir tpcc.


def test_what_tpcc_does_not_compile(tmp_path: Path) -> None:
    source = tmp_path / "k.c"
    source.write_text("void main(tensor x) { v_f32_frobnicate_b(x); }\n")
    with pytest.raises(LibraryBuildError, match="v_f32_frobnicate_b"):
        custom_ops.compile_kernel(source)
    with pytest.raises(LibraryBuildError, match="needs glue code"):
        custom_ops.build_kernel_library([source])
    with pytest.raises(LibraryBuildError, match="is no device with TPCs"):
        custom_ops.compile_kernel(source, "goya")
    with pytest.raises(LibraryBuildError, match="There is no file"):
        custom_ops.compile_kernel(tmp_path / "none.c")
    with pytest.raises(LibraryBuildError, match=r"is not a TPC-C kernel: its name ends in none of"):
        custom_ops.compile_kernel(tmp_path / "none.cpp")


def _chain(options: popir.SessionOptions) -> list[Array]:
    """The result of a chain of repeated blocks that differ in parameters, and the trained
    weight.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [6, 6], "x")
    t = builder.aiOnnx.mul([x, builder.addInitializedInputTensor(np.ones((6, 6), np.float32), "w")])
    for i in range(8):
        alpha = [0.5 * i]
        # As a gradient it is wrong on purpose: it depends on the parameters.
        t = tpc(
            "probe_affine_f32",
            [t],
            parameters=alpha,
            gradient="probe_affine_f32",
            gradient_inputs=["grad:0"],
        )
        t = builder.aiOnnx.softmax([builder.aiOnnx.tanh([t])])
    loss = builder.aiGraphcore.l1loss([t], 0.1)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [t, "Gradient___w"]),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: np.arange(36, dtype=np.float32).reshape(6, 6) / 36}, anchors))
    return [anchors[t], anchors["Gradient___w"]]


def test_outlining_keeps_parameters_apart(kernels: Path) -> None:
    plain, outlined = popir.SessionOptions(), popir.SessionOptions()
    plain.enableOutlining = False
    outlined.enableOutlining = True
    outlined.outlineThreshold = -1.0
    for a, b in zip(_chain(plain), _chain(outlined), strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_executable_is_not_saved(kernels: Path, tmp_path: Path) -> None:
    proto, outputs = model(lambda b, x: tpc("probe_fill_f32", [x]), X)
    session = session_of(proto, outputs)
    with pytest.raises(PopirError, match="TpcKernel:1 calls a kernel of this process in each run"):
        session.saveExecutable(str(tmp_path / "e.popef"))
    assert not (tmp_path / "e.popef").exists()


def test_an_executable_is_not_cached(kernels: Path, tmp_path: Path) -> None:
    proto, outputs = model(lambda b, x: tpc("probe_fill_f32", [x]), X)
    options = popir.SessionOptions()
    options.enableEngineCaching = True
    options.cachePath = str(tmp_path / "cache")
    device = popir.DeviceManager().createCpuDevice()
    for _ in range(2):
        session = popir.InferenceSession(
            proto, popir.DataFlow(1, outputs), device, userOptions=options
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({"x0": X}, anchors))
        np.testing.assert_array_equal(anchors[outputs[0]], np.full(X.shape, X[0, 0]))


def test_a_model_alone_loads_no_kernels(
    probes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that a node names is loaded by the user, or it is not used."""
    monkeypatch.setattr(libraries, "_added", {})
    library = tmp_path / "others.so"
    library.write_bytes(probes.read_bytes())

    def make(b: popir.Builder, x: str) -> Any:
        given = {"guid": "probe_fill_f32", "library": str(library)}
        return b.customOp("TpcKernel", 1, "ai.habana", [x], given, 1)[0]

    words = r"others\.so', which the model names, is not loaded.*a model alone loads no library"
    with pytest.raises(LibraryLoadError, match=words):
        run(make, X)
    loaded = popir.load_op_library(library)
    assert "probe_fill_f32" in loaded.functions and not loaded.operators
    (y,) = run(make, X)
    assert y.shape == X.shape
