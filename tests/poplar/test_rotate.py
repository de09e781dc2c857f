"""The rotation of the TensorFlow port's guide: host code and codelet as the document has them."""

import re
from pathlib import Path

import numpy as np
import pytest

from popir import poplar
from popir.poplar import program
from tests.toolchain import CACHED_CXX, ROOT, popir_config, run

SEEDS = ROOT.parent / "shared" / "seeds"
GUIDE = next(iter(SEEDS.glob("000_*.txt")), None) if SEEDS.is_dir() else None

pytestmark = pytest.mark.skipif(GUIDE is None, reason="the document is not there")

MAIN = """
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <cstdlib>

extern "C" poplar::program::Program Build(poplar::Graph&, const std::vector<poplar::Tensor>&,
                                          std::vector<poplar::Tensor>&, const std::string&,
                                          const std::string&);

int main(int, char** argv) {
  using namespace poplar;
  auto device = IPUModel().createDevice();
  Graph graph(device);
  graph.addCodelets(argv[1]);
  const std::size_t n = std::atoi(argv[2]);
  const char* names[] = {"x", "y", "a", "x_out", "y_out"};
  std::vector<Tensor> inputs, outputs;
  for (int i = 0; i < 3; ++i) {
    inputs.push_back(graph.addVariable(FLOAT, {n}, VariableMappingMethod::LINEAR, names[i]));
    graph.createHostWrite(names[i], inputs[i]);
  }
  const auto prog = Build(graph, inputs, outputs, "", "rotation");
  for (int i = 0; i < 2; ++i) graph.createHostRead(names[3 + i], outputs[i]);
  Engine engine(graph, prog);
  engine.load(device);
  for (int i = 0; i < 3; ++i) {
    std::vector<float> values(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = (i + 1) * 0.01f * k;
    engine.writeTensor(names[i], values.data(), values.data() + n);
  }
  engine.run(0);
  for (int i = 0; i < 2; ++i) {
    std::vector<float> values(n);
    engine.readTensor(names[3 + i], values.data(), values.data() + n);
    for (float v : values) std::cout << v << "\\n";
  }
}
"""


def listing(after: str) -> str:
    """The first numbered listing behind a sentence of the document."""
    assert GUIDE is not None
    text = GUIDE.read_text(encoding="utf-8")
    lines: list[str] = []
    for line in text[text.index(after) + len(after) :].splitlines():
        number = re.match(rf" *{len(lines) + 1}(?!\d)", line)
        if number:
            lines.append(line[number.end() :])
        elif lines:
            break
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("rotate")
    (where / "host.cpp").write_text(listing("This example shows the source file for a rotate"))
    (where / "codelet.cpp").write_text(listing("This is the associated codelet file:"))
    (where / "main.cpp").write_text(MAIN)
    return where


def rotated(x, y, a):
    return x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)


@pytest.mark.parametrize("n", [1000])
def test_from_cpp(folder, n):
    cflags, libs = popir_config("--cflags"), popir_config("--libs")
    for name in ("host", "main"):
        run(*CACHED_CXX, "-c", *cflags, f"{name}.cpp", "-o", f"{name}.o", cwd=folder)
    run("g++", "host.o", "main.o", *libs, "-o", "rotate", cwd=folder)
    printed = run(folder / "rotate", "codelet.cpp", str(n), cwd=folder).split()
    k = np.arange(n)
    expected = rotated(0.01 * k, 0.02 * k, 0.03 * k)
    np.testing.assert_allclose(np.array(printed, float), np.concatenate(expected), atol=1e-4)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float16, 2e-3)])
def test_from_python(folder, dtype, tolerance):
    n = 500
    graph = poplar.Graph(poplar.IPUModel().createDevice())
    graph.addCodelets(str(folder / "codelet.cpp"))
    element = poplar.typeOf(dtype)
    linear = poplar.VariableMappingMethod.LINEAR
    names = ["x_in", "y_in", "angle", "x_out", "y_out"]
    tensors = {name: graph.addVariable(element, [n], linear, name) for name in names}
    cs = graph.addComputeSet("rotate")
    for tile, ranges in enumerate(graph.getTileMapping(tensors["x_in"])):
        if ranges:
            edges = {name: [t.slice(b, e) for b, e in ranges] for name, t in tensors.items()}
            v = graph.addVertex(cs, f"Rotate<{element.toString()}>", edges)
            graph.setTileMapping(v, tile)
            graph.setCycleEstimate(v, 1)
    for name, t in tensors.items():
        (graph.createHostRead if name.endswith("out") else graph.createHostWrite)(name, t)
    engine = poplar.Engine(graph, [program.Execute(cs)])
    values = np.random.default_rng(3).uniform(-1, 1, (3, n)).astype(dtype)
    for name, row in zip(names, values, strict=False):
        engine.writeTensor(name, row)
    engine.run(0)
    for name, wanted in zip(names[3:], rotated(*values.astype(np.float64)), strict=True):
        out = np.empty(n, dtype)
        engine.readTensor(name, out)
        np.testing.assert_allclose(out, wanted, atol=tolerance)
