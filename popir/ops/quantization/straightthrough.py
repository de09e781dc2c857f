"""The gradient of fake quantization: QuantizeLinear, and DequantizeLinear of its result.

A rounding has no slope to follow. PyTorch's `fake_quantize` and training with quantization in mind
let the gradient pass where the number was in the range of the type, and stop it elsewhere.
"""

from __future__ import annotations

import ml_dtypes

from popir.ir import Op, Tensor
from popir.ops.movement.identity import IdentityOp
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.views import ReshapeGradOp, ReshapeOpx
from popir.registry import OpCreator, OpxCreator

_ID = graphcore_id("StraightThrough")
_VIEWS = ("Reshape", "Cast")


class StraightThroughOp(IdentityOp):
    """Input 0. Its gradient is that of input 0, and of input 1 too, which has the same shape."""

    def canBeReplacedByIdentity(self) -> bool:
        """Whether there are no gradients."""
        return not self.graph.isTraining

    def getGradOps(self) -> list[Op]:
        """The gradient as it is, for both."""
        return [ReshapeGradOp(self), ReshapeGradOp(self, 1)]


def straight_through(on: Decomposer, product: Tensor, q: Tensor, scale: Tensor) -> Tensor:
    """`product`, the number that `q` stands for with that scale. If `q` was quantized with the same
    scale, its gradient passes on to what was quantized, where that was in range.
    """
    found = _quantized(q)
    if found is None:
        return product
    x, by, rounded, low, high = found
    if on.shape(x) != on.shape(product) or not _alike(by, scale):
        return product
    inside = on.And(
        on.GreaterOrEqual(rounded, on.like(low, rounded)),
        on.LessOrEqual(rounded, on.like(high, rounded)),
    )
    passed = on.cast(on.Where(inside, x, on.like(0, x)), on.info(product).dataType())
    made = on.add("ai.graphcore", "StraightThrough", 1, [product, passed], 1, {})
    assert isinstance(made, Tensor)
    return made


def _quantized(q: Tensor) -> tuple[Tensor, Tensor, Tensor, int, int] | None:
    """What was divided to quantize `q`, and by what; the rounded number; and the least and the
    greatest number that the type, or a Clip, allows. None if `q` was not quantized to integers.
    """
    assert q.info is not None
    to = q.info.dataType()
    if not to.is_integer:
        return None
    limits = ml_dtypes.iinfo(to.numpy)
    low, high = int(limits.min), int(limits.max)
    q = _behind(q, ("Identity",))
    op = q.producer
    if op is not None and op.opid.type == "Clip":  # to fewer numbers than the type has
        bounds = [op.input[i].data if i in op.input else None for i in (1, 2)]
        if any(i in op.input and bounds[i - 1] is None for i in (1, 2)):
            return None
        low = low if bounds[0] is None else max(low, int(bounds[0].item()))
        high = high if bounds[1] is None else min(high, int(bounds[1].item()))
        q = _behind(op.inTensor(0), ("Identity",))
    cast = q.producer
    if cast is None or cast.opid.type != "Cast":
        return None
    rounded = _behind(cast.inTensor(0), ("Reshape", "Clip"))
    op = rounded.producer
    if op is not None and op.opid.type == "Add":  # the zero point
        op = op.inTensor(0).producer
    if op is None or op.opid.type != "Round":
        return None
    division = _behind(op.inTensor(0), _VIEWS).producer
    if division is None or division.opid.type != "Div":
        return None
    return division.inTensor(0), division.inTensor(1), rounded, low, high


def _behind(t: Tensor, kinds: tuple[str, ...]) -> Tensor:
    """The tensor that `t` is made of by operators of these types."""
    while t.producer is not None and t.producer.opid.type in kinds:
        t = t.producer.inTensor(0)
    return t


def _alike(a: Tensor, b: Tensor) -> bool:
    """Whether two scales are the same one."""
    a, b = _behind(a, _VIEWS), _behind(b, _VIEWS)
    if a.data is None or b.data is None or not (a.isConst() and b.isConst()):
        return a is b
    return a is b or (a.data.reshape(-1).tolist() == b.data.reshape(-1).tolist())


OpCreator(StraightThroughOp, [_ID], isPublic=False)
OpxCreator(ReshapeOpx, [_ID])
