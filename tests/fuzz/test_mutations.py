"""A few of the cases of `python -m tests.fuzz mutations`, and whether it would notice."""

import random
import sys
from pathlib import Path

import pytest
from onnx import ModelProto

from tests.fuzz import mutants as cases
from tests.fuzz.mutations import CHANGES, mutated
from tests.fuzz.runner import Worker, fuzz, signature
from tests.fuzz.seeds import seeds


def test_mutated_models() -> None:
    totals = fuzz("mutations", range(200), "suite", 60, 1)
    assert totals.cases == 200
    assert not totals.findings
    assert totals.outcomes["save: success"] > 20, "the mutations leave nothing whole"
    assert sum(n for what, n in totals.outcomes.items() if "Error" in what) > 80


def test_seeds_are_models(tmp_path: Path) -> None:
    rng = random.Random(0)
    for seed in [*seeds()[:5], *rng.sample(seeds(), 5)]:
        for name, data in seed.files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
        (tmp_path / "model.onnx").write_bytes(seed.model.SerializeToString())
        found = cases.outcome(cases.Case(tmp_path / "model.onnx"))
        assert "finding" not in found
        if seed.name != "with_subgraphs":
            assert found == {"stage": "save", "outcome": "success"}, seed.name


def test_a_case_is_the_same_each_time() -> None:
    seed = seeds()[0]
    first, again, other = (mutated(random.Random(n), seed) for n in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_changes_something(change: object) -> None:
    changed = 0
    for n in range(40):
        rng = random.Random(n)
        seed = rng.choice(seeds())
        model = ModelProto()
        model.CopyFrom(seed.model)
        try:
            change(rng, model)  # type: ignore[operator]
        except (ValueError, TypeError, IndexError):
            continue
        changed += model != seed.model
    assert changed >= 10


SUCCESS = '{"stage": "run", "outcome": "success"}'


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("import os; os.abort()", "crash"),
        ("import time; time.sleep(60)", "hang"),
        (f"print({SUCCESS!r}, flush=True); input()", "success"),
    ],
)
def test_crashes_and_hangs_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, expected: str
) -> None:
    monkeypatch.setattr(
        Worker, "command", [sys.executable, "-c", f"print('ready', flush=True); input(); {program}"]
    )
    worker = Worker("mutations", tmp_path / "case", "seed", 2)
    try:
        found = worker.run(0)
    finally:
        worker.stop()
    assert found["outcome"] == expected
    assert ("finding" in found) == (expected != "success")


def test_other_errors_are_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(path: Path) -> None:
        raise KeyError("a")

    monkeypatch.setattr(cases, "import_model", wrong)
    (tmp_path / "model.onnx").touch()
    found = cases.outcome(cases.Case(tmp_path / "model.onnx"))
    assert found["outcome"] == "KeyError" and signature(found).startswith("KeyError")
