"""Handlers of XLA's typed interface, API version 4."""

import ctypes
import gc
from typing import Any

import numpy as np
import pytest

import popir
from popir import custom_ops
from tests.foreign.xla.models import Array, built, call, run, session
from tests.foreign.xla.test_calls import f32, trained


@pytest.fixture
def library(handlers: popir.OpLibrary) -> str:
    return handlers.path


def typed(library: str, target: str, values: Any, result: Any, **options: Any) -> list[Array]:
    return call(target, values, result, api_version=4, library=library, **options)


class TestCalls:
    def test_symbol(self, library: str) -> None:
        values = [f32(1, 2, 3), f32(4, 5, 6)]
        (y,) = typed(library, "Axpy", values, "f32[3]", attributes={"a": np.float32(2)})
        np.testing.assert_array_equal(y, [6, 9, 12])

    def test_registered_by_macro(self, handlers: popir.OpLibrary) -> None:
        assert ("test.axpy", "Host") in handlers.custom_calls
        values = [f32(1, 2, 3), f32(4, 5, 6)]
        attributes = {"a": np.float32(-1)}
        (y,) = call("test.axpy", values, "f32[3]", api_version=4, attributes=attributes)
        np.testing.assert_array_equal(y, [3, 3, 3])

    def test_several_results(self, library: str) -> None:
        x, y = typed(library, "Swap", [np.float32(1), np.float32(2)], ["f32[]", "f32[]"])
        assert (x, y) == (2, 1)

    def test_remaining_arguments_and_results(self, library: str) -> None:
        values = [f32(1), f32(2, 3), f32(4, 5, 6)]
        x, y = typed(library, "Variadic", values, ["f32[3]", "f32[2]"])
        np.testing.assert_array_equal(x, [4, 5, 6])
        np.testing.assert_array_equal(y, [2, 3])

    def test_empty_tensors(self, library: str) -> None:
        x = np.zeros((0, 4), np.float32)
        shapes = ["f32[0,4]", "f32[0]"]
        y, factor = typed(library, "Norm", [x], shapes, attributes={"eps": np.float32(0)})
        assert y.shape == (0, 4) and factor.shape == (0,)

    def test_gradient_with_a_residual(self, library: str) -> None:
        gradient = custom_ops.CustomCallGradient(
            "NormGrad", ["result 1", "operand 0", "gradient 0"], attributes={}
        )
        x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)

        def make(x: str) -> str:
            y = custom_ops.custom_call(
                "Norm",
                [x],
                ["f32[3,4]", "f32[3]"],
                api_version=4,
                library=library,
                attributes={"eps": np.float32(1e-3)},
                gradient=gradient,
            )[0]
            builder = x.builder  # type: ignore[attr-defined]
            return builder.aiOnnx.mul([y, builder.aiOnnx.constant(weights)])

        weights = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)

        def value(x: Array) -> float:
            wide = x.astype(np.float64)
            factor = 1 / np.sqrt((wide * wide).mean(-1, keepdims=True) + 1e-3)
            return float((wide * factor * weights).sum())

        found = trained(x, make)
        for at in np.ndindex(*x.shape):
            step = np.zeros_like(x, np.float64)
            step[at] = 1e-5
            expected = (value(x + step) - value(x - step)) / 2e-5
            assert abs(found[at] - expected) < 1e-4


class TestAttributes:
    def told(self, library: str, attributes: dict[str, Any], *values: Any) -> str:
        given = values or (np.float32(0),)
        (y,) = typed(library, "Attributes", given, "u8[400]", attributes=attributes)
        return bytes(y).rstrip(b"\0").decode()

    @pytest.mark.parametrize(
        ("name", "value", "expected"),
        [
            ("pred", True, "pred=1;"),
            ("pred", np.bool_(False), "pred=0;"),
            ("s8", np.int8(-3), "s8=-3;"),
            ("s32", np.int32(-(1 << 31)), "s32=-2147483648;"),
            ("s64", -5, "s64=-5;"),
            ("s64", (1 << 63) - 1, "s64=9223372036854775807;"),
            ("u16", np.uint16(65535), "u16=65535;"),
            ("u64", np.uint64((1 << 64) - 1), "u64=18446744073709551615;"),
            ("f32", np.float32(0.1), "f32=0.10000000149011612;"),
            ("f64", 0.1, "f64=0.10000000000000001;"),
            ("f64", float("inf"), "f64=inf;"),
            ("f32", np.float32("nan"), "f32=nan;"),
            ("text", 'a "b" é', 'text=a "b" é;'),
            ("text", "", "text=;"),
            ("s32s", np.array([1, 2], np.int32), "s32s=[1 2 ];"),
            ("s64s", [3, 4], "s64s=[3 4 ];"),
            ("s64s", (), "s64s=[];"),
            ("f32s", np.array([0.5], np.float32), "f32s=[0.5 ];"),
            ("f64s", [0.5, 1.5], "f64s=[0.5 1.5 ];"),
            ("inner", {"s64": 7, "text": "x"}, "inner={s64=7;text=x;};"),
        ],
    )
    def test_types(self, library: str, name: str, value: Any, expected: str) -> None:
        assert self.told(library, {name: value}) == f"{expected}F32();"

    def test_of_another_type_it_is_not_found(self, library: str) -> None:
        assert self.told(library, {"s64": np.int32(1)}) == "F32();"

    def test_arguments(self, library: str) -> None:
        values = np.zeros((2, 3), np.int16), np.zeros([1], bool), np.zeros((), np.float64)
        assert self.told(library, {}, *values) == "S16(2 3 );PRED(1 );F64();"

    def test_complex(self, library: str) -> None:
        attributes = {"c": np.complex64(3 + 4j)}
        (y,) = typed(library, "Complex", [np.float32(0)], "f32[]", attributes=attributes)
        assert y == 304

    def test_saved(self, library: str, tmp_path: Any) -> None:
        """All kinds of attributes are the same from a file."""
        attributes = {
            "pred": True,
            "f32": np.float32(1e-7),
            "s64s": [1, -2],
            "text": "ä\n",
            "inner": {"s64": 1, "text": "é"},
        }
        builder, inputs, y = built(
            [np.float32(0)],
            lambda x: custom_ops.custom_call(
                "Attributes",
                [x],
                "u8[400]",
                api_version=4,
                library=library,
                attributes=attributes,
            ),
        )
        builder.saveModelProto(str(tmp_path / "m.onnx"))
        (found,) = run(str(tmp_path / "m.onnx"), inputs, [y])
        assert bytes(found).rstrip(b"\0").decode() == self.told(library, attributes)


class TestErrors:
    """The words are those of XLA's headers."""

    def test_too_many_arguments(self, library: str) -> None:
        with pytest.raises(
            popir.PopirError, match=r"INVALID_ARGUMENT.*Wrong number of arguments: expected 2 but"
        ):
            typed(library, "Swap", [np.float32(1)] * 3, ["f32[]", "f32[]"])

    def test_too_few_results(self, library: str) -> None:
        with pytest.raises(popir.PopirError, match="Wrong number of results: expected 2 but got 1"):
            typed(library, "Swap", [np.float32(1)] * 2, "f32[]")

    def test_attribute_that_is_not_there(self, library: str) -> None:
        values = [f32(1), f32(2)]
        with pytest.raises(popir.PopirError, match="Wrong number of attributes: expected 1 but"):
            typed(library, "Axpy", values, "f32[1]")
        with pytest.raises(popir.PopirError, match="Attribute name mismatch: b vs a"):
            typed(library, "Axpy", values, "f32[1]", attributes={"b": np.float32(1)})
        with pytest.raises(popir.PopirError, match=r"but got 2 with name\(s\): a, b"):
            both = {"a": np.float32(1), "b": 2}
            typed(library, "Axpy", values, "f32[1]", attributes=both)

    def test_attribute_of_another_type(self, library: str) -> None:
        with pytest.raises(popir.PopirError, match="Failed to decode all FFI handler operands"):
            values = [f32(1), f32(2)]
            typed(library, "Axpy", values, "f32[1]", attributes={"a": "text"})

    def test_element_type_and_rank(self, library: str) -> None:
        with pytest.raises(popir.PopirError, match="Wrong buffer dtype: expected F32 but got S32"):
            values = [f32(1), np.array([2], np.int32)]
            typed(library, "Axpy", values, "f32[1]", attributes={"a": np.float32(1)})
        with pytest.raises(popir.PopirError, match="Wrong buffer rank: expected 2 but got 1"):
            typed(library, "Rank", [f32(1)], "f32[]")

    @pytest.mark.parametrize(
        ("code", "name"), [(3, "INVALID_ARGUMENT"), (12, "UNIMPLEMENTED"), (13, "INTERNAL")]
    )
    def test_error_of_the_handler(self, library: str, code: int, name: str) -> None:
        attributes = {"message": "what is wrong", "code": code}
        with pytest.raises(popir.PopirError, match=f"call to 'Fail': {name}: what is wrong$"):
            typed(library, "Fail", [np.float32(1)], "f32[]", attributes=attributes)

    def test_exception(self, library: str) -> None:
        with pytest.raises(popir.PopirError, match="thrown by the handler"):
            typed(library, "Throw", [np.float32(1)], "f32[]")

    def test_stream_on_the_host(self, library: str) -> None:
        with pytest.raises(popir.PopirError, match="there is no stream"):
            typed(library, "Stream", [np.float32(1)], "s32[]")

    def test_a_plain_function_is_no_handler(self, targets: popir.OpLibrary) -> None:
        with pytest.raises(popir.popart_exception, match=r"plain function.*versions 1 to 3"):
            call("add2", [np.float32(1)], "f32[]", api_version=4)

    def test_a_handler_is_no_plain_function(self, handlers: popir.OpLibrary) -> None:
        with pytest.raises(popir.popart_exception, match="API version 4; given was 1"):
            call("test.axpy", [np.float32(1)], "f32[]")


class TestStages:
    def register(self, handlers: popir.OpLibrary, name: str) -> ctypes.CDLL:
        library = ctypes.CDLL(handlers.path)
        stages = {
            "instantiate": library.PlanInstantiate,
            "prepare": library.PlanPrepare,
            "initialize": library.PlanInitialize,
            "execute": library.Planned,
        }
        custom_ops.register_custom_call_target(name, stages, typed=True)
        return library

    def test_order_and_state(self, handlers: popir.OpLibrary) -> None:
        library = self.register(handlers, "test.planned")
        builder, inputs, y = built(
            [f32(1, 2)],
            lambda x: custom_ops.custom_call(
                "test.planned", [x], "f32[2]", api_version=4, attributes={"factor": 3}
            ),
        )
        before = library.plans_alive(), library.stages(0), library.stages(1)
        made = session(builder.getModelProto(), [y])
        assert library.plans_alive() > before[0]
        assert library.stages(0) == before[1]
        arrays = made.initAnchorArrays()
        for _ in range(3):
            made.run(popir.PyStepIO(inputs, arrays))
            np.testing.assert_array_equal(arrays[y], [3, 6])
        assert library.stages(0) - before[1] == 3
        assert library.stages(1) - before[2] == 3
        del made
        gc.collect()
        assert library.plans_alive() == before[0]

    def test_refused_when_the_session_is_made(self, handlers: popir.OpLibrary) -> None:
        self.register(handlers, "test.negative")
        with pytest.raises(popir.popart_exception, match=r"'test.negative'.*factor is negative"):
            attributes = {"factor": -1}
            call("test.negative", [f32(1)], "f32[1]", api_version=4, attributes=attributes)

    def test_state_that_nobody_sets(self, handlers: popir.OpLibrary) -> None:
        with pytest.raises(popir.PopirError, match="the state is not set"):
            typed(handlers.path, "Planned", [f32(1)], "f32[1]", attributes={"factor": 1})


class TestContext:
    def test_threads_and_a_future(self, library: str) -> None:
        x = np.arange(1000, dtype=np.float32)
        (y,) = typed(library, "Future", [x], "f32[1000]")
        np.testing.assert_array_equal(y, x + 1)

    def test_failure_of_a_future(self, library: str) -> None:
        with pytest.raises(popir.PopirError, match="INTERNAL: it failed later"):
            typed(library, "LateFailure", [f32(1)], "f32[1]")

    def test_scratch_memory(self, library: str) -> None:
        x = np.arange(1000, dtype=np.float32)
        (y,) = typed(library, "Scratch", [x], "f32[1000]")
        np.testing.assert_array_equal(y, x[::-1])

    def test_stream(self, handlers: popir.OpLibrary) -> None:
        (y,) = call("test.stream", [f32(1)], "s32[]", api_version=4, platform="CUDA")
        assert y == 1
