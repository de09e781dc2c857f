"""The FLOPs of a graph's operators: `workOf`."""

from __future__ import annotations

from dataclasses import dataclass

from popir import budget, poplar
from popir.compiler import Compilation, compile
from popir.errors import PopirError, WorkLimitError
from popir.ir import Graph, Op
from popir.lowering.lowering import Lowering
from popir.opx import device
from popir.patterns import Patterns, PatternsLevel

COUNTS = (
    "FLOPs are those of the device program: a multiply-add is two; an element-wise function, "
    "comparison or activation one an element (GELU eight), a softmax four; a reduction one for "
    "each element that it takes in; pooling its window for each output. Arithmetic of integers in "
    "element-wise operators, copies and random numbers are none."
)
"""A description of what is counted, for users."""


@dataclass(frozen=True)
class OperatorWork:
    """One operator with its FLOPs (see `COUNTS`), or with the reason why it cannot be lowered, ""
    if it can.
    """

    op: Op
    flops: int
    error: str = ""


def workOf(graph: Graph) -> list[OperatorWork]:
    """The FLOPs of the operators that the graph's outputs depend on.

    The graph is compiled first, with as few changes as possible. Then each operator is lowered by
    itself, and the FLOPs of its vertices are added up.
    """
    plain = Patterns(PatternsLevel.Minimal).enablePattern("InPlace", False)
    compile(Compilation(graph, graph.outputs, plain))
    target = poplar.Device.createCPUDevice()
    return [_work(op, target) for op in graph.schedule()]


def _work(op: Op, target: poplar.Device) -> OperatorWork:
    try:
        budget.operator(op)
        graph, program = Lowering.alone(op, target)
        report = device("machine").programReport(graph, program)
    except WorkLimitError:
        raise
    except PopirError as error:
        return OperatorWork(op, 0, str(error))
    except Exception as error:  # grow() may be user code, which may raise anything.
        return OperatorWork(op, 0, f"{op.debugName()}: {type(error).__name__}: {error}")
    return OperatorWork(op, report["flops"])
