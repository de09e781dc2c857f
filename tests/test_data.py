"""Batches of files, arrays and iterables: order, position, and the words of what is wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
import torch
from pyarrow import parquet

from popir import CheckpointError, DataError
from popir.data import Batches, read_arrays

X, Y = np.arange(40.0, dtype=np.float32).reshape(20, 2), np.arange(20)


def rows(batches: Batches) -> list[list[int]]:
    return [inputs["y"].reshape(-1).tolist() for inputs in batches]


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_an_epoch_of_arrays(ahead: int) -> None:
    batches = Batches({"x": X, "y": Y}, 6, ahead=ahead)
    assert batches.steps == 3
    assert rows(batches) == [[*range(i, i + 6)] for i in (0, 6, 12)]
    assert (batches.epoch, batches.step) == (2, 0)
    shuffled = Batches({"x": X, "y": Y}, 5, shuffle=True, seed=3, ahead=ahead)
    one, two = rows(shuffled), rows(shuffled)
    assert sorted(np.concatenate(one)) == sorted(np.concatenate(two)) == [*range(20)]
    assert one != two
    again = Batches({"x": X, "y": Y}, 5, shuffle=True, seed=3, ahead=ahead)
    assert (rows(again), rows(again)) == (one, two)


@pytest.mark.parametrize("ahead", [0, 2])
def test_positions(ahead: int) -> None:
    loader = torch.utils.data.DataLoader(
        [{"x": x, "y": int(y)} for x, y in zip(X, Y, strict=True)], 4
    )
    for make in (
        lambda: Batches({"x": X, "y": Y}, 4, shuffle=True, ahead=ahead),
        lambda: Batches(loader, ahead=ahead),
    ):
        whole, half, again = make(), make(), make()
        rows(whole), rows(half)
        steps = rows(whole)
        for _, _inputs in zip(range(2), half, strict=False):
            pass
        position = half.position()
        assert (position["epoch"], position["step"]) == (2, 2)
        again.seek(position)
        assert rows(again) == rows(half) == steps[2:]
        with pytest.raises(CheckpointError, match="is no position in data"):
            again.seek({"epoch": "x"})
    with pytest.raises(CheckpointError, match="The batches would be others"):
        Batches({"y": Y}, 5).seek(position)


def test_the_source_s_errors_keep_their_words() -> None:
    def source(epoch: int) -> Iterator[Any]:
        yield {"y": Y}
        raise OSError("the tape is torn")

    for ahead in (0, 2):
        seen = 0
        with pytest.raises(OSError, match="the tape is torn"):
            for _ in Batches(source, ahead=ahead):
                seen += 1
        assert seen == 1


def test_threads_end() -> None:
    def endless(epoch: int) -> Iterator[Any]:
        while True:
            yield {"y": Y}

    with Batches(endless) as batches:
        assert next(iter(batches))["y"].shape == (20,)
    assert not [t for t in threading.enumerate() if t.name == "popir data"]


def test_stacked_and_named() -> None:
    given = [(X[i : i + 2], Y[i : i + 2]) for i in range(0, 10, 2)]
    found = list(Batches(given, names=["x", "y"], batches_per_step=2))
    assert [each["x"].shape for each in found] == [(2, 2, 2)] * 2
    half = [torch.ones(3, dtype=torch.bfloat16)]
    (only,) = Batches(half, names=["x"])
    assert only["x"].dtype.name == "bfloat16"


def test_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=X, y=Y)
    table = {"x": X.tolist(), "y": Y, "b": Y > 3}
    parquet.write_table(pyarrow.table(table), tmp_path / "a.parquet")
    for name in ("a.npz", "a.parquet"):
        found = read_arrays(tmp_path / name)
        np.testing.assert_array_equal(found["x"], X)
        np.testing.assert_array_equal(found["y"], Y)
        assert rows(Batches(tmp_path / name, 10)) == [[*range(10)], [*range(10, 20)]]
    for column, words in (
        (["a", "b"], "is string; numbers"),
        ([1, None], "has no value in 1 places"),
        ([[1], [1, 2]], "have 1 to 2 elements"),
    ):
        parquet.write_table(pyarrow.table({"c": column}), tmp_path / "bad.parquet")
        with pytest.raises(DataError, match=words):
            read_arrays(tmp_path / "bad.parquet")
    (tmp_path / "bad.parquet").write_text("zz")
    with pytest.raises(DataError, match="is no parquet file"):
        read_arrays(tmp_path / "bad.parquet")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (({"y": Y},), "give batch_size"),
        (({"y": Y}, 0), "batch_size = 0; it is 1 or more"),
        (({"y": Y}, 21), "there are 20 samples; a step takes 21"),
        (({"y": Y, "x": X[1:]}, 2), "differ in samples: 'y' 20, 'x' 19"),
        ((3,), "takes a file, a dict of arrays, an iterable"),
        (([{"y": Y}], 3), "batch_size = 3 is for files and arrays; list makes its"),
    ],
)
def test_what_is_refused(arguments: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Batches(*arguments)


def test_batches_that_are_none() -> None:
    for given, words in (
        ([(Y, Y)], r"has 2 arrays without names; Batches\(names=...\) has 0"),
        ([{"y": object()}], "no array of numbers"),
        ([{"y": Y}, {"y": Y[:3]}], "Batch 2 of epoch 1 has the shapes"),
        ([], "gave nothing in epoch 1"),
    ):
        with pytest.raises(DataError, match=words):
            list(Batches(given))
