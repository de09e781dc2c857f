"""Annotations of nodes: that each does what its row of the table says."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

import popir
from popir.errors import OperatorAttributeError
from popir.options import Kind, OptionWarning
from popir.options.annotations import ANNOTATIONS
from tests.toolchain import ROOT

OFFER: dict[str, Callable[[popir.Builder, str], object]] = {
    "schedulePriority": lambda b, y: b.schedulePriority(y, 2.0),
    "setEnableConvDithering": lambda b, y: b.setEnableConvDithering(y, 1),
}
"""How each annotation that does not act is set to what is not done."""


def session(annotate: Callable[[popir.Builder, str], object], **more: Any) -> Any:
    """A session of x -> Relu -> Neg -> Relu, the last two annotated."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    h = builder.aiOnnx.relu([builder.addInputTensor("FLOAT", [64, 64], "x")], "first")
    for name in ("second", "third"):
        h = builder.aiOnnx.neg([h], name)
        annotate(builder, h)
    builder.addOutputTensor(h)
    return popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [h]),
        popir.DeviceManager().createCpuDevice(),
        **more,
    )


def types(made: Any) -> list[str]:
    return [op.opid.type for op in made.graph.schedule()]


def test_every_annotation_that_does_not_act_is_tested() -> None:
    assert set(OFFER) == {row.name for row in ANNOTATIONS if row.kind is not Kind.ACTS}
    for row in ANNOTATIONS:
        if row.kind is Kind.ACTS:
            file, _, name = row.test.partition("::")
            tree = ast.parse((ROOT / file).read_text())
            assert name in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, row.test


@pytest.mark.parametrize(
    "row", [r for r in ANNOTATIONS if r.kind is Kind.NO_MEANING], ids=lambda r: r.name
)
def test_what_has_no_meaning_is_said_once(row: Any) -> None:
    with pytest.warns(OptionWarning) as said:
        session(OFFER[row.name])
    assert len(said) == 1 and said[0].filename == __file__
    assert f"{row.name} = " in str(said[0].message)
    assert str(said[0].message).endswith(f"has no meaning here: {row.reason}")
    assert "second" in str(said[0].message)


@pytest.mark.parametrize(
    "row", [r for r in ANNOTATIONS if r.kind is Kind.REFUSED], ids=lambda r: r.name
)
def test_what_is_refused_names_the_node(row: Any) -> None:
    with pytest.raises(OperatorAttributeError) as error:
        session(OFFER[row.name])
    assert "second" in str(error.value) and f"{row.name} = " in str(error.value)
    assert str(error.value).endswith(row.reason)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pipelineStage", "SessionOptions.enablePipelining is False."),
        ("executionPhase", "SessionOptions.executionPhaseSettings.phases is less than 2"),
    ],
)
def test_a_stage_or_a_phase_without_its_option_is_said_once(name: str, why: str) -> None:
    with pytest.warns(OptionWarning) as said:
        session(lambda b, y: getattr(b, name)(y, 0))
    assert len(said) == 1 and said[0].filename == __file__
    assert "second" in str(said[0].message)
    assert f"{name} = 0 " in str(said[0].message)
    assert f"has no meaning here: {why}" in str(said[0].message)


def test_what_asks_for_what_is_done_anyway_is_taken() -> None:
    session(lambda b, y: b.setPartialsType(y, "FLOAT"))
    session(lambda b, y: b.setEnableConvDithering(y, 0))
    session(lambda b, y: b.setSerializeMatMul(y, "none"))
    session(lambda b, y: b.recomputeOutput(y, 1))
    session(lambda b, y: b.checkpointOutput([y]))


def test_an_annotation_that_nobody_knows() -> None:
    with pytest.raises(
        OperatorAttributeError,
        match=r"second.*no annotation '__ipu_numbr'. Did you mean '__ipu_number'",
    ):
        session(lambda b, y: b.addNodeAttribute("__ipu_numbr", 1, y))


def test_excluded_patterns_leave_a_node_alone() -> None:
    assert types(session(lambda b, y: None)) == ["Relu", "NegInplace", "NegInplace"]
    found = session(lambda b, y: b.excludePatterns(y, ["InPlace"]))
    assert types(found) == ["Relu", "Neg", "Neg"]


def test_inplace_preferences_choose_the_variant() -> None:
    found = session(lambda b, y: b.setInplacePreferences(y, {"NegInplace": -1.0}))
    assert types(found) == ["Relu", "Neg", "Neg"]


def test_outline_attributes_keep_pieces_apart() -> None:
    def made(names: list[str]) -> list[str]:
        builder = popir.Builder(opsets={"ai.onnx": 17})
        h = builder.addInputTensor("FLOAT", [8, 8], "x")
        w = builder.addInputTensor("FLOAT", [8, 8], "w")
        for name in names:
            with builder.outlineAttributes({"block": name}):
                h = builder.aiOnnx.relu([builder.aiOnnx.matmul([h, w])])
        builder.addOutputTensor(h)
        options = popir.SessionOptions(
            outlineThreshold=-1.0, enableOutliningCopyCostPruning=False, enableOutlining=True
        )
        device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})
        flow = popir.DataFlow(1, [h])
        return types(
            popir.InferenceSession(builder.getModelProto(), flow, device, userOptions=options)
        )

    assert made(["a", "a"]) == ["Call", "Call"]
    assert "Call" not in made(["a", "b"])
