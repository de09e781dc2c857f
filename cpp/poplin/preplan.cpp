#include <poplin/ConvPreplan.hpp>
#include <poplin/FullyConnected.hpp>

#include "poplar/library_options.hpp"
#include "poplin/contraction_options.hpp"

namespace poplin {

bool operator<(const MatMulParams& a, const MatMulParams& b) {
  return std::make_tuple(a.inputType.toString(), a.outputType.toString(), a.aShape, a.bShape) <
         std::make_tuple(b.inputType.toString(), b.outputType.toString(), b.aShape, b.bShape);
}

void preplan(const std::set<ConvPlanParams>& convs, const std::set<MatMulPlanParams>& matmuls,
             PlanningCache& cache) {
  for (const auto& each : convs) popir::planAhead(std::get<1>(each), *std::get<2>(each), cache);
  for (const auto& each : matmuls) popir::planAhead(std::get<1>(each), *std::get<2>(each), cache);
}

void preplanMatMuls(const std::set<MatMulPlanParams>& matmuls, matmul::PlanningCache& cache) {
  preplan({}, matmuls, cache.getImpl());
}
void preplanConvolutions(const std::set<ConvPlanParams>& convs, PlanningCache& cache) {
  preplan(convs, {}, cache);
}
void preplanConvolutions(poplar::Graph&, const std::set<ConvPlanParams>& convs,
                         PlanningCache& cache) {
  preplan(convs, {}, cache);
}
void convolutionValidateOptions(const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("poplin::convolutionValidateOptions", popir::Library::Convolution,
                             options);
}

namespace fc {

std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getMatMulPrePlanParameters(
    FullyConnectedParams parameters, poplar::OptionFlags matmulOptions, poplar::Type type,
    bool inferenceOnly) {
  const std::size_t g = parameters.numGroups, batch = parameters.batchSize,
                    in = parameters.inputSize, out = parameters.outputSize;
  std::vector<std::pair<MatMulParams, poplar::OptionFlags>> made;
  const auto add = [&](const char* pass, std::vector<std::size_t> a, std::vector<std::size_t> b) {
    poplar::OptionFlags options = matmulOptions;
    options.set("fullyConnectedPass", pass);
    made.push_back({MatMulParams{type, type, a, b}, options});
  };
  if (inferenceOnly) {
    add("INFERENCE_FWD", {g, batch, in}, {g, in, out});
    return made;
  }
  add("TRAINING_FWD", {g, batch, in}, {g, in, out});
  add("TRAINING_BWD", {g, batch, out}, {g, out, in});
  add("TRAINING_WU", {g, in, batch}, {g, batch, out});
  return made;
}

}  // namespace fc
}  // namespace poplin
