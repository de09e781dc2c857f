"""Makes a graph that a program in C++ has made operator by operator fit to be lowered.

Such a graph has operators that the compiler has no lowering for, because an imported model never
has them: copies from and to the host, which are streams here; variables that are updated by an
Accumulate; operators that consist of others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from popir import registry
from popir._device import popart as device
from popir.adding import expand_in_place, reconnect, replace_tensor, take_place
from popir.errors import AnchorError, did_you_mean, popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ir.graph import called_graphs
from popir.ops.control.loop_op import ITERATION, LOOP, LoopOp
from popir.ops.support.decomposition import Decomposer

_ONNX, _GRAPHCORE = "ai.onnx", "ai.graphcore"
_INPLACE = "Inplace"
_LOADS = ("HostLoad", "HostLoadInplace")
_STORE = "HostStore"
_VAR, _UPDATER, _FACTOR = range(3)

_New = Callable[[Decomposer, Tensor, Tensor, Tensor | None], Tensor]
_ACCUMULATION: list[tuple[bool, _New]] = [
    (False, lambda on, v, u, f: on.Add(v, u)),
    (True, lambda on, v, u, f: on.Add(v, on.Mul(f, u))),
    (True, lambda on, v, u, f: on.Add(v, on.Mul(f, on.Mul(u, u)))),
    (True, lambda on, v, u, f: on.Add(on.Mul(f, v), u)),
    (True, lambda on, v, u, f: on.Add(on.Mul(f, v), on.Mul(u, u))),
    (True, lambda on, v, u, f: on.Add(on.Mul(f, v), on.Mul(_rest(on, f), u))),
    (True, lambda on, v, u, f: on.Add(on.Mul(f, v), on.Mul(_rest(on, f), on.Mul(u, u)))),
    (True, lambda on, v, u, f: on.Max(on.Mul(f, v), on.Abs(u))),
    (True, lambda on, v, u, f: on.Add(v, on.Div(on.Sub(u, v), _next(on, f)))),
]
"""By the number of popart::AccumulationType: whether it reads the factor, and the new value of the
variable v for the updater u and the factor f.
"""


def _rest(on: Decomposer, f: Tensor | None) -> Tensor:
    assert f is not None
    return on.Sub(on.like(1, f), f)


def _next(on: Decomposer, f: Tensor | None) -> Tensor:
    assert f is not None
    return on.Add(f, on.like(1, f))


def fit_to_lower(graph: Graph, sent: Mapping[str, str]) -> None:
    """Rewrites a graph in place. `sent` has the tensor that the host gets for each anchor.

    - A HostLoad shows the input that the host sends; a HostStore makes its input what the host
      gets.
    - An Accumulate computes the new value and copies it to the variable.
    - A Loop passes the number of the iteration to its body, and no condition that is always true.
    - A variant in place becomes the compiler's own; one that shows its inputs the operator that
      does so.
    - What consists of other operators becomes these.

    Raises popart_exception for copies from and to the host in graphs that are called, for a
    HostLoad of a tensor that is no stream, and for a ConcatInplace whose result is overwritten;
    AnchorError for a HostStore of what is no anchor.
    """
    for each in called_graphs(graph):
        for op in each.schedule():
            type = op.opid.type if op.opid.domain == _GRAPHCORE else ""
            is_others = op.source != "built in"
            if type in (*_LOADS, _STORE) and each is not graph:
                raise popart_exception(
                    f"{op.debugName()} copies to or from the host in '{each.name}', a graph that "
                    "is called; popir sends and gets a tensor once for each batch, of the main "
                    "graph. Copy there, and give the called graph the tensor as an input."
                )
            if type in _LOADS:
                _show_input(op)
            elif type == _STORE:
                _give_anchor(op, sent)
            elif type == "Accumulate" and is_others:
                _accumulate(op)
            elif type.endswith(_INPLACE) and is_others:
                _overwrite(op)
            elif op.opid.type == "Loop" and op.opid.domain in (_ONNX, _GRAPHCORE) and is_others:
                _loop(op)
            elif op.__class__.expand is not Op.expand:
                expand_in_place(op)
    for anchor, id in sent.items():
        _show(graph, id, anchor)


def _noted(op: Op, name: str) -> str | None:
    """The text of an attribute of an operator in C++."""
    return dict(device.attributeTexts(op, True)).get(name)


def _show_input(op: Op) -> None:
    graph, id = op.graph, _noted(op, "hostStreamTensorId")
    if id not in graph.inputs:
        raise popart_exception(
            f"{op.debugName()} loads '{id}', which is no stream of the main graph."
            f"{did_you_mean(id or '', graph.inputs)} Tensors::addStream adds one."
        )
    empty, loaded = op.inTensor(0), op.outTensor(0)
    graph.eraseOp(op.id)
    replace_tensor(loaded, graph.getTensor(id))
    if empty.producer is not None and not empty.uses:
        graph.eraseOp(empty.producer.id)
        graph.removeTensor(empty.id)


def _give_anchor(op: Op, sent: Mapping[str, str]) -> None:
    graph, id, stored = op.graph, _noted(op, "hostStreamTensorId") or "", op.inId(0)
    anchors = [anchor for anchor, given in sent.items() if id in (anchor, given)]
    if not anchors:
        raise AnchorError(
            f"{op.debugName()} gives the host '{id}', which is no anchor.{did_you_mean(id, sent)} "
            "Name it in the data flow."
        )
    graph.eraseOp(op.id)
    _show(graph, stored, anchors[0])


def _show(graph: Graph, id: str, anchor: str) -> None:
    """Makes the anchor a tensor of its own with the value of the tensor `id`, if it is none."""
    if id in graph.tensors and anchor not in graph.tensors:
        settings, tensor = Op.Settings(graph, anchor), graph.getTensor(id)
        identity = ("ai.onnx", "Identity", 16, settings, {}, [tensor])
        graph.createConnectedOp(registry.createOp, {0: id}, {0: anchor}, *identity)


def _accumulate(op: Op) -> None:
    graph, updated = op.graph, op.outTensor(0)
    reads, new = _ACCUMULATION[int(_noted(op, "type") or 0)]
    on = Decomposer(op, updated.id)
    variable, updater = op.inTensor(_VAR), op.inTensor(_UPDATER)
    factor = op.input.get(_FACTOR)
    if factor is None and reads:
        factor = on.like(float(_noted(op, "const factor") or 0), variable)
    if factor is not None:
        factor = on.cast(factor, on.info(variable).dataType())
    value = new(on, variable, on.cast(updater, on.info(variable).dataType()), factor)
    settings = Op.Settings(graph, op.name())
    made = graph.createConnectedOp(
        registry.createOp,
        {0: variable.id, 1: value.id},
        {0: graph.uniqueId(updated.id)},
        *(_GRAPHCORE, "CopyVarUpdate", 1, settings, {}, [variable, value]),
    )
    graph.eraseOp(op.id)
    take_place(updated, made.outTensor(0))


def _overwrite(op: Op) -> None:
    """Makes a variant in place the compiler's."""
    graph, name = op.graph, op.opid.type.removesuffix(_INPLACE)
    settings, inputs = Op.Settings(graph, op.name()), [op.input[i] for i in sorted(op.input)]
    if name == "Concat":
        out = op.outTensor(0)
        for reader in out.uses:
            if any(reader.modifies(i) for i, tensor in reader.input.items() if tensor is out):
                raise popart_exception(
                    f"{reader.debugName()} overwrites '{out.id}', which shows the inputs of "
                    f"{op.debugName()}; popir overwrites no tensor through several others. "
                    "Concatenate by ConcatOp."
                )
        axis = {"axis": int(_noted(op, "axis") or 0)}
        graph.replaceOp(op, registry.createOp(_ONNX, name, 13, settings, axis, inputs))
        return
    scale = _noted(op, "scale")
    attributes = {} if scale is None else {"scale": float(scale)}
    domain = _GRAPHCORE if registry.versions(_GRAPHCORE, name) else _ONNX
    if not registry.versions(domain, name):
        return  # One of a library's own, with its lowering.
    version = max(registry.versions(domain, name))
    plain = registry.createOp(domain, name, version, settings, attributes, inputs)
    graph.replaceOp(op, plain)
    variant = plain.getInplaceVariant(op.opid)
    graph.replaceOp(plain, variant)
    for i in variant.modified_inputs():
        _read_changed(variant, variant.inTensor(i), variant.outTensor(0))


def _read_changed(op: Op, before: Tensor, after: Tensor) -> None:
    """Makes what depends on `op`, and the outputs of its graph, read `after` instead of `before`.

    The two are one memory: in PopART a reader that runs later gets the changed value.
    """
    later, stack = {op}, [op]
    while stack:
        for tensor in stack.pop().output.values():
            new = [reader for reader in tensor.uses if reader not in later]
            later.update(new)
            stack += new
    for reader in [each for each in before.uses if each in later and each is not op]:
        for i in [i for i, tensor in reader.input.items() if tensor is before]:
            reader.disconnectInTensor(i)
            reader.connectInTensor(i, after.id)
    op.graph.outputs = [after.id if id == before.id else id for id in op.graph.outputs]


def _loop(op: Op) -> None:
    """Makes a loop the compiler's: bodies of PopART's count in 32 bits, and get the condition."""
    graph, body = op.graph, op.getCalledGraphs()[0]
    scanned = int(_noted(op, "numImplicitScanOutputs") or 0)
    trips = int(_noted(op, "tripCountValue") or 0)
    number, going, *rest = body.inputs
    goes_on, *results = body.outputs
    counted = body.uniqueId(f"{number}/number")
    is_counted_in, is_asked = bool(body.getTensor(number).uses), goes_on != going
    count = body.addActGrad(counted)
    count.info = ITERATION
    if body.getTensor(going).uses:
        always = body.addConstInit(body.uniqueId(f"{going}/true"), np.array(True))
        reconnect(body.getTensor(going), always)
    body.setOutputs([goes_on, *results] if is_asked else results)
    old = body.getTensor(number).info
    body.setInputs([counted, *rest])
    if is_counted_in:
        assert old is not None
        to = {"to": old.dataType().onnx}
        cast = (_ONNX, "Cast", 13, Op.Settings(body, "iteration"), to, [count])
        body.createConnectedOp(registry.createOp, {0: counted}, {0: number}, *cast)
    made = {
        "body": body,
        "carried": len(results) - scanned,
        "scanned": 0,
        "trip": trips if trips > 0 else -1,
        "conditional": is_asked,
        "descending": False,
        "reversed_inputs": [],
        "reversed_outputs": [0] * scanned,
    }
    graph.replaceOp(op, LoopOp(LOOP, Op.Settings(graph, op.name()), made))
