// A vertex of a class that no estimator knows; compiled with popir's own headers.
#include <iostream>
#include <poplar/Engine.hpp>

#include "engine/engine.hpp"
#include "kernels/kernel.hpp"

namespace {

class Juggle : public popir::Kernel {
  struct Nothing : popir::Runner {
    void run(void* const*, void*) const override {}
  };
  const char* name() const override { return "juggle"; }
  std::unique_ptr<popir::Runner> prepare(const std::vector<popir::Layout>&,
                                         const popir::Setting&) const override {
    return std::make_unique<Nothing>();
  }
  popir::Work work(const std::vector<popir::Layout>&) const override {
    return {"popops::Juggle", popir::UnknownWork{}};
  }
};

}  // namespace

int main() {
  poplar::Graph graph(poplar::Target::createIPUTarget(1, 2, "ipu2"));
  const auto a = graph.addVariable(poplar::FLOAT, {1200}, "a");
  const auto b = graph.addVariable(poplar::FLOAT, {1200}, "b");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 0);
  const auto cs = graph.addComputeSet("set");
  graph.impl()->computeSets[cs.getId()].bulk.push_back(
      {std::make_shared<Juggle>(),
       {{a, popir::Access::Read}, {b, popir::Access::Write}},
       "juggling"});
  poplar::Engine engine(graph, poplar::program::Execute(cs));
  engine.printProfileSummary(std::cout);
}
