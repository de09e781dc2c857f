"""The measurements of `bench/`: their arguments, what they write, and one small row of some."""

import importlib
import json
import statistics
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

from bench import __main__ as bench
from bench import limits, networks, peers
from bench.report import measurement, quartiles, shown

README = Path(bench.FOLDER, "README.md").read_text()
COMMON = {"__init__", "__main__", "limits", "networks", "peers", "report"}


@pytest.fixture
def hurried(monkeypatch):
    """Few short turns."""
    monkeypatch.setattr(peers, "TURNS", 2)
    monkeypatch.setattr(peers, "TURN_SECONDS", 0.001)


def found(main, tmp_path, *arguments):
    """What a measurement writes as JSON."""
    file = tmp_path / "found.json"
    main([*arguments, "--json", str(file)])
    return json.loads(file.read_text())


def test_every_module_is_a_measurement_or_common():
    modules = {file.stem for file in bench.FOLDER.glob("*.py")}
    assert modules - COMMON == set(bench.known())


@pytest.mark.parametrize("name", bench.known())
def test_arguments(name, capsys):
    main = importlib.import_module(f"bench.{name}").main
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    help = capsys.readouterr().out
    assert "--json FILE" in help
    assert ("--realtime" in help) == main.has_realtime
    with pytest.raises(SystemExit) as ended:
        main(["--no-such-option"])
    assert ended.value.code == 2
    assert f"`{name}`" in README, f"bench/README.md does not say what {name} measures"


def test_an_unknown_measurement(capsys):
    assert bench.main(["calls", "cals"]) == 2
    assert "no measurement cals; there are: accuracy, breakdown, " in capsys.readouterr().err


def test_a_comparison(hurried, tmp_path, capsys):
    main = importlib.import_module("bench.calls").main
    report = found(main, tmp_path, "Add of 16")
    assert report["measurement"] == "calls"
    assert report["machine"].keys() >= {"processor", "kernels", "tiles", "cores", "load"}
    (table,) = report["tables"]
    assert [row["way"] for row in table["rows"]] == ["PyStepIO", "backend"]
    for row in table["rows"]:
        assert row["ratio"] == pytest.approx(row["onnxruntime us"] / row["popir us"])
        assert row["lower quartile"] <= row["median of turns"] <= row["upper quartile"]
    out = capsys.readouterr().out
    assert "| Add of 16 | backend |" in out


def test_a_network(hurried, tmp_path):
    report = found(importlib.import_module("bench.inference").main, tmp_path, "MLP batch 1")
    (row,) = report["tables"][0]["rows"]
    assert 0 < row["% of limit"] < 120


def test_a_row_that_is_not_there():
    with pytest.raises(
        SystemExit, match=r"^bench\.inference: no row has GTP in its name; rows are: Res"
    ):
        importlib.import_module("bench.inference").main(["GTP"])


def test_errors_against_float64(tmp_path):
    report = found(importlib.import_module("bench.accuracy").main, tmp_path, "product 1 x")
    (row,) = report["tables"][0]["rows"]
    assert 1e-9 < row["popir's error"] < 1e-6


def test_where_the_time_goes(monkeypatch, tmp_path):
    breakdown = importlib.import_module("bench.breakdown")
    monkeypatch.setattr(breakdown, "ROWS", {"MLP": ("inference", "MLP batch 1")})
    report = found(breakdown.main, tmp_path)
    *kinds, other, whole, _ = report["tables"][0]["rows"]
    assert {"MatMul", "Gemm"} & {word for row in kinds for word in row["MLP"].split("+")}
    parts = sum(row["ms of a run"] for row in [*kinds, other])
    assert parts == pytest.approx(whole["ms of a run"])


def test_all_in_one_file(monkeypatch, tmp_path):
    @measurement()
    def main(report):
        """A measurement."""
        report.table("row", "seconds")
        report.row("a", 0.25)
        report.say("A note.")

    monkeypatch.setattr(importlib.import_module("bench.calls"), "main", main)
    file = tmp_path / "all.json"
    assert bench.main(["calls", "--json", str(file)]) == 0
    (report,) = json.loads(file.read_text())
    table = {"columns": ["row", "seconds"], "rows": [{"row": "a", "seconds": 0.25}]}
    assert report["tables"] == [table | {"notes": ["A note."]}]


def test_a_row_has_a_value_for_each_column(tmp_path):
    @measurement()
    def main(report):
        report.table("row", "seconds")
        report.row("a")

    with pytest.raises(ValueError, match="1 values for 2 columns"):
        main(["--json", str(tmp_path / "never.json")])
    assert not (tmp_path / "never.json").exists()


def test_numbers_as_they_are_shown():
    values = [None, "x", 3, 0.0, 0.00012, 0.0123, 1.234, 12.34, 123.4, 12345.6]
    expected = ["", "x", "3", "0.00", "1.2e-04", "0.0123", "1.23", "12.3", "123", "12346"]
    assert [shown(value) for value in values] == expected


def test_quartiles():
    assert quartiles([4.0, 1.0, 2.0, 3.0, 5.0]) == (2.0, 3.0, 4.0)
    assert quartiles([1.0, 3.0]) == (1.5, 2.0, 2.5)
    rng = np.random.default_rng(0)
    for value in rng.uniform(1, 5, 1000):
        low, median, high = quartiles([value, value])
        assert low <= median <= high


def test_a_result_is_of_turns():
    ours, theirs = [1.0, 2.0, 1.0, 4.0], [2.0, 2.0, 3.0, 2.0]
    result = peers.Result.of(ours, theirs)
    assert result.ratio == 2.0
    assert result.median == statistics.median([2.0, 1.0, 3.0, 0.5])
    assert result.cells(limit=0.5)[-1] == 50


def test_the_work_of_a_network():
    import torch

    layer, x = torch.nn.Linear(8, 16, bias=False), torch.zeros(4, 8)
    assert networks.work(layer, x, False) == (2 * 4 * 8 * 16, 4 * (4 * 8 + 8 * 16 + 4 * 16))
    flops, moved = networks.work(layer, x, True)
    assert (flops, moved) == (2 * 2 * 4 * 8 * 16, 4 * (4 * 8 + 2 * 8 * 16))
    grouped = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False)
    images = torch.zeros(2, 8, 6, 6)
    forward = 2 * 2 * 8 * 9 * 36
    assert networks.work(grouped, images, False)[0] == forward
    assert networks.work(grouped, images, True)[0] == 2 * forward
    assert networks.work(torch.nn.Sequential(grouped, grouped), images, True)[0] == 5 * forward
    cells = torch.nn.LSTM(8, 16, batch_first=True)

    class Last(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells = cells

        def forward(self, x):
            return self.cells(x)[0]

    assert networks.work(Last(), torch.zeros(1, 5, 8), False)[0] == 5 * 2 * 4 * 16 * (8 + 16)


def test_the_limits_of_the_machine():
    small = limits.seconds(1e9, 1e6, False)
    assert 1e-4 < small < 1
    assert limits.seconds(1.0, 1e10, False) > limits.seconds(1.0, 1e9, False)
    source, target = np.arange(1000, dtype=np.uint8), np.zeros(1000, np.uint8)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        limits.copier(source, target, pool, 2)()
    np.testing.assert_array_equal(source, target)


def test_a_peer_that_ends_early(tmp_path):
    peer = peers.Peer("inference", "popir", "no such", tmp_path, False)
    with pytest.raises(RuntimeError, match="ended early"):
        peer.turn(0.001)
