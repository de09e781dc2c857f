// The costs of program steps. Each distinct step is costed once, however often it is executed.
#ifndef popir_costing_steps_hpp
#define popir_costing_steps_hpp

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "costing/reading.hpp"

namespace popir {

/// The cost of one execution of a step.
struct StepAlone {
  StepCost cost;
  /// The report's operations: one for each bulk vertex or copy, and one for all codelet vertices of
  /// a compute set. The pointer identifies the vertex, copy or set, so that operations of several
  /// steps can be added up.
  std::vector<std::pair<const void*, OperationCost>> rows;
  /// Temporary bytes on each tile. `gathered`: received operands and partial sums, in the tile's
  /// worst phase. `hostBuffers`: stream data. `interleaved`: what vertices want in interleaved memory.
  TileBytes gathered, hostBuffers, interleaved;
  /// By gateway: bytes of a transfer with the host or streaming memory. Empty of other steps.
  std::vector<std::uint64_t> gatewayBytes;
  /// Compute cycles of each tile, and the bytes that it receives.
  TileBytes computeCycles, received;
  /// Classes of vertices whose cycles are not known, and not in the step's.
  std::set<std::string> unknown;
};

class StepCosts {
 public:
  /// `counts`: the instructions that an engine counted for its codelets, or null.
  explicit StepCosts(const GraphImpl& graph, const CodeletCounts* counts = nullptr);

  /// The cost of a node without children (isLeaf). Executions of one compute set are the same step.
  const StepAlone& of(const ProgramNode& leaf);

  /// Bytes on each tile, over all steps costed so far.
  const PerTile& vertexState() const { return vertexState_; }
  const PerTile& exchangeCode() const { return exchangeCode_; }
  PerTile vertexCode() const;
  /// The bytes of a class's code on a tile.
  std::uint64_t codeOf(const std::string& vertexClass) const;
  /// The vertices of each class on each tile: a codelet's, and the parts of library functions.
  const std::map<std::string, std::vector<unsigned>>& vertices() const { return classes_; }
  std::size_t steps() const { return known_.size(); }

  /// Codelets that are costed by counted instructions.
  std::set<std::string> counted;

 private:
  StepAlone make(const ProgramNode& leaf);
  void stream(const poplar::Tensor& t, bool toDevice, bool onHost, StepAlone& step);
  void execute(const ProgramNode& leaf, StepAlone& step);
  void executeCodelets(unsigned computeSet, std::vector<Phase>& together, StepAlone& step);
  /// rowOf() makes the operation of one vertex or copy. charge() adds phases to the step's cost.
  OperationCost rowOf(const std::string& name, const std::string& vertexClass,
                      const std::string& source, const std::vector<Phase>& phases,
                      std::uint64_t flops);
  std::uint64_t syncCycles(const Phase& phase);
  // How many IPUs there are up to the last one that has a part of the graph. Those behind it take no
  // part in its syncs.
  unsigned ipusInUse();
  void charge(const std::vector<Phase>& phases, StepAlone& step);
  void place(const std::string& vertexClass, const Phase& phase, std::size_t edges);

  const GraphImpl& graph_;
  const CodeletCounts* counts_;
  const TargetSpec& spec_;
  std::unordered_map<const void*, StepAlone> known_;
  PerTile vertexState_, exchangeCode_;
  unsigned ipusInUse_ = 0;                                // 0: not known yet
  std::uint64_t allState_ = 0;                            // the sum of vertexState_
  std::map<std::string, std::vector<unsigned>> classes_;  // by class: vertices on each tile
};

}  // namespace popir

#endif
