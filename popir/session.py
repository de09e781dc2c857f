"""Sessions: a model, compiled for a device and run. `InferenceSession`, `TrainingSession`.

Long, because PopART's sessions have many methods, each a few lines over the parts that do the work.
"""

from __future__ import annotations

import logging
import os
import zlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from popir import budget, memory, poplar
from popir.budget import Budget
from popir.compiler import Compilation, compile, getHash
from popir.dataflow import AnchorReturnTypeId, DataFlow
from popir.devices import DeviceInfo
from popir.engine_cache import EngineCache
from popir.enums import DeviceType, SyntheticDataMode, VirtualGraphMode
from popir.errors import (
    OutOfMemoryException,
    PopirError,
    StepIOError,
    did_you_mean,
    popart_exception,
    poplar_graph_memory_allocation_error,
    require_path,
)
from popir.exclusive import IN_STEP, Exclusive, exclusive
from popir.files import write
from popir.ir import Graph
from popir.ir.graph import calledGraphs
from popir.ir.hash import DigestError
from popir.ir.text import print_graph
from popir.lowering import Lowering
from popir.onnxio.importer import importModel
from popir.onnxio.load import load
from popir.onnxio.modes import inModes
from popir.onnxio.skeleton import Skeleton
from popir.onnxio.training_form import inTrainingForm
from popir.onnxio.training_info import Training, joined
from popir.ops.contraction_options import applyContractionOptions, contractionEntries
from popir.optimizers import Optimizer
from popir.options import Kind, OptionWarning, SessionOptions, warn
from popir.options.annotations import checkAnnotations
from popir.options.contractions import LSTM, MATMUL
from popir.options.session import OUTLINING
from popir.opx import device
from popir.owners import Owners
from popir.patterns import Patterns
from popir.profile import HostProfile, MachineReport, Profile
from popir.progress import Logger, Progress
from popir.reserved import RANDOM_SEED, weightOfState
from popir.step import Returned, Step, anchorStream, buildStep, inputStream
from popir.stepio import UNBOUND, Port, PyStepIO, PyStepIOCallback, PyWeightsIO
from popir.trainable import Choice, Role
from popir.transforms.decision import Decision
from popir.transforms.inplace import checkPreferences
from popir.transforms.outline import OutlineOptions
from popir.typed import fitted, shown, typed
from popir.types import TensorInfo, requireFinite
from popir.virtual_graphs import Places, checkVirtualGraphs, splitOverIpus
from popir.watch import Checks
from popir.weights import HostWeights

Array = np.ndarray[Any, Any]
_log = logging.getLogger("popir.session")

_RETURNED = {
    AnchorReturnTypeId.All: Returned.Each,
    AnchorReturnTypeId.EveryN: Returned.Each,
    AnchorReturnTypeId.Final: Returned.Last,
    AnchorReturnTypeId.Sum: Returned.Sum,
}


@typed(byHand=["run"])
class Session(Exclusive):
    """Base of both: holds the host's copy of the weights and, once prepared, the engine.

    Threads may share a session: each call has it to itself, a step with its arrays. Steps of
    different sessions run side by side. A callback of a step must not call its own session
    (popart_runtime_error).
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
        self._engineOptions = _engineOptions(self.options)
        self._isPlaced = (
            self.options.virtualGraphMode is not VirtualGraphMode.Off and deviceInfo.numIpus > 1
        )
        if self._isPlaced and self.options.enableOutlining:
            raise popart_exception(
                "SessionOptions.enableOutlining = True: with a virtualGraphMode nothing is "
                "outlined. Leave it at None."
            )
        self._isSynthetic = self.options.syntheticDataMode is not SyntheticDataMode.Off
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
        self._inputs: list[Port] = []
        self._outputs: list[Port] = []
        self._anchorShapes: list[tuple[str, list[int], np.dtype[Any]]] | None = None

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
            loaded = inTrainingForm(loaded)
        self._budget = Budget(f"Compiling the session '{self.name}'", loaded.nodes)
        """What compiling and preparing may cost together."""
        with self._budget.spending():
            graph = importModel(loaded, inputShapeInfo, inModes(loaded.model, *self._modes))
            budget.done()
            infos = {id: t.info for id, t in graph.tensors.items() if t.info is not None}
            checkAnnotations(
                (op.debugName(), op.source == "built in", op.settings.nodeAttributes)
                for op in graph.ops.values()
            )
            checkPreferences(graph)
            applyContractionOptions(graph, self.options)
            mode, ipus = self.options.virtualGraphMode, self.deviceInfo.numIpus
            checkVirtualGraphs(graph, mode, ipus)
            if mode is VirtualGraphMode.Auto:
                splitOverIpus(graph, ipus, self.options.virtualGraphSplitRatios)
            self._compilation = Compilation(
                graph,
                anchors,
                patterns or Patterns(),
                loss,
                optimizer,
                self._outlining(),
                trained,
                frozen,
                self.options.enableStochasticRounding,
            )
            compile(self._compilation, self._progress.stage(0.1, 0.4))
            if optimizer is not None:
                self._checkSpecific(optimizer)
            if self._compilation.outlining is None:
                self._compilation.decisions.append(
                    Decision("the model", "outlining", self._unasked())
                )
        self._host = HostWeights(graph)
        """What the host has of each weight and state."""
        if loss is None:
            self._skeleton = Skeleton(loaded, self._host, graph.saved)
        else:
            training = Training(loss, self._compilation.weights, infos)
            self._skeleton = Skeleton(loaded, self._host, graph.saved, self._unused(), training)
        if self.options.logDir:
            self._writeLogs(Path(self.options.logDir))

    def _checkSpecific(self, optimizer: Optimizer) -> None:
        """Raises popart_exception if the optimizer has values of a weight that is not trained."""
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
        """The states in the model that the optimizer has no use for, with a warning."""
        tensors, saved = self.graph.tensors, self.graph.saved
        unused = [id for id in self._host if weightOfState(id) in tensors and id not in saved]
        if unused:
            listed = ", ".join(unused[:3]) + (", ..." if len(unused) > 3 else "")
            warn(
                f"The model holds an optimizer's state that this session has no use for, {listed}: "
                "it is not saved again.",
                UserWarning,
            )
        return unused

    def _outlining(self) -> OutlineOptions | None:
        asked = self.options
        isCpu = self.deviceInfo.type is DeviceType.Cpu
        isAsked = not isCpu if asked.enableOutlining is None else asked.enableOutlining
        if not isAsked or self._isPlaced:
            asked.tellWithout(OUTLINING, self._unasked())
            return None
        return OutlineOptions(asked.outlineThreshold, asked.enableOutliningCopyCostPruning)

    def _unasked(self) -> str:
        """Why nothing is outlined."""
        if self._isPlaced:
            return "operators are placed on IPUs; a piece of code would be on one of them"
        if self.options.enableOutlining is None:
            return (
                "a Cpu device gains nothing by it; SessionOptions.enableOutlining = True asks for "
                "it all the same"
            )
        return "SessionOptions.enableOutlining is False"

    def _writeLogs(self, folder: Path) -> None:
        """What became of the model, as text: the compiled graph, and what transforms decided."""
        graphs = [print_graph(graph) for graph in calledGraphs(self.graph)]
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
        """The compiled graph."""
        return self._compilation.graph

    def getInfo(self, id: str) -> TensorInfo:
        """Type and shape of a tensor. Raises popart_exception if there is none of that id."""
        info = self.graph.getTensor(id).info
        assert info is not None
        return info

    @property
    def decisions(self) -> list[Decision]:
        """What patterns, outlining and in-placing did when the model was compiled, and where they
        did not, with the reasons.
        """
        return self._compilation.decisions

    def getHash(self) -> int:
        """A number of 64 bits for all that the device program depends on: the compiled graph, the
        options, the anchors, the batches and the machine. The same in every process.
        """
        anchors = self.dataFlow.anchors()
        returned = {id: (self.dataFlow.art(id).id(), self.dataFlow.rows(id)) for id in anchors}
        flow = (self.dataFlow.batchesPerStep(), returned)
        return getHash(self._compilation, (self.options.compiled(), flow, str(self.deviceInfo)))

    def getTensorIds(self) -> set[str]:
        """The ids of all tensors of the compiled graph."""
        return set(self.graph.tensors)

    getAllTensorIds = getTensorIds

    def initAnchorArrays(self) -> dict[str, Array]:
        """An array for each anchor, of the shape that a step returns.

        That is the tensor's shape, after the number of values in a step where that is more than
        one.
        """
        if self._anchorShapes is None:
            self._anchorShapes = [self._anchorShape(id) for id in self.dataFlow.anchors()]
        return {id: np.empty(shape, dtype) for id, shape, dtype in self._anchorShapes}

    def _anchorShape(self, id: str) -> tuple[str, list[int], np.dtype[Any]]:
        info, rows = self.getInfo(id), self.dataFlow.rows(id)
        shape = info.shape() if rows is None else [rows, *info.shape()]
        return id, shape, info.dataType().numpy

    # The device.

    @exclusive(afresh=True)
    def prepareDevice(self, loadEngine: bool = True) -> None:
        """Lowers the graph, plans the program, and loads it with the host's weights.

        `loadEngine=False` leaves the loading to `loadEngineAndConnectStreams`.
        """
        with memory.guarded(f"Preparing the session '{self.name}'"), self._budget.spending():
            self._lower()
        if loadEngine and self._engine is not None:
            self.loadEngineAndConnectStreams()

    def _lower(self) -> None:
        batches = self.dataFlow.batchesPerStep()
        anchors = {id: _RETURNED[self.dataFlow.art(id).id()] for id in self.dataFlow.anchors()}
        cache = self._engineCache()
        kept = cache.load(self._engineOptions) if cache is not None else None
        if kept is not None:
            step = self._step = Step(
                poplar.program.Sequence(),
                [inputStream(self.graph, id, batches) for id in kept.inputs],
                [anchorStream(self.graph, id, how, batches) for id, how in anchors.items()],
                kept.variables,
            )
            self._owners = Owners()
            self._engine = kept.engine
        else:
            checks = Checks(self.options.opxModifyChecking, self.options.opxAliasChecking)
            places = Places(self.graph) if self._isPlaced else None
            lowering = Lowering(self.graph, self.deviceInfo.device, anchors, checks, places=places)
            asked = contractionEntries(self.options)
            lowering.devicex.useOptions(asked[MATMUL], asked[LSTM])
            for file in self.options.customCodelets:
                lowering.graph.addCodelets(file, self.options.customCodeletCompileFlags)
            self._owners = lowering.owners
            rounds = self.options.enableStochasticRounding
            progress = self._progress.stage(0.4, 0.7)
            step = buildStep(lowering, batches, anchors, progress, roundsStochastically=rounds)
            self._step = step
            if not self.options.compileEngine:
                return
            self._engine = self._plan(lowering.graph, step.program)
            if cache is not None:
                made = poplar.compileGraph(lowering.graph, [step.program], self._engineOptions)
                cache.save(made, [each.id for each in step.inputs], step.variables)
        connect = self._engine.connectStream
        self._inputs = [Port(stream, connect, isInput=True) for stream in step.inputs]
        self._outputs = [
            Port(stream, connect, isInput=False, period=self._period(stream.id))
            for stream in step.anchors
        ]
        for port in self._inputs:
            self._synthetic(port)

    def _engineCache(self) -> EngineCache | None:
        """Where the program is kept, if it is."""
        asked = self.options
        if not asked.enableEngineCaching or not asked.compileEngine:
            return None
        try:
            hash = self.getHash()
            return EngineCache(asked.cachePath, self.graph, hash, asked.customCodelets)
        except (OSError, DigestError) as error:
            _log.warning("The program of the session '%s' is not kept: %s", self.name, error)
            return None

    def _synthetic(self, port: Port) -> None:
        """Fills an input with data that the session makes, once for all steps, if that was asked
        for.
        """
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
                graph, [program], self._engineOptions, self._progress.stage(0.7, 1)
            )
        except poplar_graph_memory_allocation_error as error:
            if not str(error).startswith("Out of memory on tile"):
                raise

            def summary() -> str:
                return device("machine").programReport(graph, program)["summary"]

            raise OutOfMemoryException(error, summary) from error
        except PopirError as error:
            raise self._owners.told(error) from None

    def _period(self, anchor: str) -> int:
        art = self.dataFlow.art(anchor)
        self.dataFlow.rows(anchor)
        return art.rp() if art.id() is AnchorReturnTypeId.EveryN else 1

    @exclusive(afresh=True)
    def loadEngineAndConnectStreams(self) -> None:
        """Loads the program on the device, with the host's weights."""
        self._prepared("loadEngineAndConnectStreams").load(self.deviceInfo.device)
        self.weightsFromHost()
        if self._drawsRandomNumbers():
            self._engine.writeTensor(RANDOM_SEED, self._host[RANDOM_SEED])

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
        """Runs one step. Raises StepIOError for an array that is missing or does not fit.

        The message of an error begins with `debugName`.
        """
        if debugName.__class__ is not str:
            debugName = fitted("Session.run", "debugName", debugName, str)
        lock = self.lock
        with lock.rlock:
            if lock.refused:
                self.refuse("run")
            lock.refused = IN_STEP
            try:
                engine = self._engine or self._prepared("run")
                if isinstance(stepio, PyStepIOCallback):
                    self._runWithCallbacks(stepio)
                    return
                try:
                    given = stepio.inputs
                except AttributeError:
                    fitted("Session.run", "stepio", stepio, PyStepIO | PyStepIOCallback)
                    raise
                try:
                    if not self._isSynthetic:
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
                    # The streams stand somewhere inside a step: they begin anew with the next one.
                    for port in (*self._inputs, *self._outputs):
                        port.array = UNBOUND
                    if self._isSynthetic:
                        for port in self._inputs:
                            port.stage()
                    if isinstance(error, PopirError):
                        raise self._owners.told(error) from None
                    raise
                for port in self._outputs:
                    if port.array is UNBOUND:
                        port.finish(given[port.id])
            except PopirError as error:
                if debugName:
                    error.args = (f"{debugName}: {error}", *error.args[1:])
                raise
            finally:
                lock.refused = ""

    def _missing(self, id: str, given: Mapping[str, Array]) -> StepIOError:
        isInput = any(port.id == id for port in self._inputs)
        kind = "input" if isInput else "anchor"
        return StepIOError(
            f"The step's {kind} '{id}', {self.getInfo(id)}, was not given; given were the {kind}s "
            f"{', '.join(repr(name) for name in given) or '(none)'}.{did_you_mean(id, given)}"
        )

    def _runWithCallbacks(self, stepio: PyStepIOCallback) -> None:
        for port in self._inputs:
            if self._isSynthetic:
                continue
            buffer = port.stage()
            for n in range(len(buffer)):
                array = stepio.inputCallback(port.id, False)
                port.checkBatch(array)
                port.fill(buffer[n : n + 1], array)
                stepio.inputCompleteCallback(port.id)
        staged = [(port, port.stage()) for port in self._outputs]
        try:
            self._engine.run(0)
        except PopirError as error:
            raise self._owners.told(error) from None
        for port, buffer in staged:
            for n in range(port.period - 1, len(buffer), port.period):
                array = stepio.outputCallback(port.id)
                port.checkBatch(array)
                port.spill(buffer[n : n + 1], array)
                stepio.outputCompleteCallback(port.id)

    # Random numbers.

    @exclusive()
    def setRandomSeed(self, seed: int) -> None:
        """Starts the random numbers anew, from a seed of up to 64 bits.

        The same seed gives the same numbers. It changes with each batch. Without a call it begins
        at 0, or where the training stopped that saved the model.
        """
        value = np.array([seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF], np.uint32)
        engine = self._prepared("setRandomSeed")
        if self._drawsRandomNumbers():
            engine.writeTensor(RANDOM_SEED, value)

    @exclusive()
    def getRandomSeed(self) -> int:
        """The seed of the next batch; 0 if the model draws no random numbers."""
        value = np.zeros(2, np.uint32)
        engine = self._prepared("getRandomSeed")
        if self._drawsRandomNumbers():
            engine.readTensor(RANDOM_SEED, value)
        return int(value[0]) | int(value[1]) << 32

    def _drawsRandomNumbers(self) -> bool:
        return self._step is not None and RANDOM_SEED in self._step.variables

    def hostBytes(self) -> int:
        """The bytes of host memory that a prepared session takes: the program's, those of constants
        and weights, and the arrays of the last step.
        """
        held = (t.data.nbytes for t in self.graph.tensors.values() if t.data is not None)
        arrays = [*self.graph.inputs, *self.dataFlow.anchors()]
        steps = self.dataFlow.batchesPerStep() * sum(self.getInfo(id).nbytes() for id in arrays)
        return sum(held) + steps + (self._engine.arenaBytes() if self._engine else 0)

    # What the machine says.

    @exclusive()
    def getReport(self) -> MachineReport:
        """What a step costs on the simulated machine; worked out when asked for."""
        return MachineReport.of(self._prepared("getReport"))

    def getCycleCount(self, id: str = "") -> int:
        """Tile cycles of a step, as estimated.

        Raises popart_exception for an `id`: parts of a step are not counted by themselves.
        """
        if id:
            raise popart_exception(
                f"getCycleCount(id={id!r}): only the whole step is counted; leave id out. "
                "getReport() and getProfile() have the cycles of its parts."
            )
        return self.getReport().cycles

    def getSummaryReport(self, resetProfile: bool = True) -> str:
        """The report as text, worked out from the program alone: `resetProfile` has nothing to
        reset.
        """
        return self.getReport().summary

    @exclusive()
    def getProfile(self, progress: Logger | None = None) -> Profile:
        """The same by the model's operators, to be kept, shown as a page or as a trace.

        `progress` hears how many steps of the program are costed.
        """
        report = MachineReport.of(self._prepared("getProfile"), progress=progress)
        return Profile.of(report, self.graph, self.name, self._compilation.loss)

    @exclusive()
    def getHostProfile(self) -> HostProfile:
        """The host's time by instruction, over all runs so far.

        Raises poplar_profiling_disabled unless the session was made with
        `SessionOptions.engineOptions["host.profile"] = "true"`.
        """
        return HostProfile.of(self._prepared("getHostProfile"), self.graph)

    @exclusive()
    def connectHostFunction(
        self, functionHandle: str, callback: Callable[[list[Array], list[Array]], None]
    ) -> None:
        """Says what a host function does that an operator called with poplar::program::Call.

        Args:
            functionHandle: what the operator called it.
            callback: of the flattened inputs, to read, and outputs, to fill.

        Raises poplar_runtime_error for a handle that no operator made.
        """
        engine = self._prepared("connectHostFunction")
        engine.connectHostFunction(functionHandle, callback)

    # Weights.

    @exclusive()
    def weightsFromHost(self) -> None:
        """Copies the host's weights and states to the device."""
        engine = self._prepared("weightsFromHost")
        for id in self._variables():
            engine.writeTensor(id, self._host[id])

    @exclusive()
    def weightsToHost(self) -> None:
        """Copies the device's weights and states to the host, where `readWeights` finds them."""
        engine = self._prepared("weightsToHost")
        for id in self._variables():
            engine.readTensor(id, self._host[id])

    def _variables(self) -> list[str]:
        """The weights and states on the device."""
        assert self._step is not None
        return [id for id in self._step.variables if id != RANDOM_SEED]

    @exclusive()
    def readWeights(self, weights: PyWeightsIO) -> None:
        """Copies the host's weights into the arrays given, which must fit (popart_exception)."""
        for id, array in weights.weights.items():
            np.copyto(array, self._host.like(id, array))

    @exclusive()
    def writeWeights(self, weights: PyWeightsIO) -> None:
        """Copies the arrays given to the host's weights; `weightsFromHost` takes them further."""
        for id, array in weights.weights.items():
            np.copyto(self._host.like(id, array), array)

    @exclusive()
    def resetHostWeights(
        self, model: Any, ignoreWeightsInModelWithoutCorrespondingHostWeight: bool = False
    ) -> None:
        """Takes the host's weights from the initializers of another model.

        Raises popart_exception for an initializer that is no weight here, unless told to ignore it.
        """
        self._host.take(importModel(model), ignoreWeightsInModelWithoutCorrespondingHostWeight)

    @exclusive()
    def modelToHost(self, filename: str | os.PathLike[str]) -> None:
        """Writes the model with the weights as they are on the device; the file appears whole or
        not at all.

        A TrainingSession writes the optimizer's state and the random seed too, as initializers
        (`Accl___w`, `randomSeed___fromHost`): one that is made of the file goes on where this one
        stopped, bit for bit. A loss of ai.graphcore, which other tools do not have, lies apart with
        its inputs, in the model's training_info: they run the rest, sessions find it there.

        Weights that came from a file beside the model go to `FILENAME.DIGEST.data`, beside the new
        one; so do all if they are too large for the model's own file. Raises ModelError if a file
        cannot be written.
        """
        path = require_path("modelToHost", filename)
        if self._engine is not None:
            self.weightsToHost()
            if self._drawsRandomNumbers():
                self._engine.readTensor(RANDOM_SEED, self._host[RANDOM_SEED])
        self._skeleton.save(self._host, path)

    @exclusive()
    def updateExternallySavedTensorLocations(self, fromLocation: str, toLocation: str) -> None:
        """Makes `modelToHost` write the weights that the model has in the file `fromLocation` to
        the file `toLocation`, which must be in the folder of the new model or below.

        Raises popart_exception if the model has none in that file.
        """
        self._skeleton.redirect(fromLocation, toLocation)


def _engineOptions(options: SessionOptions) -> dict[str, str]:
    """The engine's options, without those that have no meaning, of which a warning is given.

    Raises poplar_invalid_option for one that there is not, or for a value that it does not take.
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
    """Runs a model forwards.

    Args:
        fnModel: the model: a file's path, its bytes, or a ModelProto.
        dataFlow: batches per step, and the tensors to return.
        deviceInfo: where it runs.
        evaluationMode: normalisation and dropout nodes that run as in evaluation, whatever the
            model says: names, or patterns with *, ? and [...].

    Raises what importing and compiling raise; AnchorError for an anchor that is no tensor of the
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
    """Runs a model forwards and backwards, and updates its weights after each batch.

    Args:
        fnModel: the model: a file's path, its bytes, or a ModelProto.
        dataFlow: batches per step, and the tensors to return; `Gradient___x` is the gradient of x.
        loss: the id of the tensor to minimise; it has one element.
        optimizer: how the weights are updated.
        deviceInfo: where it runs.
        trained, frozen: names of initializers, or patterns with *, ? and [...]: what to train and
            what to leave as it is, whatever the rule says that `popir.trainable` states.
        trainingMode, evaluationMode: normalisation and dropout nodes that run as in training, or as
            in evaluation, whatever the model says: names, or patterns with *, ? and [...]. The
            saved model says what it said before.

    Raises what importing and compiling raise; AnchorError for an anchor that is no tensor of the
    model; MissingGradientError where the loss depends on a weight through an operator without a
    gradient.
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
        """What becomes of each initializer of the model: trained, state or constant, and why."""
        return self._compilation.choices

    @exclusive()
    def updateOptimizerFromHost(self, optimizer: Optimizer) -> None:
        """Takes over the values of another optimizer that may change.

        Raises popart_exception if it differs in a value that was compiled in, or has one that the
        tensor of its type cannot hold.
        """
        assert self._optimizer is not None
        self._optimizer.checkReplacement(optimizer)
        values: dict[str, float] = {}
        for id, (name, weight) in self._compilation.scalars.items():
            value = values[id] = optimizer.value(name, weight)
            where = f" of '{weight}'" if weight else ""
            requireFinite(f"The optimizer's {name}{where}", value, self.getInfo(id).dataType())
        for id, value in values.items():
            self._host[id][...] = value
            if self._step is not None and id in self._step.variables:
                self._engine.writeTensor(id, self._host[id])
