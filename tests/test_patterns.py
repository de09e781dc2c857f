"""The loop over patterns, and which of them a session uses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

import popir
from popir import Patterns, PatternsLevel, pattern
from popir.errors import DuplicateOperatorError, VerificationError, popart_exception
from popir.patterns import apply_patterns
from popir.patterns.popart import ALIASES, NOT_HERE
from tests.models import floats, run


class ExpToTanh(popir.Rewrite):
    """Replaces Exp by Tanh, but for one called "keep"."""

    def pattern(self, op: popir.Op) -> bool:
        return op.opid.type == "Exp"

    def check(self, op: popir.Op) -> str | None:
        return "it is to be kept" if "keep" in op.name() else None

    def rewrite(self, op: popir.Op) -> None:
        graph, source, target = op.graph, op.inId(0), op.outId(0)
        op.disconnectAllInputs()
        op.disconnectAllOutputs()
        graph.eraseOp(op.id)
        settings = popir.Op.Settings(graph, op.name())
        tensors = [graph.getTensor(source)]
        graph.createConnectedOp(
            popir.registry.createOp,
            {0: source},
            {0: target},
            "ai.onnx",
            "Tanh",
            13,
            settings,
            {},
            tensors,
        )


class Restless(ExpToTanh):
    """Says that it changed something, and did not."""

    def rewrite(self, op: popir.Op) -> None:
        pass


class Breaking(ExpToTanh):
    """Leaves a tensor without a producer."""

    def rewrite(self, op: popir.Op) -> None:
        op.graph.eraseOp(op.id)


@pytest.fixture
def register() -> Iterator[Any]:
    names: list[str] = []

    def add(made: Any, name: str, **keywords: Any) -> None:
        popir.PatternCreator(made, name, **keywords)
        names.append(name)

    yield add
    for name in names:
        pattern.remove(name)


def model(name: str = "") -> tuple[bytes, str, str]:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [3])
    h = builder.aiOnnx.exp([x], name)
    y = builder.aiOnnx.neg([h])
    builder.addOutputTensor(y)
    return builder.getModelProto(), x, y


X = floats(3)


def result(patterns: Patterns | None = None, name: str = "", anchor_inside: bool = False) -> Any:
    proto, x, y = model(name)
    inside = next(iter(popir.onnxio.importer.import_model(proto).schedule())).outId(0)
    session = popir.InferenceSession(
        proto,
        popir.DataFlow(1, [y, inside] if anchor_inside else [y]),
        popir.DeviceManager().createCpuDevice(),
        patterns=patterns,
    )
    session.prepareDevice()
    out = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: X}, out))
    return out[y]


def is_tanh(values: Any) -> bool:
    return bool(np.allclose(values, -np.tanh(X), rtol=1e-5))


def test_a_pattern_rewrites(register: Any) -> None:
    assert not is_tanh(result())
    register(ExpToTanh, "ExpToTanh")
    assert is_tanh(result())


def test_a_pattern_refuses_with_a_reason(register: Any, caplog: pytest.LogCaptureFixture) -> None:
    register(ExpToTanh, "ExpToTanh")
    with caplog.at_level("DEBUG", "popir.patterns"):
        assert not is_tanh(result(name="keep"))
    assert any(
        "ExpToTanh leaves Op(" in r.getMessage() and "to be kept" in r.getMessage()
        for r in caplog.records
    )


def test_a_pattern_leaves_anchored_tensors_alone(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh")
    assert not is_tanh(result(anchor_inside=True))


def test_patterns_are_switched_by_name_and_level(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh", enabled=False)
    assert not is_tanh(result())
    assert is_tanh(result(Patterns().enablePattern("ExpToTanh", True)))
    assert is_tanh(result(Patterns(["ExpToTanh"])))
    assert is_tanh(result(Patterns(PatternsLevel.All)))
    assert not is_tanh(result(Patterns(PatternsLevel.NoPatterns)))


OWN = [
    "PreUniRepl",
    "PostNRepl",
    "NlllWithSoftMaxGradDirect",
    "SoftMaxGradDirect",
    "OpToIdentity",
    "ViewSimplify",
    "ExpandCast",
    "PowerToProduct",
    "LayerNormFusion",
    "GeluFusion",
    "QuantizedProducts",
    "QuantizedScales",
    "QuantizedMoves",
    "PadSum",
    "TiedGather",
    "TiedGatherAccumulate",
]
DEFAULT = [*OWN[:-2], "InPlace"]


def uses(of: Patterns) -> list[str]:
    return [name for name in [*OWN, "InPlace"] if of.isPatternEnabled(name)]


def test_the_names_are_those_of_the_patterns_that_there_are() -> None:
    assert Patterns.getAllPreAliasPatternNames() == OWN
    folder = Path(popir.patterns.__file__).parent
    words = {name.replace("_", "") for name in (path.stem for path in folder.glob("*.py"))}
    assert {name.lower() for name in OWN} <= words
    assert uses(Patterns()) == DEFAULT
    assert uses(Patterns(PatternsLevel.All)) == [*OWN, "InPlace"]
    assert uses(Patterns(PatternsLevel.Minimal)) == uses(Patterns(PatternsLevel.NoPatterns)) == []
    assert uses(Patterns(["PadSum", "InPlace"])) == ["PadSum", "InPlace"]
    assert uses(Patterns([])) == []


def test_patterns_are_attributes() -> None:
    patterns: Any = Patterns(["PreUniRepl"])
    assert patterns.PreUniRepl
    assert not patterns.InPlace
    patterns.InPlace = True
    assert uses(patterns) == ["PreUniRepl", "InPlace"]
    assert "PadSum" in dir(patterns)
    # PopART's C++ spelling of two of them.
    patterns.SoftmaxGradDirect = True
    assert patterns.isPatternEnabled("SoftMaxGradDirect")
    assert patterns.SoftMaxGradDirect
    assert uses(Patterns(["NlllWithSoftmaxGradDirect"])) == ["NlllWithSoftMaxGradDirect"]


@pytest.mark.parametrize(
    "use",
    [
        lambda name: Patterns([name]),
        lambda name: Patterns().enablePattern(name, True),
        lambda name: Patterns().isPatternEnabled(name),
        lambda name: getattr(Patterns(), name),
        lambda name: setattr(Patterns(), name, True),
    ],
)
def test_a_name_that_is_unknown(use: Any) -> None:
    with pytest.raises(popart_exception, match=r"Unknown pattern 'InPlac'. Did you mean 'InPlace'"):
        use("InPlac")


def test_each_pattern_that_only_popart_has_is_taken_with_the_reason_why_it_does_nothing() -> None:
    assert len(NOT_HERE) > 50
    assert not {*NOT_HERE} & {*OWN, *ALIASES, *ALIASES.values(), "InPlace"}
    for name, reason in NOT_HERE.items():
        assert re.fullmatch(r"[A-Za-z][^.]+[^. ]", reason), name
        with pytest.warns(popir.options.OptionWarning, match=re.escape(f"here: {reason}.")):
            patterns = Patterns([name])
        assert patterns.isPatternEnabled(name)
        assert not patterns.enablePattern(name, False).isPatternEnabled(name)
        assert not getattr(Patterns(PatternsLevel.All), name)


def test_an_operator_may_exclude_a_pattern_that_only_popart_has() -> None:
    builder = popir.Builder()
    y = builder.aiOnnx.relu([builder.addInputTensor("FLOAT", [2])])
    builder.excludePatterns(y, ["MatMulLhsGradOp"])
    builder.addOutputTensor(y)
    assert run(builder.getModelProto(), {"input": floats(2)}, [y])


@pytest.mark.parametrize("choice", ["Default", 2, None, b"PadSum"])
def test_a_choice_of_another_type_is_refused(choice: Any) -> None:
    with pytest.raises(
        popart_exception,
        match=r"Patterns takes a member of PatternsLevel .* or a list of strings as choice",
    ):
        Patterns(choice)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_a_switch_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(
        popart_exception, match=r"Patterns.enablePattern takes True or False as enable; g"
    ):
        Patterns().enablePattern("PadSum", value)
    with pytest.raises(popart_exception, match="enableRuntimeAsserts takes True or False as"):
        Patterns().enableRuntimeAsserts(value)


def test_a_mandatory_pattern_must_be_used(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh", mandatory=True)
    with pytest.raises(popart_exception, match="'ExpToTanh' is mandatory; it cannot be disabled"):
        Patterns().enablePattern("ExpToTanh", False)
    words = r"'ExpToTanh' of python is mandatory and must be enabled, by .*enableRuntimeAsserts\(F"
    for patterns in (Patterns(PatternsLevel.NoPatterns), Patterns(["PadSum"])):
        with pytest.raises(popart_exception, match=words):
            result(patterns)
        assert not is_tanh(result(patterns.enableRuntimeAsserts(False)))
    assert is_tanh(result(Patterns(["ExpToTanh"])))


def test_a_session_says_what_patterns_did(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh")

    def decisions(name: str, anchor_inside: bool = False) -> list[str]:
        proto, _, y = model(name)
        inside = next(iter(popir.onnxio.importer.import_model(proto).schedule())).outId(0)
        anchors = [y, inside] if anchor_inside else [y]
        device = popir.DeviceManager().createCpuDevice()
        session = popir.InferenceSession(proto, popir.DataFlow(1, anchors), device)
        return [str(d) for d in session.decisions if d.what == "ExpToTanh"]

    (done,) = decisions("")
    assert re.fullmatch(r"ExpToTanh for Op\(0, ai.onnx.Exp:6, .*\): done", done)
    (refused,) = decisions("keep")
    assert refused.endswith("outputs=['keep/Exp:0']): it is to be kept")
    (kept,) = decisions("", anchor_inside=True)
    assert kept.endswith("'Exp:0' is kept: an anchor, the loss, or an output")


def test_an_excluded_pattern_that_there_is_not_is_refused() -> None:
    builder = popir.Builder()
    y = builder.aiOnnx.exp([builder.addInputTensor("FLOAT", [3], "x")])
    builder.addOutputTensor(y)
    builder.excludePatterns(y, ["PadSum", "PostNRep", "InPlace"])
    words = "Exp.* excludes patterns .*Unknown pattern 'PostNRep'. Did you mean 'PostNRepl'"
    with pytest.raises(popart_exception, match=words):
        run(builder.getModelProto(), {"x": X}, [y])


def chain(n: int, *nodes: tuple[str, dict[str, Any]]) -> Any:
    """The graph of n operators, one after another."""
    names = ["x", *(f"t{i}" for i in range(n - 1)), "y"]
    made = [
        helper.make_node(kind, [a], [b], **attributes)
        for (kind, attributes), a, b in zip(itertools.cycle(nodes), names, names[1:], strict=False)
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(made, "chain", [value("x", 1, [2, 3])], [value("y", 1, [2, 3])])
    imports = [helper.make_opsetid("", 13)]
    return popir.onnxio.importer.import_model(
        helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    )


@pytest.mark.parametrize("length", [1000, 4000])
def test_each_operator_is_looked_at_a_few_times(register: Any, length: int) -> None:
    """However long a chain is that patterns take apart one operator after another."""
    looked = [0]

    class Counting(ExpToTanh):
        def pattern(self, op: popir.Op) -> bool:
            looked[0] += 1
            return False

    register(Counting, "Counting")
    perm = ("Transpose", {"perm": [0, 1]})
    graph = chain(length, ("Identity", {}), ("Exp", {}), perm, ("Flatten", {"axis": 1}))
    decisions = apply_patterns(graph, Patterns(), ["y"])
    assert sum(d.reason is None for d in decisions) >= length
    assert {op.opid.type for op in graph.ops.values()} <= {"Exp", "Identity"}
    assert looked[0] < 8 * length


def test_a_pattern_is_shown_the_types_that_it_names(register: Any) -> None:
    class OfNeg(ExpToTanh):
        types = frozenset({"Neg"})

        def pattern(self, op: popir.Op) -> bool:
            assert op.opid.type == "Neg"
            return False

    register(OfNeg, "OfNeg")
    assert not is_tanh(result())


def test_two_libraries_with_one_pattern_name(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh", source="/a.so")
    with pytest.raises(DuplicateOperatorError, match=r"'ExpToTanh' of /b.so is refused: /a.so"):
        popir.PatternCreator(ExpToTanh, "ExpToTanh", source="/b.so")


@pytest.mark.parametrize("name", ALIASES)
def test_a_library_s_pattern_of_a_name_that_popart_has(register: Any, name: str) -> None:
    """It is switched by its own name, and popir's pattern of another name by that."""
    off = Patterns().enablePattern(name, False)
    assert not off.isPatternEnabled(ALIASES[name])
    register(ExpToTanh, name)
    assert is_tanh(result())
    chosen = Patterns().enablePattern(name, False)
    assert not is_tanh(result(chosen))
    chosen.enablePattern(name, True).enablePattern(ALIASES[name], False)
    assert is_tanh(result(chosen))


def test_a_pattern_without_end_is_named(register: Any) -> None:
    register(Restless, "Restless")
    with pytest.raises(popart_exception, match=r"The patterns Restless still change the graph"):
        result()


def test_a_pattern_that_breaks_the_graph_is_named(register: Any) -> None:
    register(Breaking, "Breaking")
    with pytest.raises(VerificationError, match=r"After the patterns Breaking were applied: "):
        result()


def test_mandatory_patterns_run_at_the_minimal_level(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh", mandatory=True)
    assert is_tanh(result(Patterns(PatternsLevel.Minimal)))
    assert run(*model()[:1], {model()[1]: X}, [model()[2]])
