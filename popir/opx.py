"""Lowering of one operator: `Opx` grows the device program that computes it."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from popir.errors import popart_exception
from popir.ir import Op, OperatorIdentifier
from popir.typed import fitted, typed
from popir.types import DataType, TensorInfo

AnyOp = TypeVar("AnyOp", bound=Op)


_OF_THE_OP = (
    "getOp hasInput hasOutput inInfo outInfo inShape outShape inId outId getInTensor".split()
)
"""Methods that ask the operator, which looks at what it is given."""


class InputCreatorType(enum.Enum):
    """What an Opx has to say about the layout of one of its inputs."""

    Deadend = 0
    """Nothing: the layout is decided elsewhere."""
    CanCreate = 1
    """`createInputTensor` makes the tensor with the layout that suits the operator."""
    CanUnwind = 2
    """The layout follows from that of an output, by `unwindTensorLayout`."""
    CanCreateOrUnwind = 3
    """Either of both."""
    CanDelegate = 4
    """A subgraph decides."""


def device(name: str) -> Any:
    """A module of the device layer, such as "poplar" or "popops"; loaded on first use."""
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
    """The `poplar.Type` of the elements of `value`.

    Raises popart_exception if the device has none.
    """
    kind = value.dataType() if isinstance(value, TensorInfo) else value
    if kind not in _POPLAR_NAMES:
        raise popart_exception(f"The device has no element type for DataType.{kind.name}.")
    return getattr(device("poplar"), _POPLAR_NAMES[kind])


def debugPrefix(op: Op) -> str:
    """The name under which the device files what an operator adds, or that name's beginning."""
    return op.name() or f"{op.plainType()}/{op.id}"


def blockOf(op: Op) -> str:
    """The name of the sequence around all that an operator adds to a program: its own alone."""
    return f"{op.plainType()}/{op.id}"


@typed(byHand=_OF_THE_OP)
class Opx:
    """Lowers one operator. A subclass overrides `grow`, and the layout functions if it has a say in
    layouts.

    `op_p` is the operator; `dv_p` the Devicex, which holds the graph and the tensors by their ids.
    """

    inputCreatorPriority: float = 0.0
    """Where several readers of a tensor can create it, the one of the highest priority does."""
    lowersLibraries: ClassVar[bool] = False
    """Whether a built-in Opx lowers operators of its identifier that a library has made too. It
    knows them by what they append to their outline attributes, as text.
    """

    def __init__(self, op: Op, devicex: Any) -> None:
        self.op_p = op
        self.dv_p = devicex

    def grow(self, prog: Any) -> None:
        """Adds the operator to `prog` (a poplar.program.Sequence), and sets all of its outputs."""
        raise popart_exception(f"{type(self).__name__} has no grow(), needed for {self.op_p}.")

    # The operator.

    def getOp(self, cls: type[AnyOp]) -> AnyOp:
        """The operator as a `cls`. Raises popart_exception if it is none."""
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
        """Type and shape of input `i`."""
        return self.op_p.inInfo(i)

    def outInfo(self, i: int) -> TensorInfo:
        """Type and shape of output `i`."""
        return self.op_p.outInfo(i)

    def inShape(self, i: int) -> list[int]:
        """The shape of input `i`."""
        return self.op_p.inShape(i)

    def outShape(self, i: int) -> list[int]:
        """The shape of output `i`."""
        return self.op_p.outShape(i)

    def inId(self, i: int) -> str:
        """The id of the tensor at input `i`."""
        return self.op_p.inId(i)

    def outId(self, i: int) -> str:
        """The id of the tensor at output `i`."""
        return self.op_p.outId(i)

    # The device.

    def graph(self) -> Any:
        """The poplar.Graph that the operator is added to."""
        return self.dv_p.graph()

    def getInTensor(self, i: int) -> Any:
        """The poplar.Tensor of input `i`."""
        return self.dv_p.get(self.inId(i))

    def setOutTensor(self, i: int, tensor: Any) -> None:
        """Says which poplar.Tensor holds output `i`.

        Raises popart_exception if its shape is not the output's.
        """
        shape = list(tensor.shape())
        if shape != self.outShape(i):
            raise popart_exception(
                f"{self.op_p}: {type(self).__name__} set output {i} of shape {shape}; setup() says "
                f"{self.outShape(i)}."
            )
        self.dv_p.insert(self.outId(i), tensor)

    def debugContext(self, name: str = "") -> str:
        """The name under which the device files what is added now: the operator's, then `name`."""
        own = debugPrefix(self.op_p)
        return f"{own}/{name}" if name else own

    def cloneNcopy(self, prog: Any, tensor: Any, name: str = "") -> Any:
        """A new tensor of the same layout, into which `prog` copies `tensor`."""
        copy = self.graph().clone(tensor, self.debugContext(name))
        prog.add(device("poplar").program.Copy(tensor, copy))
        return copy

    def getConst(self, type: Any, shape: list[int], value: Any, name: str = "") -> Any:
        """A constant tensor of poplar.Type `type` on tile 0, all elements `value` (or a list of
        them).
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
        """What this Opx has to say about the layout of input `i`."""
        return InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Any:
        """A new poplar.Tensor for input `i`, laid out as suits the operator."""
        raise popart_exception(
            f"{type(self).__name__} creates no input {i}, asked for by {self.op_p}."
        )

    def unwindTensorLayout(self, tensor: Any, inIndex: int, outIndex: int) -> Any:
        """The layout that input `inIndex` must have for output `outIndex` to be laid out as
        `tensor`.
        """
        raise popart_exception(
            f"{type(self).__name__} unwinds no layout from output {outIndex} to input {inIndex}, "
            f"asked for by {self.op_p}."
        )

    def canUnwind(self, inIndex: int, outIndex: int) -> bool:
        """Whether a layout of output `outIndex` says how input `inIndex` should lie; by default,
        whether the input's type says that it can be unwound.
        """
        return self.getInputCreatorType(inIndex) in (
            InputCreatorType.CanUnwind,
            InputCreatorType.CanCreateOrUnwind,
        )

    def mustExistBeforeCreate(self, i: int) -> list[str]:
        """The ids of the tensors that createInputTensor(i, ...) needs."""
        return []

    def mustExistBeforeCreateDNF(self, i: int) -> list[list[str]]:
        """Where there is a choice, the lists to choose from; by default the one of
        `mustExistBeforeCreate`.
        """
        return [self.mustExistBeforeCreate(i)]
