"""LSTM: all versions, directions, activations and layouts of ONNX, with peepholes and sequence
lengths.

The input's part of the gates is one matrix product for all time steps. Each step then adds the
product with the previous hidden state, and computes cell and hidden state in two passes. Backwards,
each step computes the gradients of its gates; the gradients of the weights are products over all
time steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from popir import poplar, poplin, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, GradOp, Op, OpSerialiser
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.contraction.options import (
    INPUT,
    LHS_GRAD,
    OUTPUT,
    REDUCED,
    Contraction,
    contraction_flags,
    multiply,
)
from popir.ops.recurrent.lstm_cell import Cell, functions
from popir.ops.recurrent.lstm_loop import Loops
from popir.ops.recurrent.lstm_steps import Steps
from popir.ops.support.arithmetic import Arithmetic, accumulator, accumulator_of
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import broadcast_to
from popir.ops.support.symbolic import Arg
from popir.options.contractions import LSTM
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, VariableMappingMethod, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

X, W, R, B, LENGTHS, HIDDEN0, CELL0, P = range(8)
Y, Y_HIDDEN, Y_CELL = range(3)
GATES, CELLS, HIDDENS = range(3, 6)
"""Additional outputs for the gradient, [directions, time, batch, ...]: the gates before activation,
joined along the last dimension; the cell and hidden states after each step.
"""
_FEW_ROWS = 8
"""The most rows of a product that reads its second operand in long runs (docs/contractions.md)."""
DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
"""For each value of `direction`: a list with one entry for each direction, True if it runs
backwards in time.
"""

_TRANSPOSED = (OUTPUT, INPUT, REDUCED)
"""Sizes of a gradient of weights that have a row for each output."""


class LstmOp(Op, Contraction):
    """ONNX's LSTM, versions 1, 7, 14 and 22. Inputs: X [time, batch, inputs], or [batch, time,
    inputs] with layout 1; W [directions, 4 hidden, inputs]; R [directions, 4 hidden, hidden]; then
    B, sequence_lens, initial_h, initial_c and P as in ONNX.

    Without time steps the last states are the initial ones; ONNX does not say, and onnxruntime has
    zeros. `output_sequence` (version 1) has no effect.
    """

    costly = True
    session_options = LSTM
    withoutMeaning = {"output_sequence": "the outputs that the node names are computed."}
    activations: list[str] | None
    activation_alpha: list[float] | None
    activation_beta: list[float] | None
    clip: float | None
    direction: str
    hidden_size: int | None
    input_forget: bool
    layout: bool | None
    output_sequence: bool | None

    def reversals(self) -> list[bool]:
        """For each direction, whether it runs backwards in time. Raises OperatorAttributeError for
        an unknown one.
        """
        found = DIRECTIONS.get(self.direction)
        if found is None:
            raise OperatorAttributeError(
                f"{self.debugName()}: the direction is {self.direction!r}; it must be one of "
                f"{', '.join(DIRECTIONS)}."
            )
        return found

    def cells(self) -> list[Cell]:
        """The expressions of one time step, for each direction. Raises OperatorAttributeError for
        wrong activations.
        """
        directions = len(self.reversals())
        names = self.activations or ["Sigmoid", "Tanh", "Tanh"] * directions
        if len(names) != 3 * directions:
            raise OperatorAttributeError(
                f"{self.debugName()}: the activations are {names}; there must be three for each "
                f"of the {directions} directions."
            )
        chosen = functions(
            self.debugName(), names, self.activation_alpha or [], self.activation_beta or []
        )
        return [
            Cell.of(
                chosen[3 * d : 3 * d + 3],
                self.clip,
                self.input_forget,
                self.hasInput(P),
                self.hasInput(LENGTHS),
            )
            for d in range(directions)
        ]

    def sizes(self) -> tuple[int, int, int, int, int]:
        """(time steps, batch, inputs, directions, hidden units). Raises OperatorInputError unless X
        and R have three dimensions.
        """
        if self.inRank(X) != 3 or self.inRank(R) != 3:
            raise OperatorInputError(
                f"{self.debugName()}: X has shape {self.inShape(X)} and R {self.inShape(R)}; both "
                "must have three dimensions."
            )
        time, batch, inputs = self.inShape(X)
        if self.layout:
            time, batch = batch, time
        return time, batch, inputs, len(self.reversals()), self.inShape(R)[2]

    def setup(self) -> None:
        """Infers Y [time, directions, batch, hidden] and Y_h, Y_c [directions, batch, hidden]; with
        layout 1 the batch is first.

        Raises OperatorInputError for wrong shapes, OperatorAttributeError for wrong attributes.
        """
        time, batch, inputs, directions, hidden = self.sizes()
        state = [batch, directions, hidden] if self.layout else [directions, batch, hidden]
        expected = {
            W: [directions, 4 * hidden, inputs],
            R: [directions, 4 * hidden, hidden],
            B: [directions, 8 * hidden],
            LENGTHS: [batch],
            HIDDEN0: state,
            CELL0: state,
            P: [directions, 3 * hidden],
        }
        for i, shape in expected.items():
            if self.hasInput(i) and self.inShape(i) != shape:
                raise OperatorInputError(
                    f"{self.debugName()}: input {i} has shape {self.inShape(i)}; for X "
                    f"{self.inShape(X)} and {hidden} hidden units it must be {shape}."
                )
        if self.clip is not None and not self.clip > 0:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'clip' is {self.clip}; it must be above 0."
            )
        if self.hidden_size not in (None, hidden):
            raise OperatorAttributeError(
                f"{self.debugName()}: hidden_size is {self.hidden_size}, R has {hidden} units."
            )
        self.cells()
        kind, steps = self.inInfo(X).dataType(), [directions, time, batch]
        wide = accumulator_of(kind)
        sequence = (
            [batch, time, directions, hidden] if self.layout else [time, directions, batch, hidden]
        )
        for i, stored, shape in (
            (Y, kind, sequence),
            (Y_HIDDEN, kind, state),
            (Y_CELL, kind, state),
            (GATES, wide, [*steps, 4 * hidden]),
            (CELLS, wide, [*steps, hidden]),
            (HIDDENS, kind, [*steps, hidden]),
        ):
            self.setOutInfo(i, TensorInfo(stored, shape))

    def dimensionNames(self) -> Dimensions | None:
        """The batch alone has a name."""
        batch: list[str | None] = ["batch"]
        sequence = [*batch, None] if self.layout else [None, *batch]
        state = [*batch, None, None] if self.layout else [None, *batch, None]
        inputs = {X: [*sequence, None], LENGTHS: batch, HIDDEN0: state, CELL0: state}
        whole = [*sequence, None, None] if self.layout else [None, None, *batch, None]
        return Dimensions(inputs, {Y: whole, Y_HIDDEN: state, Y_CELL: state})

    def differentiable(self, on: Decomposer, *inputs: IrTensor | None) -> list[IrTensor]:
        """The same as loops of operators: this operator's gradient has no gradient."""
        return Loops(on, inputs, bool(self.layout)).outputs(self.cells(), self.reversals())

    def getGradOps(self) -> list[Op]:
        """One gradient operator for all inputs. Adds outputs with the gates, cells and hidden
        states, which it reads.
        """
        for i, name in ((GATES, "gates"), (CELLS, "cells"), (HIDDENS, "hiddens")):
            if not self.hasOutput(i):
                base = f"{min(t.id for t in self.output.values())}/{name}"
                self.createAndConnectOutTensor(i, self.graph.uniqueId(base))
        self.setup()
        return [LstmGradOp(self)]


class LstmGradOp(GradOp):
    """The gradients of all floating-point inputs.

    Inputs: the gradients of Y, Y_h and Y_c, then the forward operator's inputs, then its gates,
    cells and hidden states.
    """

    costly = True
    opid = graphcore_id("LSTMGrad")
    FORWARD = 3
    """The index of the first forward input among the inputs."""
    TOWARDS = (X, W, R, B, HIDDEN0, CELL0, P)
    """For each output, the forward operator's input that it is the gradient of."""

    def __init__(self, fwdOp: LstmOp) -> None:
        super().__init__(fwdOp)
        self._forward = dict(fwdOp.attributes)
        self._infos = {i: fwdOp.inInfo(i) for i in self.TOWARDS if fwdOp.hasInput(i)}
        self.sizes = fwdOp.sizes()
        self.reversals = fwdOp.reversals()
        self.cells = fwdOp.cells()
        self.layout = bool(fwdOp.layout)

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes of the forward operator."""
        for name, value in self._forward.items():
            os.appendAttribute(name, value)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The inputs listed in the class's documentation."""
        return [
            *(GradInOutMapper(i, i, GRAD) for i in range(self.FORWARD)),
            *(GradInOutMapper(self.FORWARD + i, i, IN) for i in range(P + 1)),
            *(GradInOutMapper(self.FORWARD + P + i - 2, i, OUT) for i in (GATES, CELLS, HIDDENS)),
        ]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """The inputs in `TOWARDS` that are connected, in order."""
        return {out: i for out, i in enumerate(self.TOWARDS) if i in self._infos}

    def setup(self) -> None:
        """Gives each gradient the type and shape of its input."""
        for out, i in self.gradOutToNonGradIn().items():
            self.setOutInfo(out, self._infos[i])


def by_gates(t: Tensor, order: Sequence[int], dimension: int = 0) -> Tensor:
    """A tensor with the four gates along a dimension as a view with them in another order."""
    if [*order] == [*range(4)]:
        return t
    n = t.dim(dimension) // 4
    return poplar.concat([t.slice(i * n, (i + 1) * n, dimension) for i in order], dimension)


def places_of(order: Sequence[int]) -> list[int]:
    """For each gate, its place in the order."""
    return [order.index(gate) for gate in range(4)]


def _mask(
    opx: Opx, lengths: Tensor | None, time: int, hidden: int, prog: program.Sequence
) -> Tensor | None:
    """BOOL[time, batch, hidden]: whether a time step is within its sequence. None without sequence
    lengths.
    """
    if lengths is None:
        return None
    batch = lengths.dim(0)
    steps = opx.getConst(lengths.elementType(), [time, 1], list(range(time)), "steps")
    operands = [broadcast_to(steps, [time, batch]), broadcast_to(lengths, [time, batch])]
    tree = pe.Lt(pe._1, pe._2)
    mask = popops.map(opx.graph(), tree, operands, prog, opx.debugContext("mask"))
    return broadcast_to(mask.expand([2]), [time, batch, hidden])


def _without_steps(opx: Opx, sources: dict[int, int], prog: program.Sequence) -> None:
    """Sets all outputs where there is no time step: to copies of the inputs that `sources` names
    for them, and others to zeros.
    """
    linear = poplar.VariableMappingMethod.LINEAR
    for o in sorted(opx.op_p.output):
        if o in sources and opx.hasInput(sources[o]):
            opx.setOutTensor(o, opx.cloneNcopy(prog, opx.getInTensor(sources[o]), "initial"))
            continue
        info, context = opx.outInfo(o), opx.debugContext("zeros")
        zeros = opx.graph().addVariable(popType(info), info.shape(), linear, context)
        popops.zero(opx.graph(), zeros, prog, context)
        opx.setOutTensor(o, zeros)


class _Inputs:
    """The inputs of the operator, one direction at a time, with time as the first dimension."""

    def __init__(
        self, opx: Opx, op: LstmOp | LstmGradOp, first: int, prog: program.Sequence
    ) -> None:
        self._opx, self._op, self._first = opx, op, first
        self.time, self.batch, self.inputs, self.directions, self.hidden = (
            op.sizes() if isinstance(op, LstmOp) else op.sizes
        )
        self._swapped = bool(op.layout)
        self.x = self._swap(opx.getInTensor(first + X))
        self._mask = _mask(opx, self._given(LENGTHS), self.time, self.hidden, prog)
        self._prog = prog

    def _swap(self, t: Tensor) -> Tensor:
        return t.dimRoll(1, 0) if self._swapped else t

    def _given(self, i: int) -> Tensor | None:
        i += self._first
        return self._opx.getInTensor(i) if self._opx.hasInput(i) else None

    def rows(self) -> Tensor:
        """X as [time * batch, inputs]."""
        return self.x.reshape([self.time * self.batch, self.inputs])

    def within(self, t: Tensor) -> Tensor:
        """`t`, [time, batch, hidden], with zeros after the end of each sequence."""
        if self._mask is None:
            return t
        tree = pe.Select(pe._1, pe.Const(0), pe._2)
        context = self._opx.debugContext("within")
        return popops.map(self._opx.graph(), tree, [t, self._mask], self._prog, context)

    def stored(self, t: Tensor) -> Tensor:
        """`t` converted to the type of X."""
        arithmetic = Arithmetic(self._opx, self._prog)
        return arithmetic.converted(t, self.x.elementType(), "stored")

    def gate_order(self, d: int) -> list[int]:
        """The gates as they follow one another in memory. Exporters put the weights together from
        parts, for ONNX's order; those lie as the exporter's network had them.
        """
        weights = [t for t in (self.weight(W, d), self.weight(R, d)) if t is not None]
        for order in permutations(range(4)):
            if all(by_gates(t, order).isContiguous() for t in weights):
                return [*order]
        return [*range(4)]

    def weight(self, i: int, d: int) -> Tensor | None:
        """W, R, B or P of direction `d`; None if it is not connected."""
        t = self._given(i)
        return None if t is None else t[d]

    def state(self, i: int, d: int) -> Tensor:
        """The initial state of direction `d`, [batch, hidden]; zeros if it is not connected."""
        t = self._given(i)
        if t is None:
            zeros = self._opx.getConst(self.x.elementType(), [1, 1], 0, "zero")
            return broadcast_to(zeros, [self.batch, self.hidden])
        return self._swap(t)[d]

    def steps(self, d: int, cell: Cell, reverse: bool, forward: bool) -> Steps:
        """The time steps of direction `d`, to be added forwards or backwards."""
        recurrent = self.weight(R, d)
        peepholes = self.weight(P, d)
        assert recurrent is not None
        order_of_gates = self.gate_order(d)
        recurrent = by_gates(recurrent, order_of_gates)
        if self.time > 1 and not recurrent.isContiguous():
            # Put together from parts: once, not in each time step. The steps forwards read them
            # transposed; of few rows, a product reads long runs faster.
            graph, context = self._opx.graph(), self._opx.debugContext("whole")
            method, kind = VariableMappingMethod.LINEAR, recurrent.elementType()
            if forward and self.batch <= _FEW_ROWS:
                runs = recurrent.transpose().shape()
                whole = graph.addVariable(kind, runs, method, context).transpose()
            else:
                whole = graph.addVariable(kind, recurrent.shape(), method, context)
            self._prog.add(program.Copy(recurrent, whole))
            recurrent = whole
        if peepholes is not None:
            peepholes = peepholes.reshape([3, self.hidden])
        order = list(range(self.time))
        order = order[::-1] if reverse else order
        hidden0, starts_at_zero = self.state(HIDDEN0, d), self._given(HIDDEN0) is None
        return Steps(
            *(self._opx, self._prog, cell, order, recurrent, places_of(order_of_gates)),
            *(hidden0, starts_at_zero, self.state(CELL0, d), peepholes, self._mask),
        )


class LstmOpx(Opx):
    """The lowering of LSTM: one direction after the other."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds one product for all time steps of a direction, then its time steps."""
        op = self.getOp(LstmOp)
        if op.sizes()[0] == 0:
            _without_steps(self, {Y_HIDDEN: HIDDEN0, Y_CELL: CELL0}, prog)
            return
        given = _Inputs(self, op, 0, prog)
        kept: list[list[Tensor]] = []
        for d, (cell, reverse) in enumerate(zip(op.cells(), op.reversals(), strict=True)):
            w, bias, order = given.weight(W, d), given.weight(B, d), given.gate_order(d)
            assert w is not None
            rows, columns = given.rows(), by_gates(w, order).transpose()
            wide = accumulator(rows.elementType())
            steps = given.steps(d, cell, reverse, True)
            # A step adds to its own part: where the product of all steps has that, it would lie on
            # few tiles.
            units = 4 * given.hidden
            spread = steps.of_all_steps(wide, units, "gates").reshape([rows.dim(0), units])
            gates = multiply(self, rows, columns, prog, wide, name="input", out=spread)
            if bias is not None:
                # The sum of the two first: what is put together from parts is gathered for it, and
                # not for each row of gates.
                n = 4 * given.hidden
                halves = [by_gates(bias.slice(i * n, (i + 1) * n), order) for i in range(2)]
                arithmetic = Arithmetic(self, prog)
                both = arithmetic.map(Arg(0) + Arg(1), halves, "biases", wide).expand([0])
                arithmetic.mapInPlace(Arg(0) + Arg(1), [gates, both], "bias")
            gates = gates.reshape([given.time, given.batch, 4 * given.hidden])
            states = steps.forward(gates)
            kept.append([by_gates(gates, places_of(order), 2), *states])
        for i, parts in enumerate(zip(*kept, strict=True)):
            if op.hasOutput(GATES + i):
                self.setOutTensor(GATES + i, poplar.concat([t.expand([0]) for t in parts], 0))
        self._set_results(op, given, kept, prog)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """W and R can be created."""
        return InputCreatorType.CanCreate if i in (W, R) else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """W or R in the layout that its products prefer; they read it transposed."""
        op = self.getOp(LstmOp)
        time, batch, _, directions, hidden = op.sizes()
        rows, columns, kind = self.inShape(i)[2], 4 * hidden, popType(self.inInfo(i))
        left, flags = [time * batch if i == W else batch, rows], contraction_flags(op)
        made = [
            poplin.createMatMulInputRHS(
                self.graph(), kind, kind, left, [rows, columns], debugContext, flags
            )
            for _ in range(directions)
        ]
        return poplar.concat([t.transpose().expand([0]) for t in made], 0)

    def _set_results(
        self,
        op: LstmOp,
        given: _Inputs,
        kept: list[list[Tensor]],
        prog: program.Sequence,
    ) -> None:
        ends = [0 if reverse else given.time - 1 for reverse in op.reversals()]
        for out, which in ((Y_HIDDEN, 2), (Y_CELL, 1)):
            if op.hasOutput(out):
                last = [t[which][end].expand([0]) for t, end in zip(kept, ends, strict=True)]
                found = given.stored(poplar.concat(last, 0))
                if which == 2 and op.hasOutput(Y):
                    # Y shows the same memory, which an operator may then overwrite.
                    found = self.cloneNcopy(prog, found, "last")
                self.setOutTensor(out, found.dimRoll(0, 1) if op.layout else found)
        if op.hasOutput(Y):
            hiddens = [given.within(t[2]).expand([1]) for t in kept]
            found = poplar.concat(hiddens, 1)  # [time, directions, batch, hidden]
            self.setOutTensor(Y, found.dimShuffle([2, 0, 1, 3]) if op.layout else found)


class LstmGradOpx(Opx):
    """The lowering of the gradient: one direction after the other."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the time steps in reverse order, then the products for the gradients of the
        weights.
        """
        op = self.getOp(LstmGradOp)
        if op.sizes[0] == 0:
            states = {op.TOWARDS.index(HIDDEN0): Y_HIDDEN, op.TOWARDS.index(CELL0): Y_CELL}
            _without_steps(self, states, prog)
            return
        given = _Inputs(self, op, op.FORWARD, prog)
        found: list[dict[int, Tensor]] = []
        for d, (cell, reverse) in enumerate(zip(op.cells, op.reversals, strict=True)):
            found.append(self._direction(op, given, d, given.steps(d, cell, reverse, False), prog))
        for out, i in op.gradOutToNonGradIn().items():
            if not op.hasOutput(out):
                continue
            parts = [each[i] for each in found]
            if i == X:
                total = parts[0]
                for part in parts[1:]:
                    popops.addInPlace(self.graph(), total, part, prog, self.debugContext("x"))
                total = given.stored(total).reshape([given.time, given.batch, given.inputs])
                self.setOutTensor(out, total.dimRoll(1, 0) if op.layout else total)
            else:
                whole = poplar.concat([t.expand([0]) for t in parts], 0)
                is_state = i in (HIDDEN0, CELL0)
                self.setOutTensor(out, whole.dimRoll(0, 1) if is_state and op.layout else whole)

    def _direction(
        self, op: LstmGradOp, given: _Inputs, d: int, steps: Steps, prog: program.Sequence
    ) -> dict[int, Tensor]:
        """The gradients of one direction, by the index of the forward operator's input."""
        kept = op.FORWARD + P + 1
        gates, cells, hiddens = (self.getInTensor(kept + i)[d] for i in range(3))
        order = given.gate_order(d)
        places, gates = places_of(order), by_gates(gates, order, 2)
        sequence, hidden, cell = self._incoming(op, d)
        sequence = None if sequence is None else given.within(sequence)
        d_gates, d_hidden0, d_cell0 = steps.backward(gates, cells, hiddens, sequence, hidden, cell)
        rows = d_gates.reshape([given.time * given.batch, 4 * given.hidden])
        w = given.weight(W, d)
        assert w is not None
        w = by_gates(w, order)
        before = steps.before(hiddens, given.state(HIDDEN0, d))
        before = before.reshape([given.time * given.batch, given.hidden])
        kind, params = rows.elementType(), popops.ReduceParams(popops.Operation.ADD)
        bias = popops.reduce(self.graph(), rows, [0], params, prog, self.debugContext("bias"))
        bias = by_gates(bias, places)
        towards_w = multiply(self, rows.transpose(), given.rows(), prog, kind, _TRANSPOSED, "w")
        towards_r = multiply(self, rows.transpose(), before, prog, kind, _TRANSPOSED, "r")
        found = {
            X: multiply(self, rows, w, prog, accumulator(kind), LHS_GRAD, "x"),
            W: by_gates(towards_w, places),
            R: by_gates(towards_r, places),
            B: poplar.concat([bias, bias], 0),
            HIDDEN0: given.stored(d_hidden0),
            CELL0: given.stored(d_cell0),
        }
        if given.weight(P, d) is not None:
            found[P] = steps.peephole_gradients(d_gates, cells)
        return found

    def _incoming(self, op: LstmGradOp, d: int) -> list[Tensor | None]:
        """The gradients of Y, Y_h and Y_c of direction `d`, time first; None for those not
        connected.
        """
        found: list[Tensor | None] = []
        for i in (Y, Y_HIDDEN, Y_CELL):
            t = self.getInTensor(i) if self.hasInput(i) else None
            if t is not None and op.layout:
                t = t.dimShuffle([1, 2, 0, 3]) if i == Y else t.dimRoll(1, 0)
            found.append(
                None if t is None else (t.slice(d, d + 1, 1).squeeze([1]) if i == Y else t[d])
            )
        return found


_IDS = onnx_ids("LSTM", 1, 7, 14, 22)
OpCreator(LstmOp, _IDS)
OpxCreator(LstmOpx, _IDS)
OpxCreator(LstmGradOpx, LstmGradOp.opid)
