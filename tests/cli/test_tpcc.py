"""`popir tpcc`."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.test_build_op import popir

HERE = Path(__file__).parents[1] / "foreign" / "habana"


def test_a_library_of_kernels(tmp_path: Path) -> None:
    sources = [*sorted((HERE / "kernels").glob("*.c")), HERE / "probe_glue.cpp"]
    out, _ = popir("tpcc", *sources, "--name", "probes", cwd=tmp_path)
    wrote, kernels = out.splitlines()
    assert wrote == "wrote libprobes.so" and (tmp_path / "libprobes.so").is_file()
    assert kernels.startswith("kernels: probe_affine_f32, probe_code_f32, ")
    words = ["--name", "other", "-o", "x.so", "--ldflag=-Wl,-soname,x", "--json"]
    found = json.loads(popir("tpcc", *sources, *words, cwd=tmp_path)[0])
    assert found["library"] == "x.so" and found["object"] is None
    assert "probe_sum_f32" in found["kernels"]


def test_one_kernel(tmp_path: Path) -> None:
    source = tmp_path / "k.c"
    source.write_text(
        "#ifndef __gaudi2__\n#error not Gaudi 2\n#endif\nvoid main(tensor x, TYPE y) {}\n"
    )
    words = [source, "--tpc", "gaudi2", "--flag=-DTYPE=tensor"]
    assert popir("tpcc", *words, cwd=tmp_path)[0] == "wrote k.o\n"
    assert (tmp_path / "k.o").read_bytes()[:4] == b"\x7fELF"
    found = json.loads(popir("tpcc", *words, "--output", "l.o", "--json", cwd=tmp_path)[0])
    assert found["object"] == "l.o"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("void main(tensor x) { v_none(x); }\n", "The TPC-C kernel '.*k.c' does not compile"),
        ("#error not this\n", "not this"),
    ],
)
def test_what_does_not_compile(tmp_path: Path, text: str, words: str) -> None:
    source = tmp_path / "k.c"
    source.write_text(text)
    _, err = popir("tpcc", source, cwd=tmp_path, code=3)
    assert re.search(words, err)
