"""What session options ask of the compiler and the engine."""

from __future__ import annotations

from collections.abc import Mapping

from popir import popdist, poplar
from popir.dataflow import DataFlow, Exchange
from popir.devices import DeviceInfo
from popir.enums import (
    BatchSerializationMethod,
    DeviceType,
    ExecutionPhaseIOSchedule,
    MeanReductionStrategy,
    RecomputationType,
    ReplicatedTensorSharding,
    TensorStorage,
    TileSet,
    VirtualGraphMode,
)
from popir.errors import (
    popart_exception,
)
from popir.optimizers import Optimizer
from popir.options import Kind, OptionWarning, SessionOptions, warn
from popir.options.annotations import EXECUTION_PHASE, PIPELINE_STAGE, VIRTUAL_GRAPH
from popir.options.session import OUTLINING, TensorLocation
from popir.step import ByIOTiles
from popir.transforms.batch_serialization import BatchSerialization
from popir.transforms.loss_scaling import AutomaticLossScaling
from popir.transforms.off_chip import Location, Locations
from popir.transforms.outlining.outline import OutlineOptions
from popir.transforms.updates import Accumulation
from popir.types import ReductionType


def engine_options(options: SessionOptions) -> dict[str, str]:
    """The engine options that have an effect. Warns of options that have none here.

    Raises poplar_invalid_option for an unknown option or a wrong value.
    """
    for note in poplar.checkEngineOptions(options.engineOptions):
        warn(note, OptionWarning)
    meant: dict[str, str] = {}
    if options.enableFloatingPointChecks:
        meant |= {"debug.floatPointOpException": "true", "debug.nanOverflowException": "true"}
    if options.logDir:
        meant["autoReport.directory"] = options.logDir
    meant |= options.engineOptions
    acting = {n for n, kind, *_ in poplar.engineOptionTable() if kind == Kind.ACTS.value}
    return {name: value for name, value in meant.items() if name in acting}


def accumulation(asked: SessionOptions, trains: bool, is_divided: bool) -> Accumulation:
    """How gradients are accumulated, where a step consists of parts or not. Raises popart_exception
    without training.
    """
    if asked.enableGradientAccumulation and not trains:
        raise popart_exception(
            "SessionOptions.enableGradientAccumulation = True: an InferenceSession has no "
            "gradients. Accumulate in a TrainingSession.",
            popart="Gradient Accumulation only available when training",
        )
    return Accumulation(
        asked.accumulationFactor,
        asked.enableGradientAccumulation,
        asked.accumulationAndReplicationReductionType is ReductionType.Mean,
        asked.meanAccumulationAndReplicationReductionStrategy is MeanReductionStrategy.Running,
        counts_apart=is_divided,
    )


def instances(asked: SessionOptions) -> poplar.MpiPeers | None:
    """The other instances of the program, if they have replicas of the model. Raises
    popart_exception for numbers of replicas that are not those of the instances.
    """
    if not asked.enableDistributedReplicatedGraphs:
        return None
    peers = popdist.peers("SessionOptions.enableDistributedReplicatedGraphs = True")
    local = asked.replicatedGraphCount
    for name, expected in (
        ("globalReplicationFactor", local * peers.ranks()),
        ("globalReplicaOffset", local * peers.rank()),
    ):
        given = getattr(asked, name)
        if given != expected:
            raise popart_exception(
                f"SessionOptions.{name} = {given}: instance {peers.rank()} of {peers.ranks()}, "
                f"with {local} replicas each, has {expected}. popdist.configureSessionOptions "
                "sets it."
            )
    return peers


def loss_scaling(
    options: SessionOptions, optimizer: Optimizer | None
) -> AutomaticLossScaling | None:
    """How the loss scaling follows the gradients, if it does. Raises popart_exception without
    training.
    """
    asked = options.automaticLossScalingSettings
    if not asked.enabled:
        return None
    if optimizer is None:
        raise popart_exception(
            "SessionOptions.automaticLossScalingSettings.enabled = True: an InferenceSession "
            "has no gradients, whose loss would be scaled.",
            popart="[AutomaticLossScale transform] Only compatible when doing training",
        )
    if getattr(optimizer, "scaled_optimizer_state", False):
        raise popart_exception(
            "SessionOptions.automaticLossScalingSettings.enabled = True: a state that is "
            "scaled (Adam's scaled_optimizer_state) follows the optimizer's loss scaling only. "
            "Use one of the two.",
            popart="scaledOptimizerState and automaticLossScaling are not compatible.",
        )
    return AutomaticLossScaling(
        asked.gradientTensorTrackingMethod,
        tuple(asked.toTrackTensors or ()),
        asked.binEdgeLocation,
        asked.thresholdUpperCountProportion,
        asked.updatePeriod,
    )


def overlaps(asked: SessionOptions, device: DeviceInfo, is_placed: bool, trains: bool) -> bool:
    """Whether the stages of a pipeline run at once. Raises popart_exception for one IPU.

    Without accumulation, training updates the weights with each batch: the next one waits.
    """
    if asked.enablePipelining and not is_placed:
        raise popart_exception(
            "SessionOptions.enablePipelining = True: a pipeline needs several IPUs, and a "
            f"virtualGraphMode; the device has {device.numIpus}, the mode is "
            f"{asked.virtualGraphMode}.",
            popart=f"Pipelining requires more than 1 IPU (currently "
            f"{device.numIpus}) and the 'virtualGraphMode' session option to not be "
            f"VirtualGraphMode::Off (currently {asked.virtualGraphMode}).",
        )
    is_accumulated = asked.enableGradientAccumulation and asked.accumulationFactor > 1
    return asked.enablePipelining and (is_accumulated or not trains)


def phases(asked: SessionOptions) -> bool:
    """Whether the model is cut into execution phases. Raises popart_exception if only the number of
    phases or only the mode says so, and with a pipeline.
    """
    number, mode = asked.executionPhaseSettings.phases, asked.virtualGraphMode
    is_asked = number > 1
    if is_asked != (mode is VirtualGraphMode.ExecutionPhases):
        raise popart_exception(
            f"SessionOptions.executionPhaseSettings.phases = {number} and virtualGraphMode = "
            f"{mode}: more than one phase goes with VirtualGraphMode.ExecutionPhases, and only "
            "with it."
        )
    if is_asked and asked.enablePipelining:
        raise popart_exception(
            "SessionOptions.enablePipelining = True: execution phases run one after another "
            "(executionPhaseSettings.phases), and are no stages of a pipeline. Use one of the two."
        )
    return is_asked


def serialization(asked: SessionOptions) -> BatchSerialization | None:
    """How a batch is computed in parts; None if it is computed as a whole."""
    settings = asked.batchSerializationSettings
    if settings.factor < 2:
        return None
    is_loop = settings.method is BatchSerializationMethod.Loop
    ends = {
        VIRTUAL_GRAPH: settings.concatOnVirtualGraphChange,
        EXECUTION_PHASE: settings.concatOnExecutionPhaseChange,
        PIPELINE_STAGE: settings.concatOnPipelineStageChange,
    }
    ends_at = [note for note, ends_there in ends.items() if ends_there or is_loop]
    return BatchSerialization(settings.factor, settings.method, ends_at)


def unused_annotations(asked: SessionOptions) -> dict[str, str]:
    """The reasons for which annotations of stages and phases have no effect, by name."""
    found: dict[str, str] = {}
    if not asked.enablePipelining:
        found["pipelineStage"] = "SessionOptions.enablePipelining is False."
    if asked.executionPhaseSettings.phases < 2:
        found["executionPhase"] = (
            "SessionOptions.executionPhaseSettings.phases is less than 2, so there are none."
        )
    return found


def tell_what_trains(asked: SessionOptions, trains: bool) -> None:
    """Warns of options for the backward pass and the update that find nothing to act on."""
    if not trains:
        why = "an InferenceSession has no backward pass"
        asked.tell("autoRecomputation", why)
        if asked.executionPhaseSettings.phases < 2:
            asked.tell("activationTensorLocationSettings.location", f"{why} that reads activations")
        asked.tell("optimizerStateTensorLocationSettings.location", "an InferenceSession has none")
        asked.tell("accumulatorTensorLocationSettings.location", "an InferenceSession has none")
        return
    if asked.autoRecomputation is RecomputationType.Pipeline and not asked.enablePipelining:
        asked.tell("autoRecomputation", "it acts only where enablePipelining is True")
    if not asked.enableGradientAccumulation:
        asked.tell(
            "accumulatorTensorLocationSettings.location",
            "it acts only where enableGradientAccumulation is True",
        )


def locations(asked: SessionOptions, overlaps: bool) -> Locations | None:
    """Which tensors are to be off chip, or sharded over replicas; None if none is. Raises
    popart_exception for activations of a pipeline, if its stages run at once (`overlaps`).
    """
    has_io = asked.numIOTiles > 0

    schedules = asked.executionPhaseSettings

    def location(
        where: TensorLocation,
        least: int,
        least_sharded: int,
        schedule: ExecutionPhaseIOSchedule = ExecutionPhaseIOSchedule.OnDemand,
    ) -> Location:
        is_off = where.storage is TensorStorage.OffChip
        is_sharded = where.replicatedTensorSharding is ReplicatedTensorSharding.On
        io = (set is TileSet.IO for set in (where.loadTileSet, where.storageTileSet))
        loads, stores = (has_io and by_io for by_io in io)
        sharded = least_sharded if is_sharded else None
        return Location(
            least if is_off else None,
            loads,
            stores,
            schedule is ExecutionPhaseIOSchedule.Preload,
            sharded,
            where.shardingDomain,
        )

    kinds = {
        name: location(
            settings.location,
            settings.minElementsForOffChip,
            settings.minElementsForReplicatedTensorSharding,
            schedule,
        )
        for name, settings, schedule in (
            ("weights", asked.weightTensorLocationSettings, schedules.weightIOSchedule),
            (
                "states",
                asked.optimizerStateTensorLocationSettings,
                schedules.optimizerStateIOSchedule,
            ),
            (
                "accumulators",
                asked.accumulatorTensorLocationSettings,
                schedules.accumulatorIOSchedule,
            ),
            ("activations", asked.activationTensorLocationSettings, schedules.activationIOSchedule),
        )
    }
    overrides = {
        id: location(where, 0, 0) for id, where in asked.tensorLocationSettingsOverride.items()
    }
    for id, where in overrides.items():
        if where.least_sharded is not None and asked.getGlobalReplicationFactor() == 1:
            warn(
                f"SessionOptions.tensorLocationSettingsOverride['{id}'].replicatedTensorSharding = "
                "ReplicatedTensorSharding.On has no effect: it acts only where there are several "
                "replicas.",
                OptionWarning,
            )
    asked_for = [*kinds.values(), *overrides.values()]
    if all(each.least is None and each.least_sharded is None for each in asked_for):
        return None
    if overlaps and kinds["activations"].least is not None:
        raise popart_exception(
            "SessionOptions.activationTensorLocationSettings.location.storage = "
            "TensorStorage.OffChip: in a pipeline, activations of several micro-batches are there "
            "at once, and stay on chip. autoRecomputation saves memory there; weights, states and "
            "accumulators may be off chip."
        )
    return Locations(**kinds, overrides=overrides, is_accumulated=asked.accumulationFactor > 1)


def by_io_tiles(inputs: Mapping[str, Exchange], flow: DataFlow, asked: SessionOptions) -> ByIOTiles:
    """The inputs and anchors that travel by IO tiles. Raises popart_exception if there are no such
    tiles.
    """
    anchors = {id for id in flow.anchors() if flow.art(id).tileSet() is TileSet.IO}
    for each in [*inputs.values(), *(Exchange(f"The anchor '{id}'") for id in sorted(anchors))]:
        if not asked.numIOTiles:
            raise popart_exception(
                f"{each.who}: tileSet = TileSet.IO, but there are no IO tiles. Set "
                "SessionOptions.numIOTiles."
            )
    return ByIOTiles({id: each.strategy for id, each in inputs.items()}, anchors)


def check_io_tiles(asked: SessionOptions, device: DeviceInfo, is_placed: bool) -> None:
    """Raises popart_exception for IO tiles that the device does not have, and on several IPUs
    without a virtualGraphMode.
    """
    tiles = asked.numIOTiles
    if tiles and tiles >= device.tilesPerIPU:
        raise popart_exception(
            f"SessionOptions.numIOTiles = {tiles}: an IPU of the device has {device.tilesPerIPU} "
            "tiles, and some have to compute. Use fewer, or createIpuModelDevice."
        )
    if tiles and device.numIpus > 1 and not is_placed:
        raise popart_exception(
            f"SessionOptions.numIOTiles = {tiles}: on {device.numIpus} IPUs it needs a "
            "virtualGraphMode, which says what is on which IPU."
        )


def outlining(asked: SessionOptions, device: DeviceInfo, is_placed: bool) -> OutlineOptions | None:
    """The options of outlining; None to outline nothing."""
    is_gain = device.type is not DeviceType.Cpu and not is_placed
    is_asked = is_gain if asked.enableOutlining is None else asked.enableOutlining
    if not is_asked:
        asked.tellWithout(OUTLINING, why_not_outlined(asked, is_placed))
        return None
    return OutlineOptions(asked.outlineThreshold, asked.enableOutliningCopyCostPruning)


def why_not_outlined(asked: SessionOptions, is_placed: bool) -> str:
    """The reason why nothing is outlined, in words."""
    if asked.enableOutlining is None and is_placed:
        return (
            "operators are placed on IPUs; SessionOptions.enableOutlining = True asks for it all "
            "the same"
        )
    if asked.enableOutlining is None:
        return (
            "a Cpu device gains nothing by it; SessionOptions.enableOutlining = True asks for "
            "it all the same"
        )
    return "SessionOptions.enableOutlining is False"


def verifies_each(engine_options: dict[str, str]) -> bool:
    """Whether the graph is verified after each pass."""
    options = {"debug.verifyPlan": "false"} | engine_options
    return poplar.withEnvironment(options).at("debug.verifyPlan") == "true"
