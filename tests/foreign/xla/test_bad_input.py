"""Wrong calls, targets and libraries: a named error each, and the process lives."""

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import custom_ops
from tests.foreign.xla.models import built, call, leaves, run, session
from tests.foreign.xla.test_calls import f32
from tests.toolchain import CXX

pytestmark = pytest.mark.usefixtures("targets")
ONE = np.float32(1)


def wrong(error: type[popir.PopirError], words: str, **options: Any) -> None:
    given: dict[str, Any] = {"target": "add2", "values": [ONE], "result": "f32[]"}
    with pytest.raises(error, match=words):
        call(**{**given, **options})


Attribute = popir.OperatorAttributeError
Unknown = popir.UnknownOperatorError


class TestTargets:
    def test_unknown(self) -> None:
        words = "no registered implementation for custom call to 'add3' for Host.*Did you mean"
        wrong(Unknown, words, target="add3")

    def test_unknown_typed(self) -> None:
        wrong(Unknown, "custom call to 'add3' for Host", target="add3", api_version=4)

    def test_unknown_platform(self) -> None:
        words = "the platform 'TPU' is not known; the platforms are Host, CUDA, ROCM"
        wrong(Attribute, words, platform="TPU")
        with pytest.raises(Attribute, match=words):
            custom_ops.register_custom_call_target("x", 1, "TPU")

    def test_of_another_platform(self) -> None:
        wrong(Unknown, "for CUDA. It is registered for Host", platform="CUDA")

    def test_reserved(self) -> None:
        wrong(Attribute, "begin with '\\$' are reserved", target="$x")

    def test_without_a_name(self) -> None:
        wrong(Attribute, "its target has no name", target="")
        with pytest.raises(Attribute, match="needs a name"):
            custom_ops.register_custom_call_target("", 1)

    @pytest.mark.parametrize("target", [None, "text", 0, -1, 1.5, True, 1 << 64, [], object()])
    def test_what_is_no_function(self, target: Any) -> None:
        with pytest.raises(Attribute, match="expected is a function of ctypes"):
            custom_ops.register_custom_call_target("test.wrong", target)

    @pytest.mark.parametrize(
        ("stages", "typed"), [({"execute": 1}, False), ({"prepare": 1}, True), ({"run": 1}, True)]
    )
    def test_wrong_stages(self, stages: dict[str, int], typed: bool) -> None:
        with pytest.raises(Attribute, match="a dict of handlers has the stages"):
            custom_ops.register_custom_call_target("test.wrong", stages, typed=typed)


class TestLibraries:
    def build(self, text: str, name: str) -> popir.OpLibrary:
        include = '#include "xla/service/custom_call_target_registry.h"\n'
        return popir.build_op_library(include + text, name=name)

    def test_registered_twice(self) -> None:
        with pytest.raises(popir.DuplicateOperatorError) as error:
            self.build(
                "void f(void*, const void**) {}\n"
                'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.before", f, "Host");\n'
                'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.swap", f, "Host");\n'
                'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.after", f, "Host");\n',
                "xla_test_twice",
            )
        for target in ("test.before", "test.after"):
            wrong(Unknown, "no registered implementation", target=target)
        assert "registers the custom call target 'test.swap' for Host" in str(error.value)
        assert "targets.cpp' has registered with another function" in str(error.value)
        found = call("test.swap", [ONE, np.float32(2)], ["f32[]", "f32[]"])
        assert [float(each) for each in found] == [2, 1]

    def test_a_refused_library_is_refused_again(
        self, targets: popir.OpLibrary, tmp_path: Path
    ) -> None:
        source, library = tmp_path / "again.cc", tmp_path / "libagain.so"
        source.write_text(
            '#include "xla/service/custom_call_target_registry.h"\n'
            "void f(void*, const void**) {}\n"
            'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.again", f, "Host");\n'
            'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.swap", f, "Host");\n'
        )
        package = Path(popir.__file__).parent
        link = [f"-L{package}/lib", "-lpopir", f"-Wl,-rpath,{package}/lib"]
        command = [CXX, "-std=c++17", "-shared", "-fPIC", f"-I{package}/include", str(source)]
        command += [*link, "-o", str(library)]
        subprocess.run(command, check=True)
        for _ in range(2):
            with pytest.raises(popir.DuplicateOperatorError, match=r"'test.swap' for Host"):
                popir.load_op_library(library)
            with pytest.raises(popir.DuplicateOperatorError, match=r"'test.swap' for Host"):
                call("test.swap", [ONE], "f32[]", library=library)
        wrong(Unknown, "no registered implementation", target="test.again")

    def test_twice_in_one_library(self) -> None:
        with pytest.raises(popir.DuplicateOperatorError, match=r"'test.same' for Host"):
            self.build(
                "void f(void*, const void**) {}\nvoid g(void*, const void**) {}\n"
                'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.same", f, "Host");\n'
                'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.same", g, "Host");\n',
                "xla_test_same",
            )

    def test_registered_for_an_unknown_platform(self) -> None:
        with pytest.raises(popir.LibraryLoadError, match="the platform 'TPU', which is not"):
            self.build(
                "void f(void*, const void**) {}\n"
                'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.tpu", f, "TPU");\n',
                "xla_test_tpu",
            )

    def test_rebuilt(self) -> None:
        """A library that is built from the same name again replaces its targets."""
        for value in (1, 2):
            library = self.build(
                f"void f(void* out, const void**) {{ *(float*)out = {value}; }}\n"
                'XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.rebuilt", f, "Host");\n',
                "xla_test_rebuilt",
            )
            assert library.custom_calls == (("test.rebuilt", "Host"),)
            assert call("test.rebuilt", [ONE], "f32[]")[0] == value

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(popir.LibraryLoadError, match="There is no operator library"):
            call("f", [ONE], "f32[]", library=tmp_path / "libnone.so")

    def test_symbol_that_is_not_there(self, targets: popir.OpLibrary) -> None:
        words = "has no such target or symbol"
        wrong(Unknown, words, target="no_such_symbol", library=targets.path)

    def test_another_library_than_the_targets(
        self, targets: popir.OpLibrary, handlers: popir.OpLibrary
    ) -> None:
        words = f"its library is '{handlers.path}', but the library '{targets.path}' has registered"
        wrong(Attribute, words, library=handlers.path)
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        custom_ops.register_custom_call_target("test.of_python", kind(lambda _, __: None))
        words = "but register_custom_call_target has registered a target of that name for Host"
        wrong(Attribute, words, target="test.of_python", library=targets.path)

    def test_symbol_of_the_c_library(self, targets: popir.OpLibrary) -> None:
        """What the library itself does not define is no target."""
        wrong(Unknown, "has no such target or symbol", target="system", library=targets.path)

    def test_a_model_alone_loads_no_library(self, tmp_path: Path) -> None:
        library = tmp_path / "libevil.so"
        library.write_bytes(b"x")
        builder = popir.Builder()
        x = builder.addInputTensor(popir.TensorInfo("FLOAT", []))
        attributes = {"target": "evil", "result": "f32[]", "library": str(library)}
        (y,) = builder.customOp("CustomCall", 1, "org.openxla", [x], attributes)
        with pytest.raises(popir.LibraryLoadError, match=f"its library '{library}' is not loaded"):
            run(builder.getModelProto(), {x: ONE}, [y])
        library.unlink()
        with pytest.raises(popir.LibraryLoadError, match=f"its library '{library}' is not there"):
            run(builder.getModelProto(), {x: ONE}, [y])


class TestArguments:
    @pytest.mark.parametrize("version", [0, 5, -1])
    def test_api_version(self, version: int) -> None:
        wrong(Attribute, f"the API version is {version}; known are 1 to 4", api_version=version)

    def test_opaque_that_nobody_gets(self) -> None:
        wrong(Attribute, "gets no opaque bytes; with version 3 it does", opaque="x")
        wrong(Attribute, "has attributes, not opaque bytes", opaque="x", api_version=4)
        wrong(Attribute, "has opaque bytes, not attributes", attributes={"a": 1})

    @pytest.mark.parametrize(
        ("result", "words"),
        [
            ("f32", "where '\\[' is expected"),
            ("f32[2", "a number|expected"),
            ("f33[2]", "unknown element type 'f33'"),
            ("f32[2] x", "goes on after its end"),
            ("f32[2]{1}", "must have each dimension once"),
            ("f32[2,2]{0,0}", "must have each dimension once"),
            ("", "an element type is expected"),
            ("()", "at least one array"),
            ("_", "must have at least one array"),
            ([], "at least one array"),
            (3, "3 is no shape"),
            (None, "None is no shape"),
            (("float99", [2]), "is no shape"),
            (("float32", [-2]), "is no shape"),
            ("(" * 200 + "f32[]", "no tuple deeper than 100"),
            ("f32[1000000000000000000000]", r"a number below 2\^63"),
        ],
    )
    def test_result(self, result: Any, words: str) -> None:
        wrong(popir.PopirError, words, result=result)

    @pytest.mark.parametrize("operands", [3, "x", None, [3], [None], [["x", 2]], {"x": 1}])
    def test_operands(self, operands: Any) -> None:
        builder = popir.Builder()
        with pytest.raises(popir.PopirError, match=r"operand|Unknown tensor|Builder"):
            custom_ops.custom_call("add2", operands, "f32[]", builder=builder)

    def test_without_a_builder(self) -> None:
        with pytest.raises(popir.PopirError, match="builder"):
            custom_ops.custom_call("add2", [], "f32[]")

    @pytest.mark.parametrize(
        "attributes",
        [{"a": None}, {"a": object()}, {"a": [1, "x"]}, {"a": np.zeros((2, 2))}, {1: 2}],
    )
    def test_attributes(self, attributes: Any) -> None:
        wrong(popir.PopirError, "attribute", attributes=attributes, api_version=4)

    def test_layouts(self) -> None:
        given: dict[str, Any] = {"target": "copy_6", "values": [f32([1, 2, 3], [4, 5, 6])]}
        given["result"] = "f32[6]"
        wrong(Attribute, "there are 2 operand_layouts for 1", operand_layouts=[None, None], **given)
        wrong(Attribute, "each dimension once", operand_layouts=[[0, 0]], **given)
        wrong(popir.PopirError, "has 1 dimensions", operand_layouts=[[0]], **given)

    @pytest.mark.parametrize(
        ("aliases", "words"),
        [
            ({1: 0}, "names result 1"),
            ({0: 1}, "operand 1"),
            ({-1: 0}, "names result -1"),
        ],
    )
    def test_aliases(self, aliases: dict[int, int], words: str) -> None:
        wrong(Attribute, words, output_operand_aliases=aliases)

    def test_aliases_of_other_shapes(self) -> None:
        given: dict[str, Any] = {"target": "copy_6", "values": [f32(*range(6))]}
        words = "cannot share memory"
        wrong(Attribute, words, result="f32[2,3]", output_operand_aliases={0: 0}, **given)

    def test_types_that_no_device_holds(self) -> None:
        words = r"custom call to 'add2': result 1 is c64\[2\]; complex numbers are not known here"
        wrong(Attribute, words, result=["f32[]", "c64[2]"])
        words = "custom call to 'add2': operand 1 is .*COMPLEX64.*, whose element type"
        wrong(popir.OperatorInputError, words, values=[ONE, np.complex64(1)])

    def test_time_limit(self) -> None:
        wrong(Attribute, r"its time limit is -1.0; expected are seconds", time_limit=-1.0)
        wrong(Attribute, "its time limit is nan", time_limit=float("nan"))


class TestGradients:
    def make(self, gradient: Any, **options: Any) -> None:
        call("cube", [f32(1, 2, 3, 4, 5)], "f32[5]", gradient=gradient, **options)

    @pytest.mark.parametrize(
        ("members", "words"),
        [
            ({"operands": ["operand"]}, "'operand' is no operand of a gradient"),
            ({"operands": ["x 1"]}, "'x 1' is no operand of a gradient"),
            ({"operands": ["operand 1"]}, "there are 1 operands and 1 results"),
            ({"operands": ["result 1"]}, "there are 1 operands and 1 results"),
            ({"inputs": [1]}, "is for operand 1"),
            ({"inputs": [0, 0]}, "different operands"),
            ({"target": "$x"}, "reserved"),
            ({"target": ""}, "has no name"),
        ],
    )
    def test_wrong_members(self, members: dict[str, Any], words: str) -> None:
        with pytest.raises(popir.PopirError, match=words):
            self.make(custom_ops.CustomCallGradient(**{"target": "cube_grad", **members}))

    def test_wrong_text_in_a_model(self) -> None:
        builder = popir.Builder()
        x = builder.addInputTensor(popir.TensorInfo("FLOAT", []))
        for text in (
            "x",
            "{}",
            "[]",
            '{"target": "f", "operands": 3}',
            '{"target": "f", "inputs": "x"}',
        ):
            attributes = {"target": "add2", "result": "f32[]", "gradient": text}
            (y,) = builder.customOp("CustomCall", 1, "org.openxla", [x], attributes)
            with pytest.raises(popir.PopirError, match="gradient"):
                run(builder.getModelProto(), {x: ONE}, [y])
            builder = popir.Builder()
            x = builder.addInputTensor(popir.TensorInfo("FLOAT", []))


class TestNodes:
    @pytest.mark.parametrize(
        ("attributes", "words"),
        [
            ({"operands": "x"}, "element type"),
            ({"operands": "(_, _)"}, "have 2 arrays; connected are 1 inputs"),
            ({"operands": "_"}, "expected is a tuple"),
            ({"operands": "(token[])"}, "which is no token"),
            ({"operands": "(s32[])"}, r"expected is s32\[\]"),
            ({"result": "x"}, "element type"),
            ({"api_version": 9}, "the API version is 9"),
            ({"platform": "X"}, "the platform 'X'"),
            ({"output_operand_aliasing": [0]}, "pairs of a result"),
            ({"attributes": "{", "api_version": 4}, "not of the form"),
            ({"attributes": '{"a": {"f32": "x"}}', "api_version": 4}, "not of the form"),
            ({"attributes": '{"a": 3}', "api_version": 4}, "not of the form"),
            ({"attributes": '{"a": {"x": 3}}', "api_version": 4}, "not of the form"),
            ({"unknown": 1}, "unknown"),
            ({"target": 3}, "'target' is a string"),
        ],
    )
    def test_wrong_attributes(self, attributes: dict[str, Any], words: str) -> None:
        builder = popir.Builder()
        x = builder.addInputTensor(popir.TensorInfo("FLOAT", []))
        given = {"target": "add2", "result": "f32[]", **attributes}
        with pytest.raises(popir.PopirError, match=words):
            (y,) = builder.customOp("CustomCall", 1, "org.openxla", [x], given)
            run(builder.getModelProto(), {x: ONE}, [y])


class TestRuns:
    def test_exceptions(self) -> None:
        wrong(popir.PopirError, "'throws': thrown by the target", target="throws")
        wrong(popir.PopirError, "no std::exception", target="throws_a_number")

    @pytest.mark.timeout(60)
    def test_a_target_that_never_returns(self) -> None:
        builder, inputs, y = built(
            [ONE],
            lambda x: custom_ops.custom_call("never_returns", [x], "f32[]", time_limit=0.2),
        )
        made = session(builder.getModelProto(), [y])
        io = popir.PyStepIO(
            {id: np.asarray(v) for id, v in inputs.items()}, made.initAnchorArrays()
        )
        with pytest.raises(popir.PopirError, match="not returned within 200 ms"):
            made.run(io)
        with pytest.raises(popir.PopirError):
            made.run(io)
        assert call("add2", [ONE], "f32[]")[0] == 3

    @pytest.mark.timeout(60)
    @pytest.mark.parametrize("limit", [0.0, 50.0])
    @pytest.mark.parametrize("method", ["run", "weightsFromHost"])
    def test_a_target_that_uses_its_own_session(self, limit: float, method: str) -> None:
        """It is refused at once, in the thread of a call with a limit too."""
        said: list[str] = []
        name = f"reenters_{method}_{limit:.0f}"

        @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p)
        def target(out: Any, operands: Any) -> None:
            try:
                made.run(io) if method == "run" else made.weightsFromHost()
            except popir.PopirError as error:
                said.append(str(error))
            out[0] = 7

        custom_ops.register_custom_call_target(name, target)
        builder, inputs, y = built(
            [ONE], lambda x: custom_ops.custom_call(name, [x], "f32[]", time_limit=limit)
        )
        made = session(builder.getModelProto(), [y])
        anchors = made.initAnchorArrays()
        io = popir.PyStepIO({id: np.asarray(v) for id, v in inputs.items()}, anchors)
        for times in (1, 2):
            made.run(io)
            assert anchors[y] == 7 and len(said) == times
        assert "was called by a callback of a step of the same session" in said[0]

    def test_one_failure_of_several(self) -> None:
        """A failure leaves nothing behind that another session would see."""

        def make(x: str) -> Any:
            y = custom_ops.custom_call("add2", [x], "f32[]")
            return [y, custom_ops.custom_call("fails", [y], "f32[]", api_version=2)]

        builder, inputs, made = built([ONE], make)
        with pytest.raises(popir.PopirError, match=r"Failed: 3.0"):
            run(builder.getModelProto(), inputs, leaves(made))
        assert call("add2", [ONE], "f32[]")[0] == 3


class TestEngineCache:
    def test_it_is_not_kept(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        builder, inputs, y = built([ONE], lambda x: custom_ops.custom_call("add2", [x], "f32[]"))
        options = popir.SessionOptions()
        options.enableEngineCaching, options.cachePath = True, str(tmp_path)
        for _ in range(2):
            anchors = {y: popir.AnchorReturnType("All")}
            made = popir.InferenceSession(
                builder.getModelProto(),
                popir.DataFlow(1, anchors),
                popir.DeviceManager().createCpuDevice(),
                userOptions=options,
            )
            made.prepareDevice()
            arrays = made.initAnchorArrays()
            made.run(popir.PyStepIO({id: np.asarray(v) for id, v in inputs.items()}, arrays))
            assert arrays[y] == 3
        assert "calls a function of this process" in caplog.text

    def test_an_executable_is_refused(self, tmp_path: Path) -> None:
        builder, _, y = built([ONE], lambda x: custom_ops.custom_call("add2", [x], "f32[]"))
        made = session(builder.getModelProto(), [y])
        with pytest.raises(popir.PopirError, match="cannot be saved"):
            made.compileAndExport(str(tmp_path / "x.popef"))
