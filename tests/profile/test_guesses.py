"""Cycles that no published formula says are a guess, and every report marks them: the text of the
machine's report, the command's, the JSON, and the page in a real browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest

import popir
from popir.profile import saveHtml
from tests.browser import Browser, browser
from tests.cli.commands import call
from tests.profile.test_page import choose_table, table

FLOAT = "FLOAT"


class Case(NamedTuple):
    """An operator, its inputs, and classes of vertices that nothing is published of: MapExpr is
    several operators in one loop.
    """

    make: Callable[[popir.Builder, list[str]], Any]
    inputs: list[tuple[str, list[int]]]
    guesses: set[str]


def constant(builder: popir.Builder, values: Any, dtype: Any) -> str:
    return builder.aiOnnx.constant(np.array(values, dtype))


def bytes_of(builder: popir.Builder, x: str) -> str:
    return builder.aiOnnx.cast([x], "INT8")


def exp_of_doubles(builder: popir.Builder, i: list[str]) -> str:
    op = builder.aiOnnx
    return op.cast([op.exp([op.cast(i, "DOUBLE")])], FLOAT)


CASES = {
    "GridSample": Case(
        lambda b, i: b.aiOnnx.gridsample(i),
        [(FLOAT, [1, 2, 6, 6]), (FLOAT, [1, 4, 4, 2])],
        {"popops::MapExpr"},
    ),
    "RoiAlign": Case(
        lambda b, i: b.aiOnnx.roialign(
            [*i, constant(b, [0, 0], np.int64)], output_height=2, output_width=2
        ),
        [(FLOAT, [1, 2, 8, 8]), (FLOAT, [2, 4])],
        {"popnn::RoiPooling", "popops::MapExpr"},
    ),
    "LRN": Case(lambda b, i: b.aiOnnx.lrn(i, 3), [(FLOAT, [1, 8, 4, 4])], {"popops::MapExpr"}),
    "Hardmax": Case(
        lambda b, i: b.aiOnnx.hardmax(i),
        [(FLOAT, [4, 16])],
        {"popops::BroadcastVectorInner"},
    ),
    "Celu": Case(lambda b, i: b.aiOnnx.celu(i), [(FLOAT, [4, 16])], {"popops::MapExpr"}),
    "RandomUniformLike of doubles": Case(
        lambda b, i: b.aiOnnx.randomuniformlike(i, dtype=onnx.TensorProto.DOUBLE),
        [(FLOAT, [4, 16])],
        {"poprand::Uniform"},
    ),
    "TopK of bytes": Case(
        lambda b, i: b.aiOnnx.topk([bytes_of(b, i[0]), constant(b, [2], np.int64)])[0],
        [(FLOAT, [4, 16])],
        {"popops::TopK"},
    ),
    "Exp of doubles": Case(
        exp_of_doubles, [(FLOAT, [4, 16])], {"popops::Cast1D", "popops::UnaryOp1DInPlace"}
    ),
    "MaxPool's indices": Case(
        lambda b, i: b.aiOnnx.maxpool(i, 2, [2, 2])[1],
        [(FLOAT, [1, 2, 4, 4])],
        {"popnn::MaxPoolingIndex"},
    ),
    "ReverseSequence": Case(
        lambda b, i: b.aiOnnx.reversesequence([*i, constant(b, [2, 3, 4, 4], np.int64)]),
        [(FLOAT, [6, 4])],
        {"popops::MapExpr"},
    ),
}


def session(case: Case, file: Path) -> popir.InferenceSession:
    """The operator's session; its model is written to `file`."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    y = case.make(builder, [builder.addInputTensor(dtype, shape) for dtype, shape in case.inputs])
    builder.addOutputTensor(y)
    onnx.save(onnx.load_from_string(builder.getModelProto()), file)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 16})
    made = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    made.prepareDevice(loadEngine=False)
    return made


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.mark.parametrize("name", CASES)
def test_every_report_marks_a_guess(name: str, chromium: Browser, tmp_path: Path) -> None:
    model, page_file = tmp_path / "model.onnx", tmp_path / "report.html"
    made = session(CASES[name], model)
    guesses = CASES[name].guesses
    report, profile = made.getReport(), made.getProfile()
    assert {row.vertexClass for row in report.operations if row.source == "guess"} == guesses
    for each in guesses:
        assert f"vertices of class '{each}' are a guess" in report.summary
    data = json.loads(profile.json())
    assert {row["vertex"] for row in data["operations"] if row["source"] == "guess"} == guesses
    text = call("profile", model, "--tiles", 16).stdout
    assert f"a guess, as nothing is published: {', '.join(sorted(guesses))}" in text
    saveHtml(profile, page_file)
    with chromium.page(page_file) as page:
        notes = page.locator("#counted li").all_text_contents()
        for each in guesses:
            assert any(f"'{each}' are a guess" in note for note in notes)
        choose_table(page, "operations")
        shown = [row for row in table(page) if row[2] == "guess"]
        assert {row[1] for row in shown} == guesses
