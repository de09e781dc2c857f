"""RandomNormal, RandomUniform and their Like forms: tensors of random numbers."""

from __future__ import annotations

import math

from popir import poplar, poprand
from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.elementwise.table import FLOATS
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer, Decomposition, Result
from popir.ops.support.drawing import SeededOp
from popir.ops.support.identifiers import onnx_ids
from popir.opx import Opx, popType
from popir.poplar import BFLOAT16, FLOAT, VariableMappingMethod, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo, require_finite


class DistributionOp(SeededOp):
    """The base class: independent numbers of one distribution."""

    dtype: int | None

    def element(self) -> DataType:
        """The element type: `dtype`, or the default of the operator. Raises OperatorAttributeError
        for a type that is not floating-point.
        """
        kind = self.default_type() if self.dtype is None else DataType.of(self.dtype)
        if kind not in FLOATS:
            known = ", ".join(f"{each.name} ({each.onnx})" for each in DataType if each in FLOATS)
            raise OperatorAttributeError(
                f"{self.debugName()}: the numbers would be of type {kind.name}; give the "
                f"attribute 'dtype' as one of {known}."
            )
        return kind

    def default_type(self) -> DataType:
        """The element type without `dtype`."""
        raise NotImplementedError

    def draw_shape(self) -> list[int]:
        """The shape of the output."""
        raise NotImplementedError

    def bounds(self) -> tuple[float, float]:
        """The two parameters of the distribution. Raises OperatorAttributeError for values that it
        does not have.
        """
        raise NotImplementedError

    def setup(self) -> None:
        """Infers type and shape. Raises OperatorAttributeError for wrong attributes."""
        super().setup()
        self.bounds()
        self.setOutInfo(0, TensorInfo(self.element(), self.draw_shape()))


class NormalOp(DistributionOp):
    """Numbers with a normal distribution."""

    mean: float
    scale: float

    def bounds(self) -> tuple[float, float]:
        """Mean and standard deviation. Raises OperatorAttributeError for one that is not finite,
        and for a negative scale.
        """
        if not math.isfinite(self.mean) or not 0 <= self.scale < math.inf:
            raise OperatorAttributeError(
                f"{self.debugName()}: mean is {self.mean:g} and scale {self.scale:g}; expected are "
                "a finite mean, and a finite standard deviation of at least 0."
            )
        return self.mean, self.scale


class UniformOp(DistributionOp):
    """Numbers with a uniform distribution."""

    low: float
    high: float

    def bounds(self) -> tuple[float, float]:
        """The least number, and the one that all are below. Raises OperatorAttributeError unless
        low is less than high, and popart_exception if the type does not hold them.
        """
        if not self.low < self.high:
            raise OperatorAttributeError(
                f"{self.debugName()}: low is {self.low:g} and high {self.high:g}; low must be less "
                "than high."
            )
        for name, value in (("low", self.low), ("high", self.high), ("high - low", self.width())):
            require_finite(f"{self.debugName()}: {name}", value, self.element())
        return self.low, self.high

    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low


class FreeOp(DistributionOp):
    """The shape is the attribute `shape`."""

    shape: list[int]

    def default_type(self) -> DataType:
        """FLOAT, as ONNX says."""
        return DataType.FLOAT

    def draw_shape(self) -> list[int]:
        """The attribute `shape`. Raises OperatorAttributeError for a negative dimension."""
        if any(dim < 0 for dim in self.shape):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'shape' is {self.shape}; dimensions are 0 or "
                "more."
            )
        return self.shape

    def getSeedInIndex(self) -> int:
        """Input 0: the model's operator has none."""
        return 0


class RandomNormalOp(FreeOp, NormalOp):
    """ONNX's RandomNormal, versions 1 and 22: numbers with a normal distribution of the mean `mean`
    and the standard deviation `scale`. They follow the session's seed and `seed` (`SeededOp`).
    """


class RandomUniformOp(FreeOp, UniformOp):
    """ONNX's RandomUniform, versions 1 and 22: numbers with a uniform distribution from `low` up
    to, but without, `high`. They follow the session's seed and `seed` (`SeededOp`).
    """


class Like(Decomposition):
    """The base class of Like forms: the operator in the shape of the input and, without `dtype`, of
    its type. The values of the input have no effect.
    """

    dtype: int | None
    seed: float | None

    def drawn(self, on: Decomposer, x: Tensor, **bounds: float) -> Result:
        """The operator of this one's name without Like."""
        info = on.info(x)
        dtype = info.dataType().onnx if self.dtype is None else self.dtype
        draw = getattr(on, self.opid.type.removesuffix("Like"))
        return draw(shape=info.shape(), dtype=dtype, seed=self.seed, **bounds)


class RandomNormalLike(Like):
    """ONNX's RandomNormalLike, versions 1 and 22: RandomNormal in the shape of the input."""

    mean: float
    scale: float

    def decompose(self, on: Decomposer, x: Tensor) -> Result:
        """A RandomNormal of the shape of the input."""
        return self.drawn(on, x, mean=self.mean, scale=self.scale)


class RandomUniformLike(Like):
    """ONNX's RandomUniformLike, versions 1 and 22: RandomUniform in the shape of the input."""

    low: float
    high: float

    def decompose(self, on: Decomposer, x: Tensor) -> Result:
        """A RandomUniform of the shape of the input."""
        return self.drawn(on, x, low=self.low, high=self.high)


class DistributionOpx(Opx):
    """The lowering: one draw. BFLOAT16 is drawn as FLOAT and rounded."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poprand::normal or poprand::uniform."""
        op = self.getOp(DistributionOp)
        kind = popType(self.outInfo(0))
        drawn = FLOAT if kind == BFLOAT16 else kind
        draw = poprand.normal if isinstance(op, NormalOp) else poprand.uniform
        seed = self.getInTensor(op.getSeedInIndex())
        reference = self._reference()
        context = self.debugContext()
        out = draw(self.graph(), seed, op.modifier, reference, drawn, *op.bounds(), prog, context)
        self.setOutTensor(0, Arithmetic(self, prog).converted(out, kind, "round"))

    def _reference(self) -> poplar.Tensor:
        """A tensor of the output's shape."""
        linear = VariableMappingMethod.LINEAR
        kind = popType(self.outInfo(0))
        return self.graph().addVariable(kind, self.outShape(0), linear, self.debugContext("like"))


for _op in (RandomNormalOp, RandomUniformOp):
    _IDS = onnx_ids(_op.__name__.removesuffix("Op"), 1, 22)
    OpCreator(_op, _IDS)
    OpxCreator(DistributionOpx, _IDS)
for _like in (RandomNormalLike, RandomUniformLike):
    OpCreator(_like, onnx_ids(_like.__name__, 1, 22))
