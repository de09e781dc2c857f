"""Which part of the tensors is in which shard, and the files of shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

import popir
from popir import CheckpointError, DataType, TensorInfo
from popir.checkpoint import Manifest, Part, Writer, folder, read, share

KINDS = [k for k in DataType if k not in (DataType.STRING, DataType.UNDEFINED)]


@given(
    st.dictionaries(
        st.text(max_size=3),
        st.tuples(st.sampled_from(KINDS), st.lists(st.integers(0, 5), max_size=3)),
        max_size=6,
    ),
    st.integers(1, 9),
)
def test_shares_have_each_element_once(tensors: Any, count: int) -> None:
    infos = {id: TensorInfo(*info) for id, info in tensors.items()}
    shares = [share(infos, index, count) for index in range(count)]
    for id, info in infos.items():
        parts = [part for parts in shares for part in parts if part.id == id]
        assert parts, "also a tensor without elements is somewhere"
        assert [p for part in parts for p in range(part.begin, part.end)] == [*range(info.nelms())]
    sizes = [
        sum((p.end - p.begin) * infos[p.id].dataType().nbytes for p in parts) for parts in shares
    ]
    widest = max([16, *(info.dataType().nbytes for info in infos.values())])
    assert max(sizes) - min(sizes) <= 2 * widest


def test_what_is_no_share() -> None:
    for index, count in ((2, 2), (-1, 2), (0, 0)):
        with pytest.raises(CheckpointError, match=f"of {count} shards has no shard {index}"):
            share({}, index, count)


def arrays() -> dict[str, np.ndarray[Any, Any]]:
    """One of each type, with every byte that the type may have; and other shapes and names."""
    made: dict[str, np.ndarray[Any, Any]] = {}
    for kind in KINDS:
        raw = np.random.default_rng(kind.onnx).integers(0, 256, 35 * kind.nbytes).astype(np.uint8)
        if kind.is_narrow:
            raw &= (1 << kind.bits) - 1
        if kind is DataType.BOOL:
            raw &= 1
        made[kind.name] = raw.view(kind.numpy).reshape(5, 7)
    made["scalar"] = np.array(2.5, np.float32)
    made["empty"] = np.zeros((0, 3), np.float32)
    made["empty half byte"] = np.zeros((2, 0), KINDS[-3].numpy)
    made["__metadata__"] = np.arange(3)
    made["a/b\n\u00e9 \U0001f600"] = np.arange(4.0)
    made["transposed"] = np.arange(12.0).reshape(3, 4).T
    return made


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_written_by_some_and_read_by_others(count: int, tmp_path: Path) -> None:
    given = arrays()
    infos = {id: TensorInfo(array) for id, array in given.items()}
    with Writer(tmp_path, 3) as writer:
        written = [writer.write(given, index, count) for index in range(count)]
        writer.commit(Manifest(3, 1 << 63, {"at": [1, "x"]}, None, infos), written)
    found = read(str(tmp_path))
    assert (found.step, found.manifest.seed, found.data) == (3, 1 << 63, {"at": [1, "x"]})
    tensors = found.tensors()
    assert tensors.keys() == given.keys()
    for id, array in given.items():
        assert (tensors[id].dtype, tensors[id].shape) == (array.dtype, array.shape)
        assert tensors[id].tobytes() == array.tobytes(), id
    for others in (1, 3, 8):
        joined: dict[str, bytes] = {}
        for index in range(others):
            for part, values in found.share(index, others):
                assert len(values) == part.end - part.begin
                joined[part.id] = joined.get(part.id, b"") + values.tobytes()
        assert joined == {id: array.tobytes() for id, array in given.items()}


def test_only_the_shards_that_are_needed_are_read(tmp_path: Path) -> None:
    given = {"a": np.arange(100.0), "b": np.arange(100.0, 200.0)}
    with Writer(tmp_path, 0) as writer:
        written = [writer.write(given, index, 4) for index in range(4)]
        infos = {id: TensorInfo(array) for id, array in given.items()}
        writer.commit(Manifest(0, None, None, None, infos), written)
    (tmp_path / written[0].file).unlink()
    ((part, values),) = read(tmp_path).share(1, 2)
    assert part == Part("b", 0, 100)
    np.testing.assert_array_equal(values, given["b"])
    with pytest.raises(CheckpointError, match=r"is not whole: its shard step-0-.* is missing"):
        read(tmp_path).share(0, 2)


def test_other_programs_read_the_files(tmp_path: Path) -> None:
    given = {"w": np.arange(6.0).reshape(2, 3), "h": np.ones(3, np.float16)}
    with Writer(tmp_path, 0) as writer:
        shard = writer.write(given, 0, 1)
        found = safetensors.numpy.load_file(tmp_path / shard.file)
    assert found.keys() == given.keys()
    for id, array in given.items():
        np.testing.assert_array_equal(found[id], array)


def test_several_processes_write_with_one_stem(tmp_path: Path) -> None:
    """One has the Writer, and gets what `write_shard` gives the others."""
    given = {"a": np.arange(10.0), "b": np.arange(5)}
    infos = {id: TensorInfo(array) for id, array in given.items()}
    with Writer(tmp_path, 1) as writer:
        others = [folder.write_shard(tmp_path, writer.stem, given, i, 3) for i in (1, 2)]
        writer.commit(Manifest(1, None, None, None, infos), [writer.write(given, 0, 3), *others])
    np.testing.assert_array_equal(read(tmp_path).tensors()["a"], given["a"])


def test_positions_are_what_json_has() -> None:
    infos: dict[str, TensorInfo] = {}
    for position in ({"a": (1, 2)}, {1: 2}, float("nan"), {"a": popir}, [object()]):
        with pytest.raises(CheckpointError, match="position in the data"):
            Manifest(0, None, position, None, infos).to_json()
