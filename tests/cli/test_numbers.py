"""Numbers of the command line: none of them may be NaN or infinite, and integers fit 64 bits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest

from popir.cli.options import Count, Number
from tests.cli.commands import classifier, dense, failure, samples
from tests.cli.parameters import COMMANDS, options

NUMBERS = [
    (name, option.opts[0])
    for name in COMMANDS
    for option in options(name)
    if isinstance(option.type, Number)
]
COUNTS = [
    (name, option.opts[0])
    for name in COMMANDS
    for option in options(name)
    if isinstance(option.type, click.IntRange)
]


def test_which_options_take_numbers() -> None:
    """No command has a float of click's, which takes NaN; and there are those that are known."""
    for name in COMMANDS:
        for option in options(name):
            assert not isinstance(option.type, click.types.FloatParamType), (name, option.name)
    assert {
        *(("gradcheck", each) for each in ("--low", "--high", "--step", "--rtol", "--atol")),
        *(("run", each) for each in ("--rtol", "--atol")),
        *((c, each) for c in ("train", "profile") for each in ("--lr", "--momentum")),
        *(("train", each) for each in ("--lr-end", "--lr-gamma")),
        *((c, "--weight-decay") for c in ("train", "profile")),
        ("run-distributed", "--timeout"),
    } == set(NUMBERS)


def starts(name: str, folder: Path) -> list[object]:
    """A command line that is right, for more options."""
    if name == "gradcheck":
        return [name, "Relu"]
    if name == "run-distributed":
        return [name, "-n", 2]
    if name == "run":
        return [name, dense(folder / "m.onnx"), "--dim", "batch=2", "--check"]
    loss = classifier(folder / "m.onnx")
    more = {
        "train": ["--data", samples(folder / "d.npz"), "--loss", loss],
        "profile": ["--training", "--tiles", 4],
    }
    return [name, folder / "m.onnx", *more[name]]


def written(value: float) -> Iterator[str]:
    yield str(value)
    if np.isinf(value):
        yield "-1e999" if value < 0 else "1e999"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_numbers_are_finite(name: str, option: str, value: float, tmp_path: Path) -> None:
    for text in written(value):
        said = failure(*starts(name, tmp_path), f"{option}={text}", code=2)
        assert f"Invalid value for '{option}': '{text}' is no finite number." in said


@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_ranges(name: str, option: str, tmp_path: Path) -> None:
    is_free = option in ("--low", "--high")
    for text in [
        "x",
        "",
        *(["-1"] if not is_free else []),
        *(["0"] if option in ("--step", "--timeout") else []),
    ]:
        said = failure(*starts(name, tmp_path), f"{option}={text}", code=2)
        assert f"Invalid value for '{option}': '{text}' is not " in said


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_figures_of_a_machine(value: str, tmp_path: Path) -> None:
    words = ["profile", dense(tmp_path / "m.onnx"), "--dim", "batch=2", "--figure"]
    assert value in failure(*words, f"tileClockFrequency={value}", code=2)


@pytest.mark.parametrize("name", ["train", "profile"])
def test_numbers_that_float32_cannot_hold(name: str, tmp_path: Path) -> None:
    said = failure(*starts(name, tmp_path), "--lr", "1e39", code=2)
    assert "'defaultLearningRate' is 1e+39; float32 holds finite numbers up to" in said


@pytest.mark.parametrize(("name", "option"), COUNTS)
def test_integers_fit_the_machine(name: str, option: str, tmp_path: Path) -> None:
    """Those without an upper bound of their own fit 64 bits."""
    words = starts(name, tmp_path) if name in ("gradcheck", "run", "train", "profile") else [name]
    said = failure(*words, option, 10**30, code=2)
    assert "does not fit 64 bits" in said or "is not in the range" in said


def test_every_count_is_bounded() -> None:
    for name in COMMANDS:
        for option in options(name):
            if isinstance(option.type, click.IntRange):
                assert isinstance(option.type, Count) or option.type.max is not None, option.name
