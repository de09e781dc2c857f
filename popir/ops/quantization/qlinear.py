"""onnxruntime's operators on quantized data: QuantizeLinear, DequantizeLinear, and the QLinear
family, which computes in FLOAT and quantizes the result.
"""

from __future__ import annotations

from collections.abc import Callable

from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.shapes import product
from popir.registry import OpCreator


class _ByAxis(Decomposition):
    axis: int | None

    def checked(self, on: Decomposer, scale: Tensor) -> int | None:
        """The axis. Raises OperatorInputError for several scales without one."""
        if self.axis is None and product(on.shape(scale)) != 1:
            raise self.wrong(
                f"the scale has shape {on.shape(scale)}; give the attribute 'axis' for one scale "
                "an index, or one number."
            )
        return self.axis


class QuantizeLinear(_ByAxis):
    """onnxruntime's QuantizeLinear, version 1: ONNX's, for one number, or one for each index of
    `axis`. No gradient.
    """

    getGradOps = Op.getGradOps

    def decompose(
        self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None = None
    ) -> Tensor:
        """ONNX's operator. Raises OperatorInputError for shapes that do not fit."""
        return on.QuantizeLinear(x, scale, zero, axis=self.checked(on, scale))


class DequantizeLinear(_ByAxis):
    """onnxruntime's DequantizeLinear, version 1: ONNX's, for one number, or one for each index of
    `axis`.
    """

    def decompose(
        self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None = None
    ) -> Tensor:
        """ONNX's operator. Raises OperatorInputError for shapes that do not fit."""
        return on.DequantizeLinear(x, scale, zero, axis=self.checked(on, scale))


class _QLinear(Decomposition):
    getGradOps = Op.getGradOps

    def one(self, on: Decomposer, what: str, t: Tensor) -> Tensor:
        """`t` as a scalar. Raises OperatorInputError if it is not one number."""
        if product(on.shape(t)) != 1:
            raise self.wrong(f"{what} has shape {on.shape(t)}; expected is one number.")
        return on.reshape(t, [])

    def float(self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None) -> Tensor:
        """Quantized data in FLOAT."""
        zero = None if zero is None else self.one(on, "a zero point", zero)
        return on.DequantizeLinear(x, self.one(on, "a scale", scale), zero)

    def quantized(
        self, on: Decomposer, y: Tensor, scale: Tensor, zero: Tensor | None, like: Tensor
    ) -> Tensor:
        """y quantized, without a zero point in the type of `like`."""
        zero = on.like(0, like) if zero is None else self.one(on, "the result's zero point", zero)
        return on.QuantizeLinear(y, self.one(on, "the result's scale", scale), zero)


class _QLinearBinary(_QLinear):
    def apply(self, on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
        """What is computed in FLOAT."""
        raise NotImplementedError

    def decompose(
        self,
        on: Decomposer,
        a: Tensor,
        a_scale: Tensor,
        a_zero: Tensor | None,
        b: Tensor,
        b_scale: Tensor,
        b_zero: Tensor | None,
        y_scale: Tensor,
        y_zero: Tensor | None = None,
    ) -> Tensor:
        """The operands in FLOAT, the operator, QuantizeLinear. Raises OperatorInputError for scales
        or zero points that are several numbers.
        """
        y = self.apply(on, self.float(on, a, a_scale, a_zero), self.float(on, b, b_scale, b_zero))
        return self.quantized(on, y, y_scale, y_zero, a)


class QLinearAdd(_QLinearBinary):
    """onnxruntime's QLinearAdd, version 1: the sum of quantized data, quantized. No gradient."""

    def apply(self, on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
        """The sum of both, with broadcasting."""
        return on.Add(a, b)


class QLinearMul(_QLinearBinary):
    """onnxruntime's QLinearMul, version 1: the product of quantized data, quantized. No
    gradient.
    """

    def apply(self, on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
        """The product of both, with broadcasting."""
        return on.Mul(a, b)


class _QLinearUnary(_QLinear):
    def apply(self, on: Decomposer, x: Tensor) -> Tensor:
        """What is computed in FLOAT."""
        raise NotImplementedError

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        x_scale: Tensor,
        x_zero: Tensor | None,
        y_scale: Tensor,
        y_zero: Tensor | None = None,
    ) -> Tensor:
        """The data in FLOAT, the operator, QuantizeLinear. Raises OperatorInputError for scales or
        zero points that are several numbers.
        """
        y = self.apply(on, self.float(on, x, x_scale, x_zero))
        return self.quantized(on, y, y_scale, y_zero, x)


class QLinearSigmoid(_QLinearUnary):
    """onnxruntime's QLinearSigmoid, version 1: Sigmoid of quantized data, quantized. No
    gradient.
    """

    def apply(self, on: Decomposer, x: Tensor) -> Tensor:
        """Sigmoid of each element."""
        return on.Sigmoid(x)


class QLinearLeakyRelu(_QLinearUnary):
    """onnxruntime's QLinearLeakyRelu, version 1: LeakyRelu of quantized data, quantized. No
    gradient.
    """

    alpha: float

    def apply(self, on: Decomposer, x: Tensor) -> Tensor:
        """LeakyRelu of each element."""
        return on.LeakyRelu(x, alpha=self.alpha)


class QLinearSoftmax(_QLinearUnary):
    """onnxruntime's QLinearSoftmax, version 1: Softmax of quantized data, quantized; of the version
    of ONNX's that is in force at `opset`: before 13 over all dimensions from `axis` on. No
    gradient.
    """

    axis: int
    opset: int

    def apply(self, on: Decomposer, x: Tensor) -> Tensor:
        """Softmax of the version that `opset` says."""
        found = on.add("ai.onnx", "Softmax", self.opset, [x], 1, {"axis": self.axis})
        assert not isinstance(found, list)
        return found


class QLinearReduceMean(_QLinearUnary):
    """onnxruntime's QLinearReduceMean, version 1: the mean of quantized data, quantized. No
    gradient.
    """

    axes: list[int]
    keepdims: int

    def apply(self, on: Decomposer, x: Tensor) -> Tensor:
        """ReduceMean over the axes."""
        return on.ReduceMean(x, on.ints(*self.axes), keepdims=self.keepdims)


class _ChannelsLast(_QLinearUnary):
    channels_last: int

    def pooled(self, on: Decomposer, x: Tensor, pool: Callable[[Tensor], Tensor]) -> Tensor:
        """`pool` of x with channels first, as they are in the result if `channels_last` is 1."""
        if not self.channels_last:
            return pool(x)
        rank = len(on.shape(x))
        y = pool(on.Transpose(x, perm=[0, rank - 1, *range(1, rank - 1)]))
        return on.Transpose(y, perm=[0, *range(2, rank), 1])


class QLinearGlobalAveragePool(_ChannelsLast):
    """onnxruntime's QLinearGlobalAveragePool, version 1: the mean over space of quantized data,
    quantized. No gradient.
    """

    def apply(self, on: Decomposer, x: Tensor) -> Tensor:
        """GlobalAveragePool of all channels."""
        return self.pooled(on, x, lambda t: on.GlobalAveragePool(t))


class QLinearAveragePool(_ChannelsLast):
    """onnxruntime's QLinearAveragePool, version 1: AveragePool of quantized data, quantized. No
    gradient.
    """

    auto_pad: str
    ceil_mode: int
    count_include_pad: int
    kernel_shape: list[int]
    pads: list[int] | None
    strides: list[int] | None

    def apply(self, on: Decomposer, x: Tensor) -> Tensor:
        """AveragePool with the attributes."""
        names = ("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides")
        given = {name: getattr(self, name) for name in names}
        return self.pooled(on, x, lambda t: on.AveragePool(t, **given))


class QLinearConcat(_QLinear):
    """onnxruntime's QLinearConcat, version 1: quantized data, each with a scale and a zero point,
    joined and quantized. No gradient.
    """

    axis: int

    def decompose(
        self, on: Decomposer, y_scale: Tensor, y_zero: Tensor, *each: Tensor | None
    ) -> Tensor:
        """The data in FLOAT, Concat, QuantizeLinear. Raises OperatorInputError for inputs that are
        not data, scale, zero point, again and again.
        """
        if not each or len(each) % 3 or None in each:
            raise self.wrong(
                f"{len(each)} inputs follow the zero point of the result; expected are data, scale "
                "and zero point of each part."
            )
        given = [t for t in each if t is not None]
        parts = [self.float(on, *given[i : i + 3]) for i in range(0, len(given), 3)]
        return self.quantized(on, on.Concat(*parts, axis=self.axis), y_scale, y_zero, given[0])


class QLinearWhere(_QLinear):
    """onnxruntime's QLinearWhere, version 1: elements of one or the other quantized data,
    quantized. No gradient.
    """

    def decompose(
        self,
        on: Decomposer,
        condition: Tensor,
        x: Tensor,
        x_scale: Tensor,
        x_zero: Tensor,
        y: Tensor,
        y_scale: Tensor,
        y_zero: Tensor,
        z_scale: Tensor,
        z_zero: Tensor,
    ) -> Tensor:
        """The data in FLOAT, Where, QuantizeLinear. Raises OperatorInputError for scales or zero
        points that are several numbers.
        """
        a, b = self.float(on, x, x_scale, x_zero), self.float(on, y, y_scale, y_zero)
        return self.quantized(on, on.Where(condition, a, b), z_scale, z_zero, x)


class QLinearConv(Decomposition):
    """onnxruntime's QLinearConv, version 1: ONNX's, with channels last in data and result if
    `channels_last` is 1. No gradient.
    """

    auto_pad: str
    dilations: list[int] | None
    group: int
    kernel_shape: list[int] | None
    pads: list[int] | None
    strides: list[int] | None
    channels_last: int
    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer, x: Tensor, *rest: Tensor | None) -> Tensor:
        """ONNX's QLinearConv, between transpositions. Raises what that raises."""
        rank = len(on.shape(x))
        if self.channels_last:
            x = on.Transpose(x, perm=[0, rank - 1, *range(1, rank - 1)])
        names = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
        y = on.QLinearConv(x, *rest, **{name: getattr(self, name) for name in names})
        return on.Transpose(y, perm=[0, *range(2, rank), 1]) if self.channels_last else y


for _class in (
    *(QuantizeLinear, DequantizeLinear, QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu),
    *(QLinearSoftmax, QLinearReduceMean, QLinearGlobalAveragePool, QLinearAveragePool),
    *(QLinearConcat, QLinearWhere, QLinearConv),
):
    OpCreator(_class, microsoft_id(_class.__name__))
