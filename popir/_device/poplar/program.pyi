"""
Programs that a device executes (Poplar: poplar/Program.hpp).
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import typing

__all__: list[str] = [
    "Call",
    "Copy",
    "Execute",
    "If",
    "PrintTensor",
    "Program",
    "Repeat",
    "RepeatWhileFalse",
    "RepeatWhileTrue",
    "Sequence",
    "Sync",
    "SyncType",
    "WriteUndef",
]

class Program:
    """
    The base class of all programs; Program() does nothing. A program is a value: adding
    to a Sequence does not change programs that contain it already.
    """
    def __init__(self) -> None: ...
    def isEmpty(self) -> bool:
        """
        Whether the program does nothing.
        """

class Sequence(Program):
    """
    Runs programs one after another.
    """
    def __init__(
        self,
        programs: collections.abc.Sequence[Program] = [],
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...
    def __len__(self) -> int:
        """
        The number of programs in the sequence.
        """
    def add(self, program: Program) -> None:
        """
        Adds a program to the end.
        """

class Execute(Program):
    """
    Runs the vertices of a compute set, in parallel.
    """
    def __init__(
        self,
        cs: popir._device.poplar.ComputeSet,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...

class Copy(Program):
    """
    Copies a tensor to a tensor, or between a tensor and a stream, or between a tensor and
    those rows of a remote buffer whose numbers `offset` has, in row-major order.
    With `optimiseMemory` the host puts a stream's data in order, and tiles transfer what
    they have; else the tiles put it in order, which the machine model counts.
    Both have the same element type and number of elements; shapes may differ.
    Raises poplar_stream_connection_error for a stream or remote buffer that does not
    fit, or a stream that goes the other way.
    Raises poplar_graph_connection_error for tensors that do not fit, and for a
    destination that is not isParallelWriteable().
    """
    @typing.overload
    def __init__(
        self,
        src: popir._device.poplar.Tensor,
        dst: popir._device.poplar.Tensor,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        stream: popir._device.poplar.DataStream,
        dst: popir._device.poplar.Tensor,
        debugContext: popir._device.poplar.DebugContext | str = "",
        optimiseMemory: bool = False,
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        src: popir._device.poplar.Tensor,
        stream: popir._device.poplar.DataStream,
        debugContext: popir._device.poplar.DebugContext | str = "",
        optimiseMemory: bool = False,
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        buffer: popir._device.poplar.RemoteBuffer,
        dst: popir._device.poplar.Tensor,
        offset: popir._device.poplar.Tensor,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        src: popir._device.poplar.Tensor,
        buffer: popir._device.poplar.RemoteBuffer,
        offset: popir._device.poplar.Tensor,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...

class Repeat(Program):
    """
    Runs a program a number of times.
    """
    def __init__(
        self,
        count: typing.SupportsInt | typing.SupportsIndex,
        body: Program,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...

class RepeatWhileTrue(Program):
    """
    Runs `condition`, then, while `predicate` is not zero, `body` and `condition` again.
    `predicate`: one element, BOOL, INT or UNSIGNED_INT.
    Raises poplar_control_program_error for another one.
    """
    def __init__(
        self,
        condition: Program,
        predicate: popir._device.poplar.Tensor,
        body: Program,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...

class RepeatWhileFalse(Program):
    """
    Runs `condition`, then, while `predicate` is zero, `body` and `condition` again.
    `predicate`: one element, BOOL, INT or UNSIGNED_INT.
    Raises poplar_control_program_error for another one.
    """
    def __init__(
        self,
        condition: Program,
        predicate: popir._device.poplar.Tensor,
        body: Program,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...

class If(Program):
    """
    Runs `trueBody` if `predicate` is not zero, else `falseBody`.
    `predicate`: one element, BOOL, INT or UNSIGNED_INT.
    Raises poplar_control_program_error for another one.
    """
    def __init__(
        self,
        predicate: popir._device.poplar.Tensor,
        trueBody: Program,
        falseBody: Program,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...

class Call(Program):
    """
    Calls a function of the graph, or a function of the host. A function of
    the host reads `inputs` and writes `outputs`, of the types and sizes
    given to Graph.addHostFunction; raises poplar_graph_connection_error for
    tensors that do not fit.
    """
    @typing.overload
    def __init__(
        self,
        function: popir._device.poplar.Function,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        function: popir._device.poplar.HostFunction,
        inputs: collections.abc.Sequence[popir._device.poplar.Tensor],
        outputs: collections.abc.Sequence[popir._device.poplar.Tensor],
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...

class SyncType:
    """
    The reach of a synchronisation; all members do the same here.

    Members:

      INTERNAL

      EXTERNAL

      GLOBAL
    """

    EXTERNAL: typing.ClassVar[SyncType]
    GLOBAL: typing.ClassVar[SyncType]
    INTERNAL: typing.ClassVar[SyncType]
    __members__: typing.ClassVar[dict[str, SyncType]]
    @typing.overload
    def __eq__(self, other: SyncType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: SyncType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Sync(Program):
    """
    A synchronisation of tiles. It costs cycles and changes no results.
    """
    def __init__(
        self, type: SyncType, debugContext: popir._device.poplar.DebugContext | str = ""
    ) -> None: ...

class PrintTensor(Program):
    """
    Prints a title and the values of a tensor to standard error, each time that it runs.
    The other arguments are those of Poplar's PrintTensorFmt; `floatFormat` is 0 for a form
    that the values choose, 1 for a fixed point, 2 for an exponent, 3 for that of a stream.
    Raises poplar_control_program_error for another `floatFormat`.
    """
    def __init__(
        self,
        title: str,
        tensor: popir._device.poplar.Tensor,
        summariseThreshold: typing.SupportsInt | typing.SupportsIndex = 1000,
        edgeItems: typing.SupportsInt | typing.SupportsIndex = 3,
        maxLineWidth: typing.SupportsInt | typing.SupportsIndex = 75,
        digits: typing.SupportsInt | typing.SupportsIndex = 8,
        floatFormat: typing.SupportsInt | typing.SupportsIndex = 0,
        separator: str = " ",
        openBracket: str = "[",
        closeBracket: str = "]",
    ) -> None: ...

class WriteUndef(Program):
    """
    Marks the values of a tensor as undefined until it is written again,
    which ends their lifetime.
    """
    def __init__(
        self,
        tensor: popir._device.poplar.Tensor,
        debugContext: popir._device.poplar.DebugContext | str = "",
    ) -> None: ...
