"""Who says what a vertex takes: a published formula, or a guess of popir's, in every report."""

import json
import re

import numpy as np
import pytest

import popir
from popir import poplar
from popir._device import machine
from popir.profile import MachineReport
from tests.machine.test_estimators import op
from tests.toolchain import ROOT

HELD = [poplar.FLOAT, poplar.HALF, poplar.INT, poplar.SIGNED_CHAR]


def guesses(dtype: poplar.Type) -> set[str]:
    return {c for c in machine.vertexClasses() if machine.sourceOfCycles(c, dtype, []) == "guess"}


def test_the_documentation_names_every_guess() -> None:
    """Those of all types, and those of some."""
    page = (ROOT / "docs" / "machine_model.md").read_text()
    named = re.search(r"\| guess \|(.*?)\|\n", page)
    types = re.search(r"\| guess for some types \|(.*?)\|\n", page)
    operators = re.search(r"\| guess for some operators \|(.*?)\|\n", page)
    assert named and types and operators
    always = set.intersection(*map(guesses, HELD))
    assert set(re.findall(r"`(\w+::\w+)`", named[1])) == always
    assert (
        set(re.findall(r"`(\w+::\w+)`", types[1] + operators[1]))
        == set.union(*map(guesses, HELD)) - always
    )


@pytest.mark.parametrize(
    ("vertex_class", "dtype", "sizes", "source"),
    [
        ("popops::Reduce", poplar.FLOAT, [], "estimator"),
        ("popops::Scan", poplar.FLOAT, [], "guess"),
        ("popops::Reduce", poplar.LONGLONG, [], "guess"),
        ("popops::Reduce", poplar.BFLOAT16, [], "guess"),
        ("poplin::ConvPartial1x1Out", poplar.HALF, [1, 8, 8, 8, 1], "estimator"),
        ("poplin::ConvPartial1x1Out", poplar.INT, [1, 8, 8, 8, 1], "guess"),
        ("poplar::Copy", poplar.LONGLONG, [64], "estimator"),
        ("popops::BinaryOp1D", poplar.LONGLONG, [600, op("ADD")], "estimator"),
        ("popops::BinaryOp1D", poplar.SHORT, [600, op("ADD")], "guess"),
        ("popops::BinaryOp1D", poplar.DOUBLE, [600, op("ADD")], "guess"),
        ("popops::UnaryOp1D", poplar.BOOL, [600, op("LOGICAL_NOT")], "estimator"),
        ("popops::BroadcastVectorOuter", poplar.FLOAT, [600, op("DIVIDE"), 6], "guess"),
        ("popops::BroadcastVectorInner", poplar.FLOAT, [600, op("DIVIDE"), 6], "estimator"),
        ("popops::Clamp", poplar.UNSIGNED_INT, [600], "guess"),
        ("popops::Juggle", poplar.FLOAT, [], "unknown"),
    ],
)
def test_a_type_that_no_published_formula_knows_makes_a_guess(
    vertex_class: str, dtype: poplar.Type, sizes: list[int], source: str
) -> None:
    assert machine.sourceOfCycles(vertex_class, dtype, sizes) == source


@pytest.fixture(scope="module")
def session() -> popir.InferenceSession:
    """A running sum, for which nothing is published, and a product."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [8, 64], "x")
    axis = builder.aiOnnx.constant(np.array(1, np.int32))
    w = builder.addInitializedInputTensor(np.ones((64, 32), np.float32), "w")
    y = builder.aiOnnx.matmul([builder.aiOnnx.cumsum([x, axis], debugContext="sums"), w])
    builder.addOutputTensor(y)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 16}),
    )
    session.prepareDevice()
    return session


def test_a_report_marks_what_is_a_guess(session: popir.InferenceSession) -> None:
    report: MachineReport = session.getReport()
    sources = {row.vertexClass: row.source for row in report.operations}
    assert sources["popops::Scan"] == "guess"
    assert sources["poplin::ConvPartial1x1Out"] == "estimator"
    assert re.search(r"\(popops::Scan, 1 time, by guess\)", report.summary)
    notes = [note for note in report.counts if "a guess" in note]
    assert len(notes) == 4 and "'popops::Scan'" in notes[2] and "Code of a class" in notes[3]
    assert "the call of a compute set" in notes[0] and "Each transfer with the host" in notes[1]
    assert notes[0] in report.summary


def test_a_profile_marks_what_is_a_guess(session: popir.InferenceSession) -> None:
    data = json.loads(session.getProfile().json())
    sources = {row["vertex"]: row["source"] for row in data["operations"]}
    assert sources["popops::Scan"] == "guess"
    assert any("'popops::Scan' are a guess" in note for note in data["notes"])
