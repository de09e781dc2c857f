"""RoiAlign and MaxRoiPool: poolings over regions of images."""

from __future__ import annotations

from typing import ClassVar

from popir import ext, poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ext import RoiPooling
from popir.ir import GradInOutMapper, Op
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

_MOST_SAMPLES = 1024
"""The largest sampling_ratio: a bin has the square of it."""


class RoiOp(Op):
    """The base class of both. Inputs: images [images, channels, height, width], regions. The output
    is [regions, channels, bins down, bins across].

    An image that is out of range gives zeros, a coordinate that is not finite NaN. The regions have
    no gradient.
    """

    nonDifferentiableInputs = frozenset({1})
    columns: ClassVar[int]
    """The numbers of a region."""

    spatial_scale: float

    def bins(self) -> list[int]:
        """The bins of a region, down and across."""
        raise NotImplementedError

    def roi_params(self) -> ext.RoiParams:
        """The parameters of the pooling for the library `ext`."""
        params = ext.RoiParams()
        params.height, params.width = self.bins()
        params.scale = self.spatial_scale
        return params

    def setup(self) -> None:
        """Infers the shape. Raises OperatorInputError for other shapes than the above,
        OperatorAttributeError for a number of bins that is no pair of 1 or more.
        """
        images, regions = self.inShape(0), self.inShape(1)
        if len(images) != 4 or len(regions) != 2 or regions[1] != self.columns:
            raise OperatorInputError(
                f"{self.debugName()}: the images have shape {images}, the regions {regions}; "
                f"expected are [images, channels, height, width] and [regions, {self.columns}]."
            )
        bins = self.bins()
        if len(bins) != 2 or min(bins) < 1 or max(bins) >= 2**31:
            raise OperatorAttributeError(
                f"{self.debugName()}: a region has {bins} bins; expected are two numbers of at "
                "least 1, and less than 2^31."
            )
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), [regions[0], images[1], *bins]))

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the images."""
        return [RoiGradOp(self)]


class RoiAlignOp(RoiOp):
    """ONNX's RoiAlign, versions 10, 16 and 22: of each bin the mean of samples that are
    interpolated between four pixels. Input 2 has the image of each region.

    In the mode "max" the result is, as in onnxruntime and ONNX's tests, the largest of the pixels
    times their weights, not of the interpolated samples.
    """

    columns = 4
    coordinate_transformation_mode: str | None
    mode: str
    output_height: int
    output_width: int
    sampling_ratio: int

    def bins(self) -> list[int]:
        """The attributes `output_height` and `output_width`."""
        return [self.output_height, self.output_width]

    def roi_params(self) -> ext.RoiParams:
        """The parameters, with those of the samples.

        Raises OperatorAttributeError for an unknown mode and for a sampling_ratio out of range.
        """
        pooling = {"avg": RoiPooling.AlignAverage, "max": RoiPooling.AlignMax}.get(self.mode)
        halves = {"half_pixel": True, "output_half_pixel": False, None: False}
        transformation = self.coordinate_transformation_mode
        if pooling is None or transformation not in halves:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attributes 'mode' and 'coordinate_transformation_mode' "
                f"are {self.mode!r} and {transformation!r}; expected are 'avg' or 'max', and "
                "'half_pixel' or 'output_half_pixel'."
            )
        if not 0 <= self.sampling_ratio <= _MOST_SAMPLES:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'sampling_ratio' is {self.sampling_ratio}; "
                f"expected are 1 to {_MOST_SAMPLES} samples in each direction, or 0 for as many as "
                "a bin has pixels."
            )
        params = super().roi_params()
        params.pooling, params.samplingRatio = pooling, self.sampling_ratio
        params.halfPixel = halves[transformation]
        return params

    def setup(self) -> None:
        """Infers the shape. Raises the errors of `roi_params`, and OperatorInputError if there is
        no image for each region.
        """
        super().setup()
        self.roi_params()
        if self.inShape(2) != self.inShape(1)[:1]:
            raise OperatorInputError(
                f"{self.debugName()}: batch_indices has shape {self.inShape(2)}, the regions "
                f"{self.inShape(1)}; expected is one number for each region."
            )


class MaxRoiPoolOp(RoiOp):
    """ONNX's MaxRoiPool, versions 1 and 22: the largest pixel of each bin, where the corners of
    regions are rounded to pixels; 0 for a bin without pixels. A region is the index of its image
    and two corners.
    """

    columns = 5
    pooled_shape: list[int]

    def bins(self) -> list[int]:
        """The attribute `pooled_shape`, down and across."""
        return self.pooled_shape

    def roi_params(self) -> ext.RoiParams:
        """The parameters of a maximum."""
        params = super().roi_params()
        params.pooling = RoiPooling.Max
        return params


class _LinearRoiOp(InputGradOp):
    """What a pooling makes of a change of the images, or the transpose of that: linear in input 0.
    The further inputs, images, regions and, for RoiAlign, the images of the regions, say where; a
    maximum stays where it is, so these have no gradient.
    """

    nonDifferentiableInputs = frozenset({1, 2, 3})
    suffix: ClassVar[str]

    def __init__(self, fwdOp: RoiOp | _LinearRoiOp) -> None:
        is_first = isinstance(fwdOp, RoiOp)
        self.kind: str = fwdOp.opid.type if is_first else fwdOp.kind
        super().__init__(fwdOp, 0, graphcore_id(self.kind + self.suffix))
        if isinstance(fwdOp, _LinearRoiOp):
            self._forward = fwdOp._forward
        self.params = fwdOp.roi_params() if isinstance(fwdOp, RoiOp) else fwdOp.params
        self._places = [(i + is_first, i) for i in sorted(fwdOp.input) if is_first or i]

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient and the inputs that say where."""
        places = [GradInOutMapper(to, i, IN) for to, i in self._places]
        return [GradInOutMapper(0, 0, GRAD), *places]


class RoiGradOp(_LinearRoiOp):
    """The gradient of the images. Inputs: the output's gradient, and those that say where."""

    suffix = "Grad"

    def getGradOps(self) -> list[Op]:
        """One operator, for the output's gradient."""
        return [RoiTangentOp(self)]


class RoiTangentOp(_LinearRoiOp):
    """The gradient of RoiGradOp: a change of the images, pooled. A maximum takes the pixel that is
    the largest of the images themselves.
    """

    suffix = "Tangent"

    def getGradOps(self) -> list[Op]:
        """One operator, for the change of the images."""
        return [RoiGradOp(self)]


class RoiOpx(Opx):
    """The lowering of both, and a base class for that of the gradient."""

    def regions(self, i: int, count: int, prog: program.Sequence) -> tuple[Tensor, Tensor]:
        """The regions at input `i`, [regions, 4], and the image of each of `count`, INT; -1 for one
        that is out of range.
        """
        given = self.getInTensor(i)
        if self.hasInput(i + 1):
            images = self.getInTensor(i + 1)
        else:
            images, given = given.slice(0, 1, 1).flatten(), given.slice(1, 5, 1)
        known = pe.Select(pe._1, pe.Const(-1), pe.Lt(pe._1, pe.Const(count)))
        tree = pe.Cast(pe.Max(known, pe.Const(-1)), poplar.INT)
        context = self.debugContext("images")
        return given, popops.map(self.graph(), tree, [images], prog, context)

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::roiPool, with the images of the regions as INT."""
        params, context = self.getOp(RoiOp).roi_params(), self.debugContext()
        given = self.getInTensor(0)
        regions, images = self.regions(1, given.dim(0), prog)
        out = ext.roiPool(self.graph(), params, regions, images, given, prog, context)
        self.setOutTensor(0, out)


class RoiGradOpx(RoiOpx):
    """The lowering of the gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::roiPoolInputGradient in the same way."""
        params, context = self.getOp(RoiGradOp).params, self.debugContext()
        g, given = self.getInTensor(0), self.getInTensor(1)
        regions, images = self.regions(2, given.dim(0), prog)
        out = ext.roiPoolInputGradient(
            self.graph(), params, regions, images, given, g, prog, context
        )
        self.setOutTensor(0, out)


class RoiTangentOpx(RoiOpx):
    """The lowering of the gradients of gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::roiPoolTangent in the same way."""
        params, context = self.getOp(RoiTangentOp).params, self.debugContext()
        change, given = self.getInTensor(0), self.getInTensor(1)
        regions, images = self.regions(2, given.dim(0), prog)
        out = ext.roiPoolTangent(
            self.graph(), params, regions, images, given, change, prog, context
        )
        self.setOutTensor(0, out)


for _op, _ids in (
    (RoiAlignOp, onnx_ids("RoiAlign", 10, 16, 22)),
    (MaxRoiPoolOp, onnx_ids("MaxRoiPool", 1, 22)),
):
    OpCreator(_op, _ids)
    OpxCreator(RoiOpx, _ids)
    OpxCreator(RoiGradOpx, graphcore_id(_ids[0].type + RoiGradOp.suffix))
    OpxCreator(RoiTangentOpx, graphcore_id(_ids[0].type + RoiTangentOp.suffix))
