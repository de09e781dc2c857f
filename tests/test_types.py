"""DataType and TensorInfo."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from popir.errors import popart_exception
from popir.types import DataType, TensorInfo

ARRAYS = [kind for kind in DataType if kind is not DataType.UNDEFINED]


@pytest.mark.parametrize("kind", ARRAYS)
def test_onnx_agrees(kind: DataType) -> None:
    assert onnx.helper.tensor_dtype_to_np_dtype(kind.onnx) == kind.numpy
    if kind is not DataType.STRING:
        assert kind.nbytes == kind.numpy.itemsize


def test_names_of_onnx() -> None:
    names = {kind.name: kind.onnx for kind in DataType if "FLOAT8" not in kind.name}
    assert names == {name: TensorProto.DataType.Value(name) for name in names}
    assert DataType.FLOAT8_143.onnx == TensorProto.FLOAT8E4M3FNUZ
    assert DataType.FLOAT8_152.onnx == TensorProto.FLOAT8E5M2FNUZ


@pytest.mark.parametrize(
    "name",
    [DataType.FLOAT16, "FLOAT16", "float16", "Float16", np.float16, np.dtype("float16"), 10, "<f2"],
)
def test_ways_to_name_a_type(name: object) -> None:
    if name == "<f2":
        name = np.dtype("<f2")
    assert DataType.of(name) is DataType.FLOAT16


@pytest.mark.parametrize("kind", ARRAYS)
def test_every_type_is_found_by_its_names(kind: DataType) -> None:
    for name in (kind.name, kind.lcase, kind.numpy, kind.onnx):
        assert DataType.of(name) is kind


@pytest.mark.parametrize("name", ["HALF", "", 99, np.dtype(">f4"), None, object(), [1]])
def test_what_is_no_type(name: object) -> None:
    if name is None:
        name = np.void
    with pytest.raises(popart_exception, match="is not an element type; known are UINT8, INT8"):
        DataType.of(name)


def test_type_without_arrays() -> None:
    with pytest.raises(popart_exception) as error:
        _ = DataType.UNDEFINED.numpy
    assert str(error.value) == "DataType.UNDEFINED has no numpy type."


def test_tensor_info() -> None:
    info = TensorInfo("FLOAT16", [2, 3, 4])
    assert (info.shape(), info.rank(), info.nelms(), info.nbytes()) == ([2, 3, 4], 3, 24, 48)
    assert (info.dim(0), info.dim(-1)) == (2, 4)
    assert (info.dataType(), info.data_type(), info.data_type_lcase()) == (
        DataType.FLOAT16,
        "FLOAT16",
        "float16",
    )
    assert repr(info) == "FLOAT16[2, 3, 4]"


def test_tensor_info_of_an_array() -> None:
    assert TensorInfo(np.zeros((2, 3), np.int32)) == TensorInfo(np.int32, (np.int64(2), 3))
    assert TensorInfo(np.float32(1)) == TensorInfo("float32", [])


def test_scalars_and_empty_tensors() -> None:
    assert TensorInfo("FLOAT", []).nelms() == 1
    assert TensorInfo("FLOAT", [0, 3]).nbytes() == 0


def test_equality_and_hash() -> None:
    info = TensorInfo("FLOAT", [1, 2])
    assert info == TensorInfo(np.float32, (1, 2))
    assert hash(info) == hash(TensorInfo(np.float32, (1, 2)))
    assert info != TensorInfo("FLOAT", [2, 1])
    assert info != TensorInfo("INT32", [1, 2])
    assert info != "FLOAT[1, 2]"


def test_shape_is_a_copy() -> None:
    info = TensorInfo("FLOAT", [1, 2])
    info.shape().append(3)
    assert info.shape() == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("FLOAT",),
            "TensorInfo takes an element type and a shape, or one numpy array; given was "
            "'FLOAT' alone.",
        ),
        (("FLOAT", [1.5]), "TensorInfo takes a list of integers as shape; given was [1.5]."),
        (("FLOAT", 3), "TensorInfo takes a list of integers as shape; given was 3."),
        (("FLOAT", [2, -1]), "A tensor's dimensions are 0 or more; given was the shape [2, -1]."),
    ],
)
def test_wrong_infos(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(popart_exception) as error:
        TensorInfo(*arguments)
    assert str(error.value) == message


def test_dimension_that_does_not_exist() -> None:
    with pytest.raises(popart_exception) as error:
        TensorInfo("FLOAT", [2]).dim(1)
    assert str(error.value) == "FLOAT[2] has no dimension 1."
