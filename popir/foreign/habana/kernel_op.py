"""`ai.habana.TpcKernel`: one TPC kernel, by its GUID, as an operator of a model."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError
from popir.foreign.habana.gradients import GradientRule, RuleGradOp
from popir.foreign.habana.nodes import Node, NodesOpx, check_limit, short
from popir.ir import Op, OperatorIdentifier
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

DOMAIN = "ai.habana"
TPC_KERNEL = OperatorIdentifier(DOMAIN, "TpcKernel", 1)
_GRAD = OperatorIdentifier(DOMAIN, "TpcKernelGrad", 1)


class TpcKernelOp(Op):
    """A TPC kernel, looked up by `guid` in the libraries of GC_KERNEL_PATH, else built in.

    Without `output_types` and `output_shapes` every output is like input 0. The gradient is another
    kernel (`gradient`), which gets the same parameters.
    """

    gradient_remedy = "Give tpc_kernel the argument gradient="
    guid: str
    parameters: np.ndarray[Any, Any] | None = None
    """The bytes of the kernel's structure of parameters."""
    output_types: list[str] | None = None
    """Names such as "FLOAT"."""
    output_shapes: list[str] | None = None
    """JSON: "[2, 3]"."""
    device: str = ""
    library: str = ""
    time_limit_ms: int = 0
    gradient: str = ""
    gradient_inputs: list[str] | None = None
    gradient_outputs: list[int] | None = None

    def setup(self) -> None:
        """Raises OperatorAttributeError for types, shapes, a gradient or a time limit that are
        none.
        """
        check_limit(short(self), self.time_limit_ms)
        if (self.output_types is None or self.output_shapes is None) and not self.hasInput(0):
            raise OperatorAttributeError(
                f"{short(self)}: it has no input 0 that its outputs would be like; give the types "
                "and shapes of its outputs."
            )
        for i in self.output:
            self.setOutInfo(i, TensorInfo(self._type(i), self._shape(i)))
        rule = self.rule()
        if rule is not None:
            rule.check(self, short(self))

    def _type(self, i: int) -> DataType:
        names = self.output_types
        if names is None:
            return self.inInfo(0).dataType()
        if i >= len(names) or names[i] not in DataType.__members__:
            what = names[i] if i < len(names) else "nothing"
            raise OperatorAttributeError(
                f"{short(self)}: output_types has {what!r} for output {i}; it takes names such as "
                "FLOAT, BFLOAT16 and INT32."
            )
        return DataType[names[i]]

    def _shape(self, i: int) -> list[int]:
        texts = self.output_shapes
        if texts is None:
            return self.inShape(0)
        try:
            sizes = json.loads(texts[i])
        except (IndexError, ValueError):
            sizes = None
        if not isinstance(sizes, list) or not all(
            isinstance(size, int) and size >= 0 for size in sizes
        ):
            raise OperatorAttributeError(
                f"{short(self)}: output_shapes has "
                f"{texts[i] if i < len(texts) else 'nothing'!r} for output {i}; it takes lists of "
                "sizes such as '[2, 3]'. Sizes that depend on data are not supported."
            )
        return sizes

    def whyNotKept(self) -> str:
        """It calls a kernel of this process."""
        return f"{short(self)} calls a kernel of this process in each run"

    def rule(self) -> GradientRule | None:
        """What its gradient is."""
        return GradientRule.of(short(self), self.attributes)

    def node(self) -> Node:
        """The kernel with its operands."""
        given = self.parameters
        parameters = b"" if given is None else np.ascontiguousarray(given).tobytes()
        return Node(self.guid, [*self.input], [*self.output], parameters, self.device, self.library)

    def getGradOps(self) -> list[Op]:
        """The kernel that the attribute `gradient` names."""
        rule = self.rule()
        return [] if rule is None else [TpcKernelGradOp(self, rule)]


class TpcKernelGradOp(RuleGradOp):
    """The kernel that computes gradients of another one."""

    opid = _GRAD

    def __init__(self, fwdOp: TpcKernelOp, rule: GradientRule) -> None:
        super().__init__(fwdOp, _GRAD, fwdOp.attributes, rule)
        self._forward = fwdOp.node()

    def node(self) -> Node:
        """The kernel with its operands."""
        forward = self._forward
        ins, outs = [*self.input], [*self.output]
        return Node(
            self.rule.operator, ins, outs, forward.parameters, forward.device, forward.library
        )


class TpcKernelOpx(NodesOpx):
    """Adds the step that runs the kernel."""

    def nodes(self) -> list[Node]:
        """The kernel of the operator, one."""
        op = self.op_p
        assert isinstance(op, (TpcKernelOp, TpcKernelGradOp))
        return [op.node()]


OpCreator(TpcKernelOp, [TPC_KERNEL])
OpxCreator(TpcKernelOpx, [TPC_KERNEL, _GRAD])
