// Gradients of graphs that a program has made.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/transforms/autodiff.hpp>

#include <algorithm>
#include <typeinfo>

namespace popart {
namespace {

const bool registeredAutodiff = Transform::registerTransform(new Autodiff());

/// The places of `ids` among the inputs or outputs of a graph.
nonstd::optional<std::vector<int64_t>> placesOf(
    const Graph& graph, bool inputs, const nonstd::optional<std::vector<TensorId>>& ids) {
  if (!ids) return {};
  const std::vector<TensorId> known = inputs ? graph.getInputIds() : graph.getOutputIds();
  std::vector<int64_t> places;
  for (const TensorId& id : *ids) {
    const auto found = std::find(known.begin(), known.end(), id);
    if (found == known.end())
      throw error("Autodiff: '{}' is no {} of {}", id, inputs ? "input" : "output",
                  graph.getGraphString());
    places.push_back(found - known.begin());
  }
  return places;
}

}  // namespace

std::ostream& operator<<(std::ostream& os, ExpectedConnectionType type) {
  return os << (type == ExpectedConnectionType::Fwd ? "Fwd" : "FwdGrad");
}

std::ostream& operator<<(std::ostream& os, const ExpectedConnection& connection) {
  return os << "{" << connection.fwdId << ", " << connection.type << "}";
}

std::ostream& operator<<(std::ostream& os, const ExpectedConnections& connections) {
  const char* between = "[";
  for (const ExpectedConnection& each : connections) {
    os << between << each;
    between = ", ";
  }
  return os << (connections.empty() ? "[]" : "]");
}

std::ostream& operator<<(std::ostream& os, const BwdGraphInfo& info) {
  return os << "{" << info.bwdGraphId << ", " << info.expectedInputs << ", " << info.expectedOutputs
            << "}";
}

std::ostream& operator<<(std::ostream& os, const FwdGraphToBwdGraphInfo& infos) {
  const char* between = "{";
  for (const auto& [graph, info] : infos) {
    os << between << graph << ": " << info;
    between = ", ";
  }
  return os << (infos.empty() ? "{}" : "}");
}

namespace {

/// \throws error for a graph below that must not be differentiated with the one that calls it
void checkCalled(const Graph& graph) {
  for (const Graph* called : graph.getCalledGraphs()) {
    if (!called->canBeRecursivelyAutodiffed())
      throw error(
          "Autodiff: '{}' calls the graph '{}', which must not be differentiated with it "
          "(setCanBeRecursivelyAutodiffed)",
          graph.id.str(), called->id.str());
    checkCalled(*called);
  }
}

}  // namespace

Autodiff::~Autodiff() = default;

std::size_t Autodiff::id() { return typeid(Autodiff).hash_code(); }

bool Autodiff::apply(Graph& graph) const { return applyToIr(graph.getIr()); }

bool Autodiff::applyToIr(Ir& ir) const {
  ir.constructBackwards();
  return true;
}

FwdGraphToBwdGraphInfo Autodiff::apply(Ir& ir, const GraphId& fwdGraphId,
                                       const nonstd::optional<TensorIds>& gradsProvidedForFwdId,
                                       const nonstd::optional<TensorIds>& gradsRequiredForFwdId,
                                       const FwdGraphToBwdGraphInfo& calledGraphsGradInfo,
                                       AutodiffStitchStrategy stitchStrategy) {
  const BwdGraphInfo made = createBwdGraph(ir, fwdGraphId, gradsProvidedForFwdId,
                                           gradsRequiredForFwdId, calledGraphsGradInfo);
  return {{fwdGraphId, stitch(ir, fwdGraphId, made, stitchStrategy, {})}};
}

BwdGraphInfo Autodiff::createBwdGraph(Ir& ir, const GraphId& fwdGraphId,
                                      const nonstd::optional<TensorIds>& gradsProvidedForFwdId,
                                      const nonstd::optional<TensorIds>& gradsRequiredForFwdId,
                                      const FwdGraphToBwdGraphInfo& calledGraphsGradInfo) {
  if (!calledGraphsGradInfo.empty())
    throw error(
        "Autodiff: {} graphs of gradients are given; called graphs are differentiated with the "
        "graph that calls them, and those that they have already are not taken. Give none",
        calledGraphsGradInfo.size());
  if (fwdGraphId == GraphId::root())
    throw error(
        "Autodiff: the main graph has no graph of gradients; Ir::constructBackwards() adds the "
        "gradients of the loss to it");
  if (gradsRequiredForFwdId && gradsRequiredForFwdId->empty())
    throw error("Autodiff: no gradients are required of the graph '{}'; name one, or leave it open",
                fwdGraphId.str());
  const Graph& graph = ir.getGraph(fwdGraphId);
  checkCalled(graph);
  return ir.differentiateGraph(graph, placesOf(graph, false, gradsProvidedForFwdId),
                               placesOf(graph, true, gradsRequiredForFwdId));
}

BwdGraphInfo Autodiff::stitch(Ir& ir, const GraphId& fwdGraphId, const BwdGraphInfo& bwdGraphInfo,
                              AutodiffStitchStrategy stitchStrategy,
                              const nonstd::optional<std::vector<InIndex>>& stitchIndices) {
  if (stitchStrategy == AutodiffStitchStrategy::AddFwdOutputs ||
      stitchStrategy == AutodiffStitchStrategy::SafeAddFwdOutputs)
    throw error(
        "Autodiff: what a graph of gradients needs is computed again; no outputs are added to the "
        "graph '{}'. Take AutodiffStitchStrategy::RecomputeMinimal or RecomputeAllNonInputs",
        fwdGraphId.str());
  const Graph& graph = ir.getGraph(fwdGraphId);
  const auto isWithin = [&](const ExpectedConnection& each) {
    return each.type == ExpectedConnectionType::Fwd && !graph.hasInputId(each.fwdId) &&
           !graph.hasOutputId(each.fwdId);
  };
  const ExpectedConnections& inputs = bwdGraphInfo.expectedInputs;
  const auto within = std::find_if(inputs.begin(), inputs.end(), isWithin);
  if (within != inputs.end() || (stitchIndices && !stitchIndices->empty()))
    throw error(
        "Autodiff: {} of '{}' cannot be computed again: only what createBwdGraph() made is taken, "
        "which reads inputs and outputs of its graph alone",
        within != inputs.end() ? "'" + within->fwdId + "'" : "an input",
        bwdGraphInfo.bwdGraphId.str());
  return bwdGraphInfo;
}

}  // namespace popart
