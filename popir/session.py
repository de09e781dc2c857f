"""Sessions, which compile a model for a device and run it: `InferenceSession`, `TrainingSession`.

The interface is PopART's. The file is long because that interface has many methods; most are a few
lines that call the modules which do the work.
"""

from __future__ import annotations

import logging
import os
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np

from popir import budget, collector, memory, poplar
from popir.budget import Budget
from popir.checkpoint import folder as checkpoints
from popir.checkpoint import saving
from popir.compiler import Compilation, compile, differentiated, getHash
from popir.dataflow import AnchorReturnTypeId, DataFlow
from popir.devices import DeviceInfo
from popir.engine_cache import EngineCache, Kept, why_not
from popir.enums import (
    DeviceConnectionType,
    DeviceType,
    IrSerializationFormat,
    MeanReductionStrategy,
    SyntheticDataMode,
    VirtualGraphMode,
)
from popir.errors import (
    CheckpointError,
    OutOfMemoryException,
    PopirError,
    StepIOError,
    did_you_mean,
    popart_exception,
    popart_runtime_error,
    poplar_graph_memory_allocation_error,
    require_path,
)
from popir.exclusive import IN_STEP, Exclusive, exclusive
from popir.executables import Stored, place
from popir.executables import load as load_executable
from popir.files import write
from popir.ir import Graph
from popir.ir.graph import called_graphs
from popir.ir.hash import DigestError
from popir.ir.serialise import to_json
from popir.ir.text import print_graph
from popir.lowering.lowering import Lowering
from popir.lowering.owners import Owners
from popir.lowering.undeclared_writes import Checks
from popir.onnxio.importer import import_model
from popir.onnxio.load import load
from popir.onnxio.modes import in_modes
from popir.onnxio.skeleton import Skeleton
from popir.onnxio.training_form import in_training_form
from popir.onnxio.training_info import Training, joined
from popir.ops.contraction.options import apply_contraction_options, contraction_entries
from popir.optimizers import Optimizer
from popir.options import Kind, OptionWarning, SessionOptions, warn
from popir.options.annotations import check_annotations
from popir.options.contractions import LSTM, MATMUL
from popir.options.session import OUTLINING
from popir.opx import device
from popir.patterns import Patterns
from popir.profile import HostProfile, MachineReport, PipelineReport, Profile
from popir.progress import Logger, Progress
from popir.reserved import OF_SESSION, RANDOM_SEED, weight_of_state
from popir.step import Loops, Returned, Step, anchor_stream, build_step, input_stream
from popir.stepio import UNBOUND, Port, PyStepIO, PyStepIOCallback, PyWeightsIO
from popir.trainable import Choice, Role
from popir.transforms.decision import Decision
from popir.transforms.inplace import check_preferences
from popir.transforms.loss_scaling import AutomaticLossScaling
from popir.transforms.outlining.outline import OutlineOptions
from popir.transforms.updates import Accumulation
from popir.typed import fitted, shown, typed
from popir.types import ReductionType, TensorInfo, as_bytes, require_finite
from popir.virtual_graphs import Places, check_ipus, check_virtual_graphs, split_over_ipus
from popir.weights import HostWeights

Array = np.ndarray[Any, Any]
_log = logging.getLogger("popir.session")

_RETURNED = {
    AnchorReturnTypeId.All: Returned.Each,
    AnchorReturnTypeId.EveryN: Returned.Each,
    AnchorReturnTypeId.Final: Returned.Last,
    AnchorReturnTypeId.Sum: Returned.Sum,
}


@typed(by_hand=["run"])
class Session(Exclusive):
    """Base class of the sessions: the compiled graph, the host's copy of the weights and, after
    `prepareDevice`, the engine.

    The constructor compiles the model. `prepareDevice` makes the engine; then `run` runs steps.
    Methods that need the engine raise popart_exception before `prepareDevice`, and always if
    `SessionOptions.compileEngine` is False.

    Threads may share a session: its methods exclude one another. Different sessions run in
    parallel. A callback of a step must not call its own session: that raises popart_runtime_error.
    """

    def __init__(
        self,
        fnModel: Any,
        dataFlow: DataFlow,
        deviceInfo: DeviceInfo,
        inputShapeInfo: Mapping[str, TensorInfo] | None,
        patterns: Patterns | None,
        userOptions: SessionOptions | None,
        name: str,
        loss: str | None = None,
        optimizer: Optimizer | None = None,
        trained: Collection[str] = (),
        frozen: Collection[str] = (),
        trainingMode: Collection[str] = (),
        evaluationMode: Collection[str] = (),
    ) -> None:
        super().__init__()
        self.dataFlow = dataFlow
        self.deviceInfo = deviceInfo
        self.options = SessionOptions() if userOptions is None else userOptions
        self.options.check()
        self._engine_options = _engine_options(self.options)
        self._is_placed = (
            self.options.virtualGraphMode is not VirtualGraphMode.Off and deviceInfo.numIpus > 1
        )
        if self._is_placed and self.options.enableOutlining:
            raise popart_exception(
                "SessionOptions.enableOutlining = True: with a virtualGraphMode nothing is "
                "outlined. Leave it at None."
            )
        self._is_synthetic = self.options.syntheticDataMode is not SyntheticDataMode.Off
        self._progress = Progress(
            self.options.compilationProgressLogger, self.options.compilationProgressTotal
        )
        self.name = name
        self._optimizer = optimizer
        self._modes = (trainingMode, evaluationMode)
        with memory.guarded(f"Compiling the session '{name}'"):
            self._compile(fnModel, inputShapeInfo, patterns, loss, optimizer, trained, frozen)
        self._step: Step | None = None
        self._engine: Any = None
        self.steps = 0
        """The steps that were run, and those before the checkpoint that was loaded."""
        self._inputs: list[Port] = []
        self._outputs: list[Port] = []
        self._stored: Stored | None = None
        """The program that `loadExecutable` read."""
        self._anchor_shapes: list[tuple[str, list[int], np.dtype[Any]]] | None = None

    def _compile(
        self,
        fnModel: Any,
        inputShapeInfo: Mapping[str, TensorInfo] | None,
        patterns: Patterns | None,
        loss: str | None,
        optimizer: Optimizer | None,
        trained: Collection[str],
        frozen: Collection[str],
    ) -> None:
        self._progress.reach(0)
        anchors = self.dataFlow.anchors()
        loaded = joined(load(fnModel), [*anchors, loss] if loss else anchors)
        if loss is not None:
            loaded = in_training_form(loaded)
        self._budget = Budget(f"Compiling the session '{self.name}'", loaded.nodes)
        """The limit of work for compiling and preparing together; see `popir.budget`."""
        self._nodes = loaded.nodes
        with self._budget.spending(), collector.run_seldom(self._nodes):
            nodes = in_modes(loaded.model, *self._modes)
            graph = import_model(loaded, inputShapeInfo, nodes, differentiated(anchors))
            budget.done()
            infos = {id: t.info for id, t in graph.tensors.items() if t.info is not None}
            check_annotations(
                (op.debugName(), op.source == "built in", op.settings.nodeAttributes)
                for op in graph.ops.values()
                if op.settings.nodeAttributes
            )
            check_preferences(graph)
            apply_contraction_options(graph, self.options)
            mode, ipus = self.options.virtualGraphMode, self.deviceInfo.numIpus
            check_virtual_graphs(graph, mode, ipus)
            if mode is VirtualGraphMode.Auto:
                split_over_ipus(graph, ipus, self.options.virtualGraphSplitRatios)
            graph.session_options = self.options
            self._compilation = Compilation(
                graph,
                anchors,
                patterns or Patterns(),
                loss,
                optimizer,
                self._outlining(),
                trained,
                frozen,
                self._verifies_each(),
                self.options.enableStochasticRounding,
                self._accumulation(),
                self._loss_scaling(),
                self.options.autoRecomputation,
                self._is_placed,
                self.options.enablePipelining,
                self._overlaps(),
            )
            compile(self._compilation, self._progress.stage(0.1, 0.4))
            if self.options.enablePipelining:
                self._check_depth()
            if optimizer is not None:
                self._check_specific(optimizer)
            if self._compilation.outlining is None:
                self._compilation.decisions.append(
                    Decision("the model", "outlining", self._unasked())
                )
        self._host = HostWeights(graph)
        """The host's copy of each weight and state."""
        if loss is None:
            self._skeleton = Skeleton(loaded, self._host, graph.saved)
        else:
            training = Training(loss, self._compilation.weights, infos)
            self._skeleton = Skeleton(loaded, self._host, graph.saved, self._unused(), training)
        if self.options.logDir:
            self._write_logs(Path(self.options.logDir))

    def _accumulation(self) -> Accumulation:
        """How gradients are accumulated. Raises popart_exception without training."""
        asked = self.options
        if asked.enableGradientAccumulation and self._optimizer is None:
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
        )

    def _loss_scaling(self) -> AutomaticLossScaling | None:
        """How the loss scaling follows the gradients, if it does. Raises popart_exception without
        training.
        """
        asked = self.options.automaticLossScalingSettings
        if not asked.enabled:
            return None
        if self._optimizer is None:
            raise popart_exception(
                "SessionOptions.automaticLossScalingSettings.enabled = True: an InferenceSession "
                "has no gradients, whose loss would be scaled.",
                popart="[AutomaticLossScale transform] Only compatible when doing training",
            )
        if getattr(self._optimizer, "scaled_optimizer_state", False):
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

    def _overlaps(self) -> bool:
        """Whether the stages of a pipeline run at once. Raises popart_exception for one IPU.

        Without accumulation, training updates the weights with each batch: the next one waits.
        """
        asked = self.options
        if asked.enablePipelining and not self._is_placed:
            raise popart_exception(
                "SessionOptions.enablePipelining = True: a pipeline needs several IPUs, and a "
                f"virtualGraphMode; the device has {self.deviceInfo.numIpus}, the mode is "
                f"{asked.virtualGraphMode}.",
                popart=f"Pipelining requires more than 1 IPU (currently "
                f"{self.deviceInfo.numIpus}) and the 'virtualGraphMode' session option to not be "
                f"VirtualGraphMode::Off (currently {asked.virtualGraphMode}).",
            )
        is_accumulated = asked.enableGradientAccumulation and asked.accumulationFactor > 1
        return asked.enablePipelining and (is_accumulated or self._optimizer is None)

    def _check_depth(self) -> None:
        """Raises popart_exception if a pipeline has fewer micro-batches than stages."""
        asked, stages = self.options, self._compilation.depth
        is_accumulated = asked.enableGradientAccumulation
        depth = asked.accumulationFactor if is_accumulated else self.dataFlow.batchesPerStep()
        what = "accumulationFactor" if is_accumulated else "batchesPerStep"
        if depth < stages:
            words = "gradient accumulation factor" if is_accumulated else "batchesPerStep"
            raise popart_exception(
                f"SessionOptions.enablePipelining = True: the pipeline has {stages} stages, and "
                f"{what} is {depth}; it needs at least as many.",
                popart=f"For pipelining, depth ({words}) must equal at least the number of "
                f"pipeline stages ({stages})",
            )

    def _loops(self) -> Loops:
        """The loops of a step."""
        batches, factor = self.dataFlow.batchesPerStep(), self.options.accumulationFactor
        return Loops(batches, factor, self._compilation.stages)

    def _check_specific(self, optimizer: Optimizer) -> None:
        """Raises popart_exception if the optimizer has specific values for a weight that is not
        trained.
        """
        choices = self._compilation.choices
        for weight in optimizer.specificWeights():
            choice = choices.get(weight)
            if choice is None:
                raise popart_exception(
                    f"The optimizer has values of '{weight}' alone (insertSpecific), but the model "
                    f"has no initializer of that name.{did_you_mean(weight, choices)}"
                )
            if choice.role is not Role.TRAINED:
                raise popart_exception(
                    f"The optimizer has values of '{weight}' alone (insertSpecific), which is not "
                    f"trained: {choice.reason}. Leave them out, or train it: trained=['{weight}']."
                )

    def _unused(self) -> list[str]:
        """The optimizer states in the model that this optimizer does not use. Warns of them."""
        tensors, saved = self.graph.tensors, self.graph.saved
        owned = OF_SESSION - {RANDOM_SEED}
        unused = [
            id
            for id in self._host
            if (weight_of_state(id) in tensors or id in owned) and id not in saved
        ]
        if unused:
            listed = ", ".join(unused[:3]) + (", ..." if len(unused) > 3 else "")
            warn(
                f"The model holds a state of training that this session has no use for, {listed}: "
                "it is not saved again.",
                UserWarning,
            )
        return unused

    def _verifies_each(self) -> bool:
        options = {"debug.verifyPlan": "false"} | self._engine_options
        return poplar.withEnvironment(options).at("debug.verifyPlan") == "true"

    def _outlining(self) -> OutlineOptions | None:
        asked = self.options
        is_cpu = self.deviceInfo.type is DeviceType.Cpu
        is_asked = not is_cpu if asked.enableOutlining is None else asked.enableOutlining
        if not is_asked or self._is_placed:
            asked.tellWithout(OUTLINING, self._unasked())
            return None
        return OutlineOptions(asked.outlineThreshold, asked.enableOutliningCopyCostPruning)

    def _unasked(self) -> str:
        """The reason why nothing is outlined, in words."""
        if self._is_placed:
            return "operators are placed on IPUs; a piece of code would be on one of them"
        if self.options.enableOutlining is None:
            return (
                "a Cpu device gains nothing by it; SessionOptions.enableOutlining = True asks for "
                "it all the same"
            )
        return "SessionOptions.enableOutlining is False"

    def _write_logs(self, folder: Path) -> None:
        """Writes the compiled graphs and the transforms' decisions as text to `folder`."""
        graphs = [print_graph(graph) for graph in called_graphs(self.graph)]
        lines = [f"{decision}\n" for decision in self.decisions]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write(folder / f"{self.name}.graph.txt", "\n".join(graphs))
            write(folder / f"{self.name}.decisions.txt", "".join(lines))
        except OSError as error:
            raise popart_exception(
                f"SessionOptions.logDir = {shown(self.options.logDir)}: the logs of the session "
                f"'{self.name}' cannot be written there: {error.strerror} ({error.filename})."
            ) from error

    @property
    def graph(self) -> Graph:
        """The graph after all compiler passes."""
        return self._compilation.graph

    def getInfo(self, id: str) -> TensorInfo:
        """Type and shape of a tensor of the compiled graph. PopART's `Session.getInfo`.

        Raises popart_exception if there is no tensor of that id.
        """
        info = self.graph.getTensor(id).info
        assert info is not None
        return info

    @property
    def decisions(self) -> list[Decision]:
        """What patterns, outlining and the in-place transform did to the model, and what they
        refused with the reason.
        """
        return self._compilation.decisions

    def getHash(self) -> int:
        """A hash of 64 bits of everything the device program depends on, equal in every process.

        It covers the compiled graph, options, anchors, batches per step and device. Raises
        popart_exception for an attribute that has no digest.
        """
        return self._hash(str(self.deviceInfo))

    def _hash(self, device: str) -> int:
        anchors = self.dataFlow.anchors()
        returned = {id: (self.dataFlow.art(id).id(), self.dataFlow.rows(id)) for id in anchors}
        flow = (self._loops(), returned)
        return getHash(self._compilation, (self.options.compiled(), flow, device))

    def getTensorIds(self) -> set[str]:
        """The ids of all tensors of the compiled graph."""
        return set(self.graph.tensors)

    getAllTensorIds = getTensorIds

    @property
    def replicationFactor(self) -> int:
        """The number of replicas of the model: 1."""
        return self.options.replicatedGraphCount

    @property
    def accumulationFactor(self) -> int:
        """The number of batches whose gradients are added before an update."""
        return self.options.accumulationFactor

    def _serializeIr(self, format: IrSerializationFormat = IrSerializationFormat.JSON) -> str:
        """The compiled graphs in the form of `popir.ir.serialise`. PopART's method of this name."""
        fitted("Session._serializeIr", "format", format, IrSerializationFormat)
        return to_json(self.graph)

    def initAnchorArrays(self) -> dict[str, Array]:
        """A new, uninitialised array for each anchor, by id, with the shape that a step returns and
        the numpy type of the tensor.

        The shape is the tensor's. If a step returns n > 1 values, a leading dimension n is added,
        and another one for those of n > 1 batches that are accumulated for each update. Example: an
        anchor FLOAT[2, 3] with "All" and 4 batches per step gives float32 [4, 2, 3]; with an
        accumulation factor of 5, [4, 5, 2, 3].

        Raises popart_exception if the period of an EveryN anchor does not divide the batches per
        step.
        """
        if self._anchor_shapes is None:
            self._anchor_shapes = [self._anchor_shape(id) for id in self.dataFlow.anchors()]
        return {id: np.empty(shape, dtype) for id, shape, dtype in self._anchor_shapes}

    def _anchor_shape(self, id: str) -> tuple[str, list[int], np.dtype[Any]]:
        info, rows = self.getInfo(id), self.dataFlow.rows(id)
        shape = info.shape()
        within = self._loops().within(self.graph, id)
        if within > 1 and _RETURNED[self.dataFlow.art(id).id()] is Returned.Each:
            shape = [within, *shape]
        return id, shape if rows is None else [rows, *shape], info.dataType().numpy

    # The device.

    @exclusive(afresh=True)
    def prepareDevice(self, loadEngine: bool = True) -> None:
        """Lowers the graph, compiles the engine, and loads it with the host's weights.

        With `loadEngine=False`, `loadEngineAndConnectStreams` must be called before `run`. A second
        call makes a new engine. Raises OutOfMemoryException if the program does not fit the device
        or the host, MissingOpxError for an operator without a lowering, WorkLimitError if the model
        takes more work than its limit (see `popir.budget`).
        """
        with (
            memory.guarded(f"Preparing the session '{self.name}'"),
            self._budget.spending(),
            collector.run_seldom(self._nodes),
        ):
            self._lower()
        if loadEngine and self._engine is not None:
            self.loadEngineAndConnectStreams()

    def _lower(self) -> None:
        loops = self._loops()
        anchors = {id: _RETURNED[self.dataFlow.art(id).id()] for id in self.dataFlow.anchors()}
        cache = self._engine_cache()
        kept = cache.load(self._engine_options) if cache is not None else None
        if self._stored is not None:
            executable = poplar.Executable.deserialize(self._stored.executable)
            engine = poplar.Engine(executable, self._engine_options)
            kept = Kept(engine, self._stored.inputs, self._stored.variables)
        if kept is not None:
            step = self._step = Step(
                poplar.program.Sequence(),
                [input_stream(self.graph, id, loops) for id in kept.inputs],
                [anchor_stream(self.graph, id, how, loops) for id, how in anchors.items()],
                kept.variables,
            )
            self._owners = Owners()
            self._engine = kept.engine
        else:
            lowering, step = self._lowered()
            self._step = step
            if not self.options.compileEngine:
                return
            self._engine = self._plan(lowering.graph, step.program)
            if cache is not None:
                made = poplar.compileGraph(lowering.graph, [step.program], self._engine_options)
                cache.save(made, [each.id for each in step.inputs], step.variables)
        engine = self._engine

        def connect(handle: str, array: Array) -> None:
            engine.connectStream(handle, as_bytes(array))

        self._inputs = [Port(stream, connect, is_input=True) for stream in step.inputs]
        self._outputs = [
            Port(
                stream, connect, False, self._period(stream.id), loops.within(self.graph, stream.id)
            )
            for stream in step.anchors
        ]
        for port in self._inputs:
            self._synthetic(port)

    def _lowered(self) -> tuple[Lowering, Step]:
        """The program of a step, grown into a graph of its own."""
        anchors = {id: _RETURNED[self.dataFlow.art(id).id()] for id in self.dataFlow.anchors()}
        checks = Checks(self.options.opxModifyChecking, self.options.opxAliasChecking)
        if self.options.virtualGraphMode is not VirtualGraphMode.Off:
            check_ipus(self.graph, self.deviceInfo.numIpus)
        places = Places(self.graph) if self._is_placed else None
        lowering = Lowering(self.graph, self.deviceInfo.device, anchors, checks, places=places)
        asked = contraction_entries(self.options)
        lowering.devicex.useOptions(asked[MATMUL], asked[LSTM])
        for file in self.options.customCodelets:
            lowering.graph.addCodelets(file, self.options.customCodeletCompileFlags)
        self._owners = lowering.owners
        rounds = self.options.enableStochasticRounding
        progress = self._progress.stage(0.4, 0.7)
        step = build_step(lowering, self._loops(), anchors, progress, rounds_stochastically=rounds)
        return lowering, step

    def waiting_threads(self) -> Collection[int]:
        """Calls with a time limit are made in threads of their own."""
        return poplar.waitingThreads()

    # Compiled programs in files.

    @exclusive()
    def compileAndExport(self, filename: str | os.PathLike[str]) -> None:
        """Compiles the program of a step and writes it to a file, for `loadExecutable`. PopART's
        method of this name. In a folder, the file is called after the session; folders are made.

        The file has no weights. Its form is popir's, not PopEF. Raises OutOfMemoryException as
        `prepareDevice` does, popart_exception if the file cannot be written.
        """
        self._export("compileAndExport", filename, {})

    @exclusive()
    def saveExecutable(
        self,
        path: str | os.PathLike[str],
        savePopartMetadata: bool = True,
        saveVariables: bool = True,
    ) -> None:
        """Writes the program of a step to a file as `compileAndExport` does and, with
        `saveVariables`, the host's weights, which `loadExecutable` then restores.

        Raises popart_exception for `savePopartMetadata=False`: no session could load the file.
        """
        if not savePopartMetadata:
            raise popart_exception(
                "saveExecutable(savePopartMetadata=False): without its metadata, no session could "
                "load the program. Leave it at True."
            )
        self._export("saveExecutable", path, self._host if saveVariables else {})

    @exclusive()
    def saveVariables(self, path: str | os.PathLike[str]) -> None:
        """Writes the host's weights and states to a file, for `loadExecutable`. PopART's method of
        this name. Raises popart_exception if it cannot be written.
        """
        file = require_path("saveVariables", path)
        Stored(weights=self._host).save("saveVariables", place(file, self.name))

    @exclusive()
    def loadExecutable(self, filename: str | os.PathLike[str]) -> None:
        """Reads a file of `compileAndExport`, `saveExecutable` or `saveVariables`: the next
        `prepareDevice` uses its program and compiles nothing, and the host's weights become those
        of the file. PopART's method of this name.

        The file has native code: load it only from a trusted source. Raises popart_exception for a
        file that cannot be read, and for a program of another model, other options or another size
        of device.
        """
        path = require_path("loadExecutable", filename)
        stored = load_executable("loadExecutable", place(path, self.name))
        if stored.executable and stored.hash != self._program_hash():
            raise popart_exception(
                f"loadExecutable: {path} has the program of another model, of other options, or "
                "for a device of another size than this session's."
            )
        for id, value in stored.weights.items():
            np.copyto(self._host.like(id, value), value)
        if stored.executable:
            self._stored = stored

    def _export(
        self, who: str, filename: str | os.PathLike[str], weights: Mapping[str, Array]
    ) -> None:
        path = require_path(who, filename)
        if why := why_not(self.graph):
            raise popart_exception(
                f"{who}: the program of the session '{self.name}' cannot be saved: {why}. "
                "Save the model, and make a session of it where it is to run."
            )
        with memory.guarded(f"Compiling the session '{self.name}'"), self._budget.spending():
            lowering, step = self._lowered()
            try:
                made = poplar.compileGraph(lowering.graph, [step.program], self._engine_options)
            except PopirError as error:
                raise self._memory_error(error, lowering.graph, step.program) from error
        inputs = [each.id for each in step.inputs]
        stored = Stored(self._program_hash(), inputs, step.variables, made.serialize(), weights)
        stored.save(who, place(path, self.name))

    def _program_hash(self) -> int:
        """A hash of all that the program depends on. Of the device, that is its size: a program
        made for an offline device runs on another.
        """
        device = self.deviceInfo
        return self._hash(f"{device.version} {device.numIpus} {device.tilesPerIPU}")

    def getSerializedGraph(self) -> bytes:
        """Raises popart_exception: Poplar's graphs have no serialised form here."""
        raise popart_exception(
            "getSerializedGraph(): Poplar's graphs have no serialised form here. saveExecutable() "
            "saves the compiled program, Session.graph prints the model's graph."
        )

    @exclusive()
    def broadcastWeights(self, rootRank: int = 0) -> None:
        """Copies the weights of the instance `rootRank` of the program to all others. There is one
        instance, so that nothing is to be done.

        Raises popart_exception for another rank than 0.
        """
        if rootRank:
            raise popart_exception(
                f"broadcastWeights(rootRank={rootRank}): there is one instance of the program, of "
                "rank 0."
            )

    def _engine_cache(self) -> EngineCache | None:
        """The cache file of the program; None if caching is off or impossible."""
        asked = self.options
        if not asked.enableEngineCaching or not asked.compileEngine:
            return None
        if why := why_not(self.graph):
            _log.warning("The program of the session '%s' is not kept: %s", self.name, why)
            return None
        try:
            hash = self.getHash()
            return EngineCache(asked.cachePath, self.graph, hash, asked.customCodelets)
        except (OSError, DigestError) as error:
            _log.warning("The program of the session '%s' is not kept: %s", self.name, error)
            return None

    def _synthetic(self, port: Port) -> None:
        """Fills an input with synthetic data, once for all steps, if `syntheticDataMode` is on."""
        mode = self.options.syntheticDataMode
        if mode is SyntheticDataMode.Off:
            return
        buffer = port.stage()
        random = np.random.default_rng([0, zlib.crc32(port.id.encode())])
        if mode is SyntheticDataMode.Zeros:
            buffer[...] = 0
        elif buffer.dtype.kind in "iub":
            buffer[...] = random.integers(2, size=buffer.shape)
        elif mode is SyntheticDataMode.RandomNormal:
            buffer[...] = random.standard_normal(buffer.shape, np.float32)
        else:
            buffer[...] = random.random(buffer.shape, np.float32)

    def _plan(self, graph: Any, program: Any) -> Any:
        try:
            return poplar.Engine(
                graph, [program], self._engine_options, self._progress.stage(0.7, 1)
            )
        except PopirError as error:
            raise self._memory_error(error, graph, program) from error

    def _memory_error(self, error: PopirError, graph: Any, program: Any) -> PopirError:
        """The error of a program that does not compile, as users see it."""
        if not isinstance(error, poplar_graph_memory_allocation_error):
            return self._owners.told(error)
        if not str(error).startswith("Out of memory on tile"):
            return error

        def summary() -> str:
            return device("machine").programReport(graph, program)["summary"]

        return OutOfMemoryException(error, summary)

    def _period(self, anchor: str) -> int:
        art = self.dataFlow.art(anchor)
        self.dataFlow.rows(anchor)
        return art.rp() if art.id() is AnchorReturnTypeId.EveryN else 1

    @exclusive(afresh=True)
    def loadEngineAndConnectStreams(self) -> None:
        """Loads the program on the device, and copies the host's weights and random seed to it.

        Raises popart_exception before `prepareDevice`, popart_runtime_error for an offline device.
        """
        engine = self._prepared("loadEngineAndConnectStreams")
        if self.deviceInfo.connectionType is DeviceConnectionType.Never:
            raise popart_runtime_error(
                "Trying to load an engine on an offline device: a session compiles for it, by "
                "prepareDevice(loadEngine=False) or compileAndExport(), and runs on another."
            )
        engine.load(self.deviceInfo.device)
        self._send_all()

    def _prepared(self, who: str) -> Any:
        if self._engine is None and self._step is not None:
            raise popart_exception(
                f"The session '{self.name}' has no engine for {who}(): "
                "SessionOptions.compileEngine is False."
            )
        if self._engine is None:
            raise popart_exception(
                f"The session '{self.name}' is not prepared: call prepareDevice() before {who}()."
            )
        return self._engine

    def run(self, stepio: PyStepIO | PyStepIOCallback, debugName: str = "") -> None:
        """Runs one step: all its batches, from the inputs to the anchors of `stepio`.

        `stepio` must have all anchors, and all inputs that an operator reads; other arrays are
        ignored. With `SessionOptions.syntheticDataMode` its inputs are not read. `debugName` is put
        before the message of an error.

        Raises popart_exception before `prepareDevice`, StepIOError for an array that is missing or
        has a wrong type or size, poplar_exception for a fault of the running program.
        """
        if debugName.__class__ is not str:
            debugName = fitted("Session.run", "debugName", debugName, str)
        lock = self.lock
        if lock.refused:
            self.refuse_own_call("run")
        with lock.rlock:
            if lock.refused:
                self.refuse("run")
            lock.refused, lock.runner = IN_STEP, get_ident()
            try:
                engine = self._engine or self._prepared("run")
                if isinstance(stepio, PyStepIOCallback):
                    self._run_with_callbacks(stepio)
                    self.steps += 1
                    return
                try:
                    given = stepio.inputs
                except AttributeError:
                    fitted("Session.run", "stepio", stepio, PyStepIO | PyStepIOCallback)
                    raise
                try:
                    if not self._is_synthetic:
                        for port in self._inputs:
                            if given[port.id] is not port.array:
                                port.bind(given[port.id], stepio.checks)
                    given = stepio.outputs
                    for port in self._outputs:
                        if given[port.id] is not port.array:
                            port.bind(given[port.id], stepio.checks)
                except KeyError as error:
                    raise self._missing(error.args[0], given) from None
                try:
                    engine.run(0)
                except BaseException as error:
                    # The streams stopped inside a step: bind them again at the next one.
                    for port in (*self._inputs, *self._outputs):
                        port.array = UNBOUND
                    if self._is_synthetic:
                        for port in self._inputs:
                            port.stage()
                    if isinstance(error, PopirError):
                        raise self._owners.told(error) from None
                    raise
                for port in self._outputs:
                    if port.array is UNBOUND:
                        port.finish(given[port.id])
                self.steps += 1
            except PopirError as error:
                if debugName:
                    error.args = (f"{debugName}: {error}", *error.args[1:])
                raise
            finally:
                lock.refused = ""

    def _missing(self, id: str, given: Mapping[str, Array]) -> StepIOError:
        is_input = any(port.id == id for port in self._inputs)
        kind = "input" if is_input else "anchor"
        return StepIOError(
            f"The step's {kind} '{id}', {self.getInfo(id)}, was not given; given were the {kind}s "
            f"{', '.join(repr(name) for name in given) or '(none)'}.{did_you_mean(id, given)}"
        )

    def _run_with_callbacks(self, stepio: PyStepIOCallback) -> None:
        for port in self._inputs:
            if self._is_synthetic:
                continue
            buffer = port.stage()
            for n in range(len(buffer)):
                array = stepio.input_callback(port.id, False)
                port.check_batch(array)
                port.fill(buffer[n : n + 1], array)
                stepio.input_complete_callback(port.id)
        staged = [(port, port.stage()) for port in self._outputs]
        try:
            self._engine.run(0)
        except PopirError as error:
            raise self._owners.told(error) from None
        for port, buffer in staged:
            for n in port.returned():
                array = stepio.output_callback(port.id)
                port.check_batch(array)
                port.spill(buffer[n : n + 1], array)
                stepio.output_complete_callback(port.id)

    # Random numbers.

    @exclusive()
    def setRandomSeed(self, seed: int) -> None:
        """Sets the random seed for the next batch: the lower 64 bits of `seed`.

        The same seed gives the same random numbers. The device changes the seed after each batch.
        Without a call it starts at 0, or with the seed saved in the model. Without effect if the
        model draws no random numbers. Raises popart_exception before `prepareDevice`.
        """
        value = np.array(_words_of(seed), np.uint32)
        engine = self._prepared("setRandomSeed")
        if self._draws_random_numbers():
            engine.writeTensor(RANDOM_SEED, value)

    @exclusive()
    def getRandomSeed(self) -> int:
        """The seed of the next batch; 0 if the model draws no random numbers.

        Raises popart_exception before `prepareDevice`.
        """
        value = np.zeros(2, np.uint32)
        engine = self._prepared("getRandomSeed")
        if self._draws_random_numbers():
            engine.readTensor(RANDOM_SEED, value)
        return _seed_of(value)

    def getRNGState(self) -> list[int]:
        """The state of the random number generator: the two words of the seed of the next batch,
        the lower first.

        Raises popart_exception before `prepareDevice`.
        """
        return _words_of(self.getRandomSeed())

    def setRNGState(self, rngValue: Collection[int]) -> None:
        """Sets the state of the random number generator to one that `getRNGState` returned.

        Raises popart_exception before `prepareDevice`, and for anything but two words of 32 bits.
        """
        words = list(rngValue)
        if len(words) != 2 or not all(0 <= word < 1 << 32 for word in words):
            raise popart_exception(
                "setRNGState takes what getRNGState returns, two words of 32 bits; given was "
                f"{shown(words)}."
            )
        self.setRandomSeed(_seed_of(words))

    def _draws_random_numbers(self) -> bool:
        return self._step is not None and RANDOM_SEED in self._step.variables

    def hostBytes(self) -> int:
        """The bytes of host memory of the session: constants, weights, the arrays of one step and,
        after `prepareDevice`, the engine's memory.
        """
        held = (t.data.nbytes for t in self.graph.tensors.values() if t.data is not None)
        arrays = [*self.graph.inputs, *self.dataFlow.anchors()]
        runs = self.dataFlow.batchesPerStep() * self.options.accumulationFactor
        steps = runs * sum(self.getInfo(id).nbytes() for id in arrays)
        return sum(held) + steps + (self._engine.arenaBytes() if self._engine else 0)

    # Reports of the simulated machine and of the host.

    @exclusive()
    def getReport(self) -> MachineReport:
        """The cost of a step on the simulated machine: cycles, exchange, memory. Computed at each
        call.

        Raises popart_exception before `prepareDevice`.
        """
        return MachineReport.of(self._prepared("getReport"))

    def getCycleCount(self, id: str = "") -> int:
        """The estimated tile cycles of a step, of all its batches. PopART's
        `Session.getCycleCount`.

        Raises popart_exception before `prepareDevice`, and if `id` is given: only whole steps are
        counted.
        """
        if id:
            raise popart_exception(
                f"getCycleCount(id={id!r}): only the whole step is counted; leave id out. "
                "getReport() and getProfile() have the cycles of its parts."
            )
        if self._compilation.overlaps:
            return self.getPipelineReport().cycles
        return self.getReport().cycles

    def getPipelineReport(self) -> PipelineReport:
        """The cost of a step of a pipeline: the stages, its ramp-up, steady state and bubble.

        Raises popart_exception before `prepareDevice`, and without a pipeline whose stages run at
        once.
        """
        if not self._compilation.overlaps:
            raise popart_exception(
                "getPipelineReport(): the session has no pipeline whose stages run at once. Set "
                "SessionOptions.enablePipelining and, in training, accumulationFactor."
            )
        loops = self._loops()
        is_accumulated = loops.accumulated > 1
        batches, updates = loops.accumulated, loops.updates
        if not is_accumulated:
            batches, updates = updates, 1
        return PipelineReport.of(self.getReport(), self.graph, batches, updates)

    def getSummaryReport(self, resetProfile: bool = True) -> str:
        """The text summary of `getReport`. PopART's `Session.getSummaryReport`.

        `resetProfile` has no effect: the report depends on the program, not on its runs. Raises
        popart_exception before `prepareDevice`.
        """
        return self.getReport().summary

    @exclusive()
    def getProfile(self, progress: Logger | None = None) -> Profile:
        """The cost of a step by the model's operators, which can be saved as JSON, an HTML page or
        a trace.

        `progress(done, total)` is called while the steps of the program are costed. Raises
        popart_exception before `prepareDevice`.
        """
        report = MachineReport.of(self._prepared("getProfile"), progress=progress)
        return Profile.of(report, self.graph, self.name, self._compilation.loss)

    @exclusive()
    def planText(self) -> str:
        """The instructions that the host executes for a step, and what the engine's passes did.

        One line each, with kernel, name, shapes and layouts: `Engine.planText`. Raises
        popart_exception before `prepareDevice`.
        """
        return self._prepared("planText").planText()

    @exclusive()
    def getHostProfile(self) -> HostProfile:
        """The measured host time by instruction, over all runs so far.

        Raises popart_exception before `prepareDevice`; poplar_profiling_disabled unless the session
        was made with `SessionOptions.engineOptions["host.profile"] = "true"`.
        """
        return HostProfile.of(self._prepared("getHostProfile"), self.graph)

    @exclusive()
    def connectHostFunction(
        self, functionHandle: str, callback: Callable[[list[Array], list[Array]], None]
    ) -> None:
        """Connects a Python function to a host function that an operator calls
        (`poplar::Graph::addHostFunction`).

        Args:
            functionHandle: the handle that the operator gave the host function.
            callback: called with the flattened inputs, to read, and the flattened outputs, to fill.

        Raises popart_exception before `prepareDevice`, poplar_runtime_error for an unknown handle.
        """
        engine = self._prepared("connectHostFunction")
        engine.connectHostFunction(functionHandle, callback)

    # Weights.

    @exclusive()
    def weightsFromHost(self) -> None:
        """Copies the host's weights and states to the device. Raises popart_exception before
        `prepareDevice`.
        """
        engine = self._prepared("weightsFromHost")
        for id in self._variables():
            engine.writeTensor(id, as_bytes(self._host[id]))

    @exclusive()
    def weightsToHost(self) -> None:
        """Copies the device's weights and states to the host, where `readWeights` finds them.

        Raises popart_exception before `prepareDevice`.
        """
        engine = self._prepared("weightsToHost")
        for id in self._variables():
            engine.readTensor(id, as_bytes(self._host[id]))

    def _send_all(self) -> None:
        """Copies the host's weights, states and random seed to the device."""
        self.weightsFromHost()
        if self._draws_random_numbers():
            self._engine.writeTensor(RANDOM_SEED, self._host[RANDOM_SEED])

    def _fetch_all(self) -> None:
        """Copies the device's weights, states and random seed to the host, if there is a device."""
        if self._engine is None:
            return
        self.weightsToHost()
        if self._draws_random_numbers():
            self._engine.readTensor(RANDOM_SEED, self._host[RANDOM_SEED])

    def _variables(self) -> list[str]:
        """The ids of the weights and states on the device, without the random seed."""
        assert self._step is not None
        return [id for id in self._step.variables if id != RANDOM_SEED]

    @exclusive()
    def readWeights(self, weights: PyWeightsIO) -> None:
        """Copies the host's weights into the given arrays. `weightsToHost` fetches those of the
        device first.

        The ids are those of weights and of states, such as `Accl___w` of the optimizer. Raises
        popart_exception for an unknown id, or an array of another type or shape.
        """
        for id, array in weights.weights.items():
            np.copyto(array, self._host.like(id, array))

    @exclusive()
    def writeWeights(self, weights: PyWeightsIO) -> None:
        """Copies the given arrays to the host's weights. `weightsFromHost` copies these to the
        device.

        Raises popart_exception for an unknown id, or an array of another type or shape.
        """
        for id, array in weights.weights.items():
            np.copyto(self._host.like(id, array), array)

    @exclusive()
    def resetHostWeights(
        self, model: Any, ignoreWeightsInModelWithoutCorrespondingHostWeight: bool = False
    ) -> None:
        """Sets the host's weights to the initializers of another model. `weightsFromHost` copies
        them to the device.

        `model` is the path of a file, its bytes, or a ModelProto. Raises ModelError if it cannot be
        read; popart_exception for an initializer that is not a weight of this session, unless
        `ignoreWeightsInModelWithoutCorrespondingHostWeight` is True, and for one of another type or
        shape.
        """
        self._host.take(import_model(model), ignoreWeightsInModelWithoutCorrespondingHostWeight)

    @exclusive()
    def modelToHost(self, filename: str | os.PathLike[str]) -> None:
        """Saves the model with the present weights of the device. The file is replaced atomically.

        A TrainingSession also saves the optimizer's state and the random seed as initializers
        (`Accl___w`, `randomSeed___fromHost`). A session made from the file continues bit for bit
        where this one stopped. A loss of the domain ai.graphcore goes with its inputs to the
        model's `training_info`, so that tools that do not know the domain can run the rest.

        Weights that came from an external data file go to `FILENAME.DIGEST.data` beside the new
        model; so do all weights if they are too large for the model file. Raises ModelError if a
        file cannot be written.
        """
        path = require_path("modelToHost", filename)
        self._fetch_all()
        self._skeleton.save(self._host, path)

    @exclusive()
    def save(
        self,
        folder: str | os.PathLike[str],
        data: Any = None,
        shards: int = 1,
    ) -> None:
        """Saves a checkpoint in a folder: weights and states of the device, the optimizer's
        changeable numbers, the random seed, and the steps that were run. `load` reads it; training
        then goes on bit for bit. It takes the place of the checkpoint that is there, whenever
        the process is killed: as a whole or not at all.

        Args:
            folder: the folder, which is made.
            data: the data that the session is trained on, whose position is saved: it has the
                methods `position` and `seek`, as `popir.data.Batches` has.
            shards: the number of files with tensors, in the safetensors format.

        Raises CheckpointError if it cannot be written.
        """
        path = require_path("Session.save", folder)
        position = saving.position_of("Session.save", data)
        self._fetch_all()
        kept = self._kept()
        seed = self._host.get(RANDOM_SEED)
        number = None if seed is None else _seed_of(seed)
        manifest = kept.manifest(self._compiled_in(), self.steps, number, position)
        saving.write(path, kept.arrays(), manifest, shards)

    @exclusive()
    def load(self, folder: str | os.PathLike[str], data: Any = None) -> checkpoints.Checkpoint:
        """Loads a checkpoint that `save` wrote, of any number of shards, and returns what it says
        of itself. Also the device has it, if it is prepared. An InferenceSession takes the weights
        of a TrainingSession's.

        `data` goes to the position that was saved. Raises CheckpointError, and has changed nothing,
        for a checkpoint that cannot be read, is damaged, or is that of another model or optimizer.
        """
        path = require_path("Session.load", folder)
        saving.position_of("Session.load", data)
        found, tensors = checkpoints.tensors(path)
        if data is not None and found.data is None:
            raise CheckpointError(f"{path}: no position in the data was saved.")
        kept = self._kept()
        kept.check(path, found, self._compiled_in())
        if data is not None:
            data.seek(found.data)
        kept.take(found, tensors)
        self.steps = found.step
        if found.seed is not None and RANDOM_SEED in self._host:
            self._host[RANDOM_SEED][...] = _words_of(found.seed)
        if self._engine is not None:
            self._send_all()
        return checkpoints.Checkpoint(path, found)

    def _kept(self) -> saving.Contents:
        """What of the session's tensors is in a checkpoint."""
        c = self._compilation
        initializers = None if self._optimizer is None else c.choices
        return saving.Contents(self._host, self.graph.saved, initializers, c.scalars)

    def _compiled_in(self) -> dict[str, Any]:
        return {} if self._optimizer is None else self._optimizer.description()

    @exclusive()
    def updateExternallySavedTensorLocations(self, fromLocation: str, toLocation: str) -> None:
        """Changes the external data file that `modelToHost` writes: weights that the model has in
        `fromLocation` go to `toLocation`, a path in or below the folder of the new model.

        Raises popart_exception if the model has no weights in `fromLocation`.
        """
        self._skeleton.redirect(fromLocation, toLocation)


def _seed_of(words: Sequence[int] | Array) -> int:
    """The random seed of two words of 32 bits, the lower first."""
    return int(words[0]) | int(words[1]) << 32


def _words_of(seed: int) -> list[int]:
    """The lower 64 bits of a random seed as two words, the lower first."""
    return [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]


def _engine_options(options: SessionOptions) -> dict[str, str]:
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


@typed
class InferenceSession(Session):
    """Runs a model without training it. PopART's `InferenceSession`.

    Args:
        fnModel: the model: the path of a file, its bytes, or a ModelProto.
        dataFlow: the batches per step and the tensors to return.
        deviceInfo: the device, from a DeviceManager.
        inputShapeInfo: types and shapes of inputs, by id, if the model leaves them open.
        patterns: the rewrites to apply; by default those of `Patterns()`.
        userOptions: SessionOptions; by default all defaults.
        name: a name for messages, logs and reports.
        evaluationMode: names, or patterns with *, ? and [...], of normalisation and dropout nodes
            to run in evaluation mode, whatever the model says.

    Raises ModelError for a model that cannot be read or is malformed; UnknownOperatorError,
    OperatorInputError, OperatorAttributeError and other popart_exceptions for a model that cannot
    be compiled and for options that are refused; AnchorError for an anchor that is no tensor of the
    model.
    """

    def __init__(
        self,
        fnModel: Any,
        dataFlow: DataFlow,
        deviceInfo: DeviceInfo,
        inputShapeInfo: Mapping[str, TensorInfo] | None = None,
        patterns: Patterns | None = None,
        userOptions: SessionOptions | None = None,
        name: str = "inference",
        evaluationMode: Collection[str] = (),
    ) -> None:
        super().__init__(
            fnModel,
            dataFlow,
            deviceInfo,
            inputShapeInfo,
            patterns,
            userOptions,
            name,
            evaluationMode=evaluationMode,
        )


@typed
class TrainingSession(Session):
    """Trains a model: runs it forwards and backwards, and updates its weights after each batch.
    PopART's `TrainingSession`.

    Args:
        fnModel, deviceInfo, inputShapeInfo, patterns, userOptions, name: as in InferenceSession.
        dataFlow: the batches per step and the tensors to return; `Gradient___x` is the gradient of
            the tensor x.
        loss: the id of the tensor to minimise. It has one element of a floating-point type.
        optimizer: an SGD, Adam or Adaptive, which defines the weight updates.
        trained, frozen: names, or patterns with *, ? and [...], of initializers to train and not to
            train. They override the rules of `popir.trainable`.
        trainingMode, evaluationMode: names or patterns of normalisation and dropout nodes to run in
            training mode or in evaluation mode, whatever the model says. The saved model is not
            affected.

    Raises ModelError and popart_exceptions for a model that cannot be imported or compiled;
    AnchorError for an anchor that is no tensor of the model; MissingGradientError if the loss
    depends on a weight through an operator without a gradient.
    """

    def __init__(
        self,
        fnModel: Any,
        dataFlow: DataFlow,
        loss: str,
        optimizer: Optimizer,
        deviceInfo: DeviceInfo,
        inputShapeInfo: Mapping[str, TensorInfo] | None = None,
        patterns: Patterns | None = None,
        userOptions: SessionOptions | None = None,
        name: str = "training",
        trained: Collection[str] = (),
        frozen: Collection[str] = (),
        trainingMode: Collection[str] = (),
        evaluationMode: Collection[str] = (),
    ) -> None:
        super().__init__(
            fnModel,
            dataFlow,
            deviceInfo,
            inputShapeInfo,
            patterns,
            userOptions,
            name,
            loss,
            optimizer,
            trained,
            frozen,
            trainingMode,
            evaluationMode,
        )

    @property
    def choices(self) -> dict[str, Choice]:
        """The role of each initializer of the model (trained, state or constant), and why."""
        return self._compilation.choices

    @exclusive()
    def updateOptimizerFromHost(self, optimizer: Optimizer) -> None:
        """Sets the changeable values of the optimizer to those of `optimizer`, from the next step.
        PopART's method of this name.

        Raises popart_exception if a constant value differs, or a value is not finite in the type of
        its tensor.
        """
        assert self._optimizer is not None
        self._optimizer.checkReplacement(optimizer)
        values: dict[str, float] = {}
        for id, (name, weight, batches) in self._compilation.scalars.items():
            value = values[id] = optimizer.value(name, weight, batches)
            where = f" of '{weight}'" if weight else ""
            require_finite(f"The optimizer's {name}{where}", value, self.getInfo(id).dataType())
        for id, value in values.items():
            self._host[id][...] = value
            if self._step is not None and id in self._step.variables:
                self._engine.writeTensor(id, as_bytes(self._host[id]))
