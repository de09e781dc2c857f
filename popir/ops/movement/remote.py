"""RemoteLoad and RemoteStore: copies from and to streaming memory. The compiler adds them
(`popir.transforms.off_chip`); models do not have them.
"""

from __future__ import annotations

from popir import poplar
from popir.ir import Op
from popir.ops.support.identifiers import graphcore_id
from popir.opx import host_type, popType
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.remote import RemoteOpx
from popir.types import TensorInfo

ROW = 0
"""RemoteLoad's input with the number of the row."""
LOCAL, STORED_ROW = 0, 1
"""RemoteStore's inputs: the value, and the number of the row."""


class RemoteLoadOp(Op):
    """PopART's RemoteLoad, version 1: the value that the remote buffer of the attribute
    `remote_buffer`, of `rows` rows, has in a row. Input 0 is the number of the row, INT32[1];
    PopART has the tensor that is filled before it. `data_type` and `shape` are those of the value;
    with `io_tiles` it comes by way of the IO tiles, and with `ahead` it is on its way there while
    operators before this one compute.
    """

    remote_buffer: str
    rows: int
    data_type: str
    shape: list[int]
    io_tiles: bool
    ahead: bool

    def setup(self) -> None:
        """Infers the type and shape that the attributes say."""
        self.setOutInfo(0, TensorInfo(self.data_type, self.shape))


class RemoteStoreOp(Op):
    """PopART's RemoteStore, version 1: writes input 0 to the remote buffer of the attribute
    `remote_buffer`, of `rows` rows, in the row whose number is input 1, INT32[1]. The output is
    that number, for what reads the row after this. With `io_tiles` the value goes by way of the IO
    tiles.
    """

    remote_buffer: str
    rows: int
    io_tiles: bool

    def setup(self) -> None:
        """Infers the type and shape of the number."""
        self.setOutInfo(0, self.inInfo(STORED_ROW))

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the number itself."""
        return inIndex == STORED_ROW

    def hasSideEffect(self) -> bool:
        """True: it changes the remote buffer."""
        return True


class RemoteLoadOpx(RemoteOpx):
    """The lowering: a copy into a tensor that lies as its readers want it."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the tensor, and the copy."""
        info, context = self.outInfo(0), self.debugContext()
        local = self.layout(self.outId(0))
        if local is None:
            linear = poplar.VariableMappingMethod.LINEAR
            local = self.graph().addVariable(popType(info), info.shape(), linear, context)
        kind = host_type(info)
        op = self.getOp(RemoteLoadOp)
        buffer = self.buffer(op.remote_buffer, kind, info.nelms(), op.rows)
        flat = local.reinterpret(kind).flatten()
        filled = self.staged(kind, info.nelms()) if op.io_tiles else flat
        arrival = self.ahead() if op.io_tiles and op.ahead else prog
        arrival.add(program.Copy(buffer, filled, self.getInTensor(ROW), context))
        if op.io_tiles:
            prog.add(program.Copy(filled, flat, context))
        self.setOutTensor(0, local)


class RemoteStoreOpx(RemoteOpx):
    """The lowering: a copy to the buffer."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the copy of the value to its row."""
        op, info = self.getOp(RemoteStoreOp), self.inInfo(LOCAL)
        kind, row = host_type(info), self.getInTensor(STORED_ROW)
        buffer = self.buffer(op.remote_buffer, kind, info.nelms(), op.rows)
        flat = self.getInTensor(LOCAL).reinterpret(kind).flatten()
        if op.io_tiles:
            staged = self.staged(kind, info.nelms())
            prog.add(program.Copy(flat, staged, self.debugContext()))
            flat = staged
        prog.add(program.Copy(flat, buffer, row, self.debugContext()))
        self.setOutTensor(0, row)


OpCreator(RemoteLoadOp, [graphcore_id("RemoteLoad")], isPublic=False)
OpCreator(RemoteStoreOp, [graphcore_id("RemoteStore")], isPublic=False)
OpxCreator(RemoteLoadOpx, [graphcore_id("RemoteLoad")])
OpxCreator(RemoteStoreOpx, [graphcore_id("RemoteStore")])
