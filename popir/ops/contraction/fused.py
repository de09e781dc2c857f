"""onnxruntime's products with what it fuses into them: FusedMatMul, FusedGemm, FusedConv, NhwcConv
and NhwcFusedConv.
"""

from __future__ import annotations

from collections.abc import Callable

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.registry import OpCreator

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "Relu": (),
    "Tanh": (),
    "Sigmoid": (),
    "Softplus": (),
    "Softsign": (),
    "Elu": ("alpha",),
    "LeakyRelu": ("alpha",),
    "ThresholdedRelu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "HardSwish": (),
    "Selu": ("alpha", "gamma"),
    "Clip": ("min", "max"),
}
"""The activations, with the names of their parameters."""

_WITH_BFLOAT16 = 22
"""The opset of the first Conv that takes BFLOAT16."""


class _Activating(Decomposition):
    activation: str | None

    def activated(self, on: Decomposer, y: Tensor, parameters: list[float]) -> Tensor:
        """The activation of y; its parameters are in the order of its attributes. Raises
        OperatorAttributeError for one that is unknown, or with too few or too many parameters.
        """
        name = self.activation
        if not name:
            if parameters:
                raise OperatorAttributeError(
                    f"{self._who()}: parameters {parameters} of an activation, which is not given."
                )
            return y
        names = _PARAMETERS.get(name)
        if names is None or len(parameters) > len(names):
            known = ", ".join(f"{k}({', '.join(v)})" for k, v in _PARAMETERS.items())
            raise OperatorAttributeError(
                f"{self._who()}: the activation is '{name}' with parameters {parameters}; known "
                f"are {known}."
            )
        given = dict(zip(names, parameters, strict=False))
        if name == "Clip":
            return on.Clip(y, *(on.like(given[n], y) for n in names if n in given))
        apply: Callable[..., Tensor] = getattr(on, name)
        return apply(y, **given)


class TransposeMatMul(Decomposition):
    """onnxruntime's TransposeMatMul, version 1: alpha times the matrix product, of operands whose
    last two dimensions may be exchanged.
    """

    alpha: float
    transA: int
    transB: int

    def decompose(self, on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
        """Transpositions, MatMul, a product."""
        return self.product(on, a, b, 0, 0)

    def product(self, on: Decomposer, a: Tensor, b: Tensor, batch_a: int, batch_b: int) -> Tensor:
        """The result, of operands whose first dimension is the second last if `batch_a` or
        `batch_b` is not 0.
        """
        y = on.MatMul(_turned(on, a, self.transA, batch_a), _turned(on, b, self.transB, batch_b))
        return y if self.alpha == 1.0 else on.Mul(y, on.like(self.alpha, y))


class FusedMatMul(TransposeMatMul):
    """onnxruntime's FusedMatMul, version 1: TransposeMatMul of operands whose first dimension may
    be the second last (`transBatchA`, `transBatchB`).
    """

    transBatchA: int
    transBatchB: int

    def decompose(self, on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
        """Transpositions, MatMul, a product."""
        return self.product(on, a, b, self.transBatchA, self.transBatchB)


def _turned(on: Decomposer, x: Tensor, last: int, batch: int) -> Tensor:
    order = list(range(len(on.shape(x))))
    if len(order) < 2:
        return x
    if batch:
        order = [*order[1:-1], order[0], order[-1]]
    if last:
        order[-2:] = order[:-3:-1]
    return x if order == sorted(order) else on.Transpose(x, perm=order)


class FusedGemm(_Activating):
    """onnxruntime's FusedGemm, version 1: ONNX's Gemm, then an activation."""

    alpha: float
    beta: float
    transA: int
    transB: int
    activation_alpha: float | None
    activation_beta: float | None
    activation_gamma: float | None

    def decompose(self, on: Decomposer, a: Tensor, b: Tensor, c: Tensor | None = None) -> Tensor:
        """Gemm and the activation. Raises OperatorAttributeError for an unknown one."""
        names = ("alpha", "beta", "transA", "transB")
        y = on.Gemm(a, b, c, **{name: getattr(self, name) for name in names})
        parameters = [self.activation_alpha, self.activation_beta, self.activation_gamma]
        return self.activated(on, y, [p for p in parameters if p is not None])


class FusedConv(_Activating):
    """onnxruntime's FusedConv, version 1: ONNX's Conv, plus Z, then an activation."""

    auto_pad: str
    dilations: list[int] | None
    group: int
    kernel_shape: list[int] | None
    pads: list[int] | None
    strides: list[int] | None
    activation_params: list[float] | None = None
    last = False
    """Whether channels are the last dimension of data and result."""

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        w: Tensor,
        bias: Tensor | None = None,
        z: Tensor | None = None,
    ) -> Tensor:
        """Conv, a sum, the activation. Raises OperatorInputError for a Z of another shape,
        OperatorAttributeError for an unknown activation.
        """
        names = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
        rank = len(on.shape(x))
        if self.last:
            x = on.Transpose(x, perm=[0, rank - 1, *range(1, rank - 1)])
        given = {name: getattr(self, name) for name in names}
        y = on.add("ai.onnx", "Conv", _WITH_BFLOAT16, [x, w, bias], 1, given)
        assert not isinstance(y, list)
        if self.last:
            y = on.Transpose(y, perm=[0, *range(2, rank), 1])
        if z is not None:
            if on.shape(z) != on.shape(y):
                raise self.wrong(
                    f"Z has shape {on.shape(z)}; it must be that of the result, {on.shape(y)}."
                )
            y = on.Add(y, z)
        return self.activated(on, y, self.activation_params or [])


class NhwcFusedConv(FusedConv):
    """onnxruntime's NhwcFusedConv, version 1: FusedConv of data and Z with channels last; the
    weights are as in ONNX.
    """

    last = True


class NhwcConv(FusedConv):
    """onnxruntime's NhwcConv, version 1: ONNX's Conv with channels last in data, weights and
    result.

    onnxruntime's description has the weights as in ONNX; its optimizer writes, and its kernel
    reads, [outputs, space, inputs of a group], which holds here.
    """

    activation = None
    last = True

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        w: Tensor,
        bias: Tensor | None = None,
        z: Tensor | None = None,
    ) -> Tensor:
        """Conv between transpositions. Raises what Conv raises."""
        rank = len(on.shape(w))
        first = on.Transpose(w, perm=[0, rank - 1, *range(1, rank - 1)])
        return super().decompose(on, x, first, bias, z)


OpCreator(TransposeMatMul, microsoft_id("TransposeMatMul"))
OpCreator(FusedMatMul, microsoft_id("FusedMatMul"))
OpCreator(FusedGemm, microsoft_id("FusedGemm"))
OpCreator(FusedConv, microsoft_id("FusedConv"))
OpCreator(NhwcFusedConv, microsoft_id("NhwcFusedConv"))
OpCreator(NhwcConv, microsoft_id("NhwcConv"))
