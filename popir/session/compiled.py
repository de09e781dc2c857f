"""The first part of a session: the model, compiled for a device.

Long, because a session of a model and one of graphs that a program has made are made here, by the
same steps.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from popir import budget, collector, memory
from popir.budget import Budget
from popir.compiler import (
    GIVEN,
    STAGES,
    Compilation,
    check_library_transforms,
    compile,
    differentiated,
    getHash,
)
from popir.dataflow import AnchorReturnTypeId, DataFlow
from popir.devices import DeviceInfo
from popir.dot import ALL, DotOptions
from popir.enums import (
    IrSerializationFormat,
    SyntheticDataMode,
    VirtualGraphMode,
)
from popir.errors import (
    LeavesDeviceError,
    UnwritableError,
    did_you_mean,
    popart_exception,
)
from popir.exclusive import Exclusive
from popir.files import write
from popir.ir import Graph, verify
from popir.ir.graph import called_graphs
from popir.ir.serialise import to_json
from popir.ir.text import print_graph
from popir.onnxio.importer import import_model
from popir.onnxio.living import living
from popir.onnxio.load import Loaded, load_apart
from popir.onnxio.modes import in_modes
from popir.onnxio.proto import NodeProto
from popir.onnxio.skeleton import Skeleton
from popir.onnxio.training_form import in_training_form
from popir.onnxio.training_info import Training, joined
from popir.ops.contraction.options import apply_contraction_options
from popir.optimizers import Optimizer
from popir.options import SessionOptions, warn
from popir.options.annotations import check_annotations
from popir.patterns import Patterns
from popir.progress import Progress
from popir.reserved import OF_SESSION, RANDOM_SEED, weight_of_state
from popir.session.requests import (
    accumulation,
    by_io_tiles,
    check_io_tiles,
    engine_options,
    instances,
    locations,
    loss_scaling,
    outlining,
    overlaps,
    phases,
    serialization,
    tell_what_trains,
    unused_annotations,
    verifies_each,
    why_not_outlined,
)
from popir.step import ByIOTiles, Loops, Returned
from popir.trainable import Role
from popir.transforms.decision import Decision
from popir.transforms.inplace import check_preferences
from popir.transforms.phases import place_phases
from popir.typed import fitted, shown, typed
from popir.types import TensorInfo
from popir.virtual_graphs import check_virtual_graphs, split_over_ipus
from popir.weights import HostWeights

Array = np.ndarray[Any, Any]

RETURNED = {
    AnchorReturnTypeId.All: Returned.Each,
    AnchorReturnTypeId.EveryN: Returned.Each,
    AnchorReturnTypeId.Final: Returned.Last,
    AnchorReturnTypeId.Sum: Returned.Sum,
}


@typed
class Compiled(Exclusive):
    """A model that is compiled for a device by the constructor, with what can be asked of it."""

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
        self._device = deviceInfo.ofReplica(self.options.replicatedGraphCount)
        """The device of one replica."""
        self._peers = instances(self.options)
        """The other instances of the program, if they have replicas of the model."""
        self._engine_options = engine_options(self.options)
        self._loops_itself = False
        """Whether the loops of a step are operators of the graph, which a program has made."""
        self._is_placed = (
            self.options.virtualGraphMode is not VirtualGraphMode.Off and self._device.numIpus > 1
        )
        check_io_tiles(self.options, self._device, self._is_placed)
        self._is_synthetic = self.options.syntheticDataMode is not SyntheticDataMode.Off
        self._progress = Progress(
            self.options.compilationProgressLogger, self.options.compilationProgressTotal
        )
        self.name = name
        self._optimizer = optimizer
        self._modes = (trainingMode, evaluationMode)
        self._anchor_shapes: list[tuple[str, list[int], np.dtype[Any]]] | None = None
        self._budget: Budget
        """The limit of work for compiling and preparing together; see `popir.budget`."""
        self._host: HostWeights
        """The host's copy of each weight and state."""
        self._skeleton: Skeleton | None
        """The model without its weights; None for a graph that a program has made."""
        with memory.guarded(f"Compiling the session '{name}'"):
            if isinstance(fnModel, Graph):
                self._take(fnModel)
            else:
                why = "the loops over the batches of a step stand around the graph of a model"
                self.options.tell("enableExplicitMainLoops", why)
                self._compile(fnModel, inputShapeInfo, patterns, loss, optimizer, trained, frozen)
            if self.options.logDir:
                self._write_logs(Path(self.options.logDir))

    def _take(self, graph: Graph) -> None:
        """Compiles a graph that a program in C++ has made: it is lowered as it is. Its operators
        say how weights are updated, and nothing is outlined or rewritten.

        Raises popart_exception for options that cut or move a graph.
        """
        asked = self.options
        refused = {
            "enablePipelining": asked.enablePipelining,
            "enableGradientAccumulation": asked.enableGradientAccumulation
            and not asked.enableExplicitMainLoops,
            "virtualGraphMode = Auto": asked.virtualGraphMode is VirtualGraphMode.Auto,
            "executionPhaseSettings": phases(asked),
            "batchSerializationSettings": serialization(asked) is not None,
            "experimentalSettings.customTransformApplierSettings": any(
                asked.experimentalSettings.customTransformApplierSettings.values()
            ),
            "automaticLossScalingSettings": asked.automaticLossScalingSettings.enabled,
        }
        for name in (name for name, is_asked in refused.items() if is_asked):
            raise popart_exception(
                f"SessionOptions.{name}: a graph that the program has made is lowered as it is; "
                "the compiler changes those of models alone. Leave the option as it is by default, "
                "and make such a graph."
            )
        self._loops_itself = asked.enableExplicitMainLoops
        graph.session_options = asked
        graph.replicas = asked.getGlobalReplicationFactor()
        self._nodes = sum(len(each.ops) for each in called_graphs(graph))
        self._budget = Budget(f"Compiling the session '{self.name}'", self._nodes)
        with self._budget.spending(), collector.run_seldom(self._nodes):
            self._compilation = Compilation(
                graph,
                self.dataFlow.anchors(),
                verifies_each=verifies_each(self._engine_options),
                rounds_stochastically=asked.enableStochasticRounding,
                is_placed=self._is_placed,
                dots=self._dots(STAGES[-1:]),
            )
            compile(self._compilation, self._progress.stage(0.1, 0.4), GIVEN)
        self._host = HostWeights(graph)
        self._skeleton = None

    def _dots(self, stages: Sequence[str]) -> DotOptions | None:
        """Which files for graphviz are asked for; told are those that none of the stages writes."""
        others = {*self.options.dotChecks} - {*stages, ALL}
        if others:
            why = f"{shown(sorted(others))}: files are written at {', '.join(stages)}"
            self.options.tell("dotChecks", why)
        return DotOptions.of(self.options)

    def _imported(
        self,
        loaded: Loaded,
        inputShapeInfo: Mapping[str, TensorInfo] | None,
        nodes: Sequence[NodeProto] | None,
        loss: str | None,
    ) -> Graph:
        """The graph of the model; without what no result depends on, if that leaves the device."""
        anchors = self.dataFlow.anchors()
        asked = differentiated(anchors)
        try:
            return import_model(loaded, inputShapeInfo, nodes, asked, self.options)
        except LeavesDeviceError:
            graph = loaded.model.graph
            given = graph.node if nodes is None else nodes
            ends = [*(value.name for value in graph.output), *anchors, *asked, loss or ""]
            needed = living(given, ends)
            if len(needed) == len(given):
                raise
        return import_model(loaded, inputShapeInfo, needed, asked, self.options)

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
        asked = self.options
        check_library_transforms(asked.experimentalSettings.customTransformApplierSettings)
        self._progress.reach(0)
        anchors = self.dataFlow.anchors()
        loaded = joined(load_apart(fnModel), [*anchors, loss] if loss else anchors)
        if loss is not None:
            loaded = in_training_form(loaded)
        self._budget = Budget(f"Compiling the session '{self.name}'", loaded.nodes)
        self._nodes = loaded.nodes
        with self._budget.spending(), collector.run_seldom(self._nodes):
            nodes = in_modes(loaded.model, *self._modes)
            graph = self._imported(loaded, inputShapeInfo, nodes, loss)
            budget.done()
            infos = {id: t.info for id, t in graph.tensors.items() if t.info is not None}
            check_annotations(
                (
                    (op.debugName(), op.source == "built in", op.settings.nodeAttributes)
                    for op in graph.ops.values()
                    if op.settings.nodeAttributes
                ),
                unused_annotations(asked),
            )
            check_preferences(graph)
            apply_contraction_options(graph, self.options)
            mode, ipus = self.options.virtualGraphMode, self._device.numIpus
            check_virtual_graphs(graph, mode, ipus)
            tell_what_trains(asked, optimizer is not None)
            is_phased = phases(asked)
            if is_phased:
                settings = asked.executionPhaseSettings
                place_phases(graph, settings.phases, settings.stages)
            if mode is VirtualGraphMode.Auto:
                split_over_ipus(graph, ipus, self.options.virtualGraphSplitRatios)
            is_overlapped = overlaps(asked, self._device, self._is_placed, optimizer is not None)
            self._compilation = Compilation(
                graph,
                anchors,
                patterns or Patterns(),
                loss,
                optimizer,
                outlining(asked, self._device, self._is_placed),
                trained,
                frozen,
                verifies_each(self._engine_options),
                self.options.enableStochasticRounding,
                accumulation(asked, optimizer is not None, self._is_placed or is_phased),
                loss_scaling(asked, optimizer),
                self.options.autoRecomputation,
                self._is_placed,
                self.options.enablePipelining,
                is_overlapped,
                serialization=serialization(asked),
                is_phased=is_phased,
                locations=locations(asked, is_overlapped),
                flow=self.dataFlow,
                library_transforms=asked.experimentalSettings.customTransformApplierSettings,
                dots=self._dots(STAGES),
            )
            compile(self._compilation, self._progress.stage(0.1, 0.4))
            self._by_io()
            if self.options.enablePipelining:
                self._check_depth()
            if optimizer is not None:
                self._check_specific(optimizer)
            if self._compilation.outlining is None:
                self._compilation.decisions.append(
                    Decision("the model", "outlining", why_not_outlined(asked, self._is_placed))
                )
        self._host = HostWeights(graph)
        if loss is None:
            self._skeleton = Skeleton(loaded, self._host.of_groups(), graph.saved)
        else:
            training = Training(loss, self._compilation.weights, infos)
            left = self._left_states()
            saved = [id for id in graph.saved if id not in left]
            dropped = {*self._unused(), *left}
            self._skeleton = Skeleton(loaded, self._host.of_groups(), saved, dropped, training)

    def _run_on(self, deviceInfo: DeviceInfo, name: str) -> None:
        """Takes another device and name than those that the model was compiled with; for graphs of
        a program in C++. Raises popart_exception for a device of another number of IPUs.
        """
        if deviceInfo.numIpus != self.deviceInfo.numIpus:
            raise popart_exception(
                f"The graphs of the session '{name}' were prepared for a device of "
                f"{self.deviceInfo.numIpus} IPUs; given is {deviceInfo}, of {deviceInfo.numIpus}. "
                "Give as many, or prepare them for this device."
            )
        self.deviceInfo, self.name = deviceInfo, name
        self._device = deviceInfo.ofReplica(self.options.replicatedGraphCount)

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
        """The loops of a step, around the graph."""
        if self._loops_itself:
            return Loops()
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

    def _left_states(self) -> set[str]:
        """The optimizer's states if they do not go to the host with the weights."""
        if not self.options.disableOptimizerStateTensorStreams:
            return set()
        return {id for id in self._host if weight_of_state(id) in self.graph.tensors}

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

    def _write_logs(self, folder: Path) -> None:
        """Writes the compiled graphs and the transforms' decisions as text to `folder`."""
        graphs = [print_graph(graph) for graph in called_graphs(self.graph)]
        lines = [f"{decision}\n" for decision in self.decisions]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write(folder / f"{self.name}.graph.txt", "\n".join(graphs))
            write(folder / f"{self.name}.decisions.txt", "".join(lines))
        except OSError as error:
            raise UnwritableError(
                f"SessionOptions.logDir = {shown(self.options.logDir)}: the logs of the session "
                f"'{self.name}' cannot be written there: {error.strerror} ({error.filename})."
            ) from error

    @property
    def graph(self) -> Graph:
        """The graph after all compiler passes."""
        return self._compilation.graph

    def checkInplacingAmbiguity(self) -> None:
        """Checks the compiled graphs: what overwrites a tensor runs after all that read it, so that
        results do not depend on the order. PopART's `Session.checkInplacingAmbiguity`.

        Raises VerificationError, naming the operators, if there is no such order.
        """
        verify(self.graph)

    def getInfo(self, id: str) -> TensorInfo:
        """Type and shape of a tensor of the compiled graph; of the whole, where replicas have
        shards. PopART's `Session.getInfo`.

        Raises popart_exception if there is no tensor of that id.
        """
        if (sharding := self.graph.sharded.get(id)) is not None:
            return TensorInfo(sharding.values)
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

    def _hash_text(self) -> str:
        """`getHash` as a text, for C++: its numbers have a sign."""
        return str(self.getHash())

    def _identity(self) -> dict[str, str]:
        """What the instances of a program must have in common, as texts by name: `getHash` and,
        before it, what a user would look for.
        """
        optimizer = self._optimizer
        parts: dict[str, Any] = {"the device": self.deviceInfo} | {
            f"SessionOptions.{name}": value for name, value in self.options.compiled().items()
        }
        parts["the number of batches per step"] = self.dataFlow.batchesPerStep()
        parts["the list of anchors"] = sorted(self.dataFlow.anchors())
        if optimizer is not None:
            described = optimizer.description()
            parts["the kind of the optimizer"] = described.pop("kind")
            parts |= {f"the optimizer's {name}": value for name, value in described.items()}
        numbers = self._compilation.scalars
        ids = [*self.graph.inputs, *(id for id in self._host if id not in numbers)]
        parts |= {f"'{id}'": self.getInfo(id) for id in ids}
        parts |= {f"'{id}'": self._host[id] for id in numbers}
        parts["the compiled graph (by hash)"] = self.getHash()
        return {name: str(value) for name, value in parts.items()}

    def _hash(self, device: str) -> int:
        anchors = self.dataFlow.anchors()
        returned = {id: (self.dataFlow.art(id).id(), self.dataFlow.rows(id)) for id in anchors}
        flow = (self._loops(), returned, self._by_io())
        return getHash(self._compilation, (self.options.compiled(), flow, device))

    def _by_io(self) -> ByIOTiles:
        return by_io_tiles(self.graph.exchanges, self.dataFlow, self.options)

    def getTensorIds(self) -> set[str]:
        """The ids of all tensors of the compiled graph."""
        return set(self.graph.tensors)

    getAllTensorIds = getTensorIds

    @property
    def replicationFactor(self) -> int:
        """The number of replicas of the model in this process."""
        return self.options.replicatedGraphCount

    @property
    def accumulationFactor(self) -> int:
        """The number of batches whose gradients are added before an update."""
        return self.options.accumulationFactor

    def _serializeIr(self, format: IrSerializationFormat = IrSerializationFormat.JSON) -> str:
        """The compiled graphs in the form of `popir.ir.serialise`. PopART's method of this name."""
        fitted("Session._serializeIr", "format", format, IrSerializationFormat)
        anchors = self.dataFlow.anchors() if self.options.useHostCopyOps else None
        return to_json(self.graph, anchors)

    def initAnchorArrays(self) -> dict[str, Array]:
        """A new, uninitialised array for each anchor, by id, with the shape that a step returns and
        the numpy type of the tensor.

        The shape is the tensor's. If a step returns n > 1 values, a leading dimension n is added,
        and another one for those of n > 1 batches that are accumulated for each update. Example: an
        anchor FLOAT[2, 3] with "All" and 4 batches per step gives float32 [4, 2, 3]; with an
        accumulation factor of 5, [4, 5, 2, 3]. Several replicas add their dimension right before
        the tensor's: with 2 of them, [4, 5, 2, 2, 3].

        Raises popart_exception if the period of an EveryN anchor does not divide the batches per
        step.
        """
        if self._anchor_shapes is None:
            self._anchor_shapes = [self._anchor_shape(id) for id in self.dataFlow.anchors()]
        return {id: memory.uninitialised(shape, of) for id, shape, of in self._anchor_shapes}

    def _anchor_shape(self, id: str) -> tuple[str, list[int], np.dtype[Any]]:
        info, rows = self.getInfo(id), self.dataFlow.rows(id)
        shape = info.shape()
        if self.replicationFactor > 1:
            shape = [self.replicationFactor, *shape]
        within = self._loops().within(self.graph, id)
        if within > 1 and RETURNED[self.dataFlow.art(id).id()] is Returned.Each:
            shape = [within, *shape]
        return id, shape if rows is None else [rows, *shape], info.dataType().numpy
