// What the steps of programs cost: each worked out once, however often it is executed.
#ifndef popir_poplar_machine_steps_hpp
#define popir_poplar_machine_steps_hpp

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "poplar/machine_reading.hpp"

namespace popir {

/// One execution.
struct StepAlone {
  StepCost cost;
  /// Vertices or copies, and of what each, to join its rows.
  std::vector<std::pair<const void*, OperationCost>> rows;
  /// On each tile at the worst of its phases, gone when the step has run: operands and partial
  /// sums; what passes through to or from a stream.
  TileBytes gathered, hostBuffers;
};

class StepCosts {
 public:
  /// `counts`: what an engine counted of codelets, if it did.
  explicit StepCosts(const GraphImpl& graph, const CodeletCounts* counts = nullptr);

  /// Of a node without parts (isLeaf). The same compute set is the same step.
  const StepAlone& of(const ProgramNode& leaf);

  /// Bytes on each tile for all steps that were asked for.
  const PerTile& vertexState() const { return vertexState_; }
  const PerTile& exchangeCode() const { return exchangeCode_; }
  PerTile vertexCode() const;
  std::size_t steps() const { return known_.size(); }

  /// Classes of vertices that were taken for a pass over their bytes; codelets that were counted.
  std::set<std::string> withoutEstimator, counted;

 private:
  StepAlone make(const ProgramNode& leaf);
  void stream(const poplar::Tensor& t, bool toDevice, StepAlone& step);
  void execute(const ProgramNode& leaf, StepAlone& step);
  void executeCodelets(unsigned computeSet, std::vector<Phase>& together, StepAlone& step);
  /// Rows of their own, and the whole step's cost.
  OperationCost rowOf(const std::string& name, const std::string& vertexClass,
                      const std::string& source, const std::vector<Phase>& phases,
                      std::uint64_t flops) const;
  void charge(const std::vector<Phase>& phases, StepAlone& step);
  void place(const std::string& vertexClass, const Phase& phase, std::size_t edges);

  const GraphImpl& graph_;
  const CodeletCounts* counts_;
  const TargetSpec& spec_;
  std::unordered_map<const void*, StepAlone> known_;
  PerTile vertexState_, exchangeCode_;
  std::uint64_t allState_ = 0;                        // the sum of vertexState_
  std::map<std::string, std::vector<bool>> classes_;  // on which tiles
};

}  // namespace popir

#endif
