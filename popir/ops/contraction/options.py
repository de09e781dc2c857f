"""The options of matrix products and convolutions, and products that follow them.

Options of the session are defaults for annotations of nodes: `apply_contraction_options` writes
them into the annotations before the graph is compiled. A gradient operator has the annotations of
its forward operator, so it gets the same options. Operators with different options have different
digests and are not outlined together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from popir import poplar, poplin
from popir.errors import OperatorAttributeError, did_you_mean
from popir.ir import Graph, Op
from popir.ir.graph import called_graphs
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.scaled import is_scaled
from popir.ops.support.slice_plans import PlansSlices
from popir.options import OptionWarning, SessionOptions, warn
from popir.options.annotations import (
    AVAILABLE_MEMORY,
    CONVOLUTION_PASS,
    FAST_REDUCE,
    FULLY_CONNECTED,
    LAYER_PASS,
    MULTI_STAGE_REDUCE,
    PARTIALS_TYPE,
    PRE_ARRANGED,
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
"""Names of the sizes of a forward product [INPUT, REDUCED] x [REDUCED, OUTPUT], as in
Builder.setSerializeMatMul.
"""
FORWARD = (INPUT, REDUCED, OUTPUT)
"""The meaning of (rows, inner dimension, columns) in the forward product; LHS_GRAD and RHS_GRAD
give it for the products that compute the gradients.
"""
LHS_GRAD = (INPUT, OUTPUT, REDUCED)
RHS_GRAD = (REDUCED, INPUT, OUTPUT)


class Contraction:
    """A base class, besides Op, of forward operators that poplin computes."""

    session_options: ClassVar[str] = MATMUL
    """The field of SessionOptions with the defaults for this operator."""

    def cuttable(self) -> dict[str, int]:
        """The sizes that setSerializeMatMul can cut, by name; {} for an operator that is no matrix
        product.
        """
        return {}


@dataclass(frozen=True)
class Serialization:
    """A product cut into `factor` parts along `size`, one of `FORWARD`. PopART's
    `setSerializeMatMul`.
    """

    size: str
    factor: int
    keep_precision: bool
    """Whether partial products are summed in the accumulator type."""


def serialization(op: Op) -> Serialization | None:
    """How the product of a node is cut; None if it is not."""
    notes = op.settings.nodeAttributes
    mode = notes.get(SERIALIZE_MODE, "none")
    if mode == "none":
        return None
    keep = bool(notes.get(SERIALIZE_PRECISION)) and notes.get(PARTIALS_TYPE, "FLOAT") == "FLOAT"
    return Serialization(mode, notes.get(SERIALIZE_FACTOR, 0), keep)


# Options of the session and annotations of nodes.


def _switch(note: str) -> tuple[str, Callable[[str], Any], Callable[[Any], str]]:
    return note, lambda text: int(text == "true"), lambda value: "true" if value else "false"


_ENTRIES: dict[str, tuple[str, Callable[[str], Any], Callable[[Any], str]]] = {
    "partialsType": (PARTIALS_TYPE, str.upper, str.lower),
    "availableMemoryProportion": (AVAILABLE_MEMORY, float, repr),
    "use128BitConvUnitLoad": _switch(WIDE_LOADS),
    "enableMultiStageReduce": _switch(MULTI_STAGE_REDUCE),
    "enableFastReduce": _switch(FAST_REDUCE),
    "inputRHSIsPreArranged": _switch(PRE_ARRANGED),
    "fullyConnectedPass": (LAYER_PASS, str, str),
    "pass": (CONVOLUTION_PASS, str, str),
}
"""For each poplin option: the annotation, and the conversions of its value from and to poplin's
text.
"""


def contraction_flags(op: Op) -> dict[str, str]:
    """The poplin options for the products or convolutions of a node."""
    notes = op.settings.nodeAttributes
    return {name: text(notes[note]) for name, (note, _, text) in _ENTRIES.items() if note in notes}


_LAYER_PASSES: dict[tuple[str, str, str], str] = {
    FORWARD: "TRAINING_FWD",
    LHS_GRAD: "TRAINING_BWD",
    RHS_GRAD: "TRAINING_WU",
}


def plans_layers(op: Op) -> bool:
    """Whether the products of a layer's passes are planned together, as `enableFullyConnectedPass`
    says.
    """
    options = op.graph.session_options
    is_one = op.settings.nodeAttributes.get(FULLY_CONNECTED, 1)
    return bool(options is not None and options.enableFullyConnectedPass and is_one)


def product_flags(op: Op, sizes: tuple[str, str, str] = FORWARD) -> dict[str, str]:
    """The poplin options for a product of a node; of its layer's passes it is the one that `sizes`
    says, as of PopART's MatMul. A gradient that is computed transposed is none of them.
    """
    flags = contraction_flags(op)
    if not plans_layers(op):
        return flags
    name = _LAYER_PASSES.get(sizes) if op.graph.isTraining else "INFERENCE_FWD"
    return {**flags, "fullyConnectedPass": name or "NONE"}


def convolution_flags(op: Op, training: str = "TRAINING_FWD") -> dict[str, str]:
    """The poplin options for a convolution of a node. Of a session that trains it is the pass
    `training`, as of PopART's Conv, if the session's options name none.
    """
    name = training if op.graph.isTraining else "INFERENCE_FWD"
    return {"pass": name, **contraction_flags(op)}


def product_type(op: Op, kind: Type) -> Type:
    """The type of a product of elements of `kind`, to which a node adds or multiplies more: HALF
    where the node's partial sums are of half, else the accumulator type.
    """
    of_halves = op.settings.nodeAttributes.get(PARTIALS_TYPE) == "HALF"
    return kind if kind == poplar.HALF and of_halves else accumulator(kind)


def contraction_entries(options: SessionOptions) -> dict[str, dict[str, str]]:
    """The session's options for contractions, by the names of the maps in SessionOptions."""
    matmul = dict(options.matmulOptions)
    if options.partialsTypeMatMuls:
        matmul["partialsType"] = options.partialsTypeMatMuls
    return {MATMUL: matmul, CONVOLUTION: options.convolutionOptions, LSTM: options.lstmOptions}


def apply_contraction_options(graph: Graph, options: SessionOptions) -> None:
    """Checks the annotations of contractions, and adds the session's options to nodes without their
    own.

    Raises OperatorAttributeError, naming the node, for a wrong value of an annotation. Warns of
    annotations on operators that are no contractions.
    """
    entries = contraction_entries(options)
    told: set[str] = set()
    for each in called_graphs(graph):
        for op in each.ops.values():
            if not isinstance(op, Contraction):
                if isinstance(op, PlansSlices):
                    _check_memory(op)
                    _tell_unused(op, (PARTIALS_TYPE, SERIALIZE_MODE), told)
                elif op.source == "built in":
                    _tell_unused(op, (PARTIALS_TYPE, AVAILABLE_MEMORY, SERIALIZE_MODE), told)
                continue
            _check(op)
            if not op.cuttable():
                _tell_unused(op, (SERIALIZE_MODE,), told)
                op.settings.nodeAttributes.pop(SERIALIZE_MODE, None)
            notes = op.settings.nodeAttributes
            for name, value in entries[op.session_options].items():
                if name in _ENTRIES:
                    note, parsed, _ = _ENTRIES[name]
                    notes.setdefault(note, parsed(value))
            if is_scaled(op) and notes.get(PARTIALS_TYPE) == "FLOAT":
                raise OperatorAttributeError(
                    f"{op.debugName()}: partial sums of FLOAT, by setPartialsType or the session's "
                    "options; of 8-bit floats they are HALF. Set HALF, or nothing.",
                    popart=f"Invalid partials type: {_PARTIALS[op.session_options]}",
                )


_PARTIALS = {
    MATMUL: "MatMulPartialsType::FLOAT. Partials type must be MatMulPartialsType::HALF for "
    "FLOAT8_* matmul operands. ",
    CONVOLUTION: "float. Partials type must be half for FLOAT8 conv operand types. ",
}
"""PopART's words for partial sums of 8-bit floats."""
_NEUTRAL = {PARTIALS_TYPE: "FLOAT", SERIALIZE_MODE: "none"}
_SETTERS = {
    PARTIALS_TYPE: "setPartialsType",
    AVAILABLE_MEMORY: "setAvailableMemoryProportion",
    SERIALIZE_MODE: "setSerializeMatMul",
}


_TAKERS = {
    PARTIALS_TYPE: "matrix product or convolution",
    AVAILABLE_MEMORY: "matrix product, convolution or gather",
    SERIALIZE_MODE: "matrix product",
}


def _tell_unused(op: Op, annotations: Sequence[str], told: set[str]) -> None:
    notes = op.settings.nodeAttributes
    for note in annotations:
        if note in notes and notes[note] != _NEUTRAL.get(note) and note not in told:
            told.add(note)
            what = _TAKERS[note]
            warn(
                f"{op.debugName()}: {_SETTERS[note]} = {shown(notes[note])} ({note}) has no "
                f"meaning here: {op.opid.type} is no {what}.",
                OptionWarning,
            )


def _check_memory(op: Op) -> None:
    """Checks the share of a tile's memory. Raises OperatorAttributeError for a wrong value."""
    part = op.settings.nodeAttributes.get(AVAILABLE_MEMORY, 1)
    is_part = isinstance(part, (int, float)) and 0 < part <= 1
    _expect(op, AVAILABLE_MEMORY, "a number above 0, at most 1", is_part)


def _check(op: Op) -> None:
    """Checks the annotations of a contraction. Raises OperatorAttributeError for a wrong value."""
    assert isinstance(op, Contraction)
    notes = op.settings.nodeAttributes
    if PARTIALS_TYPE in notes:
        kind = notes[PARTIALS_TYPE]
        notes[PARTIALS_TYPE] = kind.upper() if isinstance(kind, str) else kind
        _expect(op, PARTIALS_TYPE, "FLOAT or HALF", notes[PARTIALS_TYPE] in ("FLOAT", "HALF"))
    _check_memory(op)
    cut, sizes = serialization(op), op.cuttable()
    if cut is None or not sizes:
        return
    _expect(op, SERIALIZE_MODE, f"one of none, {', '.join(FORWARD)}", cut.size in sizes)
    size = sizes[cut.size]
    is_factor = isinstance(cut.factor, int) and cut.factor > 0 and size % cut.factor == 0
    _expect(op, SERIALIZE_FACTOR, f"a factor of {size}, the size of {cut.size}", is_factor)


def _expect(op: Op, note: str, expected: str, is_met: bool) -> None:
    if not is_met:
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
    out: Tensor | None = None,
) -> Tensor:
    """The product of `a` [rows, inner] and `b` [inner, columns], or of both with a leading group
    dimension, in the type `kind`.

    If the node's product is serialised, its parts are computed one after the other. `sizes` says
    which dimensions of the forward product rows, inner and columns are. Without a leading dimension
    the product is written to `out`, if that is given and the product is not serialised.
    """
    graph, context, flags = opx.graph(), opx.debugContext(name), product_flags(opx.op_p, sizes)
    is_grouped, cut = a.rank() == 3, serialization(opx.op_p)
    product = poplin.matMulGrouped if is_grouped else poplin.matMul
    if cut is None and out is not None:
        poplin.matMulWithOutput(graph, a, b, out, prog, context, flags)
        return out
    if cut is None:
        return product(graph, a, b, prog, kind, context, flags)
    at, last = sizes.index(cut.size), a.rank() - 1
    lefts = _parts(a, last - 1 + at, cut.factor) if at < 2 else [a] * cut.factor
    rights = _parts(b, last - 2 + at, cut.factor) if at > 0 else [b] * cut.factor
    pairs = list(zip(lefts, rights, strict=True))
    if at != 1:
        found = [product(graph, *pair, prog, kind, context, flags) for pair in pairs]
        return poplar.concat(found, last - 1 if at == 0 else last)
    wide = accumulator(kind) if cut.keep_precision else kind
    total = product(graph, *pairs[0], prog, wide, context, flags)
    add = poplin.matMulGroupedAcc if is_grouped else poplin.matMulAcc
    for pair in pairs[1:]:
        add(graph, total, 1.0, *pair, prog, context, flags)
    return Arithmetic(opx, prog).converted(total, kind, name)


def _parts(t: Tensor, dim: int, factor: int) -> list[Tensor]:
    size = t.dim(dim) // factor
    return [t.slice(i * size, (i + 1) * size, dim) for i in range(factor)]


def create_operand(
    opx: Opx,
    i: int,
    kind: Type,
    a: Sequence[int],
    b: Sequence[int],
    debugContext: str,
    out: Type | None = None,
) -> Tensor:
    """A new operand, the left (0) or the right one (1), of the forward product of matrices with the
    shapes `a` and `b`, in the layout that the product or its parts prefer. The product has the type
    `out`, that of the operands by default.
    """
    out = out or kind
    create = (poplin.createMatMulInputLHS, poplin.createMatMulInputRHS)[i]
    graph, flags, cut = opx.graph(), product_flags(opx.op_p), serialization(opx.op_p)
    (rows, inner), columns = a, b[1]
    if cut is None:
        return create(graph, kind, out, list(a), list(b), debugContext, flags)
    at = FORWARD.index(cut.size)
    m, k, n = (
        size // cut.factor if each == at else size
        for each, size in enumerate((rows, inner, columns))
    )
    is_cut = at - i in (0, 1)
    parts = [
        create(graph, kind, out, [m, k], [k, n], debugContext, flags)
        for _ in range(cut.factor if is_cut else 1)
    ]
    return poplar.concat(parts, at - i) if is_cut else parts[0]
