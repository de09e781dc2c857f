"""Programs of `tests/poplar/programs/arrays.hpp`: inputs and outputs are files of raw numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.toolchain import CACHED_CXX, popir_config, run

HEADERS = Path(__file__).parent / "poplar" / "programs"


def build(source: Path, folder: Path) -> Path:
    """The program of a source, with no warning, linked as Poplar's users do."""
    cflags, libs = popir_config("--cflags"), popir_config("--libs")
    binary = folder / source.stem
    words = [*CACHED_CXX, "-std=c++17", "-Wall", "-Werror", "-I", HEADERS, *cflags, source, *libs]
    run(*words, "-o", binary, cwd=folder)
    return binary


def results(
    binary: Path, part: str, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Runs a part of a program on the inputs. `outputs` gives the type and shape of each result."""
    folder = binary.parent
    for name, array in inputs.items():
        (folder / f"{name}.bin").write_bytes(np.ascontiguousarray(array).tobytes())
    run(binary, part, cwd=folder)
    return {
        name: np.fromfile(folder / f"{name}.bin", dtype).reshape(shape)
        for name, (dtype, shape) in outputs.items()
    }
