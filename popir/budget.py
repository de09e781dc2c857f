"""How much work a model may take to be read and compiled.

Work is counted, not timed: the same model takes the same on every machine. A unit is about a
microsecond. An operator costs OPERATOR when it is imported and when it is lowered; the device
counts its vertices, variables, steps and the pieces of views (`cpp/poplar/budget.hpp`).
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
"""What any model may take."""
EACH = 20_000
"""What it may take besides for each node in its file."""
OPERATOR = 250
"""What an operator costs besides what it makes on the device."""
VARIABLE = "POPIR_MAX_WORK"
"""The environment variable that sets another limit; 0 for none."""

_NONE = 2**64 - 1
_at = threading.local()


class Operator(Protocol):
    """What is asked of an operator, a `popir.ir.Op`."""

    @property
    def input(self) -> Sized:
        """What it reads."""
        ...

    @property
    def output(self) -> Sized:
        """What it makes."""
        ...

    def debugName(self) -> str:
        """Who it is, for messages."""
        ...


class Budget:
    """The work for one model: what has been done, and how much may be."""

    def __init__(self, who: str, nodes: int) -> None:
        """`who` begins messages; `nodes` are those of the model's file.

        Raises popart_exception if POPIR_MAX_WORK is no number.
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
        """Counts the work of this thread within. Raises WorkLimitError once it is too much."""
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
    """Counts an operator, which is worked on from now on."""
    _at.op = op
    poplar.spend(OPERATOR + len(op.input) + len(op.output))


def operators(number: int) -> None:
    """Counts operators that are yet to come."""
    _at.op = None
    poplar.spend(OPERATOR * number)


def done() -> None:
    """Says that no operator is worked on any more."""
    _at.op = None
