"""The wheel: what it carries, that it works away from the source tree, and what building it again
compiles.

It is built in the tree that already holds an editable or developer's build, as users do.
"""

import os
import re
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import popir
from tests.packages import build, install, plain_build
from tests.toolchain import CXX, ROOT, run

LIBRARIES = (
    "popir popart poplar poplin popnn popops poprand poputil gcl gcl_ct pva pvti popfloat "
    "popsparse popsys"
).split()
CARRIED = {
    *(f"lib/lib{name}.so" for name in LIBRARIES),
    *(f"lib/cmake/{name}/{name}Config.cmake" for name in ["popart", "poplar", "poplibs"]),
    *(f"lib/cmake/{name}/{name}ConfigVersion.cmake" for name in ["popart", "poplar", "poplibs"]),
    "lib/cmake/popir/popirTargets.cmake",
    "lib/libdnnl.so.3",
    "lib/libpopir_python{}.{}.so".format(*sys.version_info),
    "share/licenses/onednn/LICENSE",
    "share/licenses/onednn/THIRD-PARTY-PROGRAMS",
    "share/licenses/onednn/CHANGES",
    "bin/popc",
    "bin/popir-config",
    "compat/vector",
    "enable.sh",
}


COMPILED = re.compile(r"compiled \d+ of \d+: (.+)")
CHANGED = ROOT / "cpp" / "version.cpp"


@pytest.fixture(scope="module")
def after_a_change(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What building a tree that was built compiles when one file has changed."""
    for _ in range(2):  # the first may be this tree's first
        said = build(tmp_path_factory.mktemp("changed"), "-v", changed=CHANGED)
        if (found := COMPILED.findall(said)) == [CHANGED.name]:
            break
    return found


@pytest.fixture(scope="module")
def last(after_a_change: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The wheel of this tree, and what is said of a build after which nothing has changed."""
    folder = tmp_path_factory.mktemp("wheel")
    said = build(folder, "-v")
    (path,) = folder.glob("*.whl")
    return path, said


@pytest.fixture(scope="module")
def wheel(last: tuple[Path, str]) -> Path:
    """The wheel of this tree."""
    return last[0]


def below(folder: str, under: str) -> set[str]:
    """Files of the source tree below `folder`, as they should be named in the package."""
    listing = run("git", "ls-files", "-co", "--exclude-standard", folder, cwd=ROOT).splitlines()
    return {under + name.removeprefix(folder) for name in listing if (ROOT / name).is_file()}


def test_the_wheel_carries_everything_once(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name for name in names if ".dist-info/" not in name}
    extensions = {name for name in inside if name.startswith("popir/_device.") and ".so" in name}
    assert len(extensions) == 1
    expected = below("popir/", "popir/") | extensions
    expected |= below("cpp/include/", "popir/include/") | below("schemas/", "popir/share/schemas/")
    expected |= {"popir/" + name for name in CARRIED}
    assert inside == expected
    assert len(names) == len(set(names))


def test_the_wheel_works_without_the_tree(wheel: Path, tmp_path: Path) -> None:
    site = install(wheel, tmp_path)
    env = {"PYTHONPATH": str(site)}
    code = "import popir, popir._device; print(popir.__version__, popir.__file__)"
    out = run(sys.executable, "-c", code, cwd=tmp_path, env=env).split()
    assert out == [popir.__version__, str(site / "popir" / "__init__.py")]

    command = [sys.executable, site / "bin" / "popir", "--version"]
    assert run(*command, cwd=tmp_path, env=env) == f"popir {popir.__version__}\n"

    config = [sys.executable, site / "bin" / "popir-config", "--cflags", "--libs"]
    flags = run(*config, cwd=tmp_path, env=env)
    assert str(ROOT) not in flags
    stub = Path(__file__).with_name("operator_stub.cpp")
    run(CXX, "-fPIC", "-shared", stub, *flags.split(), "-o", "libstub.so", cwd=tmp_path)
    load = f"import ctypes; ctypes.CDLL({str(tmp_path / 'libstub.so')!r})"
    run(sys.executable, "-c", load, cwd=tmp_path)

    program = ROOT / "tests" / "cpp_sessions" / "features.cpp"
    run(CXX, "-std=c++17", program, *flags.split(), "-pthread", "-o", "program", cwd=tmp_path)
    found = {**env, "POPIR_PYTHON": sys.executable}
    assert run("./program", "loop", cwd=tmp_path, env=found) == "8 16\n"


def test_a_second_build_compiles_what_changed_and_says_so(
    after_a_change: list[str], last: tuple[Path, str]
) -> None:
    assert after_a_change == [CHANGED.name]
    assert COMPILED.findall(last[1]) == []


def test_objects_of_a_plain_build_are_taken_while_nothing_of_theirs_is_newer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.packages.ROOT", tmp_path)
    monkeypatch.setenv("CMAKE_ARGS", "-DPOPIR_WERROR=ON")
    name = f"cmake-{sysconfig.get_config_var('SOABI')}-_DPOPIR_WERROR_ON"
    files = ["cpp/loops.inc", "cpp/other.cpp", "cpp/sums_avx2.cpp"]
    made = f"build/{name}/CMakeFiles/popir_hot.dir/sums_avx2.cpp.o"
    for time, file in enumerate([*files, made]):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
        os.utime(tmp_path / file, (time, time))
    assert plain_build() == tmp_path / "build" / name
    os.utime(tmp_path / "cpp/other.cpp", (9, 9))
    assert plain_build() == tmp_path / "build" / name
    for file in ("cpp/loops.inc", "cpp/sums_avx2.cpp"):
        os.utime(tmp_path / file, (9, 9))
        assert plain_build() is None
        os.utime(tmp_path / file, (0, 0))
    (tmp_path / made).unlink()
    assert plain_build() is None
