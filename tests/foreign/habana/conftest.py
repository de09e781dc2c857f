"""Libraries for Habana's accelerators, each built once."""

from pathlib import Path

import pytest

from popir import custom_ops

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def probes() -> Path:
    """The library of the kernels in this folder."""
    sources = [*sorted((HERE / "kernels").glob("*.c")), HERE / "probe_glue.cpp"]
    return custom_ops.build_kernel_library(sources, "popir_probes").library


@pytest.fixture
def kernels(probes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library, in GC_KERNEL_PATH."""
    monkeypatch.setenv("GC_KERNEL_PATH", str(probes))
    return probes


@pytest.fixture(scope="session")
def library() -> custom_ops.HpuLibrary:
    """The operators of operators.cpp."""
    return custom_ops.build_hpu_library(HERE / "operators.cpp", name="popir_hpu_operators")
