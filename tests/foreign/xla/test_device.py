"""Custom calls on the platform CUDA: a simulated stream, and kernels from .cu files."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import popir
from popir import custom_ops
from popir.foreign.xla.cuda import as_cpp
from tests.foreign.xla.models import Array, call, run

pytestmark = pytest.mark.usefixtures("device")


def gpu(target: str, values: Any, result: Any, *operands: Any, **options: Any) -> list[Array]:
    return call(target, values, result, *operands, platform="CUDA", **options)


RANDOM = np.random.default_rng(0)


class TestCalls:
    @pytest.mark.parametrize("platform", ["CUDA", "ROCM", "gpu", "rocm", "cuda"])
    def test_kernel(self, platform: str) -> None:
        a, b = (RANDOM.standard_normal(n).astype(np.float32) for n in (128, 2048))
        (y,) = call("gpu_add", [a, b], "f32[2048]", platform=platform)
        np.testing.assert_array_equal(y, np.tile(a, 16) + b)

    def test_threads_that_wait_for_one_another(self) -> None:
        x = RANDOM.standard_normal(500).astype(np.float32)
        (y,) = gpu("gpu_sums", [x], "f32[4]", api_version=2)
        np.testing.assert_allclose(y, np.pad(x, (0, 12)).reshape(4, 128).sum(1), rtol=1e-5)

    def test_three_dimensions(self) -> None:
        builder = popir.Builder()
        y = custom_ops.custom_call("gpu_places", [], "s32[96]", platform="CUDA", builder=builder)
        builder.addOutputTensor(y)
        (found,) = run(builder.getModelProto(), {}, [y])
        expected = [
            100000 * bz + 10000 * by + 1000 * bx + 100 * tz + 10 * ty + tx
            for bz in range(2)
            for by in range(3)
            for bx in range(2)
            for tz in range(2)
            for ty in range(2)
            for tx in range(2)
        ]
        np.testing.assert_array_equal(found, expected)

    def test_flat_list_of_leaves(self) -> None:
        """Operands (f32[128], (f32[256]), (f32[1024], f32[8])): leaves in pre-order, then those of
        the result.
        """
        values = [RANDOM.standard_normal(n).astype(np.float32) for n in (128, 256, 1024, 8)]
        shape = "((f32[8], f32[128]), f32[256], (f32[1024]))"
        given = [[0], [1], [2, 3]]
        found = gpu(
            "gpu_sub_buffers", values, shape, [given[0][0], given[1], given[2]], opaque="3012"
        )
        for y, at in zip(found, (3, 0, 1, 2), strict=True):
            np.testing.assert_array_equal(y, values[at])

    @pytest.mark.parametrize("opaque", [b"abc\0def", b"", b"\xff\0"])
    def test_opaque(self, opaque: bytes) -> None:
        builder = popir.Builder()
        options: Any = {"platform": "CUDA", "opaque": opaque, "builder": builder}
        y = custom_ops.custom_call("gpu_opaque", [], "s32[16]", **options)
        builder.addOutputTensor(y)
        (found,) = run(builder.getModelProto(), {}, [y])
        assert bytes(found[1 : 1 + found[0]].astype(np.uint8)) == opaque

    def test_work_is_done_later(self) -> None:
        """The stream is a queue: a result is there after waiting, and at the end of the call."""
        builder = popir.Builder()
        made = custom_ops.custom_call(
            "gpu_is_later", [], "s32[4]", platform="CUDA", builder=builder
        )
        builder.addOutputTensor(made)
        (found,) = run(builder.getModelProto(), {}, [made])
        np.testing.assert_array_equal(found, [0, 1, 0, 0])

    def test_a_template_with_deduced_arguments(self) -> None:
        x = RANDOM.standard_normal(7).astype(np.float32)
        np.testing.assert_array_equal(gpu("gpu_scaled", [x], "f32[7]")[0], x * np.float32(2.5))

    def test_elements_of_16_bits_and_short_vectors(self) -> None:
        """Products are rounded to nearest even; NaN and infinities stay."""
        x = np.array([1.0078125, np.nan, 3e38, -1.5], ml_dtypes.bfloat16)
        h = np.array([1.00390625, 2, 60000, 1e-7], np.float16)
        f = RANDOM.standard_normal((4, 4)).astype(np.float32)
        result = "(bf16[4], f16[4], f32[4,4], s32[2])"
        y, z, g, claimed = gpu("gpu_small_floats", [x, h, f], result)
        with np.errstate(over="ignore"):
            product = x.astype(np.float32) * h.astype(np.float32)
        expected = product.astype(ml_dtypes.bfloat16).astype(np.float32)
        np.testing.assert_array_equal(y.astype(np.float32), expected)
        np.testing.assert_array_equal(z, h + np.float16(1))
        np.testing.assert_array_equal(g, f[:, ::-1])
        np.testing.assert_array_equal(claimed, [1, -6])

    def test_memory_of_the_device(self) -> None:
        x = RANDOM.integers(0, 8, 100).astype(np.int32)
        (y,) = gpu("gpu_histogram", [x], "s32[8]")
        np.testing.assert_array_equal(y, np.bincount(x, minlength=8))

    @pytest.mark.parametrize(
        ("operands", "result", "pattern"),
        [
            ("t", "s32[2]", "tr"),
            ("tt", "s32[3]", "ttr"),
            ("xt", "s32[3]", "xtr"),
            ("x", "(s32[3], token[])", "xrt"),
            ("tx", "(token[], s32[4])", "txtr"),
        ],
    )
    def test_tokens_are_null(self, operands: str, result: str, pattern: str) -> None:
        builder = popir.Builder()
        x = builder.addInputTensor(popir.TensorInfo("FLOAT", [3]))
        given = [x if each == "x" else custom_ops.create_token(builder) for each in operands]
        made = custom_ops.custom_call(
            "gpu_tokens", given, result, platform="CUDA", opaque=pattern, builder=builder
        )
        (y,) = [
            each for each in (made if isinstance(made, list) else [made]) if isinstance(each, str)
        ]
        builder.addOutputTensor(y)
        inputs = {x: np.zeros(3, np.float32)}
        (found,) = run(builder.getModelProto(), inputs, [y])
        np.testing.assert_array_equal(found, [each == "t" for each in pattern])


class TestErrors:
    def test_exception_of_a_kernel(self) -> None:
        with pytest.raises(popir.PopirError, match="'gpu_broken': thrown by a kernel"):
            gpu("gpu_broken", [np.float32(0)], "f32[]")

    def test_launch_that_no_device_takes(self) -> None:
        with pytest.raises(popir.PopirError, match="INTERNAL: invalid configuration argument"):
            gpu("gpu_wrong_launch", [np.float32(0)], "f32[]", api_version=2)

    def test_registered_for_another_platform(self) -> None:
        with pytest.raises(popir.UnknownOperatorError, match=r"'gpu_sums' for Host.*for CUDA"):
            call("gpu_sums", [np.float32(0)], "f32[]")


class TestRewriting:
    def test_launches(self) -> None:
        text = as_cpp(
            "void f() {\n  k<<<1, dim3(2, 3)>>>();\n  ns::k<int, S<4>><<<g(1), b>>>(x, y);\n}"
        )
        assert "::popir_cuda::Launch(1, dim3(2, 3))([=](auto... popir_args) { k(popir_args" in text
        assert "{ ns::k<int, S<4>>(popir_args...); }, x, y);" in text

    def test_a_kernel_without_a_type(self) -> None:
        text = as_cpp("__global__ k(int x) {}\n__global__ void l(int x) {}")
        assert "__global__ void k(int x)" in text
        assert "__global__ void l(int x)" in text

    def test_lines_keep_their_numbers(self) -> None:
        text = as_cpp("k<<<1,\n    2>>>\n  (x,\n   y);\nlast")
        assert text.split("#line 1\n")[1].splitlines().index("last") == 4

    def test_what_is_no_launch(self) -> None:
        for text in ("std::cout << x <<< y;", "a >>> b", "<<<", "x <<< 1 >>> 2;"):
            assert as_cpp(text).endswith(text)

    def test_host_sources_find_the_headers(self) -> None:
        library = popir.build_op_library(
            "#include <cuda_runtime_api.h>\n"
            '#include "xla/service/custom_call_target_registry.h"\n'
            "void copy(cudaStream_t stream, void** buffers, const char*, size_t) {\n"
            "  cudaMemcpyAsync(buffers[1], buffers[0], 12, cudaMemcpyDeviceToDevice, stream);\n"
            "}\n"
            'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("gpu_copy", copy, "CUDA");\n',
            name="xla_test_cuda_host",
        )
        assert library.custom_calls == (("gpu_copy", "CUDA"),)
        x = np.array([1, 2, 3], np.float32)
        np.testing.assert_array_equal(gpu("gpu_copy", [x], "f32[3]")[0], x)
