"""The operators that update a weight in place: SGD0VarUpdate and, with momentum, SGD1VarUpdate.

Numbers that may change between steps are scalar inputs; the others are attributes and become
constants. The names are PopART's; `popir.optimizers` has the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from popir.ir import Graph, Op, OperatorIdentifier, Tensor
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpxCreator

VAR, GRADIENT, STATE = 0, 1, 2


class VarUpdateOp(Op):
    """The base class of the updates. Input 0 is the weight, input 1 its gradient, of the same type
    and shape; the output is the weight after the update. A scalar input has one element.
    """

    num_tensors: ClassVar[int] = 2
    """The number of inputs before the scalars."""
    names: ClassVar[tuple[str, ...]] = ()
    """The names of the scalars, in the order of their inputs."""
    openAttributes = True

    def __init__(
        self, opid: OperatorIdentifier, settings: Op.Settings, attributes: Mapping[str, Any]
    ) -> None:
        super().__init__(opid, settings, attributes)

    def scalar(self, name: str) -> Expr:
        """A number of the update as an expression: a constant, or the scalar input."""
        if name in self.attributes:
            return s.Const(self.attributes[name])
        return Arg(self.scalar_inputs()[name])

    def scalar_inputs(self) -> dict[str, int]:
        """The input index of each scalar that is not a constant."""
        changing = [name for name in self.names if name not in self.attributes]
        return {name: self.num_tensors + i for i, name in enumerate(changing)}

    def setup(self) -> None:
        """Infers the type and shape of the weight."""
        self.setOutInfo(0, self.inInfo(VAR))

    def modifies(self, inIndex: int) -> bool:
        """The weight and the state are modified."""
        return inIndex in (VAR, STATE) and inIndex < self.num_tensors

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the weight itself."""
        return inIndex == VAR and outIndex == 0

    def hasSideEffect(self) -> bool:
        """True: it changes a weight."""
        return True

    def optimizerInputs(self) -> dict[int, Tensor]:
        """The scalar inputs, by index."""
        return {i: self.inTensor(i) for i in self.scalar_inputs().values()}

    def updates(self) -> dict[int, Expr]:
        """The new value of each modified input, in the order of the updates.

        A later expression reads what an earlier one has written.
        """
        raise NotImplementedError


class SGD0VarUpdateOp(VarUpdateOp):
    """PopART's SGD0VarUpdate, without momentum: w * weightDecayScaleFactor0 - scaledLearningRate0 *
    g.
    """

    opid = graphcore_id("SGD0VarUpdate")
    names = ("scaledLearningRate0", "weightDecayScaleFactor0")

    def updates(self) -> dict[int, Expr]:
        """The new weight, from the weight and its gradient."""
        decayed = s.mul(Arg(VAR), self.scalar("weightDecayScaleFactor0"))
        return {VAR: decayed - s.mul(self.scalar("scaledLearningRate0"), Arg(GRADIENT))}


class SGD1VarUpdateOp(VarUpdateOp):
    """SGD with momentum: v * scaledMomentum1 + dampeningScaleFactor1 * g + weightDecayScaleFactor1
    * w, then w - scaledLearningRate1 * v.
    """

    opid = graphcore_id("SGD1VarUpdate")
    num_tensors = 3
    names = (
        "scaledLearningRate1",
        "weightDecayScaleFactor1",
        "dampeningScaleFactor1",
        "scaledMomentum1",
    )

    def updates(self) -> dict[int, Expr]:
        """The new state v, then the new weight, which reads the new v."""
        state = s.mul(self.scalar("scaledMomentum1"), Arg(STATE))
        state = state + s.mul(self.scalar("dampeningScaleFactor1"), Arg(GRADIENT))
        state = state + s.mul(self.scalar("weightDecayScaleFactor1"), Arg(VAR))
        return {
            STATE: state,
            VAR: Arg(VAR) - s.mul(self.scalar("scaledLearningRate1"), Arg(STATE)),
        }


class VarUpdateOpx(Opx):
    """The lowering: one map in place for each modified tensor."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the maps in the order of `updates`."""
        op = self.getOp(VarUpdateOp)
        tensors = [self.getInTensor(i) for i in range(op.numInputs())]
        for target, expression in op.updates().items():
            operands = list(tensors)
            operands.insert(0, operands.pop(target))
            led = expression.led_by(target, len(operands))
            Arithmetic(self, prog).mapInPlace(led, operands)
        self.setOutTensor(0, tensors[VAR])


def _connect(
    opClass: type[VarUpdateOp],
    graph: Graph,
    weight: str,
    tensors: list[str],
    constants: Mapping[str, float],
    changing: Mapping[str, str],
    context: str,
) -> None:
    name = "/".join(filter(None, (context, opClass.opid.type, weight)))
    op = opClass(opClass.opid, Op.Settings(graph, name), constants)
    inputs = dict(enumerate(tensors))
    inputs.update({i: changing[name] for name, i in op.scalar_inputs().items()})
    graph.createConnectedOp(lambda: op, inputs, {0: f"UpdatedVar___{weight}"})


def connect_sgd0_var_update(
    graph: Graph,
    weight: str,
    gradient: str,
    constants: Mapping[str, float],
    changing: Mapping[str, str],
    context: str = "",
) -> None:
    """Adds an SGD0VarUpdate of `weight` by its gradient.

    Args:
        constants: the values of constant scalars, by name.
        changing: the ids of the tensors of the other scalars, by name.
        context: a prefix for the operator's name.
    """
    _connect(SGD0VarUpdateOp, graph, weight, [weight, gradient], constants, changing, context)


def connect_sgd1_var_update(
    graph: Graph,
    weight: str,
    gradient: str,
    state: str,
    constants: Mapping[str, float],
    changing: Mapping[str, str],
    context: str = "",
) -> None:
    """Adds an SGD1VarUpdate of `weight` by its gradient, and the variable `state`.

    The state starts with the model's initializer of that id, or else with zeros. The other
    arguments are those of `connect_sgd0_var_update`.
    """
    info = graph.getTensor(weight).info
    assert info is not None
    graph.addState(state, np.zeros(info.shape(), info.dataType().numpy))
    graph.saveVariable(state)
    tensors = [weight, gradient, state]
    _connect(SGD1VarUpdateOp, graph, weight, tensors, constants, changing, context)


OpxCreator(VarUpdateOpx, [SGD0VarUpdateOp.opid, SGD1VarUpdateOp.opid])
