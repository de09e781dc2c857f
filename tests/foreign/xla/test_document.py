"""The examples of XLA's document "Custom Calls", from its text.

Where the document is not there, the tests are skipped. What cannot be C++ is changed here, and said
in docs/xla.md: the index in the kernel, whose names CUDA does not have.
"""

from pathlib import Path

import numpy as np
import pytest

import popir
from popir import custom_ops
from tests.foreign.xla.models import call, leaves, run
from tests.foreign.xla.test_calls import f32
from tests.toolchain import ROOT

SEEDS = ROOT.parent / "shared" / "seeds"
INCLUDES = """
#include "tensorflow/compiler/xla/client/xla_builder.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"
"""
A, B = (np.random.default_rng(0).standard_normal(n).astype(np.float32) for n in (128, 2048))


@pytest.fixture(scope="module")
def document() -> str:
    found = sorted(SEEDS.glob("002_*.txt")) if SEEDS.is_dir() else []
    if not found:
        pytest.skip("the document is not beside the project")
    return found[0].read_text()


def part(text: str, begin: str, end: str) -> str:
    at = text.index(begin)
    return text[at : text.index(end, at) + len(end)]


def built(source: str, folder: Path, suffix: str) -> popir.OpLibrary:
    file = folder / f"document{suffix}"
    file.write_text(source)
    return popir.build_op_library(file, flags=["-Wno-unused-but-set-variable"])


@pytest.fixture(scope="module")
def cpu(document: str, tmp_path_factory: pytest.TempPathFactory) -> popir.OpLibrary:
    """The example for the CPU, as it stands."""
    end = 'XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");'
    source = part(document, '#include "tensorflow/compiler/xla/client', end)
    return built(source, tmp_path_factory.mktemp("cpu"), ".cc")


def test_cpu(cpu: popir.OpLibrary) -> None:
    assert cpu.custom_calls == (("do_custom_call", "Host"),)
    (y,) = call("do_custom_call", [A, B], "f32[2048]")
    np.testing.assert_array_equal(y, np.tile(A, 16) + B)


def test_the_builder_of_the_document(cpu: popir.OpLibrary) -> None:
    (program,) = custom_ops.xla_programs(cpu.path, "do_it")
    assert program.name == "do_it"
    assert program.inputs == ["p0", "p1"]
    inputs = dict(zip(program.inputs, (A, B), strict=True))
    (y,) = run(program.builder.getModelProto(), inputs, leaves(program.output))
    np.testing.assert_array_equal(y, np.tile(A, 16) + B)


def test_gpu(document: str, tmp_path: Path) -> None:
    end = 'XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "CUDA");'
    source = part(document, "void do_it() { /*", end)
    wrong = "threadIdx.x * blockSize.x + gridIdx.x"
    assert source.count(wrong) == 1
    source = source.replace(wrong, "blockIdx.x * blockDim.x + threadIdx.x")
    library = built(INCLUDES + source, tmp_path, ".cu")
    assert library.custom_calls == (("do_custom_call", "CUDA"),)
    (y,) = call("do_custom_call", [A, B], "f32[2048]", platform="CUDA")
    np.testing.assert_array_equal(y, np.tile(A, 16) + B)


def test_opaque(document: str, tmp_path: Path) -> None:
    text = part(document, 'std::string opaque = "...";', "opaque);")
    shapes = "ShapeUtil::MakeShape(F32, {2048})"
    source = f"""{INCLUDES}
    void with_opaque() {{
      xla::XlaBuilder b("with_opaque");
      xla::XlaOp param0 = xla::Parameter(0, {shapes}, "p0");
      xla::XlaOp param1 = xla::Parameter(1, {shapes}, "p1");
      {text}
    }}"""
    library = built(source, tmp_path, ".cc")
    (program,) = custom_ops.xla_programs(library.path, "with_opaque", platform="CUDA")
    assert b"..." in program.builder.getModelProto()


def test_tuples(document: str, tmp_path: Path) -> None:
    """The shapes of the document, with a target that adds all leaves, and that leaves the second
    result as it is: a temporary.
    """
    text = part(document, "using xla::ShapeUtil;\nShape p0_shape", "out_shape);")
    source = f"""{INCLUDES}
    void tuples() {{
      xla::XlaBuilder b("tuples");
      {text}
    }}
    void tuples_target(void* out, const void** ins) {{
      auto p0 = static_cast<const float* const*>(ins[0]);
      auto subtuple = reinterpret_cast<const float* const*>(p0[1]);
      float* result = static_cast<float**>(out)[0];
      float* temporary = static_cast<float**>(out)[1];
      for (int i = 0; i < 1024; ++i) temporary[i] = 2;
      for (int i = 0; i < 512; ++i)
        result[i] = temporary[i] * p0[0][i % 32] + subtuple[0][i % 64] + subtuple[1][i % 128] +
                    p0[2][i % 256];
    }}
    XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("document_tuples", tuples_target, "Host");
    """.replace('"do_custom_call"', '"document_tuples"')
    library = built(source, tmp_path, ".cc")
    (program,) = custom_ops.xla_programs(library.path, "tuples")
    values = [np.arange(n, dtype=np.float32) for n in (32, 64, 128, 256)]
    inputs = dict(zip(leaves(program.inputs), values, strict=True))
    y, _ = run(program.builder.getModelProto(), inputs, leaves(program.output))
    a, b, c, d = (np.resize(value, 512) for value in values)
    np.testing.assert_array_equal(y, 2 * a + b + c + d)
    assert f32(1).dtype == y.dtype


def test_shapes_of_the_gpu(document: str) -> None:
    """The flat list of six buffers: four of parameter 0, two of the result."""
    text = part(document, "buffers[0] == subbuf0", "buffers[5] == output_subbuf1")
    names = [line.split("== ")[1] for line in text.splitlines()]
    assert names == [f"subbuf{i}" for i in range(4)] + [f"output_subbuf{i}" for i in range(2)]
