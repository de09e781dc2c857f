"""What a session and a node ask of matrix products and convolutions, and products that obey.

The session's options are the defaults of the nodes' annotations: `applyContractionOptions` writes
them there before the graph is compiled. So gradients, which have the annotations of their forward
operator, are planned as it is, and operators with different options have different digests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from popir import poplar, poplin
from popir.errors import OperatorAttributeError, did_you_mean
from popir.ir import Graph, Op
from popir.ir.graph import calledGraphs
from popir.ops.arithmetic import Arithmetic, accumulator
from popir.options import OptionWarning, SessionOptions, warn
from popir.options.annotations import (
    AVAILABLE_MEMORY,
    PARTIALS_TYPE,
    SERIALIZE_FACTOR,
    SERIALIZE_MODE,
    SERIALIZE_PRECISION,
    WIDE_LOADS,
)
from popir.options.contractions import CONVOLUTION, LSTM, MATMUL
from popir.opx import Opx
from popir.poplar import Tensor, Type, program
from popir.typed import shown

INPUT, REDUCED, OUTPUT = "input_channels", "reducing_dim", "output_channels"
"""The sizes of a forward product [INPUT, REDUCED] x [REDUCED, OUTPUT], by the names under which
Builder.setSerializeMatMul cuts them.
"""
FORWARD = (INPUT, REDUCED, OUTPUT)
"""Rows, inner elements and columns of a product: of the forward one, and of its gradients."""
LHS_GRAD = (INPUT, OUTPUT, REDUCED)
RHS_GRAD = (REDUCED, INPUT, OUTPUT)


class Contraction:
    """Base, beside Op, of the forward operators that `poplin` computes."""

    sessionOptions: ClassVar[str] = MATMUL
    """The field of SessionOptions whose entries are the operator's defaults."""

    def cuttable(self) -> dict[str, int]:
        """The sizes that setSerializeMatMul can cut; none of what is no product of matrices."""
        return {}


@dataclass(frozen=True)
class Serialization:
    """A product cut into `factor` along one of `FORWARD`."""

    size: str
    factor: int
    keepPrecision: bool
    """Whether products that are added up are added in the accumulator's type."""


def serialization(op: Op) -> Serialization | None:
    """How the node's product is cut; None to leave it whole."""
    notes = op.settings.nodeAttributes
    mode = notes.get(SERIALIZE_MODE, "none")
    if mode == "none":
        return None
    keep = bool(notes.get(SERIALIZE_PRECISION)) and notes.get(PARTIALS_TYPE, "FLOAT") == "FLOAT"
    return Serialization(mode, notes.get(SERIALIZE_FACTOR, 0), keep)


# What a session and its nodes ask for.

_ENTRIES: dict[str, tuple[str, Callable[[str], Any], Callable[[Any], str]]] = {
    "partialsType": (PARTIALS_TYPE, str.upper, str.lower),
    "availableMemoryProportion": (AVAILABLE_MEMORY, float, repr),
    "use128BitConvUnitLoad": (
        WIDE_LOADS,
        lambda text: int(text == "true"),
        lambda value: "true" if value else "false",
    ),
}
"""By poplin's name: the annotation, its value of poplin's, and the reverse."""


def contractionFlags(op: Op) -> dict[str, str]:
    """The options that `poplin` takes for the products or convolutions of a node."""
    notes = op.settings.nodeAttributes
    return {name: text(notes[note]) for name, (note, _, text) in _ENTRIES.items() if note in notes}


def contractionEntries(options: SessionOptions) -> dict[str, dict[str, str]]:
    """What a session asks of all contractions, by the names of the maps in its options."""
    matmul = dict(options.matmulOptions)
    if options.partialsTypeMatMuls:
        matmul["partialsType"] = options.partialsTypeMatMuls
    return {MATMUL: matmul, CONVOLUTION: options.convolutionOptions, LSTM: options.lstmOptions}


def applyContractionOptions(graph: Graph, options: SessionOptions) -> None:
    """Checks the annotations of contractions, and gives each node the session's options as
    annotations where it has none of its own.

    Raises OperatorAttributeError, naming the node, for a value that an annotation does not take.
    Warns of annotations at operators that compute no contraction.
    """
    entries = contractionEntries(options)
    told: set[str] = set()
    for each in calledGraphs(graph):
        for op in each.ops.values():
            if not isinstance(op, Contraction):
                if op.source == "built in":
                    _tellUnused(op, (PARTIALS_TYPE, AVAILABLE_MEMORY, SERIALIZE_MODE), told)
                continue
            _check(op)
            if not op.cuttable():
                _tellUnused(op, (SERIALIZE_MODE,), told)
                op.settings.nodeAttributes.pop(SERIALIZE_MODE, None)
            notes = op.settings.nodeAttributes
            for name, value in entries[op.sessionOptions].items():
                if name in _ENTRIES:
                    note, parsed, _ = _ENTRIES[name]
                    notes.setdefault(note, parsed(value))


_NEUTRAL = {PARTIALS_TYPE: "FLOAT", SERIALIZE_MODE: "none"}
_SETTERS = {
    PARTIALS_TYPE: "setPartialsType",
    AVAILABLE_MEMORY: "setAvailableMemoryProportion",
    SERIALIZE_MODE: "setSerializeMatMul",
}


def _tellUnused(op: Op, annotations: Sequence[str], told: set[str]) -> None:
    notes = op.settings.nodeAttributes
    for note in annotations:
        if note in notes and notes[note] != _NEUTRAL.get(note) and note not in told:
            told.add(note)
            what = "matrix product" if note == SERIALIZE_MODE else "matrix product or convolution"
            warn(
                f"{op.debugName()}: {_SETTERS[note]} = {shown(notes[note])} ({note}) has no "
                f"meaning here: {op.opid.type} is no {what}.",
                OptionWarning,
            )


def _check(op: Op) -> None:
    """Raises OperatorAttributeError for a value that an annotation does not take."""
    assert isinstance(op, Contraction)
    notes = op.settings.nodeAttributes
    if PARTIALS_TYPE in notes:
        kind = notes[PARTIALS_TYPE]
        notes[PARTIALS_TYPE] = kind.upper() if isinstance(kind, str) else kind
        _expect(op, PARTIALS_TYPE, "FLOAT or HALF", notes[PARTIALS_TYPE] in ("FLOAT", "HALF"))
    if AVAILABLE_MEMORY in notes:
        part = notes[AVAILABLE_MEMORY]
        isPart = isinstance(part, (int, float)) and 0 < part <= 1
        _expect(op, AVAILABLE_MEMORY, "a number above 0, at most 1", isPart)
    cut, sizes = serialization(op), op.cuttable()
    if cut is None or not sizes:
        return
    _expect(op, SERIALIZE_MODE, f"one of none, {', '.join(FORWARD)}", cut.size in sizes)
    size = sizes[cut.size]
    isFactor = isinstance(cut.factor, int) and cut.factor > 0 and size % cut.factor == 0
    _expect(op, SERIALIZE_FACTOR, f"a factor of {size}, the size of {cut.size}", isFactor)


def _expect(op: Op, note: str, expected: str, isMet: bool) -> None:
    if not isMet:
        value = op.settings.nodeAttributes.get(note)
        near = did_you_mean(str(value), FORWARD) if note == SERIALIZE_MODE else ""
        raise OperatorAttributeError(
            f"{op.debugName()}: {note} is {shown(value)}; expected is {expected}.{near}"
        )


# Products.


def multiply(
    opx: Opx,
    a: Tensor,
    b: Tensor,
    prog: program.Sequence,
    kind: Type,
    sizes: tuple[str, str, str] = FORWARD,
    name: str = "",
) -> Tensor:
    """The product of [rows, inner] and [inner, columns], or of as many as there are groups before
    these, as elements of `kind`; one part after the other where the node's product is to be cut.

    `sizes` are rows, inner elements and columns in terms of the forward product.
    """
    graph, context, flags = opx.graph(), opx.debugContext(name), contractionFlags(opx.op_p)
    isGrouped, cut = a.rank() == 3, serialization(opx.op_p)
    product = poplin.matMulGrouped if isGrouped else poplin.matMul
    if cut is None:
        return product(graph, a, b, prog, kind, context, flags)
    at, last = sizes.index(cut.size), a.rank() - 1
    lefts = _parts(a, last - 1 + at, cut.factor) if at < 2 else [a] * cut.factor
    rights = _parts(b, last - 2 + at, cut.factor) if at > 0 else [b] * cut.factor
    pairs = list(zip(lefts, rights, strict=True))
    if at != 1:
        found = [product(graph, *pair, prog, kind, context, flags) for pair in pairs]
        return poplar.concat(found, last - 1 if at == 0 else last)
    wide = accumulator(kind) if cut.keepPrecision else kind
    total = product(graph, *pairs[0], prog, wide, context, flags)
    add = poplin.matMulGroupedAcc if isGrouped else poplin.matMulAcc
    for pair in pairs[1:]:
        add(graph, total, 1.0, *pair, prog, context, flags)
    return Arithmetic(opx, prog).converted(total, kind, name)


def _parts(t: Tensor, dim: int, factor: int) -> list[Tensor]:
    size = t.dim(dim) // factor
    return [t.slice(i * size, (i + 1) * size, dim) for i in range(factor)]


def createOperand(
    opx: Opx, i: int, kind: Type, a: Sequence[int], b: Sequence[int], debugContext: str
) -> Tensor:
    """A new operand, the left one (0) or the right one (1), of the forward product of matrices of
    the shapes `a` and `b`, as that product or its parts want it.
    """
    create = (poplin.createMatMulInputLHS, poplin.createMatMulInputRHS)[i]
    graph, flags, cut = opx.graph(), contractionFlags(opx.op_p), serialization(opx.op_p)
    (rows, inner), columns = a, b[1]
    if cut is None:
        return create(graph, kind, kind, list(a), list(b), debugContext, flags)
    at = FORWARD.index(cut.size)
    m, k, n = (
        size // cut.factor if each == at else size
        for each, size in enumerate((rows, inner, columns))
    )
    isCut = at - i in (0, 1)
    parts = [
        create(graph, kind, kind, [m, k], [k, n], debugContext, flags)
        for _ in range(cut.factor if isCut else 1)
    ]
    return poplar.concat(parts, at - i) if isCut else parts[0]
