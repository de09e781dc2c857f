"""The Builder: inputs, outputs, operators, ids, queries, files."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from popir import registry
from popir.builder import Builder
from popir.errors import ModelError, popart_exception
from popir.onnxio.importer import import_model
from popir.types import DataType, ReductionType, TensorInfo
from tests.onnxio import ops

IMAGE = TensorInfo("FLOAT", [1, 2, 8, 8])


@pytest.fixture(autouse=True)
def _own_operators() -> Iterator[None]:
    with registry.scoped():
        ops.register()
        yield


def proto(builder: Builder) -> onnx.ModelProto:
    return onnx.load_model_from_string(builder.getModelProto())


def test_a_small_network_is_a_model_that_onnx_accepts_and_onnxruntime_runs() -> None:
    builder = Builder()
    x = builder.addInputTensor(IMAGE)
    w = builder.addInitializedInputTensor(np.full((3, 2, 3, 3), 0.5, np.float32))
    op = builder.aiOnnxOpset11
    y = op.conv([x, w], pads=[1, 1, 1, 1], strides=[2, 2])
    y = builder.customOp("LeakyRelu", 6, "ai.onnx", [y], {"alpha": 0.1})[0]
    y = op.softmax([op.reshape([y, op.constant(np.array([1, 48]))])])
    builder.addOutputTensor(y)
    model = proto(builder)
    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node] == [
        "Conv",
        "LeakyRelu",
        "Constant",
        "Reshape",
        "Softmax",
    ]
    session = onnxruntime.InferenceSession(
        builder.getModelProto(), providers=["CPUExecutionProvider"]
    )
    (found,) = session.run(None, {x: np.ones((1, 2, 8, 8), np.float32)})
    assert np.asarray(found).sum() == pytest.approx(1)


def test_ids() -> None:
    builder = Builder()
    op = builder.aiOnnx
    info = TensorInfo("FLOAT", [2])
    ids = [builder.addInputTensor(info) for _ in range(3)]
    assert ids == ["input", "input/1", "input/2"]
    assert builder.addInputTensor(info, "image") == "image"
    assert builder.addInitializedInputTensor(np.ones(2)) == "init_input"
    assert builder.addInitializedInputTensor(np.ones(2), "weights") == "weights"
    assert [op.relu([ids[0]]) for _ in range(3)] == ["Relu:0", "Relu:0/1", "Relu:0/2"]
    assert op.relu([ids[0]], debugContext="act") == "act/Relu:0"
    assert op.relu([ids[0]], "act") == "act/Relu:0/1"
    assert op.split([ids[0]], 2) == ["Split:0", "Split:1"]
    with builder.nameScope("outer"), builder.nameScope("inner"):
        assert builder.getNameScope() == "outer/inner/"
        assert builder.getNameScope("x") == "outer/inner/x"
        assert op.relu([ids[0]]) == "outer/inner/Relu:0"
        assert op.relu([ids[0]], "act") == "outer/inner/act/Relu:0"
        assert builder.addInputTensor(info) == "outer/inner/input"
    assert builder.getNameScope() == ""
    names = [node.name for node in proto(builder).graph.node]
    assert names == ["", "", "", "act", "act", "", "outer/inner/Relu", "outer/inner/act"]


def test_ways_to_add_an_input() -> None:
    builder = Builder()
    builder.addInputTensor(TensorInfo("FLOAT16", [1, 2]), debugContext="a")
    builder.addInputTensor("INT32", [3], "b")
    builder.addInputTensor(DataType.BOOL, [])
    builder.addInputTensor(np.float64, [4], debugContext="c")
    builder.addInputTensor(dataType="UINT8", shape=[5])
    found = [(value.name, value.type.tensor_type) for value in proto(builder).graph.input]
    assert [
        (id, kind.elem_type, [dim.dim_value for dim in kind.shape.dim]) for id, kind in found
    ] == [
        ("a", 10, [1, 2]),
        ("b", 6, [3]),
        ("input", 9, []),
        ("c", 11, [4]),
        ("input/1", 2, [5]),
    ]
    assert [builder.getTensorDtypeString(id) for id, _ in found] == [
        "float16",
        "int32",
        "bool",
        "float64",
        "uint8",
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.bool_, np.int8])
def test_initialized_inputs(dtype: type) -> None:
    values = np.array([[1, 0], [1, 1]]).astype(dtype)
    builder = Builder()
    id = builder.addInitializedInputTensor(values[:, ::-1])
    assert builder.isInitializer(id)
    assert builder.getTrainableTensorIds() == [id]
    assert builder.getTensorShape(id) == [2, 2]
    np.testing.assert_array_equal(
        numpy_helper.to_array(proto(builder).graph.initializer[0]), values[:, ::-1]
    )


def test_initialized_input_that_is_no_array() -> None:
    with pytest.raises(popart_exception) as error:
        Builder().addInitializedInputTensor([1.0, 2.0])
    assert str(error.value) == "addInitializedInputTensor takes a numpy array; given was list."


def test_what_the_model_has() -> None:
    builder = Builder()
    x = builder.addInputTensor(IMAGE)
    w = builder.addInitializedInputTensor(np.ones((2, 2, 3, 3), np.float32))
    y = builder.aiOnnx.conv([x, w])
    z = builder.aiOnnx.relu([y])
    builder.addOutputTensor(z)
    assert builder.getInputTensorIds() == [x, w]
    assert builder.getOutputTensorIds() == [z]
    assert builder.getValueTensorIds() == [y, z]
    assert not builder.isInitializer(x)
    assert builder.getTensorShape(x) == [1, 2, 8, 8]


def test_shapes_by_the_registered_operators_and_else_by_onnx() -> None:
    builder = Builder()
    op = builder.aiOnnxOpset11
    x = builder.addInputTensor("FLOAT", [2, 3])
    y = op.reshape([x, op.constant(np.array([3, 2]))])
    assert builder.getTensorShape(y) == [3, 2]
    assert builder.getTensorDtypeString(y) == "float32"
    z = op.nonmaxsuppression(
        [builder.addInputTensor("FLOAT", [1, 4, 4]), builder.addInputTensor("FLOAT", [1, 1, 4])]
    )
    with pytest.raises(popart_exception, match=r"ai\.onnx\.NonMaxSuppression\) runs on the host"):
        builder.getTensorShape(z)
    with registry.scoped():
        registry._state.ops.clear()
        assert builder.getTensorShape(op.transpose([y])) == [2, 3]


def test_dimensions_that_a_loaded_model_leaves_open_are_0() -> None:
    """As in PopART: programs put the batch in their place, and give it by an InputShapeInfo."""
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Relu", ["y"], ["z"])],
            "open",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["N", 4])],
            [helper.make_tensor_value_info("z", TensorProto.FLOAT16, ["N", 3])],
            [numpy_helper.from_array(np.ones((4, 3), np.float16), "w")],
        ),
        opset_imports=[helper.make_opsetid("", 13)],
    )
    builder = Builder(model.SerializeToString())
    assert [builder.getTensorShape(id) for id in ("x", "w", "z")] == [[0, 4], [4, 3], [0, 3]]
    assert [builder.getTensorDtypeString(id) for id in ("x", "z")] == ["float16", "float16"]
    with pytest.raises(ModelError, match=r"'x' has the shape \['N', 4\]; popir compiles for known"):
        builder.getTensorShape("y")


def test_each_operator_is_set_up_once() -> None:
    """getTensorShape after each of n operators costs time linear in n."""
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [2, 3])
    count = 0
    original = ops.SameShapeOp.setup

    def counting(self: ops.SameShapeOp) -> None:
        nonlocal count
        count += 1
        original(self)

    ops.SameShapeOp.setup = counting  # type: ignore[method-assign]
    try:
        for _ in range(50):
            x = builder.aiOnnx.relu([x])
            assert builder.getTensorShape(x) == [2, 3]
    finally:
        ops.SameShapeOp.setup = original  # type: ignore[method-assign]
    assert count == 50


def test_shape_follows_a_changed_attribute() -> None:
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [4, 6])
    parts = builder.aiOnnx.split([x], 2)
    assert builder.getTensorShape(parts[0]) == [2, 6]
    builder.removeNodeAttribute("axis", parts)
    builder.addNodeAttribute("axis", 1, parts)
    assert builder.getTensorShape(parts[0]) == [4, 3]


def test_unknown_tensors() -> None:
    builder = Builder()
    builder.addInputTensor(IMAGE, "image")
    with pytest.raises(popart_exception) as error:
        builder.getTensorShape("imag")
    assert str(error.value) == "imag is not a known tensor of the model. Did you mean 'image'?"
    with pytest.raises(popart_exception) as error:
        builder.addOutputTensor("imagee")
    assert str(error.value) == "Unknown tensor 'imagee' cannot be an output. Did you mean 'image'?"
    with pytest.raises(popart_exception, match=r"a string as outputName; given was \['image'\]"):
        builder.addOutputTensor(["image"])  # pyright: ignore[reportArgumentType]


def test_outputs_are_declared_with_type_and_shape() -> None:
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [2, 3])
    y = builder.customOp("Own", 1, "com.acme", [x])[0]
    builder.addOutputTensor(builder.aiOnnx.relu([x]))
    known = proto(builder).graph.output[0].type.tensor_type
    assert (known.elem_type, [dim.dim_value for dim in known.shape.dim]) == (1, [2, 3])
    builder.addOutputTensor(y)
    assert not proto(builder).graph.output[1].HasField("type")


@pytest.mark.parametrize(("opset", "ir"), [(6, 3), (8, 3), (9, 4), (10, 5), (11, 6)])
def test_ir_version_and_initializers(opset: int, ir: int) -> None:
    """Before IR version 4, an initializer is an input too."""
    builder = Builder(opsets={"ai.onnx": opset})
    x = builder.addInputTensor("FLOAT", [2])
    w = builder.addInitializedInputTensor(np.ones(2, np.float32))
    builder.addOutputTensor(builder.aiOnnx.sum([x, w]))
    model = proto(builder)
    onnx.checker.check_model(model)
    assert model.ir_version == ir
    assert [value.name for value in model.graph.input] == ([x, w] if ir < 4 else [x])
    assert builder.getInputTensorIds() == [x, w]


def test_the_model_is_the_same_each_time() -> None:
    builder = Builder()
    builder.addOutputTensor(builder.aiOnnx.relu([builder.addInputTensor(IMAGE)]))
    assert builder.getModelProto() == builder.getModelProto()


def test_graph_name_and_replication_factor() -> None:
    builder = Builder()
    assert proto(builder).graph.name == "BuilderGraph"
    builder.setGraphName("mine")
    builder.embedReplicationFactor(4)
    model = proto(builder)
    assert model.graph.name == "mine"
    assert [(item.key, item.value) for item in model.metadata_props] == [
        ("__replicationFactor", "4")
    ]


def test_save_and_go_on(tmp_path: Path) -> None:
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [2, 3])
    w = builder.addInitializedInputTensor(np.ones((2, 3), np.float32))
    y = builder.aiOnnxOpset11.add([x, w])
    builder.addOutputTensor(y)
    path = tmp_path / "model.onnx"
    builder.saveModelProto(path)
    for source in (path, str(path), builder.getModelProto(), proto(builder)):
        again = Builder(source)
        assert again.getInputTensorIds() == [x]
        assert again.getTrainableTensorIds() == [w]
        assert again.getOutputTensorIds() == [y]
        assert again.aiOnnx.add([y, w]) == "Add:0/1"
        assert again.getTensorShape("Add:0/1") == [2, 3]
        again.addNodeAttribute("__mine", 1, [y])
        again.addOutputTensor("Add:0/1")
        assert import_model(again.getModelProto()).opsets == {"ai.onnx": 11}


def test_model_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: No such file or directory"):
        Builder(str(tmp_path / "none.onnx"))
    with pytest.raises(ModelError, match="is no ONNX model, or is cut off"):
        Builder(b"\x08\x07nothing")


def test_weights_outside_of_the_file_are_taken_in(tmp_path: Path) -> None:
    builder = Builder()
    w = builder.addInitializedInputTensor(np.arange(6, dtype=np.float32))
    builder.addOutputTensor(builder.aiOnnx.relu([w]))
    path = tmp_path / "model.onnx"
    onnx.save(proto(builder), path, save_as_external_data=True, size_threshold=0)
    np.testing.assert_array_equal(
        numpy_helper.to_array(proto(Builder(path)).graph.initializer[0]), np.arange(6)
    )


@pytest.mark.parametrize("opset", [6, 9, 13, 14, 19, 21])
def test_reshape_const(opset: int) -> None:
    builder = Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [2, 3])
    y = builder.reshape_const(builder.aiOnnx, [x], [6, 1])
    assert builder.getTensorShape(y) == [6, 1]
    named = builder.reshape_const(builder.aiOnnx, [x], [3, 2], "mine")
    assert named == "mine/Reshape:0"
    assert builder.getTensorShape(builder.reshape_const(builder.aiOnnx, [x], [3.0, 2])) == [3, 2]
    with pytest.raises(popart_exception, match=r"one tensor and whole dimensions .* \[1.5, 4.0\]"):
        builder.reshape_const(builder.aiOnnx, [x], [1.5, 4])


@pytest.mark.parametrize("more", [(), (False,)])
def test_constant_as_popart_is_called(more: tuple[bool, ...]) -> None:
    builder = Builder()
    id = builder.aiOnnxOpset11.constant(np.array([1.5], np.float32), *more)
    (node,) = proto(builder).graph.node
    assert id == "Constant:0"
    assert [attribute.name for attribute in node.attribute] == ["value"]


def test_enumerations_stand_for_their_names() -> None:
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [2, 3])
    loss = builder.aiGraphcore.identityloss([x], reduction=ReductionType.Sum)
    assert builder.getStringNodeAttribute("reduction", [loss]) == "Sum"


# Subgraphs.


def test_branches_of_an_if() -> None:
    builder = Builder()
    op = builder.aiOnnxOpset11
    x = builder.addInputTensor("FLOAT", [2])
    condition = builder.addInputTensor("BOOL", [])
    branches: list[Builder] = []
    for method in ("relu", "neg"):
        branch = builder.createSubgraphBuilder()
        branch.addOutputTensor(getattr(branch.aiOnnx, method)([x]))
        branches.append(branch)
    y = op.logical_if([condition], 1, branches[1], branches[0])[0]
    builder.addOutputTensor(y)
    model = proto(builder)
    inferred = onnx.shape_inference.infer_shapes(model)
    onnx.checker.check_model(inferred)
    session = onnxruntime.InferenceSession(
        builder.getModelProto(), providers=["CPUExecutionProvider"]
    )
    data = np.array([-1, 2], np.float32)
    for value, expected in ((True, [0, 2]), (False, [1, -2])):
        (found,) = session.run(None, {x: data, condition: np.array(value)})
        np.testing.assert_array_equal(found, expected)


def test_ids_of_a_subgraph_differ_from_those_around() -> None:
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [2, 3])
    child = builder.createSubgraphBuilder()
    grandchild = child.createSubgraphBuilder()
    assert grandchild.addInputTensor("FLOAT", [1]) == "input/1"
    assert child.addUntypedInputTensor() == "input/2"
    assert builder.addInputTensor("FLOAT", [1]) == "input/3"
    y = grandchild.aiOnnx.relu([x])
    assert grandchild.getTensorShape(y) == [2, 3]
    assert grandchild.getTensorDtypeString(y) == "float32"
    child.addInputTensorFromParentGraph(x)
    assert child.getInputTensorIds() == ["input/2", x]
    with pytest.raises(popart_exception, match="Failed to add unrecognised Tensor nowhere"):
        child.addInputTensorFromParentGraph("nowhere")
    with pytest.raises(
        popart_exception, match="Can not add untyped tensors to the top-level graph"
    ):
        builder.addUntypedInputTensor()


# Methods.


@pytest.mark.parametrize(
    ("opset", "method", "signature"),
    [
        (10, "relu", "(args, debugContext='')"),
        (10, "leakyrelu", "(args, alpha=0.01, debugContext='')"),
        (10, "cast", "(args, to, debugContext='')"),
        (10, "concat", "(args, axis, debugContext='')"),
        (10, "constant", "(value, debugContext='')"),
        (10, "lrn", "(args, size, alpha=0.0001, beta=0.75, bias=1.0, debugContext='')"),
        (10, "dropout", "(args, num_outputs, ratio=0.5, debugContext='')"),
        (10, "randomnormal", "(shape, dtype=1, mean=0.0, scale=1.0, seed=None, debugContext='')"),
        (10, "topk", "(args, axis=-1, debugContext='')"),
        (11, "topk", "(args, axis=-1, largest=1, sorted=1, debugContext='')"),
        (10, "logical_if", "(args, num_outputs, else_branch, then_branch, debugContext='')"),
        (
            10,
            "batchnormalization",
            "(args, num_outputs, epsilon=1e-05, momentum=0.9, debugContext='')",
        ),
        (
            10,
            "conv",
            "(args, dilations=None, group=1, kernel_shape=None, pads=None, strides=None, "
            "debugContext='', *, auto_pad='NOTSET')",
        ),
        (
            10,
            "maxpool",
            "(args, num_outputs, kernel_shape, ceil_mode=0, dilations=None, pads=None, "
            "storage_order=0, strides=None, debugContext='', *, auto_pad='NOTSET')",
        ),
        (18, "split", "(args, num_outputs, axis=0, debugContext='')"),
    ],
)
def test_signatures(opset: int, method: str, signature: str) -> None:
    """As PopART has them: required attributes first, then the others, in alphabetical order."""
    builder = Builder(opsets={"ai.onnx": opset})
    assert str(inspect.signature(getattr(builder.aiOnnx, method))) == signature


@pytest.mark.parametrize(
    ("method", "signature"),
    [
        (
            "nllloss",
            "(args, reduction='Mean', ignoreIndex=None, inputIsLogProbability=0, debugContext='')",
        ),
        ("l1loss", "(args, lambda_, reduction='Mean', debugContext='')"),
        ("scaledadd", "(args, scale0=1.0, scale1=1.0, debugContext='')"),
        ("gelu", "(args, debugContext='')"),
    ],
)
def test_signatures_of_ai_graphcore(method: str, signature: str) -> None:
    assert str(inspect.signature(getattr(Builder().aiGraphcore, method))) == signature


def test_methods_are_listed_and_documented() -> None:
    op = Builder().aiOnnx
    assert {"relu", "logical_and", "constant", "conv"} <= set(dir(op))
    assert "cumsum" not in dir(op)
    doc = op.leakyrelu.__doc__
    assert doc.startswith("Adds ai.onnx.LeakyRelu:6 to the model.")
    assert "X: Input tensor [DOUBLE, FLOAT, FLOAT16]" in doc
    assert "alpha: Coefficient of leakage." in doc
    assert op.leakyrelu.__name__ == "leakyrelu"
    assert {"aiOnnx", "aiOnnxOpset11", "aiGraphcore", "customOp"} <= set(dir(Builder()))


def test_one_output_is_an_id_and_several_a_list() -> None:
    builder = Builder()
    op = builder.aiOnnxOpset11
    x = builder.addInputTensor(IMAGE)
    k = op.constant(np.array([2]))
    assert op.relu([x]) == "Relu:0"
    assert op.dropout([x], 1) == ["Dropout:0"]
    assert op.topk([x, k]) == ["TopK:0", "TopK:1"]


def test_attributes_written() -> None:
    """Defaults are written too, as PopART does; an empty list means none but for a reduction."""
    builder = Builder()
    op = builder.aiOnnxOpset11
    x = builder.addInputTensor(IMAGE)
    y = op.maxpool([x], 1, [2, 2], pads=[])
    assert builder.getAllNodeAttributeNames(y) == ["ceil_mode", "kernel_shape", "storage_order"]
    assert "axes" in builder.getAllNodeAttributeNames([op.reducesum([x], [])])
    assert "axes" not in builder.getAllNodeAttributeNames([op.reducesum([x])])
    same = op.conv([x, x], auto_pad="SAME_UPPER")
    assert builder.getStringNodeAttribute("auto_pad", same) == "SAME_UPPER"


def test_every_method_of_every_opset_can_be_made() -> None:
    for opset in range(6, onnx.defs.onnx_opset_version() + 1):
        methods = Builder(opsets={"ai.onnx": opset}).aiOnnx
        for name in [name for name in dir(methods) if not name.startswith("_")]:
            assert getattr(methods, name) is not None
