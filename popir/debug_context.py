"""Names for what a program builds, with where it did so: `DebugContext`, `DebugInfo`."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from popir.errors import popart_exception
from popir.typed import typed


@typed
@dataclass(frozen=True)
class SourceLocation:
    """A place in a source file. PopART's `SourceLocation`."""

    functionName: str
    fileName: str
    lineNumber: int


@typed
class DebugInfo:
    """What a layer of a program says of what it builds: a debug context, the name of the layer, and
    values by name. PopART's `DebugInfo`.

    A DebugContext made from it has its name before its own. The values are not written to a file:
    see `initializePoplarDebugInfo`.
    """

    def __init__(self, debugContext: DebugContext | str, layer: str) -> None:
        is_text = isinstance(debugContext, str)
        self.debugContext = DebugContext(debugContext) if is_text else debugContext
        self.layer = layer
        self.values: dict[str, str | list[str]] = {}

    @property
    def name(self) -> str:
        """The name of the debug context."""
        return self.debugContext.name

    def setValue(self, name: str, value: str | list[str]) -> bool:
        """Keeps a value by name, in `values`. Returns False, and keeps the old one, if there is
        one of that name.
        """
        return self.values.setdefault(name, value) is value

    def getId(self) -> int:
        """A number that no other DebugInfo has as long as this one lives."""
        return id(self)


@typed
class DebugContext:
    """A name, which ids and node names are made from, and the place in the source that gives it.
    PopART's `DebugContext`: wherever one is taken, so is a string.

    Args:
        debugInfo: the DebugInfo of the layer above, whose name comes first; or the name.
        name: the name; or the place, after a name alone.
        loc: the place; by default that of the caller.
    """

    def __init__(
        self,
        debugInfo: DebugInfo | str = "",
        name: str | SourceLocation = "",
        loc: SourceLocation | None = None,
    ) -> None:
        if isinstance(name, SourceLocation):
            name, loc = "", name
        if isinstance(debugInfo, str):
            self.name = debugInfo or name
        else:
            self.name = "/".join(part for part in (debugInfo.name, name) if part)
        self.loc = loc or _caller()


def _caller() -> SourceLocation:
    """The first place on the stack that is not popir's own."""
    own = os.path.dirname(__file__)
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own):
        frame = frame.f_back
    code = frame.f_code
    return SourceLocation(code.co_name, code.co_filename, frame.f_lineno)


@typed
def initializePoplarDebugInfo(filename: str, format: str = "json") -> None:
    """Raises popart_exception: popir writes no file of debug information."""
    raise popart_exception(
        f"initializePoplarDebugInfo('{filename}', '{format}'): popir writes no file of debug "
        "information. Session.getProfile() has the names and costs of operators."
    )


def closePoplarDebugInfo() -> None:
    """Does nothing, since no file of debug information is ever open."""
