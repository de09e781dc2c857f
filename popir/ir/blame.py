"""Error context: names the operator's function that failed.

Operators may be a user's code, which may raise any exception.
"""

from __future__ import annotations

from types import TracebackType

from popir.errors import (
    PopirError,
    popart_exception,
    poplar_exception,
    poplibs_exception,
)
from popir.ir.graph import Op

_PLAIN = (popart_exception, poplar_exception, poplibs_exception)
"""Errors without fields of their own: their message may be extended. Other errors keep theirs."""


class blamed:
    """Adds the name of the failing function to an exception raised inside the `with` block.

    The function is `function` of `op`, or of `owner` if given (an Opx, for example). An exception
    that is no PopirError becomes a popart_exception; MemoryError passes unchanged. A PopirError
    keeps its class; if the function is a user's, its name is appended to the message, unless the
    message has several lines, such as a compiler's output. To what a library's function has raised,
    the operator's name is appended where it is not there; to plain errors of what popir's own
    operators share it is prepended.
    """

    # A class, because it is entered several times for each operator, and that of contextlib takes
    # five times as long.
    __slots__ = ("_function", "_op", "_owner")

    def __init__(self, op: Op, function: str, owner: object | None = None) -> None:
        self._op = op
        self._function = function
        self._owner = op if owner is None else owner

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, MemoryError):
            return
        op, cls = self._op, type(self._owner)
        name = f"{cls.__name__}.{self._function}()"
        if not isinstance(error, PopirError):
            raise popart_exception(
                f"{op.debugName()}: {name} failed: {type(error).__name__}: {error}"
            ) from error
        is_popirs = cls.__module__.startswith("popir.")
        is_of_library = is_popirs and op.source not in ("built in", "python")
        is_plain = isinstance(error, _PLAIN) and bool(error.args)
        if is_of_library and is_plain and str(op.opid) not in str(error):
            error.args = (f"{error} ({op.debugName()})", *error.args[1:])
        # What operators share, such as TensorInfo or popops, does not know of which one it speaks.
        is_shared = is_popirs and not is_of_library and type(error) in _PLAIN
        if is_shared and is_plain and str(op.opid) not in str(error) and "Op(" not in str(error):
            error.args = (f"{op.debugName()}: {error}", *error.args[1:])
        theirs = not is_popirs and "\n" not in str(error)
        if theirs and is_plain and name not in str(error):
            who = "" if op.debugName() in str(error) else f" of {op.debugName()}"
            error.args = (f"{error} (in {name}{who})", *error.args[1:])
