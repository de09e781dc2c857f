"""Initializers as arrays: every way of storing them, sizes that lie, data in other files."""

import os
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from popir.errors import ModelError
from popir.onnxio.importer import importModel
from popir.onnxio.load import array
from popir.types import DataType

KINDS = [kind for kind in DataType if kind not in (DataType.STRING, DataType.UNDEFINED)]


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_element_type(kind: DataType, raw: bool) -> None:
    values = np.array([[0, 1, 2], [3, 1, 0]]).astype(kind.numpy)
    tensor = helper.make_tensor(
        "w", kind.onnx, [2, 3], values.tobytes() if raw else values.reshape(-1).tolist(), raw
    )
    found = array(tensor, None)
    assert found.dtype == kind.numpy
    np.testing.assert_array_equal(found, values)


def test_strings() -> None:
    tensor = helper.make_tensor("w", TensorProto.STRING, [2], ["a", "ü"])
    assert array(tensor, None).tolist() == ["a", "ü"]


@pytest.mark.parametrize("shape", [[], [0], [2, 0, 3]])
def test_scalars_and_empty_tensors(shape: list[int]) -> None:
    tensor = numpy_helper.from_array(np.zeros(shape, np.float32), "w")
    assert array(tensor, None).shape == tuple(shape)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (
            TensorProto(name="w", data_type=1, dims=[2, 3], raw_data=b"123"),
            "The initializer 'w' of type FLOAT and shape [2, 3] needs 24 bytes of data; it has 3.",
        ),
        (
            TensorProto(name="w", data_type=1, dims=[1 << 40, 1 << 20], raw_data=b"1234"),
            f"needs {1 << 62} bytes of data; it has 4.",
        ),
        (
            TensorProto(name="w", data_type=1, dims=[3], float_data=[1.0]),
            "The initializer 'w' of shape [3] cannot be read: cannot reshape array of size 1",
        ),
        (
            TensorProto(name="w", data_type=1, dims=[-1], raw_data=b"1234"),
            "The initializer 'w' has the element type FLOAT and the shape [-1].",
        ),
        (
            TensorProto(name="w", dims=[1], raw_data=b"1234"),
            "The initializer 'w' has the element type UNDEFINED and the shape [1].",
        ),
        (
            TensorProto(name="w", data_type=99, dims=[1], raw_data=b"1234"),
            "The initializer 'w': 99 is not an element type; known are UINT8, INT8",
        ),
    ],
)
def test_data_that_do_not_fit(tensor: TensorProto, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        array(tensor, None)


# External data.

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


def external(location: str, **entries: int) -> TensorProto:
    tensor = numpy_helper.from_array(VALUES, "w")
    external_data_helper.set_external_data(tensor, location, **entries)
    tensor.ClearField("raw_data")
    return tensor


def test_external_data_as_onnx_saves_it(tmp_path: Path) -> None:
    node = helper.make_node("Add", ["x", "w"], ["y"])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph([node], "g", [x], [y], [numpy_helper.from_array(VALUES, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])
    path = tmp_path / "model.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights", size_threshold=0)
    assert path.stat().st_size < 300
    np.testing.assert_array_equal(importModel(path).getTensor("w").data, VALUES)
    with pytest.raises(ModelError) as error:
        importModel(path.read_bytes())
    assert str(error.value) == (
        "The initializer 'w' lies in the file 'weights' beside the model, which was given without "
        "its folder; give the model's path instead."
    )


def test_external_data_at_an_offset(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "w.bin").write_bytes(b"12345678" + VALUES.tobytes() + b"more")
    tensor = external("sub/w.bin", offset=8, length=24)
    np.testing.assert_array_equal(array(tensor, tmp_path), VALUES)


@pytest.mark.parametrize(
    "location", ["../secret", "/etc/passwd", "", ".", "sub/../../secret", "link"]
)
def test_external_data_outside_of_the_folder(tmp_path: Path, location: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "sub").mkdir()
    (tmp_path / "secret").write_bytes(VALUES.tobytes())
    os.symlink(tmp_path / "secret", folder / "link")
    with pytest.raises(ModelError) as error:
        array(external(location), folder)
    assert str(error.value) == (
        f"The initializer 'w' names the file '{location}', which is not inside of the model's "
        f"folder {folder}."
    )


@pytest.mark.parametrize(
    ("entries", "size", "message"),
    [
        ({}, None, "The initializer 'w' lies in {path}, which does not exist."),
        ({"offset": 30}, 24, "The initializer 'w' starts at byte 30 of {path}, which is shorter."),
        ({"offset": -1}, 24, "The initializer 'w' starts at byte -1 of {path}, which is shorter."),
        (
            {"length": 24},
            23,
            "The initializer 'w' has 24 bytes in {path}, which holds 23 from 0 on.",
        ),
        (
            {"length": 20},
            24,
            "The initializer 'w' of type FLOAT and shape [2, 3] needs 24 bytes of ",
        ),
        (
            {},
            28,
            "The initializer 'w' of type FLOAT and shape [2, 3] needs 24 bytes of data; it has 28",
        ),
    ],
)
def test_external_data_that_do_not_fit(
    tmp_path: Path, entries: dict[str, int], size: int | None, message: str
) -> None:
    if size is not None:
        (tmp_path / "w.bin").write_bytes(bytes(size))
    with pytest.raises(ModelError, match=re.escape(message.format(path=tmp_path / "w.bin"))):
        array(external("w.bin", **entries), tmp_path)


def test_external_data_with_an_offset_that_is_no_number(tmp_path: Path) -> None:
    tensor = external("w.bin")
    tensor.external_data.add(key="offset", value="many")
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())
    with pytest.raises(ModelError, match=r"cannot be read: invalid literal for int"):
        array(tensor, tmp_path)
