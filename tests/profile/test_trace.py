"""Traces: the format as Perfetto documents it, and the same cycles as the profile's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from popir.profile import Profile, saveTrace, traceOf
from tests.profile import models


@pytest.fixture(scope="module")
def profile() -> Profile:
    return models.profile(loss=True)


def slices(trace: dict[str, Any], lane: str) -> list[dict[str, Any]]:
    names = {
        e["args"]["name"]: e["tid"] for e in trace["traceEvents"] if e["name"] == "thread_name"
    }
    return [e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == names[lane]]


def test_events_have_the_documented_form(profile: Profile, tmp_path: Path) -> None:
    """Complete events (X), counters (C) and metadata (M), each with the keys that they need."""
    saveTrace(profile, tmp_path / "t.json")
    trace = json.loads((tmp_path / "t.json").read_text())
    assert trace == traceOf(profile)
    assert trace["displayTimeUnit"] in ("ms", "ns")
    keys = {"X": {"name", "ts", "dur", "tid"}, "C": {"name", "ts", "args"}, "M": {"name", "args"}}
    for event in trace["traceEvents"]:
        assert {"ph", "pid"} | keys[event["ph"]] <= event.keys()
        assert event["ph"] != "C" or all(type(v) is int for v in event["args"].values())
        assert all(event.get(key, 0) >= 0 for key in ("ts", "dur"))
    assert {e["name"] for e in trace["traceEvents"] if e["ph"] == "C"} == {"live bytes"}


def test_slices_are_as_long_as_the_program(profile: Profile) -> None:
    trace, totals = traceOf(profile), profile.data["totals"]
    cycle = 1e6 / profile.data["machine"]["clock_hz"]
    for lane in ("compute", "exchange", "sync"):
        length = sum(each["dur"] for each in slices(trace, lane))
        assert length == pytest.approx(totals[f"{lane}_cycles"] * cycle, rel=1e-9)
    # What streams bring is spread over tiles by no operator.
    streams = sum(s["cycles"] for s in profile.data["steps"] if s["operator"] is None) * cycle
    for lane, without in (("steps", 0), ("operators", streams)):
        assert sum(each["dur"] for each in slices(trace, lane)) == pytest.approx(
            totals["seconds"] * 1e6 - without, rel=1e-9
        )
    names = {(each["name"], each["cat"]) for each in slices(trace, "operators")}
    assert ("layer1/fc", "ai.onnx.MatMul") in names


def test_slices_of_a_track_do_not_overlap(profile: Profile) -> None:
    trace = traceOf(profile)
    for lane in ("operators", "steps", "sync", "exchange", "compute", "host"):
        rows = slices(trace, lane)
        assert rows
        for one, next in zip(rows, rows[1:], strict=False):
            assert one["ts"] + one["dur"] <= next["ts"] * (1 + 1e-12) + 1e-9


def test_a_part_begins_where_the_one_before_it_ends(profile: Profile) -> None:
    """Sync, exchange, compute: the order of a phase."""
    trace = traceOf(profile)
    (first,) = slices(trace, "steps")[:1]
    ends = first["ts"]
    for lane in ("sync", "exchange", "compute"):
        part = next((e for e in slices(trace, lane) if e["ts"] < first["ts"] + first["dur"]), None)
        if part is not None:
            assert part["ts"] == pytest.approx(ends)
            ends = part["ts"] + part["dur"]
    assert ends == pytest.approx(first["ts"] + first["dur"])
