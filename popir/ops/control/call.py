"""Call: runs a subgraph. PopART's models have it, and outlining makes it (docs/transforms.md)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from popir.calling import CallingOpx
from popir.errors import popart_exception
from popir.ir import Graph, Op, OpSerialiser, Tensor
from popir.ir.graph import GradientsOfCalls
from popir.onnxio.subgraphs import Subgraph
from popir.ops.support.call_gradient import CallGrad
from popir.ops.support.called_states import KeepsStates
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.variable import as_left, keep
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator


class CallOp(KeepsStates):
    """PopART's Call: runs the graph `callee` on its inputs and returns the outputs of that graph,
    both in order. After the inputs that the model gives it, it has what the graph reads around
    itself.

    A variable that operators of the graph write, such as CopyVarUpdate, is written: it begins as
    the calls before have left it, and a CopyVarUpdate after the call copies what it is in the end.
    In training that goes for the states of its operators, too, such as running means.
    """

    importsSubgraphs = True
    callee: Graph

    def expand(self, inputs: Sequence[Tensor | None], outputs: Sequence[str]) -> bool:
        """Imports the graph of a node in a model."""
        given: object = self.callee
        if not isinstance(given, Subgraph):
            return False
        if not any(outputs):
            return True
        on = Decomposer(self, next(filter(None, outputs)))
        tensors = [tensor for tensor in inputs if tensor is not None]
        for what, mine, theirs in (
            ("inputs", len(tensors), len(given.inputs)),
            ("outputs", len(outputs), len(given.outputs)),
        ):
            if mine != theirs if what == "inputs" else mine > theirs:
                raise popart_exception(
                    f"{self.debugName()}: the graph has {len(given.inputs)} inputs and "
                    f"{len(given.outputs)} outputs, the node {len(tensors)} and {len(outputs)}.",
                    popart=f"For CallOp '{self.name()}', number of {what} ({mine}) does not match "
                    f"that of the callee subgraph ({theirs})",
                )
        built = given.build(f"{on.base}/callee", [on.info(tensor) for tensor in tensors])
        passed = [*tensors, *built.captured]
        kept = {i: now for i in built.written if (now := as_left(passed[i])) is not None}
        passed = [kept.get(i, tensor) for i, tensor in enumerate(passed)]
        built.graph.outputs += [built.written[i] for i in kept]
        made = on.add(
            *("ai.graphcore", "Call", 1, passed, len(built.graph.outputs)),
            {"callee": built.graph},
        )
        made = [made] if isinstance(made, Tensor) else made
        for variable, value in zip(kept.values(), made[len(given.outputs) :], strict=True):
            keep(on, variable, value)
        on.name(made, outputs)
        return True

    def gradOpsOfCalls(
        self, calls: GradientsOfCalls, given: Collection[int], wanted: Collection[int]
    ) -> list[Op]:
        """A call of the gradient of the graph."""
        given, wanted = list(given), list(wanted)
        made = calls.of(self.callee, given, wanted)
        sources = [(IN, i) for i in range(len(made.inputs))] + [(GRAD, o) for o in given]
        named = zip([*made.inputs, *made.given], sources, strict=True)
        used = {id: source for id, source in named if made.is_read(id)}
        made.graph.setInputs(list(used))
        grad = CallGradOp(CALL_GRAD, self.settings, {"callee": made.graph})
        return [grad.map(dict(enumerate(used.values())), wanted)]

    def setup(self) -> None:
        """Gives the outputs the types and shapes of the callee's outputs.

        Raises popart_exception if the inputs do not match those of the callee.
        """
        callee = self.callee
        if set(self.input) != set(range(len(callee.inputs))):
            raise popart_exception(
                f"{self.debugName()}: the graph '{callee.name}' has {len(callee.inputs)} inputs, "
                f"given were {len(self.input)}."
            )
        for i, id in enumerate(callee.inputs):
            want = callee.getTensor(id).info
            if self.inInfo(i) != want:
                raise popart_exception(
                    f"{self.debugName()}: input {i} is {self.inInfo(i)}; '{id}' of the graph "
                    f"'{callee.name}' is {want}."
                )
        for i, id in enumerate(callee.outputs):
            info = callee.getTensor(id).info
            assert info is not None
            self.setOutInfo(i, info)

    def getCalledGraphs(self) -> list[Graph]:
        """The called graph, `callee`, alone."""
        return [self.callee]

    def appendOutlineAttributes(self, os: OpSerialiser) -> None:
        """The name of the called graph, which is unique in a model."""
        os.appendAttribute("callee", self.callee.name)


class CallGradOp(CallGrad, CallOp):
    """The gradient of a call: a call of the gradient of its graph."""


CALL, CALL_GRAD = graphcore_id("Call"), graphcore_id("CallGrad")
OpCreator(CallOp, [CALL], isPublic=False)


class CallOpx(CallingOpx):
    """The lowering of a call."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the copies of the inputs, then the call."""
        function = self.pass_in(self.getOp(CallOp).callee, prog)
        prog.add(function.call(self.debugContext()))
        for o in sorted(self.op_p.output):
            made = function.outputs[o]
            if not function.is_own(o):
                made = self.cloneNcopy(prog, made, f"out{o}")
            self.setOutTensor(o, made)


OpxCreator(CallOpx, [CALL, CALL_GRAD])
