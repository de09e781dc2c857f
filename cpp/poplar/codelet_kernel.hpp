// The vertices of a compute set that users' codelets made, as one step of the engine: real
// vertices, one call each, shared over threads.
#ifndef popir_poplar_codelet_kernel_hpp
#define popir_poplar_codelet_kernel_hpp

#include <map>
#include <memory>
#include <vector>

#include "poplar/codelet_counting.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

/// The vertices of a compute set laid out in memory. Belongs to one engine, so that their state
/// lasts from one execution to the next.
class CodeletVertices;

/// What one engine makes of its graph's codelets: a vertex for each compute set that has any, made
/// when first asked for.
struct CodeletSteps {
  bool checkBounds = false;  ///< a field indexed outside of its elements ends the run
  /// Where the first execution of vertices without an estimate is counted; null: nowhere.
  std::shared_ptr<CodeletCounts> counts;
  std::map<unsigned, std::shared_ptr<const BulkVertex>> steps;

  /// Gives the vertices their state as it was in the beginning.
  void reset() const;
};

class CodeletKernel final : public Kernel {
 public:
  /// Lays the vertices out; `operands` becomes the whole variables that they read and write.
  /// \throws poplar::graph_connection_error, invalid_tile_mapping: see checkComplete();
  ///         graph_program_compilation_error if two vertices race.
  CodeletKernel(const GraphImpl& graph, unsigned computeSet, const CodeletSteps& engine,
                std::vector<BulkOperand>& operands);

  const char* name() const override { return "codelets"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Work work(const std::vector<Layout>& operands) const override;
  unsigned computeSet() const { return computeSet_; }
  /// The vertices' state as it was in the beginning.
  void reset() const;

 private:
  unsigned computeSet_;
  std::shared_ptr<CodeletVertices> vertices_;
};

std::shared_ptr<const BulkVertex> codeletStep(const GraphImpl& graph, unsigned computeSet,
                                              CodeletSteps& known);

}  // namespace popir

#endif
