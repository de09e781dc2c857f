"""The one registry of operators (Op) and of what lowers them (Opx), keyed by operator identifier.

An operator of a model is looked up by domain, name and the model's opset for the domain: the
highest registered version that is not above the opset. Who may replace whom: a library may shadow a
built-in operator, but in ai.graphcore only add new ones; Python code replaces with `override=True`
only, but a class by its newer edition; two libraries never share an identifier. An operator that a
library defines is never lowered by a built-in Opx, nor the other way round while both have one.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from popir import definitions
from popir.definitions import OpDefinition
from popir.errors import (
    DuplicateOperatorError,
    MissingOpxError,
    OperatorAttributeError,
    OperatorInputError,
    UnknownOperatorError,
    did_you_mean,
    near_misses,
    popart_exception,
)
from popir.exclusive import ForkLock
from popir.ir import Op, OperatorIdentifier, Tensor
from popir.onnxio import schemas
from popir.opx import Opx
from popir.typed import typed
from popir.types import TensorInfo

BUILT_IN = "built in"
PYTHON = "python"

_log = logging.getLogger(__name__)


@dataclass
class OpCreatorInfo:
    """What a factory makes an Op from."""

    opid: OperatorIdentifier
    settings: Op.Settings
    attributes: Mapping[str, Any]
    inputs: Sequence[Tensor | None]
    outputs: Sequence[str] = ()
    """The ids of the tensors that the model gives the outputs, "" for one that is left out."""


@dataclass(frozen=True)
class OpEntry:
    """One registered operator."""

    opid: OperatorIdentifier
    opClass: type[Op]
    definition: OpDefinition | None
    factory: Callable[[OpCreatorInfo], Op]
    isPublic: bool
    source: str
    """Who registered it: "built in", "python", or the path of a library."""
    hasGradOps: bool = True
    """Whether its class has a getGradOps() of its own; else it has no gradient."""


@dataclass(frozen=True)
class OpxEntry:
    """One registered lowering."""

    opid: OperatorIdentifier
    opxClass: Callable[[Op, Any], Opx]
    source: str


@dataclass
class _State:
    ops: dict[tuple[str, str], dict[int, OpEntry]] = field(default_factory=dict)
    opxs: dict[OperatorIdentifier, dict[str, OpxEntry]] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(
            {key: dict(versions) for key, versions in self.ops.items()},
            {key: dict(sources) for key, sources in self.opxs.items()},
        )


_state = _State()

sync: list[Callable[[], None]] = []
"""Called before each look-up; whoever learns of operators late registers them here."""

lock = ForkLock()
"""Held by who loads libraries or takes over what they register: another thread's look-up waits."""


ShapeFunction = Callable[
    [OperatorIdentifier, Mapping[int, TensorInfo], Mapping[str, Any], int],
    "list[TensorInfo | None] | None",
]
shapeFunctions: list[ShapeFunction] = []
"""Asked for the infos of the outputs of an operator that is not registered, from those of its
inputs that are known, its attributes and the number of its outputs; None: not known here."""


def is_library(source: str) -> bool:
    """Whether `source` is the path of a library."""
    return source not in (BUILT_IN, PYTHON)


def register_op(entry: OpEntry, override: bool = False) -> None:
    """Registers an operator. Raises DuplicateOperatorError if it may not take its identifier."""
    versions = _state.ops.setdefault((entry.opid.domain, entry.opid.type), {})
    old = versions.get(entry.opid.version)
    if old is not None:
        _admit("operator", entry, old, override)
    versions[entry.opid.version] = entry


def register_opx(entry: OpxEntry, override: bool = False) -> None:
    """Registers a lowering. Raises DuplicateOperatorError if it may not take its identifier."""
    sources = _state.opxs.setdefault(entry.opid, {})
    for old in sources.values():
        _admit("Opx", entry, old, override)
    sources.pop(entry.source, None)
    sources[entry.source] = entry


def _admit(what: str, new: OpEntry | OpxEntry, old: OpEntry | OpxEntry, override: bool) -> None:
    if override or (new.source == old.source and is_library(new.source)):
        return
    if new.source == old.source == PYTHON and _isRedefined(_class(old), _class(new)):
        return
    who = f"{new.opid} ({what})"
    if not is_library(new.source):
        raise DuplicateOperatorError(
            f"{who} is registered already ({old.source}). To replace it, pass override=True; "
            f"to add an operator, choose another name, version or domain."
        )
    if old.source != BUILT_IN:
        raise DuplicateOperatorError(
            f"{who} of {new.source} is refused: {_owner(old.source)} has registered this "
            f"identifier."
        )
    if new.opid.domain == "ai.graphcore":
        raise DuplicateOperatorError(
            f"{who} of {new.source} is refused: the operator is popir's own. A library may add "
            f"operators to the domain ai.graphcore, but replace none."
        )
    if isinstance(new, OpEntry):
        _log.info("%s of %s replaces the built-in operator.", new.opid, new.source)


def _owner(source: str) -> str:
    return "Python code" if source == PYTHON else source


def _class(entry: OpEntry | OpxEntry) -> object:
    return entry.opClass if isinstance(entry, OpEntry) else entry.opxClass


def _isRedefined(old: object, new: object) -> bool:
    """Whether a class of Python code stands for one that was defined in its place before: by a cell
    of a notebook that is run again, or a module that is imported anew.
    """
    names = [(getattr(c, "__module__", ""), getattr(c, "__qualname__", "<")) for c in (old, new)]
    return names[0] == names[1] and "<" not in names[0][1]


@typed
class OpCreator:
    """Registers an Op class for identifiers; making one does it.

    `definitions` are the identifiers, with an OpDefinition each if given as a dict. `factory` makes
    the Op from an OpCreatorInfo; by default the class is called with identifier, settings and
    attributes. An operator with `isPublic=False` is not listed.

    Raises DuplicateOperatorError if an identifier is taken and `override` is not set, except by a
    class of the same module and name, which is the older edition of this one; popart_exception for
    what is no class of operators, or no identifier.
    """

    def __init__(
        self,
        opClass: type[Op],
        definitions: Mapping[OperatorIdentifier, OpDefinition]
        | Iterable[OperatorIdentifier]
        | OperatorIdentifier,
        factory: Callable[[OpCreatorInfo], Op] | None = None,
        isPublic: bool = True,
        override: bool = False,
        source: str | None = None,
    ) -> None:
        source = source or opClass.source
        hasGradOps = opClass.getGradOps is not Op.getGradOps
        self.opids = _identifiers(definitions)

        def construct(info: OpCreatorInfo) -> Op:
            return opClass(info.opid, info.settings, info.attributes)

        for opid in self.opids:
            definition = definitions[opid] if isinstance(definitions, Mapping) else None
            entry = OpEntry(
                opid, opClass, definition, factory or construct, isPublic, source, hasGradOps
            )
            register_op(entry, override)


@typed
class OpxCreator:
    """Registers an Opx class (or a function that makes one) for identifiers; making one does it.

    Raises DuplicateOperatorError and popart_exception as OpCreator does.
    """

    def __init__(
        self,
        opxClass: Callable[[Op, Any], Opx],
        opid: OperatorIdentifier | Iterable[OperatorIdentifier],
        override: bool = False,
        source: str | None = None,
    ) -> None:
        given: object = opxClass
        if not callable(given) or (isinstance(given, type) and issubclass(given, Op)):
            raise popart_exception(
                "OpxCreator registers a class that is derived from popir.Opx, or a function that "
                f"makes an object of one; given was {given!r}."
            )
        if source is None:
            source = BUILT_IN if opxClass.__module__.startswith("popir.") else PYTHON
        self.opids = _identifiers(opid)
        for each in self.opids:
            register_opx(OpxEntry(each, opxClass, source), override)


def _identifiers(
    given: Iterable[OperatorIdentifier] | OperatorIdentifier,
) -> list[OperatorIdentifier]:
    return [given] if isinstance(given, OperatorIdentifier) else [*given]


def _sync() -> None:
    for call in sync:
        call()


def versions(domain: str, type: str) -> list[int]:
    """The registered versions of an operator, ascending."""
    _sync()
    return sorted(_state.ops.get((domain or "ai.onnx", type), ()))


def entries() -> list[OpEntry]:
    """All registered operators, by domain, name and version."""
    _sync()
    found = [entry for byVersion in _state.ops.values() for entry in byVersion.values()]
    return sorted(found, key=lambda entry: entry.opid)


def opxEntries() -> list[OpxEntry]:
    """All registered lowerings, by the operators' identifiers."""
    _sync()
    found = [entry for bySource in _state.opxs.values() for entry in bySource.values()]
    return sorted(found, key=lambda entry: (entry.opid, entry.source))


def find(domain: str, type: str, opset: int) -> OpEntry:
    """The operator with the highest version that is not above `opset`, the model's version of the
    domain.

    Raises UnknownOperatorError, which lists registered versions and similar names.
    """
    _sync()
    domain = domain or "ai.onnx"
    byVersion = _state.ops.get((domain, type), {})
    # Most operators have one to five versions: no index would be faster than this.
    best = max((version for version in byVersion if version <= opset), default=None)
    if best is None:
        raise UnknownOperatorError(_unknown(domain, type, opset))
    return byVersion[best]


def registered(opid: OperatorIdentifier) -> OpEntry | None:
    """The operator of exactly that identifier."""
    _sync()
    return _state.ops.get((opid.domain, opid.type), {}).get(opid.version)


def named(text: str) -> list[OpEntry]:
    """The operator's versions, newest first, by "domain.Name", or "Name" if it is in ai.onnx or in
    one domain alone; ":VERSION" behind it chooses one.

    Raises UnknownOperatorError, which lists similar names.
    """
    name, _, version = text.partition(":")
    every = entries()
    found = [e for e in every if name in (e.opid.type, f"{e.opid.domain}.{e.opid.type}")]
    domains = {entry.opid.domain for entry in found}
    if "ai.onnx" in domains:
        found = [entry for entry in found if entry.opid.domain == "ai.onnx"]
    elif len(domains) > 1:
        which = ", ".join(f"{domain}.{name}" for domain in sorted(domains))
        raise UnknownOperatorError(f"'{text}' is the name of several operators: {which}. Name one.")
    chosen = [e for e in found if not version or str(e.opid.version) == version]
    if found and not chosen:
        known = ", ".join(str(entry.opid.version) for entry in found)
        raise UnknownOperatorError(f"{name} has no version {version}; it has {known}.")
    if not chosen:
        names = {n for e in every for n in (e.opid.type, f"{e.opid.domain}.{e.opid.type}")}
        raise UnknownOperatorError(
            f"No operator '{text}' is registered.{did_you_mean(name, sorted(names))} {_REMEDY}"
        )
    return chosen[::-1]


def _unknown(domain: str, type: str, opset: int) -> str:
    text = f"No operator {domain}.{type} is registered for version {opset} of the domain {domain}"
    known = versions(domain, type)
    if known:
        return f"{text}: its registered versions are {', '.join(map(str, known))}, all newer."
    same = [name for d, name in _state.ops if d == domain]
    near = [f"{domain}.{name}" for name in near_misses(type, same)]
    near += [f"{d}.{name}" for d, name in _state.ops if name == type]
    if opxs := [e for e in opxEntries() if (e.opid.domain, e.opid.type) == (domain, type)]:
        return (
            f"{text}, nor for any other; only an Opx is, from {_owner(opxs[0].source)}. Register "
            "the operator by OpCreator."
        )
    similar = f" Similar operators are {', '.join(near)}." if near else ""
    return f"{text}, nor for any other.{similar} {_REMEDY}"


_REMEDY = (
    "Load the library that defines it (popir.load_op_library, or --op-library on the command "
    "line), or register it by OpCreator."
)


def createOp(
    domain: str,
    type: str,
    opset: int,
    settings: Op.Settings,
    attributes: Mapping[str, Any],
    inputs: Sequence[Tensor | None] = (),
    outputs: Sequence[str] | None = None,
) -> Op:
    """Looks the operator up (see `find`), checks what it is given, and makes it; it is not
    connected yet, unless its factory has made several operators in the graph and connected them.

    `inputs` are in order, None for one that is left out, and `outputs` the ids that the model gives
    the outputs, if that is known. They are compared with the operator's
    OpDefinition or, without one, with its schema. A mismatch is an OperatorInputError or
    OperatorAttributeError; for an operator of a library, whose definition may be wrong, a warning.
    """
    entry = find(domain, type, opset)
    numOutputs = None if outputs is None else len(outputs)
    _check(entry, settings.name, attributes, inputs, numOutputs)
    op = entry.factory(OpCreatorInfo(entry.opid, settings, attributes, inputs, outputs or ()))
    op.source = entry.source
    return op


def _check(
    entry: OpEntry,
    name: str,
    attributes: Mapping[str, Any],
    inputs: Sequence[Tensor | None],
    numOutputs: int | None,
) -> None:
    definition = entry.definition or schemas.definition(entry.opid)
    if definition is None:
        return
    who = f"{entry.opid} '{name}'" if name else str(entry.opid)
    given = [t and (t.id, t.info and t.info.dataType()) for t in inputs]
    try:
        definitions.check(who, definition, attributes, given, numOutputs)
    except (OperatorInputError, OperatorAttributeError) as error:
        if not is_library(entry.source):
            raise
        warnings.warn(
            f"{error} The definition that {entry.source} gives may be wrong.", stacklevel=3
        )


def createOpx(op: Op, devicex: Any) -> Opx:
    """Makes what lowers `op`: the Opx of whoever defined the operator, else the one registered
    last.

    Raises MissingOpxError if none is registered for the operator's identifier.
    """
    _sync()
    sources = _state.opxs.get(op.opid, {})
    entry = sources.get(op.source)
    if entry is None:
        built_in_only = list(sources) == [BUILT_IN]
        if is_library(op.source) and built_in_only and not _fits_libraries(sources[BUILT_IN]):
            raise MissingOpxError(
                f"{op.debugName()} is defined by {op.source}, which brings no Opx for {op.opid}; "
                f"the built-in one does not fit it. Register one by OpxCreator in that library."
            )
        if not sources:
            raise MissingOpxError(_missing_opx(op))
        entry = list(sources.values())[-1]
    return entry.opxClass(op, devicex)


def _fits_libraries(entry: OpxEntry) -> bool:
    return isinstance(entry.opxClass, type) and entry.opxClass.lowersLibraries


def _missing_opx(op: Op) -> str:
    same = [
        str(opid)
        for opid in _state.opxs
        if (opid.domain, opid.type) == (op.opid.domain, op.opid.type)
    ]
    others = f" One is registered for {', '.join(same)}." if same else ""
    return (
        f"{op.debugName()} cannot be lowered: no Opx is registered for {op.opid}.{others} "
        f"Register one by OpxCreator."
    )


@contextlib.contextmanager
def scoped() -> Generator[None]:
    """Undoes all registrations made within it when it ends."""
    global _state
    kept = _state
    _state = kept.copy()
    try:
        yield
    finally:
        _state = kept
