"""Writes the stubs of the extension, popir/_device/*.pyi: `python -m tools.device_stubs`.

They are pybind11-stubgen's, made of the signatures and docstrings that the extension has, and
formatted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = Path("popir") / "_device"

_OPTIONS = [
    "--exit-code",  # fails for a type or a default that Python does not know
    *("--enum-class-locations", "TensorCloneMethod:popir._device.poplar"),
    *("--print-safe-value-reprs", r"SlicePlan\(\)"),
]
_MENDED = [
    # A method's own object: where others convert to its class, and program.Sequence, which the
    # tool takes for typing's.
    (r"\bself: [\w.]+( \| [\w.]+(\[[^]]*\])?)*", "self"),
    # Where a module has one of its own.
    ("__all__: list = ", "__all__: list[str] = "),
]


def write(root: Path) -> None:
    """Writes `root`/popir/_device, in place of what is there.

    CalledProcessError, after the tool's words, for a signature that no Python code could have.
    """
    with tempfile.TemporaryDirectory() as made:
        _run("pybind11_stubgen", "popir._device", *_OPTIONS, "--output-dir", made)
        for file in Path(made).rglob("*.pyi"):
            text = file.read_text()
            for old, new in _MENDED:
                text = re.sub(old, new, text)
            file.write_text(text)
        _run("ruff", "format", "--quiet", "--config", str(ROOT / "pyproject.toml"), made)
        shutil.rmtree(root / FOLDER, ignore_errors=True)
        shutil.copytree(Path(made) / FOLDER, root / FOLDER)


def _run(module: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    write(ROOT)
