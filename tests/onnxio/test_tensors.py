"""Tensors as arrays: every way of storing them, and sizes that lie."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import SparseTensorProto, TensorProto, helper, numpy_helper

from popir.errors import ModelError, OutOfMemoryException
from popir.onnxio.tensors import TensorReader
from popir.types import DataType


def array(tensor: TensorProto) -> Any:
    return TensorReader().array(tensor)


KINDS = [kind for kind in DataType if kind not in (DataType.STRING, DataType.UNDEFINED)]


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_element_type(kind: DataType, raw: bool) -> None:
    values = np.array([[4, 1, 2], [0.5, 1, 1]]).astype(kind.numpy)
    tensor = numpy_helper.from_array(values, "w")  # It packs elements of less than 8 bits.
    if not raw:
        tensor = helper.make_tensor("w", kind.onnx, [2, 3], values.reshape(-1).tolist())
    found = array(tensor)
    assert found.dtype == kind.numpy
    np.testing.assert_array_equal(found, values)


def test_strings() -> None:
    tensor = helper.make_tensor("w", TensorProto.STRING, [2], ["a", "ü"])
    assert array(tensor).tolist() == ["a", "ü"]


@pytest.mark.parametrize("shape", [[], [0], [2, 0, 3]])
def test_scalars_and_empty_tensors(shape: list[int]) -> None:
    tensor = numpy_helper.from_array(np.zeros(shape, np.float32), "w")
    assert array(tensor).shape == tuple(shape)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_halves_that_popart_has_packed(count: int) -> None:
    values = np.arange(count).astype(np.float16) - np.float16(1.5)
    pairs = np.concatenate([values, np.zeros(count % 2, np.float16)]).view(np.int32)
    tensor = tensor_of([count], TensorProto.FLOAT16, int32_data=pairs.tolist())
    np.testing.assert_array_equal(array(tensor), values)


def test_any_byte_but_zero_is_true() -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.BOOL, dims=[3], raw_data=b"\0\2\xff")
    assert array(tensor).view(np.uint8).tolist() == [0, 1, 1]


def tensor_of(dims: Sequence[int], kind: int = 1, **fields: Any) -> TensorProto:
    return TensorProto(name="w", data_type=kind, dims=dims, **fields)


WHO = "The initializer 'w'"


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (
            tensor_of([2, 3], raw_data=b"123"),
            f"{WHO} of type FLOAT and shape [2, 3] needs 24 bytes of data; it has 3.",
        ),
        (tensor_of([1 << 40, 4], raw_data=b"1234"), f"needs {1 << 44} bytes of data; it has 4."),
        (
            tensor_of([3], float_data=[1.0]),
            f"{WHO} of type FLOAT and shape [3] needs 3 elements of data; it has 1.",
        ),
        (tensor_of([3]), f"{WHO} of type FLOAT and shape [3] needs 3 elements of data; it has 0."),
        (tensor_of([2], TensorProto.COMPLEX64, float_data=[1.0]), "needs 4 elements of data"),
        (tensor_of([2], TensorProto.STRING, string_data=[b"a"]), "needs 2 elements of data"),
        (
            tensor_of([1], TensorProto.STRING, raw_data=b"a"),
            "needs 1 elements of data; it has 0",
        ),
        (
            tensor_of([1], TensorProto.STRING, string_data=[b"\xff"]),
            f"{WHO} has an element that is not UTF-8",
        ),
        (
            tensor_of([1 << 40, 1 << 20], raw_data=b"1234"),
            f"{WHO} has the shape [1099511627776, 1048576], more than fits an address.",
        ),
        (tensor_of([0, 1 << 40, 1 << 40], raw_data=b""), "more than fits an address."),
        (tensor_of([1] * 33, raw_data=b"1234"), f"{WHO} has 33 dimensions; popir takes up to 32."),
        (
            tensor_of([-1], raw_data=b"1234"),
            f"{WHO} has the shape [-1]; dimensions are 0 or more.",
        ),
        (tensor_of([1], 0, raw_data=b"1234"), f"{WHO} of shape [1] has no element type."),
        (
            tensor_of([1], 99, raw_data=b"1234"),
            f"{WHO}: 99 is not an element type; known are UINT8, INT8",
        ),
        (
            tensor_of([1], raw_data=b"1234", float_data=[1.0]),
            f"{WHO} of type FLOAT has data in float_data and raw_data; expected raw_data or "
            "float_data.",
        ),
        (tensor_of([1], int32_data=[1]), "has data in int32_data; expected raw_data or float_data"),
        (tensor_of([1], TensorProto.INT8, int32_data=[300]), "has elements that no int8 holds."),
        (tensor_of([1], TensorProto.FLOAT16, int32_data=[-1]), "has elements that no uint16 holds"),
        (tensor_of([3], TensorProto.INT4, raw_data=b"123"), "needs 2 bytes of data; it has 3."),
        (tensor_of([3], TensorProto.INT4, int32_data=[1]), "needs 2 bytes of data; it has 1."),
        (
            tensor_of([1], TensorProto.FLOAT6E2M3, int32_data=[64]),
            "has elements of more than the 6 bits of FLOAT6E2M3.",
        ),
        (
            tensor_of([1], raw_data=b"1234", segment=TensorProto.Segment(begin=0, end=1)),
            f"{WHO} is a segment of a tensor, which popir does not read.",
        ),
    ],
)
def test_data_that_do_not_fit(tensor: TensorProto, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        array(tensor)


# Sparse tensors.


def sparse(dims: Sequence[int], indices: Any, values: Any = (1.5, 2.5)) -> SparseTensorProto:
    return SparseTensorProto(
        dims=dims,
        values=numpy_helper.from_array(np.array(values, np.float32), "w"),
        indices=numpy_helper.from_array(np.array(indices, np.int64), "i"),
    )


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_sparse_tensors(indices: Any) -> None:
    found = TensorReader().dense(sparse([2, 3], indices))
    np.testing.assert_array_equal(found, np.array([[0, 1.5, 0], [0, 0, 2.5]], np.float32))


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (sparse([2, 3], [1, 6]), "an index outside of its shape [2, 3]."),
        (sparse([2, 3], [-1, 5]), "an index outside of its shape [2, 3]."),
        (sparse([2, 3], [[0, 0], [0, 3]]), "an index outside of its shape [2, 3]."),
        (sparse([2, 3], [2, 2]), "indices that do not ascend."),
        (sparse([2, 3], [2, 1]), "indices that do not ascend."),
        (sparse([2, 3], [1]), "has values of shape [2] and indices int64[1]; expected [N] and int"),
        (sparse([2, 3], [[1, 2, 3]]), "and indices int64[1, 3]; expected [N] and int64 of [N] or "),
        (sparse([2, 3], [0], 1.5), "has values of shape []"),
        (sparse([], [0, 1]), "FLOAT[]; expected numbers with a shape."),
        (sparse([-2, 3], [0, 1]), "the shape [-2, 3]; dimensions are 0 or more."),
    ],
)
def test_sparse_tensors_that_are_none(tensor: SparseTensorProto, message: str) -> None:
    with pytest.raises(ModelError, match="The sparse initializer 'w' .*" + re.escape(message)):
        TensorReader().dense(tensor)


def test_a_sparse_tensor_larger_than_memory() -> None:
    with pytest.raises(
        OutOfMemoryException,
        match=rf"^The sparse initializer 'w' needs {1 << 44} bytes of memory; \d+ are available\.$",
    ):
        TensorReader().dense(sparse([1 << 20, 1 << 22], [0, 1]))
