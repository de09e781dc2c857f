"""What libpopir.so is: free of Python, complete beside its oneDNN, and safe on every x86-64."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.toolchain import CXX, PACKAGE, ROOT, dynamic_section, run

LIBPOPIR = PACKAGE / "lib" / "libpopir.so"
SYSTEM = r"lib(stdc\+\+|gcc_s|m|mvec|c|pthread)\.so\.\d+|ld-linux-x86-64\.so\.2"

# Words of AT&T syntax that only the wider instruction sets have.
AVX512 = re.compile(r"%zmm|%[xy]mm(?:1[6-9]|2\d|3[01])|%k[0-7]\b|%tmm")
AVX = re.compile(r"%ymm|\tv[a-z0-9]+ .*%xmm")


def functions(disassembly: str) -> Iterator[tuple[str, str]]:
    """Name and instructions of each function in objdump's output."""
    for part in re.split(r"\n(?=[0-9a-f]+ <)", disassembly):
        head, _, body = part.partition("\n")
        match = re.match(r"[0-9a-f]+ <(.+)>:", head)
        if match:
            yield match[1], body


def misplaced(disassembly: str) -> list[str]:
    """Functions that the linker may share although a smaller machine cannot run them.

    Those of an anonymous namespace belong to their file alone; of others, the name or a namespace
    around it must say the instruction set.
    """
    found = []
    for name, body in functions(disassembly):
        if "_GLOBAL__N_1" in name:
            continue
        if AVX512.search(body) and not re.search("avx512|amx", name, re.IGNORECASE):
            found.append(f"{name}: AVX-512")
        elif AVX.search(body) and not re.search("avx2|avx512|amx", name, re.IGNORECASE):
            found.append(f"{name}: AVX")
    return found


def disassemble(path: Path) -> str:
    return run("objdump", "-d", "--no-show-raw-insn", "-j", ".text", path, cwd=ROOT)


def test_wide_instructions_stay_in_their_files() -> None:
    assert misplaced(disassemble(LIBPOPIR)) == []


def test_a_misplaced_instruction_is_found(tmp_path: Path) -> None:
    source = tmp_path / "widths.cpp"
    source.write_text(
        "typedef float V __attribute__((vector_size(WIDTH)));\n"
        "namespace NAMESPACE { void twice(V* v) { *v += *v; } }\n"
    )
    texts = []
    for namespace, width, option in [
        ("own", 64, "avx512f"),
        ("avx512", 64, "avx512f"),
        ("mine", 32, "avx2"),
        ("avx2", 32, "avx2"),
        ("plain", 16, "sse2"),
    ]:
        target = tmp_path / f"{namespace}.o"
        macros = [f"-DWIDTH={width}", f"-DNAMESPACE={namespace}"]
        run(CXX, "-O2", f"-m{option}", *macros, "-c", source, "-o", target, cwd=tmp_path)
        texts += misplaced(disassemble(target))
    assert [re.sub(r"^_ZN\d+(\w+)5twice.*: ", r"\1: ", text) for text in texts] == [
        "own: AVX-512",
        "mine: AVX",
    ]


def test_libpopir_knows_no_python() -> None:
    undefined = run("nm", "-D", "--undefined-only", LIBPOPIR, cwd=ROOT)
    assert re.findall(r" U (_?Py\w+)", undefined) == []


def test_libpopir_needs_only_the_system_and_what_lies_beside_it() -> None:
    section = dynamic_section(LIBPOPIR)
    assert section["SONAME"] == ["libpopir.so"]
    assert section["RUNPATH"] == ["$ORIGIN"]
    others = [name for name in section["NEEDED"] if not re.fullmatch(SYSTEM, name)]
    assert set(others) <= {"libdnnl.so.3"}
    assert all((LIBPOPIR.parent / name).is_file() for name in others)


def test_onednn_runs_on_the_threads_of_libpopir() -> None:
    """It calls no OpenMP but libpopir's, which nothing else finds by OpenMP's names."""
    theirs = LIBPOPIR.parent / "libdnnl.so.3"
    assert not any("omp" in name for name in dynamic_section(theirs)["NEEDED"])
    undefined = run("nm", "-D", "--undefined-only", theirs, cwd=ROOT)
    called = set(re.findall(r" U (\w*(?:GOMP|omp)_\w+)", undefined))
    assert "popir_GOMP_parallel_start" in called
    defined = run("nm", "-D", "--defined-only", LIBPOPIR, cwd=ROOT)
    answered = set(re.findall(r" T (\w*(?:GOMP|omp)_\w+)", defined))
    assert called == answered
    assert all(name.startswith("popir_") for name in answered)


def test_the_extension_needs_libpopir_and_no_onednn() -> None:
    (extension,) = PACKAGE.glob("_device.*.so")
    section = dynamic_section(extension)
    assert "libpopir.so" in section["NEEDED"]
    assert section["RUNPATH"] == ["$ORIGIN/lib"]
    assert not any("dnnl" in name or "python" in name for name in section["NEEDED"])


def test_onednn_is_carried_once_with_its_licence() -> None:
    assert [p.name for p in (PACKAGE / "lib").glob("libdnnl*")] == ["libdnnl.so.3"]
    licences = PACKAGE / "share" / "licenses" / "onednn"
    assert "Apache License" in (licences / "LICENSE").read_text()
    assert (licences / "THIRD-PARTY-PROGRAMS").is_file()
    assert "renamed" in (licences / "CHANGES").read_text()
