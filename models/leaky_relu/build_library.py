"""Compiles the operator library, by the command line of PopART's custom-operator guide."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import popir

SOURCE = Path(__file__).with_name("leaky_relu_custom_op.cpp")


def build(folder: Path) -> Path:
    """Compiles the library into `folder` and returns its path. The compiler is $CXX, or g++.

    Raises CalledProcessError if the compiler finds fault; what it says is on stderr.
    """
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "libleaky_relu_custom_op.so"
    config = Path(popir.__file__).parent / "bin" / "popir-config"
    flags = [
        shlex.split(
            subprocess.run([config, option], check=True, capture_output=True, text=True).stdout
        )
        for option in ("--cflags", "--libs")
    ]
    command = [
        *shlex.split(os.environ.get("CXX", "g++")),
        *("-std=c++14", "-fPIC", "-O3", "-DONNX_NAMESPACE=onnx"),
        *flags[0],
        str(SOURCE),
        *("-shared", *flags[1]),
        *("-o", str(library)),
    ]
    subprocess.run(command, check=True)
    return library
