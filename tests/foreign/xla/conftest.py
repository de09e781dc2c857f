"""Libraries with targets of custom calls, built once."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

import popir
from popir import registry
from popir.foreign.xla import operator

HERE = Path(__file__).parent
FLAGS = ["-O0"]
"""Half the time of compiling; those of test_document.py are optimised."""


def jaxlib_headers() -> Path:
    """The folder with XLA's headers. Skips the test where jaxlib is not installed."""
    found = importlib.util.find_spec("jaxlib")
    folder = Path(found.origin).parent / "include" if found and found.origin else None
    if folder is None or not (folder / "xla" / "ffi" / "api" / "ffi.h").exists():
        pytest.skip("jaxlib is not installed, whose headers define XLA's typed FFI")
    return folder


@pytest.fixture(scope="module", autouse=True)
def operators() -> Iterator[None]:
    """Operators for targets, for these tests alone: others list what is registered."""
    operator.sync(again=True)
    yield
    operator.sync()
    ops = registry._state.ops  # pyright: ignore[reportPrivateUsage]
    for key in [key for key in ops if key[0].startswith(f"{operator.DOMAIN}.")]:
        del ops[key]


@pytest.fixture(scope="session")
def targets() -> popir.OpLibrary:
    """Untyped functions on the host."""
    return popir.build_op_library(HERE / "targets.cpp", name="xla_test_targets", flags=FLAGS)


@pytest.fixture(scope="session")
def device() -> popir.OpLibrary:
    """Functions that queue work on a stream."""
    return popir.build_op_library(HERE / "device.cu", name="xla_test_device", flags=FLAGS)


@pytest.fixture(scope="session")
def handlers() -> popir.OpLibrary:
    """Handlers of the typed interface, compiled with XLA's own headers."""
    flags = [*FLAGS, "-isystem", str(jaxlib_headers())]
    return popir.build_op_library(HERE / "handlers.cpp", name="xla_test_handlers", flags=flags)


@pytest.fixture(scope="session")
def programs() -> popir.OpLibrary:
    """Functions that build programs."""
    return popir.build_op_library(HERE / "programs.cpp", name="xla_test_programs", flags=FLAGS)
