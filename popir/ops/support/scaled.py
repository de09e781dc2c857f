"""Numbers of 8 bits times a power of two: what PopART's contractions and casts of FLOAT8_143 and
FLOAT8_152 have in common.

Tensors of these types have no scale of their own. An operator that computes has the logarithm of
one as an input, a scalar of INT32, and gives its operands the metadata of it.
"""

from __future__ import annotations

from popir import ext, poplar, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ops.support.shapes import popart_name
from popir.opx import Opx
from popir.poplar import QuarterMetadata, Tensor, program
from popir.popops import expr as pe
from popir.types import FLOAT8, DataType

LEAST, GREATEST = -32, 31
"""The logarithms that the device has."""
GRADIENT_REMEDY = "Products and casts of 8 bits are for inference; train in FLOAT16 or FLOAT"


def is_scaled(op: Op) -> bool:
    """Whether a contraction is one of 8-bit floats, as inputs 0 and 1."""
    return op.inInfo(0).dataType() in FLOAT8


def result_type(op: Op) -> DataType:
    """The type of a contraction: that of the operands, FLOAT16 for 8-bit floats."""
    return DataType.FLOAT16 if is_scaled(op) else op.inInfo(0).dataType()


def has_bias(op: Op) -> bool:
    """Whether input 2 of a convolution is there, and is a bias."""
    return op.hasInput(2) and not is_scaled(op)


def check_operands(op: Op) -> None:
    """Raises OperatorInputError for a contraction with one operand of 8 bits, inputs 0 and 1, and
    another that is not, and for a scale, input 2, that does not go with them.
    """
    first, second = (op.inInfo(i).dataType() for i in range(2))
    if (first in FLOAT8) != (second in FLOAT8):
        other = second if first in FLOAT8 else first
        raise OperatorInputError(
            f"{op.debugName()}: the operands are {first.name} and {second.name}; where one is an "
            "8-bit float both must be.",
            popart=f"Invalid operand type: {other.name} in op {popart_name(op)}.  If using a "
            "FLOAT8 input, all op operands must be a FLOAT8 type",
        )
    if first not in FLOAT8:
        return
    if not op.hasInput(2):
        raise OperatorInputError(
            f"{op.debugName()}: the operands are {first.name} and {second.name}; input 2, the "
            "logarithm of a scale, is missing: a scalar of INT32, 0 for no scale.",
            popart="Log2 scale input tensor must be provided for FLOAT8 input types in op "
            f"{popart_name(op)}",
        )
    check_scale(op, 2)


def check_scale(op: Op, index: int) -> None:
    """Raises OperatorInputError unless an input is a scalar of INT32."""
    info = op.inInfo(index)
    if info.dataType() is not DataType.INT32:
        raise OperatorInputError(
            f"{op.debugName()}: the logarithm of the scale, '{op.inId(index)}', is {info}; "
            "expected is a scalar of INT32.",
            popart=f"Invalid log2 scale input type {info.dataType().name} in op "
            f"{popart_name(op)}.Log2 scale input tensor must be of type INT32. ",
        )
    if info.shape():
        raise OperatorInputError(
            f"{op.debugName()}: the logarithm of the scale, '{op.inId(index)}', is {info}; "
            "expected is a scalar of INT32.",
            popart="Log2 scale must be a scalar tensor. Provided tensor has rank "
            f"{len(info.shape())} in op {popart_name(op)}",
        )


def metadata(
    opx: Opx, kind: DataType, index: int, prog: program.Sequence, inverted: bool = False
) -> Tensor:
    """The metadata of QUARTER for the type `kind`, with the logarithm that is input `index`, or its
    negative.

    A logarithm that the device does not have ends the run, or, if it is a constant, raises
    OperatorInputError now; `SessionOptions.throwIfLog2ScaleTensorNotInRange` = False lets its
    lowest 6 bits count.
    """
    op, format = opx.op_p, _format(kind)
    options = op.graph.session_options
    is_checked = options is None or options.throwIfLog2ScaleTensorNotInRange
    least, greatest = (-GREATEST, -LEAST - 1) if inverted else (LEAST, GREATEST)
    scale = op.inTensor(index)
    words = f"{op.debugName()}: the logarithm of the scale, '{scale.id}', is "
    expected = f"in [{least}, {greatest}]"
    if scale.isConst() and scale.data is not None:
        value = int(scale.data)
        if is_checked and not least <= value <= greatest:
            raise OperatorInputError(
                f"{words}{value}; expected is a number {expected}.",
                popart=f"Log2 scale is not in the range [{LEAST}, {GREATEST + 1}). ",
            )
        value = -value if inverted else value
        wrapped = (value - LEAST) % (GREATEST + 1 - LEAST) + LEAST
        context = opx.debugContext("metadata")
        return poplar.createConstantMetadataTensor(opx.graph(), format, wrapped, context)
    given = opx.getInTensor(index)
    if is_checked:
        outside = pe.Or(pe.Lt(pe._1, pe.Const(least)), pe.Gt(pe._1, pe.Const(greatest)))
        found = popops.map(opx.graph(), outside, [given], prog, opx.debugContext("range"))
        text = f"{words}not {expected}."
        ext.abortOnCondition(opx.graph(), found, text, prog, opx.debugContext("range"))
    if inverted:
        given = popops.neg(opx.graph(), given, prog, opx.debugContext("scale"))
    context = opx.debugContext("metadata")
    return poplar.createVariableMetadataTensor(opx.graph(), format, given, prog, context)


def unscaled(opx: Opx, kind: DataType) -> Tensor:
    """The metadata of QUARTER for the type `kind` without a scale."""
    context = opx.debugContext("metadata")
    return poplar.createConstantMetadataTensor(opx.graph(), _format(kind), 0, context)


def operands(opx: Opx, prog: program.Sequence) -> tuple[Tensor, Tensor]:
    """The operands of a contraction, inputs 0 and 1: of 8-bit floats with their metadata, of which
    the first has the scale, input 2.
    """
    op, (a, b) = opx.op_p, (opx.getInTensor(i) for i in range(2))
    if not is_scaled(op):
        return a, b
    first, second = (op.inInfo(i).dataType() for i in range(2))
    return (
        poplar.withMetadata(a, metadata(opx, first, 2, prog)),
        poplar.withMetadata(b, unscaled(opx, second)),
    )


def _format(kind: DataType) -> QuarterMetadata.Format:
    is_f143 = kind is DataType.FLOAT8_143
    return QuarterMetadata.Format.F143 if is_f143 else QuarterMetadata.Format.F152
