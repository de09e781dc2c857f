"""The operators that update a weight: SGD0VarUpdate, and with momentum SGD1VarUpdate. They write
the weight in place.

Numbers that may change between steps come as scalar inputs, the others are constants in the
program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from popir.ir import Graph, Op, OperatorIdentifier, Tensor
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic
from popir.ops.identifiers import graphcoreId
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpxCreator

VAR, GRADIENT, STATE = 0, 1, 2


class VarUpdateOp(Op):
    """Base of the updates: input 0 is the weight, input 1 its gradient; output 0 is the weight
    afterwards.
    """

    numTensors: ClassVar[int] = 2
    """The inputs that are no scalars."""
    names: ClassVar[tuple[str, ...]] = ()
    """The scalars, in the order of their inputs."""
    openAttributes = True

    def __init__(
        self, opid: OperatorIdentifier, settings: Op.Settings, attributes: Mapping[str, Any]
    ) -> None:
        super().__init__(opid, settings, attributes)

    def scalar(self, name: str) -> Expr:
        """The number in the update's expression: a constant, or the scalar input that holds it."""
        if name in self.attributes:
            return s.Const(self.attributes[name])
        return Arg(self.scalarInputs()[name])

    def scalarInputs(self) -> dict[str, int]:
        """The input index of each scalar that is no constant."""
        changing = [name for name in self.names if name not in self.attributes]
        return {name: self.numTensors + i for i, name in enumerate(changing)}

    def setup(self) -> None:
        """The output is like the weight."""
        self.setOutInfo(0, self.inInfo(VAR))

    def modifies(self, inIndex: int) -> bool:
        """The weight and the state."""
        return inIndex in (VAR, STATE) and inIndex < self.numTensors

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the weight itself."""
        return inIndex == VAR and outIndex == 0

    def hasSideEffect(self) -> bool:
        """It changes a weight."""
        return True

    def optimizerInputs(self) -> dict[int, Tensor]:
        """The scalars."""
        return {i: self.inTensor(i) for i in self.scalarInputs().values()}

    def updates(self) -> dict[int, Expr]:
        """The new value of each input that is modified, over all inputs before the update."""
        raise NotImplementedError


class SGD0VarUpdateOp(VarUpdateOp):
    """w * weightDecayScaleFactor0 - scaledLearningRate0 * g"""

    opid = graphcoreId("SGD0VarUpdate")
    names = ("scaledLearningRate0", "weightDecayScaleFactor0")

    def updates(self) -> dict[int, Expr]:
        """The weight's."""
        decayed = s.mul(Arg(VAR), self.scalar("weightDecayScaleFactor0"))
        return {VAR: decayed - s.mul(self.scalar("scaledLearningRate0"), Arg(GRADIENT))}


class SGD1VarUpdateOp(VarUpdateOp):
    """v * scaledMomentum1 + dampeningScaleFactor1 * g + weightDecayScaleFactor1 * w, then w -
    scaledLearningRate1 * v
    """

    opid = graphcoreId("SGD1VarUpdate")
    numTensors = 3
    names = (
        "scaledLearningRate1",
        "weightDecayScaleFactor1",
        "dampeningScaleFactor1",
        "scaledMomentum1",
    )

    def updates(self) -> dict[int, Expr]:
        """The state's, and the weight's from it."""
        state = s.mul(self.scalar("scaledMomentum1"), Arg(STATE))
        state = state + s.mul(self.scalar("dampeningScaleFactor1"), Arg(GRADIENT))
        state = state + s.mul(self.scalar("weightDecayScaleFactor1"), Arg(VAR))
        return {
            STATE: state,
            VAR: Arg(VAR) - s.mul(self.scalar("scaledLearningRate1"), Arg(STATE)),
        }


class VarUpdateOpx(Opx):
    """One map in place for each tensor that changes."""

    def grow(self, prog: program.Sequence) -> None:
        """In the order of `updates`; later ones read what earlier ones wrote."""
        op = self.getOp(VarUpdateOp)
        tensors = [self.getInTensor(i) for i in range(op.numInputs())]
        for target, expression in op.updates().items():
            # mapInPlace writes its first operand.
            order = [target, *(i for i in range(len(tensors)) if i != target)]
            renumbered = s.renumber(expression, {old: new for new, old in enumerate(order)})
            Arithmetic(self, prog).mapInPlace(renumbered, [tensors[i] for i in order])
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
    inputs.update({i: changing[name] for name, i in op.scalarInputs().items()})
    graph.createConnectedOp(lambda: op, inputs, {0: f"UpdatedVar___{weight}"})


def connectSGD0VarUpdate(
    graph: Graph,
    weight: str,
    gradient: str,
    constants: Mapping[str, float],
    changing: Mapping[str, str],
    context: str = "",
) -> None:
    """Adds the update of `weight` by its gradient; `changing` are the tensors of the scalars that
    are no constants, and the operator's name begins with `context`.
    """
    _connect(SGD0VarUpdateOp, graph, weight, [weight, gradient], constants, changing, context)


def connectSGD1VarUpdate(
    graph: Graph,
    weight: str,
    gradient: str,
    state: str,
    constants: Mapping[str, float],
    changing: Mapping[str, str],
    context: str = "",
) -> None:
    """The same with momentum; adds the state of the id given, at zero if the model has none."""
    info = graph.getTensor(weight).info
    assert info is not None
    graph.addState(state, np.zeros(info.shape(), info.dataType().numpy))
    graph.saveVariable(state)
    tensors = [weight, gradient, state]
    _connect(SGD1VarUpdateOp, graph, weight, tensors, constants, changing, context)


OpxCreator(VarUpdateOpx, [SGD0VarUpdateOp.opid, SGD1VarUpdateOp.opid])
