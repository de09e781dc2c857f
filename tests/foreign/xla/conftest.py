"""Libraries with targets of custom calls, built once."""

import importlib.util
from pathlib import Path

import pytest

import popir

HERE = Path(__file__).parent


def jaxlib_headers() -> Path:
    """The folder with XLA's headers. Skips the test where jaxlib is not installed."""
    found = importlib.util.find_spec("jaxlib")
    folder = Path(found.origin).parent / "include" if found and found.origin else None
    if folder is None or not (folder / "xla" / "ffi" / "api" / "ffi.h").exists():
        pytest.skip("jaxlib is not installed, whose headers define XLA's typed FFI")
    return folder


@pytest.fixture(scope="session")
def targets() -> popir.OpLibrary:
    """Untyped functions on the host."""
    return popir.build_op_library(HERE / "targets.cpp", name="xla_test_targets")


@pytest.fixture(scope="session")
def device() -> popir.OpLibrary:
    """Functions that queue work on a stream."""
    return popir.build_op_library(HERE / "device.cu", name="xla_test_device")


@pytest.fixture(scope="session")
def handlers() -> popir.OpLibrary:
    """Handlers of the typed interface, compiled with XLA's own headers."""
    flags = ["-isystem", str(jaxlib_headers())]
    return popir.build_op_library(HERE / "handlers.cpp", name="xla_test_handlers", flags=flags)


@pytest.fixture(scope="session")
def programs() -> popir.OpLibrary:
    """Functions that build programs."""
    return popir.build_op_library(HERE / "programs.cpp", name="xla_test_programs")
