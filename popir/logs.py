"""The loggers of popir, with PopART's interface: `getLogger`, `Logger`.

They are loggers of Python's `logging`: "popir" and, for its parts, "popir.session" and the like.
"""

from __future__ import annotations

import logging

from popir.errors import did_you_mean, popart_exception
from popir.typed import typed

LEVELS = {
    "TRACE": logging.DEBUG,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERR": logging.ERROR,
    "ERROR": logging.ERROR,
    "CRITICAL": logging.CRITICAL,
    "OFF": logging.CRITICAL + 10,
}
"""The names of levels, and Python's numbers for them. TRACE is the same as DEBUG here."""

_PARTS = {
    "all": "popir",
    "popart": "popir",
    "session": "popir.session",
    "pattern": "popir.patterns",
    "transform": "popir.transforms",
}
"""PopART's names of loggers, and the loggers of Python that belong to them."""
_OWN = "python ir builder op opx ces devicex none".split()
"""PopART's other names: loggers that popir itself writes nothing to."""


def _printable(message: str) -> str:
    """The message without what UTF-8 cannot hold: half a surrogate pair, for example."""
    return message.encode("utf-8", "backslashreplace").decode()


@typed
class Logger:
    """A logger of a part of popir. PopART's `Logger`; `getLogger` makes it."""

    def __init__(self, name: str) -> None:
        self._log = logging.getLogger(name)

    def setLevel(self, level: str) -> None:
        """Sets the least level of messages that are shown, one of `LEVELS`, in any case. They go to
        stderr, unless the program has given a logger of Python a handler of its own.

        Raises popart_exception for another name.
        """
        number = LEVELS.get(level.upper())
        if number is None:
            raise popart_exception(
                f"There is no log level '{level}'; there are {', '.join(LEVELS)}."
                f"{did_you_mean(level, LEVELS)}"
            )
        if not self._log.hasHandlers():
            handler = logging.StreamHandler()
            handler.setFormatter(logging.Formatter("[%(name)s] [%(levelname)s] %(message)s"))
            logging.getLogger("popir").addHandler(handler)
        self._log.setLevel(number)

    def debug(self, message: str) -> None:
        """Writes a message of the level DEBUG."""
        self._log.debug("%s", _printable(message))

    def info(self, message: str) -> None:
        """Writes a message of the level INFO."""
        self._log.info("%s", _printable(message))

    def warn(self, message: str) -> None:
        """Writes a message of the level WARN."""
        self._log.warning("%s", _printable(message))

    def error(self, message: str) -> None:
        """Writes a message of the level ERR."""
        self._log.error("%s", _printable(message))

    def critical(self, message: str) -> None:
        """Writes a message of the level CRITICAL."""
        self._log.critical("%s", _printable(message))


@typed
def getLogger(name: str = "all") -> Logger:
    """The logger of a part of popir, by PopART's name of it: "all", "session", "pattern",
    "transform" and others. PopART's function of this name.

    Raises popart_exception for an unknown name.
    """
    known = {**_PARTS, **{each: f"popir.{each}" for each in _OWN}}
    if name not in known:
        raise popart_exception(
            f"There is no logger '{name}'; there are {', '.join(known)}.{did_you_mean(name, known)}"
        )
    return Logger(known[name])
