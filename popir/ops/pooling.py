"""MaxPool, AveragePool and their global forms."""

from __future__ import annotations

from popir import ext
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.spatial import WindowOp
from popir.opx import Opx, popType
from popir.poplar import program
from popir.popnn import PoolingType, pooling
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class PoolOp(WindowOp):
    """Base of all four: [batch, channels, spatial...], each window becomes one element."""

    poolingType = PoolingType.MAX

    @property
    def roundsUp(self) -> bool:
        """Whether a last window may begin inside the input and end outside."""
        return bool(getattr(self, "ceil_mode", 0))

    @property
    def countsPadding(self) -> bool:
        """Whether an average divides by the padding too."""
        return bool(getattr(self, "count_include_pad", 0))

    def canBeReplacedByIdentity(self) -> bool:
        """With windows of one element, one beside the other, and no padding."""
        ones = [1] * len(self.spatialShape())
        lower, upper = self.padding()
        return self.window() == self.stride() == ones and not any([*lower, *upper])

    def setup(self) -> None:
        """[batch, channels, spatial...]"""
        shape = [*self.inShape(0)[:2], *self.outputSpatial(self.roundsUp)]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def overhang(self) -> list[int]:
        """What rounding up adds to the padding after each dimension."""
        lower, upper = self.padding()
        sizes = zip(
            self.spatialShape(),
            lower,
            upper,
            self.extent(),
            self.stride(),
            self.outputSpatial(self.roundsUp),
            strict=True,
        )
        return [
            max((out - 1) * step + extent - (size + a + b), 0)
            for size, a, b, extent, step, out in sizes
        ]

    def poolParams(self) -> pooling.PoolParams:
        """The pooling in popnn's terms."""
        lower, upper = self.padding()
        after = [b + more for b, more in zip(upper, self.overhang(), strict=True)]
        batch, channels = self.inShape(0)[:2]
        kind = popType(self.inInfo(0))
        return pooling.PoolParams(
            self.poolingType,
            self.spatialShape(),
            self.window(),
            self.stride(),
            lower,
            after,
            channels,
            batch,
            kind,
        )

    def poolOptions(self) -> ext.PoolOptions:
        """What popnn's terms lack."""
        options = ext.PoolOptions()
        options.dilation = self.dilation()
        options.countIncludePad = self.countsPadding
        options.uncountedPaddingUpper = self.overhang()
        return options

    def getGradOps(self) -> list[Op]:
        """By the kind of pooling."""
        return [
            MaxPoolGradOp(self) if self.poolingType == PoolingType.MAX else AveragePoolGradOp(self)
        ]


class MaxPoolOp(PoolOp):
    """The largest element of each window; the second output, where it stood, is not available."""

    withoutMeaning = {"storage_order": "it orders the second output, which popir does not compute."}
    ceil_mode: bool | None
    dilations: list[int] | None
    storage_order: bool | None

    def setup(self) -> None:
        """[batch, channels, spatial...]"""
        if self.hasOutput(1):
            raise OperatorInputError(
                f"{self.debugName()}: the second output, Indices, is in use; popir computes the "
                "first one only."
            )
        super().setup()


class AveragePoolOp(PoolOp):
    """The mean of each window."""

    poolingType = PoolingType.AVG
    ceil_mode: bool | None
    count_include_pad: bool | None
    dilations: list[int] | None


class GlobalPoolOp(PoolOp):
    """Base of the two whose window is the whole input."""

    def window(self) -> list[int]:
        """The input's spatial dimensions. Raises OperatorInputError if they have no elements."""
        if 0 in self.spatialShape():
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {self.inShape(0)}; there must be "
                "elements in each spatial dimension."
            )
        return self.spatialShape()


class GlobalMaxPoolOp(GlobalPoolOp):
    """The largest element of each channel."""


class GlobalAveragePoolOp(GlobalPoolOp):
    """The mean of each channel."""

    poolingType = PoolingType.AVG


class PoolGradOp(InputGradOp):
    """Base of both: keeps the forward pooling's parameters."""

    def __init__(self, fwdOp: PoolOp) -> None:
        super().__init__(fwdOp)
        self.params = fwdOp.poolParams()
        self.options = fwdOp.poolOptions()


class MaxPoolGradOp(PoolGradOp):
    """Each window's gradient goes to its first maximum."""

    opid = graphcoreId("MaxPoolGrad")
    reads = [(GRAD, 0), (IN, 0)]


class AveragePoolGradOp(PoolGradOp):
    """Each window's gradient is shared by its elements."""

    opid = graphcoreId("AveragePoolGrad")


class PoolOpx(Opx):
    """All four."""

    def grow(self, prog: program.Sequence) -> None:
        """One pooling."""
        op = self.getOp(PoolOp)
        if 0 in self.outShape(0):
            kind = popType(self.outInfo(0))
            self.setOutTensor(0, self.graph().addVariable(kind, self.outShape(0)))
            return
        params, options = op.poolParams(), op.poolOptions()
        given = self.getInTensor(0)
        self.setOutTensor(
            0, ext.pool(self.graph(), params, options, given, prog, self.debugContext())
        )


class MaxPoolGradOpx(Opx):
    """The gradient of a maximum."""

    def grow(self, prog: program.Sequence) -> None:
        """One scatter."""
        op = self.getOp(MaxPoolGradOp)
        g, given = self.getInTensor(0), self.getInTensor(1)
        out = ext.maxPoolInputGradient(
            self.graph(), op.params, op.options, given, g, prog, self.debugContext()
        )
        self.setOutTensor(0, out)


class AveragePoolGradOpx(Opx):
    """The gradient of a mean."""

    def grow(self, prog: program.Sequence) -> None:
        """One pass."""
        op = self.getOp(AveragePoolGradOp)
        g = self.getInTensor(0)
        out = ext.poolInputGradient(
            self.graph(), op.params, op.options, g, prog, self.debugContext()
        )
        self.setOutTensor(0, out)


for _opClass, _ids in (
    (MaxPoolOp, onnxIds("MaxPool", 1, 8, 10, 11, 12, 22)),
    (AveragePoolOp, onnxIds("AveragePool", 1, 7, 10, 11, 19, 22)),
    (GlobalMaxPoolOp, onnxIds("GlobalMaxPool", 1, 22)),
    (GlobalAveragePoolOp, onnxIds("GlobalAveragePool", 1, 22)),
):
    OpCreator(_opClass, _ids)
    OpxCreator(PoolOpx, _ids)
OpxCreator(MaxPoolGradOpx, MaxPoolGradOp.opid)
OpxCreator(AveragePoolGradOpx, AveragePoolGradOp.opid)
