"""Annotations: attributes of nodes that say how to run them, not what to compute.

Their names in the model are PopART's and begin with two underscores. Methods of the Builder set
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from popir.errors import OperatorAttributeError, did_you_mean
from popir.options.table import Kind, OptionWarning, Row, warn
from popir.typed import shown

VIRTUAL_GRAPH = "__ipu_number"
PIPELINE_STAGE = "__pipeline_stage"
EXECUTION_PHASE = "__execution_phase"
PLACES = (VIRTUAL_GRAPH, PIPELINE_STAGE, EXECUTION_PHASE)
"""The annotations that say where and when an operator runs."""
RECOMPUTE = "__recompute_output_in_backward_pass"
PARTIALS_TYPE = "__partials_type"
AVAILABLE_MEMORY = "__available_memory"
WIDE_LOADS = "__use_128bit_conv_unit_load"
MULTI_STAGE_REDUCE = "__enable_multi_stage_reduce"
FAST_REDUCE = "__enable_fast_reduce"
PRE_ARRANGED = "__input_rhs_is_pre_arranged"
LAYER_PASS = "__fully_connected_pass"
CONVOLUTION_PASS = "__convolution_pass"
"""These are set by the session from its options; models do not have them."""
FULLY_CONNECTED = "__use_fully_connected_pass"
"""0 at a product whose weight another operator reads by rows, too."""
CONV_DITHERING = "__enable_conv_dithering"
SERIALIZE_MODE = "__serialize_matmul_mode"
SERIALIZE_FACTOR = "__serialize_matmul_factor"
SERIALIZE_PRECISION = "__serialize_matmul_precision"
EXCLUDE_PATTERNS = "__exclude_patterns"
INPLACE_NAMES = "__inplace_op_names"
INPLACE_PRIORITIES = "__inplace_op_priorities"
OUTLINE = "__outline"
SCHEDULE_PRIORITY = "__schedule_priority"
COMM_GROUP = "__collectiveCommGroup"
COLLECTIVE_OPERATOR = "__collectiveOperator"
REPLICA_GROUPING = "__collectiveReplicaGrouping"
"""Replicas, stride and size of the groups; in the place of COMM_GROUP."""

CHECKPOINT, RECOMPUTED = 1, 2
"""RecomputeType.Checkpoint and RecomputeType.Recompute."""


@dataclass(frozen=True)
class Annotation(Row):
    """One annotation. Its name is that of the Builder's method."""

    attributes: tuple[str, ...] = ()
    """Its attributes in the model; the first one tells whether it is set."""
    neutral: tuple[Any, ...] = field(default=())
    """Values besides the default that change nothing."""


def _test(name: str, file: str = "test_annotations") -> str:
    return f"tests/{file}.py::{name}"


ANNOTATIONS: list[Row] = [
    Annotation(
        "virtualGraph",
        "an integer of at least 0",
        None,
        Kind.ACTS,
        "the IPU that the node is on, with virtualGraphMode Manual or Auto; with Off a warning "
        "says that it has no effect.",
        "tests/test_virtual_graphs.py::test_tensors_lie_on_the_ipu_of_their_operator",
        attributes=(VIRTUAL_GRAPH,),
    ),
    Annotation(
        "pipelineStage",
        "an integer of at least 0",
        None,
        Kind.ACTS,
        "the stage of the pipeline that the node is in, with enablePipelining; without it a "
        "warning says that it has no effect.",
        _test("test_stages_are_those_of_the_annotations", "test_pipeline"),
        attributes=(PIPELINE_STAGE,),
    ),
    Annotation(
        "executionPhase",
        "an integer of at least 0",
        None,
        Kind.ACTS,
        "the phase that the node is in, with executionPhaseSettings.phases; without it a warning "
        "says that it has no effect.",
        _test("test_operators_run_by_phases", "test_phases"),
        attributes=(EXECUTION_PHASE,),
    ),
    Annotation(
        "recomputeOutput",
        "a RecomputeType: 1 for Checkpoint, 2 for Recompute",
        None,
        Kind.ACTS,
        "with 2, the backward pass computes the node again. With 1, it is not computed again even "
        "if autoRecomputation would. An InferenceSession has no backward pass.",
        _test("test_marks_say_what_is_recomputed", "test_recompute"),
        attributes=(RECOMPUTE,),
    ),
    Annotation(
        "schedulePriority",
        "a number",
        None,
        Kind.NO_MEANING,
        "operators run in the order of the model, each after what it reads.",
        attributes=(SCHEDULE_PRIORITY,),
    ),
    Annotation(
        "outlineAttributes",
        "pairs of strings",
        None,
        Kind.ACTS,
        "nodes with different ones are not outlined together.",
        _test("test_outline_attributes_keep_pieces_apart"),
        attributes=(OUTLINE,),
    ),
    Annotation(
        "commGroup",
        "a CommGroupType and a size",
        None,
        Kind.ACTS,
        "the replicas that a collective operator is over: All, or groups of a size that are "
        "Consecutive or Orthogonal. Other operators pass over it.",
        _test("test_groups_of_replicas", "replicas/test_collectives"),
        attributes=(COMM_GROUP, COLLECTIVE_OPERATOR, REPLICA_GROUPING),
    ),
    Annotation(
        "setPartialsType",
        "'FLOAT' or 'HALF'",
        None,
        Kind.ACTS,
        "the type of partial sums of a product or convolution and its gradients, on the machine; "
        "the Cpu device adds up in float.",
        _test("test_partials_reach_the_planner", "test_contraction_options"),
        attributes=(PARTIALS_TYPE,),
    ),
    Annotation(
        "setAvailableMemoryProportion",
        "a number above 0, at most 1",
        None,
        Kind.ACTS,
        "how much of a tile's memory the plan of a product or convolution and of its gradients may "
        "use for temporary data.",
        _test("test_the_memory_proportion_reaches_the_planner", "test_contraction_options"),
        attributes=(AVAILABLE_MEMORY,),
    ),
    Annotation(
        "setEnableConvDithering",
        "0 or 1",
        None,
        Kind.REFUSED,
        "a plan names the tiles of a convolution; none is chosen at random.",
        attributes=(CONV_DITHERING,),
        neutral=(0,),
    ),
    Annotation(
        "setSerializeMatMul",
        "a mode, a factor, and whether partial sums keep their precision",
        None,
        Kind.ACTS,
        "MatMul or Gemm, and its gradients, are computed as `factor` products one after the other: "
        "with less temporary memory, in more steps. Products that are added up are added in the "
        "type of the result or, to keep their precision, in float.",
        _test("test_a_serialized_product_is_the_product", "test_contraction_options"),
        attributes=(SERIALIZE_MODE, SERIALIZE_FACTOR, SERIALIZE_PRECISION),
    ),
    Annotation(
        "excludePatterns",
        "names of patterns",
        None,
        Kind.ACTS,
        "these patterns leave the node alone.",
        _test("test_excluded_patterns_leave_a_node_alone"),
        attributes=(EXCLUDE_PATTERNS,),
    ),
    Annotation(
        "setInplacePreferences",
        "priorities by the names of operators",
        None,
        Kind.ACTS,
        "how much each in-place variant is wanted.",
        _test("test_inplace_preferences_choose_the_variant"),
        attributes=(INPLACE_NAMES, INPLACE_PRIORITIES),
    ),
]
"""The table of all annotations."""

_BY_ATTRIBUTE: Mapping[str, tuple[Annotation, bool]] = {
    attribute: (row, attribute == row.attributes[0])
    for row in ANNOTATIONS
    if isinstance(row, Annotation)
    for attribute in row.attributes
}


def check_annotations(
    nodes: Iterable[tuple[str, bool, Mapping[str, Any]]], unused: Mapping[str, str]
) -> None:
    """Checks the annotations of a model's nodes: of (name, whether it is built in, annotations) for
    each. `unused` has the reasons for which annotations have no effect with the session's options.

    Raises OperatorAttributeError for an annotation that is refused and, at a built-in operator, for
    an unknown one. Warns once of each that has no effect.
    """
    told: set[str] = set()
    for who, is_built_in, notes in nodes:
        for attribute, value in notes.items():
            row, decides = _BY_ATTRIBUTE.get(attribute, (None, False))
            if row is None:
                if is_built_in:
                    near = did_you_mean(attribute, _BY_ATTRIBUTE)
                    raise OperatorAttributeError(
                        f"{who}: there is no annotation '{attribute}'.{near}"
                    )
                continue
            why = unused.get(row.name, "" if row.kind is Kind.ACTS else row.reason)
            if not decides or value in row.neutral or not why:
                continue
            words = f"{row.name} = {shown(value)} ({attribute})"
            if row.kind is Kind.REFUSED:
                raise OperatorAttributeError(f"{who}: {words}: {row.reason}")
            if row.name not in told:
                told.add(row.name)
                warn(f"{who}: {words} has no meaning here: {why}", OptionWarning)
