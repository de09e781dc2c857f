"""Whose function failed: operators may be anybody's code, and what it throws anything."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from popir.errors import (
    PopirError,
    popart_exception,
    poplar_exception,
    poplibs_exception,
)
from popir.ir.op import Op

_PLAIN = (popart_exception, poplar_exception, poplibs_exception)
"""Errors that are told by their words; others say more, which stays as it is."""


@contextlib.contextmanager
def blamed(op: Op, function: str, owner: object | None = None) -> Generator[None]:
    """Says whose function it was that failed: `function` of `op`, or of `owner` for it.

    What is no PopirError becomes a popart_exception. An error of popir, met in a class that is not
    popir's own, keeps its class, and its words are followed by the function's name unless they have
    several lines, as a compiler's have.
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
