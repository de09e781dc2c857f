"""The opset of each operator domain in a model, and the operator versions that it implies."""

from __future__ import annotations

from collections.abc import Collection

from popir import registry
from popir.errors import OpsetVersionError, UnknownOperatorError
from popir.onnxio import schemas
from popir.onnxio.schema_text import Schema

_DEFAULTS = {"ai.onnx": schemas.DEFAULT_OPSET}


class Opsets:
    """The opsets of a model's domains, and the custom operators that they must allow."""

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}
        self._custom: dict[tuple[str, str], int] = {}

    def pin(self, domain: str, version: int | None = None) -> int:
        """The opset of the domain. The first call sets it, to `version` or a default.

        Raises OpsetVersionError if it is set to another version, or is not known to popir.
        """
        pinned = self.versions.get(domain)
        if pinned is not None and version in (None, pinned):
            return pinned
        if pinned is not None:
            what = f"'aiOnnxOpset{version}'" if domain == "ai.onnx" else str(version)
            raise OpsetVersionError(
                f"Invalid opset {what} selected. Opset for domain {domain} already defined as "
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
        """Checks that the version of a custom operator is possible, and returns its schema, or None
        without one.

        In ONNX's domains the opset is not changed. In others it is raised if the operator needs
        that, and if all operators added before keep their versions. Raises OpsetVersionError
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

    def tolerated(self, domain: str, type: str) -> Collection[str]:
        """The attributes that the operator takes and that have no meaning here."""
        try:
            return registry.find(domain, type, self.versions[domain]).opClass.withoutMeaning
        except UnknownOperatorError:
            return ()

    def shadowed(self, domain: str, type: str) -> bool:
        """Whether a library has replaced the operator that the schema describes."""
        try:
            return registry.is_library(registry.find(domain, type, self.versions[domain]).source)
        except UnknownOperatorError:
            return False
