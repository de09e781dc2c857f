"""Makes a graph that a program in C++ has made operator by operator fit to be lowered.

Such a graph has operators that the compiler has no lowering for, because an imported model never
has them: copies from and to the host, which are streams here; variables that are updated by an
Accumulate; operators that consist of others.
"""

from __future__ import annotations

from collections.abc import Mapping

from popir import registry
from popir._device import popart as device
from popir.adding import expand_in_place, take_place
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ir.graph import called_graphs
from popir.ops.control.if_ import IF, IfOp
from popir.ops.control.loop_op import LoopOp
from popir.ops.support.decomposition import Decomposer
from popir.transforms.given_copies import EXCHANGES, Copies
from popir.transforms.given_gradients import Origin, composed, origin_of, sampled
from popir.transforms.given_loops import body_of_program, keep_change, read_changed
from popir.transforms.given_updates import computed, updated_value

_ONNX, _GRAPHCORE = "ai.onnx", "ai.graphcore"
_INPLACE = "Inplace"


def fit_to_lower(graph: Graph, sent: Mapping[str, str]) -> None:
    """Rewrites a graph in place. `sent` has the tensor that the host gets for each anchor.

    - A HostLoad shows the input that the host sends; a HostStore makes its input what the host
      gets. In the body of a loop they are a scanned input and a scan output of it.
    - Exchanges with remote buffers become the compiler's. Exchanges that were made one are several
      again.
    - What updates a variable computes the new value and copies it to the variable.
    - The other operators of an optimizer's step become what they compute.
    - A Loop passes the number of the iteration to its body, and no condition that is always true.
      What it says that it modifies is carried from one iteration to the next, and copied back.
    - An If gives its branches what they read, and takes their outputs in its own order; a Resize
      and its gradient become what they consist of, as do gradients of element-wise operators; the
      gradient of a reduction the compiler's.
    - A variant in place becomes the compiler's own; one that shows its inputs the operator that
      does so.
    - What consists of other operators becomes these.

    Raises popart_exception for copies from and to the host in graphs that something else than one
    loop calls, for a HostLoad of a tensor that is no stream, for a load of code, and for a
    ConcatInplace whose result is overwritten; AnchorError for a HostStore of what is no anchor.
    """
    rows = {int(number): rows for number, rows in graph.remote_rows.items()}
    changed: list[tuple[LoopOp, list[Tensor]]] = []
    asked: dict[Graph, bool] = {}
    copies = Copies(graph, sent, lambda id, anchor: _show(graph, id, anchor), rows)
    for each in called_graphs(graph):
        for op in each.schedule():
            type = op.opid.type if op.opid.domain == _GRAPHCORE else ""
            loads_code, calls = type == "RemoteCodeLoad", bool(op.getCalledGraphs())
            if not (op.input or op.output or loads_code or calls):
                each.eraseOp(op.id)  # what a pattern has left of an operator
                continue
            is_others = op.source != "built in"
            of_program = is_others and op.opid.domain in (_ONNX, _GRAPHCORE)
            if loads_code:
                raise popart_exception(
                    f"{op.debugName()} loads the code of a graph from streaming memory; popir "
                    "keeps the code of all graphs on the tiles. Leave the operator out."
                )
            if type in EXCHANGES and is_others:
                _exchange(op, copies)
            elif type in ("ScaledAddLhsInplace", "ScaledAddRhsInplace") and is_others:
                _add_scaled(op)
            elif is_others and _update(op):
                continue
            elif type.endswith(_INPLACE) and is_others:
                _overwrite(op)
            elif op.opid.type == "Loop" and of_program:
                changed.append(body_of_program(op, asked))
            elif op.opid.type in ("If", "IfGrad") and of_program:
                _if(op)
            elif of_program and (composed(op) or sampled(op)):
                continue
            elif op.__class__.expand is not Op.expand:
                expand_in_place(op)
    for loop, tensors in reversed(changed):
        for tensor in tensors:
            is_shared = sum(other.body is loop.body for other, _ in changed) > 1
            keep_change(loop, tensor, store, is_shared)
    copies.lift()
    for anchor, id in sent.items():
        if id in graph.tensors and anchor not in graph.tensors:
            _show(graph, id, anchor)


def _numbers(text: str | None) -> list[int]:
    """The numbers of a list as text."""
    return [int(word) for word in (text or "").strip("[]").split(",") if word.strip()]


def _noted(op: Op, name: str) -> str | None:
    """The text of an attribute of an operator in C++."""
    return dict(device.attributeTexts(op, True)).get(name)


def _exchange(op: Op, copies: Copies) -> None:
    """Takes an exchange out; what reads the tensor that it fills in place reads what it loads."""
    filled = (op.inTensor(i) for i in sorted(op.input))
    before = next(filled) if op.opid.type.endswith(_INPLACE) else None
    if before is not None:
        read_changed(op, before, op.outTensor(0))
    copies.take(op)


def _show(graph: Graph, id: str, anchor: str) -> None:
    """Makes the anchor a tensor of its own with the value of the tensor `id`, if it is none."""
    if id == anchor:
        return
    if anchor in graph.tensors:
        # What loops leave of it, such as the last of several values.
        graph.renameTensor(anchor, graph.uniqueId(f"{anchor}/last"))
    settings, tensor = Op.Settings(graph, anchor), graph.getTensor(id)
    identity = ("ai.onnx", "Identity", 16, settings, {}, [tensor])
    graph.createConnectedOp(registry.createOp, {0: id}, {0: anchor}, *identity)


def store(op: Op, variable: Tensor, value: Tensor) -> Tensor:
    """Copies a value to a variable, in the place of `op`. Returns the variable after that."""
    graph = op.graph
    made = graph.createConnectedOp(
        registry.createOp,
        {0: variable.id, 1: value.id},
        {0: graph.uniqueId(f"{variable.id}/updated")},
        *(_GRAPHCORE, "CopyVarUpdate", 1, Op.Settings(graph, op.name()), {}, [variable, value]),
    )
    for before in graph.befores(op):
        graph.addConstraint(before, made)
    for after in graph.afters(op):
        graph.addConstraint(made, after)
    return made.outTensor(0)


def _update(op: Op) -> bool:
    """Makes an operator of an optimizer's step what it computes. Returns whether it is one."""
    if op.opid.domain != _GRAPHCORE:
        return False
    updated = updated_value(op) if op.output else None
    if updated is not None:
        new = store(op, op.inTensor(0), updated[1])
    else:
        result = computed(op, lambda variable, value: store(op, variable, value))
        if result is None:
            return False
        new = result
    out = op.outTensor(0)
    op.graph.eraseOp(op.id)
    take_place(out, new)
    return True


def _add_scaled(op: Op) -> None:
    """Copies a weighted sum to the argument that it overwrites."""
    at = 0 if op.opid.type.startswith("ScaledAddLhs") else 1
    noted = dict(device.attributeTexts(op, True))
    factors = {name: float(noted.get(name) or 0) for name in ("scale0", "scale1")}
    on, out = Decomposer(op, op.outTensor(0).id), op.outTensor(0)
    inputs = [op.input.get(i) for i in range(4)]
    before = op.inTensor(at)
    value = on.add(_GRAPHCORE, "ScaledAdd", 1, inputs, 1, factors)
    assert isinstance(value, Tensor)
    new = store(op, before, value)
    op.graph.eraseOp(op.id)
    take_place(out, new)


def _overwrite(op: Op) -> None:
    """Makes a variant in place the compiler's."""
    graph, name = op.graph, op.opid.type.removesuffix(_INPLACE)
    settings, inputs = Op.Settings(graph, op.name()), [op.input[i] for i in sorted(op.input)]
    if name in ("Concat", "Slice"):
        out = op.outTensor(0)
        for reader in out.uses:
            if any(reader.modifies(i) for i, tensor in reader.input.items() if tensor is out):
                raise popart_exception(
                    f"{reader.debugName()} overwrites '{out.id}', which shows inputs of "
                    f"{op.debugName()}; popir overwrites no tensor through a part or several "
                    f"others. Take {name}Op."
                )
    if name == "Slice":
        lists = ("starts", "ends", "axes", "steps")
        given = {each: _numbers(_noted(op, each)) for each in lists}
        graph.replaceOp(op, registry.createOp(_GRAPHCORE, name, 1, settings, given, inputs))
        return
    if name == "Concat":
        axis = {"axis": int(_noted(op, "axis") or 0)}
        graph.replaceOp(op, registry.createOp(_ONNX, name, 13, settings, axis, inputs))
        return
    if origin := origin_of(op):
        _overwrite_as(op, origin, settings, inputs)
        return
    scale = _noted(op, "scale")
    attributes = {} if scale is None else {"scale": float(scale)}
    if name in ("AddLhs", "AddRhs"):
        name = "Add"
    domain = _GRAPHCORE if registry.versions(_GRAPHCORE, name) else _ONNX
    if not registry.versions(domain, name):
        return  # One of a library's own, with its lowering.
    version = max(registry.versions(domain, name))
    plain = registry.createOp(domain, name, version, settings, attributes, inputs)
    graph.replaceOp(op, plain)
    variant = plain.getInplaceVariant(op.opid)
    graph.replaceOp(plain, variant)
    for i in variant.modified_inputs():
        read_changed(variant, variant.inTensor(i), variant.outTensor(0))


def _overwrite_as(op: Op, origin: Origin, settings: Op.Settings, inputs: list[Tensor]) -> None:
    """Makes a variant of the operator that it belongs to the compiler's."""
    graph, id = op.graph, origin.opid
    changed = [i for i in op.input if op.modifies(i)]
    plain = registry.createOp(
        id.domain, id.type, id.version, settings, origin.attributes, list(inputs)
    )
    if plain.__class__.expand is not Op.expand:
        on = Decomposer(op, op.outId(0))
        made = on.add(id.domain, id.type, id.version, list(inputs), 1, origin.attributes)
        assert isinstance(made, Tensor)
        out = op.outTensor(0)
        graph.eraseOp(op.id)
        take_place(out, made)
        for i in changed:
            assert made.producer is not None
            read_changed(made.producer, inputs[i], made)
        return
    graph.replaceOp(op, plain)
    variants = {i: opid for opid, _ in plain.inplacePriorityDefault() for i in changed}
    for i, opid in variants.items():
        variant = plain.getInplaceVariant(opid)
        if i in variant.modified_inputs():
            graph.replaceOp(plain, variant)
            plain = variant
            break
    for i in changed:
        read_changed(plain, inputs[i], plain.outTensor(0))


def _if(op: Op) -> None:
    """Makes a choice the compiler's, whose branches have all its outputs, in its order."""
    branches = op.getCalledGraphs()
    given = [_numbers(_noted(op, f"{name}Inputs")) for name in ("then", "else")]
    taken: dict[Graph, list[int]] = {}
    for name, branch in zip(("then", "else"), branches, strict=True):
        places = _numbers(_noted(op, f"{name}Outputs"))
        if taken.setdefault(branch, places) != places:
            raise popart_exception(
                f"{op.debugName()} takes the outputs of the graph '{branch.name}' in two orders, "
                f"{taken[branch]} and {places}; give it a graph for each."
            )
    if branches[0] is branches[1] and given[0] != given[1]:
        raise popart_exception(
            f"{op.debugName()} gives the graph '{branches[0].name}' its inputs in two orders, "
            f"{given[0]} and {given[1]}; give it a graph for each (Ir::cloneGraph)."
        )
    for branch, places in taken.items():
        others = [each for each in called_graphs(op.graph) if each is not branch]
        callers = [o for each in others for o in each.ops.values() if o is not op]
        if any(branch in o.getCalledGraphs() for o in callers) and places != [
            *range(len(branch.outputs))
        ]:
            raise popart_exception(
                f"{op.debugName()} takes outputs {places} of the graph '{branch.name}', which "
                "other operators call, too; give it a graph of its own (Ir::cloneGraph), or all "
                "outputs in their order."
            )
        branch.setOutputs([branch.outputs[i] for i in places])
    attributes = {
        "then_branch": branches[0],
        "else_branch": branches[1],
        "then_inputs": given[0],
        "else_inputs": given[1],
    }
    # The branches' outputs, which a program may have given numbers with gaps.
    op.output = dict(enumerate(op.output[o] for o in sorted(op.output)))
    op.graph.replaceOp(op, IfOp(IF, Op.Settings(op.graph, op.name()), attributes))
