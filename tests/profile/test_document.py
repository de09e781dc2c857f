"""Profiles: what they say adds up to what the machine report says, and survives a file."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import fastjsonschema
import pytest

from popir.errors import ModelError
from popir.profile import Profile
from popir.profile.document import SCHEMA
from popir.profile.html import htmlOf
from tests.profile import models

PARTS = ("cycles", "compute_cycles", "exchange_cycles", "sync_cycles", "exchange_bytes", "flops")


@pytest.fixture(scope="module")
def training() -> Profile:
    return models.profile(loss=True)


def test_the_schema_describes_every_key(training: Profile) -> None:
    """Whatever a profile holds is described, and nothing that is described is missing."""
    schema = json.loads(SCHEMA.read_text())
    fastjsonschema.compile(schema)(training.data)

    def walk(part, value, where):
        if isinstance(value, dict) and "properties" in part:
            assert value.keys() == part["properties"].keys(), where
            for key, each in part["properties"].items():
                assert "const" in each or each["description"], f"{where}.{key}"
                walk(each, value[key], f"{where}.{key}")
        if isinstance(value, list) and value:
            walk(part["items"], value[0], where)

    walk(schema, training.data, "profile")


def test_it_says_what_the_report_says() -> None:
    session = models.session(loss=True)
    report, data = session.getReport(), session.getProfile().data
    assert data["model"]["training"] and data["model"]["loss"] == "loss/Nll:0"
    assert data["model"]["inputs"] == {"x": "FLOAT[16, 64]", "labels": "INT32[16]"}
    assert data["machine"]["tiles_per_ipu"] == 8
    totals = data["totals"]
    assert totals["cycles"] == report.cycles == session.getCycleCount()
    assert totals["flops"] == report.flops
    assert totals["seconds"] == report.cycles / report.clockHz
    assert data["memory"]["max_tile_bytes"] == report.maxTileBytes
    assert data["notes"] == report.counts


def test_steps_operations_and_operators_add_up(training: Profile) -> None:
    data = training.data
    for part in PARTS[:5]:
        assert sum(s[part] * s["times"] for s in data["steps"]) == data["totals"][part]
    assert sum(o["flops"] for o in data["operations"]) == data["totals"]["flops"]
    for row, operator in enumerate(data["operators"]):
        own = [each for each in data["steps"] if each["operator"] == row]
        for part in PARTS[:5]:
            assert operator[part] == sum(each[part] * each["times"] for each in own)
        flops = sum(each["flops"] for each in data["operations"] if each["operator"] == row)
        assert operator["flops"] == flops
    others = [each for each in data["steps"] if each["operator"] is None]
    assert {each["kind"] for each in others} == {"StreamCopy"}
    assert all(each["compute_cycles"] == 0 for each in others)
    for part in PARTS:
        spread = sum(each[part] * each["times"] for each in others) if part in others[0] else 0
        assert sum(each[part] for each in data["operators"]) + spread == data["totals"][part]
    used = {row for step in data["steps"] for row in step["operations"]}
    assert used == set(range(len(data["operations"])))


def test_memory_adds_up_on_every_tile(training: Profile) -> None:
    memory = training.data["memory"]
    columns = zip(*(each["tile_bytes"] for each in memory["categories"]), strict=True)
    tiles = [sum(column) for column in columns]
    assert len(tiles) == 8
    assert sum(tiles) == memory["total_bytes"]
    assert max(tiles) == tiles[memory["fullest_tile"]] == memory["max_tile_bytes"]
    for each in memory["categories"]:
        assert sum(each["tile_bytes"]) == each["total_bytes"]
        assert each["tile_bytes"][memory["fullest_tile"]] == each["fullest_tile_bytes"]


def test_operators_have_the_models_names(training: Profile) -> None:
    rows = {(each["name"], each["type"]): each for each in training.data["operators"]}
    products = [row for row in rows if row[0].startswith("layer0/fc")]
    assert ("layer0/fc", "MatMul") in products and len(products) > 1, "forwards and backwards"
    forward = rows["layer0/fc", "MatMul"]
    assert forward["flops"] == 2 * 16 * 64 * 64
    assert (forward["weight_bytes"], forward["output_bytes"]) == (64 * 64 * 4, 16 * 64 * 4)
    updates = [each for each in rows.values() if each["type"] == "SGD0VarUpdate"]
    assert len(updates) == 2 and all(each["cycles"] for each in updates)
    assert all(each["operator"] is not None for each in training.data["operations"])


def test_it_survives_a_file(training: Profile, tmp_path: Path) -> None:
    training.save(tmp_path / "p.json")
    assert Profile.load(tmp_path / "p.json") == training


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
        ("{", "it is no JSON"),
        ("[]", "its 'format' is not 'popir.profile'"),
        ('{"format": "perfetto"}', "its 'format' is not 'popir.profile'"),
        ('{"format": "popir.profile", "version": 9}', "of version 9; this popir reads version 6"),
        ('{"format": "popir.profile", "version": 6}', "is no profile: data must contain"),
    ],
)
def test_files_that_are_no_profiles(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(text)
    with pytest.raises(ModelError, match=re.escape(words)) as error:
        Profile.load(file)
    assert str(file) in str(error.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"totals__cycles": -1}, "data.totals.cycles must be bigger than or equal to 0"),
        ({"totals__cycles": "9"}, "data.totals.cycles must be integer"),
        ({"more": 1}, "data must not contain {'more'} properties"),
        ({"memory__fullest_tile": 8}, "its fullest tile is none of its 8 tiles"),
        ({"memory__categories__0__tile_bytes": [1]}, "has bytes for 1 tiles; the machine has 8"),
        ({"operations__0__operator": 10**6}, "belongs to operator 1000000"),
        ({"steps__0__operations": [10**6]}, "a step has operations that are not there"),
        ({"steps__0__ipu_compute_cycles": [1, 2, 3]}, "a step has IPUs without cycles"),
        ({"balance__tile_compute_cycles": [1]}, "'tile_compute_cycles' has not one number"),
        ({"memory__variables__0__tiles": [[0, 9, 1]]}, "tiles of memory are not there"),
        ({"memory__variables__0__live": [[0, 10**6]]}, "lives at steps that are not there"),
        ({"tree__0__steps": 10**6}, "its tree has steps that are not there"),
    ],
)
def test_profiles_that_contradict_themselves(
    training: Profile, change: dict[str, object], words: str, tmp_path: Path
) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps(models.changed(training, **change)))
    with pytest.raises(ModelError, match=re.escape(words)):
        Profile.load(file)


def test_a_profile_is_a_line_in_a_console_and_its_page_in_a_notebook(training: Profile) -> None:
    cycles, operators = training.data["totals"]["cycles"], len(training.data["operators"])
    line = repr(training)
    assert "training step on 1 x ipu2" in line and len(line) < 200
    assert f"{cycles} cycles, {operators} operators" in line
    frames: list[dict[str, str | None]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            frames.append({"tag": tag, **dict(attrs)})

    Reader().feed(training._repr_html_())
    (frame,) = frames
    assert frame["tag"] == "iframe" and frame["srcdoc"] == htmlOf(training)
    assert frame["sandbox"] == "allow-scripts allow-downloads"
