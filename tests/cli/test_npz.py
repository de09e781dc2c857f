"""Data files that do not fit, or are no data files."""

import io
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import popir
from popir.cli import npz
from popir.cli.exits import CommandError
from popir.data.npz import Npz
from tests.cli.commands import call, call_json, dense, failure

X = np.random.default_rng(0).standard_normal((2, 8)).astype(np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return dense(tmp_path / "dense.onnx")


def refused(model: Path, tmp_path: Path, arrays: dict[str, np.ndarray]) -> str:
    np.savez(tmp_path / "in.npz", **arrays)
    return failure("run", model, "--inputs", tmp_path / "in.npz", code=2)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": X}, "in.npz has no array 'x'; it has 'X'. Did you mean 'X'?"),
        ({}, "in.npz has no array 'x'; it has none."),
        ({"x": X.T.copy()}, "array 'x' has the shape [8, 2]; the model takes [8, 8]."),
        ({"x": X[0]}, "The input 'x' has the shape [batch, 8]; given was [8]."),
        ({"x": X.astype(np.float64)}, "is float64; the model takes float32. Convert it: array.ast"),
        ({"x": X.astype("U9")}, "the model takes float32"),
        ({"x": np.array([object()])}, "it holds pickled Python objects, which popir does not read"),
        ({"x": X.view([("a", "f4"), ("b", "f4")])}, "the model takes float32"),
    ],
)
def test_arrays_that_do_not_fit(
    model: Path, tmp_path: Path, arrays: dict[str, np.ndarray], words: str
) -> None:
    assert words in refused(model, tmp_path, arrays)


def test_files_that_are_none(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", X)
    (tmp_path / "text.npz").write_text("x = 1\n")
    (tmp_path / "empty.npz").touch()
    for name in ("one.npy", "text.npz", "empty.npz"):
        said = failure("run", model, "--inputs", tmp_path / name, code=2)
        assert f"{name} is no .npz file: " in said
    assert "does not exist" in failure("run", model, "--inputs", tmp_path / "no.npz", code=2)
    assert "is a directory" in failure("run", model, "--inputs", tmp_path, code=2)


@pytest.mark.parametrize("shape", [(-1, 8), (2, -8), (-2, -8)])
def test_negative_dimensions(model: Path, tmp_path: Path, shape: tuple[int, int]) -> None:
    """Which numpy never writes; whoever reads the header meets them first."""
    stream = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    with zipfile.ZipFile(tmp_path / "in.npz", "w") as file:
        file.writestr("x.npy", stream.getvalue() + X.tobytes())
    words = f"in.npz: the array 'x' cannot be read: its shape {list(shape)} has a negative dimens"
    assert words in failure("run", model, "--inputs", tmp_path / "in.npz", code=2)
    assert words in failure("gradcheck", "Relu", "--inputs", tmp_path / "in.npz", code=2)


def test_damaged_files_never_crash(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.npz"
    np.savez_compressed(file, x=X)
    whole = bytearray(file.read_bytes())
    assert call("run", model, "--inputs", file).exit_code == 0
    random = np.random.default_rng(4)
    codes = set()
    for case in range(120):
        damaged = bytearray(whole)
        if case % 3:
            for at in random.integers(len(whole), size=1 + case % 5):
                damaged[at] = random.integers(256)
        else:
            del damaged[random.integers(len(whole)) :]
        file.write_bytes(damaged)
        result = call("run", model, "--inputs", file, code=None)
        codes.add(result.exit_code)
        assert result.exit_code in (0, 2), (case, result.output)
        assert result.stderr.count("\n") <= 1
    assert codes == {0, 2}


def test_a_header_that_promises_too_much_allocates_nothing(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.npz"
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2305843009213693951, 8), }"
    start = b"\x93NUMPY\x01\x00" + (len(header) + 1).to_bytes(2, "little") + header + b"\n"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.npy", start)
    said = failure("run", model, "--inputs", file, "--dim", "batch=2", code=2)
    assert "the shape [2305843009213693951, 8]; the model takes [2, 8]" in said


def test_other_arrays_are_mentioned(model: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=X, more=X)
    result = call("run", model, "--inputs", tmp_path / "in.npz")
    assert "also has 'more', which is no input of the model" in result.stderr


def test_byte_order_and_layout_do_not_matter(model: Path, tmp_path: Path) -> None:
    digests = set()
    for array in (X, X.astype(">f4"), np.asfortranarray(X)):
        np.savez(tmp_path / "in.npz", x=array)
        found = call_json("run", model, "--inputs", tmp_path / "in.npz")
        digests.add(found["outputs"][0]["sha256"])
    assert len(digests) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, ml_dtypes.bfloat16])
def test_what_is_written_is_read(dtype: type, tmp_path: Path) -> None:
    array = np.random.default_rng(0).integers(2, size=(3, 4)).astype(dtype)
    path = str(tmp_path / "out.npz")
    npz.write(path, {"file": array, "a/b": array[:0], "": array[0, 0]})
    file = Npz(path)
    assert file.names == ["file", "a/b", ""]
    np.testing.assert_array_equal(file.array("file", popir.TensorInfo(array)), array)
    assert file.header("a/b")[0] == (0, 4)
    assert list(tmp_path.iterdir()) == [tmp_path / "out.npz"]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=r"out\.npz cannot be written: No such file or directory"
    ):
        npz.write(str(tmp_path / "none" / "out.npz"), {"x": X})
