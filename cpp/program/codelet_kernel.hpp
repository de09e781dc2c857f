// The vertices of users' codelets in one compute set, as one step of the engine. Each vertex is a
// C++ object with its own call of compute(). The vertices are divided among threads.
#ifndef popir_program_codelet_kernel_hpp
#define popir_program_codelet_kernel_hpp

#include <map>
#include <memory>
#include <vector>

#include "codelets/counting.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

/// The vertex objects of a compute set, in memory. They belong to one engine, and keep their state
/// from one execution to the next.
class CodeletVertices;

/// The codelet steps of one engine: for each compute set with codelets one BulkVertex, made at its
/// first use by codeletStep().
struct CodeletSteps {
  bool checkBounds = false;  ///< an access outside a field's elements ends the run
  /// Counts the first execution of vertices without a cost estimate; null: nothing is counted.
  std::shared_ptr<CodeletCounts> counts;
  std::map<unsigned, std::shared_ptr<const BulkVertex>> steps;

  /// Resets all vertices to their initial state.
  void reset() const;
};

class CodeletKernel final : public Kernel {
 public:
  /// Makes the vertices, and sets `operands` to the whole variables that they read and write.
  /// \throws poplar::graph_connection_error, invalid_tile_mapping: see checkComplete();
  ///         graph_program_compilation_error if two vertices race.
  CodeletKernel(const GraphImpl& graph, unsigned computeSet, const CodeletSteps& engine,
                std::vector<BulkOperand>& operands);

  const char* name() const override { return "codelets"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Work work(const std::vector<Layout>& operands) const override;
  /// Codelets may keep state, or print.
  bool hasEffects() const override { return true; }
  unsigned computeSet() const { return computeSet_; }
  /// Resets the vertices to their initial state.
  void reset() const;

 private:
  unsigned computeSet_;
  std::shared_ptr<CodeletVertices> vertices_;
};

std::shared_ptr<const BulkVertex> codeletStep(const GraphImpl& graph, unsigned computeSet,
                                              CodeletSteps& known);

}  // namespace popir

#endif
