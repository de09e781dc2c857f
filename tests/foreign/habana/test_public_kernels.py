"""The kernels of HabanaAI/Habana_Custom_Kernel, unmodified, from a checkout outside of the project.

POPIR_HABANA_CUSTOM_KERNEL names the checkout; without it these tests are skipped. Its own tests run
with `tpc_test_core` in place of Habana's simulator. Kernels that they leave out run as operators.
"""

import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir import custom_ops
from popir.foreign.habana.tpcc import include
from tests.foreign.habana.graphs import run
from tests.toolchain import CXX

CHECKOUT = Path(os.environ.get("POPIR_HABANA_CUSTOM_KERNEL", "/none"))
HERE = Path(__file__).parent
pytestmark = [
    pytest.mark.skipif(
        not CHECKOUT.is_dir(),
        reason="POPIR_HABANA_CUSTOM_KERNEL names no checkout of HabanaAI/Habana_Custom_Kernel",
    ),
    pytest.mark.timeout(900),
]
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(5)
tpc = custom_ops.tpc_kernel

PROGRAMS = (
    "FilterFwd2DBF16Test SoftMaxBF16Test CastGaudiTest BatchNormF32Test LeakyReluF32GaudiTest "
    "SparseLengthsBF16Test CustomdivFwdF32Test Relu6FwdF32 Relu6BwdF32 Relu6FwdBF16 Relu6BwdBF16 "
    "ReluFwdF32 ReluBwdF32 ReluFwdBF16 ReluBwdBF16 MatrixMulFwdF32Test SpatialConvF32Test "
    "SinF32Test AddF32Test AvgPool2DFwdF32Test AvgPool2DBwdF32Test SearchSortedFwdF32Test "
    "GatherFwdDim0I32Test KLDivFwdF32 CastF16toI16Gaudi2Test SoftMaxBF16Gaudi2Test "
    "UserLutGaudi2Test MambaPscanGaudi3F32Test MambaPscanGaudi3BF16Test "
    "MambaPscanUpdateGaudi3F32Test MambaPscanUpdateGaudi3BF16Test"
).split()
"""The repository's tests that pass; the two of AvgPool for Gaudi2 do not (see below)."""


@pytest.fixture(scope="module")
def public() -> Path:
    """The library of all kernels."""
    flags = [f"-I{CHECKOUT}/kernels/include"]
    flags += [f"-I{CHECKOUT}/src/{d}" for d in ("", "gaudi_src", "gaudi2_src", "gaudi3_src")]
    kernels = sorted(CHECKOUT.glob("kernels/gaudi*/*.c"))
    assert len(kernels) == 45
    glue = sorted([*CHECKOUT.glob("src/*.cpp"), *CHECKOUT.glob("src/*/*.cpp")])
    name = "custom_tpc_perf_lib"
    return custom_ops.build_kernel_library([*kernels, *glue], name, flags=flags).library


@pytest.fixture(scope="module")
def program(public: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the repository's tests."""
    folder = tmp_path_factory.mktemp("public")
    tests, src = CHECKOUT / "tests", CHECKOUT / "src"
    folders = [HERE / "tpc_test_core", include(), tests, src]
    for device in ("gaudi", "gaudi2", "gaudi3"):
        folders += [tests / f"{device}_test", src / f"{device}_src"]
    flags = ["-std=c++17", "-O1", "-w", "-fno-strict-aliasing", *(f"-I{each}" for each in folders)]
    sources = sorted([*tests.glob("*.cpp"), *tests.glob("*/*.cpp")])

    def compile_one(source: Path) -> str:
        made = str(folder / f"{source.stem}.o")
        subprocess.run([CXX, *flags, "-c", str(source), "-o", made], check=True)
        return made

    with ThreadPoolExecutor(2) as pool:
        objects = [*pool.map(compile_one, sources)]
    made = folder / "tests"
    link = [*objects, str(public), f"-Wl,-rpath,{public.parent}", "-ldl", "-o", str(made)]
    subprocess.run([CXX, *link], check=True)
    return made


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_the_repository(program: Path, name: str) -> None:
    done = subprocess.run([str(program), "-t", name], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]


def _floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def _bfloats(*shape: int) -> Array:
    import ml_dtypes

    return _floats(*shape).astype(ml_dtypes.bfloat16)


def _pooled(x: Array) -> Array:
    """Means of 3 by 3 windows with a border of zeros that counts."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shape = (x.shape[1] - 2, x.shape[2] - 2)
    parts = [padded[:, i : i + shape[0], j : j + shape[1]] for i in range(3) for j in range(3)]
    return np.sum(parts, 0) / 9


def _spread(g: Array) -> Array:
    """The gradient of such means, by the number of elements of a window that are inside."""
    h, w = g.shape[1] + 2, g.shape[2] + 2
    found = np.zeros((g.shape[0], h, w, g.shape[3]), np.float32)
    for i in range(g.shape[1]):
        for j in range(g.shape[2]):
            rows = slice(max(i - 1, 0), min(i + 2, h))
            columns = slice(max(j - 1, 0), min(j + 2, w))
            inside = (rows.stop - rows.start) * (columns.stop - columns.start)
            found[:, rows, columns] += g[:, i : i + 1, j : j + 1] / inside
    return found


SHAPE = (1, 2, 3, 5, 100)
POOL = [1, 1, 3, 3, 1, 1, 1, 1, 1, 8, 1 / 8]
"""Padding, kernel, strides, dilations, whether padding counts, and the number of TPCs."""
Row = tuple[list[Array], dict[str, Any], Callable[..., Array]]
ROWS: dict[str, Row] = {
    "custom_add_f32_gaudi2": ([_floats(*SHAPE), _floats(*SHAPE)], {}, np.add),
    "custom_relu_fwd_f32_gaudi2": ([_floats(*SHAPE)], {}, lambda x: np.maximum(x, 0)),
    "custom_relu_fwd_bf16_gaudi2": ([_bfloats(*SHAPE)], {}, lambda x: np.maximum(x, 0)),
    "custom_relu_bwd_f32_gaudi2": (
        [_floats(*SHAPE), _floats(*SHAPE)],
        {},
        lambda g, x: np.where(x > 0, g, 0),
    ),
    "custom_relu_bwd_bf16_gaudi2": (
        [_bfloats(*SHAPE), _bfloats(*SHAPE)],
        {},
        lambda g, x: np.where(x > 0, g, 0),
    ),
    "custom_gather_fwd_dim1_i32": (
        [
            RNG.integers(0, 1000, SHAPE).astype(np.int32),
            RNG.integers(0, 5, SHAPE).astype(np.int32),
        ],
        {"parameters": [1]},
        lambda x, i: np.take_along_axis(x, i, 3),
    ),
    "custom_kl_div_bwd_f32": (
        [_floats(1, 1, 2, 6, 64), np.abs(_floats(1, 1, 2, 6, 64)), np.float32([0.5])],
        {"parameters": [0.25, 0], "outputs": [("FLOAT", [1, 1, 2, 6, 64])]},
        lambda x, y, g: -y * np.float32(0.125),
    ),
    "custom_kl_div_fwd_f32_gaudi2": (
        [_floats(1, 1, 2, 6, 64), np.abs(_floats(1, 1, 2, 6, 64))],
        {"parameters": [1.0, 0], "outputs": [("FLOAT", [1])]},
        lambda x, y: np.sum(y * (np.log(y) - x), dtype=np.float64).reshape(1),
    ),
    # The kernel divides the batch by the number of TPCs, and computes nothing for a smaller batch
    # than that, such as the 5 of the repository's own test.
    "custom_avg_pool_2d_fwd_f32_gaudi2": (
        [_floats(8, 5, 5, 100), np.int32([8])],
        {"parameters": POOL, "outputs": [("FLOAT", [8, 3, 3, 100])]},
        lambda x, n: _pooled(x),
    ),
    "custom_avg_pool_2d_bwd_f32_gaudi2": (
        [_floats(8, 5, 5, 100), np.int32([8])],
        {"parameters": POOL, "outputs": [("FLOAT", [8, 7, 7, 100])]},
        lambda g, n: _spread(g),
    ),
}


@pytest.mark.parametrize("guid", ROWS)
def test_as_an_operator(public: Path, monkeypatch: pytest.MonkeyPatch, guid: str) -> None:
    monkeypatch.setenv("GC_KERNEL_PATH", str(public))
    feeds, given, reference = ROWS[guid]
    (y,) = run(lambda b, *xs: tpc(guid, xs, **given), *feeds)
    expected = np.asarray(reference(*feeds)).astype(np.float64)
    np.testing.assert_allclose(y.astype(np.float64), expected, rtol=1e-5, atol=1e-5)


def test_a_kernel_that_prints(capfd: pytest.CaptureFixture[str]) -> None:
    """printf_test.c, which no glue code lists."""
    import ctypes

    object_ = custom_ops.compile_kernel(CHECKOUT / "kernels" / "gaudi" / "printf_test.c")

    class Tensor(ctypes.Structure):
        _fields_ = (
            ("data", ctypes.c_void_p),
            ("rank", ctypes.c_uint32),
            ("element", ctypes.c_uint32),
            ("sizes", ctypes.c_uint64 * 5),
            ("strides", ctypes.c_uint64 * 5),
            ("pad", ctypes.c_uint32),
        )

    class Call(ctypes.Structure):
        _fields_ = (
            ("tensors", ctypes.POINTER(Tensor)),
            ("tensor_count", ctypes.c_uint32),
            ("scalar_count", ctypes.c_uint32),
            ("scalars", ctypes.POINTER(ctypes.c_uint32)),
            ("offset", ctypes.c_int32 * 5),
            ("size", ctypes.c_int32 * 5),
        )

    x = np.arange(64, dtype=np.float32)
    tensor = Tensor(x.ctypes.data, 1, 4, (64, 1, 1, 1, 1), (1, 0, 0, 0, 0), 0)
    words = (ctypes.c_uint32 * 32)(7, int(np.float32(2.5).view(np.uint32)), 3)
    call = Call(ctypes.pointer(tensor), 1, 32, words, (0,) * 5, (1,) * 5)
    run_kernel = ctypes.CDLL(str(object_)).popir_tpc_run
    run_kernel.restype = ctypes.c_char_p
    assert run_kernel(ctypes.byref(call)) is None
    ctypes.CDLL(None).fflush(None)
    said = capfd.readouterr().out
    assert "int value is 7" in said
    assert "float value is 2.5" in said
    assert "value in vector is 3.0" in said
