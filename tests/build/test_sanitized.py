"""The build with AddressSanitizer: it runs, and it sees faults in an operator library."""

import sys
from pathlib import Path

from tests.toolchain import CXX, attempt, run

FAULTY = """
#include <popir/version.hpp>
extern "C" int past(int i) { int* p = new int[4](); int v = p[i]; delete[] p; return v; }
const char* used() { return popir_version(); }
"""


def test_a_fault_in_an_operator_library_is_reported(sanitized, tmp_path: Path) -> None:
    (tmp_path / "faulty.cpp").write_text(FAULTY)
    config = Path(sanitized["PYTHONPATH"]) / "popir" / "bin" / "popir-config"
    flags = run(config, "--cflags", "--libs", cwd=tmp_path).split()
    options = ["-g", "-fsanitize=address", "-fPIC", "-shared"]
    run(CXX, *options, "faulty.cpp", *flags, "-o", "libfaulty.so", cwd=tmp_path)

    code = "import popir._device, ctypes; print(ctypes.CDLL('./libfaulty.so').past({}))"
    good = run(sys.executable, "-c", code.format(3), cwd=tmp_path, env=sanitized)
    assert good == "0\n"
    bad = attempt(sys.executable, "-c", code.format(4), cwd=tmp_path, env=sanitized)
    assert bad.returncode != 0
    assert "heap-buffer-overflow" in bad.stderr
    assert "faulty.cpp:3" in bad.stderr
