"""`SessionOptions`: how a session compiles and runs a model.

Names and defaults are PopART's. Long, because PopART has so many options. Each field is a row of
the table that `popir options` prints; see `popir.options.table`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from popir import enums as e
from popir.errors import did_you_mean, popart_exception
from popir.options.contractions import CONVOLUTION, LSTM, MATMUL, check_entries
from popir.options.table import (
    Needs,
    SessionSettings,
    Settings,
    acts,
    nested,
    no_meaning,
    refused,
)
from popir.replicas import CommGroup
from popir.typed import fitted, shown
from popir.types import ReductionType

_ZERO_COPY = (
    "the device reads and writes the host's arrays in place, so there is no transfer to arrange."
)
_WHOLE = "each replica computes activations of its own, of which no other one could keep a part."
_MERGED = "a collective is one meeting of the replicas' threads; there is nothing to merge."
_REPLICAS = "tests/replicas/test_training.py::{}"
_RANKS = "tests/replicas/test_ranks.py::{}"
_DISTRIBUTED = Needs(
    "enableDistributedReplicatedGraphs is True", lambda o: o.enableDistributedReplicatedGraphs
)
_ACCUMULATION = "tests/test_accumulation.py::{}"
_AHEAD = (
    "Preload: what is off chip and loaded by IO tiles (loadTileSet) comes there while operators "
    "before its first reader compute, from the load before it on, with phases or without. "
    "OnDemand: just before that reader."
)
_ORDER = "operators run in the order of the model, each after what it reads; no order is searched."
_FRAGMENT = "what runs after accumulation runs in the order of the weights, on one device."
_REDUCES = Needs(
    "gradients are accumulated, or there are several replicas",
    lambda options: options.enableGradientAccumulation or options.getGlobalReplicationFactor() > 1,
)
_SHARDING = "tests/replicas/test_sharding.py::{}"
_SEVERAL = Needs(
    "there are several replicas", lambda options: options.getGlobalReplicationFactor() > 1
)
_MEAN = Needs(
    "enableGradientAccumulation is True and accumulationAndReplicationReductionType is Mean",
    lambda options: (
        options.enableGradientAccumulation
        and options.accumulationAndReplicationReductionType is ReductionType.Mean
    ),
)
_LOSS_SCALING = "tests/test_loss_scaling.py::{}"
_SCALED = Needs(
    "automaticLossScalingSettings.enabled is True",
    lambda options: options.automaticLossScalingSettings.enabled,
)
_TRACKED = Needs(
    "gradientTensorTrackingMethod is GradientsOfUserSpecifiedTensors",
    lambda options: (
        options.automaticLossScalingSettings.gradientTensorTrackingMethod
        is e.GradientTensorTrackingMethod.GradientsOfUserSpecifiedTensors
    ),
)
_CONTRACTIONS = "tests/test_contraction_options.py::{}"
_DOT = "Poplar's graphs are not drawn; dotChecks asks for files of the model's."
_DRAWN = Needs("dotChecks is not empty", lambda o: bool(o.dotChecks))
_CYCLES = "getCycleCount() is an estimate, which needs no instrumentation."
_SERIALIZED = Needs(
    "batchSerializationSettings.factor is at least 2",
    lambda o: o.batchSerializationSettings.factor > 1,
)
_UNROLLED = Needs(
    "batchSerializationSettings.factor is at least 2, and method is none of Loop",
    lambda o: (
        o.batchSerializationSettings.factor > 1
        and o.batchSerializationSettings.method is not e.BatchSerializationMethod.Loop
    ),
)
_ENGINE = Needs("compileEngine is True", lambda options: options.compileEngine)
OUTLINING = Needs("enableOutlining is not False", lambda o: o.enableOutlining is not False)
_LOGGER = Needs(
    "compilationProgressLogger is given", lambda o: o.compilationProgressLogger is not None
)
_CACHE = Needs("enableEngineCaching is True", lambda options: options.enableEngineCaching)
_SOURCES = Needs(
    "customCodelets has files that are compiled",
    lambda options: any(not file.endswith(".gp") for file in options.customCodelets),
)
_PHASES = Needs(
    "executionPhaseSettings.phases is at least 2", lambda o: o.executionPhaseSettings.phases > 1
)
_IO_TILES = Needs("numIOTiles is at least 1", lambda o: o.numIOTiles > 0)
_AUTO = Needs("virtualGraphMode is Auto", lambda o: o.virtualGraphMode is e.VirtualGraphMode.Auto)


@dataclass(init=False)
class TensorLocation(Settings):
    """Where a kind of tensors is stored. PopART's class of this name.

    `TensorLocation(storage)`, `TensorLocation(storage, replicatedTensorSharding)`, each with a
    `shardingDomain` behind, or all in order.
    """

    storage: e.TensorStorage = acts(
        e.TensorStorage.OnChip,
        "OffChip: the tensors lie in remote buffers, in streaming memory. RemoteLoad and "
        "RemoteStore operators bring them to the tiles for as long as a pass reads them. Values "
        "stay the same, but for the last bit where the host adds a gradient to its weight in one "
        "step with the product that it is. Of activations, those go off chip that the backward "
        "pass reads; a pipeline keeps all of them on chip.",
        "tests/test_off_chip.py::test_off_chip_changes_no_bit",
    )
    loadTileSet: e.TileSet = acts(
        e.TileSet.Compute,
        "IO: what is off chip is loaded onto the IO tiles, and copied from there.",
        "tests/test_off_chip.py::test_io_tiles_carry_what_moves",
        needs=_IO_TILES,
    )
    storageTileSet: e.TileSet = acts(
        e.TileSet.Compute,
        "IO: what goes off chip is copied to the IO tiles, and stored from there.",
        "tests/test_off_chip.py::test_io_tiles_carry_what_moves",
        needs=_IO_TILES,
    )
    replicatedTensorSharding: e.ReplicatedTensorSharding = acts(
        e.ReplicatedTensorSharding.Off,
        "On: each replica keeps a part of the tensor, as docs/replicas.md describes. The host "
        "reads and writes the whole.",
        _SHARDING.format("test_sharded_variables_train_as_whole_ones"),
        needs=_SEVERAL,
    )
    shardingDomain: CommGroup | None = acts(
        None,
        "the groups of replicas of which each keeps a part; None for all that share the value.",
        _SHARDING.format("test_groups_of_the_sharding_domain"),
        needs=_SEVERAL,
    )

    def __init__(
        self,
        storage: e.TensorStorage = e.TensorStorage.OnChip,
        loadTileSet: e.TileSet | e.ReplicatedTensorSharding = e.TileSet.Compute,
        storageTileSet: Any = e.TileSet.Compute,
        replicatedTensorSharding: e.ReplicatedTensorSharding = e.ReplicatedTensorSharding.Off,
        shardingDomain: CommGroup | None = None,
    ) -> None:
        if isinstance(loadTileSet, e.ReplicatedTensorSharding):
            if storageTileSet is not e.TileSet.Compute:
                shardingDomain, storageTileSet = storageTileSet, e.TileSet.Compute
            replicatedTensorSharding, loadTileSet = loadTileSet, e.TileSet.Compute
        self.storage = storage
        self.loadTileSet = loadTileSet
        self.storageTileSet = storageTileSet
        self.replicatedTensorSharding = replicatedTensorSharding
        self.shardingDomain = shardingDomain


@dataclass(init=False)
class TensorLocationSettings(Settings):
    """Where tensors of a kind, from a minimum size on, are stored. PopART's class of this name.

    In the place of the location, its `storage` will do.
    """

    location: TensorLocation = nested(TensorLocation)
    minElementsForOffChip: int = acts(
        2,
        "tensors of fewer elements stay on chip.",
        "tests/test_off_chip.py::test_small_tensors_stay_on_chip",
        least=0,
    )
    minElementsForReplicatedTensorSharding: int = acts(
        8192,
        "each replica keeps the whole of tensors of fewer elements.",
        _SHARDING.format("test_small_variables_stay_whole"),
        least=0,
        needs=_SEVERAL,
    )

    def __init__(
        self,
        location: TensorLocation | e.TensorStorage | None = None,
        minElementsForOffChip: int = 2,
        minElementsForReplicatedTensorSharding: int = 8192,
    ) -> None:
        if location is None or isinstance(location, e.TensorStorage):
            location = TensorLocation(location or e.TensorStorage.OnChip)
        self.location = location
        self.minElementsForOffChip = minElementsForOffChip
        self.minElementsForReplicatedTensorSharding = minElementsForReplicatedTensorSharding


@dataclass
class AutomaticLossScalingSettings(Settings):
    """Loss scaling that adapts to the range of gradients in half. PopART's class of this name."""

    enabled: bool = acts(
        False,
        "the loss scaling is multiplied by a factor that is halved after an update of whose "
        "gradients in half too many elements were large, and doubled after any other, as long as "
        "the product is finite in the loss's type. The optimizer's lossScaling must not be "
        "constant; the tensor finalLossScale is the product.",
        _LOSS_SCALING.format("test_the_scaling_follows_the_gradients"),
    )
    toTrackTensors: list[str] | None = acts(
        None,
        "the ids of the tensors whose gradients are observed.",
        _LOSS_SCALING.format("test_what_is_observed"),
        needs=_TRACKED,
    )
    binEdgeLocation: float = acts(
        0.125,
        "the share of the largest number in half above which an element is large.",
        _LOSS_SCALING.format("test_the_edge_and_the_threshold_act"),
        least=0,
        most=1,
        needs=_SCALED,
    )
    thresholdUpperCountProportion: float = acts(
        1e-7,
        "the share of large elements above which the factor is halved.",
        _LOSS_SCALING.format("test_the_edge_and_the_threshold_act"),
        least=0,
        most=1,
        needs=_SCALED,
    )
    updatePeriod: int = acts(
        1,
        "of so many updates, the first changes the factor.",
        _LOSS_SCALING.format("test_the_factor_changes_once_in_a_period"),
        least=1,
        needs=_SCALED,
    )
    gradientTensorTrackingMethod: e.GradientTensorTrackingMethod = acts(
        e.GradientTensorTrackingMethod.AllNonViewChangingGradientTensors,
        "the gradients that are observed: those that are computed and not only rearranged, those "
        "of convolutions and matrix products, or those of toTrackTensors.",
        _LOSS_SCALING.format("test_what_is_observed"),
        needs=_SCALED,
    )


@dataclass
class BatchSerializationSettings(Settings):
    """Computing a batch in `factor` parts, one after another. PopART's class of this name."""

    factor: int = acts(
        0,
        "the forward pass is computed in so many parts of the batch, one after another, as far as "
        "operators work on each part by itself, and with it the backward pass; 0 and 1 for as a "
        "whole. It must divide the batch of all inputs: dimension 0, or that which an LSTM has. "
        "Results are those of the whole, sums over the batch up to their rounding.",
        "tests/transforms/test_batch_serialization.py::test_parts_give_what_the_whole_gives",
        least=0,
    )
    concatOnVirtualGraphChange: bool = acts(
        True,
        "where the IPU changes, the parts are joined, and one copy has all of them; otherwise each "
        "is copied by itself. A loop ends there in any case.",
        "tests/transforms/test_batch_serialization.py::test_what_is_copied_between_ipus",
        needs=_UNROLLED,
    )
    concatOnExecutionPhaseChange: bool = acts(
        True,
        "the same of execution phases: what is off chip is loaded and stored whole, or in parts.",
        "tests/transforms/test_batch_serialization.py::test_what_is_stored_between_phases",
        needs=_UNROLLED,
    )
    concatOnPipelineStageChange: bool = acts(
        True,
        "the same of the stages of a pipeline: what a later stage reads is copied and stashed "
        "whole, or in parts.",
        "tests/transforms/test_batch_serialization.py::test_what_is_stashed_between_stages",
        needs=_UNROLLED,
    )
    transformContext: e.BatchSerializationTransformContext = no_meaning(
        e.BatchSerializationTransformContext.Fwd,
        "the backward pass is the gradient of what is in parts, and so is in parts in any case.",
    )
    method: e.BatchSerializationMethod = acts(
        e.BatchSerializationMethod.UnrollDynamic,
        "Loop: the operators are the body of a loop over the parts. UnrollDynamic and "
        "UnrollStatic: they are there once for each part, which is a view of the whole; so a "
        "dynamic slice would only be a copy more, and both are the same.",
        "tests/transforms/test_batch_serialization.py::test_a_loop_runs_over_the_parts",
        needs=_SERIALIZED,
    )
    batchSchedule: e.BatchSerializationBatchSchedule = no_meaning(
        e.BatchSerializationBatchSchedule.Isomorphic,
        "all operators of a part run before those of the next one, in the order of the model. "
        "Transfers that overlap with the compute of another part are not modelled.",
    )


@dataclass
class ExecutionPhaseSettings(Settings):
    """Execution phases, which run one after another. PopART's class of this name."""

    phases: int = acts(
        0,
        "the phases of the forward pass, of which Builder.executionPhase gives each operator its "
        "own; 0 and 1 for none. The backward pass and the updates have as many, in reverse. The "
        "operators of a phase follow one another; what is off chip is loaded and stored by each "
        "phase. It goes with VirtualGraphMode.ExecutionPhases.",
        "tests/test_phases.py::test_operators_run_by_phases",
        least=0,
    )
    stages: int = acts(
        2,
        "an operator without virtualGraph is on the IPU whose number is its phase modulo this.",
        "tests/test_phases.py::test_phases_alternate_between_ipus",
        least=1,
        needs=_PHASES,
    )
    weightIOSchedule: e.ExecutionPhaseIOSchedule = acts(
        e.ExecutionPhaseIOSchedule.Preload,
        f"of weights: {_AHEAD}",
        "tests/test_off_chip.py::test_loads_come_ahead",
    )
    activationIOSchedule: e.ExecutionPhaseIOSchedule = acts(
        e.ExecutionPhaseIOSchedule.Preload,
        f"of activations: {_AHEAD}",
        "tests/test_off_chip.py::test_loads_come_ahead",
    )
    optimizerStateIOSchedule: e.ExecutionPhaseIOSchedule = acts(
        e.ExecutionPhaseIOSchedule.OnDemand,
        f"of states of optimizers: {_AHEAD}",
        "tests/test_off_chip.py::test_loads_come_ahead",
    )
    accumulatorIOSchedule: e.ExecutionPhaseIOSchedule = acts(
        e.ExecutionPhaseIOSchedule.Preload,
        f"of accumulators: {_AHEAD}",
        "tests/test_off_chip.py::test_loads_come_ahead",
    )
    schedule: e.ExecutionPhaseSchedule = no_meaning(
        e.ExecutionPhaseSchedule.Interleaving,
        "phases run one after another, and the operators of one in the order of the model.",
    )


@dataclass
class AccumulateOuterFragmentSettings(Settings):
    """The order of operators after gradient accumulation. PopART's class of this name. No option
    has an effect here.
    """

    schedule: e.AccumulateOuterFragmentSchedule = no_meaning(
        e.AccumulateOuterFragmentSchedule.Serial, _FRAGMENT
    )
    excludedVirtualGraphs: list[int] = no_meaning([], _FRAGMENT)


@dataclass
class ReplicatedCollectivesSettings(Settings):
    """The merging of collectives between replicas. PopART's class of this name. No option has an
    effect here.
    """

    prepareScheduleForMergingCollectives: bool = no_meaning(False, _MERGED)
    mergeAllReduceCollectives: bool = no_meaning(False, _MERGED)
    mergeReduceScatterCollectives: bool = no_meaning(False, _MERGED)
    mergeAllGatherCollectives: bool = no_meaning(False, _MERGED)


class NumIOTiles(int):
    """A number of IO tiles, for `SessionOptions.numIOTiles`. PopART's class of this name."""


_STITCHING = e.AutodiffStitchStrategy.RecomputeAllNonInputs


class AutodiffSettings:
    """How gradients of called graphs get what the forward graph has computed. PopART's class of
    this name; no option of a session in Python has it.

    Raises popart_exception for another strategy than RecomputeAllNonInputs.
    """

    def __init__(
        self,
        stitchStrategy: e.AutodiffStitchStrategy = _STITCHING,
    ) -> None:
        self.stitchStrategy = stitchStrategy

    @property
    def stitchStrategy(self) -> e.AutodiffStitchStrategy:
        """RecomputeAllNonInputs, the only strategy here."""
        return _STITCHING

    @stitchStrategy.setter
    def stitchStrategy(self, value: e.AutodiffStitchStrategy) -> None:
        value = fitted("AutodiffSettings", "stitchStrategy", value, e.AutodiffStitchStrategy)
        if value is not _STITCHING:
            raise popart_exception(
                f"AutodiffSettings.stitchStrategy = {value.name}: gradients of called graphs are "
                "made in one way, so there is nothing to choose. Leave it at RecomputeAllNonInputs."
            )


@dataclass
class ExperimentalSettings(Settings):
    """PopART's experimental options. PopART's class of this name."""

    customTransformApplierSettings: dict[str, list[str]] = acts(
        {},
        "transforms that libraries have registered, by name, applied to the main graph in this "
        "order: Fwd0 after the import, Fwd1 after the patterns, Bwd0 once gradients are there, "
        "PreAlias once the updates are, Final before outlining and in-placing. popir has no main "
        "loops in its graph: MainLoops is refused.",
        "tests/cpp_sessions/test_transforms.py::test_transforms_of_a_program_are_applied",
    )
    createHostTransferableTensorWithOffset: bool = no_meaning(False, _ZERO_COPY)


@dataclass
class SessionOptions(SessionSettings):
    """The options of a session. PopART's `SessionOptions`.

    An option acts, is refused or has no effect here; the declaration of each field says which
    (`acts`, `refused`, `no_meaning`), and why. `popir options` and docs/options.md list the same.
    Setting an option without effect gives an OptionWarning; making a session with a refused one
    raises popart_exception.

    Assigning an unknown option raises UnknownOptionError; a wrong type or range raises
    popart_exception.
    """

    ALIASES = {
        "defaultPrefetchBufferingDepth": "defaultBufferingDepth",
        "prefetchBufferingDepthMap": "bufferingDepthMap",
        "serializedPoprithmsAnnealGraphsDir": "serializedPoprithmsShiftGraphsDir",
    }
    EXCEPT = {
        f"activationTensorLocationSettings.{name}": no_meaning(default, _WHOLE, least=least)
        for name, default, least in (
            ("location.replicatedTensorSharding", e.ReplicatedTensorSharding.Off, None),
            ("location.shardingDomain", None, None),
            ("minElementsForReplicatedTensorSharding", 8192, 0),
        )
    }

    # Checks.
    opxAliasChecking: bool = acts(
        False,
        "an alias that an operator makes without declaring it is an error, and not worked around.",
        "tests/test_lowering.py::test_alias_checking_names_the_undeclared_alias",
    )
    opxModifyChecking: bool = acts(
        False,
        "an input that an operator writes without declaring it is an error, and not worked around.",
        "tests/test_lowering.py::test_modify_checking_names_the_undeclared_write",
    )
    strictOpVersions: bool = refused(
        True, "an operator of a version that the model's opset does not have is an error."
    )
    enableFloatingPointChecks: bool = acts(
        False,
        "an operator that makes NaN or infinity of numbers that have none ends the run with an "
        "error that names it. It sets the engine options debug.floatPointOpException and "
        "debug.nanOverflowException.",
        "tests/test_acting_options.py::test_floating_point_checks_name_the_operator",
        needs=_ENGINE,
    )
    enableInplaceAmbiguityChecking: bool = no_meaning(
        False,
        "an operator writes over an input only where nobody needs the old value, and after all "
        "its readers: there is no ambiguity to find.",
    )
    throwIfLog2ScaleTensorNotInRange: bool = acts(
        True,
        "the logarithm of a scale of 8-bit floats is looked at, and a run ends with an error where "
        "it is not in [-32, 32); a constant one when the device is prepared. False: its lowest 6 "
        "bits count.",
        "tests/ops/test_scaled_floats.py::test_a_scale_out_of_range",
    )

    # How the model is compiled.
    constantWeights: bool = no_meaning(
        True,
        "weights stay variables in every session, and can be written after prepareDevice(), but "
        "for numbers that a fusion has compiled in.",
    )
    compileEngine: bool = acts(
        True,
        "False: prepareDevice() lowers the graph and plans no program, so nothing can run.",
        "tests/test_acting_options.py::test_without_an_engine_nothing_runs",
    )
    engineOptions: dict[str, str] = acts(
        {},
        "options of the engine that runs the program: a table of their own.",
        "tests/test_options.py::test_engine_options_reach_the_engine",
        needs=_ENGINE,
    )
    compilationProgressLogger: Callable[[int, int], None] | None = acts(
        None,
        "hears how far compiling is, from making the session to the end of prepareDevice(): ticks "
        "done, and compilationProgressTotal.",
        "tests/test_progress.py::test_a_session_says_how_far_it_is",
        is_compiled=False,
    )
    compilationProgressTotal: int = acts(
        100,
        "how many ticks compilationProgressLogger hears of.",
        "tests/test_progress.py::test_a_session_says_how_far_it_is",
        is_compiled=False,
        least=1,
        needs=_LOGGER,
    )
    enableOutlining: bool | None = acts(
        None,
        "what repeats becomes one graph that is called: less code on the machine. None is PopART's "
        "True, but False on a Cpu device, which gains nothing by it, and with a virtualGraphMode.",
        "tests/test_transformed_models.py::test_outlining_saves_code_and_vertices_on_the_machine",
    )
    enableOutliningCopyCostPruning: bool = acts(
        True,
        "what a call copies is taken off what outlining gains.",
        "tests/transforms/test_outline.py::test_without_the_costs_of_copies_only_the_values_count",
        needs=OUTLINING,
    )
    outlineThreshold: float = acts(
        1.0,
        "what a piece of code has to be worth to be outlined.",
        "tests/transforms/test_outline.py::test_what_is_not_worth_it_stays",
        needs=OUTLINING,
    )
    outlineSequenceBreakCost: float = no_meaning(
        10000.0, "computing and exchange do not overlap, so there is no sequence to break."
    )
    subgraphCopyingStrategy: e.SubgraphCopyingStrategy = no_meaning(
        e.SubgraphCopyingStrategy.OnEnterAndExit,
        "the inputs of a call are copied in one exchange, and its outputs are read in place.",
    )
    enableConstantFoldingOfMultipleConsumers: bool = no_meaning(
        True, "a constant that is worked out is kept once, however many read it."
    )
    useLoopCandidateCreator: bool = no_meaning(
        False, "the layout of a tensor follows its readers, in and outside of called graphs."
    )
    enableMergeExchange: bool = no_meaning(True, _ZERO_COPY)
    enableSupportedDataTypeCasting: bool = no_meaning(
        True, "every element type runs as it is declared, 64-bit integers and doubles too."
    )
    mergeVarUpdate: e.MergeVarUpdateType = no_meaning(
        e.MergeVarUpdateType.Off,
        "each update is one pass over its weight; joining the weights would copy them.",
    )
    mergeVarUpdateMemThreshold: int = no_meaning(
        1000000, "updates are not merged: see mergeVarUpdate.", least=0
    )
    looseThresholdAtPeak: int = no_meaning(
        8000, "updates are not merged: see mergeVarUpdate.", least=0
    )
    decomposeGradSum: bool = refused(
        False, "the parts of a gradient are added by one Sum, in one order."
    )
    ensureFp32LossScaleTensor: bool = refused(
        False, "a loss scaling that may change has the type of the loss."
    )
    enableNonStableSoftmax: bool = no_meaning(
        False, "softmax subtracts the largest element of a row, which costs no pass of its own."
    )
    enableStableNorm: bool = no_meaning(
        False, "a variance is always that of the differences from the mean."
    )
    groupNormStridedChannelGrouping: bool = refused(
        False, "channels of a group follow one another, as ONNX says."
    )
    enableStochasticRounding: bool = acts(
        False,
        "what is stored as half or bfloat16 is rounded up or down by chance, right on average; the "
        "draws follow setRandomSeed(). Codelets that store such numbers are refused.",
        "tests/test_stochastic_rounding.py::test_training_in_half_goes_on_where_updates_are_small",
    )

    # The planner of matrix products and convolutions.
    enableFullyConnectedPass: bool = acts(
        True,
        "the products of a layer, forwards and of its gradients, are planned together; else each "
        "by itself.",
        _CONTRACTIONS.format("test_passes_of_a_layer_are_planned_together"),
    )
    partialsTypeMatMuls: str = acts(
        "",
        "the type of partial sums of MatMul and Gemm without setPartialsType; it goes before "
        "matmulOptions.",
        _CONTRACTIONS.format("test_partials_reach_the_planner"),
        choices=("", "float", "half"),
    )
    convolutionOptions: dict[str, str] = acts(
        {},
        "options of Conv, ConvTranspose and their gradients: a table of their own. A node's "
        "annotations go before them.",
        _CONTRACTIONS.format("test_entries_of_a_session_reach_the_planner"),
    )
    lstmOptions: dict[str, str] = acts(
        {},
        "options of LSTM and its gradient: a table of their own. A node's annotations go before "
        "them.",
        _CONTRACTIONS.format("test_entries_of_a_session_reach_the_planner"),
    )
    matmulOptions: dict[str, str] = acts(
        {},
        "options of MatMul, Gemm and their gradients: a table of their own. A node's annotations "
        "go before them.",
        _CONTRACTIONS.format("test_entries_of_a_session_reach_the_planner"),
    )

    # Codelets.
    customCodelets: list[str] = acts(
        [],
        "files of codelets, .cpp or .gp, that the graph has when operators are lowered.",
        "tests/test_acting_options.py::test_custom_codelets_are_there_for_operators",
    )
    customCodeletCompileFlags: str = acts(
        "",
        "the flags that customCodelets are compiled with.",
        "tests/test_acting_options.py::test_custom_codelets_are_there_for_operators",
        needs=_SOURCES,
    )

    # Several IPUs.
    virtualGraphMode: e.VirtualGraphMode = acts(
        e.VirtualGraphMode.Off,
        "Off: operators are laid out over the tiles of one IPU, or of as many more as their memory "
        "or their cycles ask for. Manual: each is on the IPU that "
        "Builder.virtualGraph gave it, and all that it makes; without one, where what it reads or "
        "writes is. Auto: operators without one are cut into one piece for each IPU. What is read "
        "from another IPU is copied. ExecutionPhases: as Manual, and an operator without an IPU is "
        "on that of its phase (executionPhaseSettings).",
        "tests/test_virtual_graphs.py::test_tensors_lie_on_the_ipu_of_their_operator",
    )
    virtualGraphSplitRatios: list[float] = acts(
        [],
        "the share of each IPU in the bytes of weights and results; by default equal ones.",
        "tests/test_virtual_graphs.py::test_auto_splits_by_the_ratios",
        least=0,
        needs=_AUTO,
    )
    enablePipelining: bool = acts(
        False,
        "the stages that Builder.pipelineStage gives, or the IPUs, run at once, each on another of "
        "the micro-batches whose gradients are accumulated, or of the batches of a step of an "
        "InferenceSession. There have to be as many as stages. Results are those without a "
        "pipeline. A TrainingSession that does not accumulate runs its stages one after another: "
        "each batch needs the weights that the one before it has updated.",
        "tests/test_pipeline.py::test_a_pipeline_changes_no_bit",
    )
    createImplicitPipeliningFwdOnlyProgram: bool = refused(
        False, "a TrainingSession has one program; make an InferenceSession for the other one."
    )
    stashAllTensorsInferencePipeline: bool = no_meaning(
        False, "what a stage needs from one that is not the one before it is stashed in any case."
    )
    executionPhaseSettings: ExecutionPhaseSettings = nested(ExecutionPhaseSettings)

    # Several batches in one, several replicas.
    enableGradientAccumulation: bool = acts(
        False,
        "gradients of accumulationFactor batches are added up in variables, Accum___w for a weight "
        "w, before an update. It needs a TrainingSession.",
        _ACCUMULATION.format("test_accumulation_equals_the_large_batch"),
    )
    accumulationFactor: int = acts(
        1,
        "the batches between two updates: each of the batches per step consists of so many. More "
        "than 1 needs enableGradientAccumulation.",
        _ACCUMULATION.format("test_accumulation_equals_the_large_batch"),
        least=1,
    )
    accumulationAndReplicationReductionType: ReductionType = acts(
        ReductionType.Sum,
        "an update gets the sum of the gradients of the accumulated batches and of the replicas, "
        "or their mean.",
        _ACCUMULATION.format("test_accumulation_equals_the_large_batch"),
        refuses={ReductionType.NoReduction: "gradients become one by their sum or their mean."},
        needs=_REDUCES,
    )
    meanAccumulationAndReplicationReductionStrategy: e.MeanReductionStrategy = acts(
        e.MeanReductionStrategy.Post,
        "the mean is the sum divided by the number of batches in the update (Post), or is kept in "
        "the accumulator (Running), which half may need. The state of SGD's form Combined adds up "
        "shares of the mean in either case.",
        _ACCUMULATION.format("test_a_running_mean_does_not_overflow"),
        needs=_MEAN,
    )
    accumulateOuterFragmentSettings: AccumulateOuterFragmentSettings = nested(
        AccumulateOuterFragmentSettings
    )
    disableGradAccumulationTensorStreams: bool = no_meaning(
        False, "accumulators are zero between two steps, and are not saved with the model."
    )
    disableOptimizerStateTensorStreams: bool = acts(
        False,
        "the optimizer's state stays on the device when weights go to the host and back: "
        "saved models do not have it, and readWeights refuses to read it. Session.save has it.",
        "tests/test_saving_training.py::test_the_optimizer_s_state_may_stay_on_the_device",
        is_compiled=False,
    )
    batchSerializationSettings: BatchSerializationSettings = nested(BatchSerializationSettings)
    enableReplicatedGraphs: bool = acts(
        False,
        "replicatedGraphCount replicas of the model run at once, each on batches of its own; the "
        "gradients of a weight are added over those that share it.",
        _REPLICAS.format("test_replicas_train_as_the_large_batch"),
    )
    replicatedGraphCount: int = acts(
        1,
        "the number of replicas. More than 1 needs enableReplicatedGraphs, and a device with a "
        "multiple of so many IPUs, unless it is a Cpu device.",
        _REPLICAS.format("test_replicas_train_as_the_large_batch"),
        least=1,
    )
    enableDistributedReplicatedGraphs: bool = acts(
        False,
        "the replicas are those of all instances of the program, which popdist knows; "
        "popdist.configureSessionOptions sets the options of this one.",
        _RANKS.format("test_ranks_train_as_replicas_in_one_process"),
    )
    globalReplicationFactor: int = acts(
        1,
        "the replicas of all instances: replicatedGraphCount times their number.",
        _RANKS.format("test_ranks_train_as_replicas_in_one_process"),
        least=1,
        needs=_DISTRIBUTED,
    )
    globalReplicaOffset: int = acts(
        0,
        "the number of the first replica of this instance: replicatedGraphCount times its index.",
        _RANKS.format("test_ranks_train_as_replicas_in_one_process"),
        is_compiled=False,
        least=0,
        needs=_DISTRIBUTED,
    )
    replicatedCollectivesSettings: ReplicatedCollectivesSettings = nested(
        ReplicatedCollectivesSettings
    )
    gclOptions: dict[str, str] = no_meaning({}, _MERGED)
    automaticLossScalingSettings: AutomaticLossScalingSettings = nested(
        AutomaticLossScalingSettings
    )

    # Memory of the machine.
    autoRecomputation: e.RecomputationType = acts(
        e.RecomputationType.NoRecompute,
        "the activations that the backward pass computes again: all but the cheapest points of the "
        "model (Standard), normalisations (NormOnly), or all but what Builder.checkpointOutput "
        "marks (RecomputeAll; without marks, but the points that make for the least memory). "
        "Of each stage of a pipeline, Pipeline keeps what it gets from others; it needs "
        "enablePipelining. Results stay the same, bit by bit.",
        "tests/test_recompute.py::test_recomputation_changes_no_bit",
    )
    explicitRecomputation: bool = no_meaning(
        False, "what is recomputed always stands in the graph, as operators."
    )
    activationTensorLocationSettings: TensorLocationSettings = nested(TensorLocationSettings)
    weightTensorLocationSettings: TensorLocationSettings = nested(TensorLocationSettings)
    optimizerStateTensorLocationSettings: TensorLocationSettings = nested(TensorLocationSettings)
    accumulatorTensorLocationSettings: TensorLocationSettings = nested(TensorLocationSettings)
    tensorLocationSettingsOverride: dict[str, TensorLocation] = acts(
        {},
        "the location of single tensors, by id, whatever their kind and size.",
        "tests/test_off_chip.py::test_single_tensors_can_be_placed",
    )
    aliasZeroCopy: bool = no_meaning(
        False, "an engine plans memory by itself and copies nothing that it can read in place."
    )

    # Transfers between host and device.
    syntheticDataMode: e.SyntheticDataMode = acts(
        e.SyntheticDataMode.Off,
        "a session makes the data of all inputs, once, and what a step gives for them is not read: "
        "zeros, or random numbers; of integers and booleans, 0 and 1. Anchors come back as ever.",
        "tests/test_acting_options.py::test_synthetic_data_stands_for_the_inputs",
        is_compiled=False,
        needs=_ENGINE,
    )
    enablePrefetchDatastreams: bool = no_meaning(True, _ZERO_COPY)
    defaultBufferingDepth: int = no_meaning(1, _ZERO_COPY, least=1)
    bufferingDepthMap: dict[str, int] = no_meaning({}, _ZERO_COPY)
    rearrangeAnchorsOnHost: bool = acts(
        True,
        "the host puts anchors in order, as PopART's default has it: a step has no cycles for "
        "that. If not, the tiles do, and the machine's figures have it.",
        "tests/test_acting_options.py::test_what_the_host_puts_in_order_takes_no_cycles",
    )
    rearrangeStreamsOnHost: bool = acts(
        False,
        "the host puts inputs in order, not the tiles: a step has no cycles for that.",
        "tests/test_acting_options.py::test_what_the_host_puts_in_order_takes_no_cycles",
    )
    numIOTiles: int = acts(
        0,
        "so many tiles of each IPU, the last ones, are IO tiles: they compute nothing, and "
        "transfer what is off chip, inputs and anchors that have the tile set IO, while the others "
        "may compute.",
        "tests/test_off_chip.py::test_io_tiles_compute_nothing",
        least=0,
    )
    useHostCopyOps: bool = acts(
        False,
        "Session._serializeIr lists the transfers of inputs and anchors with the operators of the "
        "graph, as Init, HostLoad and HostStore. They are steps of the program in any case, around "
        "the graph, and on the host no copies.",
        "tests/test_acting_options.py::test_transfers_are_listed",
        is_compiled=False,
    )
    enableEfficientOverlapIOTopoCons: bool = no_meaning(False, _ZERO_COPY)
    groupHostSync: bool = no_meaning(False, _ZERO_COPY)
    updatableNamedBuffers: list[str] = acts(
        [],
        "The weights and states that Session.buffersFromHost copies to the device, and no others. "
        "weightsFromHost copies all.",
        "tests/test_acting_options.py::test_named_buffers",
        is_compiled=False,
    )
    enableLoadAndOffloadRNGState: bool = refused(
        False, "the random state is the seed: getRandomSeed() and setRandomSeed()."
    )

    # The order of operators.
    enableExplicitMainLoops: bool = acts(
        False,
        "Of a graph that a program in C++ has made: the loops over the batches of a step are its "
        "operators, and it runs once a step. Without effect for a model: there they stand around "
        "the graph.",
        "tests/cpp_sessions/test_exchanges.py::test_copies_in_loops",
    )
    delayVarUpdates: bool = no_meaning(True, _ORDER)
    scheduleNonWeightUpdateGradientConsumersEarly: bool = no_meaning(False, _ORDER)
    kahnTieBreaker: str = no_meaning("greedy", _ORDER, choices=("greedy", "fifo", "random"))
    timeLimitScheduler: float = no_meaning(1e9, _ORDER, least=0)
    swapLimitScheduler: int = no_meaning(10**9, _ORDER, least=-1)
    transitiveClosureOptimizationThreshold: int = no_meaning(100000, _ORDER, least=0)
    serializedPoprithmsShiftGraphsDir: str = no_meaning("", _ORDER)

    # Caches, logs and reports.
    enableEngineCaching: bool = acts(
        False,
        "compiled programs are kept in the folder cachePath and used again, by this process or "
        "another, for the same graph, options and machine.",
        "tests/test_acting_options.py::test_a_cached_program_is_used_again",
        is_compiled=False,
        needs=_ENGINE,
    )
    cachePath: str = acts(
        "session_cache",
        "the folder of enableEngineCaching, which is made.",
        "tests/test_acting_options.py::test_a_cached_program_is_used_again",
        is_compiled=False,
        needs=_CACHE,
    )
    enableVariablesCaching: bool = no_meaning(
        True, "the weights of a session come from its model, whatever is cached."
    )
    logDir: str = acts(
        "",
        "the folder, which is made, of the compiled graph as text (NAME.graph.txt), of what "
        "transforms decided (NAME.decisions.txt) and, unless autoReport.directory says otherwise, "
        "of the engine's profile.",
        "tests/test_acting_options.py::test_logs_go_to_their_folder",
        is_compiled=False,
    )
    exportPoplarComputationGraph: bool = refused(False, _DOT)
    exportPoplarVertexGraph: bool = refused(False, _DOT)
    dotChecks: set[str] = acts(
        set(),
        "the stages of compiling (Fwd0, Fwd1, Bwd0, PreAlias, Final, or ALL) at which the graph is "
        "written for graphviz: to CHECK.dot in logDir, or in the working directory. A graph that a "
        "program in C++ has made has the stage Final alone.",
        "tests/test_dot.py::test_files_of_the_stages",
        is_compiled=False,
    )
    dotOpNames: bool = acts(
        False,
        "operators have their names in these files, beside their types.",
        "tests/test_dot.py::test_what_is_drawn",
        is_compiled=False,
        needs=_DRAWN,
    )
    separateCallOpPdfs: bool = acts(
        True,
        "each graph that is called has a file of its own, CHECK_GRAPH.dot.",
        "tests/test_dot.py::test_called_graphs",
        is_compiled=False,
        needs=_DRAWN,
    )
    firstDotOp: int = acts(
        0,
        "the first operator in these files, in the order of operators over all graphs.",
        "tests/test_dot.py::test_what_is_drawn",
        least=0,
        is_compiled=False,
        needs=_DRAWN,
    )
    finalDotOp: int = acts(
        10000,
        "the operator behind the last one in these files.",
        "tests/test_dot.py::test_what_is_drawn",
        least=0,
        is_compiled=False,
        needs=_DRAWN,
    )
    reportOptions: dict[str, str] = no_meaning(
        {}, "getSummaryReport() has one form; getReport() and getProfile() hold all of it."
    )
    instrumentWithHardwareCycleCounter: bool = no_meaning(False, _CYCLES)
    hardwareInstrumentations: set[e.Instrumentation] = no_meaning(
        {e.Instrumentation.Outer}, _CYCLES
    )
    experimentalSettings: ExperimentalSettings = nested(ExperimentalSettings)

    def check(self) -> None:
        """Checks all options, also codelet files and the options of contractions.

        Raises popart_exception for a file that does not exist, and for an option or entry that is
        unknown, wrong or refused.
        """
        scaling = self.automaticLossScalingSettings
        user = e.GradientTensorTrackingMethod.GradientsOfUserSpecifiedTensors
        is_named = scaling.gradientTensorTrackingMethod is user
        if scaling.enabled and is_named != bool(scaling.toTrackTensors):
            raise popart_exception(
                f"SessionOptions.automaticLossScalingSettings.toTrackTensors = "
                f"{shown(scaling.toTrackTensors)}: tensors are named there with "
                "gradientTensorTrackingMethod = "
                "GradientTensorTrackingMethod.GradientsOfUserSpecifiedTensors, and only then."
            )
        if self.createImplicitPipeliningFwdOnlyProgram:
            without = "without gradient accumulation"
            if not self.enablePipelining:
                without = "without implicit pipelining"
            elif self.enableExplicitMainLoops:
                without = "with explicit pipelining"
            raise popart_exception(
                "SessionOptions.createImplicitPipeliningFwdOnlyProgram = True: a TrainingSession "
                "has one program; make an InferenceSession for the other one. Leave it at False.",
                popart=f"Implicit pipelining forward-only program is not supported {without}.",
            )
        super().check()
        told: set[str] = self.__dict__.setdefault("_told", set())
        if self.accumulationFactor > 1 and not self.enableGradientAccumulation:
            raise popart_exception(
                f"SessionOptions.accumulationFactor = {self.accumulationFactor}: gradients are "
                "accumulated with enableGradientAccumulation = True only. Set it, or leave the "
                "factor at 1.",
                popart="enableGradientAccumulation is false, but accumulationFactor > 1.",
            )
        if self.replicatedGraphCount > 1 and not self.enableReplicatedGraphs:
            raise popart_exception(
                f"SessionOptions.replicatedGraphCount = {self.replicatedGraphCount}: there are "
                "replicas with enableReplicatedGraphs = True only. Set it, or leave the count at "
                "1.",
                popart="enableReplicatedGraphs is false, but replicatedGraphCount > 1. Either "
                "enable replication, or set the replicated graph count to 1",
            )
        for holder in (MATMUL, CONVOLUTION, LSTM):
            check_entries(holder, getattr(self, holder), told)
        if self.enableEngineCaching and not self.cachePath:
            raise popart_exception(
                "SessionOptions.cachePath = '': enableEngineCaching keeps programs in a folder. "
                "Name one; '.' is the working directory."
            )
        for file in self.customCodelets:
            if not os.path.isfile(file):
                folder = os.path.dirname(file) or "."
                near = os.listdir(folder) if os.path.isdir(folder) else ()
                raise popart_exception(
                    f"SessionOptions.customCodelets: there is no file '{file}'."
                    f"{did_you_mean(os.path.basename(file), near)}"
                )

    def getGlobalReplicationFactor(self) -> int:
        """The number of replicas of the model, in all instances of the program."""
        if self.enableDistributedReplicatedGraphs:
            return self.globalReplicationFactor
        return self.replicatedGraphCount

    def enableExplicitIR(self, enable: bool) -> None:
        """Sets useHostCopyOps, explicitRecomputation and enableExplicitMainLoops together, as in
        PopART.
        """
        self.useHostCopyOps = self.explicitRecomputation = self.enableExplicitMainLoops = enable
