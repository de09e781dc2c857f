"""Drives CMake for the C++ half; everything else about the package is in pyproject.toml.

The CMake project installs straight into the package folder: into the build's copy for a wheel, into
this source tree for an editable install.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import cmake
import ninja
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
OPTIONS = shlex.split(os.environ.get("CMAKE_ARGS", ""))
# One build folder for each Python and choice of options, so that none makes another compile again.
KEY = [sysconfig.get_config_var("SOABI"), *(re.sub(r"\W+", "_", o) for o in OPTIONS)]
BUILD = ROOT / "build" / "-".join(["cmake", *KEY])


class FreshBuild(build):
    """A build whose copy of the package holds nothing of an earlier one."""

    def run(self) -> None:
        """Remove the last copy, then build."""
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class CMakeBuild(build_ext):
    """Configures anew, since the last cache names a build environment that is gone."""

    def run(self) -> None:
        """Configure, compile and install into the package."""
        package = ROOT / "popir" if self.inplace else Path(self.build_lib).resolve() / "popir"
        programs = Path(cmake.CMAKE_BIN_DIR)
        configure = [
            str(programs / "cmake"),
            "--fresh",
            *("-S", str(ROOT / "cpp")),
            *("-B", str(BUILD)),
            *("-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={Path(ninja.BIN_DIR) / 'ninja'}",
            f"-DCMAKE_INSTALL_PREFIX={package}",
            f"-DPython_EXECUTABLE={sys.executable}",
        ]
        if shutil.which("ccache") and "CMAKE_CXX_COMPILER_LAUNCHER" not in os.environ:
            configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        configure += OPTIONS
        compile_ = [configure[0], "--build", str(BUILD), "--target", "install"]
        compile_ += ["--parallel", str(len(os.sched_getaffinity(0)))]

        environment = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1", **os.environ}
        subprocess.run(configure, check=True, env=environment)
        subprocess.run(compile_, check=True, env=environment)


setup(
    ext_modules=[Extension("popir._device", sources=[])],
    cmdclass={"build": FreshBuild, "build_ext": CMakeBuild},
)
