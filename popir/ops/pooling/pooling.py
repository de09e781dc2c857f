"""MaxPool, AveragePool, GlobalMaxPool and GlobalAveragePool; SumPool, which others use."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir import ext
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import expand_to
from popir.ops.support.shapes import product
from popir.ops.support.spatial import WindowOp
from popir.opx import Opx, popType
from popir.poplar import program
from popir.popnn import PoolingType, pooling
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo


class PoolOp(WindowOp):
    """The base class of all, on [batch, channels, spatial...] with one to three spatial
    dimensions: each window becomes one element.
    """

    poolingType = PoolingType.MAX

    @property
    def rounds_up(self) -> bool:
        """ONNX's ceil_mode: whether the last window may reach beyond the input."""
        return bool(getattr(self, "ceil_mode", 0))

    @property
    def counts_padding(self) -> bool:
        """ONNX's count_include_pad: whether padding counts in the average."""
        return bool(getattr(self, "count_include_pad", 0))

    def canBeReplacedByIdentity(self) -> bool:
        """Whether windows have one element, the stride is 1, and there is no padding."""
        ones = [1] * len(self.spatial_shape())
        lower, upper = self.padding()
        return self.window() == self.stride() == ones and not any([*lower, *upper])

    def setup(self) -> None:
        """Infers [batch, channels, spatial...] with the number of windows in each spatial
        dimension. Raises OperatorInputError for a window that does not fit, OperatorAttributeError
        for wrong attributes.
        """
        shape = [*self.inShape(0)[:2], *self.output_spatial(self.rounds_up)]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def overhang(self) -> list[int]:
        """The elements by which the last window exceeds the padded input, for each spatial
        dimension.
        """
        lower, upper = self.padding()
        sizes = zip(
            self.spatial_shape(),
            lower,
            upper,
            self.extent(),
            self.stride(),
            self.output_spatial(self.rounds_up),
            strict=True,
        )
        return [
            max((out - 1) * step + extent - (size + a + b), 0)
            for size, a, b, extent, step, out in sizes
        ]

    def pool_params(self) -> pooling.PoolParams:
        """The pooling as popnn's PoolParams."""
        lower, upper = self.padding()
        after = [b + more for b, more in zip(upper, self.overhang(), strict=True)]
        batch, channels = self.inShape(0)[:2]
        kind = popType(self.inInfo(0))
        return pooling.PoolParams(
            self.poolingType,
            self.spatial_shape(),
            self.window(),
            self.stride(),
            lower,
            after,
            channels,
            batch,
            kind,
        )

    def pool_options(self) -> ext.PoolOptions:
        """The parameters that popnn's PoolParams do not have: dilation and counted padding."""
        options = ext.PoolOptions()
        options.dilation = self.dilation()
        options.countIncludePad = self.counts_padding
        options.uncountedPaddingUpper = self.overhang()
        return options

    def dimensionNames(self) -> Dimensions | None:
        """Batch and channels; none if indices count in the whole input."""
        if self.hasOutput(1):
            return None
        return Dimensions.same(self.inRank(0), range(2, self.inRank(0)))

    def getGradOps(self) -> list[Op]:
        """The gradient operator of the kind of pooling."""
        return [
            MaxPoolGradOp(self) if self.poolingType == PoolingType.MAX else AveragePoolGradOp(self)
        ]


class MaxPoolOp(PoolOp):
    """ONNX's MaxPool, versions 1, 8, 10, 11, 12 and 22: the maximum of each window, and its index.

    Output 1 has the indices in the flattened input of the first maxima, or of the first NaN of a
    window. With `storage_order` they count the first spatial dimension of a channel fastest. A
    window without elements has the index -1.
    """

    nonDifferentiableOutputs = frozenset({1})
    ceil_mode: bool | None
    dilations: list[int] | None
    storage_order: bool | None

    def canBeReplacedByIdentity(self) -> bool:
        """As for PoolOp, unless the model has output 1."""
        return not self.hasOutput(1) and super().canBeReplacedByIdentity()

    def setup(self) -> None:
        """Infers the shape as PoolOp does, also of the indices."""
        super().setup()
        if self.hasOutput(1):
            self.setOutInfo(1, TensorInfo(DataType.INT64, self.outShape(0)))


class AveragePoolOp(PoolOp):
    """ONNX's AveragePool, versions 1, 7, 10, 11, 19 and 22: the mean of each window."""

    poolingType = PoolingType.AVG
    ceil_mode: bool | None
    count_include_pad: bool | None
    dilations: list[int] | None


class SumPoolOp(PoolOp):
    """The sum of each window, with the attributes of MaxPool; padding counts as zeros. Only
    operators that consist of others, such as LpPool, use it.
    """

    poolingType = PoolingType.SUM
    ceil_mode: bool | None
    dilations: list[int] | None


class GlobalPoolOp(PoolOp):
    """The base class of global pooling: the window is the whole input."""

    def window(self) -> list[int]:
        """The spatial dimensions of the input. Raises OperatorInputError if one is 0."""
        if 0 in self.spatial_shape():
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {self.inShape(0)}; there must be "
                "elements in each spatial dimension."
            )
        return self.spatial_shape()


class GlobalMaxPoolOp(GlobalPoolOp):
    """ONNX's GlobalMaxPool, versions 1 and 22: the maximum of each channel."""


class GlobalAveragePoolOp(GlobalPoolOp):
    """ONNX's GlobalAveragePool, versions 1 and 22: the mean of each channel."""

    poolingType = PoolingType.AVG


class PoolGradOp(InputGradOp):
    """The base class of both gradients, with the forward operator's parameters."""

    def __init__(self, fwdOp: PoolOp) -> None:
        super().__init__(fwdOp)
        self.params = fwdOp.pool_params()
        self.options = fwdOp.pool_options()
        self.window, self.strides = fwdOp.window(), fwdOp.stride()
        self.dilations, (self.lower, self.upper) = fwdOp.dilation(), fwdOp.padding()
        self.rounds_up = fwdOp.rounds_up
        self.is_mean = fwdOp.poolingType == PoolingType.AVG


class MaxPoolGradOp(PoolGradOp):
    """The gradient of MaxPool: each window's gradient goes to its first maximum."""

    opid = graphcore_id("MaxPoolGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def decompose(self, on: Decomposer, g: IrTensor, x: IrTensor) -> IrTensor:
        """The gradient added at the indices of the maxima, which MaxPool finds again."""
        _, indices = on.MaxPool(
            x,
            kernel_shape=self.window,
            strides=self.strides,
            dilations=self.dilations,
            pads=[*self.lower, *self.upper],
            ceil_mode=int(self.rounds_up),
            outputs=2,
        )
        size, kind = product(on.shape(x)), on.info(g).dataType()
        flat = on.reshape(indices, [product(on.shape(g))])
        # A window without elements has the index -1.
        flat = on.Where(on.Less(flat, on.like(0, flat)), on.like(size, flat), flat)
        zeros, given = on.zeros(TensorInfo(kind, [size + 1])), on.reshape(g, on.shape(flat))
        summed = on.ScatterElements(zeros, flat, given, axis=0, reduction="add")
        return on.reshape(on.Slice(summed, on.ints(0), on.ints(size)), on.shape(x))


class AveragePoolGradOp(PoolGradOp):
    """The gradient of AveragePool, where each window's gradient is divided evenly, and of SumPool,
    where each element gets it.
    """

    opid = graphcore_id("AveragePoolGrad")

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """The share of each element of a window, put back by a ConvTranspose with weights of 1."""
        shape, (batch, channels, *steps) = self.target().shape(), on.shape(g)
        if 0 in (*shape, *steps):
            return on.zeros(self.target())
        if self.is_mean:
            g = on.Div(g, on.like(self._counts(steps), g))
        if self.window == shape[2:] and not any([*self.lower, *self.upper]):
            return expand_to(on, g, shape)  # One window without dilation.
        g = on.reshape(g, [batch * channels, 1, *steps])
        ones = on.like(np.ones([1, 1, *self.window]), g)
        made = on.ConvTranspose(g, ones, strides=self.strides, dilations=self.dilations)
        pads = zip(self.lower, shape[2:], on.shape(made)[2:], strict=True)
        before = [-a for a in self.lower]
        after = [a + n - have for a, n, have in pads]
        return on.reshape(on.Pad(made, on.ints(0, 0, *before, 0, 0, *after)), shape)

    def _counts(self, steps: list[int]) -> np.ndarray[Any, Any]:
        """The number of elements that each window divides by, [spatial...]."""
        found = np.ones([], np.int64)
        for d, (size, count) in enumerate(zip(self.target().shape()[2:], steps, strict=True)):
            begin, end = 0, size
            if self.options.countIncludePad:
                begin, end = -self.lower[d], size + self.upper[d]
            starts = np.arange(count) * self.strides[d] - self.lower[d]
            at = starts[:, None] + np.arange(self.window[d]) * self.dilations[d]
            found = found[..., None] * ((at >= begin) & (at < end)).sum(1)
        return np.maximum(found, 1)


class PoolOpx(Opx):
    """The lowering of all poolings."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::pool and, for output 1, ext::maxPoolIndices, unless the output is empty."""
        op = self.getOp(PoolOp)
        if 0 in self.outShape(0):
            for i in op.output:
                kind = popType(self.outInfo(i))
                self.setOutTensor(i, self.graph().addVariable(kind, self.outShape(i)))
            return
        params, options = op.pool_params(), op.pool_options()
        given = self.getInTensor(0)
        self.setOutTensor(
            0, ext.pool(self.graph(), params, options, given, prog, self.debugContext())
        )
        if isinstance(op, MaxPoolOp) and op.hasOutput(1):
            first_fastest, context = bool(op.storage_order), self.debugContext("indices")
            found = ext.maxPoolIndices(
                self.graph(), params, options, given, first_fastest, prog, context
            )
            self.setOutTensor(1, found)


class MaxPoolGradOpx(Opx):
    """The lowering of the gradient of a maximum."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::maxPoolInputGradient, which scatters the gradient."""
        op = self.getOp(MaxPoolGradOp)
        g, given = self.getInTensor(0), self.getInTensor(1)
        out = ext.maxPoolInputGradient(
            self.graph(), op.params, op.options, given, g, prog, self.debugContext()
        )
        self.setOutTensor(0, out)


class AveragePoolGradOpx(Opx):
    """The lowering of the gradient of a mean or a sum."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::poolInputGradient, in one pass."""
        op = self.getOp(AveragePoolGradOp)
        g = self.getInTensor(0)
        out = ext.poolInputGradient(
            self.graph(), op.params, op.options, g, prog, self.debugContext()
        )
        self.setOutTensor(0, out)


for _op_class, _ids in (
    (MaxPoolOp, onnx_ids("MaxPool", 1, 8, 10, 11, 12, 22)),
    (AveragePoolOp, onnx_ids("AveragePool", 1, 7, 10, 11, 19, 22)),
    (GlobalMaxPoolOp, onnx_ids("GlobalMaxPool", 1, 22)),
    (GlobalAveragePoolOp, onnx_ids("GlobalAveragePool", 1, 22)),
):
    OpCreator(_op_class, _ids)
    OpxCreator(PoolOpx, _ids)
OpCreator(SumPoolOp, graphcore_id("SumPool"), isPublic=False)
OpxCreator(PoolOpx, graphcore_id("SumPool"))
OpxCreator(MaxPoolGradOpx, MaxPoolGradOp.opid)
OpxCreator(AveragePoolGradOpx, AveragePoolGradOp.opid)
