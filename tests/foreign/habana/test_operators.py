"""Operators of Habana's TensorFlow API: definition, types, attributes, gradients, saving."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import popir
from popir import custom_ops, registry
from popir._device import habana as device
from popir.errors import (
    DuplicateOperatorError,
    LibraryLoadError,
    MissingGradientError,
    OperatorAttributeError,
    OperatorInputError,
    PopirError,
    UnknownOperatorError,
)
from popir.foreign.build import compile_op_library
from popir.foreign.habana import operators
from popir.foreign.habana.tpcc import include
from popir.testing import gradcheck
from popir.types import DataType
from tests.foreign.habana.graphs import model, run, session_of
from tests.toolchain import ROOT

RNG = np.random.default_rng(3)
X = (RNG.standard_normal((4, 70)) * 4).astype(np.float32)
Library = custom_ops.HpuLibrary


@pytest.mark.parametrize("kind", [DataType.FLOAT, DataType.BFLOAT16])
def test_the_kernel_for_the_type_is_taken(library: Library, kind: DataType) -> None:
    x, y = np.full((2, 3), 1456, kind.numpy), np.full((2, 3), 32, kind.numpy)
    (q,) = run(lambda b, x, y: library.ratio_op(x, y, example_attr=23), x, y)
    assert q.dtype == kind.numpy
    np.testing.assert_array_equal(q.astype(np.float32), np.full((2, 3), 45.5))


def test_index_lists_connect_operands(library: Library) -> None:
    (q,) = run(lambda b, x, y: library.ratio_op(x, y, swapped=True), X, X + 30)
    np.testing.assert_allclose(q, (X + 30) / X, rtol=1e-6)


def test_outputs_in_another_order(library: Library, kernels: Path) -> None:
    low, high = run(lambda b, x, y: library.split_sign_op(x, y), X * 0, X)
    np.testing.assert_array_equal(low, np.minimum(X, 0))
    np.testing.assert_array_equal(high, np.maximum(X, 0))


def test_parameters_are_copied(library: Library) -> None:
    (y,) = run(lambda b, x: library.leak_op(x), X)
    np.testing.assert_allclose(y, np.where(X > 0, X, X * np.float32(0.25)), rtol=1e-6)
    (y,) = run(lambda b, x: library.leak_op(x, alpha=2), X)
    np.testing.assert_allclose(y, np.where(X > 0, X, X * 2), rtol=1e-6)


def test_a_shape_from_host_memory(library: Library, kernels: Path) -> None:
    def make(b: popir.Builder, x: str) -> Any:
        return library.fill_shape_op(b.aiOnnx.constant(np.array([3, 5], np.int32)), x)

    (y,) = run(make, X)
    np.testing.assert_array_equal(y, np.full((3, 5), X[0, 0]))


def test_host_memory_that_is_no_constant(library: Library, kernels: Path) -> None:
    shape = np.array([3, 5], np.int32)
    with pytest.raises(OperatorInputError, match="input 0, 'x0', must be a constant"):
        run(lambda b, s, x: library.fill_shape_op(s, x), shape, X)


def test_host_memory_in_segments(library: Library, kernels: Path) -> None:
    """A value that is known at run time is compiled in, for each value anew."""
    proto, (y,) = model(lambda b, s, x: library.fill_shape_op(s, x), np.array([3, 5], np.int32), X)
    segmented = popir.SegmentedModel(onnx.load_from_string(proto))
    for shape in ([3, 5], [2, 2]):
        found = segmented.run({"x0": np.array(shape, np.int32), "x1": X})
        np.testing.assert_array_equal(found[y], np.full(shape, X[0, 0]))


def test_a_functor_is_asked_once_for_a_program(library: Library) -> None:
    proto, outputs = model(lambda b, x: library.ramp6_op(x), X)
    before = device.definitions()
    session = session_of(proto, outputs)
    assert device.definitions() == before + 1
    anchors = session.initAnchorArrays()
    for _ in range(5):
        session.run(popir.PyStepIO({"x0": X}, anchors))
    assert device.definitions() == before + 1
    np.testing.assert_array_equal(anchors[outputs[0]], np.clip(X, 0, 6))


def test_the_gradient_of_a_node(library: Library) -> None:
    given = {"gradient": "Ramp6GradOp", "gradient_inputs": ["grad:0", "out:0"]}
    gradcheck("ai.habana.Ramp6Op", [X[:2, :4]], given)


def test_a_registered_gradient(library: Library) -> None:
    with pytest.raises(MissingGradientError, match="Ramp6Op"):
        gradcheck("ai.habana.Ramp6Op", [X[:2, :4]])
    custom_ops.register_gradient("Ramp6Op", "Ramp6GradOp", ["grad:0", "out:0"])
    try:
        gradcheck("ai.habana.Ramp6Op", [X[:2, :4]])
    finally:
        operators._gradients.clear()


def test_the_limit_of_one_kernel_can_be_lifted(library: Library) -> None:
    with pytest.raises(OperatorInputError, match="an operator is one TPC kernel"):
        run(lambda b, x: library.two_kernels_op(x), X)
    a, b = run(lambda b, x: library.two_kernels_op(x, several_kernels=True), X)
    np.testing.assert_array_equal(a, np.abs(X))
    np.testing.assert_array_equal(b, -X)


WRONG = {
    "nothing": r"its DefineNode\(\) defines no node",
    "status": "WrongOp:1 'n': Unavailable: the weather is bad$",
    "throw": r"its DefineNode\(\) threw: thrown by a functor",
    "throw int": "threw what is no std::exception",
    "input index": "InputInfo: there is no input 3; the node has 1",
    "output info early": "OutputInfo: output 0 is not defined yet",
    "output index": "DefineOutputInfo: there is no output 2; the node has 2",
    "attribute name": "no attribute 'none' in the operator WrongOp",
    "attribute kind": "the attribute 'how' is of type string, and asked for as int",
    "output twice": "DefineOutputInfo: output 0 is defined already",
    "node before outputs": "DefineNode: output 0 is not defined; call DefineOutputInfo before",
    "infos after outputs": "outputs are defined by DefineOutputInfo already; give their indices",
    "too few infos": "DefineNode: 1 outputs are given; the node has 2",
    "node twice": "a node is defined already; an operator is one TPC kernel",
    "operand": "DefineNode: there is no input 5; the node has 1",
    "null parameters": "params_size is 4, and user_params is null",
    "no guid": "the node has no guid",
    "undefined output": "leaves output 1 undefined",
    "uncomputed output": "leaves output 1 without a kernel that computes it",
    "dynamic": r"has the shape \[-1,3\]; outputs of dynamic shape are not supported",
    "type": "defines output 1 as BFLOAT16; the operator is registered with FLOAT",
    "unknown guid": "no TPC kernel 'relu6_fdw_f32'.*Did you mean 'relu6_fwd_f32'",
    "operands of a kernel": "'exp_fwd_f32' has 1 inputs and 1 output; given were 1 and 2",
}


@pytest.mark.parametrize("how", WRONG)
def test_wrong_definitions(library: Library, how: str) -> None:
    with pytest.raises((OperatorInputError, UnknownOperatorError), match=WRONG[how]):
        run(lambda b, x: library.wrong_op(x, how=how, name="n"), X)


Make = Callable[[Library, popir.Builder, str], Any]
ARGUMENTS: dict[str, tuple[Make, type[PopirError], str]] = {
    "count": (
        lambda lib, b, x: lib.ratio_op(x),
        OperatorInputError,
        r"it has 2 inputs \(dividend, divisor\); given were 1",
    ),
    "kind": (
        lambda lib, b, x: lib.ratio_op(x, x, example_attr="x"),
        OperatorAttributeError,
        "'example_attr' is of the kind int; given was 'x'",
    ),
    "name": (
        lambda lib, b, x: lib.ratio_op(x, x, exmple_attr=1),
        OperatorAttributeError,
        "no attribute 'exmple_attr'.*Did you mean 'example_attr'",
    ),
    "types": (
        lambda lib, b, x: lib.ratio_op(x, b.aiOnnx.cast([x], "INT32")),
        OperatorInputError,
        "'T' is float, and its input 'divisor' is of int32",
    ),
    "no kernel": (
        lambda lib, b, x: lib.ratio_op(*[b.aiOnnx.cast([x], "INT32")] * 2),
        UnknownOperatorError,
        "no kernel is registered for T = INT32 by ForHpuWithName; there are kernels for T = float",
    ),
    "not allowed": (
        lambda lib, b, x: lib.ratio_op(*[b.aiOnnx.cast([x], "DOUBLE")] * 2),
        OperatorInputError,
        "'dividend' is of double; 'T' may be float, bfloat16, int32",
    ),
    "given type": (
        lambda lib, b, x: lib.ratio_op(x, x, T=DataType.BFLOAT16),
        OperatorInputError,
        "'T' is bfloat16, and its input 'dividend' is of float",
    ),
    "fixed type": (
        lambda lib, b, x: lib.leak_op(b.aiOnnx.cast([x], "INT32")),
        OperatorInputError,
        "its input 'x' is of float; given was int32",
    ),
    "shape function": (
        lambda lib, b, x: lib.ramp6_grad_op(x, b.aiOnnx.transpose([x], [1, 0])),
        OperatorInputError,
        "Dimension 0 in both shapes must be equal, but are 4 and 70",
    ),
    "status": (
        lambda lib, b, x: lib.ratio_op(x, b.aiOnnx.transpose([x], [1, 0])),
        OperatorInputError,
        r"Invalid argument: shapes differ: \[4,70\] and \[70,4\]",
    ),
    "gradient": (
        lambda lib, b, x: lib.ratio_op(x, x, gradient=5),
        OperatorAttributeError,
        "^ratio_op takes a string as gradient; given was 5.",
    ),
    "stray": (
        lambda lib, b, x: lib.ratio_op(x, x, gradient_inputs=["in:0"]),
        OperatorAttributeError,
        "ratio_op: gradient_inputs are given, and no `gradient` that they are for",
    ),
    "gradient inputs": (
        lambda lib, b, x: lib.ratio_op(x, x, gradient="RatioOp", gradient_inputs=["junk"]),
        OperatorAttributeError,
        "ratio_op: 'junk' is no input of a gradient; write 'grad:N'",
    ),
    "gradient outputs": (
        lambda lib, b, x: lib.ratio_op(x, x, gradient="RatioOp", gradient_outputs=["a"]),
        OperatorAttributeError,
        r"^ratio_op takes a list of integers as gradient_outputs; given was \['a'\].",
    ),
    "gradient of a node": (
        lambda lib, b, x: b.customOp("RatioOp", 1, "ai.habana", [x, x], {"gradient": 5}, 1),
        OperatorAttributeError,
        "'gradient' is 5; expected is text",
    ),
    "several": (
        lambda lib, b, x: lib.ratio_op(x, x, several_kernels="yes"),
        OperatorAttributeError,
        "^ratio_op takes True or False as several_kernels; given was 'yes'.",
    ),
    "full name": (
        lambda lib, b, x: lib.RatioOp(x, x, time_limit_ms="1"),
        OperatorAttributeError,
        "^RatioOp takes an integer as time_limit_ms; given was '1'.",
    ),
    "hpu_op": (
        lambda lib, b, x: custom_ops.hpu_op(lib, "RatioOp", [x, x], name=3),
        OperatorAttributeError,
        "^hpu_op of RatioOp takes a string as name; given was 3.",
    ),
    "no tensor": (
        lambda lib, b, x: lib.ratio_op(x, 2.0),
        OperatorAttributeError,
        r"^ratio_op takes a string as inputs\[1\]; given was 2.0.",
    ),
    "tensors in a list": (
        lambda lib, b, x: lib.ratio_op([x, x]),
        OperatorAttributeError,
        r"^ratio_op takes a string as inputs\[0\]; given was \[",
    ),
    "at least": (
        lambda lib, b, x: b.customOp("SplitSignOp", 1, "ai.habana", [], {}, 2),
        OperatorInputError,
        "'N' is 0; it must be at least 1",
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_wrong_arguments(library: Library, name: str) -> None:
    make, error, words = ARGUMENTS[name]
    expected = (error, OperatorAttributeError) if name == "at least" else error
    with pytest.raises(expected, match=words):
        run(lambda b, x: make(library, b, x), X)


def test_an_operator_that_the_library_does_not_have(library: Library) -> None:
    with pytest.raises(AttributeError, match="has no operator 'ratio'; it has ratio_op, ramp6_op"):
        _ = library.ratio


# Libraries.

REGISTER = """
#include "hpu_kernel.h"
#include "tensorflow/core/framework/op.h"
struct F : habana::BaseFunctor {{ void DefineNode(habana::HpuKernelContext*) override {{}} }};
{}
"""
KERNEL = "REGISTER_KERNEL_BUILDER(ForHpuWithName({}), habana::HpuKernel<F>);"
REFUSED: dict[str, tuple[str, type[PopirError], str]] = {
    "nothing": ("", LibraryLoadError, "loads, but registers no operator"),
    "no such operator": (
        KERNEL.format('"NoneOp"'),
        LibraryLoadError,
        "registers kernels of NoneOp, and no such operator",
    ),
    "twice": (
        'REGISTER_OP("SameOp").Input("x: float"); REGISTER_OP("SameOp").Input("x: float");',
        DuplicateOperatorError,
        "registers SameOp more than once",
    ),
    "taken": (
        'REGISTER_OP("RatioOp").Input("x: float");',
        DuplicateOperatorError,
        "RatioOp:1 of .* is refused: .*has registered the name RatioOp",
    ),
    "argument": (
        'REGISTER_OP("OddOp").Input("x float");',
        LibraryLoadError,
        "'x float' is no input or output",
    ),
    "type": (
        'REGISTER_OP("OddOp").Input("x: Q");',
        LibraryLoadError,
        "'x' is of the type 'Q', which is neither a type nor an attribute",
    ),
    "attribute": (
        'REGISTER_OP("OddOp").Attr("f: func");',
        LibraryLoadError,
        "'f: func' is no attribute",
    ),
    "host memory output": (
        'REGISTER_OP("OddOp").Input("x: float").Output("y: float");'
        + KERNEL.format('"OddOp").HostMemory("y"'),
        LibraryLoadError,
        "'y' as a HostMemory output, which is not supported",
    ),
    "host memory": (
        'REGISTER_OP("OddOp").Input("x: float");' + KERNEL.format('"OddOp").HostMemory("z"'),
        LibraryLoadError,
        "has no input 'z' to be HostMemory",
    ),
    "constraint": (
        'REGISTER_OP("OddOp").Input("x: float");'
        + KERNEL.format('"OddOp").TypeConstraint<float>("T"'),
        LibraryLoadError,
        "has a kernel for 'T', which is no type of it",
    ),
    "label": (
        'REGISTER_OP("OddOp").Input("x: float");' + KERNEL.format('"OddOp").Label("fast"'),
        LibraryLoadError,
        "has a kernel with the label 'fast'",
    ),
    "the same kernel": (
        'REGISTER_OP("OddOp").Input("x: float");' + 2 * KERNEL.format('"OddOp"'),
        DuplicateOperatorError,
        "OddOp of .* has two kernels for the same types, with the same priority",
    ),
    "name": (
        'REGISTER_OP("odd op").Input("x: float");',
        LibraryLoadError,
        "registers the operator 'odd op', which is no name of an operator",
    ),
    "throws": (
        'static const int thrown = [] { throw std::runtime_error("early"); return 0; }();',
        LibraryLoadError,
        "early.*static initialisers must not let exceptions out",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_libraries(library: Library, name: str) -> None:
    text, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        custom_ops.build_hpu_library(REGISTER.format(text), name=f"refused_{name.split()[0]}")


def test_a_library_that_is_not_there() -> None:
    with pytest.raises(LibraryLoadError, match=r"There is no operator library '/none/libnone\.so'"):
        custom_ops.load_hpu_library("/none/libnone.so")


def test_a_replaced_library(tmp_path: Path) -> None:
    text = """
struct N : habana::BaseFunctor {{
  void DefineNode(habana::HpuKernelContext* context) override {{
    habana::TensorInfo x;
    OP_REQUIRES_OK(context, context->InputInfo(0, x));
    const std::vector<habana::TensorInfo> outputs{{x}};
    OP_REQUIRES_OK(context, context->DefineNode({{"{}"}}, {{0}}, outputs));
  }}
}};
REGISTER_OP("ReplacedOp").Input("x: float").Output("y: float");
REGISTER_KERNEL_BUILDER(ForHpuWithName("ReplacedOp"), habana::HpuKernel<N>);
"""
    file = tmp_path / "libreplaced.so"
    for guid, reference in (("neg_fwd_f32", np.negative), ("abs_fwd_f32", np.abs)):
        source = REGISTER.format(text.format(guid))
        built = compile_op_library(source, "replaced", [f"-I{include()}"])
        file.unlink(missing_ok=True)
        file.write_bytes(built.library.read_bytes())
        loaded = custom_ops.load_hpu_library(file)
        (y,) = run(lambda b, x, loaded=loaded: loaded.replaced_op(x), X)
        np.testing.assert_array_equal(y, reference(X))


def test_saved_and_loaded_in_a_new_process(library: Library, tmp_path: Path) -> None:
    """The node names its library, which has to be loaded: a model alone loads nothing."""
    proto, (y,) = model(lambda b, x: library.ramp6_op(x), X)
    (tmp_path / "model.onnx").write_bytes(proto)
    np.save(tmp_path / "x.npy", X)
    script = f"""
import numpy as np, popir
x = np.load("x.npy")
device = popir.DeviceManager().createCpuDevice()
try:
    popir.InferenceSession("model.onnx", popir.DataFlow(1, ["{y}"]), device)
    raise SystemExit("The model alone has loaded the library.")
except popir.LibraryLoadError as error:
    assert "a model alone loads no library" in str(error), error
print(popir.load_op_library({library.path!r}).operators)
session = popir.InferenceSession("model.onnx", popir.DataFlow(1, ["{y}"]), device)
session.prepareDevice()
anchors = session.initAnchorArrays()
session.run(popir.PyStepIO({{"x0": x}}, anchors))
np.save("y.npy", anchors["{y}"])
"""
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.clip(X, 0, 6))


def test_a_saved_model_without_its_library(library: Library) -> None:
    proto, (y,) = model(lambda b, x: library.ramp6_op(x), X)
    changed = onnx.load_from_string(proto)
    changed.graph.node[0].op_type = "OtherOp"
    for attribute in changed.graph.node[0].attribute:
        if attribute.name == "library":
            attribute.s = b"/none/libgone.so"
    with pytest.raises(
        LibraryLoadError, match=r"OtherOp of this model needs .*'/none/libgone\.so'"
    ):
        session_of(changed.SerializeToString(), [y])


def test_operators_are_listed_with_their_library(library: Library) -> None:
    (entry,) = registry.named("ai.habana.RatioOp")
    assert entry.source == library.path


def test_clusters_of_operators_of_libraries(library: Library) -> None:
    """A functor is asked when its cluster is compiled for new shapes, and not in other runs."""

    def make(b: popir.Builder, x: str) -> Any:
        y = library.ramp6_op(b.aiOnnx.mul([x, x]))
        return b.aiOnnx.sqrt([library.ratio_op(b.aiOnnx.softmax([y]), y)])

    proto, (y,) = model(make, X)
    loaded = onnx.load_from_string(proto)
    for value in (*loaded.graph.input, *loaded.graph.output):
        value.type.tensor_type.shape.dim[0].Clear()
    clustered = popir.ClusteredModel(loaded, host=["Softmax"])
    assert [len(each.nodes) for each in clustered.clusters] == [2, 1, 2]
    square = np.minimum(X * X, 6)
    soft = np.exp(square) / np.exp(square).sum(1, keepdims=True)
    counts: list[int] = []
    for x in (X, X, X[:2], X):
        before = device.definitions()
        found = clustered.run({"x0": x})[y]
        np.testing.assert_allclose(found, np.sqrt(soft / square)[: len(x)], rtol=1e-4)
        counts.append(device.definitions() - before)
    assert counts == [2, 0, 2, 0]
    assert "on the host: it was asked for" in clustered.report()
    eager = popir.ClusteredModel(loaded, eager=True)
    np.testing.assert_allclose(eager.run({"x0": X})[y], np.sqrt(soft / square), rtol=1e-4)
    assert eager.compiled == 5


@pytest.mark.parametrize("outputs", [["y"], ["", "y"]])
def test_an_output_that_the_model_leaves_out(
    library: Library, kernels: Path, outputs: list[str]
) -> None:
    """The kernel writes it all the same, and nobody reads it."""
    proto, _ = model(lambda b, x: library.split_sign_op(x), X)
    loaded = onnx.load_from_string(proto)
    (node,) = loaded.graph.node
    both = session_of(proto, [*node.output])
    anchors = both.initAnchorArrays()
    both.run(popir.PyStepIO({"x0": X}, anchors))
    expected = anchors[node.output[outputs.index("y")]]
    del node.output[:], loaded.graph.output[:]
    node.output.extend(outputs)
    loaded.graph.output.append(onnx.ValueInfoProto(name="y"))
    session = session_of(loaded.SerializeToString(), ["y"])
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x0": X}, anchors))
    np.testing.assert_array_equal(anchors["y"], expected)
