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
    main: Graph, name: str, new: str, given: Sequence[int] | None, wanted: Sequence[int] | None
) -> list[list[Connection]]:
    """Adds a graph `new` of gradients of the graph `name` to those of `main`.

    It calls the graph that computes the gradients, from those of the outputs `given`, of the inputs
    `wanted`: by default of all that have one. Returns what its inputs and outputs are: it gets the
    given gradients, then the inputs and outputs of the graph, of which it passes on what is read.

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
    if not targets:
        raise popart_exception(
            f"The graph '{name}' has no gradients: none of the outputs with one depends on an "
            "input of a floating-point type."
        )
    made = CALLS.of(graph, ends, targets)
    around = main.createGraph(new)

    def add(id: str, is_gradient: bool) -> str:
        base = id.removeprefix(f"{name}/")
        added = around.addActGrad(f"{new}/{getGradId(base) if is_gradient else base}")
        added.info = graph.getTensor(id).info
        return added.id

    gradients = [add(graph.outputs[o], True) for o in ends]
    inputs = [add(id, False) for id in graph.inputs]
    results = [id for id in dict.fromkeys(graph.outputs) if id not in graph.inputs]
    around.setInputs([*gradients, *inputs, *(add(id, False) for id in results)])
    passed = zip([*made.inputs, *made.given], [*inputs, *gradients], strict=True)
    used = {inside: outside for inside, outside in passed if made.is_read(inside)}
    made.graph.setInputs([*used])
    around.setOutputs([add(graph.inputs[i], True) for i in targets])
    around.createConnectedOp(
        CallOp,
        dict(enumerate(used.values())),
        dict(enumerate(around.outputs)),
        *(CALL, Op.Settings(around, "gradients"), {"callee": made.graph}),
    )
    read: list[Connection] = [[graph.outputs[o], 1] for o in ends]
    read += [[id, 0] for id in (*graph.inputs, *results)]
    return [read, [[graph.inputs[i], 1] for i in targets]]


def _is_trainable(tensor: Tensor) -> bool:
    return tensor.info is not None and tensor.info.dataType() in TRAINABLE
