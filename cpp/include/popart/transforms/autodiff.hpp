// Gradients of graphs. After popart/transforms/autodiff.hpp of PopART 3.
#ifndef popart_transforms_autodiff_hpp
#define popart_transforms_autodiff_hpp

#include <popart/bwdgraphinfo.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/transforms/transform.hpp>
#include <popart/vendored/optional.hpp>

#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Ir;

/// Differentiates graphs that a program has made, by the compiler's differentiation.
class Autodiff : public Transform {
 public:
  using TensorIds = std::vector<TensorId>;
  using FwdGraphId = GraphId;

  Autodiff() = default;
  ~Autodiff() override;

  static std::size_t id();
  /// Adds the gradients of the loss to the main graph, as Ir::constructBackwards() does.
  bool apply(Graph& graph) const override;
  virtual bool applyToIr(Ir& ir) const;

  /// Makes a graph that computes gradients of the inputs of a graph from those of its outputs.
  ///
  /// Its inputs are the gradients of `gradsProvidedForFwdId`, by default of all outputs that depend
  /// on an input that has a gradient; then all inputs of the graph; then its outputs, which nothing
  /// reads: what it needs of the graph it computes again. Its outputs are the gradients of
  /// `gradsRequiredForFwdId`, by default of all inputs that have one. An input that stands for a
  /// tensor of the graph has its id, in the scope of the new graph; a gradient has `Gradient___`
  /// before that. Graphs that the graph calls are differentiated with it: the result names the graph
  /// itself alone.
  /// \throws error for the main graph, for ids that are no outputs, or inputs, of the graph, for a
  /// gradient that cannot be, for no required ones; for graphs in `calledGraphsGradInfo`, since those
  /// that a called graph has already are not taken; and for the strategies that add outputs to the
  /// graph
  virtual FwdGraphToBwdGraphInfo apply(Ir& ir, const GraphId& fwdGraphId,
                                       const nonstd::optional<TensorIds>& gradsProvidedForFwdId,
                                       const nonstd::optional<TensorIds>& gradsRequiredForFwdId,
                                       const FwdGraphToBwdGraphInfo& calledGraphsGradInfo,
                                       AutodiffStitchStrategy stitchStrategy);
  /// The same, for that graph.
  virtual BwdGraphInfo createBwdGraph(Ir& ir, const GraphId& fwdGraphId,
                                      const nonstd::optional<TensorIds>& gradsProvidedForFwdId,
                                      const nonstd::optional<TensorIds>& gradsRequiredForFwdId,
                                      const FwdGraphToBwdGraphInfo& calledGraphsGradInfo);
  /// Returns `bwdGraphInfo`: what createBwdGraph() makes reads no tensor from within the graph.
  /// \throws error for one that does
  virtual BwdGraphInfo stitch(Ir& ir, const GraphId& fwdGraphId, const BwdGraphInfo& bwdGraphInfo,
                              AutodiffStitchStrategy stitchStrategy,
                              const nonstd::optional<std::vector<InIndex>>& stitchIndices);

  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "Autodiff"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
