"""How much of ONNX's and PopART's operators there is: `popir ops --coverage`, docs/operators.md."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from popir import host, registry
from popir.cli.catalogue import has_gradient
from popir.ir import Op
from popir.onnxio import bodies, schemas, sequences

WAYS = {
    "kernel": "a lowering of its own",
    "operators": "consists of other operators, which stand in the graph in its place",
    "function": "expanded by the function that ONNX defines it by; runs if the operators in it do",
    "host": "runs on the host, between device programs (docs/segments.md)",
    "import": "resolved when the model is read: a constant, or a sequence taken apart",
    "missing": "a model that has it is refused",
}
"""How an operator is run, and what that means."""


@dataclass(frozen=True)
class Coverage:
    """One operator that has a schema, at its newest version."""

    domain: str
    type: str
    version: int
    """The newest in the schemas."""
    how: str
    """A key of WAYS."""
    gradient: bool | None
    """Whether it has one; None if that depends on the operators it consists of."""
    missing: tuple[int, ...] = ()
    """Versions from opset 6 on that are not registered, and stand in no function."""

    @property
    def name(self) -> str:
        """Domain and type as one word, such as "ai.onnx.Relu"."""
        return f"{self.domain}.{self.type}"


def coverage(domains: Collection[str] = ()) -> list[Coverage]:
    """All operators of these domains, by default of all that have schemas, by name."""
    found = [
        _of(domain, type)
        for domain in sorted(domains or schemas.domains())
        for type in sorted(schemas.names(domain))
    ]
    return [each for each in found if each is not None]


def _of(domain: str, type: str) -> Coverage | None:
    versions = schemas.versions(domain, type)
    version = versions[-1]
    known = registry.versions(domain, type)
    if known:
        entry = registry.find(domain, type, version) if known[0] <= version else None
        if entry is None or not entry.isPublic:
            return None
        lost = tuple(v for v in _needed(domain, versions) if v not in known)
        lowered = any(opx.opid == entry.opid for opx in registry.opx_entries())
        if entry.opClass.expand is not Op.expand and not lowered:
            return Coverage(domain, type, version, "operators", has_gradient(entry), lost)
        return Coverage(domain, type, version, "kernel", has_gradient(entry), lost)
    if domain == "ai.onnx" and type in {"Constant", *sequences.resolved()}:
        return Coverage(domain, type, version, "import", None)
    if bodies.has_body(domain, type, version):
        return Coverage(domain, type, version, "function", None)
    on_host = host.versions(domain, type)
    if on_host:
        lost = tuple(v for v in _needed(domain, versions) if v not in on_host)
        return Coverage(domain, type, version, "host", False, lost)
    return Coverage(domain, type, version, "missing", False)


def _needed(domain: str, versions: Collection[int]) -> list[int]:
    """The versions of an operator that popir's models may have."""
    return [v for v in versions if domain != "ai.onnx" or v >= _first(versions)]


def _first(versions: Collection[int]) -> int:
    """The version in force at the oldest opset that popir reads."""
    return max((v for v in versions if v <= schemas.OLDEST_OPSET), default=0)


def cells(row: Coverage) -> list[str]:
    """A row of the table: operator, version, how, gradient, missing versions."""
    gradient = {True: "yes", False: "none", None: "-"}[row.gradient]
    return [
        row.name,
        str(row.version),
        row.how,
        gradient,
        ", ".join(map(str, row.missing)) or "-",
    ]
