"""Gradients of a graph that a program in C++ has made, as a graph that the program may call."""

from __future__ import annotations

from collections.abc import Sequence

from popir.autodiff import CALLS, getGradId
from popir.errors import MissingGradientError, popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ops.control.call import CALL, CallOp
from popir.types import TRAINABLE

Connection = list[str | int]
"""The id of a tensor of the graph that is differentiated, and 1 for its gradient, else 0."""


def backward_graph(
    main: Graph,
    name: str,
    new: str,
    given: Sequence[int] | None,
    wanted: Sequence[int] | None,
    of_part: bool = False,
) -> list[list[Connection]]:
    """Adds a graph `new` of gradients of the graph `name` to those of `main`.

    It calls the graph that computes the gradients, from those of the outputs `given`, of the inputs
    `wanted`: by default of all that have one. Returns what its inputs and outputs are: it gets the
    given gradients, then the inputs and outputs of the graph, of which it passes on what is read.
    If it is `of_part` of a gradient, it gets the given gradients and then only the inputs that are
    read, and may have no outputs.

    Raises popart_exception if there are no gradients, MissingGradientError if one that is wanted
    cannot be.
    """
    graph = next(each for each in main.allGraphs() if each.name == name)
    trained = [i for i, id in enumerate(graph.inputs) if _is_trainable(graph.getTensor(id))]
    ends = sorted(CALLS.reached(graph, trained)) if given is None else [*given]
    targets = [i for i in trained if CALLS.reached(graph, [i]).intersection(ends)]
    if wanted is not None:
        lacking = next((i for i in wanted if i not in targets), None)
        if lacking is not None:
            raise MissingGradientError(
                f"The graph '{name}' has no gradient of its input '{graph.inputs[lacking]}': it is "
                "no floating-point tensor, or none of the outputs with a gradient, "
                f"{[graph.outputs[o] for o in ends]}, depends on it."
            )
        targets = [*wanted]
    if not targets and not of_part:
        raise popart_exception(
            f"The graph '{name}' has no gradients: none of the outputs with one depends on an "
            "input of a floating-point type."
        )
    made = CALLS.of(graph, ends, targets)
    around = main.createGraph(new)

    def add(id: str, is_gradient: bool) -> str:
        base = id.removeprefix(f"{name}/")
        added = around.addActGrad(
            around.uniqueId(f"{new}/{getGradId(base) if is_gradient else base}")
        )
        added.info = graph.getTensor(id).info
        return added.id

    gradients = [add(graph.outputs[o], True) for o in ends]
    shown = [id for i, id in zip(made.inputs, graph.inputs, strict=True) if made.is_read(i)]
    if not of_part:
        shown = list(dict.fromkeys([*graph.inputs, *graph.outputs]))
    given_to = {id: add(id, False) for id in shown}
    around.setInputs([*gradients, *given_to.values()])
    passed = zip([*made.inputs, *made.given], [*graph.inputs, *gradients], strict=True)
    used = {inside: given_to.get(id, id) for inside, id in passed if made.is_read(inside)}
    made.graph.setInputs([*used])
    around.setOutputs([add(graph.inputs[i], True) for i in targets])
    if targets:
        around.createConnectedOp(
            CallOp,
            dict(enumerate(used.values())),
            dict(enumerate(around.outputs)),
            *(CALL, Op.Settings(around, "gradients"), {"callee": made.graph}),
        )
    read: list[Connection] = [[graph.outputs[o], 1] for o in ends]
    read += [[id, 0] for id in shown]
    return [read, [[graph.inputs[i], 1] for i in targets]]


def _is_trainable(tensor: Tensor) -> bool:
    return tensor.info is not None and tensor.info.dataType() in TRAINABLE
