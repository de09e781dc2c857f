"""popir options."""

from popir.options import SessionOptions, rows
from tests.cli.commands import call, call_json, failure


def test_every_option_is_listed() -> None:
    found = call_json("options")
    assert [row["name"] for row in found["options"]] == [row.name for row in rows(SessionOptions)]
    assert {"engine_options", "device_options", "annotations"} < set(found)
    every = [row for group in found.values() for row in group]
    assert {row["kind"] for row in every} == {"acts", "refused", "no-meaning"}
    assert all(row["reason"] for row in every)
    by_name = {row["name"]: row for row in every}
    assert by_name["enableReplicatedGraphs"]["kind"] == "acts"
    assert by_name["decomposeGradSum"]["kind"] == "refused"
    assert by_name["host.numThreads"]["kind"] == "acts"
    assert by_name["tilesPerIPU"]["default"] == "1472"


def test_some_options() -> None:
    text = call("options", "enableOutlining", "virtualGraph").stdout
    assert text.startswith("SessionOptions:\n")
    assert "annotations of nodes" in text and "host.fuse" not in text
    assert text.count("\n") == 6


def test_an_option_that_is_none() -> None:
    said = failure("options", "enableOutlinin", code=2)
    assert "There is no option 'enableOutlinin'. Did you mean 'enableOutlining'" in said
