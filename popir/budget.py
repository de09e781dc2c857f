"""The limit of the work spent on importing and compiling one model.

Work is counted, not timed, so that a model takes the same on every machine. A unit is about one
microsecond. An operator costs OPERATOR units when it is imported and again when it is lowered. The
device counts vertices, variables, steps and pieces of views (`cpp/support/budget.hpp`).
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Generator, Sized
from typing import Protocol

from popir import poplar
from popir.errors import WorkLimitError, popart_exception

BASE = 10_000_000
"""The limit for a model without nodes, in units."""
EACH = 20_000
"""The units added to the limit for each node of the model's file."""
OPERATOR = 250
"""The units an operator costs, besides those of what it adds to the device."""
VARIABLE = "POPIR_MAX_WORK"
"""The environment variable that sets another limit; 0 for none."""

_NONE = 2**64 - 1
_at = threading.local()


class Operator(Protocol):
    """The part of `popir.ir.Op` that is used here."""

    @property
    def input(self) -> Sized:
        """The input tensors, by index."""
        ...

    @property
    def output(self) -> Sized:
        """The output tensors, by index."""
        ...

    def debugName(self) -> str:
        """A description of the operator, for messages."""
        ...


class Budget:
    """The work spent on one model, and its limit."""

    def __init__(self, who: str, nodes: int) -> None:
        """`who` starts the error message; `nodes` is the number of nodes in the model's file.

        Raises popart_exception if POPIR_MAX_WORK is not a number.
        """
        self.who = who
        self.spent = 0
        self.limit = BASE + EACH * nodes
        self._why = f"for a model of {nodes} nodes"
        given = os.environ.get(VARIABLE)
        if given is not None:
            if not given.isascii() or not given.isdigit() or int(given) > _NONE:
                raise popart_exception(
                    f"The environment variable {VARIABLE} is {given!r}; it must be a number of "
                    "units of work, or 0 for no limit."
                )
            self.limit = int(given) or _NONE
            self._why = f"that {VARIABLE} sets"

    @contextlib.contextmanager
    def spending(self) -> Generator[None]:
        """Counts this thread's work in the `with` block. Raises WorkLimitError above the limit."""
        before = poplar.budgetOfThread()
        poplar.setBudgetOfThread(self.spent, self.limit)
        _at.op = None
        try:
            yield
        except WorkLimitError:
            raise WorkLimitError(self._message()) from None
        finally:
            self.spent = poplar.budgetOfThread()[0]
            poplar.setBudgetOfThread(*before)

    def _message(self) -> str:
        where = f" It was at {_at.op.debugName()}." if _at.op else ""
        return (
            f"{self.who} takes more than {self.limit} units of work, the limit {self._why}; a unit "
            f"is about a microsecond.{where} Set the environment variable {VARIABLE} to a larger "
            "number, or to 0 for no limit."
        )


def operator(op: Operator) -> None:
    """Counts one operator, and makes it the one that an error names."""
    _at.op = op
    poplar.spend(OPERATOR + len(op.input) + len(op.output))


def operators(number: int) -> None:
    """Counts `number` operators that will be made later."""
    _at.op = None
    poplar.spend(OPERATOR * number)


def done() -> None:
    """Ends the work on an operator: an error names none from now on."""
    _at.op = None
