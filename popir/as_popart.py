"""Runs programs that were written for PopART: in their process, `import popart` is popir.

    python -m popir.as_popart SCRIPT [ARGUMENTS]
    python -m popir.as_popart -m MODULE [ARGUMENTS]
    python -m popir.as_popart -c CODE [ARGUMENTS]
    pytest -p popir.as_popart

`popir.as_popart.install()` does the same within a program. A name of PopART's that popir does not
have raises an AttributeError, or an ImportError, that says so.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import runpy
import sys
import types
from collections.abc import Sequence
from typing import Any

from popir.builder.core import name_as_popart
from popir.definitions import indices_as_popart
from popir.errors import did_you_mean
from popir.onnxio.proto import write_as_popart
from popir.version import POPART

_popir: Any = importlib.import_module("popir")

_MODULES = {
    "popart.builder": "popir.builder",
    "popart.session": "popir.session",
    "popart.tensorinfo": "popir.types",
    "popart_core": "popir",
}
"""Modules of PopART's that programs import, and those of popir that have their names."""

_INSTANCES = {"popdist": "popir.popdist", "popdist.popart": "popir.popdist"}
"""The same for a package that a program may have from elsewhere."""

_ABSENT = {
    "popxl": "PopXL, PopART's second interface in Python, builds graphs directly",
    "popxl_addons": "it is an addition to PopXL",
    "popart._internal": "it binds PopART's compiler to Python, which PopXL and its tests use",
    "popart.ir": "it is PopXL's former name",
}
"""Modules of PopART's that popir has nothing for, with what they are."""

_USAGE = "usage: python -m popir.as_popart (SCRIPT | -m MODULE | -c CODE) [ARGUMENTS]"


class _Popart(types.ModuleType):
    """The module `popart`: popir's public names, and the version of PopART that they follow."""

    __version__ = ".".join(map(str, POPART))

    def __getattr__(self, name: str) -> Any:
        if name in _popir.__all__:
            return getattr(_popir, name)
        if f"popart.{name}" in _MODULES:
            return importlib.import_module(f"popart.{name}")
        if f"popart.{name}" in _ABSENT:
            raise AttributeError(_absent(f"popart.{name}"), name=name, obj=None)
        raise AttributeError(
            f"popir, which stands for popart here, has no '{name}'."
            f"{did_you_mean(name, _popir.__all__)}",
            name=name,
            obj=None,
        )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_popir.__all__, "builder", "session", "tensorinfo"})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of `popart`, and refuses those that popir has nothing for."""

    def find_spec(
        self, fullname: str, _path: Any = None, _target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module of PopART's; None for other modules.

        Raises ModuleNotFoundError, with the reason, for one that popir has nothing for.
        """
        if fullname == "popart" or fullname in _MODULES:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=fullname == "popart")
        if fullname.startswith("popart."):
            raise ModuleNotFoundError(_absent(fullname), name=fullname)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The module: popir's own, or `popart`."""
        if source := _MODULES.get(spec.name) or _INSTANCES.get(spec.name):
            return _Alias(spec.name, source)
        return _Popart(spec.name, _popir.__doc__)

    def exec_module(self, module: types.ModuleType) -> None:
        """Does nothing: the names come from popir when they are asked for."""


class _Refuser(importlib.abc.MetaPathFinder):
    """Finds popdist, and says what a module of PopART's is that popir has nothing for, if nobody
    else has it.
    """

    def find_spec(
        self, fullname: str, _path: Any = None, _target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of popdist; None for other modules. Raises ModuleNotFoundError for one that
        popir has nothing for.
        """
        if fullname in _INSTANCES:
            is_package = fullname == "popdist"
            return importlib.machinery.ModuleSpec(fullname, _Finder(), is_package=is_package)
        if _known_absent(fullname):
            raise ModuleNotFoundError(_absent(fullname), name=fullname)
        return None


class _Alias(types.ModuleType):
    """A module of PopART's with the names of one of popir's."""

    def __init__(self, name: str, source: str) -> None:
        super().__init__(name)
        self._source = importlib.import_module(source)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def __dir__(self) -> list[str]:
        return dir(self._source)


def _known_absent(name: str) -> str | None:
    """The module in `_ABSENT` that `name` is, or is part of."""
    return next((each for each in _ABSENT if f"{name}.".startswith(f"{each}.")), None)


def _absent(name: str) -> str:
    known = _known_absent(name)
    what = f": {_ABSENT[known]}" if known else ""
    return f"popir, which stands for popart here, has no module '{name}'{what}."


def install() -> None:
    """Makes popir what `import popart` finds in this process, and lets it write the numbers of
    weights to the fields of models that PopART writes them to, give results PopART's ids, and
    indices (`popir.definitions.INDEX_OUTPUTS`) PopART's type. A second call changes nothing.
    """
    write_as_popart()
    name_as_popart()
    indices_as_popart()
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
        sys.meta_path.append(_Refuser())


def pytest_addoption() -> None:
    """The plugin's entry: pytest calls it before it imports any conftest.py."""
    install()


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a program as `python` would, with popir in the place of popart. `arguments` are those of
    the command line, without the command.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(_USAGE)
        sys.exit(0 if given else 2)
    is_text = given[0] in ("-m", "-c")
    if is_text and len(given) < 2:
        sys.exit(f"{given[0]} takes an argument.\n{_USAGE}")
    if given[0].startswith("-") and not is_text:
        sys.exit(f"There is no option {given[0]}.\n{_USAGE}")
    install()
    if given[0] == "-m":
        sys.argv, sys.path[0] = given[1:], ""
        runpy.run_module(given[1], run_name="__main__", alter_sys=True)
    elif given[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *given[2:]], ""
        program = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(given[1], "<string>", "exec"), program.__dict__)
    else:
        script = os.path.abspath(given[0])
        sys.argv, sys.path[0] = given, os.path.dirname(script)
        runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
