"""All exceptions that popir raises on purpose.

All derive from `PopirError`, in three trees with PopART's and Poplar's names: `popart_exception`
for the compiler, `poplibs_exception` for library functions, `poplar_exception` for the device. A
C++ exception becomes the class of the same name; the bindings look it up in this module.
"""

from __future__ import annotations

import difflib
import os
import re
import reprlib
from collections.abc import Callable, Iterable
from pathlib import Path

from popir.enums import RecoveryAction


class PopirError(RuntimeError):
    """The base class of all errors that popir raises on purpose.

    A message may contain names and values from an untrusted model or library. So control characters
    in it are escaped, and the middle of a message of more than 5000 characters is left out.

    Where programs written for PopART compare its words, `popart` has them: they are then `args[0]`,
    and the message that is printed is popir's all the same.
    """

    _message: str | None = None

    def __init__(self, *args: object, popart: str | None = None) -> None:
        shown = [_shown(arg) if isinstance(arg, str) else arg for arg in args]
        if popart is not None:
            self._message, shown[0] = str(shown[0]), _shown(popart)
        super().__init__(*shown)

    def __str__(self) -> str:
        return super().__str__() if self._message is None else self._message


_LONGEST = 5000
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters, except line breaks and tabs, and characters that set the text direction."""


def escaped(text: str) -> str:
    """`text` with escaped control characters, so that a terminal prints it and does not obey it."""
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
    """popir is in an impossible state: a defect of popir, not of the model."""


class popart_runtime_error(popart_exception):
    """A fault while a compiled model runs."""


class OutOfMemoryError:
    """What an OutOfMemoryException says, in its member `error`; without one, that there was memory
    enough. PopART's class of this name, which is no exception.

    `summary` is called to make the report of a program that does not fit the device.
    """

    def __init__(self, message: object = "", summary: Callable[[], str] = str) -> None:
        self._message, self._summary = str(message), summary

    def isSuccessful(self) -> bool:
        """Whether nothing was too large."""
        return not self._message

    def getSummaryReport(self) -> str:
        """The report of the program's costs and memory by tile; "" if the host had too little."""
        return self._summary()

    def getProfilePath(self) -> str:
        """Always "": no profile file is written. `Session.getReport` makes a report."""
        return ""

    def __str__(self) -> str:
        return self._message

    def __repr__(self) -> str:
        return f"popart.OutOfMemoryError: {self._message}"


class OutOfMemoryException(popart_exception):
    """The program does not fit the memory of the device, or of the host. PopART's class of this
    name.

    `message` is a text, or an OutOfMemoryError; `summary` is as there.
    """

    def __init__(self, message: object, summary: Callable[[], str] = str) -> None:
        super().__init__(str(message))
        is_made = isinstance(message, OutOfMemoryError)
        self.error = message if is_made else OutOfMemoryError(message, summary)

    def getSummaryReport(self) -> str:
        """The report that its `error` has."""
        return self.error.getSummaryReport()

    def getProfilePath(self) -> str:
        """The path that its `error` has."""
        return self.error.getProfilePath()


class WorkLimitError(popart_exception):
    """Compiling a model takes more work than its limit; see `popir.budget`."""


class UnknownOperatorError(popart_exception):
    """No operator of that domain, type and version is registered or has a schema."""


class OpsetVersionError(popart_exception):
    """An operator version that the model's opset does not have, or two opsets for one domain."""


class OperatorInputError(popart_exception):
    """A wrong number of inputs or outputs, or an input of a wrong type or shape."""


class LeavesDeviceError(OperatorInputError):
    """A model is more than one device program: an operator runs on the host, or needs a value, when
    it is compiled, that is computed at run time.

    `needs` are the ids of such values; with those known, the operator could be compiled. It is
    empty if nothing helps. `popir.backend` and `popir run` run such models in segments.
    """

    def __init__(
        self, message: str, needs: Iterable[str] = (), *, popart: str | None = None
    ) -> None:
        super().__init__(message, popart=popart)
        self.needs = tuple(needs)


class UnknownTripCountError(LeavesDeviceError):
    """A Loop has scan outputs of a size that is known at run time alone. `loop` is its first
    output.
    """

    def __init__(self, message: str, needs: Iterable[str] = (), *, loop: str) -> None:
        super().__init__(message, needs)
        self.loop = loop


class OperatorAttributeError(popart_exception):
    """An attribute that is unknown, missing, or of the wrong type or value."""


class AttributeTextError(OperatorAttributeError, ValueError):
    """Text for a function of a library that is no str. Also a ValueError, as in TensorFlow."""


class MissingOpxError(popart_exception):
    """No Opx is registered for an operator that the model uses: it cannot be lowered."""


class DuplicateOperatorError(popart_exception):
    """An operator identifier, or the name of a pattern, is registered twice."""


class LibraryLoadError(popart_exception):
    """A library of operators could not be loaded."""


class LibraryBuildError(popart_exception):
    """A library of operators could not be built from its sources.

    `said` is the compiler's output; `summary` is the message without it.
    """

    def __init__(self, summary: str, said: str = "") -> None:
        self.summary = summary
        self.said = said.strip()
        super().__init__(f"{summary}:\n{self.said}" if self.said else summary)


class MissingPackageError(popart_exception, ImportError):
    """A package that one of popir's extras brings is not installed. Also an ImportError."""


class MissingGradientError(popart_exception):
    """A gradient is needed through an operator that has none."""


class GradientError(popart_exception):
    """A gradient that differs from finite differences."""


class ModelError(popart_exception):
    """An ONNX model that cannot be read or written, or is not well formed."""


class CheckpointError(popart_exception):
    """A checkpoint that cannot be written or read, is damaged, or is that of another session."""


class UnwritableError(ModelError, CheckpointError, popart_runtime_error):
    """A model, a checkpoint or a log that cannot be written, since its folder or disk does not let
    it.
    """


class DataError(popart_exception):
    """Data to train on, or to run a model on, that cannot be read or do not fit."""


class NotFiniteError(popart_exception):
    """The loss of a training became NaN or infinite."""


class AnchorError(popart_exception):
    """An anchor that is no tensor of the model, or a tensor that is no anchor."""


class StepIOError(popart_exception):
    """A host array that is missing, or does not fit an input or anchor of the step."""


class VerificationError(popart_exception):
    """An inconsistent graph: a defect of the compiler pass that ran last."""


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


class poplar_link_error(poplar_graph_program_compilation_error):
    """Codelets that use functions or variables that are nowhere defined."""


class poplar_graph_cycle_error(poplar_exception):
    """Vertices of a compute set, or operators, that depend on one another in a cycle."""


class poplar_type_error(poplar_exception):
    """Element types that do not fit together."""


class poplar_stream_connection_error(poplar_exception):
    """A host stream that is not connected, or connected twice."""


class poplar_tensor_io_state_error(poplar_exception):
    """A tensor read or written by the host without having been declared for it."""


class poplar_control_program_error(poplar_exception):
    """A program that is not well formed."""


class poplar_profiling_disabled(poplar_exception):
    """A profile was requested, but profiling is off."""


class poplar_runtime_error(poplar_exception):
    """A fault while an engine runs."""


class poplar_application_runtime_error(poplar_runtime_error):
    """A fault of the program that runs."""


class poplar_system_runtime_error(poplar_runtime_error):
    """A fault of the machine that runs it."""


class poplar_recoverable_runtime_error(poplar_system_runtime_error):
    """A fault after which the device can be used again; `recoveryAction` says how."""

    recoveryAction: RecoveryAction = RecoveryAction.IPU_RESET


class poplar_unrecoverable_runtime_error(poplar_system_runtime_error):
    """A fault after which the device cannot be used again."""


class poplar_unknown_runtime_error(poplar_system_runtime_error):
    """A fault of unknown cause."""


def require_path(who: str, value: object) -> Path:
    """`value` as a Path. Raises popart_exception, naming `who`, if it is not a path."""
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        if isinstance(path, str) and "\0" not in path:
            return Path(path)
    raise popart_exception(f"{who} takes the path of a file; given was {reprlib.repr(value)}.")


_MOST_WORK = 3_000_000
"""The limit of `near_misses`: the sum of products of word lengths; about a second at worst."""


def near_misses(word: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Up to `limit` of the `known` words that are similar to `word`, the most similar first.

    Case is ignored: "Leakyrelu" finds "LeakyRelu". Only the first words are compared if there are
    very many or very long ones.
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
    """ " Did you mean 'a' or 'b'?", with a leading blank; "" if no known word is similar."""
    near = [repr(name) for name in near_misses(word, known)]
    return f" Did you mean {' or '.join(near)}?" if near else ""
