"""Error context: names the operator's function that failed.

Operators may be a user's code, which may raise any exception.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from popir.errors import (
    PopirError,
    popart_exception,
    poplar_exception,
    poplibs_exception,
)
from popir.ir.graph import Op

_PLAIN = (popart_exception, poplar_exception, poplibs_exception)
"""Errors without fields of their own: their message may be extended. Other errors keep theirs."""


@contextlib.contextmanager
def blamed(op: Op, function: str, owner: object | None = None) -> Generator[None]:
    """Adds the name of the failing function to an exception raised inside the `with` block.

    The function is `function` of `op`, or of `owner` if given (an Opx, for example). An exception
    that is no PopirError becomes a popart_exception; MemoryError passes unchanged. A PopirError
    keeps its class; if the function is a user's, its name is appended to the message, unless the
    message has several lines, such as a compiler's output.
    """
    cls = type(op if owner is None else owner)
    name = f"{cls.__name__}.{function}()"
    try:
        yield
    except MemoryError:
        raise
    except PopirError as error:
        theirs = not cls.__module__.startswith("popir.") and "\n" not in str(error)
        if theirs and isinstance(error, _PLAIN) and name not in str(error) and error.args:
            who = "" if op.debugName() in str(error) else f" of {op.debugName()}"
            error.args = (f"{error} (in {name}{who})", *error.args[1:])
        raise
    except Exception as error:
        raise popart_exception(
            f"{op.debugName()}: {name} failed: {type(error).__name__}: {error}"
        ) from error
