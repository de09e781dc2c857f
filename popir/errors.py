"""Every exception that popir raises on purpose.

All of them are `PopirError`. Three trees stand below it, named as in PopART: `popart_exception` for
the compiler, `poplibs_exception` for the library functions and `poplar_exception` for the device. A
C++ exception arrives as the class of the same name here; the bindings look it up by name in this
module.
"""

from __future__ import annotations

import difflib
import os
import re
import reprlib
from collections.abc import Callable, Iterable
from pathlib import Path


class PopirError(RuntimeError):
    """Base of all errors that popir raises on purpose.

    A message is cut in its middle where it would be longer than a screen or two, and control
    characters in it are escaped: names and values in it are somebody's model's or library's.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(_shown(arg) if isinstance(arg, str) else arg for arg in args))


_LONGEST = 5000
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal would obey, line breaks and tabs aside: controls and directions of writing."""


def escaped(text: str) -> str:
    """A text of somebody's, a library's or a model's, with what a terminal would obey escaped."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _shown(text: str) -> str:
    return _shortened(escaped(text))


def _shortened(text: str) -> str:
    left_out = len(text) - _LONGEST
    if left_out <= 0:
        return text
    head, tail = text[: _LONGEST - 1000], text[-1000:]
    return f"{head} [... {left_out} characters left out ...] {tail}"


class popart_exception(PopirError):
    """A model, an operator or a call that the compiler cannot accept."""


class popart_internal_exception(popart_exception):
    """popir reached a state that it should not: a defect of popir, not of the model."""


class popart_runtime_error(popart_exception):
    """A fault while a compiled model runs."""


class OutOfMemoryException(popart_exception):
    """The program does not fit the memory of the device, or of the host.

    `summary` makes the report of a program that does not fit its device.
    """

    def __init__(self, message: object, summary: Callable[[], str] = str) -> None:
        super().__init__(str(message))
        self._summary = summary

    def getSummaryReport(self) -> str:
        """What the program costs and needs, tile by tile; empty if the host was what ran out."""
        return self._summary()

    def getProfilePath(self) -> str:
        """Always empty: no profile is written, `Session.getReport` makes one."""
        return ""


class WorkLimitError(popart_exception):
    """A model takes more work to be compiled than the budget allows; see `popir.budget`."""


class UnknownOperatorError(popart_exception):
    """No operator is registered, or described by a schema, under the domain, name and version asked
    for.
    """


class OpsetVersionError(popart_exception):
    """An operator version not in force at the model's opset, or two opsets for one domain."""


class OperatorInputError(popart_exception):
    """A wrong number of inputs or outputs, or an input of a type or shape that the operator does
    not take.
    """


class OperatorAttributeError(popart_exception):
    """An attribute that is unknown, missing, or of the wrong type or value."""


class MissingOpxError(popart_exception):
    """An operator is in use, but nothing lowers it: no Opx is registered for its identifier."""


class DuplicateOperatorError(popart_exception):
    """Two definitions claim one operator identifier."""


class LibraryLoadError(popart_exception):
    """A library of operators could not be loaded."""


class LibraryBuildError(popart_exception):
    """A library of operators could not be built from its sources.

    `summary` is the message without what the compiler said, which is `said`.
    """

    def __init__(self, summary: str, said: str = "") -> None:
        self.summary = summary
        self.said = said.strip()
        super().__init__(f"{summary}:\n{self.said}" if self.said else summary)


class MissingGradientError(popart_exception):
    """A gradient is needed through an operator that has none."""


class GradientError(popart_exception):
    """A gradient that finite differences do not bear out."""


class ModelError(popart_exception):
    """An ONNX model that cannot be read, or is not well formed."""


class AnchorError(popart_exception):
    """An anchor that names no tensor of the model."""


class StepIOError(popart_exception):
    """Host arrays that do not fit what a step reads or writes."""


class VerificationError(popart_exception):
    """A graph whose parts contradict each other: a defect of the pass that ran last."""


class poplibs_exception(PopirError):
    """A library function (popops, poplin, popnn, poprand, poputil) was called wrongly."""


class poplar_exception(PopirError):
    """The device layer refused a graph, a program or a run."""


class poplar_index_error(poplar_exception):
    """An index, slice or shape outside of a tensor."""


class poplar_invalid_option(poplar_exception):
    """An option that does not exist, or a value that it does not take."""


class poplar_invalid_tile_mapping(poplar_exception):
    """A tensor element that is on no tile."""


class poplar_graph_connection_error(poplar_exception):
    """A vertex field that is not connected, or connected to the wrong thing."""


class poplar_graph_memory_allocation_error(poplar_exception):
    """A graph that does not fit the memory of its tiles."""


class poplar_graph_program_compilation_error(poplar_exception):
    """Codelets that do not compile."""


class poplar_graph_cycle_error(poplar_exception):
    """A compute set whose vertices wait for each other."""


class poplar_type_error(poplar_exception):
    """Element types that do not fit together."""


class poplar_stream_connection_error(poplar_exception):
    """A host stream that is not connected, or connected twice."""


class poplar_tensor_io_state_error(poplar_exception):
    """A tensor read or written by the host without having been declared for it."""


class poplar_control_program_error(poplar_exception):
    """A program that is not well formed."""


class poplar_profiling_disabled(poplar_exception):
    """A profile was asked for, but profiling is off."""


class poplar_runtime_error(poplar_exception):
    """A fault while an engine runs."""


class poplar_application_runtime_error(poplar_runtime_error):
    """A fault of the program that runs."""


class poplar_system_runtime_error(poplar_runtime_error):
    """A fault of the machine that runs it."""


class poplar_recoverable_runtime_error(poplar_system_runtime_error):
    """A fault after which the device can be used again; `recoveryAction` says how."""

    recoveryAction: str = "IPU_RESET"


class poplar_unrecoverable_runtime_error(poplar_system_runtime_error):
    """A fault after which the device cannot be used again."""


class poplar_unknown_runtime_error(poplar_system_runtime_error):
    """A fault of unknown cause."""


def require_path(who: str, value: object) -> Path:
    """The path of a file. Raises popart_exception for what is none."""
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        if isinstance(path, str) and "\0" not in path:
            return Path(path)
    raise popart_exception(f"{who} takes the path of a file; given was {reprlib.repr(value)}.")


_MOST_WORK = 3_000_000
"""Products of lengths; that many take about a second where they are much alike."""


def near_misses(word: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Up to `limit` of the `known` words that `word` may have been meant for, nearest first.

    Upper and lower case are not told apart, so "Leakyrelu" finds "LeakyRelu". Of very many or very
    long words only some are looked at.
    """
    by_lower: dict[str, str] = {}
    work = 0
    for candidate in known:
        if 2 * len(word) < 5 * len(candidate) and 2 * len(candidate) < 5 * len(word):
            work += len(word) * len(candidate)
            if work > _MOST_WORK:
                break
            by_lower.setdefault(candidate.lower(), candidate)
    found = difflib.get_close_matches(word.lower(), by_lower, n=limit, cutoff=0.6)
    return [by_lower[name] for name in found]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " Did you mean 'a' or 'b'?", with its leading blank, or "" when nothing is near."""
    near = [repr(name) for name in near_misses(word, known)]
    return f" Did you mean {' or '.join(near)}?" if near else ""
