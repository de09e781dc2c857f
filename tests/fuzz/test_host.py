"""Random models with operators on the host: a short run, and whether differences are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from popir import host
from tests.fuzz.host import different, judge, make, run
from tests.fuzz.host_operators import MAKERS
from tests.fuzz.runner import fuzz

CASES = 150


def test_short_run(tmp_path: Path) -> None:
    totals = fuzz("host", range(CASES), "suite", 60, 1, tmp_path)
    assert not totals.findings
    assert totals.outcomes["host: equal"] > 0.95 * CASES


def test_every_operator_is_made() -> None:
    known = {entry.opid.type for entry in host.registered()}
    maps = {"CastMap", "DictVectorizer"}
    inside = {"OptionalHasElement", "OptionalGetElement"}  # Optional's maker adds them.
    plain = {"LinearClassifier", "ImageDecoder", "CastLike"}
    assert known - maps - inside - plain <= set(MAKERS)


def test_the_same_number_is_the_same_case() -> None:
    first, second = (make("suite", 7)[0] for _ in range(2))
    assert first.nodes == second.nodes
    assert first.feeds().keys() == second.feeds().keys()


@pytest.mark.parametrize(
    ("got", "want", "says"),
    [
        (np.float32([1]), np.float32([1.00001]), ""),
        (np.float32([1]), np.float32([2]), "instead of"),
        (np.float32([1]), np.float32([[1]]), r"float32[1] instead of float32[1, 1]"),
        (np.int64([1]), np.int32([1]), "int64[1] instead of int32[1]"),
        ("a", np.array("a", object), "instead of an array"),
        ([np.int64([1])], [np.int64([1]), np.int64([1])], "instead of"),
        ([np.int64([1])], [np.int64([2])], "[1] instead of [2]"),
        ({"a": 1.0}, {"b": 1.0}, "instead of"),
        ({"a": 1.0}, {"a": 2.0}, "1.0 instead of 2.0"),
    ],
)
def test_what_differs(got: object, want: object, says: str) -> None:
    text = different(got, want)
    assert says in text if says else not text


def test_a_wrong_operator_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [
        n for n in range(60) if any(i.op_type == "NonZero" for i in make("suite", n)[0].nodes)
    ]
    entry = host.find("ai.onnx", "NonZero", 13)
    assert entry is not None
    monkeypatch.setattr(type(entry), "run", lambda *_: [np.zeros([1, 0], np.int64)])
    assert any(judge(*make("suite", n)).kind for n in numbers)
    found = [run(tmp_path / "case", "suite", n) for n in numbers]
    assert any("NonZero" in each.get("signature", "") for each in found)
