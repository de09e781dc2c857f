"""The loop over patterns, and which of them a session uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import popir
from popir import Patterns, PatternsLevel, pattern
from popir.errors import DuplicateOperatorError, VerificationError, popart_exception
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


def result(patterns: Patterns | None = None, name: str = "", anchorInside: bool = False) -> Any:
    proto, x, y = model(name)
    inside = next(iter(popir.onnxio.importer.importModel(proto).schedule())).outId(0)
    session = popir.InferenceSession(
        proto,
        popir.DataFlow(1, [y, inside] if anchorInside else [y]),
        popir.DeviceManager().createCpuDevice(),
        patterns=patterns,
    )
    session.prepareDevice()
    out = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: X}, out))
    return out[y]


def isTanh(values: Any) -> bool:
    return bool(np.allclose(values, -np.tanh(X), rtol=1e-5))


def test_a_pattern_rewrites(register: Any) -> None:
    assert not isTanh(result())
    register(ExpToTanh, "ExpToTanh")
    assert isTanh(result())


def test_a_pattern_refuses_with_a_reason(register: Any, caplog: pytest.LogCaptureFixture) -> None:
    register(ExpToTanh, "ExpToTanh")
    with caplog.at_level("DEBUG", "popir.patterns"):
        assert not isTanh(result(name="keep"))
    assert any(
        "ExpToTanh leaves Op(" in r.getMessage() and "to be kept" in r.getMessage()
        for r in caplog.records
    )


def test_a_pattern_leaves_anchored_tensors_alone(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh")
    assert not isTanh(result(anchorInside=True))


def test_patterns_are_switched_by_name_and_level(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh", enabled=False)
    assert not isTanh(result())
    assert isTanh(result(Patterns().enablePattern("ExpToTanh", True)))
    assert isTanh(result(Patterns(["ExpToTanh"])))
    assert isTanh(result(Patterns(PatternsLevel.All)))
    assert not isTanh(result(Patterns(PatternsLevel.NoPatterns)))


def test_an_unknown_pattern_is_refused() -> None:
    with pytest.raises(popart_exception, match=r"Unknown pattern 'InPlac'. Did you mean 'InPlace'"):
        Patterns(["InPlac"])


def test_names_of_popart_are_accepted() -> None:
    patterns = Patterns(["PreUniRepl"])
    assert patterns.isPatternEnabled("PreUniRepl")
    patterns.InPlace = False  # type: ignore[attr-defined]
    assert not patterns.isPatternEnabled("InPlace")


def test_two_libraries_with_one_pattern_name(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh", source="/a.so")
    with pytest.raises(DuplicateOperatorError, match=r"'ExpToTanh' of /b.so is refused: /a.so"):
        popir.PatternCreator(ExpToTanh, "ExpToTanh", source="/b.so")


def test_a_pattern_without_end_is_named(register: Any) -> None:
    register(Restless, "Restless")
    with pytest.raises(popart_exception, match=r"The patterns Restless still change the graph"):
        result()


def test_a_pattern_that_breaks_the_graph_is_found_after_its_pass(register: Any) -> None:
    register(Breaking, "Breaking")
    with pytest.raises(
        VerificationError, match=r"After the pass rewrite \(passes run: .*, rewrite\)"
    ):
        result()


def test_mandatory_patterns_run_at_the_minimal_level(register: Any) -> None:
    register(ExpToTanh, "ExpToTanh", mandatory=True)
    assert isTanh(result(Patterns(PatternsLevel.Minimal)))
    assert run(*model()[:1], {model()[1]: X}, [model()[2]])
