"""The registry of operators (Op) and their lowerings (Opx), keyed by operator identifier.

An operator of a model is looked up by domain, type and the model's opset for the domain. The result
is the highest registered version that is not above the opset. Example: with Relu registered at
versions 6, 13 and 14, a model of opset 13 gets version 13.

An entry comes from popir itself ("built in"), from Python code ("python") or from a library. Rules
for an identifier that is already registered:

- A library may replace a built-in operator, except in the domain ai.graphcore.
- Python code may replace any operator, but only with `override=True`. A class that is defined again
  (same module and name) replaces its older definition without it.
- Two libraries cannot register the same identifier.

An operator is lowered by the Opx from the same source, if there is one. The operator of a library
is never lowered by a built-in Opx that is not written for it (`Opx.lowersLibraries`).
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
    """The arguments of a factory that makes an Op. PopART's class of this name.

    `attributes` has the values in the model, by name. `inputs` are in order, with None for one that
    is left out.
    """

    opid: OperatorIdentifier
    settings: Op.Settings
    attributes: Mapping[str, Any]
    inputs: Sequence[Tensor | None]
    outputs: Sequence[str] = ()
    """The ids of the outputs in the model; "" for one that is left out."""


@dataclass(frozen=True)
class OpEntry:
    """One registered operator: its class, definition and factory.

    `definition` is None if the OpCreator gave none; then the operator's schema takes its place.
    `isPublic` False hides it from listings.
    """

    opid: OperatorIdentifier
    opClass: type[Op]
    definition: OpDefinition | None
    factory: Callable[[OpCreatorInfo], Op]
    isPublic: bool
    source: str
    """Who registered it: "built in", "python", or the path of a library."""
    hasGradOps: bool = True
    """Whether its class overrides getGradOps(); if not, it has no gradient."""


@dataclass(frozen=True)
class OpxEntry:
    """One registered lowering: the Opx class for an operator identifier, and who registered it."""

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
"""Functions called before each look-up. They register operators that have become known since the
last one, such as those of a library just loaded.
"""

lock = ForkLock()
"""Held while libraries are loaded or their operators taken over: other threads' look-ups wait."""


loaders: dict[str, Callable[[str, Mapping[str, Any]], None]] = {}
"""By domain: a function that gets the type and the attributes of an operator that is not
registered. It may load the library that they name.
"""

ShapeFunction = Callable[
    [OperatorIdentifier, Mapping[int, TensorInfo], Mapping[str, Any], int],
    "list[TensorInfo | None] | None",
]
shape_functions: list[ShapeFunction] = []
"""Shape inference for operators that are not registered here.

Each function takes the identifier, the known infos of inputs by index, the attributes and the
number of outputs. It returns the info of each output, with None for one it does not know, or None
if it does not know the operator.
"""


def is_library(source: str) -> bool:
    """Whether `source` is the path of a library."""
    return source not in (BUILT_IN, PYTHON)


def register_op(entry: OpEntry, override: bool = False) -> None:
    """Registers an operator.

    Raises DuplicateOperatorError if the identifier is registered and must not be replaced.
    """
    versions = _state.ops.setdefault((entry.opid.domain, entry.opid.type), {})
    old = versions.get(entry.opid.version)
    if old is not None:
        _admit("operator", entry, old, override)
    versions[entry.opid.version] = entry


def register_opx(entry: OpxEntry, override: bool = False) -> None:
    """Registers a lowering.

    Raises DuplicateOperatorError if the identifier is registered and must not be replaced.
    """
    sources = _state.opxs.setdefault(entry.opid, {})
    for old in sources.values():
        _admit("Opx", entry, old, override)
    sources.pop(entry.source, None)
    sources[entry.source] = entry


def _admit(what: str, new: OpEntry | OpxEntry, old: OpEntry | OpxEntry, override: bool) -> None:
    if override or (new.source == old.source and is_library(new.source)):
        return
    if new.source == old.source == PYTHON and _is_redefined(_class(old), _class(new)):
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


def _is_redefined(old: object, new: object) -> bool:
    """Whether `new` is a later definition of the class `old`: same module, same qualified name.

    That happens if a notebook cell is run again or a module is reloaded. Lambdas and classes inside
    functions do not count.
    """
    names = [(getattr(c, "__module__", ""), getattr(c, "__qualname__", "<")) for c in (old, new)]
    return names[0] == names[1] and "<" not in names[0][1]


@typed
class OpCreator:
    """Registers an Op class when an object is made. PopART's `OpCreator`.

    Args:
        opClass: the class.
        definitions: one identifier, several, or a dict of identifiers to OpDefinitions.
        factory: makes the Op from an OpCreatorInfo. By default, `opClass` is called with
            identifier, settings and attributes.
        isPublic: False hides the operator from listings.
        override: True to replace a registered operator.
        source: who registers it; by default the class's own source.

    Raises DuplicateOperatorError if an identifier is registered already, `override` is False, and
    it is not an older definition of the same class; popart_exception for an argument of a wrong
    type.
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
    """Registers an Opx class, or a function that returns an Opx, when an object is made. PopART's
    `OpxCreator`.

    Args:
        opxClass: called with (operator, Devicex) when the operator is lowered.
        opid: one identifier or several.
        override: True to replace a registered lowering.
        source: who registers it; by default "built in" for modules of popir, else "python".

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
    """The registered versions of an operator, ascending; [] if it is unknown. The domain "" is
    ai.onnx.
    """
    _sync()
    return sorted(_state.ops.get((domain or "ai.onnx", type), ()))


def entries() -> list[OpEntry]:
    """All registered operators, sorted by domain, type and version."""
    _sync()
    found = [entry for by_version in _state.ops.values() for entry in by_version.values()]
    return sorted(found, key=lambda entry: entry.opid)


def opx_entries(opid: OperatorIdentifier | None = None) -> list[OpxEntry]:
    """All registered lowerings, or those of one operator, sorted by identifier and source."""
    _sync()
    of = _state.opxs.values() if opid is None else [_state.opxs.get(opid, {})]
    found = [entry for by_source in of for entry in by_source.values()]
    return sorted(found, key=lambda entry: (entry.opid, entry.source))


def has_library_opx(opid: OperatorIdentifier) -> bool:
    """Whether a library has registered a lowering for an operator."""
    return any(is_library(entry.source) for entry in opx_entries(opid))


def find(domain: str, type: str, opset: int) -> OpEntry:
    """The operator with the highest version that is not above `opset`, the model's opset for the
    domain.

    Raises UnknownOperatorError, which lists registered versions or similar names.
    """
    _sync()
    domain = domain or "ai.onnx"
    by_version = _state.ops.get((domain, type), {})
    # Most operators have one to five versions: no index would be faster than this.
    best = max((version for version in by_version if version <= opset), default=None)
    if best is None:
        raise UnknownOperatorError(_unknown(domain, type, opset))
    return by_version[best]


def registered(opid: OperatorIdentifier) -> OpEntry | None:
    """The operator with exactly that identifier; None if there is none."""
    _sync()
    return _state.ops.get((opid.domain, opid.type), {}).get(opid.version)


def load_for(domain: str, type: str, attributes: Mapping[str, Any]) -> None:
    """Loads the library that the attributes of an operator name, if it is not registered. Raises
    LibraryLoadError.
    """
    if domain in loaders and not versions(domain, type):
        loaders[domain](type, attributes)


def named(text: str) -> list[OpEntry]:
    """The versions of an operator, newest first, from text that a user has written.

    `text` is "Type" or "domain.Type"; ":VERSION" at the end selects one version. "Type" alone is
    the operator of ai.onnx, or of the only domain that has it. Raises UnknownOperatorError, which
    lists similar names.
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
    if opxs := [e for e in opx_entries() if (e.opid.domain, e.opid.type) == (domain, type)]:
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
    """Looks an operator up (see `find`), checks its arguments and makes it.

    `inputs` are in order, with None for one that is left out. `outputs` are their ids in the model,
    if known. Arguments are compared with the operator's OpDefinition or, if it has none, with its
    schema. Raises OperatorInputError or OperatorAttributeError for a mismatch; for an operator of a
    library, whose definition may be wrong, warns instead.

    The result is not connected, except if its factory adds several operators to the graph and
    connects them itself.
    """
    load_for(domain, type, attributes)
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
    kinds = definitions.kinds(inputs)
    if not attributes and (kinds, numOutputs) in definition.fitting:
        return
    who = f"{entry.opid} '{name}'" if name else str(entry.opid)
    given = [t and (t.id, t.info and t.info.dataType()) for t in inputs]
    tolerated = entry.opClass.withoutMeaning.keys() - definition.attributes.keys()
    meant = {name: value for name, value in attributes.items() if name not in tolerated}
    try:
        infos = [t and t.info for t in inputs]
        definitions.check(who, definition, meant, given, numOutputs, infos)
        definition.fitting.add((kinds, numOutputs))
    except (OperatorInputError, OperatorAttributeError) as error:
        if not is_library(entry.source):
            raise
        warnings.warn(
            f"{error} The definition that {entry.source} gives may be wrong.", stacklevel=3
        )


def createOpx(op: Op, devicex: Any) -> Opx:
    """Makes the Opx that lowers `op`: that of the operator's own source, else the one registered
    last.

    Raises MissingOpxError if no suitable Opx is registered for the operator's identifier.
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
    """Undoes all registrations made inside the `with` block at its end."""
    global _state
    kept = _state
    _state = kept.copy()
    try:
        yield
    finally:
        _state = kept
