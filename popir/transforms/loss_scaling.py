"""Automatic loss scaling: the scaling follows how many gradients in half are large.

The loss scaling of the optimizer is multiplied by a factor, `lossScaleUpdateFactor`, which begins
with 1 and is halved after an update of whose observed gradients too many were large, and doubled
after any other. What the gradients are multiplied by, `finalLossScale`, is taken from them again in
the updates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from popir.adding import add_op
from popir.autodiff import ancestors, getGradId
from popir.enums import GradientTensorTrackingMethod as Method
from popir.errors import did_you_mean, popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ops.collectives.replicated import connect_sum
from popir.ops.update.accumulate import AccumulateOp, connect_zero
from popir.ops.update.loss_scaling import FinalLossScaleOp, HistogramOp, LossScaleUpdateOp
from popir.ops.update.var_update import connect_var_update
from popir.replicas import ReplicaGrouping
from popir.reserved import LOSS_SCALE_COUNT, LOSS_SCALE_FACTOR, reservedAccumPrefix
from popir.trainable import VIEWS
from popir.types import DataType

FINAL = "finalLossScale"
"""The id of the loss scaling times the factor."""
INVERSE = "inverseLossScaleFactor"
"""The id of 1 / factor, which the updates multiply gradients by."""
_WHO = "SessionOptions.automaticLossScalingSettings"


@dataclass(frozen=True)
class AutomaticLossScaling:
    """What is observed, and when the factor changes."""

    method: Method = Method.AllNonViewChangingGradientTensors
    tracked: Sequence[str] = ()
    """The tensors whose gradients are observed, with GradientsOfUserSpecifiedTensors."""
    edge: float = 0.125
    """The share of the largest number in half from which on an element is large."""
    threshold: float = 1e-7
    """The share of large elements from which on the factor is halved."""
    period: int = 1
    """The updates of which the first changes the factor."""


def scale_loss(graph: Graph, scaling: str) -> str:
    """Multiplies the loss scaling, a tensor, by the factor. Returns the id of the product."""
    graph.addState(LOSS_SCALE_FACTOR, np.ones([], np.float32))
    graph.saveVariable(LOSS_SCALE_FACTOR)
    op = FinalLossScaleOp(FinalLossScaleOp.opid, Op.Settings(graph, FINAL))
    inputs = {0: scaling, 1: LOSS_SCALE_FACTOR}
    graph.createConnectedOp(lambda: op, inputs, {0: FINAL, 1: INVERSE})
    return FINAL


def follow_gradients(
    graph: Graph,
    asked: AutomaticLossScaling,
    scaling: str,
    gradients: Collection[str],
    is_accumulated: bool,
) -> None:
    """Adds the operators that observe gradients and update the factor.

    `gradients` are the ids of those of the tensors in `asked.tracked`. `is_accumulated` says
    whether several batches are counted together.
    """
    tracked = _tracked(graph, asked, gradients)
    if not tracked:
        raise popart_exception(
            f"{_WHO}.enabled = True: the model has no gradients in half that could be observed "
            f"(gradientTensorTrackingMethod {asked.method.name}). Leave it at False: float needs "
            "no loss scaling.",
            popart="[AutomaticLossScale transform] No tracked gradient tensors of type fp16 were "
            "found.",
        )
    counts = _observed(graph, tracked, asked.edge)
    if is_accumulated:
        variable = f"{reservedAccumPrefix()}autoLossScaleStats"
        graph.addState(variable, np.zeros(2, np.float32))
        summed = f"{variable}/summed"
        connect_var_update(
            *(AccumulateOp, graph, variable, counts, [], {"mode": "Add"}, {}), output=summed
        )
    else:
        variable, summed = "", counts
    everyone = ReplicaGrouping(graph.replicas, 1, graph.replicas)
    total = connect_sum(graph, summed, everyone, "autoLossScaleStats")
    attributes = {"threshold": asked.threshold, "period": asked.period}
    op = LossScaleUpdateOp(
        LossScaleUpdateOp.opid, Op.Settings(graph, "LossScaleUpdate"), attributes
    )
    inputs = [LOSS_SCALE_FACTOR, scaling, total]
    if asked.period > 1:
        graph.addState(LOSS_SCALE_COUNT, np.zeros([], np.float32))
        graph.saveVariable(LOSS_SCALE_COUNT)
        inputs.append(LOSS_SCALE_COUNT)
    out = f"{LOSS_SCALE_FACTOR}_updated"
    graph.createConnectedOp(lambda: op, dict(enumerate(inputs)), {0: out})
    if is_accumulated:
        connect_zero(graph, summed, variable)


def _tracked(graph: Graph, asked: AutomaticLossScaling, gradients: Collection[str]) -> list[Tensor]:
    """The gradients to observe, in scheduled order."""
    if asked.method is Method.GradientsOfUserSpecifiedTensors:
        found = [graph.getTensor(id) for id in gradients]
        wrong = [t for t in found if not _is_half(t)]
        if wrong:
            raise popart_exception(
                f"{_WHO}.toTrackTensors: '{wrong[0].id}' is {wrong[0].info}; gradients in FLOAT16 "
                "are observed."
            )
        return found
    below = _descendants(graph.getTensor(FINAL))
    accepts = _ACCEPTS[asked.method]
    tensors = [t for op in graph.schedule() if op in below and accepts(op) for t in _made(op)]
    return [t for t in tensors if _is_half(t) and t.uses]


def _is_half(tensor: Tensor) -> bool:
    return tensor.info is not None and tensor.info.dataType() is DataType.FLOAT16


def _made(op: Op) -> list[Tensor]:
    return [op.output[i] for i in sorted(op.output)]


def _is_contraction(op: Op) -> bool:
    return any(word in op.opid.type for word in ("Conv", "MatMul", "Gemm", "Einsum"))


def _computes(op: Op) -> bool:
    """Whether an operator computes new values, and does not only show others."""
    kind = op.opid.type.removesuffix("Inplace").removesuffix("Grad")
    return kind not in VIEWS and not any(op.aliases(i, o) for i in op.input for o in op.output)


_ACCEPTS: dict[Method, Callable[[Op], bool]] = {
    Method.ConvAndMatmulGradients: _is_contraction,
    Method.AllNonViewChangingGradientTensors: _computes,
}


def _descendants(tensor: Tensor) -> set[Op]:
    found: set[Op] = set()
    stack = [tensor]
    while stack:
        fresh = [op for op in stack.pop().uses if op not in found]
        found.update(fresh)
        stack += [t for op in fresh for t in op.output.values()]
    return found


def _observed(graph: Graph, tracked: Sequence[Tensor], edge: float) -> str:
    """Adds a Histogram of each tensor, right after its producer, and their sum. Returns its id."""
    level = float(ml_dtypes.finfo(np.float16).max) * edge
    after: dict[int, list[Op]] = {}
    counts: list[str] = []
    for tensor in tracked:
        op = HistogramOp(
            HistogramOp.opid, Op.Settings(graph, f"Histogram/{tensor.id}"), {"level": level}
        )
        counts.append(f"{tensor.id}_statistics")
        graph.createConnectedOp(lambda op=op: op, {0: tensor.id}, {0: counts[-1]})
        if tensor.producer is not None:
            after.setdefault(tensor.producer.id, []).append(op)
    moved = {op.id for ops in after.values() for op in ops}
    order = [op for op in graph.ops.values() if op.id not in moved]
    graph.ops = {each.id: each for op in order for each in (op, *after.get(op.id, ()))}
    total = counts[0]
    if len(counts) > 1:
        total = "summedHistograms"
        tensors = [graph.getTensor(id) for id in counts]
        add_op("ai.onnx", "Sum", 13, Op.Settings(graph, total), {}, tensors, [total])
    return total


def check_tracked(graph: Graph, tracked: Sequence[str], loss: str) -> None:
    """Raises popart_exception for a tensor that there is not, or that the loss does not depend
    on.
    """
    end = graph.getTensor(loss)
    inside = {t.id for op in ancestors(end) for t in (*op.input.values(), *op.output.values())}
    for id in tracked:
        if id not in inside:
            raise popart_exception(
                f"{_WHO}.toTrackTensors: '{id}' is no tensor that the loss '{loss}' depends on."
                f"{did_you_mean(id, inside)} {getGradId(id)} would be observed."
            )
