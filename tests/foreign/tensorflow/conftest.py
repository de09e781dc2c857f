"""Libraries for TensorFlow on the IPU, each built once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.popart.libraries import build
from tests.toolchain import PACKAGE

HERE = Path(__file__).parent
UserLibrary = Callable[..., str]
CONFIG = PACKAGE / "bin" / "popir-config"


@pytest.fixture(scope="session")
def user_library(tmp_path_factory: pytest.TempPathFactory) -> UserLibrary:
    """Gives the path of a library by the name of its source in this folder and its API level."""
    folder = tmp_path_factory.mktemp("user_ops")
    built: dict[str, str] = {}

    def get(name: str, level: int = 5) -> str:
        stem = f"{name}{level}"
        if stem not in built:
            text = (HERE / f"{name}.cpp").read_text()
            flags = (f"-DLEVEL={level}", "-Wno-unused-parameter")
            built[stem] = str(build(stem, folder, CONFIG, *flags, text=text))
        return built[stem]

    return get
