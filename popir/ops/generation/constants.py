"""Shape, Size, ConstantOfShape, Range: operators with outputs that must be known at compile
time.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from popir import memory
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op, Tensor
from popir.ir.integers import Integers
from popir.ir.traits import Array
from popir.ops.elementwise.table import FLOATS
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import const_input
from popir.registry import OpCreator
from popir.types import DataType, TensorInfo


class ShapeOp(Op):
    """ONNX's Shape, versions 1, 13, 15, 19, 21, 23, 24 and 25: the dimensions of the input, INT64,
    or those from `start` to `end` (version 15 and later).
    """

    start: int | None
    end: int | None

    def dims(self) -> list[int]:
        """The dimensions that the output contains."""
        return self.inShape(0)[slice(self.start, self.end)]

    def setup(self) -> None:
        """Infers INT64[number of dimensions]."""
        self.setOutInfo(0, TensorInfo(DataType.INT64, [len(self.dims())]))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The dimensions; the input's values are not needed."""
        return [np.array(self.dims(), np.int64)]


class SizeOp(Op):
    """ONNX's Size, versions 1, 13, 19, 21, 23, 24 and 25: the number of elements of the input, an
    INT64 scalar.
    """

    def setup(self) -> None:
        """Infers an INT64 scalar."""
        self.setOutInfo(0, TensorInfo(DataType.INT64, []))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The number of elements; the input's values are not needed."""
        return [np.array(self.inInfo(0).nelms(), np.int64)]


class ConstantOfShapeOp(Op):
    """ONNX's ConstantOfShape, versions 9, 20, 21, 23, 24 and 25: a tensor of the shape in input 0,
    filled with `value`, or with zeros of type FLOAT. The shape must be known at compile time.
    """

    constantInputs = frozenset({0})
    mostFolded = sys.maxsize  # The result takes the memory of one element.
    value: Array | None

    def element(self) -> Array:
        """The value as a scalar. Raises OperatorInputError if the attribute has several
        elements.
        """
        found = np.zeros((), np.float32) if self.value is None else np.asarray(self.value)
        if found.size != 1:
            raise OperatorInputError(
                f"{self.debugName()}: the attribute 'value' has {found.size} elements; it must "
                "have one."
            )
        return found.reshape(())

    def setup(self) -> None:
        """Infers the type of the value and the shape in input 0. Raises OperatorInputError for a
        negative dimension.
        """
        shape = const_input(self, 0)
        assert shape is not None
        if shape.min(initial=0) < 0:
            raise OperatorInputError(
                f"{self.debugName()}: the shape {shape.tolist()} has a negative dimension."
            )
        dtype = DataType.of(self.element().dtype)
        self.setOutInfo(0, TensorInfo(dtype, [int(d) for d in shape.reshape(-1)]))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The value, broadcast without a copy."""
        return [np.broadcast_to(self.element(), self.outShape(0))]


class RangeOp(Op):
    """ONNX's Range, versions 11 and 27: the numbers from start up to, but without, limit, in steps
    of delta: three scalars of one type, which must be known at compile time. Of integers that are
    computed at run time it is enough if delta, and how far limit is from start, are known.

    Floating-point types are computed in double; in version 27, FLOAT16 and BFLOAT16 in the type
    `stash_type`.
    """

    constantInputs = frozenset({0, 1, 2})
    mostFolded = 1 << 24
    stash_type: int | None

    def expand(self, inputs: Sequence[Tensor | None], outputs: Sequence[str]) -> bool:
        """Adds what computes a known number of integers from a start that is known at run time."""
        start, limit, delta = [*inputs, None, None, None][:3]
        if start is None or limit is None or delta is None or not any(outputs):
            return False
        if start.data is not None and limit.data is not None:
            return False
        integers = Integers()
        forms = [integers.of(tensor) for tensor in (start, limit, delta)]
        if any(form is None or form.size != 1 for form in forms):
            return False
        first, end, step = (form.item() for form in forms if form is not None)
        length = end - first
        if not length.is_constant or not step.is_constant or step.constant == 0:
            return False
        on, count = Decomposer(self, outputs[0]), max(0, -(-length.constant // step.constant))
        memory.require(self._who(), count * 8)
        numbers = on.const(np.arange(count) * step.constant, on.info(start).dataType())
        on.name([on.Add(on.reshape(start, []), numbers)], outputs)
        return True

    def count(self) -> int:
        """The number of elements: exact for integers, computed in double for floating-point types.

        Raises OperatorInputError for a delta of 0, and for values that are not finite.
        """
        start, limit, delta = (self._scalar(i).item() for i in range(3))
        if delta == 0:
            raise OperatorInputError(f"{self.debugName()}: delta is 0, so the range has no end.")
        if isinstance(delta, int):
            return max(0, -((start - limit) // delta))
        count = (limit - start) / delta
        if not math.isfinite(count):
            raise OperatorInputError(
                f"{self.debugName()}: a range from {start} to {limit} in steps of {delta} has no "
                "end; Range takes finite numbers."
            )
        return max(0, math.ceil(count))

    def _scalar(self, i: int) -> Array:
        found = const_input(self, i)
        if found is None or found.size != 1:
            given = None if found is None else list(found.shape)
            raise OperatorInputError(
                f"{self.debugName()}: input {i} has shape {given}; Range takes three scalars."
            )
        return found.reshape(())

    def setup(self) -> None:
        """Infers the length. Raises OperatorInputError or OperatorAttributeError for wrong inputs
        or attributes.
        """
        self.arithmetic()
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), [self.count()]))

    def arithmetic(self) -> DataType:
        """The type of the computation: double for floating-point types, else the type itself.

        Raises OperatorAttributeError for a stash_type other than float or double.
        """
        kind, code = self.inInfo(0).dataType(), self.stash_type
        if code not in (None, DataType.FLOAT.onnx, DataType.DOUBLE.onnx):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'stash_type' is {code}; half and bfloat16 are "
                f"computed in float ({DataType.FLOAT.onnx}) or double ({DataType.DOUBLE.onnx})."
            )
        if code is not None and kind in (DataType.FLOAT16, DataType.BFLOAT16):
            return DataType.of(code)
        return DataType.DOUBLE if kind in FLOATS else kind

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The elements start + i * delta."""
        kind, wide = self.inInfo(0).dataType().numpy, self.arithmetic().numpy
        start, delta = (self._scalar(i).astype(wide) for i in (0, 2))
        return [(start + np.arange(self.count()).astype(wide) * delta).astype(kind)]


OpCreator(ShapeOp, onnx_ids("Shape", 1, 13, 15, 19, 21, 23, 24, 25))
OpCreator(SizeOp, onnx_ids("Size", 1, 13, 19, 21, 23, 24, 25))
OpCreator(ConstantOfShapeOp, onnx_ids("ConstantOfShape", 9, 20, 21, 23, 24, 25))
OpCreator(RangeOp, onnx_ids("Range", 11, 27))
