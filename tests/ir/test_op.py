"""Operators: attributes, cloning, connection."""

import numpy as np
import pytest

from popir.errors import OperatorAttributeError, popart_exception
from popir.ir import (
    GradInOutMapper,
    GradOp,
    GradOpInType,
    Graph,
    Op,
    OperatorIdentifier,
    OpSerialiser,
)
from popir.types import TensorInfo
from tests.ir.ops import ADD, LEAKY_RELU, LEAKY_RELU_GRAD, AddOp, LeakyReluOp, add, stream_graph

OWN = OperatorIdentifier("test", "Own", 1)


class OwnOp(Op):
    size: int
    scale: float = 2.0
    flag: bool = False
    axes: list[int] = [0]
    names: list[str] | None
    table: np.ndarray | None = None
    lambda_: float = 0.5
    _cache: int
    count = 3


class DerivedOp(OwnOp):
    extra: str = "more"


def own(**attributes: object) -> OwnOp:
    return OwnOp(OWN, Op.Settings(Graph(), "mine"), attributes)


def test_attributes_take_given_values_then_class_defaults() -> None:
    op = own(size=3, names=["a", "b"])
    assert (op.size, op.scale, op.flag, op.axes, op.names, op.table) == (
        3,
        2.0,
        False,
        [0],
        ["a", "b"],
        None,
    )
    assert op.lambda_ == 0.5
    assert op.attributes == {
        "size": 3,
        "scale": 2.0,
        "flag": False,
        "axes": [0],
        "names": ["a", "b"],
        "lambda": 0.5,
    }


def test_attribute_default_comes_from_the_schema_before_the_class() -> None:
    class WithOwnDefault(LeakyReluOp):
        alpha: float = 0.3

    graph = Graph()
    assert LeakyReluOp(LEAKY_RELU, Op.Settings(graph)).alpha == pytest.approx(0.01)
    assert WithOwnDefault(LEAKY_RELU, Op.Settings(graph)).alpha == pytest.approx(0.01)
    assert WithOwnDefault(OWN, Op.Settings(graph)).alpha == 0.3


def test_attributes_are_converted_without_loss() -> None:
    op = own(size=np.int64(3), scale=1, flag=1, axes=(1, 2))
    assert (op.size, op.scale, op.flag, op.axes) == (3, 1.0, True, [1, 2])
    assert type(op.size) is int
    assert type(op.scale) is float
    assert op.flag is True


def test_class_default_is_not_shared() -> None:
    first, second = own(size=1), own(size=1)
    first.axes.append(7)
    assert second.axes == [0]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "test.Own:1 'mine': the attribute 'size' is required, and was not given."),
        (
            {"size": 1, "scael": 2.0},
            "test.Own:1 'mine': unknown attribute 'scael' (value 2.0); the operator takes size, "
            "scale, flag, axes, names, table, lambda. Did you mean 'scale'?",
        ),
        (
            {"size": 1.5},
            "test.Own:1 'mine': the attribute 'size' is an integer; given was 1.5 (float).",
        ),
        (
            {"size": 1, "scale": "2"},
            "test.Own:1 'mine': the attribute 'scale' is a float; given was '2' (str).",
        ),
        (
            {"size": 1, "axes": 3},
            "test.Own:1 'mine': the attribute 'axes' is a list of integers; given was 3 (int).",
        ),
        (
            {"size": 1, "names": "ab"},
            "test.Own:1 'mine': the attribute 'names' is a list of strings; given was 'ab' (str).",
        ),
        (
            {"size": 1, "names": ["a", b"\xff"]},
            "test.Own:1 'mine': the attribute 'names' is text in UTF-8; given was b'\\xff'.",
        ),
    ],
)
def test_wrong_attributes(attributes: dict[str, object], message: str) -> None:
    with pytest.raises(OperatorAttributeError) as error:
        own(**attributes)
    assert str(error.value) == message


def test_attribute_of_the_schema_that_the_class_lacks() -> None:
    """A Conv without auto_pad accepts its default, and nothing else."""

    class BareConvOp(Op):
        group: int

    conv = OperatorIdentifier("ai.onnx", "Conv", 11)
    settings = Op.Settings(Graph())
    assert BareConvOp(conv, settings, {"auto_pad": "NOTSET"}).group == 1
    with pytest.raises(OperatorAttributeError) as error:
        BareConvOp(conv, settings, {"auto_pad": "VALID"})
    assert str(error.value) == (
        "ai.onnx.Conv:11: the attribute 'auto_pad' is 'VALID', which popir's implementation does "
        "not support."
    )


def test_attribute_named_like_a_method_is_refused() -> None:
    class BadOp(Op):
        name: str  # type: ignore[assignment]

    with pytest.raises(
        OperatorAttributeError, match=r"declares the attribute 'name', which Op itself"
    ):
        BadOp(OWN, Op.Settings(Graph()))


def test_derived_class_declares_more() -> None:
    op = DerivedOp(OWN, Op.Settings(Graph()), {"size": 1})
    assert op.extra == "more"
    assert list(DerivedOp.declaredAttributes())[-1] == "extra"
    assert "extra" not in OwnOp.declaredAttributes()


def test_clone_has_own_id_lists_and_settings_and_no_tensors() -> None:
    graph = stream_graph()
    op = add(graph, LeakyReluOp, LEAKY_RELU, "x", "y")
    op.settings.nodeAttributes["__ipu_number"] = 1
    clone = op.clone()
    assert (type(clone), clone.opid, clone.attributes) == (LeakyReluOp, LEAKY_RELU, {"alpha": 0.1})
    assert clone.id != op.id
    assert (clone.input, clone.output) == ({}, {})
    assert graph.getTensor("x").consumers == [op]
    clone.settings.nodeAttributes["__ipu_number"] = 2
    assert op.settings.nodeAttributes == {"__ipu_number": 1}
    original = own(size=1)
    original.clone().attributes["axes"].append(5)
    assert original.axes == [0]


def test_settings_are_copied() -> None:
    settings = Op.Settings(Graph(), "a", {"__ipu_number": 1})
    op = AddOp(ADD, settings)
    settings.name = "b"
    settings.nodeAttributes.clear()
    assert op.name() == "a"
    assert op.settings.nodeAttributes == {"__ipu_number": 1}


def test_serialised_attributes_are_the_declared_ones() -> None:
    for append in (OwnOp.appendAttributes, OwnOp.appendOutlineAttributes):
        os = OpSerialiser()
        append(own(size=3), os)
        assert os.attributes == {
            "size": 3,
            "scale": 2.0,
            "flag": False,
            "axes": [0],
            "lambda": 0.5,
        }


def test_gradient_takes_identifier_settings_and_attributes() -> None:
    op = LeakyReluOp(LEAKY_RELU, Op.Settings(Graph(), "act"), {"alpha": 0.25})
    (grad,) = op.getGradOps()
    assert (grad.opid, grad.name(), grad.attributes) == (LEAKY_RELU_GRAD, "act", {"alpha": 0.25})
    assert grad.gradInputInfo()[1] == GradInOutMapper(1, 0, GradOpInType.In)
    assert grad.gradOutToNonGradIn() == {0: 0}


def test_gradient_needs_an_identifier() -> None:
    class NamelessGradOp(GradOp):
        pass

    op = LeakyReluOp(LEAKY_RELU, Op.Settings(Graph()))
    with pytest.raises(popart_exception, match="NamelessGradOp has no identifier"):
        NamelessGradOp(op)
    assert NamelessGradOp(op, OWN).opid == OWN


def test_tensors_by_index() -> None:
    graph = stream_graph("a", "b")
    op = add(graph, AddOp, ADD, "a b", "c")
    assert (op.numInputs(), op.numOutputs(), op.inId(1), op.outId(0)) == (2, 1, "b", "c")
    assert (op.inShape(0), op.outRank(0), op.inRank(1), op.outShape(0)) == ([4], 1, 1, [4])
    assert op.hasInput(1)
    assert not op.hasInput(2)
    assert not op.hasOutput(1)
    assert (
        op.debugName() == f"Op({op.id}, ai.onnx.Add:7, name='', inputs=['a', 'b'], outputs=['c'])"
    )
    with pytest.raises(popart_exception, match=r"outputs=\['c'\]\) has no input 2\."):
        op.inTensor(2)
    with pytest.raises(popart_exception, match=r"has no output 1\."):
        op.outInfo(1)


def test_a_tensor_counts_every_use() -> None:
    graph = stream_graph()
    op = add(graph, AddOp, ADD, "x x", "y")
    other = add(graph, LeakyReluOp, LEAKY_RELU, "x", "z")
    x = graph.getTensor("x")
    assert x.consumers == [op, op, other]
    op.disconnectInTensor(1)
    assert x.consumers == [op, other]
    op.disconnectAllInputs()
    assert x.consumers == [other]


def test_connecting_wrongly() -> None:
    graph = stream_graph()
    op = add(graph, LeakyReluOp, LEAKY_RELU, "x", "y")
    with pytest.raises(popart_exception, match="input 0 is 'x' already; disconnect it before"):
        op.connectInTensor(0, "x")
    with pytest.raises(popart_exception, match=r"has no tensor 'yy'\. Did you mean 'y'\?"):
        op.connectInTensor(1, "yy")
    with pytest.raises(popart_exception, match=r"cannot write Tensor\('y', ActGrad"):
        add(graph, LeakyReluOp, LEAKY_RELU, "x", "y")
    with pytest.raises(popart_exception, match=r"cannot write Tensor\('x', Stream"):
        add(graph, LeakyReluOp, LEAKY_RELU, "y", "x")


def test_info_that_is_not_known_yet() -> None:
    graph = stream_graph()
    op = LeakyReluOp(LEAKY_RELU, Op.Settings(graph))
    graph.moveIntoGraph(op)
    op.createAndConnectOutTensor(0, "y")
    with pytest.raises(popart_exception, match="type and shape of 'y' are not known; Op"):
        op.outInfo(0)
    op.setOutInfo(0, TensorInfo("FLOAT", [1]))
    op.setOutInfo(1, TensorInfo("FLOAT", [1]))
    assert op.outInfo(0) == TensorInfo("FLOAT", [1])


def test_what_the_base_class_lacks_is_named() -> None:
    op = Op(OWN, Op.Settings(Graph()))
    with pytest.raises(popart_exception, match=r"the class Op has no setup\(\)"):
        op.setup()
    with pytest.raises(popart_exception, match="is no gradient operator"):
        op.gradInputInfo()
    with pytest.raises(popart_exception, match="is no gradient operator"):
        op.gradOutToNonGradIn()
    with pytest.raises(popart_exception, match=r"has no in-place variant test\.Own:1"):
        op.getInplaceVariant(OWN)
    assert (op.getGradOps(), op.getSubgraphValue(), op.modifies(0), op.aliases(0, 0)) == (
        [],
        0.1,
        False,
        False,
    )
