"""Lowering of one operator: `Opx` adds the device program that computes it."""

from __future__ import annotations

import enum
import functools
import importlib
from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from popir.errors import popart_exception
from popir.ir import Op, OperatorIdentifier
from popir.typed import fitted, typed
from popir.types import DataType, TensorInfo

AnyOp = TypeVar("AnyOp", bound=Op)


_ASKED = (
    "getOp hasInput hasOutput inInfo outInfo inShape outShape inId outId getInTensor "
    "setOutTensor debugContext __init__"
).split()
"""The most frequently called methods: they check their arguments themselves, which is faster, or
pass them on to the operator, which does.
"""


class InputCreatorType(enum.Enum):
    """How an Opx can choose the layout of an input. PopART's enum of this name."""

    Deadend = 0
    """The Opx has no preference."""
    CanCreate = 1
    """`createInputTensor` makes the tensor in the layout that suits the operator."""
    CanUnwind = 2
    """`unwindTensorLayout` computes the input's layout from that of an output."""
    CanCreateOrUnwind = 3
    """Both are possible: CanCreate and CanUnwind."""
    CanDelegate = 4
    """The graph that the operator calls decides."""


def device(name: str) -> Any:
    """The device module `name`, such as "poplar" or "popops". It is imported at the first call."""
    return importlib.import_module(f"popir._device.{name}")


_POPLAR_NAMES = {
    DataType.BOOL: "BOOL",
    DataType.INT8: "SIGNED_CHAR",
    DataType.UINT8: "UNSIGNED_CHAR",
    DataType.INT16: "SHORT",
    DataType.UINT16: "UNSIGNED_SHORT",
    DataType.INT32: "INT",
    DataType.UINT32: "UNSIGNED_INT",
    DataType.INT64: "LONGLONG",
    DataType.UINT64: "UNSIGNED_LONGLONG",
    DataType.FLOAT16: "HALF",
    DataType.BFLOAT16: "BFLOAT16",
    DataType.FLOAT: "FLOAT",
    DataType.DOUBLE: "DOUBLE",
}


def popType(value: TensorInfo | DataType) -> Any:
    """The `poplar.Type` for the element type of `value`, such as HALF for FLOAT16 and INT for
    INT32.

    It is QUARTER for all narrow types (`DataType.is_narrow`), with which no vertex computes. Raises
    popart_exception if the device has no type: for complex numbers and strings.
    """
    return _pop_type(value.dataType() if isinstance(value, TensorInfo) else value)


@functools.cache  # Asked for at each tensor; the device module is imported by then.
def _pop_type(kind: DataType) -> Any:
    if kind.is_narrow:
        return device("poplar").QUARTER
    if kind not in _POPLAR_NAMES:
        raise popart_exception(f"The device has no element type for DataType.{kind.name}.")
    return getattr(device("poplar"), _POPLAR_NAMES[kind])


def host_type(value: TensorInfo | DataType) -> Any:
    """The `poplar.Type` in which the host has what the device has as `popType`: UNSIGNED_CHAR for
    narrow types, else the same.
    """
    kind, poplar = popType(value), device("poplar")
    return poplar.UNSIGNED_CHAR if kind == poplar.QUARTER else kind


def debug_prefix(op: Op) -> str:
    """The prefix of the debug names of all vertices and variables that an operator adds."""
    return op.name() or f"{op.plainType()}/{op.id}"


def block_of(op: Op) -> str:
    """The unique name of the sequence that contains everything an operator adds to a program."""
    return f"{op.plainType()}/{op.id}"


@typed(by_hand=_ASKED)
class Opx:
    """Lowers one operator. PopART's `popx::Opx`.

    A subclass overrides `grow`, and the layout functions if it chooses layouts. `op_p` is the
    operator. `dv_p` is the Devicex, which has the poplar.Graph and the tensors by id.
    """

    inputCreatorPriority: float = 0.0
    """If several readers of a tensor can create it, the one with the highest priority does."""
    lowersLibraries: ClassVar[bool] = False
    """Whether a built-in Opx also lowers operators of its identifier that a library defines. It
    reads their attributes, as text, from `appendOutlineAttributes`.
    """

    def __init__(self, op: Op, devicex: Any) -> None:
        if not isinstance(op, Op):
            fitted(type(self).__name__, "op", op, Op)
        self.op_p = op
        self.dv_p = devicex

    def grow(self, prog: Any) -> None:
        """Adds the operator's program to `prog`, a poplar.program.Sequence, and sets all connected
        outputs (`setOutTensor`).

        Called when the session is prepared, maybe more than once for an operator: what an earlier
        call has added is then discarded. Every subclass must override it: raises popart_exception
        by default.
        """
        raise popart_exception(f"{type(self).__name__} has no grow(), needed for {self.op_p}.")

    # The operator.

    def getOp(self, cls: type[AnyOp]) -> AnyOp:
        """The operator, typed as `cls`. Raises popart_exception if it is of another class."""
        wanted: Any = cls
        if not isinstance(wanted, type):
            fitted(f"{type(self).__name__}.getOp", "cls", wanted, type[Op])
        if not isinstance(self.op_p, cls):
            raise popart_exception(
                f"{type(self).__name__} lowers {cls.__name__}; given was {self.op_p} of class "
                f"{type(self.op_p).__name__}."
            )
        return self.op_p

    def verifyOp(
        self,
        cls: type[Op],
        opids: OperatorIdentifier | Iterable[OperatorIdentifier] = (),
    ) -> None:
        """Raises popart_exception unless the operator is a `cls` and, if any are given, one of
        `opids`.
        """
        self.getOp(cls)
        known = [opids] if isinstance(opids, OperatorIdentifier) else list(opids)
        if known and self.op_p.opid not in known:
            raise popart_exception(
                f"{type(self).__name__} lowers {', '.join(map(str, known))}; given was {self.op_p}."
            )

    def hasInput(self, i: int) -> bool:
        """Whether input `i` is connected."""
        return self.op_p.hasInput(i)

    def hasOutput(self, i: int) -> bool:
        """Whether output `i` is connected."""
        return self.op_p.hasOutput(i)

    def inInfo(self, i: int) -> TensorInfo:
        """Type and shape of input `i`. Raises popart_exception if it is not connected."""
        return self.op_p.inInfo(i)

    def outInfo(self, i: int) -> TensorInfo:
        """Type and shape of output `i`. Raises popart_exception if it is not connected."""
        return self.op_p.outInfo(i)

    def inShape(self, i: int) -> list[int]:
        """The shape of input `i`. Raises popart_exception if it is not connected."""
        return self.op_p.inShape(i)

    def outShape(self, i: int) -> list[int]:
        """The shape of output `i`. Raises popart_exception if it is not connected."""
        return self.op_p.outShape(i)

    def inId(self, i: int) -> str:
        """The id of the tensor at input `i`. Raises popart_exception if it is not connected."""
        return self.op_p.inId(i)

    def outId(self, i: int) -> str:
        """The id of the tensor at output `i`. Raises popart_exception if it is not connected."""
        return self.op_p.outId(i)

    # The device.

    def graph(self) -> Any:
        """The poplar.Graph to which the operator adds vertices and variables."""
        return self.dv_p.graph()

    def getInTensor(self, i: int) -> Any:
        """The poplar.Tensor of input `i`. Raises popart_exception if it is not connected.

        If the Opx writes it, the operator's `modifies(i)` should say so; otherwise lowering may
        hand out a copy.
        """
        return self.dv_p.get(self.inId(i))

    def setOutTensor(self, i: int, tensor: Any) -> None:
        """Sets the poplar.Tensor of output `i`. It may be a view of an input.

        Raises popart_exception if its shape differs from that of the output, or if the output is
        not connected (ask `hasOutput`).
        """
        shape, expected = list(tensor.shape()), self.outShape(i)
        if shape != expected:
            raise popart_exception(
                f"{self.op_p}: {type(self).__name__} set output {i} of shape {shape}; setup() says "
                f"{expected}."
            )
        self.dv_p.insert(self.outId(i), tensor)

    def debugContext(self, name: str = "") -> str:
        """A debug name for something the operator adds: its prefix, then `/name` if given."""
        if name.__class__ is not str:
            name = fitted(f"{type(self).__name__}.debugContext", "name", name, str)
        own = debug_prefix(self.op_p)
        return f"{own}/{name}" if name else own

    def cloneNcopy(self, prog: Any, tensor: Any, name: str = "") -> Any:
        """A new tensor in the layout of `tensor`; adds to `prog` the copy from `tensor` into it."""
        copy = self.graph().clone(tensor, self.debugContext(name))
        prog.add(device("poplar").program.Copy(tensor, copy))
        return copy

    def getConst(self, type: Any, shape: list[int], value: Any, name: str = "") -> Any:
        """A constant tensor of poplar.Type `type` on tile 0. `value` is one number for all elements
        or a list of one for each.
        """
        tensor = self.graph().addConstant(type, shape, value, self.debugContext(name))
        self.graph().setTileMapping(tensor, 0)
        return tensor

    def getScalarVariable(self, type: Any, name: str = "") -> Any:
        """A new scalar of poplar.Type `type` on tile 0."""
        tensor = self.graph().addVariable(type, [], self.debugContext(name))
        self.graph().setTileMapping(tensor, 0)
        return tensor

    # Layouts.

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """How this Opx can choose the layout of input `i`; by default, it cannot (Deadend)."""
        return InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Any:
        """A new poplar.Tensor for input `i`, of its type and shape, in the layout that suits the
        operator.

        `debugContext` is its debug name. Called only if `getInputCreatorType` allows it; raises
        popart_exception by default.
        """
        raise popart_exception(
            f"{type(self).__name__} creates no input {i}, asked for by {self.op_p}."
        )

    def unwindTensorLayout(self, tensor: Any, inIndex: int, outIndex: int) -> Any:
        """A tensor of the shape of input `inIndex` in the layout that gives output `outIndex` the
        layout of `tensor`. For a Transpose, for example, `tensor` with its dimensions permuted
        back.

        Called only if `canUnwind` allows it; raises popart_exception by default.
        """
        raise popart_exception(
            f"{type(self).__name__} unwinds no layout from output {outIndex} to input {inIndex}, "
            f"asked for by {self.op_p}."
        )

    def canUnwind(self, inIndex: int, outIndex: int) -> bool:
        """Whether `unwindTensorLayout` works from output `outIndex` to input `inIndex`.

        By default, whether the input's InputCreatorType includes CanUnwind.
        """
        return self.getInputCreatorType(inIndex) in (
            InputCreatorType.CanUnwind,
            InputCreatorType.CanCreateOrUnwind,
        )

    def mustExistBeforeCreate(self, i: int) -> list[str]:
        """The ids of the tensors that must exist before `createInputTensor(i, ...)` is called; []
        by default.
        """
        return []

    def mustExistBeforeCreateDNF(self, i: int) -> list[list[str]]:
        """Alternatives for `mustExistBeforeCreate`: all tensors of at least one list must exist.

        DNF is disjunctive normal form. By default, the one list of `mustExistBeforeCreate`.
        """
        return [self.mustExistBeforeCreate(i)]
