"""Attributes of nodes: any, and PopART's annotations."""

import enum
from collections.abc import Callable

import pytest

from popir.builder import Builder
from popir.builder.annotations import Annotations
from popir.enums import CommGroupType
from popir.errors import OperatorAttributeError, popart_exception


@pytest.fixture
def builder() -> Builder:
    found = Builder()
    found.addInputTensor("FLOAT", [4, 4], "x")
    return found


def attributes(builder: Builder, id: str) -> dict[str, object]:
    """All annotations of the node with that output."""
    found: dict[str, object] = {}
    for name in builder.getAllNodeAttributeNames([id]):
        for get in (
            builder.getInt64NodeAttribute,
            builder.getInt64VectorNodeAttribute,
            builder.getFloatNodeAttribute,
            builder.getFloatVectorNodeAttribute,
            builder.getStringNodeAttribute,
            builder.getStringVectorNodeAttribute,
        ):
            try:
                found[name] = get(name, {id})
            except OperatorAttributeError:
                continue
    return found


@pytest.mark.parametrize("value", [3, [1, 2], 0.5, [0.5, 1.5], "text", ["a", "b"]])
def test_any_attribute(builder: Builder, value: object) -> None:
    y = builder.aiOnnx.relu(["x"])
    assert not builder.nodeHasAttribute("mine", {y})
    builder.addNodeAttribute("mine", value, {y})
    assert builder.nodeHasAttribute("mine", y)
    assert attributes(builder, y) == {"mine": value}
    with pytest.raises(OperatorAttributeError) as error:
        builder.addNodeAttribute("mine", value, [y])
    assert str(error.value) == "Node already has attribute mine: Relu. Remove it first."
    builder.removeNodeAttribute("mine", [y])
    assert builder.getAllNodeAttributeNames(y) == []


def test_wrong_questions(builder: Builder) -> None:
    y = builder.aiOnnx.leakyrelu(["x"], debugContext="act")
    with pytest.raises(popart_exception) as error:
        builder.addNodeAttribute("a", 1, ["i", "j"])
    assert str(error.value) == "Could not find a node with outputs i, j."
    with pytest.raises(OperatorAttributeError) as error:
        builder.getInt64NodeAttribute("beta", [y])
    assert str(error.value) == "LeakyRelu 'act' has no attribute 'beta'; it has: alpha."
    with pytest.raises(OperatorAttributeError, match=r"'alpha' is 0\.00999.*, not an integer"):
        builder.getInt64NodeAttribute("alpha", [y])
    parts = builder.aiOnnx.split(["x"], 2)
    with pytest.raises(
        popart_exception, match="Could not find a node with outputs Split:0, act/Leaky"
    ):
        builder.nodeHasAttribute("axis", [parts[0], y])


class RecomputeType(enum.Enum):
    Undefined = 0
    Checkpoint = 1
    Recompute = 2


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda b, y: b.virtualGraph(y, 3), {"__ipu_number": 3}),
        (lambda b, y: b.virtualGraph({y}, value=3), {"__ipu_number": 3}),
        (lambda b, y: b.virtualGraph([y]), {"__ipu_number": 0}),
        (lambda b, y: b.pipelineStage(y, 2), {"__pipeline_stage": 2}),
        (lambda b, y: b.executionPhase(y, 1), {"__execution_phase": 1}),
        (
            lambda b, y: b.recomputeOutput(y, RecomputeType.Checkpoint),
            {"__recompute_output_in_backward_pass": 1},
        ),
        (
            lambda b, y: b.recomputeOutputInBackwardPass(y),
            {"__recompute_output_in_backward_pass": 2},
        ),
        (lambda b, y: b.setPartialsType(y, "HALF"), {"__partials_type": "HALF"}),
        (lambda b, y: b.setAvailableMemoryProportion(y, 0.5), {"__available_memory": 0.5}),
        (lambda b, y: b.setEnableConvDithering(y, 1), {"__enable_conv_dithering": 1}),
        (
            lambda b, y: b.setSerializeMatMul({y}, "input_channels", 4, True),
            {
                "__serialize_matmul_mode": "input_channels",
                "__serialize_matmul_factor": 4,
                "__serialize_matmul_precision": 1,
            },
        ),
        (lambda b, y: b.setSerializeMatMul({y}, "none"), {}),
        (lambda b, y: b.excludePatterns(y, ["A", "B"]), {"__exclude_patterns": ["A", "B"]}),
        (
            lambda b, y: b.setInplacePreferences(y, {"ReluInplace": 10}),
            {"__inplace_op_names": ["ReluInplace"], "__inplace_op_priorities": [10.0]},
        ),
    ],
)
def test_setters(
    builder: Builder, call: Callable[[Builder, str], None], expected: dict[str, object]
) -> None:
    y = builder.aiOnnx.relu(["x"])
    call(builder, y)
    call(builder, y)  # Setting again replaces.
    assert attributes(builder, y) == expected


def test_within_a_with(builder: Builder) -> None:
    op = builder.aiOnnx
    with builder.virtualGraph(1), builder.pipelineStage(2):
        assert (builder.hasVirtualGraph(), builder.getVirtualGraph()) == (True, 1)
        assert (builder.hasPipelineStage(), builder.getPipelineStage()) == (True, 2)
        first = op.relu(["x"])
        with builder.virtualGraph(3), builder.schedulePriority(0.5):
            second = op.relu(["x"])
        third = op.relu(["x"])
    fourth = op.relu(["x"])
    assert attributes(builder, first) == {"__ipu_number": 1, "__pipeline_stage": 2}
    assert attributes(builder, second) == {
        "__ipu_number": 3,
        "__pipeline_stage": 2,
        "__schedule_priority": 0.5,
    }
    assert attributes(builder, third) == attributes(builder, first)
    assert attributes(builder, fourth) == {}
    assert not builder.hasVirtualGraph()
    assert builder.getVirtualGraph({first}) == 1
    with pytest.raises(
        popart_exception, match="No surrounding `with` of the builder sets __ipu_num"
    ):
        builder.getVirtualGraph()
    with builder.executionPhase(4), builder.recomputeOutput(RecomputeType.Recompute):
        assert builder.hasExecutionPhase()
        assert builder.getExecutionPhase() == 4
        fifth = op.relu(["x"])
    assert builder.getRecomputeOutputInBackwardPass(fifth)
    assert not builder.getRecomputeOutputInBackwardPass(first)
    group = builder.commGroup(CommGroupType.Consecutive, 2)
    with builder.outlineAttributes({"layer": "1"}), group:
        sixth = op.relu(["x"])
    assert attributes(builder, sixth) == {
        "__outline": ["layer", "1"],
        "__collectiveCommGroup": [1, 2],
    }


def test_partials_type(builder: Builder) -> None:
    y = builder.aiOnnx.matmul(["x", "x"])
    assert builder.getPartialsType(y) == "FLOAT"
    builder.setPartialsType(y, "HALF")
    assert builder.getPartialsType(y) == "HALF"


def test_values_that_are_refused(builder: Builder) -> None:
    y = builder.aiOnnx.matmul(["x", "x"])
    with pytest.raises(popart_exception) as error:
        builder.setAvailableMemoryProportion(y, 1.5)
    assert str(error.value) == "availableMemoryProportion must be in (0,1], but is: 1.5."
    with pytest.raises(popart_exception) as error:
        builder.setSerializeMatMul(y, "rows", 2)
    assert str(error.value) == (
        "Unsupported mat mul serialization mode 'rows'. Supported modes are: none, input_channels, "
        "reducing_dim, output_channels."
    )


def test_checkpoints(builder: Builder) -> None:
    y, z = builder.aiOnnx.relu(["x"]), builder.aiOnnx.neg(["x"])
    kept = builder.checkpointOutput([y, z])
    assert kept == ["Checkpoint/Identity:0", "Checkpoint/Identity:0/1"]
    assert attributes(builder, kept[0]) == {
        "__recompute_output_in_backward_pass": 1,
        "__exclude_patterns": ["PreUniRepl", "PostNRepl"],
    }


def test_every_method_says_what_it_sets() -> None:
    """Also those that are made from a table."""
    found = {name: getattr(Annotations, name).__doc__ for name in dir(Annotations)}
    silent = [name for name, text in found.items() if not name.startswith("_") and not text]
    assert not silent
    assert "of the node with these outputs or, given a value alone" in found["virtualGraph"]


def test_attributes_and_scopes_of_what_follows() -> None:
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [2])
    builder.setAttribute("__ipu_number", 2)
    builder.pushNameScope("scope")
    first = builder.aiOnnx.relu([x])
    assert first == "scope/Relu:0"
    assert builder.hasAttribute("__ipu_number")
    assert builder.getAttribute("__ipu_number") == builder.getVirtualGraph(first) == 2
    builder.clearAttribute("__ipu_number")
    builder.popNameScope()
    second = builder.aiOnnx.relu([first])
    assert second == "Relu:0"
    assert not builder.hasAttribute("__ipu_number")
    assert not builder.nodeHasAttribute("__ipu_number", second)
    with pytest.raises(popart_exception, match="there is no name scope to leave"):
        builder.popNameScope()
    with pytest.raises(popart_exception, match="No surrounding"):
        builder.getAttribute("__ipu_number")
