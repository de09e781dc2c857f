"""The compiler pipeline: the passes from an imported graph to the graph that is lowered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from popir import registry
from popir.autodiff import ancestors, differentiate
from popir.dataflow import DataFlow
from popir.dot import DotOptions, write_dot
from popir.enums import RecomputationType
from popir.errors import (
    AnchorError,
    LeavesDeviceError,
    VerificationError,
    did_you_mean,
    popart_exception,
)
from popir.foreign.popart import apply_transform
from popir.ir import Graph, Op, Tensor, verify
from popir.ir.graph import called_graphs
from popir.ir.hash import digest, encoded
from popir.ir.schedule import modified
from popir.lowering.accumulation import after_accumulation
from popir.ops.update.accumulate import AccumulateOp
from popir.ops.update.sparse_accumulate import SparseAccumulateOp
from popir.ops.update.var_update import GRADIENT
from popir.options.annotations import EXECUTION_PHASE, PIPELINE_STAGE, VIRTUAL_GRAPH
from popir.patterns import Patterns, apply_patterns
from popir.patterns.loop import uses_others
from popir.progress import Logger
from popir.replicas import ReplicaGrouping
from popir.reserved import (
    COUNTER,
    OF_SESSION,
    RANDOM_SEED,
    reservedGradientPrefix,
    reservedLossScalingPrefix,
    reservedRestoredPrefix,
)
from popir.trainable import Choice, Role, choose
from popir.transforms.batch_serialization import (
    SERIALIZATION,
    BatchSerialization,
    add_up_early,
    serialize_batch,
)
from popir.transforms.decision import Decision
from popir.transforms.given_gradients import composed
from popir.transforms.given_graph import fit_to_lower
from popir.transforms.gradients import expand_gradients
from popir.transforms.inplace import PATTERN, inplace
from popir.transforms.ipu_copies import copy_between_ipus
from popir.transforms.loss_scaling import (
    INVERSE,
    AutomaticLossScaling,
    check_tracked,
    follow_gradients,
    scale_loss,
)
from popir.transforms.off_chip import (
    Location,
    Locations,
    Period,
    changed_output,
    move_off_chip,
    why_on_chip,
)
from popir.transforms.outlining.outline import OutlineOptions, outline
from popir.transforms.phases import order_phases
from popir.transforms.pipeline import (
    assign_stages,
    check_stages,
    merge_stages,
    stage_key,
    stash_between_stages,
)
from popir.transforms.prune import prune
from popir.transforms.recompute import (
    asks_for_recomputation,
    recompute,
    recomputed_operators,
)
from popir.transforms.sharding import changed_apart, groups_of, shard_variables, why_whole
from popir.transforms.shown_updates import ShownUpdates
from popir.transforms.state import keep_state
from popir.transforms.updates import Accumulation, Changeable, Updater, add_updates, update_early
from popir.types import DataType, require_finite
from popir.virtual_graphs import Places


@dataclass
class Compilation:
    """The state of one compilation: the input and output of every pass."""

    graph: Graph
    anchors: list[str]
    patterns: Patterns = field(default_factory=Patterns)
    loss: str | None = None
    """The id of the tensor to differentiate; None for inference."""
    optimizer: Updater | None = None
    outlining: OutlineOptions | None = None
    """The options of outlining; None to outline nothing."""
    trained: Collection[str] = ()
    """Names and patterns of initializers to train, overriding the rules of `popir.trainable`."""
    frozen: Collection[str] = ()
    """Names and patterns of initializers not to train, overriding the rules."""
    verifies_each: bool = False
    """Whether the graph is verified after each pass, not only at the end."""
    rounds_stochastically: bool = False
    """Whether 16-bit floats are rounded stochastically, with random numbers from the seed."""
    accumulation: Accumulation = field(default_factory=Accumulation)
    """How gradients of several batches become one."""
    loss_scaling: AutomaticLossScaling | None = None
    """How the loss scaling follows the gradients, if it does."""
    recomputation: RecomputationType = RecomputationType.NoRecompute
    """Which activations the backward pass computes again."""
    is_placed: bool = False
    """Whether operators are placed on IPUs."""
    is_pipelined: bool = False
    """Whether the model is cut into the stages of a pipeline."""
    overlaps: bool = False
    """Whether these run at once, each on another micro-batch."""
    depth: int = 1
    """The number of stages, those of the backward pass included."""
    is_phased: bool = False
    """Whether the model is cut into execution phases."""
    locations: Locations | None = None
    """Which tensors are to be off chip, or sharded over replicas; None if none is."""
    flow: DataFlow = field(default_factory=lambda: DataFlow(1))
    """What libraries are told of the steps of the session."""
    library_transforms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names of transforms of libraries, by when they are applied."""
    dots: DotOptions | None = None
    """Which files for graphviz are written; None for none."""
    serialization: BatchSerialization | None = None
    """How a batch is computed in parts, if it is."""
    passes: tuple[set[Op], set[Op]] = (set(), set())
    """The operators of the forward and the backward pass, before what is unused is removed; none if
    nothing asks which those are: no pipeline, phases or locations.
    """
    apart: set[str] = field(default_factory=set)
    """The ids of the variables that each replica changes by itself."""
    off_chip: set[str] = field(default_factory=set)
    """The ids of the variables that are off chip."""
    choices: dict[str, Choice] = field(default_factory=dict)
    """The role of each initializer in training, and why."""
    weights: list[str] = field(default_factory=list)
    """The ids of the initializers that are trained."""
    gradients: dict[str, str] = field(default_factory=dict)
    """Maps the id of a tensor to the id of its gradient."""
    handed: list[Op] = field(default_factory=list)
    """The gradient operators that only patterns of libraries take anything from."""
    scalars: dict[str, Changeable] = field(default_factory=dict)
    """The tensors that hold changeable numbers of the optimizer, by id."""
    decisions: list[Decision] = field(default_factory=list)
    """What patterns and transforms did, and what they refused with the reason."""

    @property
    def stages(self) -> int:
        """The number of stages that run at once."""
        return self.depth if self.overlaps else 1

    @property
    def kept(self) -> set[str]:
        """The ids that no pass may remove: the anchors and the loss."""
        return {*self.anchors, *([self.loss] if self.loss else [])}


def fit_given_graph(c: Compilation) -> None:
    """Makes a graph that a program has made fit to be lowered."""
    fit_to_lower(c.graph, c.graph.remapped or {id: id for id in c.anchors})


def check_pipeline(c: Compilation) -> None:
    """Checks and numbers the stages that the model gives, if there is a pipeline."""
    if c.is_pipelined:
        check_stages(c.graph)
        merge_stages(c.graph)


def choose_weights(c: Compilation) -> None:
    """Decides which initializers are trained. Runs first, before other passes add variables."""
    if c.loss is not None:
        c.choices = choose(c.graph, c.trained, c.frozen)
        c.weights = [id for id, choice in c.choices.items() if choice.role is Role.TRAINED]
    c.graph.frozen = _frozen(c)


def _frozen(c: Compilation) -> set[str]:
    """The variables of one element that are constants, that no operator writes or shows, and whose
    gradients nobody asks for.
    """
    choices, asked = c.choices, {*differentiated(c.anchors)}
    found = {
        t.id
        for t in c.graph.tensors.values()
        if t.is_variable()
        and t.data is not None
        and t.data.size == 1
        and t.id not in c.graph.shared
        and t.id not in asked
        and (c.loss is None or (t.id in choices and choices[t.id].role is Role.CONSTANT))
    }
    for op in c.graph.ops.values() if found else ():
        for i, tensor in op.input.items():
            if tensor.id in found and (
                op.getCalledGraphs() or op.modifies(i) or any(op.aliases(i, o) for o in op.output)
            ):
                found.discard(tensor.id)
    return found


STAGES = ("Fwd0", "Fwd1", "Bwd0", "PreAlias", "Final")
"""When transforms of libraries may be applied, in this order."""


def check_library_transforms(asked: Mapping[str, Sequence[str]]) -> None:
    """Raises popart_exception for a time at which no transform can be applied."""
    for stage in asked:
        if stage not in STAGES:
            raise popart_exception(
                "SessionOptions.experimentalSettings.customTransformApplierSettings names "
                f"'{stage}'; transforms can be applied at {', '.join(STAGES)}."
                f"{did_you_mean(stage, STAGES)}"
            )


def _transforms_at(stage: str) -> Callable[[Compilation], None]:
    """The pass that applies the transforms of libraries for `stage`. Anchors and the loss are told
    to them.
    """

    def run(c: Compilation) -> None:
        for name in c.library_transforms.get(stage, ()):
            _set_mode(c)
            if c.gradients and c.loss is not None and c.graph.hasTensor(c.loss):
                c.graph.passes = _ids(_passes(c))
            if not apply_transform(name, c.graph, c.flow, c.loss):
                continue
            c.decisions.append(Decision("the model", f"the transform {name}", None))
            try:
                verify(c.graph)
            except popart_exception as error:
                raise VerificationError(f"After the transform '{name}': {error}") from error

    run.__name__ = f"transforms_of_libraries_{stage}"
    return run


def _dot_at(stage: str) -> Callable[[Compilation], None]:
    """The pass that writes the graphs for graphviz, if the options ask for the stage."""

    def run(c: Compilation) -> None:
        if c.dots is not None:
            write_dot(called_graphs(c.graph), stage, c.dots)

    run.__name__ = f"dot_{stage}"
    return run


def _set_mode(c: Compilation) -> None:
    for each in called_graphs(c.graph):
        each.isTraining = c.loss is not None


def expand_gradient_operators(c: Compilation) -> None:
    """Puts the operators that compute gradients in the place of each operator Gradient."""
    expand_gradients(c.graph, c.loss)


def keep_states(c: Compilation) -> None:
    """Keeps state that operators compute, such as running statistics, for the next batch."""
    if c.loss is None:
        return
    keep_state(c.graph, {id for id, choice in c.choices.items() if choice.role is Role.STATE})


def connect_random_seed(c: Compilation) -> None:
    """Connects the random seed to the operators that draw random numbers, and adds the operator
    that changes it after each batch.

    The seed, UINT32[2], is also that of stochastic rounding. It starts at 0, or with the value
    saved in the model. This pass also sets `Graph.isTraining`.
    """
    _set_mode(c)
    for each in called_graphs(c.graph):
        _check_random(c.graph, each)
    _give_seed(c)


def _give_seed(c: Compilation) -> None:
    """Connects the seed to the operators that have none, and adds it if it is needed."""
    drawing = (op for op in c.graph.ops.values() if op.requiresRandomSeed())
    users = [op for op in drawing if (i := op.getSeedInIndex()) >= 0 and not op.hasInput(i)]
    is_new = bool(users or c.rounds_stochastically) and not any(
        op.opid.type == "NextRandomSeed" for op in c.graph.ops.values()
    )
    if is_new:
        c.graph.addState(RANDOM_SEED, np.zeros(2, np.uint32))
        if c.graph.isTraining:
            c.graph.saveVariable(RANDOM_SEED)
    for op in users:
        op.connectInTensor(op.getSeedInIndex(), RANDOM_SEED)
    if is_new:
        settings = Op.Settings(c.graph, "nextRandomSeed")
        c.graph.createConnectedOp(
            registry.createOp,
            {0: RANDOM_SEED},
            {0: f"{RANDOM_SEED}/next"},
            *("ai.graphcore", "NextRandomSeed", 1, settings, {}, [c.graph.getTensor(RANDOM_SEED)]),
        )


def _check_random(graph: Graph, callee: Graph) -> None:
    for op in callee.ops.values():
        if callee is not graph and op.requiresRandomSeed():
            raise popart_exception(
                f"{op.debugName()} draws random numbers in '{callee.name}', a branch or the body "
                "of a loop; popir draws them outside of these alone. Compute them before, and "
                "read them there."
            )


def differentiated(anchors: Iterable[str]) -> list[str]:
    """The ids x of anchors `Gradient___x`: the tensors whose gradients are asked for."""
    prefix = reservedGradientPrefix()
    return [id.removeprefix(prefix) for id in anchors if id.startswith(prefix)]


def rewrite(c: Compilation) -> None:
    """Applies the patterns until none matches.

    Protected are anchors, the loss, gradients, each x with an anchor `Gradient___x` or
    `Restored___x`, and what the loss scaling tracks.
    """
    tracked = c.loss_scaling.tracked if c.loss_scaling is not None else ()
    asked = {*differentiated(c.anchors), *_restored(c).values(), *tracked}
    kept = {*c.kept, *asked, *c.gradients.values()}
    made = apply_patterns(c.graph, c.patterns, kept)
    for callee in called_graphs(c.graph)[1:]:
        made += apply_patterns(callee, c.patterns, callee.inputs)
    _give_seed(c)  # to what a pattern has made
    # Refusals of an earlier run are dropped: this run has reported them again, if they still hold.
    kept_decisions = (d for d in c.decisions if d.reason is None or d.what == SERIALIZATION)
    c.decisions = [*kept_decisions, *made]


def cut_batch(c: Compilation) -> None:
    """Computes the batch in parts, if it is asked for. Runs before autodiff, which then gives the
    backward pass in parts.
    """
    if c.serialization is not None:
        tracked = c.loss_scaling.tracked if c.loss_scaling is not None else ()
        whole = {*differentiated(c.anchors), *tracked}
        kept = {*c.kept, *whole, *_restored(c).values(), *c.graph.outputs}
        c.decisions += serialize_batch(c.graph, c.serialization, kept, whole)


def add_gradients(c: Compilation) -> None:
    """Adds the operators that compute the gradients of the loss: of the weights, and of each x with
    an anchor `Gradient___x`.
    """
    if c.loss is None or c.optimizer is None:
        return
    asked = (id for id in differentiated(c.anchors) if c.graph.hasTensor(id))
    targets = dict.fromkeys([*c.weights, *asked])
    seed: float | str = c.optimizer.value("lossScaling", "")
    if not c.optimizer.isConstant("lossScaling", ""):
        info = c.graph.getTensor(c.loss).info
        assert info is not None
        require_finite(f"The loss scaling of '{c.loss}'", seed, info.dataType())
        id = reservedLossScalingPrefix() + info.data_type()
        c.graph.addVarInit(id, np.full(info.shape(), seed, info.dataType().numpy))
        c.scalars[id] = Changeable("lossScaling", "")
        seed = id
    if (asked := c.loss_scaling) is not None:
        if not isinstance(seed, str):
            raise popart_exception(
                "SessionOptions.automaticLossScalingSettings.enabled = True: the optimizer's "
                "lossScaling is constant; give it as (value, False).",
                popart="[AutomaticLossScale transform] The optimizer must have non-const loss "
                "scaling",
            )
        check_tracked(c.graph, asked.tracked, c.loss)
        targets.update(dict.fromkeys(asked.tracked))
        seed = scale_loss(c.graph, seed)
    c.gradients = differentiate(c.graph, c.loss, targets, seed, c.handed)
    for op in [each for each in c.graph.ops.values() if each.source != "built in"]:
        # A library's operator that derives from a built-in one gives PopART's gradient of it.
        composed(op)
    if c.serialization is not None:
        add_up_early(c.graph, c.gradients.values())
    c.graph.has_gradients = True


def recompute_activations(c: Compilation) -> None:
    """Computes activations again in the backward pass, where annotations or the option ask for it.
    Runs after autodiff, and before the updates, which read gradients alone.
    """
    if c.loss is None or not asks_for_recomputation(c.graph, c.recomputation):
        return
    forward, backward = _passes(c)
    chosen = recomputed_operators(c.graph, forward, c.recomputation)
    key = stage_key(forward) if c.is_pipelined else None
    c.decisions += recompute(c.graph, backward, chosen, key)


def _passes(c: Compilation) -> tuple[set[Op], set[Op]]:
    """The operators that the loss depends on, and those that its gradients depend on besides."""
    if c.loss is None:
        return set(c.graph.ops.values()), set()
    forward = ancestors(c.graph.getTensor(c.loss))
    ends = [c.graph.getTensor(id) for id in c.gradients.values() if c.graph.hasTensor(id)]
    adding = (
        op for op in c.graph.ops.values() if isinstance(op, (AccumulateOp, SparseAccumulateOp))
    )
    ends += (op.inTensor(GRADIENT) for op in adding)
    ends += (t for op in c.handed if op.id in c.graph.ops for t in op.output.values())
    return forward, ancestors(*ends, beyond=forward)


def _ids(passes: tuple[set[Op], set[Op]]) -> tuple[set[int], set[int]]:
    forward, backward = passes
    return {op.id for op in forward}, {op.id for op in backward}


def stage_operators(c: Compilation) -> None:
    """Gives each operator its stage, or takes the stages away if they do not run at once. What is
    called runs in the stage of the operator that calls it.
    """
    passes = _passes(c)
    if c.loss is not None:
        c.graph.passes = _ids(passes)
    if c.is_pipelined or c.is_phased or c.locations is not None:
        c.passes = passes
    if c.is_pipelined:
        c.depth = assign_stages(c.graph, c.passes[1])
    for graph in called_graphs(c.graph)[1 if c.overlaps else 0 :]:
        for op in graph.ops.values():
            op.settings.nodeAttributes.pop(PIPELINE_STAGE, None)


def order_by_phases(c: Compilation) -> None:
    """Sorts operators by their execution phases, if there are any."""
    if c.is_phased:
        order_phases(c.graph, c.passes[1])


def stash_values(c: Compilation) -> None:
    """Keeps what stages need from earlier ones, if they run at once.

    Raises AnchorError for an anchor `Restored___x` if no later stage on the IPU of x reads it.
    """
    if not c.overlaps:
        return
    stash_between_stages(c.graph)
    lacking = [id for id in _restored(c) if not c.graph.hasTensor(id)]
    if lacking:
        raise AnchorError(
            f"The anchor '{lacking[0]}': no later stage of the pipeline gets "
            f"'{_restored(c)[lacking[0]]}' from a stash."
        )


def _restored(c: Compilation) -> dict[str, str]:
    """For each anchor `Restored___x`, what later stages of a pipeline get of x, the id of x."""
    prefix = reservedRestoredPrefix()
    asked = (id for id in c.anchors if c.is_pipelined and id.startswith(prefix))
    return {id: id.removeprefix(prefix) for id in asked}


def give_restored(c: Compilation) -> None:
    """Of a pipeline whose stages do not run at once, where nothing is stashed: an anchor
    `Restored___x` is x.
    """
    for id, x in () if c.overlaps else _restored(c).items():
        if not c.graph.hasTensor(x):
            continue
        tensor = c.graph.getTensor(x)
        notes = {} if tensor.producer is None else tensor.producer.settings.nodeAttributes
        ipu = {VIRTUAL_GRAPH: notes[VIRTUAL_GRAPH]} if VIRTUAL_GRAPH in notes else {}
        settings = Op.Settings(c.graph, "", ipu)
        c.graph.createConnectedOp(
            registry.createOp,
            {0: x},
            {0: id},
            *("ai.onnx", "Identity", 16, settings, {}, [tensor]),
        )


def update_weights(c: Compilation) -> None:
    """Adds the update of each weight that has a gradient, after accumulation and clipping."""
    if c.optimizer is None:
        return
    gradients = {id: c.gradients[id] for id in c.weights if id in c.gradients}
    factors = [INVERSE] if c.loss_scaling is not None else []
    c.scalars.update(add_updates(c.graph, gradients, c.optimizer, c.accumulation, factors))
    if (asked := c.loss_scaling) is not None:
        scaling = next(id for id, number in c.scalars.items() if number.name == "lossScaling")
        tracked = [c.gradients[id] for id in asked.tracked]
        follow_gradients(c.graph, asked, scaling, tracked, c.accumulation.is_on)


def accumulate_sparsely(c: Compilation) -> None:
    """Applies the pattern TiedGatherAccumulate, if it is on."""
    name = "TiedGatherAccumulate"
    if c.accumulation.is_on and c.patterns.isPatternEnabled(name):
        only = Patterns([name]).enableRuntimeAsserts(False)
        c.decisions += apply_patterns(c.graph, only, c.kept)


def rewrite_updates(c: Compilation) -> None:
    """Applies the patterns of libraries and of Python code once more, now that the updates are
    there, as PopART does. Protected are the tensors that the host reads or asks for.

    Raises popart_exception for a gradient that such a pattern should have taken, and has not.
    """
    if c.optimizer is None:
        return
    c.graph.has_updates = True
    if uses_others(c.patterns):
        shown = ShownUpdates(c.graph)
        if c.accumulation.is_on:
            c.graph.outer = {op.id for op in after_accumulation(c.graph)}
        kept = {*c.kept, *differentiated(c.anchors), *_restored(c).values()}
        made = apply_patterns(c.graph, c.patterns, kept, built_in=False)
        shown.take_back([decision.what for decision in made if decision.reason is None])
        c.decisions += made
    for op in c.handed:
        left = [t.id for t in op.output.values() if not t.uses and t.id not in c.kept]
        if op.id in c.graph.ops and left:
            raise popart_exception(
                f"{op.debugName()} is not pruneable, and no gradient of a weight passes it, "
                "because of a Detach before it for example. It waits for a pattern of its library "
                "that hands its result to an optimizer, and none has; so the gradient "
                f"'{left[0]}' would be lost. Switch that pattern on, or the one that put the "
                "operator there off."
            )


def check_anchors(c: Compilation) -> None:
    """Raises AnchorError, with similar names, for an anchor that is no tensor of the graph;
    LeavesDeviceError for one that holds strings.
    """
    tensors = c.graph.tensors
    later = _restored(c) if c.overlaps else {}
    for id in c.anchors:
        if id not in tensors and later.get(id) not in tensors:
            near = did_you_mean(id, tensors) or f" It has {', '.join(sorted(tensors)[:10])}."
            raise AnchorError(
                f"The anchor '{id}' is no tensor of the model.{near}",
                popart=f"Anchor tensor `{id}' not in Ir Tensors.{near}",
            )
        info = tensors[id].info if id in tensors else None
        if info is not None and info.dataType() is DataType.STRING:
            raise LeavesDeviceError(
                f"'{id}' holds strings, which no device program does. popir.backend.prepare and "
                "popir run run such a model in segments."
            )


def remove_unused(c: Compilation) -> None:
    """Removes operators that no anchor and no weight update depends on."""
    prune(c.graph, c.anchors)
    for callee in called_graphs(c.graph)[1:]:
        prune(callee, callee.outputs)


def find_what_replicas_change(c: Compilation) -> None:
    """Notes the variables that each replica changes by itself. Runs before operators are added that
    bring back what replicas have together.
    """
    if c.graph.replicas > 1:
        variables = (t for t in c.graph.tensors.values() if t.is_variable() and t.id != RANDOM_SEED)
        c.apart = {t.id for t in variables if changed_apart(t) is not None}


def shard_over_replicas(c: Compilation) -> None:
    """Makes shards of variables that replicas share, where options ask for it.

    Raises popart_exception for groups of replicas that do not go together, and for an override of a
    tensor that the graph does not have.
    """
    _check_overrides(c)
    if c.locations is None or c.graph.replicas == 1:
        return
    numbers = {*c.scalars, *OF_SESSION}
    chosen: dict[Tensor, ReplicaGrouping] = {}
    for tensor in c.graph.tensors.values():
        least = c.locations.of(tensor).least_sharded
        if least is None or not tensor.is_variable() or not tensor.uses:
            continue
        if tensor.id in numbers or tensor.id.startswith(COUNTER):
            continue
        assert tensor.info is not None
        if tensor.info.nelms() < max(least, 2):
            continue
        groups = groups_of(tensor, c.locations.of(tensor).domain)
        why = why_whole(tensor, c.kept) if groups.size > 1 else "no other replica shares its value"
        c.decisions.append(Decision(tensor.id, "replicated tensor sharding", why or None))
        if not why:
            chosen[tensor] = groups
    shard_variables(c.graph, chosen, _period(c))


def _period(c: Compilation) -> Period:
    """The period of a step in which an operator runs: pass or phase, and stage."""
    forward, backward = c.passes
    later = after_accumulation(c.graph)

    def period(op: Op) -> tuple[int, int]:
        if c.is_phased:
            return 0, op.settings.nodeAttributes.get(EXECUTION_PHASE, -1)
        kind = 0 if op in forward else 1 if op in backward else 3 if op in later else 2
        return kind, op.settings.nodeAttributes.get(PIPELINE_STAGE, -1)

    return period


def _check_overrides(c: Compilation) -> None:
    """Raises popart_exception for the location of a tensor that the graph does not have, and for
    the sharding of one that is no variable.
    """
    for id, where in c.locations.overrides.items() if c.locations is not None else ():
        if not c.graph.hasTensor(id):
            raise popart_exception(
                f"SessionOptions.tensorLocationSettingsOverride names '{id}', which is no tensor "
                f"of the compiled model.{did_you_mean(id, c.graph.tensors)}"
            )
        if where.least_sharded is not None and not c.graph.getTensor(id).is_variable():
            raise popart_exception(
                f"SessionOptions.tensorLocationSettingsOverride['{id}'].replicatedTensorSharding = "
                "ReplicatedTensorSharding.On: it is no weight or state, and each replica has a "
                "value of its own. Leave it Off."
            )


def move_tensors_off_chip(c: Compilation) -> None:
    """Puts tensors into remote buffers, where options ask for it."""
    if c.locations is None:
        return
    forward, period = c.passes[0], _period(c)
    moved: dict[Tensor, Location] = {}
    numbers = {*c.scalars, *OF_SESSION}
    for tensor in c.graph.tensors.values():
        is_activation = _is_activation(tensor, None if c.is_phased else forward)
        if not tensor.uses or not (tensor.is_variable() or is_activation):
            continue
        if tensor.id in numbers or tensor.id.startswith(COUNTER):
            continue
        if not c.locations.asks_for(tensor):
            continue
        why = _why_on_chip(c, tensor)
        if not why and is_activation:
            why = why_on_chip(tensor, period)
        c.decisions.append(Decision(tensor.id, "streaming memory", why or None))
        if not why:
            moved[tensor] = c.locations.of(tensor)
    c.off_chip = {tensor.id for tensor in moved if tensor.is_variable()}
    move_off_chip(c.graph, moved, period, Places(c.graph) if c.is_placed else None)


def _is_activation(tensor: Tensor, made_by: Collection[Op] | None) -> bool:
    """Whether an input, or a value that an operator computes, one of `made_by` if given. What
    operators have made of a variable in place is none.
    """
    op = tensor.producer
    if op is None:
        return tensor.is_stream()
    return (made_by is None or op in made_by) and modified(tensor) is None


def _why_on_chip(c: Compilation, tensor: Tensor) -> str:
    """Why a tensor stays on chip whatever is asked for; "" for others."""
    if tensor.id in c.kept:
        return "it is an anchor, which the host reads"
    writers = [op for op in tensor.uses if any(map(op.modifies, _at(op, tensor)))]
    if c.overlaps and any(
        PIPELINE_STAGE in op.settings.nodeAttributes and not op.accumulates for op in writers
    ):
        return "several stages of the pipeline have values of their own of it"
    for op in writers:
        if any(op.modifies(i) and changed_output(op, i) is None for i in _at(op, tensor)):
            return f"{op.debugName()} changes it, and has no output that is the changed value"
    return ""


def _at(op: Op, tensor: Tensor) -> list[int]:
    return [i for i, t in op.input.items() if t is tensor]


def copy_far_tensors(c: Compilation) -> None:
    """Adds the copies between IPUs, if operators are placed on them."""
    if c.is_placed:
        copy_between_ipus(c.graph)


def outline_repeats(c: Compilation) -> None:
    """Replaces repeated parts of the graph by calls, if outlining is on."""
    if c.outlining is not None:
        c.decisions += outline(c.graph, c.kept, c.outlining)


def update_at_once(c: Compilation) -> None:
    """Moves updates to where their gradients are; behind outlining, whose pieces they would break.
    Execution phases, stages and loads have an order of their own.
    """
    if not (c.is_phased or c.overlaps or c.locations is not None):
        update_early(c.graph)


def overwrite(c: Compilation) -> None:
    """Replaces operators by in-place variants, if the pattern InPlace is on."""
    if c.patterns.isPatternEnabled(PATTERN):
        for graph in called_graphs(c.graph):
            c.decisions += inplace(graph, c.kept)


def getHash(c: Compilation, seed: object = ()) -> int:
    """A hash of 64 bits of the compiled graph, equal in every process; PopART's `Ir::getHash`.

    It covers `popir.ir.hash.digest`, the anchors and the loss, and `seed`: what else an executable
    depends on. Raises popart_exception for an attribute that has no digest.
    """
    return int.from_bytes(digest(c.graph, encoded((sorted(c.kept), seed)))[:8], "little")


PASSES: list[Callable[[Compilation], None]] = [
    check_pipeline,
    _transforms_at("Fwd0"),
    _dot_at("Fwd0"),
    choose_weights,
    connect_random_seed,
    expand_gradient_operators,
    keep_states,
    rewrite,
    _transforms_at("Fwd1"),
    _dot_at("Fwd1"),
    cut_batch,
    add_gradients,
    _transforms_at("Bwd0"),
    _dot_at("Bwd0"),
    rewrite,
    recompute_activations,
    update_weights,
    accumulate_sparsely,
    rewrite_updates,
    _transforms_at("PreAlias"),
    _dot_at("PreAlias"),
    stage_operators,
    give_restored,
    check_anchors,
    remove_unused,
    order_by_phases,
    find_what_replicas_change,
    shard_over_replicas,
    move_tensors_off_chip,
    copy_far_tensors,
    stash_values,
    _transforms_at("Final"),
    outline_repeats,
    update_at_once,
    overwrite,
    _dot_at("Final"),
]


GIVEN: list[Callable[[Compilation], None]] = [
    fit_given_graph,
    connect_random_seed,
    check_anchors,
    find_what_replicas_change,
    copy_far_tensors,
    _dot_at("Final"),
]
"""What a graph goes through that a program has made: it is lowered as it is."""


def compile(
    c: Compilation,
    progress: Logger | None = None,
    passes: Sequence[Callable[[Compilation], None]] | None = None,
) -> None:
    """Runs the passes, by default PASSES, on `c`, and verifies the graph at the end.

    With `c.verifies_each`, it is verified after each pass that changed it: that takes some time.
    Patterns of users are verified where they have applied, in any case (`apply_patterns`).

    `progress(done, total)` is called before each pass. Raises the errors of the passes, and
    VerificationError, naming the passes that ran, if a pass leaves the graph inconsistent.
    """
    passes = PASSES if passes is None else passes
    done: list[str] = []
    verified = None
    for run in passes:
        if progress is not None:
            progress(len(done), len(passes))
        run(c)
        done.append(run.__name__)
        if not c.verifies_each and run is not passes[-1]:
            continue
        changes = [(graph.name, graph.changes) for graph in called_graphs(c.graph)]
        if changes == verified and run is not passes[-1]:
            continue
        verified = changes
        try:
            verify(c.graph)
        except VerificationError as error:
            raise VerificationError(_blame(c, done, error)) from error
    if c.loss is not None and not c.gradients:
        _check_training(c)


def _blame(c: Compilation, done: list[str], error: VerificationError) -> str:
    passes = ", ".join(done)
    if c.verifies_each:
        return f"After the pass {done[-1]} (passes run: {passes}): {error}"
    return (
        f"After the passes {passes}: {error} With the engine option debug.verifyPlan = 'true' the "
        "graph is verified after each pass, and the error names it."
    )


def _check_training(c: Compilation) -> None:
    """Raises popart_exception for training that would change no weight."""
    if c.weights:
        raise popart_exception(
            f"The loss '{c.loss}' depends on none of the weights {', '.join(c.weights)}, so there "
            "is nothing to train."
        )
    left = {id: choice for id, choice in c.choices.items() if c.graph.getTensor(id).is_variable()}
    if left and all(choice.role is Role.CONSTANT for choice in left.values()):
        first = "; ".join(f"'{id}': {choice.reason}" for id, choice in list(left.items())[:5])
        raise popart_exception(
            f"None of the model's {len(left)} floating-point initializers is trained: {first}. "
            "Name those that are to be: TrainingSession(..., trained=[...]), or popir train "
            "--train."
        )
