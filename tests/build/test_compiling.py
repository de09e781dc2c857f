"""The documented ways to compile an operator library, and how the results load."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

import popir
from tests.toolchain import (
    CXX,
    PACKAGE,
    ROOT,
    attempt,
    dynamic_section,
    popir_config,
    python,
    run,
)

STUB = Path(__file__).with_name("operator_stub.cpp")
SDK_LIBRARIES = ["popart", "poplar", "poplin", "popnn", "popops", "poputil", "poprand", "pva"]
# The command line of PopART's guide to custom operators, with our file names.
GUIDE = (
    f"{CXX} -std=c++14 -fPIC -O3 -DONNX_NAMESPACE=onnx {STUB} -shared "
    + " ".join("-l" + name for name in SDK_LIBRARIES)
    + " -o libstub.so"
)


def check_loads(library: Path, before: str = "import popir") -> None:
    """The library loads after `before` and shares the one libpopir of the process."""
    out = python(
        f"{before}\n"
        "import ctypes\n"
        f"stub = ctypes.cdll.LoadLibrary({str(library)!r})\n"
        "import popir\n"
        "stub.stubVersion.restype = ctypes.c_char_p\n"
        "stub.stubFloat.restype = ctypes.c_void_p\n"
        "print(stub.stubVersion().decode(), stub.stubFloatBytes())\n"
        "paths = {l.split()[-1] for l in open('/proc/self/maps') if 'libpopir.so' in l}\n"
        "print(*paths)\n",
        cwd=library.parent,
    )
    lines = out.splitlines()
    assert lines[0] == f"{popir.__version__} 4"
    assert lines[1] == str(PACKAGE / "lib" / "libpopir.so")


@pytest.fixture(scope="module")
def by_guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library built in a shell as the guide says."""
    folder = tmp_path_factory.mktemp("guide")
    run("bash", "-euc", f"source {PACKAGE}/enable.sh; {GUIDE}", cwd=folder)
    return folder / "libstub.so"


def test_folders_whose_names_a_shell_takes_apart(tmp_path: Path) -> None:
    place = tmp_path / "ünd (so) $x 'n' & more" / "popir"
    linked = ["lib", "include", "compat", "share"]
    ignored = shutil.ignore_patterns("__pycache__", *linked)
    shutil.copytree(PACKAGE, place, ignore=ignored, symlinks=True)
    for name in linked:
        (place / name).symlink_to(PACKAGE / name)
    config = place / "bin" / "popir-config"
    line = f'{CXX} -std=c++14 -fPIC -shared {STUB} $("$0" --cflags --libs) -o libstub.so'
    run("bash", "-euc", f'eval "{line}"', config, cwd=tmp_path)
    assert dynamic_section(tmp_path / "libstub.so")["RUNPATH"] == [f"{place}/lib"]
    environment = {"PYTHONPATH": str(place.parent), "POPIR_CACHE": str(tmp_path / "the cache")}
    new = [sys.executable, "-m", "popir", "new-op", "Square", "--cpp", "--codelet"]
    run(*new, cwd=tmp_path, env=environment)
    said = run(sys.executable, "test_square.py", cwd=tmp_path, env=environment)
    assert said == ""
    listed = ["popir", "ops", "--custom", "--op-library", "square.cpp"]
    assert "com.acme.Square" in run(sys.executable, "-m", *listed, cwd=tmp_path, env=environment)


def test_popir_config_compiles_and_the_result_finds_libpopir(tmp_path: Path) -> None:
    flags = popir_config("--cflags", "--libs")
    run(CXX, "-std=c++14", "-fPIC", "-shared", STUB, *flags, "-o", "libstub.so", cwd=tmp_path)
    check_loads(tmp_path / "libstub.so", before="")
    check_loads(tmp_path / "libstub.so")


def test_popir_config_makes_a_program(tmp_path: Path) -> None:
    source = tmp_path / "main.cpp"
    source.write_text("#include <popir/version.hpp>\n#include <iostream>\n"
                      "int main() { std::cout << popir_version(); }\n")  # fmt: skip
    run(CXX, source, *popir_config("--cflags", "--libs"), "-o", "main", cwd=tmp_path)
    assert run(tmp_path / "main", cwd=tmp_path) == popir.__version__


def test_popir_config_says_where_things_are() -> None:
    assert popir_config("--version") == [popir.__version__]
    assert popir_config("--includedir") == [str(PACKAGE / "include")]
    assert popir_config("--libdir") == [str(PACKAGE / "lib")]
    assert popir_config("--cmakedir") == [str(PACKAGE)]
    assert Path(popir_config("--enable")[0]).is_file()


@pytest.mark.parametrize("options", [[], ["--cflag"], ["--libs", "popart"]])
def test_popir_config_refuses_what_it_does_not_know(options: list[str]) -> None:
    result = attempt(PACKAGE / "bin" / "popir-config", *options, cwd=ROOT)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Usage: popir-config" in result.stderr
    if options:
        assert f"unknown option {options[-1]}" in result.stderr


def test_the_guides_command_line_works_as_it_stands(by_guide: Path) -> None:
    assert "libpopir.so" in dynamic_section(by_guide)["NEEDED"]
    check_loads(by_guide)


def test_the_guides_command_line_needs_enable(tmp_path: Path) -> None:
    assert attempt(*shlex.split(GUIDE), cwd=tmp_path).returncode != 0


def test_without_rpath_a_library_loads_only_after_popir(by_guide: Path) -> None:
    assert "RUNPATH" not in dynamic_section(by_guide)
    code = f"import ctypes; ctypes.cdll.LoadLibrary({str(by_guide)!r})"
    result = attempt(sys.executable, "-c", code, cwd=by_guide.parent)
    assert "libpopir.so: cannot open shared object file" in result.stderr


@pytest.fixture(scope="module")
def stub_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stub, compiled and not yet linked."""
    folder = tmp_path_factory.mktemp("stub")
    run(CXX, "-fPIC", "-c", STUB, f"-I{PACKAGE}/include", "-o", "stub.o", cwd=folder)
    return folder / "stub.o"


@pytest.mark.parametrize("name", SDK_LIBRARIES)
def test_each_linker_name_stands_for_libpopir(name: str, stub_object: Path, tmp_path: Path) -> None:
    flags = [f"-L{PACKAGE}/lib", f"-l{name}"]
    run(CXX, "-shared", stub_object, *flags, "-o", "libstub.so", cwd=tmp_path)
    needed = dynamic_section(tmp_path / "libstub.so")["NEEDED"]
    assert [n for n in needed if "pop" in n] == ["libpopir.so"]


def test_enable_refuses_a_shell_that_hides_its_place() -> None:
    result = attempt("sh", "-c", f". {PACKAGE}/enable.sh || echo refused", cwd=ROOT)
    assert result.stdout in ("refused\n", "")  # "" where sh is bash
    assert result.stdout == "" or "must be sourced in bash or zsh" in result.stderr


def cmake_project(folder: Path, package: str, target: str) -> None:
    """Write a project that builds the stub as users of the SDK do."""
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.12...3.31)\n"
        "project(operators LANGUAGES CXX)\n"
        f"find_package({package} REQUIRED)\n"
        f"add_library(stub SHARED {STUB})\n"
        f"target_link_libraries(stub PRIVATE {target})\n"
    )


@pytest.mark.parametrize(
    ("package", "target"),
    [
        ("popart 2.6", "popart"),
        ("popart COMPONENTS popart-only", "popart-only"),
        ("poplar", "poplar"),
        ("poplibs", "popops"),
    ],
)
def test_cmake_packages(package: str, target: str, tmp_path: Path) -> None:
    cmake_project(tmp_path, package, target)
    prefix = popir_config("--cmakedir")[0]
    run("cmake", ".", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=tmp_path)
    run("cmake", "--build", ".", "--verbose", cwd=tmp_path)
    check_loads(tmp_path / "libstub.so")
    flags = (tmp_path / "CMakeFiles/stub.dir/flags.make").read_text()
    assert ("ONNX_NAMESPACE=onnx" in flags) == target.startswith("popart")


def test_cmake_finds_popart_by_the_environment_of_enable(tmp_path: Path) -> None:
    cmake_project(tmp_path, "popart 2.6", "popart")
    run("bash", "-euc", f"source {PACKAGE}/enable.sh; cmake . && cmake --build .", cwd=tmp_path)
    check_loads(tmp_path / "libstub.so")


def test_cmake_refuses_a_version_that_is_not_there(tmp_path: Path) -> None:
    cmake_project(tmp_path, "popart 4.0", "popart")
    prefix = popir_config("--cmakedir")[0]
    result = attempt("cmake", ".", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=tmp_path)
    assert result.returncode != 0
    assert "popartConfig.cmake, version: 3.3.0" in result.stderr
