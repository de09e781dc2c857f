"""`LoopOp`: the loop that Loop, Scan and recurrent operators become. It runs a graph several times.

An iteration reads and writes four kinds of values:

- *Carried* values go from one iteration to the next. The first iteration reads the operator's
  inputs, and the operator returns what the last one computes. Types and shapes do not change.
- *Scanned* inputs are cut along dimension 0: an iteration reads one slice of each.
- *Scan outputs* are put together along dimension 0 from one slice of each iteration.
- *Captures* are the same in all iterations, such as weights. They are read where they lie.

The gradient is a loop over the same iterations from the last to the first. The forward loop returns
the carried values that each iteration begins with, as far as the gradient needs them, as further
scan outputs. If only the run knows the number of iterations, and these values would take more than
half of the memory that is available for the most iterations there may be, or no such number is
known, there is no room for them: then each iteration of the gradient runs the iterations before it
again, from the first values on. The gradients of captures are sums, which that loop carries.

Long, because the loop, its lowering and its gradient share the numbering of these values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from popir import memory, poplar, popops
from popir.adding import add_op
from popir.calling import CallingOpx, Function
from popir.errors import LeavesDeviceError, OperatorInputError
from popir.ir import GradOpInType, Graph, Op, Tensor
from popir.ir.graph import GradientGraph, GradientsOfCalls, copied
from popir.ops.support.call_gradient import CallGrad
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.variable import as_left
from popir.opx import popType
from popir.poplar import Tensor as DeviceTensor
from popir.poplar import program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

LOOP, LOOP_GRAD = graphcore_id("Loop"), graphcore_id("LoopGrad")
TRIP, CONDITION, FIRST = range(3)
"""The inputs: the trip count and the first condition, both optional; then the carried values, the
scanned inputs and the captures. A carried value that is left out begins with zeros.
"""
COUNT = 2
"""In place of the direction of a scan output: it is the number of iterations."""
ITERATION = TensorInfo(DataType.INT64, [])
"""The first input of the body: the number of the iteration, from 0 on."""


_RHS_GRAD = graphcore_id("MatMulRhsGrad")
_MOST_KEPT = 1 << 26
"""The most elements of one value, of all iterations, that a loop keeps so as not to compute it
again.
"""


class LoopOp(Op):
    """Runs `body` once for each iteration; see the module.

    The inputs of the body are the number of the iteration, then the carried values, slices and
    captures, in the order of the operator's inputs; its outputs the condition, if there is one, the
    carried values and the slices of the scan outputs.
    """

    repeatsCalls = True
    body: Graph
    carried: int
    """The number of carried values."""
    scanned: int
    """The number of scanned inputs."""
    trip: int
    """The number of iterations; with a condition, or if input 0 says it, the most of them; -1 if
    that is not known.
    """
    conditional: bool
    """Whether output 0 of the body says if there is another iteration."""
    descending: bool
    """Whether the number of the iteration goes from trip - 1 down to 0."""
    reversed_inputs: list[int]
    """For each scanned input, 1 if iteration i reads slice trip - 1 - i instead of slice i."""
    reversed_outputs: list[int]
    """For each scan output, the same for the slice that it writes; `COUNT` for the number of
    iterations instead of slices.
    """

    @property
    def is_counted(self) -> bool:
        """Whether the number of iterations is known at run time alone."""
        return self.ends_itself or self.trip < 0 or self.hasInput(TRIP)

    @property
    def ends_itself(self) -> bool:
        """Whether a condition may end it, or keep it from the first iteration."""
        return self.conditional or self.hasInput(CONDITION)

    def getCalledGraphs(self) -> list[Graph]:
        """The body alone, which runs several times."""
        return [self.body]

    def argumentsOf(self, callee: Graph) -> list[int | None]:
        """The captures; everything else is different in each iteration."""
        own = 1 + self.carried + self.scanned
        captures = range(own + 1, len(callee.inputs) + 1)
        return [*[None] * own, *captures]

    @property
    def first_output(self) -> int:
        """The index of the first carried value among the body's outputs."""
        return int(self.conditional)

    def setup(self) -> None:
        """Gives the outputs the types and shapes that the body computes.

        Raises LeavesDeviceError if a carried value changes its type or shape.
        """
        for i in range(self.carried):
            before = self.body.getTensor(self.body.inputs[1 + i]).info
            after = self._info_after(i)
            if before != after:
                raise LeavesDeviceError(
                    f"{self.debugName()}: the carried value {i} is {before} before and {after} "
                    "after an iteration; in a device program shapes are fixed, and an iteration "
                    "must keep them."
                )
            self.setOutInfo(i, after)
        for o in range(self.carried, len(self.body.outputs) - self.first_output):
            info = self._info_after(o)
            if self.reversed_outputs[o - self.carried] != COUNT:
                info = TensorInfo(info.dataType(), [self.trip, *info.shape()])
            self.setOutInfo(o, info)

    def _info_after(self, o: int) -> TensorInfo:
        info = self.body.getTensor(self.body.outputs[self.first_output + o]).info
        assert info is not None
        return info

    def gradOpsOfCalls(
        self, calls: GradientsOfCalls, given: Collection[int], wanted: Collection[int]
    ) -> list[Op]:
        """A loop backwards. Adds scan outputs to this one, which the gradient reads, if it is known
        how many iterations there are at most.
        """
        return [_Backwards(self, calls, given, wanted).made()]

    def keep(self, id: str) -> int:
        """The scan output with a value of the body in each iteration; adds it if there is none."""
        for o in range(self.carried, len(self.body.outputs) - self.first_output):
            kept = self.body.outputs[self.first_output + o]
            if kept == id and not self.reversed_outputs[o - self.carried] and self.hasOutput(o):
                return o
        info = self.body.getTensor(id).info
        assert info is not None
        who = f"{self.debugName()}: '{id}' of up to {self.trip} iterations, for the gradient"
        memory.require(who, info.nbytes() * self.trip)
        self.body.outputs.append(id)
        self.reversed_outputs.append(0)
        return self.connect_last()

    def count(self) -> int:
        """The output with the number of iterations; adds it if there is none."""
        if COUNT not in self.reversed_outputs:
            self.body.outputs.append(self.body.inputs[0])
            self.reversed_outputs.append(COUNT)
            return self.connect_last()
        return self.carried + self.reversed_outputs.index(COUNT)

    def connect_last(self) -> int:
        """Connects the last output to a new tensor, and returns its index."""
        index = len(self.body.outputs) - self.first_output - 1
        id = self.graph.uniqueId(f"{self.body.name}_kept_{index}")
        self.createAndConnectOutTensor(index, id)
        self.setup()
        return index


def add_loop(
    on: Decomposer,
    inputs: Sequence[Tensor | None],
    outputs: int,
    attributes: dict[str, Any],
) -> list[Tensor]:
    """Adds a LoopOp, and returns its outputs, of which there may be none or one too."""
    if not outputs:
        return []
    made = on.add("ai.graphcore", "Loop", 1, inputs, outputs, attributes)
    return [made] if isinstance(made, Tensor) else made


@dataclass(frozen=True)
class _Product:
    """The gradient of a matrix that each iteration multiplies by: the sum of A^T G over the
    iterations is one product of all rows of A and of G.
    """

    capture: int
    """The forward operator's input that is the matrix."""
    rows: str
    """The id of A in the gradient's body, if that returns it, else of all of A."""
    is_whole: bool
    gradient: str
    """The id of G in the gradient's body."""
    flag: int
    """How the slices are stacked, as in `reversed_outputs`."""


class LoopGradOp(CallGrad, LoopOp):
    """The gradient of a LoopOp: a loop over its iterations, the last one first."""

    _products: Sequence[_Product] = ()

    def multiply_after(self, products: Sequence[_Product]) -> None:
        """Sets the products that `furtherGradients` adds."""
        self._products = products

    def furtherGradients(self) -> dict[int, str]:
        """The products after the loop."""
        found: dict[int, str] = {}
        for each in self._products:
            rows = (
                self.graph.getTensor(each.rows) if each.is_whole else self._stacked(each, each.rows)
            )
            gradient = self._stacked(each, each.gradient)
            a, g = self._matrix(rows), self._matrix(gradient)
            found[each.capture] = self._add("MatMul", [self._add_transposed(a), g]).id
        return found

    def _stacked(self, each: _Product, id: str) -> Tensor:
        self.body.outputs.append(id)
        self.reversed_outputs.append(each.flag)
        return self.outTensor(self.connect_last())

    def _matrix(self, t: Tensor) -> Tensor:
        assert t.info is not None
        shape = self.graph.addConstInit(
            self.graph.uniqueId(f"{t.id}/rows"), np.array([-1, t.info.shape()[-1]])
        )
        return self._add("Reshape", [t, shape])

    def _add_transposed(self, t: Tensor) -> Tensor:
        return self._add("Transpose", [t], {"perm": [1, 0]})

    def _add(
        self, type: str, inputs: list[Tensor], attributes: dict[str, Any] | None = None
    ) -> Tensor:
        id = self.graph.uniqueId(f"{inputs[0].id}/{type}")
        settings = self.settings.copy(f"{self.name()}/{type}")
        add_op("ai.onnx", type, 14, settings, attributes or {}, inputs, [id])
        return self.graph.getTensor(id)


@dataclass
class _Again:
    """What the gradient's body reads to run the iterations before again."""

    firsts: dict[int, str] = field(default_factory=dict)
    """The ids of the first values, by the number of the carried value."""
    count: str | None = None
    """The id of the number of iterations."""


class _Backwards:
    """Makes the gradient of a loop."""

    def __init__(
        self,
        op: LoopOp,
        calls: GradientsOfCalls,
        given: Collection[int],
        wanted: Collection[int],
    ) -> None:
        self._op, self._body, self._calls = op, op.body, calls
        self._n, self._k = op.carried, op.scanned
        inside = sorted(i - 1 for i in wanted if i >= FIRST)
        self._wanted = set(wanted)
        self._carried = self._active(calls, inside, given)
        self._slices = [b for b in inside if self._n < b <= self._n + self._k]
        self._captures = [b for b in inside if b > self._n + self._k]
        self._scan_outputs = [o for o in sorted(given) if o >= self._n]
        self._first = op.first_output
        outputs = [self._first + o for o in (*self._carried, *self._scan_outputs)]
        inputs = [*(1 + i for i in self._carried), *self._slices, *self._captures]
        self._made: GradientGraph = calls.of(self._body, outputs, inputs)
        self._given = dict(
            zip([*self._carried, *self._scan_outputs], self._made.given, strict=True)
        )
        self._of = dict(zip(inputs, self._made.graph.outputs, strict=True))
        """The gradient of each wanted input of the body."""

    def _active(
        self, calls: GradientsOfCalls, inside: Collection[int], given: Collection[int]
    ) -> list[int]:
        """The carried values with a gradient: they depend on a wanted input, and an output with a
        gradient depends on them, perhaps after further iterations.
        """
        n = self._n

        def reached(inputs: Collection[int]) -> set[int]:
            found = calls.reached(self._body, inputs)
            return {o - self._op.first_output for o in found if o >= self._op.first_output}

        after = [reached([1 + i]) for i in range(n)]
        forth = {i for i in range(n) if 1 + i in inside}
        forth |= {o for o in reached(inside) if o < n}
        back = {o for o in given if o < n}
        ends = {o for o in given if o >= n}
        for _ in range(n):
            forth |= {o for i in forth for o in after[i] if o < n}
            back |= {i for i in range(n) if after[i] & (back | ends)}
        return sorted(forth & back)

    def _read_costly(self) -> list[tuple[str, int]]:
        """Lets the forward loop keep what costly operators compute, so that it is read and not
        computed again: pairs of the id in the gradient's body and the forward loop's output.
        """
        op, graph = self._op, self._made.graph
        found: list[tuple[str, int]] = []
        for each in graph.schedule():
            outputs = list(each.output.values())
            id = outputs[0].id.removeprefix(f"{graph.name}/")
            is_costly = each.getSubgraphValue() >= each.getHighSubgraphValue()
            if not is_costly or len(outputs) > 1 or id not in self._body.tensors:
                continue
            info = outputs[0].info
            assert info is not None
            if info.nelms() * op.trip <= _MOST_KEPT:
                graph.eraseOp(each.id)
                graph.inputs.append(outputs[0].id)
                found.append((outputs[0].id, op.keep(id)))
        return found

    def _products(self, captures: list[int]) -> list[_Product]:
        """Takes the gradients of matrices that are products out of the loop, as far as their rows
        in all iterations are few enough.
        """
        graph = self._made.graph
        found: list[_Product] = []
        for b in list(captures):
            one = graph.getTensor(self._of[b])
            by = one.producer
            if by is None or by.opid != _RHS_GRAD or one.uses or one.info is None:
                continue
            (g, a), matrix = (by.inTensor(i) for i in range(2)), one.info.shape()
            assert g.info is not None and a.info is not None
            shapes = g.info.shape(), a.info.shape()
            size = (g.info.nelms() + a.info.nelms()) * self._op.trip
            if len(matrix) != 2 or shapes[0][:-1] != shapes[1][:-1] or size > _MOST_KEPT:
                continue
            rows, is_whole, flag = a.id, True, 0
            place = self._made.inputs.index(rows) if rows in self._made.inputs else -1
            if 1 <= place <= self._n:
                rows = self._op.outId(self._op.keep(self._body.inputs[place]))
            elif self._n < place <= self._n + self._k:
                rows, flag = self._op.inId(place + 1), self._op.reversed_inputs[place - 1 - self._n]
            else:
                is_whole = False
            found.append(_Product(b + 1, rows, is_whole, g.id, flag))
            captures.remove(b)
            graph.eraseOp(by.id)
            graph.outputs.remove(one.id)
            graph.removeTensor(one.id)
        return found

    def made(self) -> Op:
        """The gradient operator, which is not connected."""
        op, graph, n, k = self._op, self._made.graph, self._n, self._k
        stashes = self._stashes()
        # A gradient that is a constant is 0.
        slices, captures = (
            [b for b in each if not graph.getTensor(self._of[b]).isConst()]
            for each in (self._slices, self._captures)
        )
        products = self._products(captures) if stashes else []
        kept = self._read_costly() if stashes else []
        # What the loop returns for the products is not unused, although it has no reader here.
        results = graph.outputs
        graph.outputs = [*results, *(p.gradient for p in products)]
        graph.outputs += [p.rows for p in products if not p.is_whole]
        self._calls.remove_unused(graph)
        sums = [self._sum(b) for b in captures]
        inputs = self._made.inputs
        used = [b for b in range(1, len(inputs)) if self._made.is_read(inputs[b])]
        again = _Again()
        if not stashes:
            again = self._run_again([b for b in used if b <= n])
            used = [b for b in range(n + 1, len(inputs)) if self._made.is_read(inputs[b])]
        sources: dict[int, tuple[GradOpInType, int]] = {}
        if op.is_counted:
            sources[TRIP] = self._count()
        for place, i in enumerate(self._carried):
            sources[FIRST + place] = GRAD, i
        place = FIRST + len(self._carried) + len(sums)
        scanned: list[tuple[str, tuple[GradOpInType, int], int]] = []
        for b in used:
            if b <= n:
                scanned.append((inputs[b], (OUT, op.keep(self._body.inputs[b])), 0))
            elif b <= n + k:
                scanned.append((inputs[b], (IN, b + 1), op.reversed_inputs[b - 1 - n]))
        scanned += [(id, (OUT, o), 0) for id, o in kept if self._made.is_read(id)]
        for o in self._scan_outputs:
            scanned.append((self._given[o], (GRAD, o), op.reversed_outputs[o - n]))
        read = [(id, (IN, FIRST + i)) for i, id in again.firsts.items()]
        read += [(inputs[b], (IN, b + 1)) for b in used if b > n + k]
        if again.count is not None:
            read.append((again.count, self._count()))
        sources |= {place + i: source for i, (_, source, *_) in enumerate((*scanned, *read))}
        graph.setInputs(
            [
                inputs[0],
                *(self._given[i] for i in self._carried),
                *(before for before, _ in sums),
                *(id for id, *_ in scanned),
                *(id for id, _ in read),
            ]
        )
        graph.outputs = [
            *(self._of[1 + i] for i in self._carried),
            *(after for _, after in sums),
            *(self._of[b] for b in slices),
        ]
        attributes = {
            "body": graph,
            "carried": len(self._carried) + len(sums),
            "scanned": len(scanned),
            "trip": op.trip,
            "conditional": False,
            "descending": not op.descending,
            "reversed_inputs": [flag for *_, flag in scanned],
            "reversed_outputs": [op.reversed_inputs[b - 1 - n] for b in slices],
        }
        towards = [FIRST + i for i in self._carried] + [b + 1 for b in (*captures, *slices)]
        made = LoopGradOp(LOOP_GRAD, op.settings, attributes)
        made.multiply_after(products)
        return made.map(sources, [i if i in self._wanted else -1 for i in towards])

    def _count(self) -> tuple[GradOpInType, int]:
        """The tensor with the number of iterations, of a loop that is counted."""
        op = self._op
        return (OUT, op.count()) if op.ends_itself else (IN, TRIP)

    def _stashes(self) -> bool:
        """Whether the forward loop keeps what each iteration begins with."""
        op, inputs = self._op, self._made.inputs
        if op.trip < 0 or not op.is_counted or self._k:
            return op.trip >= 0
        begins = (b for b in range(1, self._n + 1) if self._made.is_read(inputs[b]))
        infos = [self._body.getTensor(self._body.inputs[b]).info for b in begins]
        needed = op.trip * sum(info.nbytes() for info in infos if info is not None)
        return needed <= memory.SMALL or needed <= memory.available() // 2

    def _run_again(self, begins: Sequence[int]) -> _Again:
        """Adds to the gradient's body a loop over the iterations before, which computes the carried
        values `begins`, inputs of the body, that an iteration begins with.
        """
        made = _Again()
        if not begins:
            return made
        op, graph, n = self._op, self._made.graph, self._n
        inputs = self._made.inputs
        body = copied(self._body, f"{graph.name}/before")
        body.outputs = body.outputs[self._first : self._first + n]
        given = {TRIP: inputs[0]}
        for i in range(n):
            if op.hasInput(FIRST + i):
                made.firsts[i] = given[FIRST + i] = graph.uniqueId(f"{graph.name}/first_{i}")
                graph.addActGrad(made.firsts[i]).info = op.inInfo(FIRST + i)
        given |= {b + 1: inputs[b] for b in range(n + 1, len(inputs))}
        if op.descending:  # The first is number count - 1, and count - 1 - i are before number i.
            made.count = graph.uniqueId(f"{graph.name}/count")
            graph.addActGrad(made.count).info = op.inInfo(TRIP) if op.hasInput(TRIP) else ITERATION
            last = self._last(made.count)
            given |= {TRIP: _minus(graph, last, inputs[0]), 1 + len(body.inputs): last}
            _count_down(body)
        attributes = {
            "body": body,
            "carried": n,
            "scanned": 0,
            "trip": -1,
            "conditional": False,
            "descending": False,
            "reversed_inputs": [],
            "reversed_outputs": [],
        }
        settings = op.settings.copy(f"{op.name()}/before")
        settings.graph = graph
        before = LoopOp(LOOP, settings, attributes)
        graph.createConnectedOp(lambda: before, given, {b - 1: inputs[b] for b in begins})
        return made

    def _last(self, count: str) -> str:
        """Adds to the gradient's body the number of the last iteration."""
        graph = self._made.graph
        plain = graph.uniqueId(f"{count}/scalar")
        shape, one = graph.uniqueId(f"{count}/shape"), graph.uniqueId(f"{count}/one")
        tensors = [graph.getTensor(count), graph.addConstInit(shape, np.array([], np.int64))]
        add_op("ai.onnx", "Reshape", 14, Op.Settings(graph, plain), {}, tensors, [plain])
        graph.addConstInit(one, np.array(1))
        return _minus(graph, plain, one)

    def _sum(self, b: int) -> tuple[str, str]:
        """The sum of the gradients of a capture before and after an iteration, which adds to it."""
        graph = self._made.graph
        one = graph.getTensor(self._of[b])
        before = graph.addActGrad(graph.uniqueId(f"{graph.name}/before_{b}"))
        before.info = one.info
        after = graph.uniqueId(f"{graph.name}/after_{b}")
        add_op("ai.onnx", "Add", 14, Op.Settings(graph, after), {}, [before, one], [after])
        return before.id, after


def _minus(graph: Graph, a: str, b: str, made: str = "") -> str:
    """Adds a - b, and returns its id."""
    made = made or graph.uniqueId(f"{a}/less")
    inputs = [graph.getTensor(a), graph.getTensor(b)]
    add_op("ai.onnx", "Sub", 14, Op.Settings(graph, made), {}, inputs, [made])
    return made


def _count_down(body: Graph) -> None:
    """Lets a body that reads the number of its iteration get that from a further input, the number
    of the first iteration, from which iterations of a loop that counts up go down.
    """
    number, *others = body.inputs
    up, first = (body.uniqueId(f"{number}/{each}") for each in ("up", "first"))
    for id in (up, first):
        body.addActGrad(id).info = ITERATION
    body.setInputs([up, *others, first])
    if body.hasTensor(number):
        _minus(body, first, up, number)


class LoopOpx(CallingOpx):
    """The lowering of a loop: the body is a function, and its carried inputs are variables."""

    creates_shared = True

    def grow(self, prog: program.Sequence) -> None:
        """Adds copies of the first carried values, then a device loop. An iteration takes slices,
        calls the body, writes slices, and copies what the body has computed to its inputs.
        """
        op = self.getOp(LoopOp)
        function = self.pass_in(op.body, prog)
        carried = [self._begin(function, i, prog) for i in range(op.carried)]
        counters = _Counters(self, op, prog, function.is_read(0))
        function.fix(0, counters.number)
        again = self._condition(prog, counters)
        body = program.Sequence()
        for j, flag in enumerate(op.reversed_inputs):
            self._take(function, j, counters.slot(flag), body)
        body.add(function.call(self.debugContext()))
        made = function.outputs[op.first_output :]
        outputs = [
            counters.number
            if flag == COUNT
            else self._put(o, made[o], counters.slot(flag), body, prog)
            for o, flag in enumerate(op.reversed_outputs, op.carried)
        ]
        self._carry(function, carried, body)
        counters.step(body)
        if again is None:
            prog.add(program.Repeat(op.trip, body, self.debugContext()))
        else:
            test = function.outputs[0] if op.conditional else None
            self._test(again, test, counters, body)
            prog.add(program.RepeatWhileTrue(program.Sequence(), again, body, self.debugContext()))
        for o, tensor in enumerate([*carried, *outputs]):
            if op.hasOutput(o):
                self.setOutTensor(o, tensor)

    def _begin(self, function: Function, i: int, prog: program.Sequence) -> DeviceTensor:
        """The variable of a carried value, with its first value."""
        op = self.getOp(LoopOp)
        if op.hasInput(FIRST + i):
            actual = self.getInTensor(FIRST + i)
            own = function.input(1 + i, actual)
            prog.add(program.Copy(actual, own, self.debugContext(f"in{i}")))
            return own
        own = function.layout(1 + i)
        if own is None:
            info = op.body.getTensor(op.body.inputs[1 + i]).info
            assert info is not None
            own = function.accept(1 + i, self._variable(info, f"in{i}"))
        popops.fill(self.graph(), own, prog, 0, self.debugContext(f"in{i}"))
        return own

    def _variable(self, info: TensorInfo, name: str) -> DeviceTensor:
        linear = poplar.VariableMappingMethod.LINEAR
        context = self.debugContext(name)
        return self.graph().addVariable(popType(info), info.shape(), linear, context)

    def _take(self, function: Function, j: int, slot: DeviceTensor, prog: program.Sequence) -> None:
        op = self.getOp(LoopOp)
        whole = self.getInTensor(FIRST + op.carried + j)
        context = self.debugContext(f"slice{j}")
        slice = popops.dynamicSlice(self.graph(), whole, slot, [0], [1], prog, context)
        slice = slice.reshape(list(whole.shape())[1:])
        own = function.accept(1 + op.carried + j, slice)
        if own is not slice:
            prog.add(program.Copy(slice, own, context))

    def _put(
        self,
        o: int,
        slice: DeviceTensor,
        slot: DeviceTensor,
        prog: program.Sequence,
        before: program.Sequence,
    ) -> DeviceTensor:
        op = self.getOp(LoopOp)
        row, context = slice.expand([0]), self.debugContext(f"out{o}")
        whole = popops.createSliceableTensorFromSlice(self.graph(), row, [0], [op.trip], context)
        if op.is_counted:  # There may be fewer iterations: the rest is zeros.
            popops.fill(self.graph(), whole, before, 0, context)
        popops.dynamicUpdate(self.graph(), whole, row, slot, [0], [1], prog, context)
        return whole

    def _carry(
        self, function: Function, carried: list[DeviceTensor], prog: program.Sequence
    ) -> None:
        """Copies what the body has computed to its inputs, by way of temporaries where it is in the
        memory of these: a body may swap two values.
        """
        op = self.getOp(LoopOp)
        clashes = function.changed_by(carried)
        pairs: list[tuple[DeviceTensor, DeviceTensor]] = []
        for i, own in enumerate(carried):
            o = op.first_output + i
            if op.body.outputs[o] == op.body.inputs[1 + i]:
                continue
            made = function.outputs[o]
            if o in clashes:
                made = self.cloneNcopy(prog, made, f"next{i}")
            pairs.append((made, own))
        self.copy_all(pairs, prog, "next")

    def _condition(self, prog: program.Sequence, counters: _Counters) -> DeviceTensor | None:
        """The variable that says if there is another iteration; None if the number is known."""
        op = self.getOp(LoopOp)
        if not op.is_counted:
            return None
        again = self.getScalarVariable(poplar.BOOL, "again")
        first = self.getInTensor(CONDITION) if op.hasInput(CONDITION) else None
        self._test(again, first, counters, prog)
        return again

    def _test(
        self,
        again: DeviceTensor,
        condition: DeviceTensor | None,
        counters: _Counters,
        prog: program.Sequence,
    ) -> None:
        """Adds the test of the condition and of the number of iterations so far."""
        op = self.getOp(LoopOp)
        operands: list[DeviceTensor] = []
        terms: list[pe.Expr] = []
        if condition is not None:
            operands.append(condition.reshape([]))
            terms.append(pe._1)
        if op.hasInput(TRIP) or op.trip >= 0:
            operands.append(counters.number)
            number = pe.PlaceHolder(len(operands))
            if op.descending:
                terms.append(pe.Gte(number, pe.Const(0)))
            elif op.hasInput(TRIP):
                operands.append(self.getInTensor(TRIP).reshape([]))
                terms.append(pe.Lt(number, pe.PlaceHolder(len(operands))))
            else:
                terms.append(pe.Lt(number, pe.Const(op.trip)))
        context = self.debugContext("again")
        if not terms:
            popops.fill(self.graph(), again, prog, True, context)
            return
        tree = terms[0] if len(terms) == 1 else pe.And(terms[0], terms[1])
        popops.mapWithOutput(self.graph(), [tree], operands, [again], prog, context)


class _Counters:
    """The variables that count iterations: the number of the iteration as the body reads it, and
    the slots of slices, upwards and downwards. Only those in use are set.
    """

    def __init__(self, opx: LoopOpx, op: LoopOp, prog: program.Sequence, is_read: bool) -> None:
        self._opx, self._op = opx, op
        flags = {flag for flag in (*op.reversed_inputs, *op.reversed_outputs) if flag != COUNT}
        self._used: dict[str, tuple[DeviceTensor, int]] = {}
        """Each counter in use, and what is added to it after an iteration."""
        self.number = opx.getScalarVariable(poplar.LONGLONG, "number")
        down = op.descending
        if is_read or op.is_counted:
            self._add("number", self.number, down, prog)
        for is_down in {bool(flag) != down for flag in flags}:
            name = "down" if is_down else "up"
            tensor = opx.getScalarVariable(poplar.UNSIGNED_INT, name)
            self._add(name, tensor, is_down, prog)

    def _add(self, name: str, tensor: DeviceTensor, is_down: bool, prog: program.Sequence) -> None:
        context = self._opx.debugContext(name)
        if is_down and self._op.hasInput(TRIP):
            tree = pe.Cast(pe.Sub(pe._1, pe.Const(1)), tensor.elementType())
            trip = self._opx.getInTensor(TRIP).reshape([])
            popops.mapWithOutput(self._opx.graph(), tree, [trip], tensor, prog, context)
        else:
            first = self._op.trip - 1 if is_down else 0
            popops.fill(self._opx.graph(), tensor, prog, first, context)
        self._used[name] = tensor, -1 if is_down else 1

    def slot(self, flag: int) -> DeviceTensor:
        """The slot of a slice in this iteration, [1]."""
        name = "down" if bool(flag) != self._op.descending else "up"
        return self._used[name][0].expand([0])

    def step(self, prog: program.Sequence) -> None:
        """Adds what prepares the next iteration."""
        for name, (tensor, change) in self._used.items():
            one = pe.Const(1)
            tree = pe.Add(pe._1, one) if change > 0 else pe.Sub(pe._1, one)
            context = self._opx.debugContext(name)
            popops.mapInPlace(self._opx.graph(), tree, [tensor], prog, context)


def refuse_writes(op: Op, written: Sequence[Tensor]) -> None:
    """Raises OperatorInputError if the body of a loop writes variables around it."""
    names = ", ".join(f"'{tensor.id}'" for tensor in written if as_left(tensor) is not None)
    if names:
        raise OperatorInputError(
            f"{op.opid} '{op.name()}': its body writes {names} around it, and an iteration would "
            "not see what the one before has written. Carry the value through the loop, and copy "
            "the last one into the variable after it."
        )


OpCreator(LoopOp, [LOOP], isPublic=False)
OpxCreator(LoopOpx, [LOOP, LOOP_GRAD])
