"""A library's code that crashes, and what it says, in a process that is no command."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.toolchain import CACHED_CXX, ROOT, plain

pytestmark = pytest.mark.timeout(180)

SOURCE = """
#include <popart/opmanager.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <csignal>
struct BadOp : popart::Op {
  using popart::Op::Op;
  void setup() final {
    if (inInfo(0).rank() == 1) raise(SIGSEGV);
    if (inInfo(0).rank() == 2) throw popart::error("red \\x1b[31m, back \\r and \\xe2\\x80\\xae");
    outInfo(0) = inInfo(0);
  }
  std::unique_ptr<popart::Op> clone() const final { return std::make_unique<BadOp>(*this); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};
const popart::OperatorIdentifier bad = {"com.acme", "Bad", 1};
popart::OpCreator<BadOp> creator(popart::OpDefinitions({{bad, {}}}));
"""
PROGRAM = """
import faulthandler, os, signal, sys, popir
popir.build_op_library(sys.argv[1])
if "faulthandler" in sys.argv:
    faulthandler.enable()
if "elsewhere" in sys.argv:
    os.kill(os.getpid(), signal.SIGSEGV)
builder = popir.Builder(opsets={"ai.onnx": 17, "com.acme": 1})
x = builder.addInputTensor("FLOAT", [1] * int(sys.argv[2]))
builder.addOutputTensor(builder.customOp("Bad", 1, "com.acme", [x])[0])
device = popir.DeviceManager().createCpuDevice()
popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, ["x"]), device)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crashes")
    (folder / "bad.cpp").write_text(SOURCE)
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {
        "PYTHONPATH": str(ROOT),
        "POPIR_CACHE": str(folder / "cache"),
        "CXX": " ".join(CACHED_CXX),
    }
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "bad.cpp", *words],
        cwd=folder,
        env=plain() | env,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_crash_names_the_library_and_leaves_the_rest_to_other_handlers(folder: Path) -> None:
    for words in ([], ["faulthandler"]):
        done = run(folder, "1", *words)
        assert done.returncode == -signal.SIGSEGV, done.stderr
        said = done.stderr.splitlines()
        (named,) = (line for line in said if line.startswith("popir: error: "))
        assert named.startswith("popir: error: ended by SIGSEGV, ")
        assert named.endswith("libbad.so'. A debugger, or -g -fsanitize=address, shows the place.")
        assert ("Fatal Python error: Segmentation fault" in said) == bool(words)


def test_a_crash_elsewhere_is_none_of_popirs(folder: Path) -> None:
    done = run(folder, "1", "elsewhere")
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")


def test_what_a_library_says_cannot_move_the_cursor(folder: Path) -> None:
    done = run(folder, "2")
    assert done.returncode == 1
    assert r"red \x1b[31m, back \r and \u202e" in done.stderr
    assert done.stderr.replace("\n", "").isprintable()
