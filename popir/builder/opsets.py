"""Which version of each operator domain a model is written in, and which versions of operators that
means.
"""

from __future__ import annotations

from popir import registry
from popir.errors import OpsetVersionError, UnknownOperatorError
from popir.onnxio import schemas
from popir.onnxio.schema_text import Schema

_DEFAULTS = {"ai.onnx": schemas.DEFAULT_OPSET}


class Opsets:
    """The versions of a model's domains, each set once, and the custom operators that they must
    suit.
    """

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}
        self._custom: dict[tuple[str, str], int] = {}

    def pin(self, domain: str, version: int | None = None) -> int:
        """The version of the domain; sets it, to a default if need be, unless it is set.

        Raises OpsetVersionError if it is set to another one, or is not known to popir.
        """
        pinned = self.versions.get(domain)
        if pinned is not None and version in (None, pinned):
            return pinned
        if pinned is not None:
            raise OpsetVersionError(
                f"Invalid opset {version} selected. Opset for domain {domain} already defined as "
                f"{pinned}."
            )
        version = version or _DEFAULTS.get(domain, 1)
        if domain == "ai.onnx" and not (schemas.OLDEST_OPSET <= version <= schemas.NEWEST_OPSET):
            raise OpsetVersionError(
                f"Invalid opset {version} selected. popir knows the opsets {schemas.OLDEST_OPSET} "
                f"to {schemas.NEWEST_OPSET} of ai.onnx."
            )
        self.versions[domain] = version
        return version

    def custom(self, domain: str, type: str, version: int) -> Schema | None:
        """The schema of a custom operator, None if it has none, once its version is found to be in
        force.

        In ONNX's own domains the opset stays as it is. In others it is raised where the operator
        needs it, as long as the operators before keep their versions. Raises OpsetVersionError
        otherwise.
        """
        if domain.startswith("ai.onnx"):
            self._check_standard(domain, type, version)
        else:
            self._raise(domain, type, version)
        return schemas.find(domain, type, self.versions[domain])

    def _check_standard(self, domain: str, type: str, version: int) -> None:
        opset = self.pin(domain)
        known = schemas.versions(domain, type) or registry.versions(domain, type)
        in_force = max((each for each in known if each <= opset), default=None)
        if in_force != version and (known or version > opset):
            there = f"version {in_force} is" if in_force else "no version is"
            raise OpsetVersionError(
                f"{type}: version {version} is not in force at opset {opset} of {domain}, in which "
                f"the model is written; {there}. opVersion does not change the opset: pass the "
                f"version in force, or choose another opset before the first operator."
            )

    def _raise(self, domain: str, type: str, version: int) -> None:
        opset = max(version, self.versions.get(domain, version))
        asked = {(domain, type): version, **self._custom}
        if asked[domain, type] != version:
            raise OpsetVersionError(
                f"{type}: the model has version {asked[domain, type]} of this operator already; "
                f"version {version} cannot stand beside it."
            )
        for (_, name), wanted in ((key, asked[key]) for key in asked if key[0] == domain):
            known = [each for each in registry.versions(domain, name) if each <= opset]
            if max(known, default=wanted) != wanted:
                raise OpsetVersionError(
                    f"{name}: version {wanted} is not in force at version {opset} of the domain "
                    f"{domain}, which {type}:{version} needs; version {max(known)} is."
                )
        self._custom[domain, type] = version
        self.versions[domain] = opset

    def shadowed(self, domain: str, type: str) -> bool:
        """Whether a library's operator stands in the place of the one that the schema describes."""
        try:
            return registry.is_library(registry.find(domain, type, self.versions[domain]).source)
        except UnknownOperatorError:
            return False
