"""Operator libraries for the tests of popart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.popart.libraries import build
from tests.toolchain import PACKAGE

Library = Callable[[str], str]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Gives the path of a library by the name of its source; each is built once."""
    folder = tmp_path_factory.mktemp("libraries")
    built: dict[str, Path] = {}

    def get(name: str) -> str:
        if name not in built:
            built[name] = build(name, folder, PACKAGE / "bin" / "popir-config")
        return str(built[name])

    return get
