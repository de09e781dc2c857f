"""Data in files beside the model: what is read, and what is refused."""

import contextlib
import hashlib
import os
import re
import socket
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, external_data_helper, helper, numpy_helper

import popir
from popir.errors import ModelError, OutOfMemoryException
from popir.onnxio import external
from popir.onnxio.importer import import_model
from popir.onnxio.tensors import TensorReader

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)
WHO = "The initializer 'w'"


def tensor_in(location: str, **entries: Any) -> TensorProto:
    tensor = numpy_helper.from_array(VALUES, "w")
    external_data_helper.set_external_data(tensor, location)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))
    tensor.ClearField("raw_data")
    return tensor


def read(tensor: TensorProto, folder: Path) -> Any:
    return TensorReader(folder).array(tensor)


def model_of(*initializers: TensorProto) -> ModelProto:
    node = helper.make_node("Add", ["x", "w"], ["y"])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph([node], "g", [x], [y], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "model"
    (found / "sub").mkdir(parents=True)
    return found


# Reading.


def test_as_onnx_saves_it(folder: Path) -> None:
    path = folder / "model.onnx"
    onnx.save(
        model_of(numpy_helper.from_array(VALUES, "w")),
        path,
        save_as_external_data=True,
        location="weights",
        size_threshold=0,
    )
    assert path.stat().st_size < 300
    np.testing.assert_array_equal(import_model(path).getTensor("w").data, VALUES)


@pytest.mark.parametrize("form", ["bytes", "message"])
def test_without_a_folder(form: str) -> None:
    model = model_of(tensor_in("weights"))
    with pytest.raises(ModelError) as error:
        import_model(model.SerializeToString() if form == "bytes" else model)
    assert str(error.value) == (
        f"{WHO} lies in the file 'weights' beside the model, which was given without its folder; "
        "give the model's path instead, or popir.ModelInFolder(model, folder)."
    )


def test_bytes_with_a_folder(folder: Path) -> None:
    (folder / "weights").write_bytes(VALUES.tobytes())
    model = model_of(tensor_in("weights")).SerializeToString()
    graph = import_model(popir.ModelInFolder(model, str(folder)))
    np.testing.assert_array_equal(graph.getTensor("w").data, VALUES)


@pytest.mark.parametrize("location", ["sub/w.bin", "./sub//w.bin"])
def test_at_an_offset(folder: Path, location: str) -> None:
    (folder / "sub" / "w.bin").write_bytes(b"12345678" + VALUES.tobytes() + b"more")
    np.testing.assert_array_equal(read(tensor_in(location, offset=8, length=24), folder), VALUES)


@pytest.mark.parametrize("location", ["../secret", "/etc/passwd", "", "sub/../../secret", "w\0"])
def test_names_that_lead_out(folder: Path, location: str) -> None:
    (folder.parent / "secret").write_bytes(VALUES.tobytes())
    with pytest.raises(ModelError) as error:
        read(tensor_in(location), folder)
    assert str(error.value) == (
        f"{WHO} names the file {location!r}; expected a path inside of the model's folder, "
        "relative to it and without '..'."
    )


def refused(folder: Path, location: str) -> str:
    with pytest.raises(ModelError) as error:
        read(tensor_in(location), folder)
    return str(error.value)


def test_links(folder: Path) -> None:
    secret = folder.parent / "secret"
    secret.write_bytes(VALUES.tobytes())
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    (folder / "outwards").symlink_to(secret)
    (folder / "inwards").symlink_to(folder / "w.bin")
    (folder / "dangling").symlink_to(folder / "none")
    for name in ("outwards", "inwards", "dangling"):
        assert refused(folder, name) == (
            f"{WHO} lies in the file '{name}', which is a symbolic link; expected a regular file "
            "with one name. If you trust it, put a copy in its place."
        )
    os.link(secret, folder / "hard")
    assert "which is a file with 2 names (hard links); expected" in refused(folder, "hard")


def test_folders_that_are_links(folder: Path) -> None:
    (folder / "sub" / "w.bin").write_bytes(VALUES.tobytes())
    (folder / "inwards").symlink_to(folder / "sub")
    assert refused(folder, "inwards/w.bin") == (
        f"{WHO} lies in {folder}/inwards/w.bin, which cannot be opened without following links: "
        "Not a directory."
    )
    (folder.parent / "other").symlink_to(folder)  # The model's own folder may be one.
    np.testing.assert_array_equal(read(tensor_in("sub/w.bin"), folder.parent / "other"), VALUES)


def test_what_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "the file 'pipe', which is a pipe; expected" in refused(folder, "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        assert "the file 'socket', which is no regular file" in refused(folder, "socket")
    assert "the file 'sub', which is a folder; expected" in refused(folder, "sub")
    assert "the file '.', which is a folder; expected" in refused(folder, ".")
    message = f"{WHO} lies in {folder}/none, which cannot be opened without following links: No "
    assert refused(folder, "none").startswith(message)
    assert "Not a directory" in refused(folder, "none/w") or "No such" in refused(folder, "none/w")


def test_a_device() -> None:
    assert "the file 'zero', which is no regular file; expected" in refused(Path("/dev"), "zero")


def test_a_file_that_is_exchanged_after_it_was_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was opened counts, not what the name meant before."""
    (folder.parent / "secret").write_bytes(VALUES.tobytes())
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    look = os.stat

    def then_exchange(path: Any, **options: Any) -> os.stat_result:
        found = look(path, **options)
        if path == "w.bin":
            (folder / "w.bin").unlink()
            exchange()
        return found

    monkeypatch.setattr(os, "stat", then_exchange)
    exchange = lambda: (folder / "w.bin").symlink_to(folder.parent / "secret")  # noqa: E731
    assert "cannot be opened without following links: Too many levels" in refused(folder, "w.bin")
    (folder / "w.bin").unlink()
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    exchange = lambda: os.link(folder.parent / "secret", folder / "w.bin")  # noqa: E731
    assert "which is a file with 2 names" in refused(folder, "w.bin")
    (folder / "w.bin").unlink()
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    exchange = lambda: os.mkfifo(folder / "w.bin")  # noqa: E731
    assert "which is a pipe" in refused(folder, "w.bin")


def test_no_descriptor_stays_open(folder: Path) -> None:
    (folder / "sub" / "w.bin").write_bytes(VALUES.tobytes())
    (folder / "link").symlink_to(folder / "sub" / "w.bin")
    before = len(os.listdir("/proc/self/fd"))
    for location in ("sub/w.bin", "link", "sub/none", "none/w.bin", "../w.bin"):
        with contextlib.suppress(ModelError):
            read(tensor_in(location), folder)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("entries", "size", "message"),
    [
        ({"offset": 30}, 24, f"{WHO} starts at byte 30 of {{path}}, which has 24."),
        ({"length": 24}, 23, f"{WHO} has 24 bytes in {{path}}, which holds 23 from 0 on."),
        ({"offset": 8}, 24, f"{WHO} needs 24 bytes of data; it has 16 in {{path}}."),
        ({"length": 20}, 24, f"{WHO} needs 24 bytes of data; it has 20 in {{path}}."),
        ({}, 28, f"{WHO} needs 24 bytes of data; it has 28 in {{path}}."),
        ({"length": 0}, 24, f"{WHO} needs 24 bytes of data; it has 0 in {{path}}."),
        *(
            (
                {key: value},
                24,
                f"{WHO} has the external data {key} '{value}'; expected a number of bytes, 0 or "
                "more.",
            )
            for key in ("offset", "length")
            for value in ("-1", "many", "", "1.0", " 1", "0x10", "٣", "9" * 19, "1_0")
        ),
        ({"checksum": "12"}, 24, f"{WHO} has the checksum '12'; a SHA-1 is 40 digits."),
        ({"checksum": "0" * 40}, 24, "whose SHA-1 is not 0000000000000000000000000000000000000000"),
    ],
)
def test_entries_that_do_not_fit(
    folder: Path, entries: dict[str, Any], size: int, message: str
) -> None:
    (folder / "w.bin").write_bytes(bytes(size))
    with pytest.raises(ModelError, match=re.escape(message.format(path=folder / "w.bin"))):
        read(tensor_in("w.bin", **entries), folder)


def test_a_key_given_twice(folder: Path) -> None:
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    tensor = tensor_in("w.bin")
    tensor.external_data.add(key="location", value="v.bin")
    with pytest.raises(ModelError, match=f"^{WHO} has the external data key 'location' twice"):
        read(tensor, folder)


@pytest.mark.parametrize("key", ["__class__", "basepath", "prepacked_0", "folder"])
def test_other_keys_do_nothing(folder: Path, key: str) -> None:
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    np.testing.assert_array_equal(read(tensor_in("w.bin", **{key: "/etc"}), folder), VALUES)


def test_a_checksum_that_is_right(folder: Path) -> None:
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    digest = hashlib.sha1(VALUES.tobytes()).hexdigest()
    found = read(tensor_in("w.bin", checksum=digest.upper()), folder)
    np.testing.assert_array_equal(found, VALUES)


def test_more_than_the_memory(folder: Path) -> None:
    """A file may be large and take no room on the disk; many tensors may lie in one."""
    size = 1 << 42
    with (folder / "w.bin").open("wb") as stream:
        try:
            stream.truncate(size)
        except OSError:
            pytest.skip("the file system has no files of this size")
    huge = TensorProto(name="w", data_type=TensorProto.UINT8, dims=[size])
    external.points_to(huge, external.Place("w.bin"))
    with pytest.raises(OutOfMemoryException, match=rf"^{WHO} needs {size} bytes of memory; "):
        read(huge, folder)


def test_strings_lie_in_the_model(folder: Path) -> None:
    tensor = tensor_in("w.bin")
    tensor.data_type = TensorProto.STRING
    with pytest.raises(ModelError, match="is of strings, which ONNX keeps inside of the model"):
        read(tensor, folder)


def test_a_constant_in_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """onnx itself would look for it in the working directory."""
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    model = model_of()
    node = helper.make_node("Constant", [], ["w"])
    attribute = node.attribute.add(name="value", type=onnx.AttributeProto.TENSOR)
    attribute.t.CopyFrom(tensor_in("w.bin"))
    model.graph.node.insert(0, node)
    data = model.SerializeToString()
    (folder / "model.onnx").write_bytes(data)
    np.testing.assert_array_equal(import_model(folder / "model.onnx").getTensor("w").data, VALUES)
    monkeypatch.chdir(folder)
    with pytest.raises(ModelError, match="given without its folder"):
        import_model(data)
