"""Every public function refuses what is of a wrong type, with an error of popir's.

`RIGHT` has a call of each that is right. In it one argument at a time is replaced by each of
`OTHERS`, values of many types: one of a type that does not belong there must raise PopirError, and
whatever is given, nothing else may come out than a result or a PopirError. What belongs there
follows from the right value, not from the annotations that popir checks by. So are `EXTREMES` of
the right type given.

Long, because `RIGHT` has a row for every public function.
"""

import enum
import inspect
import types
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import popir
import popir.backend
from popir import pattern
from popir.builder import popart_methods
from popir.definitions import Formal
from popir.ir import AttributeKind, OpSettings
from popir.onnxio import schemas
from popir.ops.update.var_update import Given
from popir.optimizers import OptimizerValueMap
from popir.options.table import Settings
from popir.types import DataType

Arguments = dict[str, Any]
Call = tuple[Callable[..., Any], Arguments]


class Thing:
    """An object of a class that nobody knows."""

    def __repr__(self) -> str:
        return "a thing"


OTHERS: Mapping[str, Any] = {
    "int": 3,
    "float": 2.5,
    "complex": 1j,
    "bool": True,
    "str": "zz",
    "bytes": b"zz",
    "None": None,
    "ints": [3],
    "strs": ["zz"],
    "things": [Thing()],
    "dict": {3: 3},
    "by name": {"zz": Thing()},
    "thing": Thing(),
    "class": Thing,
    "array": np.ones((2, 2), np.float32),
}
"""By a word for its type, a value. Names in them are those of nothing that is there."""


EXTREMES: Mapping[str, list[Any]] = {
    "int": [-1, 0, 1 << 31, 1 << 63, -(1 << 63), 1 << 70],
    "float": [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e-320, 1e308],
    "str": ["", "\0", "\udc80", "a" * 300, "a\nb"],
    "ints": [[], [-1], [1 << 63], [1 << 70], [0] * 100],
    "strs": [[], [""], ["\udc80"], ["zz", "zz"]],
    "array": [np.ones(0), np.array(3), np.array([None]), np.array("a")],
}
"""By a word for their type, values that few can take. They may be right, or refused by popir."""
ARRAYS = [np.zeros(0), np.array(3)]
"""What may pass for an empty list, or for a number, and has its own mind about truth and length."""


@dataclass
class Or:
    """A right value, and the types that belong in its place besides its own."""

    value: Any
    types: set[str]

    def __init__(self, value: Any, *types: str) -> None:
        self.value = plain(value)
        self.types = fitting(value) | set(types)


def plain(value: Any) -> Any:
    """A right value without what is said about it."""
    return value.value if isinstance(value, Or) else value


ANYTHING = tuple(OTHERS)
"""For what may be of any type, or is looked at later: it must not end in a foreign error."""


def fitting(value: Any) -> set[str]:
    """The types that belong where a value is right."""
    if isinstance(value, Or):
        return value.types
    if isinstance(value, bool):
        return {"bool"}
    if isinstance(value, int):
        return {"int"}
    if isinstance(value, float):
        return {"int", "float"}
    if isinstance(value, str):
        return {"str"}
    if isinstance(value, Path):
        return {"str"}
    if isinstance(value, (list, tuple)):
        kinds = {type(each) for each in value}
        return {"ints"} if kinds == {int} else {"strs"} if kinds == {str} else set()
    if isinstance(value, np.ndarray):
        return {"array"}
    if callable(value):
        return {"class"}
    return set()


# The right calls.


def ids(value: str) -> Or:
    """The outputs of a node: one, or a list."""
    return Or(value, "strs")


class SquareOp(popir.Op):
    """An operator of a user's."""

    def setup(self) -> None:
        """As the input."""
        self.setOutInfo(0, self.inInfo(0))


@pytest.fixture(autouse=True)
def no_pattern_stays() -> Iterator[None]:
    """Removes the patterns that a test registers: others list those that there are."""
    before = {entry.name for entry in pattern.entries()}
    yield
    for entry in pattern.entries():
        if entry.name not in before:
            pattern.remove(entry.name)


class Leave(popir.Rewrite):
    """A pattern of a user's."""

    def pattern(self, op: popir.Op) -> bool:
        """Nothing."""
        return False


MANAGER = popir.DeviceManager()
CPU = MANAGER.createCpuDevice()
BY_ID: Arguments = {
    "id": 3,
    "pattern": popir.SyncPattern.Full,
    "connectionType": popir.DeviceConnectionType.OnDemand,
}
ACQUIRED: Arguments = {
    "numIpus": 1,
    "tilesPerIpu": 4,
    "pattern": popir.SyncPattern.Full,
    "connectionType": popir.DeviceConnectionType.Always,
    "selectionCriterion": popir.DeviceSelectionCriterion.First,
}
ART = popir.AnchorReturnType("All")
SQUARE = popir.OperatorIdentifier("com.acme", "SquareOfArguments", 1)
FLOATS = np.ones((2, 2), np.float32)
FLOAT = popir.TensorInfo("FLOAT", [2, 2])


class World:
    """Something to call methods of, made anew for each call."""

    def __init__(self) -> None:
        self.builder = popir.Builder(opsets={"ai.onnx": 17})
        self.x = self.builder.addInputTensor("FLOAT", [2, 2], "x")
        self.w = self.builder.addInitializedInputTensor(FLOATS, "w")
        self.y = self.builder.aiOnnx.matmul([self.x, self.w])

    def noted(self, value: Any) -> str:
        """The output of a node with an attribute."""
        self.builder.addNodeAttribute("note", value, self.y)
        return self.y

    def annotated(self, what: str) -> str:
        """The output of a node with an annotation."""
        getattr(self.builder, what[0].lower() + what[1:])(self.y, 1)
        return self.y

    def op(self) -> popir.Op:
        """An operator in a graph, without output 1."""
        graph = popir.Graph()
        graph.addStream("x", FLOAT)
        graph.addActGrad("free")
        op = SquareOp(SQUARE, popir.Op.Settings(graph, "op"))
        return graph.createConnectedOp(lambda: op, {0: "x"}, {0: "y"})

    def detached(self) -> popir.Op:
        """An operator for the graph of `op`."""
        return SquareOp(SQUARE, popir.Op.Settings(popir.Graph(), "other"))


@cache
def model() -> bytes:
    """A product with a loss."""
    world = World()
    loss = world.builder.aiGraphcore.l1loss([world.y], 0.1, debugContext="loss")
    world.builder.addOutputTensor(loss)
    return world.builder.getModelProto()


def proto() -> onnx.ModelProto:
    """A model that the backend runs."""
    world = World()
    world.builder.addOutputTensor(world.y)
    return onnx.load_from_string(world.builder.getModelProto())


LOSS = "loss/L1:0"


@cache
def inference() -> popir.InferenceSession:
    """A session that is prepared."""
    session = popir.InferenceSession(model(), popir.DataFlow(1, [LOSS]), CPU)
    session.prepareDevice()
    return session


@cache
def training() -> popir.TrainingSession:
    """A training session that is prepared."""
    flow = popir.DataFlow(1, [LOSS])
    session = popir.TrainingSession(model(), flow, LOSS, popir.SGD(), CPU)
    session.prepareDevice()
    return session


def stepio() -> popir.PyStepIO:
    """The arrays of a step of `inference`."""
    return popir.PyStepIO({"x": FLOATS}, inference().initAnchorArrays())


def session_arguments() -> Arguments:
    """What both sessions take."""
    return {
        "fnModel": model(),
        "dataFlow": popir.DataFlow(1, [LOSS]),
        "deviceInfo": CPU,
        "inputShapeInfo": popir.InputShapeInfo(),
        "patterns": popir.Patterns(),
        "userOptions": popir.SessionOptions(),
        "name": "name",
        "evaluationMode": ["zz"],
    }


USER_OP: Arguments = {
    "outs": {"output_types": ["FLOAT"], "output_shapes": [[1]]},
    "name": "name",
    "op_name": "Build",
    "separate_gradients": False,
    "inputs_with_gradients": [0],
    "attributes": "zz",
    "gradient_attributes": "zz",
}
"""What operators for TensorFlow on the IPU take besides tensors and a library."""
PAIRS = {"defaultLearningRate": (0.1, True)}
SPECIFIC = {"learningRate": (0.1, True)}
NODE = onnx.helper.make_node("Relu", ["x"], ["y"])
RIGHT: dict[str, Callable[[World], Call]] = {
    "DataFlow": lambda _: (
        popir.DataFlow,
        {
            "batchesPerStep": 1,
            "anchorTensors": Or(["y"], "strs"),
            "anchorReturnType": ART,
            "anchorIds": ["x"],
        },
    ),
    "DataFlow.art": lambda _: (popir.DataFlow(1, ["y"]).art, {"id": "y"}),
    "DataFlow.isAnchored": lambda _: (popir.DataFlow(1, ["y"]).isAnchored, {"id": "y"}),
    "DataFlow.rows": lambda _: (popir.DataFlow(1, ["y"]).rows, {"id": "y"}),
    "DataFlow.setBatchesPerStep": lambda _: (
        popir.DataFlow(1).setBatchesPerStep,
        {"batchesPerStep": 2},
    ),
    "AnchorReturnType": lambda _: (
        popir.AnchorReturnType,
        {
            "anchorReturnTypeString": "EveryN",
            "returnPeriod": 2,
            "tileSet": popir.TileSet.Compute,
            "exchangeStrategy": popir.ExchangeStrategy.JustInTime,
        },
    ),
    "DeviceInfo": lambda _: (
        popir.DeviceInfo,
        {
            "type": popir.DeviceType.Cpu,
            "device": CPU.device,
            "version": "v",
            "id": 0,
            "connectionType": popir.DeviceConnectionType.Always,
        },
    ),
    "DeviceManager.createIpuModelDevice": lambda _: (
        popir.DeviceManager().createIpuModelDevice,
        {"options": {"numIPUs": 1}},
    ),
    "DeviceManager.createSimDevice": lambda _: (
        MANAGER.createSimDevice,
        {"options": {"numIPUs": 1}},
    ),
    "DeviceManager.createOfflineIPUDevice": lambda _: (
        MANAGER.createOfflineIPUDevice,
        {"opts": {"numIPUs": 1}},
    ),
    "DeviceManager.createOfflineIpuFromDeviceInfo": lambda _: (
        MANAGER.createOfflineIpuFromDeviceInfo,
        {"deviceInfo": CPU},
    ),
    "DeviceManager.createOfflineIpuFromSystemString": lambda _: (
        MANAGER.createOfflineIpuFromSystemString,
        {"system": "zz", "numIpus": 3},
    ),
    "DeviceManager.acquireAvailableDevice": lambda _: (
        MANAGER.acquireAvailableDevice,
        ACQUIRED,
    ),
    "DeviceManager.tryAcquireAvailableDevice": lambda _: (
        MANAGER.tryAcquireAvailableDevice,
        ACQUIRED,
    ),
    "DeviceManager.acquireDeviceById": lambda _: (MANAGER.acquireDeviceById, BY_ID),
    "DeviceManager.tryAcquireDeviceById": lambda _: (MANAGER.tryAcquireDeviceById, BY_ID),
    "DeviceManager.enumerateDevices": lambda _: (
        MANAGER.enumerateDevices,
        {
            "pattern": popir.SyncPattern.Full,
            "numIpus": 1,
            "deviceType": popir.DeviceType.Sim,
            "connectionType": popir.DeviceConnectionType.OnDemand,
            "tilesPerIPU": 4,
        },
    ),
    "DeviceManager.setOnDemandAttachTimeout": lambda _: (
        MANAGER.setOnDemandAttachTimeout,
        {"attachTimeout": 1},
    ),
    "syncPatternFromString": lambda _: (popir.syncPatternFromString, {"pattern": "full"}),
    "syncPatternToString": lambda _: (
        popir.syncPatternToString,
        {"pattern": popir.SyncPattern.Full},
    ),
    # Names, logs and what there is.
    "DebugContext": lambda _: (
        popir.DebugContext,
        {
            "debugInfo": Or(popir.DebugInfo("zz", "zz"), "str"),
            "name": "zz",
            "loc": popir.SourceLocation("f", "f.py", 3),
        },
    ),
    "DebugInfo": lambda _: (
        popir.DebugInfo,
        {"debugContext": Or(popir.DebugContext("zz"), "str"), "layer": "zz"},
    ),
    "DebugInfo.setValue": lambda _: (
        popir.DebugInfo("zz", "zz").setValue,
        {"name": "zz", "value": Or("zz", "strs")},
    ),
    "SourceLocation": lambda _: (
        popir.SourceLocation,
        {"functionName": "f", "fileName": "f.py", "lineNumber": 3},
    ),
    "initializePoplarDebugInfo": lambda _: (
        popir.initializePoplarDebugInfo,
        {"filename": "zz", "format": "json"},
    ),
    "getLogger": lambda _: (popir.getLogger, {"name": "all"}),
    "Logger": lambda _: (popir.Logger, {"name": "popir.zz"}),
    "Logger.setLevel": lambda _: (popir.Logger("popir.zz").setLevel, {"level": "OFF"}),
    **{
        f"Logger.{level}": lambda _, level=level: (
            getattr(popir.Logger("popir.zz"), level),
            {"message": "zz"},
        )
        for level in ("debug", "info", "warn", "error", "critical")
    },
    "getSupportedOperations": lambda _: (
        popir.getSupportedOperations,
        {"includeInternal": False},
    ),
    "getSupportedOperationsDefinition": lambda _: (
        popir.getSupportedOperationsDefinition,
        {"includeInternal": False},
    ),
    "getUnsupportedOperations": lambda _: (
        popir.getUnsupportedOperations,
        {"opsetVersion": 10},
    ),
    # Models.
    "GraphTransformer": lambda _: (
        popir.GraphTransformer,
        {"modelProtoOrFilename": Or(model(), "str")},
    ),
    "GraphTransformer.convertINT64ToINT32": lambda _: (
        popir.GraphTransformer(model()).convertINT64ToINT32,
        {"clip": False},
    ),
    "GraphTransformer.convertInitializersToConstants": lambda _: (
        popir.GraphTransformer(model()).convertInitializersToConstants,
        {"ids": ["w"]},
    ),
    "GraphTransformer.saveInitializersExternally": lambda _: (
        popir.GraphTransformer(model()).saveInitializersExternally,
        {"ids": ["w"], "filename": Path("weights.bin")},
    ),
    "NumericsReport": lambda _: (
        popir.NumericsReport,
        {name: Or(model(), "str") for name in ("A0", "A1", "B0", "B1")},
    ),
    "NumericsReport.report": lambda _: (
        popir.NumericsReport(*(model(),) * 4).report,
        {"id": "w"},
    ),
    "InputSettings": lambda _: (
        popir.InputSettings,
        {
            "tileSet": popir.TileSet.Compute,
            "exchangeStrategy": popir.ExchangeStrategy.JustInTime,
            "relicatedStreamMode": popir.ReplicatedStreamMode.Replicate,
        },
    ),
    "CommGroup": lambda _: (
        popir.CommGroup,
        {"type": popir.CommGroupType.All, "replicaGroupSize": 0},
    ),
    "VariableSettings": lambda _: (
        popir.VariableSettings,
        {
            "sharedVariableDomain_": popir.CommGroup(),
            "retrievalMode_": popir.VariableRetrievalMode.OnePerGroup,
        },
    ),
    "DeviceInfo.ofReplica": lambda _: (
        popir.DeviceManager().createCpuDevice().ofReplica,
        {"replicas": 2},
    ),
    "CommGroup.toReplicaGrouping": lambda _: (
        popir.CommGroup().toReplicaGrouping,
        {"numReplicas": 2},
    ),
    "VariableSettings.getReplicaGrouping": lambda _: (
        popir.VariableSettings().getReplicaGrouping,
        {"numReplicas": 2},
    ),
    "VariableSettings.numReplicasReturningVariable": lambda _: (
        popir.VariableSettings().numReplicasReturningVariable,
        {"replicaCount": 2},
    ),
    "VariableSettings.getGroupCount": lambda _: (
        popir.VariableSettings().getGroupCount,
        {"replicaCount": 2},
    ),
    "VariableSettings.getRealGroupSize": lambda _: (
        popir.VariableSettings().getRealGroupSize,
        {"replicaCount": 2},
    ),
    "VariableSettings.getGroupRepresentative": lambda _: (
        popir.VariableSettings().getGroupRepresentative,
        {"group": 0},
    ),
    "VariableSettings.groups": lambda _: (popir.VariableSettings().groups, {"replicaCount": 2}),
    "VariableSettings.shapeOnReplica": lambda _: (
        popir.VariableSettings().shapeOnReplica,
        {"shape": [2], "replicaCount": 2, "name": "w"},
    ),
    "VariableSettings.shapeOnHost": lambda _: (
        popir.VariableSettings().shapeOnHost,
        {"shape": [2], "replicaCount": 2},
    ),
    "getTensorInfo": lambda _: (popir.getTensorInfo, {"array": FLOATS}),
    "AutodiffSettings": lambda _: (
        popir.AutodiffSettings,
        {"stitchStrategy": popir.AutodiffStitchStrategy.RecomputeAllNonInputs},
    ),
    "TensorInfo": lambda _: (
        popir.TensorInfo,
        {"data_type": Or("FLOAT", "int", "array"), "shape": [2]},
    ),
    "TensorInfo.dim": lambda _: (FLOAT.dim, {"i": 0}),
    "InputShapeInfo.add": lambda _: (popir.InputShapeInfo().add, {"id": "x", "info": FLOAT}),
    "InputShapeInfo.has": lambda _: (popir.InputShapeInfo().has, {"id": "x"}),
    "ModelInFolder": lambda _: (
        popir.ModelInFolder,
        {"model": Or(b"", "bytes"), "folder": Path()},
    ),
    # Data of steps.
    "PyStepIO": lambda _: (popir.PyStepIO, {"inputs": {"x": FLOATS}, "outputs": {"y": FLOATS}}),
    "PyStepIO.enableRuntimeAsserts": lambda _: (stepio().enableRuntimeAsserts, {"enable": True}),
    "PyStepIOCallback": lambda _: (
        popir.PyStepIOCallback,
        {
            f"{name}_callback": print
            for name in ("input", "input_complete", "output", "output_complete")
        },
    ),
    "PyWeightsIO": lambda _: (popir.PyWeightsIO, {"weights": {"w": FLOATS}}),
    # Patterns.
    "Patterns": lambda _: (
        popir.Patterns,
        {"choice": Or(popir.PatternsLevel.All, "strs")},
    ),
    "Patterns.enablePattern": lambda _: (
        popir.Patterns().enablePattern,
        {"name": "PostNRepl", "enable": True},
    ),
    "Patterns.enableRuntimeAsserts": lambda _: (
        popir.Patterns().enableRuntimeAsserts,
        {"enable": True},
    ),
    "Patterns.isPatternEnabled": lambda _: (
        popir.Patterns().isPatternEnabled,
        {"name": "PostNRepl"},
    ),
    "Patterns.isUsed": lambda _: (
        popir.Patterns().isUsed,
        {"entry": pattern.entries()[0]},
    ),
    "PatternCreator": lambda _: (
        popir.PatternCreator,
        {
            "pattern": Leave,
            "name": "Leave",
            "enabled": False,
            "mandatory": False,
            "source": "python",
        },
    ),
    # Optimizers.
    "OptimizerValue": lambda _: (popir.OptimizerValue, {"val": 0.1, "isConst": True}),
    "OptimizerValueMap.get": lambda _: (popir.SGD().momentums().get, {"weight": "w"}),
    "OptimizerValueMap.hasSpecific": lambda _: (
        popir.SGD().momentums().hasSpecific,
        {"weight": "w"},
    ),
    "SGD": lambda _: (
        popir.SGD,
        {
            "values": PAIRS,
            "clip_norm_settings": Or([]),
            "accumulatorAndMomentum": popir.SGDAccumulatorAndMomentum.Combined,
            "accumType": DataType.UNDEFINED,
            "accl1Type": DataType.UNDEFINED,
            "debugContext": "name",
        },
    ),
    "ClipNormSettings": lambda _: (
        popir.ClipNormSettings,
        {"weightIds": ["w"], "maxNorm": 1.0, "is_all": False},
    ),
    "ClipNormSettings.clipWeights": lambda _: (
        popir.ClipNormSettings.clipWeights,
        {"weightIds": ["w"], "maxNorm": 1.0},
    ),
    "ClipNormSettings.clipAllWeights": lambda _: (
        popir.ClipNormSettings.clipAllWeights,
        {"maxNorm": 1.0},
    ),
    "SGD.insertSpecific": lambda _: (
        popir.SGD().insertSpecific,
        {"weight": "w", "values": SPECIFIC},
    ),
    "TableOptimizer.insertSpecific": lambda _: (
        popir.Adam().insertSpecific,
        {"weight": "w", "values": SPECIFIC},
    ),
    "TableOptimizer.withLearningRates": lambda _: (
        popir.SGD({"defaultLearningRate": (0.1, False)}).withLearningRates,
        {"factor": 0.5},
    ),
    "TableOptimizer.scalars": lambda _: (popir.SGD().scalars, {"weight": "w", "batches": 4}),
    **{
        f"{kind}.checkReplacement": lambda _: (
            popir.SGD().checkReplacement,
            {"other": popir.SGD()},
        )
        for kind in ("SGD", "TableOptimizer")
    },
    "TableOptimizer.addUpdate": lambda w: (
        popir.SGD().addUpdate,
        {"graph": weights(), "weight": "w", "given": Given("g")},
    ),
    **{
        f"{kind}.accumulator": lambda _: (
            popir.SGD().accumulator,
            {"weight": "w", "info": FLOAT},
        )
        for kind in ("SGD", "TableOptimizer", "Optimizer")
    },
    **{
        f"{kind}.tellUnused": lambda _: (
            popir.SGD().tellUnused,
            {"weights": {"w": DataType.FLOAT}, "accumulates": False},
        )
        for kind in ("TableOptimizer", "Optimizer")
    },
    "Adam": lambda _: (
        popir.Adam,
        {
            "values": PAIRS,
            "mode": popir.AdamMode.Lamb,
            "weight_decay_mode": popir.WeightDecayMode.Decay,
            "accum_type": DataType.UNDEFINED,
            "accl1_type": DataType.FLOAT,
            "accl2_type": DataType.FLOAT,
            "clip_norm_settings": Or([]),
            "scaled_optimizer_state": True,
            "debugContext": "name",
        },
    ),
    "Adaptive": lambda _: (
        popir.Adaptive,
        {
            "values": PAIRS,
            "mode": popir.AdaptiveMode.AdaDelta,
            "weight_decay_mode": popir.WeightDecayMode.Decay,
            "accum_type": DataType.UNDEFINED,
            "accl1_type": DataType.FLOAT,
            "accl2_type": DataType.FLOAT,
            "accl3_type": DataType.UNDEFINED,
            "rmsprop_tf_variant": True,
            "debugContext": "name",
        },
    ),
    "OptimizerValueMap": lambda _: (
        OptimizerValueMap,
        {"default": popir.OptimizerValue(0.1), "specific": {"w": popir.OptimizerValue(0.2)}},
    ),
    "Optimizer.isConstant": lambda _: (
        popir.SGD().isConstant,
        {"name": "lossScaling", "weight": "w"},
    ),
    "Optimizer.value": lambda _: (
        popir.SGD().value,
        {"name": "lossScaling", "weight": "w", "batches": 4},
    ),
    "ClipNormSettings.of": lambda _: (
        popir.ClipNormSettings(["w"], 1.0).of,
        {"weights": ["w"]},
    ),
    "ConstSGD": lambda _: (
        popir.ConstSGD,
        {
            "learning_rate": 0.1,
            "weight_decay": 0.1,
            "loss_scaling": 2.0,
            "clip_norm_settings": Or([]),
        },
    ),
    # Sessions.
    "InferenceSession": lambda _: (
        popir.InferenceSession,
        {**session_arguments(), "fnModel": Or(model(), "str")},
    ),
    "TrainingSession": lambda _: (
        popir.TrainingSession,
        {
            **session_arguments(),
            "fnModel": Or(model(), "str"),
            "loss": LOSS,
            "optimizer": popir.SGD(),
            "trained": ["w"],
            "frozen": Or([], "strs"),
            "trainingMode": Or([], "strs"),
            "evaluationMode": Or([], "strs"),
        },
    ),
    "Running.run": lambda _: (inference().run, {"stepio": stepio(), "debugName": "name"}),
    "Prepared.prepareDevice": lambda _: (inference().prepareDevice, {"loadEngine": True}),
    "Compiled.getInfo": lambda _: (inference().getInfo, {"id": "x"}),
    "RandomNumbers.setRandomSeed": lambda _: (inference().setRandomSeed, {"seed": 1}),
    "RandomNumbers.setRNGState": lambda _: (
        inference().setRNGState,
        {"rngValue": Or([3, 4], "ints")},
    ),
    "Reports.getCycleCount": lambda _: (inference().getCycleCount, {"id": ""}),
    "Reports.getSummaryReport": lambda _: (inference().getSummaryReport, {"resetProfile": True}),
    "Reports.getPodReport": lambda _: (inference().getPodReport, {"replicas": 2}),
    "Reports.getProfile": lambda _: (
        inference().getProfile,
        {"progress": lambda _a, _b: None, "replicas": 2},
    ),
    "Running.connectHostFunction": lambda _: (
        inference().connectHostFunction,
        {"functionHandle": "zz", "callback": print},
    ),
    "Weights.readWeights": lambda _: (
        inference().readWeights,
        {"weights": popir.PyWeightsIO({"w": FLOATS.copy()})},
    ),
    "Weights.writeWeights": lambda _: (
        inference().writeWeights,
        {"weights": popir.PyWeightsIO({"w": FLOATS})},
    ),
    "Weights.resetHostWeights": lambda _: (
        inference().resetHostWeights,
        {
            "model": Or(model(), "str"),
            "ignoreWeightsInModelWithoutCorrespondingHostWeight": False,
        },
    ),
    "Weights.modelToHost": lambda _: (inference().modelToHost, {"filename": Path("saved.onnx")}),
    "Weights.save": lambda _: (
        inference().save,
        {"folder": Path("checkpoint"), "data": None, "shards": 1},
    ),
    "Weights.load": lambda _: (inference().load, {"folder": Path("zz"), "data": None}),
    "Executables.compileAndExport": lambda _: (
        inference().compileAndExport,
        {"filename": Path("program")},
    ),
    "Executables.saveExecutable": lambda _: (
        inference().saveExecutable,
        {"path": Path("program"), "savePopartMetadata": True, "saveVariables": True},
    ),
    "Executables.saveVariables": lambda _: (inference().saveVariables, {"path": Path("weights")}),
    "Executables.loadExecutable": lambda _: (inference().loadExecutable, {"filename": Path("zz")}),
    "Weights.broadcastWeights": lambda _: (inference().broadcastWeights, {"rootRank": 0}),
    "Weights.updateExternallySavedTensorLocations": lambda _: (
        inference().updateExternallySavedTensorLocations,
        {"fromLocation": "a", "toLocation": "b"},
    ),
    "TrainingSession.updateOptimizerFromHost": lambda _: (
        training().updateOptimizerFromHost,
        {"optimizer": popir.SGD()},
    ),
    "SessionOptions.enableExplicitIR": lambda _: (
        popir.SessionOptions().enableExplicitIR,
        {"enable": False},
    ),
    # The builder.
    "Builder": lambda _: (
        popir.Builder,
        {"modelProtoOrFilename": Or(model(), "str"), "opsets": {"ai.onnx": 17}},
    ),
    "Builder.addInputTensor": lambda w: (
        w.builder.addInputTensor,
        {
            "tensorInfo": Or("FLOAT", "int"),
            "shape": [2],
            "settings": Or(popir.InputSettings(), "str", "None"),
            "debugContext": Or("name", "None"),
        },
    ),
    "Builder.addUntypedInputTensor": lambda w: (
        w.builder.createSubgraphBuilder().addUntypedInputTensor,
        {"debugContext": Or("name", "None")},
    ),
    "Builder.addInputTensorFromParentGraph": lambda w: (
        w.builder.createSubgraphBuilder().addInputTensorFromParentGraph,
        {"tensorId": w.x},
    ),
    "Builder.addInitializedInputTensor": lambda w: (
        w.builder.addInitializedInputTensor,
        {
            "initVal": FLOATS,
            "variableSettings": Or(popir.VariableSettings(), "str", "None"),
            "debugContext": Or("name", "None"),
        },
    ),
    "Builder.addOutputTensor": lambda w: (w.builder.addOutputTensor, {"outputName": w.y}),
    "Builder.customOp": lambda w: (
        w.builder.customOp,
        {
            "opName": "Own",
            "opVersion": 1,
            "domain": "com.acme",
            "inputs": [w.x],
            "attributes": {"a": 1},
            "numOutputs": 1,
            "name": Or("name", "None"),
        },
    ),
    "Builder.checkpointOutput": lambda w: (
        w.builder.checkpointOutput,
        {"nodeOutputNames": [w.y]},
    ),
    "Builder.reshape_const": lambda w: (
        w.builder.reshape_const,
        {
            "aiOnnx": w.builder.aiOnnx,
            "args": [w.y],
            "shape": [4],
            "debugContext": "name",
        },
    ),
    "Builder.saveModelProto": lambda w: (
        w.builder.saveModelProto,
        {"filename": Path("saved.onnx")},
    ),
    "Builder.saveInitializersExternally": lambda w: (
        w.builder.saveInitializersExternally,
        {"ids": [w.w], "filename": Path("weights")},
    ),
    "Builder.embedReplicationFactor": lambda w: (
        w.builder.embedReplicationFactor,
        {"replicationFactor": 2},
    ),
    "Builder.setGraphName": lambda w: (w.builder.setGraphName, {"name": "name"}),
    "Builder.isInitializer": lambda w: (w.builder.isInitializer, {"id": w.w}),
    "Builder.getTensorShape": lambda w: (w.builder.getTensorShape, {"id": w.x}),
    "Builder.getTensorDtypeString": lambda w: (w.builder.getTensorDtypeString, {"id": w.x}),
    "Core.nameScope": lambda w: (entered(w.builder.nameScope), {"name": "name"}),
    "Core.getNameScope": lambda w: (w.builder.getNameScope, {"name": "name"}),
    "Core.pushNameScope": lambda w: (w.builder.pushNameScope, {"name": "name"}),
    "Annotations.setAttribute": lambda w: (
        w.builder.setAttribute,
        {
            "attribute": "__a",
            "value": Or(3, "bool", "float", "str", "bytes", "ints", "strs", "array"),
        },
    ),
    **{
        f"Annotations.{method}Attribute": lambda w, method=method: (
            with_attribute(w, f"{method}Attribute"),
            {"attribute": "__a"},
        )
        for method in ("has", "get", "clear")
    },
    "Annotations.addNodeAttribute": lambda w: (
        w.builder.addNodeAttribute,
        {
            "attributeName": "note",
            "attributeValue": Or(3, "bool", "float", "str", "bytes", "ints", "strs", "array"),
            "nodeOutputNames": ids(w.y),
        },
    ),
    **{
        f"Annotations.{method}": lambda w, method=method, value=value: (
            getattr(w.builder, method),
            {"attributeName": "note", "nodeOutputNames": ids(w.noted(value))},
        )
        for method, value in {
            "nodeHasAttribute": 1,
            "removeNodeAttribute": 1,
            "getInt64NodeAttribute": 1,
            "getInt64VectorNodeAttribute": [1],
            "getFloatNodeAttribute": 1.0,
            "getFloatVectorNodeAttribute": [1.0],
            "getStringNodeAttribute": "a",
            "getStringVectorNodeAttribute": ["a"],
        }.items()
    },
    "Annotations.getAllNodeAttributeNames": lambda w: (
        w.builder.getAllNodeAttributeNames,
        {"nodeOutputNames": ids(w.y)},
    ),
    **{
        f"Annotations.{method}": lambda w, method=method, value=value: (
            getattr(w.builder, method),
            {"nodeOutputNames": ids(w.y), "value": value},
        )
        for method, value in {
            "virtualGraph": 1,
            "pipelineStage": 1,
            "executionPhase": 1,
            "recomputeOutput": 1,
            "recomputeOutputInBackwardPass": 1,
            "schedulePriority": 1.5,
        }.items()
    },
    **{
        f"Annotations.get{what}": lambda w, what=what: (
            getattr(w.builder, f"get{what}"),
            {"nodeOutputNames": ids(w.annotated(what))},
        )
        for what in ("VirtualGraph", "PipelineStage", "ExecutionPhase")
    },
    "Annotations.getRecomputeOutputInBackwardPass": lambda w: (
        w.builder.getRecomputeOutputInBackwardPass,
        {"nodeOutputNames": ids(w.y)},
    ),
    "Annotations.getPartialsType": lambda w: (
        w.builder.getPartialsType,
        {"nodeOutputName": ids(w.y)},
    ),
    "Annotations.outlineAttributes": lambda w: (
        entered(w.builder.outlineAttributes),
        {"attributes": {"key": "value"}},
    ),
    "Annotations.commGroup": lambda w: (entered(w.builder.commGroup), {"type": 0, "groupSize": 1}),
    "Annotations.setPartialsType": lambda w: (
        w.builder.setPartialsType,
        {"nodeOutputName": ids(w.y), "partialsType": "HALF"},
    ),
    "Annotations.setAvailableMemoryProportion": lambda w: (
        w.builder.setAvailableMemoryProportion,
        {"nodeOutputNames": ids(w.y), "proportion": 0.5},
    ),
    "Annotations.setEnableConvDithering": lambda w: (
        w.builder.setEnableConvDithering,
        {"nodeOutputNames": ids(w.y), "enable": 1},
    ),
    "Annotations.setSerializeMatMul": lambda w: (
        w.builder.setSerializeMatMul,
        {
            "nodeOutputNames": ids(w.y),
            "mode": "input_channels",
            "factor": 2,
            "keep_precision": True,
        },
    ),
    "Annotations.excludePatterns": lambda w: (
        w.builder.excludePatterns,
        {"nodeOutputName": ids(w.y), "patternNames": ["PostNRepl"]},
    ),
    "Annotations.setInplacePreferences": lambda w: (
        w.builder.setInplacePreferences,
        {"nodeOutputName": ids(w.y), "prefs": {"ReluInplace": 1.0}},
    ),
    # Operators and graphs.
    "OperatorIdentifier": lambda _: (
        popir.OperatorIdentifier,
        {"domain": "com.acme", "type": "Square", "version": 1},
    ),
    "GradInOutMapper": lambda _: (
        popir.GradInOutMapper,
        {"iGrad": 0, "iNonGrad": 0, "type": popir.GradOpInType.In},
    ),
    "OpDefinition": lambda _: (
        popir.OpDefinition,
        {"inputs": [("x", [DataType.FLOAT])], "outputs": [Formal("y")], "attributes": {"a": "*"}},
    ),
    "OpCreator": lambda _: (
        popir.OpCreator,
        {
            "opClass": Or(SquareOp),
            "definitions": SQUARE,
            "factory": lambda info: SquareOp(info.opid, info.settings),
            "isPublic": False,
            "override": True,
            "source": "python",
        },
    ),
    "OpxCreator": lambda _: (
        popir.OpxCreator,
        {"opxClass": popir.Opx, "opid": SQUARE, "override": True, "source": "python"},
    ),
    "Op": lambda _: (
        SquareOp,
        {"opid": SQUARE, "settings": popir.Op.Settings(popir.Graph(), "op"), "attributes": {}},
    ),
    "GradOp": lambda w: (popir.GradOp, {"fwdOp": w.op(), "opid": SQUARE, "attributes": {}}),
    "OpSettings.copy": lambda w: (w.op().settings.copy, {"name": "name"}),
    "OpSettings": lambda _: (
        popir.Op.Settings,
        {"graph": popir.Graph(), "name": "op", "nodeAttributes": Or({"a": 1}, "by name")},
    ),
    "Op.bindAttributes": lambda w: (w.op().bindAttributes, {"attributes": {}}),
    **{
        f"Op.{method}": lambda w, method=method: (getattr(w.op(), method), {"i": 0})
        for method in (
            "inTensor outTensor inId outId inInfo outInfo inShape outShape inRank outRank hasInput "
            "hasOutput disconnectInTensor disconnectOutTensor"
        ).split()
    },
    **{
        f"Traits.{method}": lambda w, method=method: (getattr(w.op(), method), {"i": 0})
        for method in ("mayLackGradient", "mayLackInput", "mayLackOutput")
    },
    "Traits.constantsOfPart": lambda w: (w.op().constantsOfPart, {"outputs": {0: [1]}}),
    "Op.setOutInfo": lambda w: (w.op().setOutInfo, {"i": 0, "info": FLOAT}),
    "Op.expand": lambda w: (w.op().expand, {"inputs": [], "outputs": ["y"]}),
    "Op.argumentsOf": lambda w: (w.op().argumentsOf, {"callee": popir.Graph()}),
    "Op.connectInTensor": lambda w: (w.op().connectInTensor, {"i": 1, "tensorId": "y"}),
    "Op.connectOutTensor": lambda w: (w.op().connectOutTensor, {"i": 1, "tensorId": "free"}),
    "Op.createAndConnectOutTensor": lambda w: (
        w.op().createAndConnectOutTensor,
        {"i": 1, "tensorId": "new"},
    ),
    "Graph": lambda _: (popir.Graph, {"name": "name", "caller": popir.Graph()}),
    "Graph.addActGrad": lambda w: (w.op().graph.addActGrad, {"id": "t"}),
    "Graph.addConstInit": lambda w: (w.op().graph.addConstInit, {"id": "t", "data": FLOATS}),
    "Graph.addVarInit": lambda w: (w.op().graph.addVarInit, {"id": "t", "data": FLOATS}),
    "Graph.addState": lambda w: (w.op().graph.addState, {"id": "t", "initial": FLOATS}),
    "Graph.addStream": lambda w: (w.op().graph.addStream, {"id": "t", "info": FLOAT}),
    "Graph.hasTensor": lambda w: (w.op().graph.hasTensor, {"id": "x"}),
    "Graph.getTensor": lambda w: (w.op().graph.getTensor, {"id": "x"}),
    "Graph.removeTensor": lambda w: (w.op().graph.removeTensor, {"id": "free"}),
    "Graph.saveVariable": lambda _: (weights().saveVariable, {"id": "w"}),
    "Graph.renameTensor": lambda w: (w.op().graph.renameTensor, {"id": "free", "new": "z"}),
    "Graph.setInputs": lambda w: (w.op().graph.setInputs, {"ids": ["x"]}),
    "Graph.setExchanges": lambda w: (
        w.op().graph.setExchanges,
        {"texts": {"x": "IO OverlapLoops"}},
    ),
    "Graph.setOutputs": lambda w: (w.op().graph.setOutputs, {"ids": ["x"]}),
    "Graph.createGraph": lambda w: (w.op().graph.createGraph, {"name": "called"}),
    "Graph.removeGraph": lambda _: (with_called().removeGraph, {"name": "called"}),
    "Graph.uniqueId": lambda w: (w.op().graph.uniqueId, {"base": "x"}),
    "Graph.eraseOp": lambda w: erasing(w.op()),
    "Graph.moveIntoGraph": lambda w: (w.op().graph.moveIntoGraph, {"op": w.detached()}),
    "Graph.befores": lambda w: (w.op().graph.befores, {"op": w.detached()}),
    "Graph.afters": lambda w: (w.op().graph.afters, {"op": w.detached()}),
    **{
        f"Graph.{method}": lambda w, method=method: (
            getattr(w.op().graph, method),
            {"before": w.detached(), "after": w.detached()},
        )
        for method in ("addConstraint", "removeConstraint")
    },
    "Graph.replaceOp": lambda w: replacing(w.op()),
    "Graph.createConnectedOp": lambda w: (
        w.op().graph.createConnectedOp,
        {"factory": Or(lambda: w.detached()), "in_": {0: "x"}, "out": {0: "new"}},
    ),
    **{
        f"Opx.{method}": lambda w, method=method: (
            getattr(popir.Opx(w.op(), None), method),
            {"i": 0},
        )
        for method in "hasInput hasOutput inInfo outInfo inShape outShape inId outId".split()
    },
    "Opx": lambda w: (popir.Opx, {"op": w.op(), "devicex": Or(None, *ANYTHING)}),
    "Opx.debugContext": lambda w: (popir.Opx(w.op(), None).debugContext, {"name": "name"}),
    "Opx.verifyOp": lambda w: (
        partial(popir.Opx(w.op(), None).verifyOp, SquareOp),
        {"opids": SQUARE},
    ),
    # Tests and other tools.
    "testing.gradcheck": lambda _: (
        popir.testing.gradcheck,
        {
            "operator": "Gemm",
            "inputs": [[2, 2], FLOATS, None],
            "attributes": {"alpha": 2.0},
            "version": 13,
            "outputs": 1,
            "through": [0],
            "wrt": [0],
            "constants": Or([1], "ints"),
            "low": 0.5,
            "high": 2.0,
            "seed": 1,
            "most": 2,
            "step": 1e-3,
            "rtol": 1e-2,
            "atol": 1e-2,
            "device": CPU,
            "raiseError": True,
        },
    ),
    "testing.run": lambda _: (
        popir.testing.run,
        {
            "operator": "Gemm",
            "inputs": [FLOATS, FLOATS, None],
            "attributes": {"alpha": 2.0},
            "version": 13,
            "outputs": 1,
            "constants": Or([1], "ints"),
            "device": CPU,
        },
    ),
    "data.Batches": lambda _: (
        popir.data.Batches,
        {
            "source": Or(
                {"y": FLOATS}, "str", "ints", "strs", "things", "array", "by name", "dict"
            ),
            "batch_size": 1,
            "shuffle": True,
            "seed": 3,
            "names": Or(["y"], "strs"),
            "batches_per_step": 1,
            "ahead": 0,
        },
    ),
    "Batches.seek": lambda _: (
        popir.data.Batches({"y": FLOATS}, 1).seek,
        {"position": Or(popir.data.Batches({"y": FLOATS}, 1).position())},
    ),
    "training.Schedule": lambda _: (
        popir.training.Schedule,
        {
            "kind": "linear",
            "steps": Or(9, "None"),
            "warmup": 3,
            "end": Or(0.5, "None"),
            "every": Or(None, "int"),
            "gamma": Or(None, "int", "float"),
        },
    ),
    "training.TensorBoard": lambda _: (popir.training.TensorBoard, {"folder": Path("log")}),
    "TensorBoard.scalars": lambda _: (
        popir.training.TensorBoard("log").scalars,
        {"step": 3, "values": {"loss": 2.5}},
    ),
    "training.Validation": lambda _: (
        popir.training.Validation,
        {
            "model": model(),
            "loss": LOSS,
            "batches": popir.data.Batches({"x": FLOATS}, len(FLOATS)),
            "deviceInfo": CPU,
            "inputShapeInfo": Or(None, "dict"),
            "userOptions": popir.SessionOptions(),
        },
    ),
    "Validation.score": lambda _: (
        popir.training.Validation(
            model(), LOSS, popir.data.Batches({"x": FLOATS}, len(FLOATS)), CPU
        ).score,
        {"session": training()},
    ),
    "training.train": lambda _: (
        popir.training.train,
        {
            "session": training(),
            "batches": popir.data.Batches({"x": FLOATS}, len(FLOATS)),
            "loss": LOSS,
            "epochs": 1,
            "optimizer": Or(None),
            "schedule": Or(None),
            "validation": Or(None),
            "validate_every": Or(None, "int"),
            "folder": Or(None, "str"),
            "save_every": Or(None, "int"),
            "resume": False,
            "log": Or(None),
            "report": Or(None, "class"),
            "stops": lambda: True,
        },
    ),
    "Schedule.factor": lambda _: (popir.training.Schedule().factor, {"step": 3}),
    "data.read_arrays": lambda _: (popir.data.read_arrays, {"path": Path("zz.npz")}),
    "custom_ops.precompiled_user_op": lambda world: (
        popir.custom_ops.precompiled_user_op,
        {
            "inputs": Or([world.x], "strs"),
            "library_path": Path("zz.so"),
            "gp_path": Path("zz.gp"),
            **USER_OP,
            "builder": Or(world.builder, "None"),
        },
    ),
    "custom_ops.cpu_user_operation": lambda world: (
        popir.custom_ops.cpu_user_operation,
        {
            "inputs": Or([world.x], "strs"),
            "library_path": Path("zz.so"),
            **USER_OP,
            "callback_abi": "called",
            "time_limit": 1.0,
            "builder": Or(world.builder, "None"),
        },
    ),
    "custom_ops.codelet_expression_op": lambda world: (
        lambda vertex_expression, name, builder: popir.custom_ops.codelet_expression_op(
            vertex_expression, world.x, name=name, builder=builder
        ),
        {
            "vertex_expression": lambda x: x + 1,
            "name": "name",
            "builder": Or(world.builder, "None"),
        },
    ),
    "custom_ops.custom_call": lambda world: (
        popir.custom_ops.custom_call,
        {
            "target": "f",
            "operands": Or([world.x], "strs"),
            "result_shapes": Or("f32[2]", "strs", "array"),
            "opaque": Or("zz", "bytes"),
            "attributes": {"a": 3},
            "api_version": 3,
            "gradient": Or(popir.custom_ops.CustomCallGradient("g", ["gradient 0"]), "str"),
            "platform": "Host",
            "library": Path("zz.so"),
            "has_side_effect": True,
            "output_operand_aliases": Or({0: 0}, "dict"),
            "operand_layouts": [[1, 0]],
            "time_limit": 1.0,
            "name": "name",
            "builder": world.builder,
        },
    ),
    "custom_ops.create_token": lambda world: (
        popir.custom_ops.create_token,
        {"builder": world.builder},
    ),
    "custom_ops.CustomCallGradient": lambda _: (
        popir.custom_ops.CustomCallGradient,
        {
            "target": "g",
            "operands": ["gradient 0"],
            "inputs": [0],
            "opaque": Or("zz", "bytes"),
            "attributes": Or({"a": 3}, "by name"),
            "api_version": 1,
            "library": "zz.so",
            "gradient": popir.custom_ops.CustomCallGradient("h"),
        },
    ),
    "custom_ops.register_custom_call_target": lambda _: (
        popir.custom_ops.register_custom_call_target,
        {"name": "arguments", "target": Or(0, "int"), "platform": "Host", "typed": False},
    ),
    "custom_ops.register_custom_call_type": lambda _: (
        popir.custom_ops.register_custom_call_type,
        {"name": "arguments", "type": {"type_id": None, "type_info": None}},
    ),
    "custom_ops.xla_program": lambda _: (
        popir.custom_ops.xla_program,
        {"text": "zz", "gradients": {"f": "g"}, "platform": "Host", "library": Path("zz.so")},
    ),
    "custom_ops.xla_programs": lambda _: (
        popir.custom_ops.xla_programs,
        {"library": Path("zz.so"), "function": "f", "gradients": {"f": "g"}, "platform": "Host"},
    ),
    "custom_ops.tpc_kernel": lambda world: (
        popir.custom_ops.tpc_kernel,
        {
            "guid": "exp_fwd_f32",
            "inputs": Or([world.x], "strs"),
            "outputs": Or(1),
            "parameters": Or(b"zzzz", "bytes", "ints"),
            "device": "gaudi",
            "library": Path("zz.so"),
            "gradient": "exp_bwd_f32",
            "gradient_inputs": ["grad:0", "out:0"],
            "gradient_outputs": [0],
            "time_limit_ms": 3,
            "name": "name",
            "builder": Or(world.builder, "None"),
        },
    ),
    "custom_ops.hpu_op": lambda world: (
        popir.custom_ops.hpu_op,
        {"library": Path("zz.so"), "operator": "OtherOp", "inputs": Or([world.x], "strs")},
    ),
    "custom_ops.load_hpu_library": lambda _: (
        popir.custom_ops.load_hpu_library,
        {"path": Path("zz.so")},
    ),
    "custom_ops.load_kernel_library": lambda _: (
        popir.custom_ops.load_kernel_library,
        {"path": Path("zz.so")},
    ),
    "custom_ops.build_hpu_library": lambda _: (
        popir.custom_ops.build_hpu_library,
        {
            "sources": Or("nowhere.cpp", "strs"),
            "name": "name",
            "flags": Or(["-g"]),
            "ldflags": Or(["-g"]),
        },
    ),
    "custom_ops.build_kernel_library": lambda _: (
        popir.custom_ops.build_kernel_library,
        {
            "sources": Or(["nowhere.c"]),
            "name": "name",
            "device": Or("gaudi", "None"),
            "flags": Or(["-g"]),
            "ldflags": Or(["-g"]),
        },
    ),
    "custom_ops.compile_kernel": lambda _: (
        popir.custom_ops.compile_kernel,
        {"source": Path("nowhere.c"), "device": "gaudi", "flags": Or(["-g"])},
    ),
    "custom_ops.register_gradient": lambda _: (
        popir.custom_ops.register_gradient,
        {
            "operator": "NoneOp",
            "gradient": "NoneGradOp",
            "inputs": ["grad:0"],
            "outputs": [0],
        },
    ),
    "load_op_library": lambda _: (popir.load_op_library, {"path": Path("zz.so")}),
    "build_op_library": lambda _: (
        popir.build_op_library,
        {
            "sources": Or("nowhere.cpp", "strs"),
            "name": "name",
            "flags": Or(["-g"]),
            "ldflags": Or(["-g"]),
            "codelets": Or([], "str", "strs"),
            "verbose": False,
        },
    ),
    "SegmentedModel": lambda _: (
        popir.SegmentedModel,
        {"fnModel": proto(), "deviceInfo": CPU, "userOptions": popir.SessionOptions()},
    ),
    "ClusteredModel": lambda _: (
        popir.ClusteredModel,
        {
            "fnModel": proto(),
            "deviceInfo": CPU,
            "userOptions": popir.SessionOptions(),
            "host": ["Abs"],
            "eager": False,
        },
    ),
    "SegmentedModel.run": lambda _: (
        popir.SegmentedModel(proto()).run,
        {"inputs": {"x": FLOATS}},
    ),
    "backend.PopirRep": lambda _: (popir.backend.PopirRep, {"model": proto()}),
    "PopirRep.run": lambda _: (popir.backend.PopirRep(proto()).run, {"inputs": [FLOATS]}),
    **{
        f"{who}.{function}": lambda _, who=who, function=function: (
            getattr(popir.backend if who == "backend" else popir.backend.PopirBackend, function),
            backend_arguments()[function],
        )
        for who in ("backend", "PopirBackend")
        for function in ("prepare", "run_model", "run_node", "supports_device")
    },
}
"""By name, a right call of every public function: in a world of its own, and its arguments."""


def weights() -> popir.Graph:
    """A graph with a weight and its gradient."""
    graph = popir.Graph()
    graph.addVarInit("w", FLOATS)
    graph.addActGrad("g").info = FLOAT
    return graph


def with_called() -> popir.Graph:
    """A graph with another one that no operator calls."""
    graph = popir.Graph()
    graph.createGraph("called")
    return graph


def erasing(op: popir.Op) -> Call:
    """`Graph.eraseOp`, of the operator."""
    return op.graph.eraseOp, {"id": op.id}


def replacing(op: popir.Op) -> Call:
    """`Graph.replaceOp`, of the operator."""
    return op.graph.replaceOp, {"old": op, "new": op.clone()}


def backend_arguments() -> dict[str, Arguments]:
    """The right arguments of ONNX's interface."""
    data = [FLOATS]
    return {
        "prepare": {"model": proto(), "device": "CPU"},
        "run_model": {"model": proto(), "inputs": data, "device": "CPU"},
        "run_node": {
            "node": NODE,
            "inputs": Or(data, "ints", "strs", "things"),
            "device": "CPU",
            "outputs_info": Or([], "ints", "strs", "things", "array"),
            "opset_version": 17,
        },
        "supports_device": {"device": "CPU"},
    }


def with_attribute(w: World, method: str) -> Any:
    """A method of a builder that has the attribute __a in force."""
    w.builder.setAttribute("__a", 0)
    return getattr(w.builder, method)


def entered(manager: Callable[..., Any]) -> Callable[..., None]:
    """A function that enters and leaves the context that a function makes."""

    def call(*args: Any, **kwargs: Any) -> None:
        with manager(*args, **kwargs):
            pass

    return call


HOOKS = (
    "evaluate getInplaceVariant turnInto aliases modifies showsInOrder aliasedRegions "
    "modifiedRegions usedRegions fwdRegMap bwdRegMap keepStateOf appendAttributes "
    "appendOutlineAttributes createInputTensor unwindTensorLayout canUnwind mustExistBeforeCreate "
    "getInputCreatorType mustExistBeforeCreateDNF gradOpsOfCalls grow apply check matches pattern "
    "rewrite touches getOp"
).split()
"""What the compiler calls and users override."""
DEVICE = "cloneNcopy getConst getInTensor getScalarVariable setOutTensor".split()
"""Methods of an Opx that take objects of the device layer, whose bindings look at them."""
RESULTS = (
    "OpLibrary HpuLibrary KernelLibrary Cluster GradientReport InputGradient Epoch Score Step "
    "Trained OutOfMemoryError"
).split()
"""Classes whose objects popir makes."""
INTERNAL = "tell tellOnce tellWithout refuse refuse_own_call addNode".split()
"""Methods that parts of popir call of each other."""
ABSTRACT = [f"Optimizer.{name}" for name in ("addUpdate", "checkReplacement", "scalars")]
"""What every optimizer overrides."""


# Operators.

ATTRIBUTES: dict[AttributeKind, Any] = {
    AttributeKind.INT: Or(1, "bool"),
    AttributeKind.FLOAT: 1.5,
    AttributeKind.STRING: Or("a", "bytes"),
    AttributeKind.TENSOR: FLOATS,
    AttributeKind.INTS: [1],
    AttributeKind.FLOATS: Or([1.5], "ints", "array"),
    AttributeKind.STRINGS: ["a"],
}
"""A right value of each kind; ONNX has no attribute of booleans, which integers stand for."""


def adding(domain: str, version: int, method: str) -> Call:
    """The method of a Builder that adds an operator, with its inputs and all of its attributes."""
    builder = popir.Builder(opsets={domain: version})
    opset = getattr(builder, f"{PREFIX[domain]}Opset{version}")
    schema = schemas.in_force(domain, version)[method]
    if method == "constant":
        arrays = Or(FLOATS, *ANYTHING[: ANYTHING.index("None")], "ints", "strs")
        return opset.constant, {"value": arrays, "debugContext": Or("name", "None")}
    kinds: dict[str, DataType] = {}
    inputs: list[str] = []
    for formal in schema.inputs[: schema.inputs.least]:
        kind = kinds.setdefault(formal.constraint or formal.name, some(formal.types))
        inputs.append(builder.addInputTensor(popir.TensorInfo(kind, [2]), formal.name))
    found: Arguments = {"debugContext": Or("name", "None")}
    for name in inspect.signature(getattr(opset, method)).parameters:
        spec = schema.attributes.get(name.removesuffix("_"))
        if name == "args":
            found[name] = inputs
        elif name == "num_outputs":
            found[name] = max(1, schema.outputs.least)
        elif spec is not None and spec.kind in ATTRIBUTES:
            right = ATTRIBUTES[spec.kind]
            found[name] = right if spec.required else Or(right, "None")
        elif spec is not None and spec.required:
            found[name] = builder.createSubgraphBuilder()
    return getattr(opset, method), found


def some(kinds: Collection[DataType]) -> DataType:
    """One of the types that an input may have."""
    return min(kinds or [DataType.FLOAT], key=lambda kind: (kind is not DataType.FLOAT, kind.name))


PREFIX = {"ai.onnx": "aiOnnx", "ai.onnx.ml": "aiOnnxMl", "ai.graphcore": "aiGraphcore"}
OPERATORS: dict[str, Callable[[], Call]] = {
    f"{PREFIX[domain]}Opset{version}.{method}": partial(adding, domain, version, method)
    for domain, version in (
        ("ai.onnx", 11),
        ("ai.onnx", 17),
        ("ai.onnx.ml", 1),
        ("ai.graphcore", 1),
    )
    for method in schemas.in_force(domain, version)
    if domain != popart_methods.DOMAIN or method not in popart_methods.METHODS
}
"""The methods of Builder.aiOnnx and its kin, made from their schemas. Those with arguments of their
own are `typed`.
"""


# What there is to call.


def public() -> Iterator[tuple[str, Any]]:
    """The names of popir and of its parts that are public, modules by their members."""
    for name in popir.__all__:
        value = getattr(popir, name)
        if isinstance(value, types.ModuleType):
            yield from ((f"{name}.{each}", getattr(value, each)) for each in dir_of(value))
        else:
            yield name, value
    for name, value in vars(popir.backend).items():
        if getattr(value, "__module__", "") == "popir.backend" and not name.startswith("_"):
            yield f"backend.{name}", value
    for name in ("prepare", "run_model", "run_node", "supports_device"):
        yield f"backend.{name}", getattr(popir.backend, name)
    yield "OptimizerValueMap", OptimizerValueMap
    yield "OpSettings", OpSettings


def dir_of(module: types.ModuleType) -> list[str]:
    """The public names of a module."""
    return getattr(module, "__all__", [])


def callables() -> dict[str, list[str]]:
    """Every public function, class and method with its parameters; each once, by the class that
    defines it.
    """
    found: dict[str, list[str]] = {}
    for name, value in public():
        if not isinstance(value, type):
            if callable(value):
                found[name] = parameters(value)
            continue
        is_settings = issubclass(value, Settings)  # tests/test_options.py has them.
        if issubclass(value, (enum.Enum, BaseException)) or name.rpartition(".")[2] in RESULTS:
            continue
        if {"__init__", "__new__"} & vars(value).keys() and not is_settings:
            found[name] = parameters(value)
        for owner in value.__mro__:
            if not owner.__module__.startswith("popir"):
                continue
            for each, member in vars(owner).items():
                is_method = callable(getattr(value, each)) and not isinstance(member, type)
                if is_method and not each.startswith("_") and each not in HOOKS + DEVICE + INTERNAL:
                    found[f"{owner.__name__}.{each}"] = parameters(getattr(value, each))
    return {name: names for name, names in found.items() if names and name not in ABSTRACT}


def parameters(function: Callable[..., Any]) -> list[str]:
    """The names of what can be given, one by one."""
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = inspect.signature(function).parameters.values()
    return [p.name for p in found if p.kind not in several and p.name not in ("self", "cls")]


# The test.


def outcome(call: Callable[..., Any], arguments: Arguments) -> str:
    """What comes of a call: "" a result, else the words of its error; foreign ones begin with !."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(**arguments)
        except popir.PopirError as error:
            return str(error)
        except Exception as error:  # It is the answer of the test.
            return f"! {type(error).__name__}: {error}"
    return ""


def faults(name: str, make: Callable[[], Call]) -> Iterator[str]:
    """What each wrong argument comes to, where that is not an error of popir's."""
    _, arguments = make()
    for what, right in arguments.items():
        function, others = make()
        others = {key: plain(value) for key, value in others.items()}
        rightly = outcome(function, others)
        assert not rightly.startswith("!"), f"{name} is called rightly: {rightly}"
        default = inspect.signature(function).parameters.get(what)
        fits = fitting(right) | ({"None"} if default is None or default.default is None else set())
        for kind, other in OTHERS.items():
            if kind in fits and callable(other):
                continue  # It would be called, and is not what the caller calls.
            function, given = make()
            given = {key: plain(value) for key, value in given.items()} | {what: other}
            words = outcome(function, given)
            if words.startswith("!") or (kind not in fits and words in ("", rightly)):
                yield f"{name}({what}={other!r}): {words or 'taken in silence'}"


def foreign(make: Callable[[], Call]) -> Iterator[str]:
    """The extremes of the right types at which an error is none of popir's."""
    _, arguments = make()
    for what, right in arguments.items():
        kinds = sorted(fitting(right) & EXTREMES.keys())
        for extreme in [*(each for kind in kinds for each in EXTREMES[kind]), *ARRAYS]:
            function, given = make()
            given = {key: plain(value) for key, value in given.items()} | {what: extreme}
            words = outcome(function, given)
            if words.startswith("!"):
                yield f"{what}={str(extreme)[:50]!r}: {words}"


def test_every_function_is_in_the_table() -> None:
    known = callables()
    assert known.keys() == RIGHT.keys()
    for name, names in known.items():
        _, arguments = RIGHT[name](World())
        left = set(names) - arguments.keys()
        assert left <= LEFT_OUT.get(name, set()), name


LEFT_OUT = {
    "Builder.addInputTensor": {"dataType"},
    "VariableSettings": {"mode", "stride", "groupSize"},
}
"""Other names of arguments, and one that is always refused."""


def test_operators_refuse_wrong_types() -> None:
    found = [fault for name, make in OPERATORS.items() for fault in faults(name, make)]
    assert not found, "\n".join(found)


def test_operators_take_or_refuse_extremes() -> None:
    found = [f"{name}: {fault}" for name, make in OPERATORS.items() for fault in foreign(make)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", RIGHT)
def test_wrong_types_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(faults(name, lambda: RIGHT[name](World())))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", RIGHT)
def test_extremes_are_taken_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(foreign(lambda: RIGHT[name](World())))
    assert not found, "\n".join(found)
