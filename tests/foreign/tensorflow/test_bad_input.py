"""What is wrong with a library, or in what it is asked for, is said, and the process goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir.custom_ops import cpu_user_operation, precompiled_user_op
from tests.foreign.tensorflow.programs import (
    builder,
    floats,
    given,
    gradients,
    inference,
    outs,
    stepped,
)
from tests.toolchain import CXX, run

UserLibrary = Callable[..., str]
X = floats(3)


def refused(kind: type[Exception], call: Callable[[], Any]) -> str:
    """What the call says when it raises exactly `kind`."""
    with pytest.raises(kind) as caught:
        call()
    assert caught.type is kind
    return str(caught.value)


def built(library: str, name: str, add: Any = precompiled_user_op, **more: Any) -> Any:
    """What an operator of two declared outputs or one gives."""
    model = builder()
    x = model.addInitializedInputTensor(X)
    ids = add([x], library, op_name=name, **{"outs": outs([3]), **more})
    return given(model, *ids)


def test_a_library_or_function_that_is_not_there(user_library: UserLibrary, tmp_path: Path) -> None:
    said = refused(popir.LibraryLoadError, lambda: built(str(tmp_path / "libnone.so"), "Build"))
    assert f"There is no operator library '{tmp_path}/libnone.so'" in said
    (tmp_path / "text.so").write_text("text")
    said = refused(popir.LibraryLoadError, lambda: built(str(tmp_path / "text.so"), "Build"))
    assert "text.so' is no ELF shared library" in said
    library = user_library("features")
    for add in (precompiled_user_op, cpu_user_operation):
        said = refused(popir.LibraryLoadError, lambda add=add: built(library, "Nowhere", add))
        assert f"The library '{library}' has no symbol 'Nowhere'" in said
        said = refused(popir.LibraryLoadError, lambda add=add: built(library, "Build\0er", add))
        assert r"has no symbol 'Build\0er'; it must be a function" in said


@pytest.mark.parametrize("key", ["output_types", "output_shapes"])
@pytest.mark.parametrize("value", [np.float32, "float32", 3, {"a": 1}, None])
def test_outputs_that_are_no_lists(user_library: UserLibrary, key: str, value: Any) -> None:
    wrong = {**outs([3]), key: value}
    said = refused(
        popir.OperatorAttributeError,
        lambda: built(user_library("features"), "Build", outs=wrong),
    )
    assert f"{key} of outs is a list with an entry for each output; given was" in said


def test_a_library_with_a_symbol_that_is_nowhere(tmp_path: Path) -> None:
    source = tmp_path / "missing.cpp"
    source.write_text(
        'void nowhere();\nextern "C" { int custom_op_api_level = 2; void Build() { nowhere(); } }\n'
    )
    run(CXX, "-shared", "-fPIC", source, "-o", tmp_path / "missing.so", cwd=tmp_path)
    said = refused(popir.LibraryLoadError, lambda: built(str(tmp_path / "missing.so"), "Build"))
    assert "cannot be loaded: undefined symbol" in said and "nowhere" in said


def test_a_library_that_throws_while_it_loads(tmp_path: Path) -> None:
    source = tmp_path / "thrower.cpp"
    source.write_text(
        "#include <stdexcept>\n"
        'int start() { throw std::runtime_error("not today"); }\nint started = start();\n'
        'extern "C" { int custom_op_api_level = 2; void Build() {} }\n'
    )
    run(CXX, "-shared", "-fPIC", source, "-o", tmp_path / "thrower.so", cwd=tmp_path)
    for load in (popir.load_op_library, lambda path: built(path, "Build")):
        path = str(tmp_path / "thrower.so")
        said = refused(popir.LibraryLoadError, lambda load=load, path=path: load(path))
        assert "not today" in said


@pytest.mark.parametrize(("level", "found"), [(0, 0), (3, 3), (6, 6), (0x0BAD0AB1, 195889841)])
def test_a_wrong_level_is_refused_before_any_code_runs(
    user_library: UserLibrary, level: int, found: int
) -> None:
    library = user_library("wrong_level", level)
    for add in (precompiled_user_op, cpu_user_operation):
        said = refused(popir.LibraryLoadError, lambda add=add: built(library, "Build", add))
        assert f"'{library}', asked for the operator 'Build', is of API level {found}" in said
        assert "expected is one of 1, 2, 4 and 5" in said
        assert ("no symbol 'custom_op_api_level'" in said) == (level == 0)


def test_nothing_runs_of_a_library_of_a_wrong_level(tmp_path: Path) -> None:
    source, library, mark = (tmp_path / name for name in ("l.cpp", "l.so", "ran"))
    source.write_text(
        '#include <cstdio>\nextern "C" { int custom_op_api_level = 3; void Build() {} }\n'
        f'auto* const ran = std::fopen("{mark}", "w");\n'
    )
    run(CXX, "-shared", "-fPIC", source, "-o", library, cwd=tmp_path)
    path = str(library)
    for load in (popir.load_op_library, lambda path: built(path, "Build")):
        said = refused(popir.LibraryLoadError, lambda load=load: load(path))
        assert "is of API level 3" in said
        assert not mark.exists()
    assert path not in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize(("size", "word"), [(1, "byte"), (2, "2byte"), (4, "4byte"), (8, "8byte")])
def test_the_level_is_read_as_wide_as_it_is(tmp_path: Path, size: int, word: str) -> None:
    """What lies behind it is another object's."""
    name = "custom_op_api_level"
    lines = (".data", f".globl {name}", f".type {name}, @object", f".size {name}, {size}")
    lines += (f"{name}:", f".{word} 4", ".8byte -1")
    text = "; ".join((*lines, ".text"))
    library = of_level(tmp_path, f'asm("{text}")')
    said = refused(popir.LibraryLoadError, lambda: built(library, "Absent"))
    assert "has no symbol 'Absent'" in said


@pytest.mark.parametrize(
    ("declaration", "words"),
    [
        ("char custom_op_api_level[3] = {2}", "has 3 bytes; it must be an integer of 1, 2, 4 or 8"),
        ("struct { char x[16]; } custom_op_api_level", "has 16 bytes; it must be an integer of"),
        ("void custom_op_api_level() {}", "is no variable; it must be an integer"),
        ("thread_local int custom_op_api_level = 2", "is no variable; it must be an integer"),
        ('asm(".globl custom_op_api_level\\n.set custom_op_api_level, 2")', "is no variable"),
        ("std::int64_t custom_op_api_level = 1LL << 32 | 2", "is of API level 4294967298"),
        ("std::int8_t custom_op_api_level = -1", "is of API level -1"),
    ],
)
def test_a_level_that_is_no_integer(tmp_path: Path, declaration: str, words: str) -> None:
    library = of_level(tmp_path, declaration)
    said = refused(popir.LibraryLoadError, lambda: built(library, "Build"))
    assert words in said
    assert library in said


def of_level(folder: Path, declaration: str) -> str:
    """A library with a declaration of its level."""
    source, library = folder / "level.cpp", folder / "level.so"
    source.write_text(f'#include <cstdint>\nextern "C" {{ {declaration}; void Build() {{}} }}\n')
    run(CXX, "-shared", "-fPIC", source, "-o", library, cwd=folder)
    return str(library)


def test_a_missing_gradient_is_said_when_it_is_asked_for(user_library: UserLibrary) -> None:
    library = user_library("features")
    model = builder()
    x = model.addInitializedInputTensor(X)
    (y,) = precompiled_user_op([x], library, outs=outs([3]), op_name="InPlace")
    said = refused(popir.MissingGradientError, lambda: gradients(model, y, x))
    assert f"The library '{library}' has no symbol 'InPlace_grad'" in said
    model = builder()
    x = model.addInitializedInputTensor(X)
    (y,) = cpu_user_operation([x], library, outs=outs([3]), op_name="Documented")
    said = refused(popir.MissingGradientError, lambda: gradients(model, y, x))
    assert "'Documented_grad'" in said


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("Throws", popir.poplibs_exception, "five is not 1"),
        ("ThrowsInt", popir.popart_exception, "It threw something that is no std::exception"),
        ("ThrowsOwn", popir.popart_exception, "own words"),
        ("Divides", popir.popart_exception, "it divides an integer by zero, or the least"),
        ("DividesMetadata", popir.popart_exception, "it divides an integer by zero, or the least"),
        ("DividesAllocator", popir.popart_exception, "it divides an integer by zero, or the least"),
        ("Null", popir.popart_exception, "gives no tensor as output 0, which is FLOAT[3]"),
        ("WrongShape", popir.popart_exception, "a tensor of float [7]; declared is FLOAT[3]"),
        ("WrongType", popir.popart_exception, "a tensor of int [3]; declared is FLOAT[3]"),
        ("OtherGraph", popir.popart_exception, "gives as output 0 a tensor of another graph"),
        ("ThrowsMetadata", popir.popart_exception, "no metadata today"),
        ("ManyInPlace", popir.popart_exception, "says that 99 inputs are in place; the operator"),
        ("FarIndex", popir.popart_exception, "names the input -3; the operator has 1 of them"),
        ("BadAllocator", popir.popart_exception, "for input 0, no tensor at all"),
        ("WrongAllocator", popir.popart_exception, "a tensor of half [3]; asked for was float [3]"),
        ("ConstantAllocator", popir.popart_exception, "holds constants or an element twice, so"),
        ("RepeatsAllocator", popir.popart_exception, "each element must have a place of its own"),
        ("ThrowsAllocator", popir.popart_exception, "no room"),
    ],
)
def test_a_function_that_fails(
    user_library: UserLibrary, name: str, kind: type[Exception], words: str
) -> None:
    library = user_library("faults", 2)
    said = refused(kind, lambda: built(library, name))
    assert words in said and f"'{library}'" in said and name in said
    assert "IpuUserOp" in said and "UserOp" in said, "the node is named"
    assert np.array_equal(built(library, "Fine")[0], X), "the library can still be used"


@pytest.mark.parametrize("operands", [(5, 0), (-(2**31), -1)])
@pytest.mark.parametrize("count", [1, 3000])
def test_a_codelet_that_divides_without_a_result(
    user_library: UserLibrary, tmp_path: Path, operands: tuple[int, int], count: int
) -> None:
    """It ends the run, not the process, and the next run is a good one."""
    (tmp_path / "divides.cpp").write_text(
        """
#include <poplar/Vertex.hpp>
class Divides : public poplar::MultiVertex {
 public:
  poplar::Input<poplar::Vector<int>> x;
  poplar::Output<poplar::Vector<int>> y;
  bool compute(unsigned worker) {
    for (unsigned i = 0; worker == 0 && i + 1 < x.size(); i += 2)
      y[i] = y[i + 1] = x[i] / x[i + 1];
    return true;
  }
};
"""
    )
    library = user_library("faults", 2)
    model = builder()
    x = model.addInputTensor("INT32", [2 * count], "x")
    (y,) = precompiled_user_op(
        [x],
        library,
        tmp_path / "divides.cpp",
        outs([2 * count], dtype=np.int32),
        op_name="DividesByCodelet",
    )
    model.addOutputTensor(y)
    session = inference(model, [y])
    good = np.int32([17, 5] * count)
    for _ in range(2):
        bad = good.copy()
        bad[-2:] = operands
        with pytest.raises(popir.poplar_application_runtime_error) as caught:
            stepped(session, {x: bad})
        said = str(caught.value)
        assert "'Divides'" in said and "it divides an integer by zero, or the least" in said
        assert "IpuUserOp" in said and library in said and "divides.cpp" in said
        assert np.array_equal(stepped(session, {x: good})[y], np.full(2 * count, 3))


def test_an_unknown_vertex(user_library: UserLibrary) -> None:
    with pytest.raises(popir.poplar_exception, match=r"Nowhere.*NoVertex\(\) of"):
        built(user_library("faults", 2), "NoVertex")


def test_too_few_outputs(user_library: UserLibrary) -> None:
    library = user_library("faults", 2)
    said = refused(popir.popart_exception, lambda: built(library, "TooFew", outs=outs([3], [3])))
    assert "gives 1 outputs; expected are 2. Output 1 is FLOAT[3]" in said


def test_metadata_of_level_5(user_library: UserLibrary) -> None:
    library = user_library("faults", 5)
    said = refused(popir.popart_exception, lambda: built(library, "FarOutput"))
    assert "names the output 4; the operator has 1 of them" in said
    said = refused(popir.popart_exception, lambda: built(library, "OtherLevel"))
    assert "has written what its arguments cannot hold" in said and "level than 5" in said


def test_a_gradient_that_fails(user_library: UserLibrary) -> None:
    for name, words in (("ThrowsGrad", "no way back"), ("FewGrad", "gives 0 outputs; expected")):
        model = builder()
        x = model.addInitializedInputTensor(X)
        (y,) = precompiled_user_op([x], user_library("faults", 2), outs=outs([3]), op_name=name)
        said = refused(popir.popart_exception, lambda model=model, y=y, x=x: gradients(model, y, x))
        assert words in said and f"{name}_grad" in said


@pytest.mark.parametrize("which", ["attributes", "gradient_attributes"])
def test_attributes_are_text(user_library: UserLibrary, which: str) -> None:
    for add in (precompiled_user_op, cpu_user_operation):
        model = builder()
        x = model.addInitializedInputTensor(X)
        library = user_library("features")
        with pytest.raises(ValueError, match=f"Expected {which} to be a 'str' type, but was"):
            add([x], library, outs=outs([3]), op_name="Stateful", **{which: {"a": 1}})


@pytest.mark.parametrize(
    ("given_outs", "words"),
    [
        ({"output_types": [np.float32]}, "a dict with the keys 'output_types' and 'output_shapes'"),
        ({**outs([3]), "more": 1}, "given was ['more', 'output_shapes', 'output_types']"),
        ({"output_types": [np.float32], "output_shapes": []}, "1 types and output_shapes 0 shapes"),
        ({"output_types": ["floaty"], "output_shapes": [[1]]}, "'floaty' is not an element type"),
        ({"output_types": [np.float32], "output_shapes": [[1, None]]}, "whole sizes, all known"),
        ({"output_types": [np.float32], "output_shapes": [[-1]]}, "whole sizes, all known"),
    ],
)
def test_outs_that_are_none(user_library: UserLibrary, given_outs: Any, words: str) -> None:
    library = user_library("features")
    said = refused(
        popir.OperatorAttributeError, lambda: built(library, "Stateful", outs=given_outs)
    )
    assert words in said


def test_arguments_that_do_not_fit(user_library: UserLibrary) -> None:
    library = user_library("features")
    model = builder()
    x = model.addInitializedInputTensor(X)
    for wrong in ({"inputs": x}, {"outs": [np.float32]}, {"inputs_with_gradients": ["a"]}):
        arguments: dict[str, Any] = {"inputs": [x], "library_path": library, **wrong}
        said = refused(popir.popart_exception, lambda a=arguments: precompiled_user_op(**a))
        assert "precompiled_user_op takes a" in said
    for wanted in ([1], [-1]):
        with pytest.raises(
            popir.popart_exception, match=r"inputs_with_gradients has .*has 1 inputs"
        ):
            precompiled_user_op(
                [x],
                library,
                outs=outs([3]),
                op_name="Stateful",
                inputs_with_gradients=wanted,
            )
    with pytest.raises(
        popir.OperatorAttributeError, match="callback_abi is 'called' or 'documented'"
    ):
        cpu_user_operation([x], library, outs=outs([3]), callback_abi="cdecl")
    with pytest.raises(popir.OperatorAttributeError, match="time_limit is a number of seconds"):
        cpu_user_operation([x], library, outs=outs([3]), time_limit=-1)


@pytest.mark.parametrize(
    ("attributes", "kind", "words"),
    [
        (
            {"output_shapes": ["3", "4"]},
            popir.OperatorAttributeError,
            "1 types and output_shapes 2",
        ),
        ({"output_shapes": ["a"]}, popir.OperatorAttributeError, "expected are sizes with commas"),
        ({"output_shapes": ["-2"]}, popir.OperatorAttributeError, "expected are sizes with commas"),
        ({"output_types": [99]}, popir.OperatorAttributeError, "99 is not an element type"),
        ({"output_types": [14]}, popir.OperatorInputError, "DataType.COMPLEX64"),
        (
            {"output_types": [17]},
            popir.OperatorInputError,
            "the interface has no such",
        ),
        ({"inputs_with_gradients": [3]}, popir.OperatorAttributeError, "names the input 3; the"),
        ({"inputs_with_gradients": [0, 0]}, popir.OperatorAttributeError, "names an input twice"),
        ({"op_name": "Nowhere"}, popir.LibraryLoadError, "has no symbol 'Nowhere'"),
        ({"gp_path": "/nowhere.cpp"}, popir.LibraryLoadError, "There is no file '/nowhere.cpp'"),
        ({"output_types": [1, 1]}, popir.OperatorAttributeError, "2 types and output_shapes 1"),
        (
            {"op_name": b"\xff"},
            popir.OperatorAttributeError,
            "'op_name' is text in UTF-8; given was",
        ),
        (
            {"gp_path": b"\xff"},
            popir.OperatorAttributeError,
            "'gp_path' is text in UTF-8; given was",
        ),
        ({"output_shapes": [b"\xff"]}, popir.OperatorAttributeError, "'output_shapes' is text in"),
        (
            {"output_types": [], "output_shapes": []},
            popir.OperatorAttributeError,
            "names 1 output",
        ),
        ({"output_shapes": ["4611686018427387904"]}, popir.ModelError, "output 0"),
    ],
)
def test_nodes_that_do_not_fit(
    user_library: UserLibrary, attributes: dict[str, Any], kind: type[Exception], words: str
) -> None:
    library = popir.load_op_library(user_library("features"))
    node = {"library_path": str(library), "op_name": "Stateful", "output_types": [1]}
    model = builder()
    x = model.addInitializedInputTensor(X)
    (y,) = model.customOp(
        "IpuUserOp",
        1,
        "ai.graphcore.tensorflow",
        [x],
        {**node, "output_shapes": ["3"], **attributes},
        1,
    )
    model.addOutputTensor(y)
    assert words in refused(kind, lambda: inference(model, [y]))


def test_a_model_alone_loads_nothing(tmp_path: Path) -> None:
    """A file that a model names is not run, wherever it lies, unless somebody has loaded it."""
    source = tmp_path / "trap.cpp"
    flag = tmp_path / "sprung"
    source.write_text(
        "#include <fstream>\n"
        f'struct Trap {{ Trap() {{ std::ofstream("{flag}") << 1; }} }} trap;\n'
        'extern "C" { int custom_op_api_level = 2; void Build() {} }\n'
    )
    run(CXX, "-shared", "-fPIC", source, "-o", tmp_path / "libtrap.so", cwd=tmp_path)
    for type, more in (("IpuUserOp", {"gp_path": "a.cpp"}), ("IpuUserReadWriteOp", {})):
        model = builder()
        x = model.addInitializedInputTensor(X)
        node = {"library_path": str(tmp_path / "libtrap.so"), "op_name": "Build", **more}
        node |= {"output_types": [1], "output_shapes": ["3"]}
        (y,) = model.customOp(type, 1, "ai.graphcore.tensorflow", [x], node, 1)
        model.addOutputTensor(y)
        said = refused(popir.LibraryLoadError, lambda model=model, y=y: inference(model, [y]))
        assert "libtrap.so' is not loaded: a model alone does not run" in said
    assert not flag.exists()


def test_codelets_of_a_model_lie_beside_its_library(
    user_library: UserLibrary, tmp_path: Path
) -> None:
    library = str(popir.load_op_library(user_library("features")))
    elsewhere = tmp_path / "elsewhere.cpp"
    elsewhere.write_text("#error compiled")
    model = builder()
    x = model.addInitializedInputTensor(X)
    node = {"library_path": library, "op_name": "Stateful", "gp_path": str(elsewhere)}
    node |= {"output_types": [1], "output_shapes": ["3"]}
    (y,) = model.customOp("IpuUserOp", 1, "ai.graphcore.tensorflow", [x], node, 1)
    model.addOutputTensor(y)
    said = refused(popir.LibraryLoadError, lambda: inference(model, [y]))
    assert "elsewhere.cpp' are not loaded. A model may use those that lie in the folder" in said


def test_codelets_that_do_not_compile(user_library: UserLibrary, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.cpp"
    wrong.write_text("#error not like this")
    model = builder()
    x = model.addInitializedInputTensor(X)
    (y,) = precompiled_user_op([x], user_library("features"), wrong, outs([3]), op_name="ByCodelet")
    with pytest.raises(popir.poplar_exception, match="not like this"):
        given(model, y)
    with pytest.raises(popir.LibraryLoadError, match=r"There is no file '/nowhere.gp'"):
        precompiled_user_op([x], user_library("features"), "/nowhere.gp", outs([3]))


@pytest.mark.parametrize("add", [precompiled_user_op, cpu_user_operation])
def test_a_name_of_data_is_no_function(add: Any, tmp_path: Path) -> None:
    """It is not called: that would end the process."""
    source, library = tmp_path / "data.cpp", str(tmp_path / "data.so")
    source.write_text('extern "C" { int custom_op_api_level = 5; double values[4] = {1}; }\n')
    run(CXX, "-shared", "-fPIC", source, "-o", library, cwd=tmp_path)
    for name in ("values", "custom_op_api_level"):
        with pytest.raises(popir.LibraryLoadError, match=f"symbol '{name}' of .* is data"):
            built(library, name, add)


@pytest.mark.parametrize("name", ["attributes", "gradient_attributes"])
def test_attributes_that_the_function_does_not_get(user_library: UserLibrary, name: str) -> None:
    model = builder()
    x = model.addInputTensor("FLOAT", [2])
    library = user_library("features", 1)
    y = cpu_user_operation([x], library, outs=outs([2]), **{name: "3"})[0]
    with pytest.raises(
        popir.OperatorAttributeError, match=f"'{name}' are given.*API level 1 gets none"
    ):
        given(model, y)
    model = builder()
    x = model.addInputTensor("FLOAT", [2])
    options = {name: "3", "callback_abi": "documented"}
    y = cpu_user_operation([x], user_library("features"), outs=outs([2]), **options)[0]
    with pytest.raises(popir.OperatorAttributeError, match="callback_abi 'documented' gets none"):
        given(model, y)
