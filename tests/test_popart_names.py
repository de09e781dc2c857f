"""PopART's names besides sessions and builders: loggers, debug contexts, settings, lists."""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir.errors import popart_exception
from popir.options import OptionWarning
from tests.models import floats, run


@pytest.fixture
def quiet() -> Iterator[None]:
    """Leaves popir's loggers as they were."""
    log = logging.getLogger("popir")
    handlers, level = list(log.handlers), log.level
    yield
    log.handlers[:] = handlers
    log.setLevel(level)


def test_a_logger_writes_what_its_level_admits(
    quiet: None, caplog: pytest.LogCaptureFixture
) -> None:
    logger = popir.getLogger()
    logger.setLevel("warn")
    for level in ("debug", "info", "warn", "error", "critical"):
        getattr(logger, level)(f"a message of {level} at 100 %s")
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR", "CRITICAL"]
    logger.setLevel("TRACE")
    popir.getLogger("session").debug("of the session")
    assert caplog.records[-1].name == "popir.session"
    logger.setLevel("OFF")
    logger.critical("nobody hears it")
    assert caplog.records[-1].getMessage() == "of the session"


def test_without_a_handler_messages_go_to_stderr(
    quiet: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    popir.getLogger().setLevel("INFO")
    popir.getLogger("ir").info("here")
    popir.getLogger("ir").setLevel("INFO")
    assert capsys.readouterr().err == "[popir.ir] [INFO] here\n"


def test_unknown_loggers_and_levels() -> None:
    with pytest.raises(popart_exception, match=r"no logger 'sesion'.* Did you mean 'session'"):
        popir.getLogger("sesion")
    with pytest.raises(popart_exception, match=r"no log level 'DEBG'.* Did you mean 'DEBUG'"):
        popir.getLogger().setLevel("DEBG")


def test_a_debug_context_gives_names_and_its_place() -> None:
    context = popir.DebugContext("name")
    assert (context.name, context.loc.fileName) == ("name", __file__)
    assert context.loc.functionName == "test_a_debug_context_gives_names_and_its_place"
    info = popir.DebugInfo(context, "layer")
    assert info.setValue("key", "value") and not info.setValue("key", ["other"])
    assert info.values == {"key": "value"}
    assert info.getId() != popir.DebugInfo("x", "layer").getId()
    place = popir.SourceLocation("f", "f.py", 3)
    inner = popir.DebugContext(info, "inner", place)
    assert (inner.name, inner.loc) == ("name/inner", place)
    named = popir.DebugContext("n", place)
    assert (named.name, named.loc) == ("n", place)
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2], inner)
    assert x == "name/inner"
    assert builder.aiOnnx.relu([x], popir.DebugInfo("act", "layer")) == "act/Relu:0"
    popir.closePoplarDebugInfo()


def test_supported_operators_are_those_that_models_may_have() -> None:
    public, every = popir.getSupportedOperations(False), popir.getSupportedOperations(True)
    assert len(every) > len(public) > 100
    assert {"Constant", "Shape", "Relu"} <= {opid.type for opid in public}
    assert not {opid.type for opid in every} & {"NoSuchOperator"}
    missing = popir.getUnsupportedOperations(10)
    assert missing and not set(missing) & set(public)
    described = popir.getSupportedOperationsDefinition(False)
    assert described.keys() == set(public)
    leaky = described[popir.OperatorIdentifier("ai.onnx", "LeakyRelu", 6)]
    assert leaky.attributes["alpha"].supportedValuesRegex == "*"
    assert leaky.inputs[0].name == "X" and "FLOAT" in leaky.inputs[0].supportedTensors


def test_prefixes_are_popart_s() -> None:
    given = {name: getattr(popir, name)() for name in popir.__all__ if name.startswith("reserved")}
    assert len(given) > 40
    assert len(set(given.values())) == len(given)
    assert popir.reservedDefaultScaledLearningRate0Prefix() == "scaledLearningRate0___default___"
    assert popir.reservedRestoredPrefix() == "Restored___"


def test_prefixes_are_written_once() -> None:
    """In popir.reserved; other modules call its functions."""
    names = [name for name in popir.__all__ if name.startswith("reserved")]
    prefixes = tuple(getattr(popir, name)() for name in names)
    assert all(getattr(popir, name).__module__ == "popir.reserved" for name in names)
    for path in Path(popir.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())) if path.stem != "reserved" else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not node.value.startswith(prefixes), f"{path}:{node.lineno}: {node.value!r}"


def test_settings_of_inputs() -> None:
    by_io = popir.InputSettings(popir.TileSet.IO, popir.ExchangeStrategy.OverlapLoops)
    assert (by_io.tileSet(), by_io.exchangeStrategy(), by_io.replicatedStreamMode()) == (
        popir.TileSet.IO,
        popir.ExchangeStrategy.OverlapLoops,
        popir.ReplicatedStreamMode.Replicate,
    )


def test_settings_stand_where_popart_has_them() -> None:
    builder, settings = popir.Builder(), popir.InputSettings()
    info = popir.TensorInfo("FLOAT", [2])
    ids = [
        builder.addInputTensor(info, settings),
        builder.addInputTensor(info, settings, "a"),
        builder.addInputTensor(info, "b"),
        builder.addInputTensor("FLOAT", [2], settings, "c"),
        builder.addInputTensor("FLOAT", [2], "d"),
        builder.addInputTensor(info, settings=settings, debugContext="e"),
        builder.addInitializedInputTensor(floats(2), popir.VariableSettings()),
        builder.addInitializedInputTensor(floats(2), popir.VariableSettings(), "f"),
        builder.addInitializedInputTensor(floats(2), "g"),
    ]
    assert ids == ["input", "a", "b", "c", "d", "e", "init_input", "f", "g"]
    with pytest.raises(popart_exception, match="takes InputSettings and a debug context; given we"):
        builder.addInputTensor(info, "a", "b")


@pytest.mark.parametrize(
    "settings",
    [
        popir.VariableSettings(popir.CommGroup(popir.CommGroupType.Consecutive, 2)),
        popir.VariableSettings(1, 2, popir.VariableRetrievalMode.OnePerGroup),
    ],
)
def test_groups_of_more_replicas_than_there_are_are_refused(settings: Any) -> None:
    builder = popir.Builder()
    w = builder.addInitializedInputTensor(floats(2), settings)
    device, flow = popir.DeviceManager().createCpuDevice(), popir.DataFlow(1, [w])
    with pytest.raises(popart_exception, match=r"of 2 replicas .* do not divide 1 replicas"):
        popir.InferenceSession(builder.getModelProto(), flow, device)


def test_locations_of_tensors_as_popart_spells_them() -> None:
    on = popir.TensorStorage.OnChip
    options = popir.SessionOptions()
    given = popir.TensorLocation(on, popir.ReplicatedTensorSharding.On, popir.CommGroup())
    options.weightTensorLocationSettings.location = given
    location = options.weightTensorLocationSettings.location
    assert location.replicatedTensorSharding is popir.ReplicatedTensorSharding.On
    assert location.shardingDomain is given.shardingDomain
    assert (location.loadTileSet, location.storageTileSet) == (popir.TileSet.Compute,) * 2
    whole = popir.TensorLocation(
        on, popir.TileSet.IO, popir.TileSet.IO, popir.ReplicatedTensorSharding.Off
    )
    assert whole.storageTileSet is popir.TileSet.IO
    settings = popir.TensorLocationSettings(popir.TensorStorage.OffChip, 3, 4)
    assert (settings.location.storage, settings.minElementsForOffChip) == (
        popir.TensorStorage.OffChip,
        3,
    )
    assert popir.TensorLocationSettings(whole).location.loadTileSet is popir.TileSet.IO


def test_types_of_sgd_s_state() -> None:
    momentum = {"defaultMomentum": (0.9, True)}
    assert popir.SGD(momentum).nesterov().val == 0
    builder = popir.Builder()
    w = builder.addInitializedInputTensor(floats(2), "w")
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.identity([w])], 1.0)
    for kind in (popir.DataType.FLOAT, popir.DataType.FLOAT16):

        def train(kind: popir.DataType = kind) -> Any:
            return popir.TrainingSession(
                builder.getModelProto(),
                popir.DataFlow(1, [loss]),
                loss,
                popir.SGD(momentum, accl1Type=kind),
                popir.DeviceManager().createCpuDevice(),
            )

        if kind is popir.DataType.FLOAT:
            train()
        else:
            with pytest.warns(OptionWarning, match=r"accl1Type = DataType.FLOAT16 has no effect"):
                session = train()
            assert session.getInfo("Accl___w").dataType() is popir.DataType.FLOAT


def test_members_of_enumerations_have_popart_s_numbers() -> None:
    assert [int(each) for each in popir.ReductionType] == [0, 1, 2]
    assert (int(popir.VirtualGraphMode.Auto), int(popir.ScatterReduction.NoReduction)) == (2, 4)


def test_an_attribute_of_former_releases_is_told_to_do_nothing() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2], "x")
    attributes = {"pass_through_creation": 1}
    (y,) = builder.customOp("Detach", 1, "ai.graphcore", [x], attributes)
    builder.addOutputTensor(y)
    with pytest.warns(OptionWarning, match="pass_through_creation = 1 has no meaning here"):
        found = run(builder.getModelProto(), {"x": floats(2)}, [y])
    np.testing.assert_array_equal(found[y], floats(2))
    with pytest.raises(popart_exception, match="unknown attribute 'pass'"):
        builder.customOp("Detach", 1, "ai.graphcore", [x], {"pass": 1})


def test_a_former_name_of_debug_contexts_is_taken() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2])
    with pytest.warns(DeprecationWarning, match="debugPrefix is PopART's former name of debugCont"):
        assert builder.aiOnnx.relu([x], debugPrefix="act") == "act/Relu:0"
    assert str(builder.aiOnnx) == "AiOnnx10"
    assert str(builder.aiGraphcore) == "AiGraphcore1"


def test_the_state_of_random_numbers_can_be_set_again() -> None:
    builder = popir.Builder()
    y = builder.aiOnnx.randomuniform([4])
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.setRandomSeed(7 << 32 | 3)
    state = session.getRNGState()
    assert state == [3, 7]
    session.run(popir.PyStepIO({}, anchors))
    first = anchors[y].copy()
    session.setRNGState(state)
    session.run(popir.PyStepIO({}, anchors))
    np.testing.assert_array_equal(anchors[y], first)
    with pytest.raises(popart_exception, match="two words of 32 bits; given was"):
        session.setRNGState([1])
    early = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    early.setRandomSeed(7 << 32 | 3)
    early.prepareDevice()
    early.run(popir.PyStepIO({}, anchors))
    np.testing.assert_array_equal(anchors[y], first)


def test_a_graph_called_by_others_is_in_the_json_too() -> None:
    builder = popir.Builder()
    builder.setGraphName("mine")
    x = builder.addInputTensor("FLOAT", [2], "x")
    y = builder.aiOnnx.add([x, x])
    builder.addOutputTensor(y)
    assert run(builder.getModelProto(), {"x": floats(2)}, [y])
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    text = session._serializeIr()
    assert text.startswith('{"mine": [{"type": "Add')
    with pytest.raises(popart_exception, match="takes a member of IrSerializationFormat"):
        session._serializeIr("JSON")  # type: ignore[arg-type]


def test_errors_have_popart_s_words_where_its_programs_compare_them() -> None:
    builder = popir.Builder()
    y = builder.aiOnnx.relu([builder.addInputTensor("FLOAT", [2])])
    builder.addNodeAttribute("test", 1, y)
    art = popir.AnchorReturnType
    for use, words, ours in (
        (
            lambda: builder.addNodeAttribute("test", 1, y),
            "Node already has attribute test.",
            "Relu",
        ),
        (lambda: builder.getInt64NodeAttribute("no", y), "Node does not have an attribute no.", ""),
        (
            lambda: builder.removeNodeAttribute("no", y),
            "Cannot remove attribute no as it does not exist.",
            "it has: test",
        ),
        (lambda: art("x"), "Invalid anchor return type ID supplied: x", "there are Final, EveryN"),
        (lambda: art("EVERYN"), "Must specify return period with option 'EVERYN'", "at least 1"),
        (lambda: art("EVERYN", 0), "Anchor return period must be greater than zero", "given was 0"),
        (
            lambda: art("All", 2),
            "A return period should not be supplied for this anchor return type",
            "given was 2",
        ),
        (
            lambda: builder.aiOnnxOpset7,
            "Invalid opset 'aiOnnxOpset7' selected. Opset for domain ai.onnx already defined as "
            "10.",
            "",
        ),
    ):
        with pytest.raises(popart_exception) as error:
            use()
        assert error.value.args[0] == words
        assert ours in str(error.value)


def test_what_stands_in_a_with_block_has_popart_s_classes() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2])
    placed, named = builder.virtualGraph(3), builder.nameScope("layer")
    assert isinstance(placed, popir.AttributeContextManager)
    assert isinstance(builder.outlineAttributes({"a": "b"}), popir.KeyValueContextManager)
    assert isinstance(named, popir.NameContextManager)
    for _ in range(2):  # Each may be entered again, also within itself.
        with placed, placed, named:
            y = builder.aiOnnx.relu([x])
            assert y.startswith("layer/") and builder.getVirtualGraph({y}) == 3
    with pytest.raises(ZeroDivisionError), placed, named:
        print(1 / 0)
    assert not builder.hasVirtualGraph() and builder.getNameScope() == ""


def test_the_classes_of_opsets() -> None:
    for version in range(6, 12):
        builder = popir.Builder()
        made = getattr(builder, f"aiOnnxOpset{version}")
        assert type(made) is getattr(popir, f"AiOnnxOpset{version}")
        assert type(builder.aiGraphcore) is popir.AiGraphcoreOpset1


def test_the_classes_of_arrays() -> None:
    given = popir.PyStepIO({}, {}), popir.PyWeightsIO({})
    assert isinstance(given[0], popir.IStepIO) and isinstance(given[1], popir.IWeightsIO)

    class Own(popir.PyStepIO):
        pass

    class Other(popir.IStepIO):
        pass

    assert Own({}, {}).inputs == {}
    with pytest.raises(popart_exception, match=r"Other: programs in Python do not implement IStep"):
        Other()
    with pytest.raises(popart_exception, match=r"Make a PyWeightsIO"):
        popir.IWeightsIO()
    assert popir.getTensorInfo(np.zeros((2, 3), np.int32)) == popir.TensorInfo("INT32", [2, 3])


def test_an_error_of_memory() -> None:
    nothing = popir.OutOfMemoryError()
    assert nothing.isSuccessful() and str(nothing) == nothing.getSummaryReport() == ""
    error = popir.OutOfMemoryException("too large", lambda: "by tile").error
    assert not error.isSuccessful() and repr(error) == "popart.OutOfMemoryError: too large"
    again = popir.OutOfMemoryException(error)
    assert (str(again), again.getSummaryReport(), again.getProfilePath()) == (
        "too large",
        "by tile",
        "",
    )


def test_settings_that_stand_alone() -> None:
    assert popir.SessionOptions(numIOTiles=popir.NumIOTiles(32)).numIOTiles == 32
    assert popir.NumIOTiles() == 0
    strategies = popir.AutodiffStitchStrategy
    assert popir.AutodiffSettings().stitchStrategy is strategies.RecomputeAllNonInputs
    with pytest.raises(popart_exception, match=r"= AddFwdOutputs: gradients of called graphs are"):
        popir.AutodiffSettings(strategies.AddFwdOutputs)
    options = popir.SessionOptions()
    with pytest.warns(DeprecationWarning, match="former name of serializedPoprithmsShiftGraphsDir"):
        assert options.serializedPoprithmsAnnealGraphsDir == ""


def test_a_session_checks_that_nothing_is_overwritten_too_early() -> None:
    """PopART's Session.checkInplacingAmbiguity."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2])
    y = builder.aiOnnx.relu([builder.aiOnnx.neg([x])])
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createCpuDevice(),
    )
    session.checkInplacingAmbiguity()
    first, second = session.graph.schedule()
    session.graph.addConstraint(second, first)
    with pytest.raises(popir.VerificationError, match="wait for each other"):
        session.checkInplacingAmbiguity()
