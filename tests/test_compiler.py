"""The graph is verified at the end of compiling, and after each pass where that is asked for."""

from __future__ import annotations

import pytest

import popir
from popir import compiler
from popir.compiler import Compilation
from popir.errors import VerificationError
from tests.models import floats


def lose_an_operator(c: Compilation) -> None:
    """Leaves a tensor without a producer."""
    c.graph.eraseOp(next(iter(c.graph.ops)))


@pytest.fixture(autouse=True)
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass that is wrong, before the last one that changes the graph."""
    at = [of.__name__ for of in compiler.PASSES].index("overwrite")
    passes = [*compiler.PASSES[:at], lose_an_operator, *compiler.PASSES[at:]]
    monkeypatch.setattr(compiler, "PASSES", passes)


def session(options: dict[str, str]) -> popir.InferenceSession:
    builder = popir.Builder()
    x = builder.addInputTensor(floats(2))
    y = builder.aiOnnx.exp([builder.aiOnnx.neg([x])])
    builder.addOutputTensor(y)
    asked = popir.SessionOptions()
    asked.engineOptions.update(options)
    device = popir.DeviceManager().createCpuDevice()
    flow = popir.DataFlow(1, [y])
    return popir.InferenceSession(builder.getModelProto(), flow, device, userOptions=asked)


def test_the_end_finds_a_wrong_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POPLAR_ENGINE_OPTIONS")
    words = r"After the passes .*, lose_an_operator, overwrite.*: .* debug.verifyPlan = 'true'"
    with pytest.raises(VerificationError, match=words):
        session({})


def test_the_option_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POPLAR_ENGINE_OPTIONS")
    with pytest.raises(VerificationError, match=r"After the pass lose_an_operator \(passes run: "):
        session({"debug.verifyPlan": "true"})


def test_so_does_the_variable() -> None:
    with pytest.raises(VerificationError, match=r"After the pass lose_an_operator \(passes run: "):
        session({})
