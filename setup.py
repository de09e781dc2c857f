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
# What ninja says of an object; that of a folder that compiles as one is Unity/unity_NAME_cxx.cxx.o.
COMPILED = re.compile(
    r"\[(\d+)/(\d+)\] Building CXX object .+?\.dir/(?:Unity/unity_)?(.+?)(?:_cxx\.cxx)?\.o$"
)


class FreshBuild(build):
    """A build whose copy of the package holds nothing of an earlier one."""

    def run(self) -> None:
        """Remove the last copy, then build."""
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class CMakeBuild(build_ext):
    """Configures anew, since the last cache names a build environment that is gone, and compiles
    what changed, each folder as one file (see cpp/cmake/Library.cmake).
    """

    def run(self) -> None:
        """Configure, compile and install into the package."""
        package = ROOT / "popir" if self.inplace else Path(self.build_lib).resolve() / "popir"
        programs = Path(cmake.CMAKE_BIN_DIR)
        configure = [
            str(programs / "cmake"),
            *("-S", str(ROOT / "cpp")),
            *("-B", str(BUILD)),
            *("-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={Path(ninja.BIN_DIR) / 'ninja'}",
            f"-DCMAKE_INSTALL_PREFIX={package}",
            f"-DPython_EXECUTABLE={sys.executable}",
            "-DCMAKE_UNITY_BUILD=ON",
            "-DCMAKE_INSTALL_MESSAGE=NEVER",
        ]
        if shutil.which("ccache") and "CMAKE_CXX_COMPILER_LAUNCHER" not in os.environ:
            configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        configure += OPTIONS
        compile_ = [configure[0], "--build", str(BUILD), "--target", "install"]
        compile_ += ["--parallel", str(len(os.sched_getaffinity(0)))]

        env = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1", **os.environ}
        # What `--fresh` forgets, but the objects, whose command lines name nothing of the last
        # build environment.
        for known in [BUILD / "CMakeCache.txt", *BUILD.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")]:
            known.unlink(missing_ok=True)
        subprocess.run(configure, check=True, env=env)
        with subprocess.Popen(compile_, stdout=subprocess.PIPE, text=True, env=env) as process:
            for line in process.stdout or ():
                print(COMPILED.sub(r"compiled \1 of \2: \3", line), end="", flush=True)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, compile_)


setup(
    ext_modules=[Extension("popir._device", sources=[])],
    cmdclass={"build": FreshBuild, "build_ext": CMakeBuild},
)
