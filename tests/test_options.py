"""SessionOptions: the table of options, and that every option does what its row says."""

from __future__ import annotations

import ast
import enum
import functools
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import CommGroup, DataFlow, DeviceManager, InferenceSession, SessionOptions
from popir import enums as e
from popir.errors import popart_exception, poplar_invalid_option
from popir.options import (
    BatchSerializationSettings,
    Kind,
    OptionWarning,
    Row,
    TensorLocation,
    TensorLocationSettings,
    rows,
    shown,
)
from popir.options.annotations import ANNOTATIONS
from popir.options.table import SessionSettings, Settings, nested, refused
from popir.types import ReductionType
from tests.toolchain import ROOT

ROWS = rows(SessionOptions)


@functools.cache
def model() -> bytes:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    builder.addOutputTensor(builder.aiOnnx.relu([builder.addInputTensor("FLOAT", [4], "x")], "y"))
    return builder.getModelProto()


def session(options: SessionOptions) -> InferenceSession:
    device = DeviceManager().createCpuDevice()
    return InferenceSession(model(), DataFlow(1, ["y/Relu:0"]), device, userOptions=options)


def set_(options: SessionOptions, name: str, value: Any) -> None:
    *holders, own = name.split(".")
    setattr(functools.reduce(getattr, holders, options), own, value)


SAMPLES: dict[str, Any] = {
    "True or False or None": True,
    "a function or None": lambda done, total: None,
    "a list of strings or None": ["x"],
    "a list of strings": ["x"],
    "a list of numbers of at least 0": [1.0],
    "a list of integers": [1],
    "a set of strings": {"Final"},
    "a dict of strings to strings": {"a": "b"},
    "a dict of strings to integers": {"x": 2},
    "a dict of strings to objects of TensorLocation": {"x": TensorLocation()},
    "a dict of strings to lists of strings": {"Fwd0": ["Transform"]},
    "an object of CommGroup or None": CommGroup(),
    "anything": 3,
}
OF_SOME: dict[str, Any] = {
    "engineOptions": {"host.fuse": "false"},
    "kahnTieBreaker": "fifo",
    "matmulOptions": {"partialsType": "half"},
    "convolutionOptions": {"availableMemoryProportion": "0.1"},
    "lstmOptions": {"use128BitConvUnitLoad": "true"},
    "partialsTypeMatMuls": "half",
    "batchSerializationSettings.factor": 2,
}


USER = e.GradientTensorTrackingMethod.GradientsOfUserSpecifiedTensors
MEAN = "enableGradientAccumulation is True and accumulationAndReplicationReductionType is Mean"
BESIDE: dict[str, dict[str, Any]] = {
    "dotChecks is not empty": {"dotChecks": {"Final"}},
    "batchSerializationSettings.factor is at least 2": {"batchSerializationSettings.factor": 2},
    "batchSerializationSettings.factor is at least 2, and method is none of Loop": {
        "batchSerializationSettings.factor": 2
    },
    "compileEngine is True": {"compileEngine": True},
    "enableOutlining is not False": {"enableOutlining": True},
    "compilationProgressLogger is given": {"compilationProgressLogger": lambda done, total: None},
    "enableEngineCaching is True": {"enableEngineCaching": True},
    "customCodelets has files that are compiled": {"customCodelets": [__file__]},
    "virtualGraphMode is Auto": {"virtualGraphMode": e.VirtualGraphMode.Auto},
    "executionPhaseSettings.phases is at least 2": {"executionPhaseSettings.phases": 2},
    "numIOTiles is at least 1": {"numIOTiles": 1},
    "enableGradientAccumulation is True": {"enableGradientAccumulation": True},
    "gradients are accumulated, or there are several replicas": {
        "enableReplicatedGraphs": True,
        "replicatedGraphCount": 2,
    },
    "there are several replicas": {"enableReplicatedGraphs": True, "replicatedGraphCount": 2},
    "enableDistributedReplicatedGraphs is True": {"enableDistributedReplicatedGraphs": True},
    "automaticLossScalingSettings.enabled is True": {"automaticLossScalingSettings.enabled": True},
    "gradientTensorTrackingMethod is GradientsOfUserSpecifiedTensors": {
        "automaticLossScalingSettings.enabled": True,
        "automaticLossScalingSettings.gradientTensorTrackingMethod": USER,
    },
    MEAN: {
        "enableGradientAccumulation": True,
        "accumulationAndReplicationReductionType": ReductionType.Mean,
    },
}
"""By what an option needs, others that give it."""
AGAINST: dict[str, dict[str, Any]] = {
    "compileEngine is True": {"compileEngine": False},
    "enableOutlining is not False": {"enableOutlining": False},
    "customCodelets has files that are compiled": {"customCodelets": ["codelets.gp"]},
    "virtualGraphMode is Auto": {"virtualGraphMode": e.VirtualGraphMode.Manual},
}
"""Others that do not, where defaults do or seem to."""


def another(row: Row) -> Any:
    """A value that is not the option's default."""
    if row.name in OF_SOME:
        return OF_SOME[row.name]
    if isinstance(row.default, bool):
        return not row.default
    if isinstance(row.default, enum.Enum):
        others = [m for m in type(row.default) if m is not row.default and m not in row.refuses]
        return others[0]
    if isinstance(row.default, float):
        return row.default / 2 + 0.25
    if isinstance(row.default, int):
        return row.default + 1
    if isinstance(row.default, str):
        return "text"
    if isinstance(row.default, set) and row.default:
        return set()
    return SAMPLES[row.type]


@pytest.mark.parametrize("row", [r for r in ROWS if r.kind is Kind.ACTS], ids=lambda r: r.name)
def test_what_acts_is_taken_without_a_word(row: Row) -> None:
    options = SessionOptions()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        set_(options, row.name, another(row))
        for name, value in BESIDE[row.needs].items() if row.needs else ():
            set_(options, name, value)
        if row.name == "accumulationFactor":  # Which is an error alone.
            options.enableGradientAccumulation = True
        if row.name == "replicatedGraphCount":  # The same.
            options.enableReplicatedGraphs = True
        if row.name != "customCodelets":  # Of which the sample is no file.
            options.check()
        for value, why in row.refuses.items():
            other = SessionOptions()
            set_(other, row.name, value)
            with pytest.raises(popart_exception) as error:
                other.check()
            assert f"SessionOptions.{row.name} = {shown(value)}: {why}" in str(error.value)
    file, _, name = row.test.partition("::")
    tree = ast.parse((ROOT / file).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, row.test


@pytest.mark.parametrize("row", [r for r in ROWS if r.needs], ids=lambda r: r.name)
def test_what_needs_others_says_so_without_them(row: Row, tmp_path: Path) -> None:
    options = SessionOptions()
    for name, value in AGAINST.get(row.needs, {}).items():
        if name == "customCodelets":
            value = [str(tmp_path / each) for each in value]
            (tmp_path / "codelets.gp").touch()
        set_(options, name, value)
    value = another(row)
    set_(options, row.name, value)
    with pytest.warns(OptionWarning) as said:
        session(options)
    assert [str(each.message) for each in said] == [
        f"SessionOptions.{row.name} = {shown(value)} has no effect: it acts only where {row.needs}."
    ]
    assert said[0].filename == __file__
    session(options)  # Warnings are errors in these tests: it is said once.


@pytest.mark.parametrize("row", [r for r in ROWS if r.kind is Kind.REFUSED], ids=lambda r: r.name)
def test_what_is_refused_ends_the_making_of_a_session(row: Row) -> None:
    options = SessionOptions()
    value = another(row)
    set_(options, row.name, value)
    with pytest.raises(popart_exception) as error:
        session(options)
    assert str(error.value) == (
        f"SessionOptions.{row.name} = {shown(value)}: {row.reason} Leave it at "
        f"{shown(row.default)}."
    )
    set_(options, row.name, row.default)
    options.check()


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r.kind is Kind.NO_MEANING], ids=lambda r: r.name
)
def test_what_has_no_meaning_is_said_once_and_changes_nothing(row: Row) -> None:
    options = SessionOptions()
    value = another(row)
    with pytest.warns(OptionWarning) as said:
        set_(options, row.name, value)
    assert [str(each.message) for each in said] == [
        f"SessionOptions.{row.name} = {shown(value)} has no meaning here: {row.reason}"
    ]
    assert said[0].filename == __file__
    set_(options, row.name, value)  # Warnings are errors in these tests.
    assert session(options).getHash() == hash_of_defaults()


@functools.cache
def hash_of_defaults() -> int:
    return session(SessionOptions()).getHash()


def test_every_field_has_a_row_with_words() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    for name in vars(SessionOptions()):
        if not name.startswith("_"):
            assert any(each == name or each.startswith(f"{name}.") for each in names), name
    for row in (*ROWS, *ANNOTATIONS):
        assert row.reason.endswith(".") and row.type, row
        assert bool(row.test) == (row.kind is Kind.ACTS), row


def test_defaults_are_popart_s() -> None:
    options = SessionOptions()
    assert options.enableOutlining is None  # True on a machine: see tests/test_outlined_models.py
    assert options.constantWeights is True
    assert options.accumulationAndReplicationReductionType is ReductionType.Sum
    assert options.weightTensorLocationSettings.minElementsForOffChip == 2


def test_an_unknown_option_is_an_attribute_error() -> None:
    options = SessionOptions()
    with pytest.raises(
        AttributeError, match=r"no option 'enableOutlinin'. Did you mean 'enableOutlining'"
    ):
        options.enableOutlinin = False  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no option 'fooBar'"):
        options.fooBar  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"BatchSerializationSettings has no option 'facto'.* 'factor'"
    ):
        options.batchSerializationSettings.facto = 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("enableOutlining", "no", "takes True or False or None; given was 'no'."),
        ("enableOutlining", 1, "takes True or False or None; given was 1."),
        ("opxAliasChecking", None, "takes True or False; given was None."),
        ("accumulationFactor", True, "takes an integer of at least 1; given was True."),
        ("accumulationFactor", 0, "takes an integer of at least 1; given was 0."),
        ("accumulationFactor", 2.0, "takes an integer of at least 1; given was 2.0."),
        ("accumulationFactor", "2", "takes an integer of at least 1; given was '2'."),
        ("outlineThreshold", "1", "takes a number; given was '1'."),
        ("outlineThreshold", float("nan"), "takes a number; given was nan."),
        ("outlineThreshold", [1.0], "takes a number; given was [1.0]."),
        (
            "virtualGraphMode",
            "auto",
            "takes a member of VirtualGraphMode (Off, Manual, Auto, ExecutionPhases); given was "
            "'auto'. Did you mean VirtualGraphMode.Auto?",
        ),
        ("virtualGraphMode", "Manual", "given was 'Manual'. Did you mean VirtualGraphMode.Manual?"),
        ("virtualGraphMode", 1, "given was 1."),
        ("virtualGraphMode", e.TileSet.IO, "given was TileSet.IO."),
        ("cachePath", b"folder", "takes a string; given was b'folder'."),
        (
            "kahnTieBreaker",
            "Fifo",
            "takes one of 'greedy', 'fifo', 'random'; given was 'Fifo'. Did you mean 'fifo'?",
        ),
        ("customCodelets", "a.cpp", "takes a list of strings; given was 'a.cpp'."),
        ("virtualGraphSplitRatios", [-1.0], "takes a list of numbers of at least 0; given was [-1"),
        ("customCodelets", [1], "takes a list of strings; given was [1]."),
        ("engineOptions", {"host.numThreads": 1}, "takes a dict of strings to strings; given"),
        ("engineOptions", ["host.fuse"], "takes a dict of strings to strings; given was ['host"),
        ("bufferingDepthMap", {"x": "2"}, "takes a dict of strings to integers; given"),
        ("dotChecks", "Final", "takes a set of strings; given was 'Final'."),
        ("hardwareInstrumentations", {"Outer"}, "takes a set of members of Instrumentation; given"),
        ("compilationProgressLogger", 3, "takes a function or None; given was 3."),
        ("compilationProgressTotal", 0, "takes an integer of at least 1; given was 0."),
        ("executionPhaseSettings", 3, "takes an object of ExecutionPhaseSettings; given was 3."),
        ("executionPhaseSettings.phases", -1, "takes an integer of at least 0; given was -1."),
        (
            "automaticLossScalingSettings.thresholdUpperCountProportion",
            1.5,
            "takes a number from 0 to 1; given was 1.5.",
        ),
        ("tensorLocationSettingsOverride", {"w": 1}, "a dict of strings to objects of TensorLoc"),
    ],
)
def test_wrong_types_and_ranges(name: str, value: object, words: str) -> None:
    with pytest.raises(popart_exception) as error:
        set_(SessionOptions(), name, value)
    assert str(error.value).startswith(f"SessionOptions.{name} takes ")
    assert words in str(error.value)


def test_numbers_of_numpy_and_paths_are_converted() -> None:
    options = SessionOptions(
        enableOutlining=np.bool_(False),  # type: ignore[arg-type]
        outlineThreshold=np.float32(0.5),  # type: ignore[arg-type]
        compilationProgressTotal=np.int64(7),  # type: ignore[arg-type]
        cachePath=Path("folder"),  # type: ignore[arg-type]
    )
    assert options.enableOutlining is False
    assert type(options.outlineThreshold) is float
    assert type(options.compilationProgressTotal) is int
    assert options.cachePath == "folder"


def test_what_is_put_into_lists_and_maps_is_checked_by_the_session() -> None:
    options = SessionOptions()
    options.engineOptions["host.numThreads"] = 2  # type: ignore[assignment]
    with pytest.raises(popart_exception, match=r"engineOptions takes a dict of strings to str"):
        session(options)
    options = SessionOptions()
    options.reportOptions["showVarStorage"] = "true"
    with pytest.warns(OptionWarning, match=r"reportOptions = {'showVarStorage': 'true'} has no me"):
        session(options)


def test_settings_and_maps_are_their_own() -> None:
    one, other = SessionOptions(), SessionOptions()
    one.engineOptions["host.numThreads"] = "1"
    one.executionPhaseSettings.stages = 3
    assert other.engineOptions == {}
    assert other.executionPhaseSettings.stages == 2
    given = BatchSerializationSettings()
    one.batchSerializationSettings = given
    given.factor = 4
    assert one.batchSerializationSettings.factor == 0


@dataclass
class _Inner(Settings):
    deep: int = refused(0, "nothing does it.")


@dataclass
class _Whole(SessionSettings):
    inner: _Inner = nested(_Inner)  # noqa: RUF009 (as in the table of options)


def test_what_a_nested_object_brings_is_said_by_its_whole_name() -> None:
    sharding = e.ReplicatedTensorSharding.On
    free = TensorLocationSettings(
        TensorLocation(replicatedTensorSharding=sharding),
        minElementsForReplicatedTensorSharding=4,
    )
    options = SessionOptions()
    with pytest.warns(OptionWarning) as said:
        options.activationTensorLocationSettings = free
    assert [str(each.message).partition(" = ")[0] for each in said] == [
        "SessionOptions.activationTensorLocationSettings.location.replicatedTensorSharding",
        "SessionOptions.activationTensorLocationSettings.minElementsForReplicatedTensorSharding",
    ]
    whole = _Whole()
    whole.inner.deep = 3
    with pytest.raises(
        popart_exception, match=r"_Whole\.inner\.deep = 3: nothing does it\. Leave it at 0\."
    ):
        whole.check()


def test_former_names() -> None:
    options = SessionOptions()
    with pytest.warns(DeprecationWarning, match="PopART's former name of bufferingDepthMap"):
        options.prefetchBufferingDepthMap = {}  # type: ignore[attr-defined]
    with pytest.warns(DeprecationWarning, match="PopART's former name of defaultBufferingDepth"):
        assert options.defaultPrefetchBufferingDepth == 1  # type: ignore[attr-defined]


def test_explicit_ir_sets_three() -> None:
    options = SessionOptions()
    with pytest.warns(OptionWarning) as said:
        options.enableExplicitIR(True)
    assert len(said) == 1  # of the one that has no meaning
    assert options.useHostCopyOps
    assert options.explicitRecomputation
    assert options.enableExplicitMainLoops


def test_a_session_wants_options_of_its_own_kind() -> None:
    with pytest.raises(
        popart_exception, match="an object of SessionOptions or None as userOptions"
    ):
        session({"enableOutlining": False})  # type: ignore[arg-type]


def test_engine_options_reach_the_engine() -> None:
    options = SessionOptions(engineOptions={"host.numThreads": "3"})
    made = session(options)
    made.prepareDevice()
    assert made._engine.numThreads() == 3


def test_engine_options_are_checked_when_the_session_is_made() -> None:
    options = SessionOptions(engineOptions={"host.numThread": "3"})
    with pytest.raises(
        poplar_invalid_option, match=r"no option 'host.numThread'. Did you mean 'host.numThreads'"
    ):
        session(options)
    options = SessionOptions(engineOptions={"opt.enableSkipSyncs": "true"})
    with pytest.warns(OptionWarning, match=r"opt.enableSkipSyncs is 'true', which has no") as w:
        session(options).prepareDevice()
    assert len(w) == 1


def test_the_page_holds_the_table() -> None:
    from tools.options_page import PAGE, page

    assert page() == PAGE.read_text(), "run: python -m tools.options_page"


def test_what_outlining_takes_has_no_effect_on_a_cpu_device_by_itself() -> None:
    words = r"SessionOptions.outlineThreshold = 0.5 has no effect: a Cpu device gains nothing by it"
    with pytest.warns(OptionWarning, match=words):
        session(SessionOptions(outlineThreshold=0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session(SessionOptions(outlineThreshold=0.5, enableOutlining=True))


OFF_CHIP = popir.TensorLocationSettings(popir.TensorStorage.OffChip)
WITHOUT_TRAINING = {
    "autoRecomputation": e.RecomputationType.Standard,
    "activationTensorLocationSettings": OFF_CHIP,
    "optimizerStateTensorLocationSettings": OFF_CHIP,
    "accumulatorTensorLocationSettings": OFF_CHIP,
}


@pytest.mark.parametrize("name", WITHOUT_TRAINING)
def test_what_needs_a_backward_pass_says_so_without_one(name: str) -> None:
    options = SessionOptions()
    setattr(options, name, WITHOUT_TRAINING[name])
    with pytest.warns(
        OptionWarning, match=rf"SessionOptions.{name}.* has no effect: an Infere"
    ) as w:
        session(options)
    assert len(w) == 1 and w[0].filename == __file__
    session(options)  # Warnings are errors in these tests: it is said once.


@pytest.mark.parametrize(
    ("name", "value", "needs"),
    [
        ("autoRecomputation", e.RecomputationType.Pipeline, "enablePipelining"),
        ("accumulatorTensorLocationSettings", OFF_CHIP, "enableGradientAccumulation"),
    ],
)
def test_what_a_training_has_no_use_for_is_said(name: str, value: Any, needs: str) -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2], "x")
    w = builder.addInitializedInputTensor(np.ones(2, np.float32), "w")
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([x, w])])
    options = SessionOptions()
    setattr(options, name, value)
    model, flow = builder.getModelProto(), popir.DataFlow(1, [loss])
    words = rf"SessionOptions.{name}.* has no effect: it acts only where {needs} is True"
    with pytest.warns(OptionWarning, match=words) as said:
        popir.TrainingSession(
            *(model, flow, loss, popir.ConstSGD(0.1), popir.DeviceManager().createCpuDevice()),
            userOptions=options,
        )
    assert len(said) == 1
