"""Custom calls on the host, of the API versions 1, 2 and 3."""

import ctypes
from typing import Any

import numpy as np
import pytest

import popir
from popir import custom_ops, registry
from popir.foreign.xla.calls import Token
from tests.foreign.xla.models import Array, built, call, leaves, run, session

pytestmark = pytest.mark.usefixtures("targets")


def f32(*values: Any) -> Array:
    return np.array(values, np.float32)


class TestOriginal:
    def test_scalar(self) -> None:
        (y,) = call("add2", [np.float32(42)], "f32[]")
        assert y == 44

    def test_matrix(self) -> None:
        (y,) = call("sum_2x2", [f32([1, 2], [3, 4])], "f32[]")
        assert y == 10

    def test_several_calls_in_a_model(self) -> None:
        def make(x: str) -> Any:
            first = custom_ops.custom_call("add1_to_values", [x], "f32[2,2]")
            second = custom_ops.custom_call("add1_to_values", [first], "f32[2,2]")
            return [first, second]

        builder, inputs, made = built([f32([1, 2], [3, 4])], make)
        first, second = run(builder.getModelProto(), inputs, leaves(made))
        np.testing.assert_array_equal(first, [[2, 3], [4, 5]])
        np.testing.assert_array_equal(second, [[3, 4], [5, 6]])

    def test_tuple_result(self) -> None:
        first, second = call("test.swap", [np.float32(7), np.float32(42)], ["f32[]", "f32[]"])
        assert (first, second) == (42, 7)

    def test_nested_tuples_and_a_temporary(self) -> None:
        values = [f32(1, 2), f32(3), f32(4, 5, 6), f32(7)]
        shape = "(f32[2], (f32[1], f32[7]))"
        a, b, temporary = call("test.nested", values, shape, [[0, [1, 2], 3]])
        np.testing.assert_array_equal(a, [28, 2])
        np.testing.assert_array_equal(b, [7])
        np.testing.assert_array_equal(temporary, [1, 2, 3, 4, 5, 6, 7])

    def test_a_temporary_that_nobody_reads(self) -> None:
        def make(*ids: str) -> Any:
            x = [[ids[0], [ids[1], ids[2]], ids[3]]]
            return custom_ops.custom_call("test.nested", x, "(f32[2], (f32[1], f32[7]))")[0]

        builder, inputs, made = built([f32(1, 2), f32(3), f32(4, 5, 6), f32(7)], make)
        (a,) = run(builder.getModelProto(), inputs, [made])
        np.testing.assert_array_equal(a, [28, 2])

    def test_one_element_tuple_is_no_array(self) -> None:
        """The target of a tuple with one array gets a table; swap() reads two of them."""
        result = custom_ops.custom_call
        _builder, _, made = built(
            [f32(1, 2, 3, 4, 5, 6)], lambda x: result("copy_6", [x], "f32[6]")
        )
        assert isinstance(made, str)
        _builder, _, made = built([f32(1)], lambda x: result("copy_6", [x], ["f32[6]"]))
        assert isinstance(made, list)

    @pytest.mark.parametrize(
        ("name", "kind"), [("s8", "int8"), ("s16", "int16"), ("s32", "int32"), ("s64", "int64")]
    )
    def test_integers(self, name: str, kind: str) -> None:
        x = np.array([1, -2, 3, 100], kind)
        (y,) = call(f"negated.{name}", [x], (kind, [4]))
        np.testing.assert_array_equal(y, -x)
        assert y.dtype == x.dtype

    def test_double(self) -> None:
        (y,) = call("negated.f64", [np.array([1.5, -2, 0, 1e300])], "f64[4]")
        np.testing.assert_array_equal(y, [-1.5, 2, 0, -1e300])

    @pytest.mark.parametrize("kind", ["float16", "bool", "uint8", "uint16"])
    def test_bytes_of_other_types(self, kind: str) -> None:
        x = np.array([1, 0, 1, 1], kind)[: 4 // np.dtype(kind).itemsize]
        (y,) = call("scalar_copy", [x], popir.TensorInfo(x))
        np.testing.assert_array_equal(y, x)


class TestStatus:
    def test_success_is_the_default_and_can_be_set(self) -> None:
        (y,) = call("succeeds", [np.float32(3)], "f32[]", api_version=2)
        assert y == 3

    def test_failure_ends_the_run(self) -> None:
        with pytest.raises(popir.poplar_application_runtime_error) as error:
            call("fails", [np.float32(42)], "f32[]", api_version=2, name="middle")
        assert "custom call to 'fails' 'middle': INTERNAL: Failed: 42.0" in str(error.value)

    def test_the_first_failure_is_told(self) -> None:
        def make(x: str) -> Any:
            one = custom_ops.custom_call("fails", [x], "f32[]", api_version=2)
            return custom_ops.custom_call("fails", [one], "f32[]", api_version=2)

        builder, inputs, made = built([np.float32(5)], make)
        with pytest.raises(popir.PopirError, match=r"Failed: 5.0"):
            run(builder.getModelProto(), inputs, [made])

    def test_message_ends_at_a_nul(self) -> None:
        with pytest.raises(popir.PopirError, match=r"INTERNAL: before$"):
            call("fails_until_nul", [np.float32(5)], "f32[]", api_version=2)

    def test_a_session_goes_on_after_a_failure(self) -> None:
        builder, _, y = built(
            [np.float32(1)],
            lambda x: custom_ops.custom_call("fails", [x], "f32[]", api_version=2),
        )
        made = session(builder.getModelProto(), [y])
        (x,) = builder.getInputTensorIds()
        for value in (1.0, 2.0):
            io = popir.PyStepIO({x: f32(value).reshape([])}, made.initAnchorArrays())
            with pytest.raises(popir.PopirError, match=f"Failed: {value}"):
                made.run(io)


class TestOpaque:
    @pytest.mark.parametrize(
        "opaque", [b"abc\0def", b"", bytes(range(248, 256)), "text é", b"\0", b"\xff\0\xfe"]
    )
    def test_bytes_are_exact(self, opaque: str | bytes) -> None:
        expected = opaque.encode() if isinstance(opaque, str) else opaque
        (y,) = call("opaque_bytes", [np.float32(0)], "s32[16]", api_version=3, opaque=opaque)
        assert bytes(y[1 : 1 + y[0]].astype(np.uint8)) == expected

    def test_they_are_saved(self, tmp_path: Any) -> None:
        builder, inputs, y = built(
            [np.float32(0)],
            lambda x: custom_ops.custom_call(
                "opaque_bytes", [x], "s32[16]", api_version=3, opaque=b"\xff\0\x80a"
            ),
        )
        builder.saveModelProto(str(tmp_path / "m.onnx"))
        (found,) = run(str(tmp_path / "m.onnx"), inputs, [y])
        np.testing.assert_array_equal(found[:5], [4, 255, 0, 128, 97])

    def test_failure_with_opaque(self) -> None:
        with pytest.raises(popir.PopirError, match="INTERNAL: told by opaque"):
            call("fails_with_opaque", [1.0], "f32[]", api_version=3, opaque="told by opaque")


class TestLayouts:
    def test_operand_column_major(self) -> None:
        x = f32([1, 2, 3], [4, 5, 6])
        (y,) = call("copy_6", [x], "f32[6]", operand_layouts=[[0, 1]])
        np.testing.assert_array_equal(y, x.T.ravel())

    def test_result_column_major(self) -> None:
        (y,) = call("copy_6", [f32(1, 2, 3, 4, 5, 6)], "f32[2,3]{0,1}")
        np.testing.assert_array_equal(y, [[1, 3, 5], [2, 4, 6]])

    def test_both(self) -> None:
        x = f32([1, 2, 3], [4, 5, 6])
        (y,) = call("copy_6", [x], "f32[2,3]{0,1}", operand_layouts=[[0, 1]])
        np.testing.assert_array_equal(y, x)

    def test_three_dimensions(self) -> None:
        x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
        (y,) = call("copy_6", [x], "f32[6]", operand_layouts=[[1, 0, 2]])
        np.testing.assert_array_equal(y, x.transpose(2, 0, 1).ravel())

    def test_row_major_may_be_said(self) -> None:
        x = f32([1, 2, 3], [4, 5, 6])
        (y,) = call("copy_6", [x], "f32[2,3]{1,0}", operand_layouts=[[1, 0]])
        np.testing.assert_array_equal(y, x)


class TestEffects:
    def counted(self, **options: Any) -> int:
        """How often the target is called in one run of a model that does not read its result."""

        def make(x: str) -> Any:
            custom_ops.custom_call("counts", [x], "s32[]", **options)
            return custom_ops.custom_call("add2", [x], "f32[]")

        builder, inputs, y = built([np.float32(0)], make)
        before = call("counts", [np.float32(0)], "s32[]")[0]
        run(builder.getModelProto(), inputs, [y])
        return int(call("counts", [np.float32(0)], "s32[]")[0] - before - 1)

    def test_a_call_that_nobody_reads(self) -> None:
        assert self.counted() == 0
        assert self.counted(has_side_effect=True) == 1

    def test_it_is_called_in_every_run(self) -> None:
        builder, inputs, y = built(
            [np.float32(0)],
            lambda x: custom_ops.custom_call("counts", [x], "s32[]", has_side_effect=True),
        )
        made = session(builder.getModelProto(), [y])
        arrays = made.initAnchorArrays()
        seen: list[int] = []
        for _ in range(3):
            made.run(popir.PyStepIO(inputs, arrays))
            seen.append(int(arrays[y]))
        assert np.diff(seen).tolist() == [1, 1]

    def test_shared_memory(self) -> None:
        """The operand keeps its value, though the target writes where it reads."""

        def make(x: str) -> Any:
            y = custom_ops.custom_call("in_place", [x], "f32[3]", output_operand_aliases={0: 0})
            return [y, custom_ops.custom_call("in_place", [x], "f32[3]")]

        builder, inputs, made = built([f32(1, 2, 3)], make)
        together, apart = run(builder.getModelProto(), inputs, leaves(made))
        np.testing.assert_array_equal(together, [2, 3, 4])
        np.testing.assert_array_equal(apart, [1001, 1002, 1003])

    def test_tokens(self) -> None:
        builder = popir.Builder()
        x = builder.addInputTensor(popir.TensorInfo("FLOAT", []))
        token = custom_ops.create_token(builder)
        token, y = custom_ops.custom_call("token_swap", [token, x], "(token[], f32[])")
        assert isinstance(token, Token)
        _, z = custom_ops.custom_call("token_swap", [token, y], "(token[], f32[])")
        builder.addOutputTensor(z)
        (found,) = run(builder.getModelProto(), {x: np.float32(5)}, [z])
        assert found == 7


class TestRegistration:
    def test_library_says_what_it_registers(self, targets: popir.OpLibrary) -> None:
        assert ("test.swap", "Host") in targets.custom_calls
        assert ("swap", "Host") not in targets.custom_calls

    def test_registry_in_cpp(self, targets: popir.OpLibrary) -> None:
        assert ctypes.CDLL(targets.path).registry_is_right() == 1

    def test_function_of_python(self) -> None:
        kind = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p)

        @kind
        def seven(out: Any, _: Any) -> None:
            out[0] = 7

        custom_ops.register_custom_call_target("test.seven", seven)
        (y,) = call("test.seven", [np.float32(0)], "f32[]")
        assert y == 7

    def test_address_and_symbol(self, targets: popir.OpLibrary) -> None:
        function = ctypes.CDLL(targets.path).by_name
        custom_ops.register_custom_call_target("test.by_address", function, "cpu")
        assert call("test.by_address", [np.float32(1)], "f32[]")[0] == 3
        assert call("by_name", [np.float32(1)], "f32[]", library=targets.path)[0] == 3

    def test_same_function_again(self, targets: popir.OpLibrary) -> None:
        function = ctypes.CDLL(targets.path).by_name
        for _ in range(2):
            custom_ops.register_custom_call_target("test.twice", function)

    def test_another_function_is_refused(self, targets: popir.OpLibrary) -> None:
        library = ctypes.CDLL(targets.path)
        custom_ops.register_custom_call_target("test.first", library.by_name)
        with pytest.raises(popir.DuplicateOperatorError, match=r"test.first.*another function"):
            custom_ops.register_custom_call_target("test.first", library.by_name_swap)
        assert call("test.first", [np.float32(1)], "f32[]")[0] == 3

    def test_operators_have_their_library(self, targets: popir.OpLibrary) -> None:
        (entry,) = registry.named("org.openxla.Host.test.swap")
        assert entry.source == targets.source

    def test_node_named_after_its_target(self) -> None:
        builder = popir.Builder()
        x = builder.addInputTensor(popir.TensorInfo("FLOAT", []))
        (y,) = builder.customOp("add2", 1, "org.openxla.Host", [x], {"result": "f32[]"})
        assert run(builder.getModelProto(), {x: np.float32(1)}, [y])[0] == 3


class TestGradients:
    def test_of_one_operand(self) -> None:
        gradient = custom_ops.CustomCallGradient("cube_grad", ["operand 0", "gradient 0"])
        x = f32(1, -2, 0.5, 3, 0)
        dx = trained(x, lambda x: custom_ops.custom_call("cube", [x], "f32[5]", gradient=gradient))
        np.testing.assert_allclose(dx, 3 * x * x, rtol=1e-6)

    def test_by_default_it_gets_everything(self) -> None:
        a, b = f32(1, 2, 3), f32(4, -5, 6)

        def make(x: str) -> Any:
            builder = x.builder  # type: ignore[attr-defined]
            other = builder.aiOnnx.constant(b)
            return custom_ops.custom_call("dot3", [x, other], "f32[]", gradient="dot3_grad")

        np.testing.assert_allclose(trained(a, make), b)

    def test_without_one(self) -> None:
        words = "CustomCall.*Give custom_call the argument gradient="
        with pytest.raises(popir.MissingGradientError, match=words):
            trained(f32(1, 2, 3, 4, 5), lambda x: custom_ops.custom_call("cube", [x], "f32[5]"))


def trained(x: Array, make: Any) -> Array:
    """The gradient of the sum of the results with respect to x, a weight."""
    builder = popir.Builder()
    weight = builder.addInitializedInputTensor(x)
    y = make(weight)
    loss = builder.aiGraphcore.identityloss([y], popir.ReductionType.Sum)
    builder.addOutputTensor(loss)
    gradient = popir.reservedGradientPrefix() + weight
    anchors = {gradient: popir.AnchorReturnType("All"), loss: popir.AnchorReturnType("All")}
    made = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, anchors),
        loss,
        popir.ConstSGD(0.1),
        deviceInfo=popir.DeviceManager().createCpuDevice(),
    )
    made.prepareDevice()
    made.weightsFromHost()
    arrays = made.initAnchorArrays()
    made.run(popir.PyStepIO({}, arrays))
    return np.array(arrays[gradient])
