"""If: runs one of two graphs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from popir.calling import CallingOpx
from popir.errors import LeavesDeviceError
from popir.ir import GradOpInType, Graph, Op, Tensor
from popir.ir.graph import GradientsOfCalls
from popir.onnxio.subgraphs import Subgraph
from popir.ops.support.call_gradient import CallGrad
from popir.ops.support.called_states import KeepsStates
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.gradient import GRAD, IN
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.variable import as_left, keep
from popir.poplar import Tensor as DeviceTensor
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType

IF, IF_GRAD = graphcore_id("If"), graphcore_id("IfGrad")


class If(Decomposition):
    """ONNX's If, versions 1, 11, 13, 16, 19, 21, 23, 24 and 25: one of two graphs, chosen by a
    condition. The two must give outputs of equal types and shapes, unless the condition is a
    constant: then the nodes of the chosen one alone become part of the model. Tensors only: no
    sequences and optionals. Initializers of a branch are constants, which training does not change.
    A variable around a branch that its operators write, such as CopyVarUpdate, is written. In
    training that goes for the states of its operators, too, such as running means.
    """

    importsSubgraphs = True
    then_branch: Any
    else_branch: Any

    def decompose(self, on: Decomposer, condition: Tensor) -> Sequence[Tensor]:
        """The chosen branch if the condition is a constant, else an IfOp."""
        require_condition(self, condition)
        branches: dict[str, Subgraph] = {
            "then_branch": self.then_branch,
            "else_branch": self.else_branch,
        }
        counts = [len(branch.outputs) for branch in branches.values()]
        if counts[0] != counts[1]:
            raise self.wrong(
                f"its then_branch has {counts[0]} outputs, its else_branch {counts[1]}; both must "
                "have those of the operator."
            )
        if condition.isConst() and condition.data is not None:
            chosen = "then_branch" if condition.data.item() else "else_branch"
            name = f"{on.base}/{chosen}"
            return on.adopt(branches[chosen].inline(name, []), name)
        built = [branch.build(f"{on.base}/{name}", []) for name, branch in branches.items()]
        written = dict.fromkeys(t for each in built for t in each.captures_written())
        kept = {t: now for t in written if (now := as_left(t)) is not None}
        for each in built:
            each.hand_on(kept)
        captured = list(dict.fromkeys(t for each in built for t in each.captured))
        places = [[1 + captured.index(t) for t in each.captured] for each in built]
        attributes = {
            "then_branch": built[0].graph,
            "else_branch": built[1].graph,
            "then_inputs": places[0],
            "else_inputs": places[1],
        }
        inputs = [condition, *(kept.get(t, t) for t in captured)]
        made = on.add("ai.graphcore", "If", 1, inputs, counts[0] + len(kept), attributes)
        made = [made] if isinstance(made, Tensor) else made
        for variable, value in zip(kept.values(), made[counts[0] :], strict=True):
            keep(on, variable, value)
        return made[: counts[0]]


def require_condition(op: Decomposition, condition: Tensor) -> None:
    """Raises OperatorInputError unless a condition has one element of type BOOL."""
    info = condition.info
    if info is None or info.dataType() is not DataType.BOOL or info.nelms() != 1:
        raise op.wrong(f"the condition '{condition.id}' is {info}; it must be one BOOL.")


class IfOp(KeepsStates):
    """Runs `then_branch` if input 0 is true, else `else_branch`. `then_inputs` and `else_inputs`
    are the operator's inputs that the branches get, in order.
    """

    then_branch: Graph
    else_branch: Graph
    then_inputs: list[int]
    else_inputs: list[int]

    def getCalledGraphs(self) -> list[Graph]:
        """The two branches, then_branch first."""
        return [self.then_branch, self.else_branch]

    def argumentsOf(self, callee: Graph) -> list[int | None]:
        """What each branch gets."""
        return [*(self.then_inputs if callee is self.then_branch else self.else_inputs)]

    def argument(self, callee: Graph, i: int) -> str:
        """What a branch is given as its input, a new one if there is none."""
        places = self.then_inputs if callee is self.then_branch else self.else_inputs
        if i not in places:
            id = f"{callee.name}/{self.inId(i)}/around"
            callee.addActGrad(id).info = self.inInfo(i)
            callee.inputs.append(id)
            places.append(i)
        return super().argument(callee, i)

    def setup(self) -> None:
        """Gives the outputs the types and shapes of those of the branches. Raises
        LeavesDeviceError if these differ.
        """
        then, other = self.then_branch, self.else_branch
        for o, ids in enumerate(zip(then.outputs, other.outputs, strict=True)):
            one, two = then.getTensor(ids[0]).info, other.getTensor(ids[1]).info
            if one is None or one != two:
                raise LeavesDeviceError(
                    f"{self.debugName()}: output {o} is {one} of the then_branch and {two} of the "
                    "else_branch; in a device program types and shapes are fixed: both must be "
                    "equal.",
                    [self.inTensor(0).id],
                )
            self.setOutInfo(o, one)

    def gradOpsOfCalls(
        self, calls: GradientsOfCalls, given: Collection[int], wanted: Collection[int]
    ) -> list[Op]:
        """An If of the gradients of the branches."""
        given, wanted = list(given), list(wanted)
        mappers: dict[tuple[GradOpInType, int], int] = {(IN, 0): 0}
        graphs: list[Graph] = []
        places: list[list[int]] = []
        for callee in self.getCalledGraphs():
            passed = self.argumentsOf(callee)
            missing = [i if i in passed else self.inInfo(i) for i in wanted]
            inside = [passed.index(i) if isinstance(i, int) else i for i in missing]
            made = calls.of(callee, given, inside)
            sources = [(IN, i) for i in passed if i is not None] + [(GRAD, o) for o in given]
            used = {
                id: source
                for id, source in zip([*made.inputs, *made.given], sources, strict=True)
                if made.is_read(id)
            }
            made.graph.setInputs(list(used))
            graphs.append(made.graph)
            places.append([mappers.setdefault(s, len(mappers)) for s in used.values()])
        attributes = {
            "then_branch": graphs[0],
            "else_branch": graphs[1],
            "then_inputs": places[0],
            "else_inputs": places[1],
        }
        tensors = dict(enumerate(mappers))
        return [IfGradOp(IF_GRAD, self.settings, attributes).map(tensors, wanted)]


class IfGradOp(CallGrad, IfOp):
    """The gradient of an IfOp: the gradient of the branch that was run."""


class IfOpx(CallingOpx):
    """The lowering of an If: both branches write the outputs' tensors."""

    creates_shared = True

    def grow(self, prog: program.Sequence) -> None:
        """Adds a device If: each side copies its branch's inputs, calls it and copies its
        outputs.
        """
        op = self.getOp(IfOp)
        outputs: dict[int, DeviceTensor] = {}
        sides: list[program.Sequence] = []
        for callee in op.getCalledGraphs():
            side = program.Sequence()
            function = self.pass_in(callee, side)
            side.add(function.call(self.debugContext()))
            for o in sorted(op.output):
                made = function.outputs[o]
                if o not in outputs:
                    outputs[o] = self.graph().clone(made, self.debugContext(f"out{o}"))
                side.add(program.Copy(made, outputs[o], self.debugContext(f"out{o}")))
            sides.append(side)
        condition = self.getInTensor(0).reshape([])
        prog.add(program.If(condition, sides[0], sides[1], self.debugContext()))
        for o, tensor in outputs.items():
            self.setOutTensor(o, tensor)


OpCreator(If, onnx_ids("If", 1, 11, 13, 16, 19, 21, 23, 24, 25))
OpCreator(IfOp, [IF], isPublic=False)
OpxCreator(IfOpx, [IF, IF_GRAD])
