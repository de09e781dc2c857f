// The costs of program steps. Each distinct step is costed once, however often it is executed.
#ifndef popir_costing_steps_hpp
#define popir_costing_steps_hpp

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "costing/joined_copies.hpp"
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
  /// Of steps of `programs`. `counts`: the instructions that an engine counted for its codelets, or
  /// null.
  StepCosts(const GraphImpl& graph, const Programs& programs,
            const CodeletCounts* counts = nullptr);

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
  /// How many copies are in one exchange with one before them. Such a copy costs what it makes that
  /// exchange longer by.
  std::size_t joinedCopies() const { return copies_.joining(); }

  /// Codelets that are costed by counted instructions.
  std::set<std::string> counted;

 private:
  struct PhaseCycles {
    std::uint64_t compute = 0, exchange = 0, sync = 0, interIPU = 0;
  };
  // What a phase adds to one that it is joined with, and both together.
  struct Joining {
    PhaseCycles cycles;
    const Phase& both;
  };

  StepAlone make(const ProgramNode& leaf);
  void copy(const ProgramNode& leaf, StepAlone& step);
  void begin(const JoinedCopies::Place& place);
  void join(const Phase& copy);
  void stream(const poplar::Tensor& t, bool toDevice, bool onHost, StepAlone& step);
  void execute(const ProgramNode& leaf, StepAlone& step);
  void executeCodelets(unsigned computeSet, std::vector<Phase>& together, StepAlone& step);
  /// rowOf() makes the operation of one vertex or copy. charge() adds phases to the step's cost.
  /// With `joining` there is one phase, which is joined with others.
  OperationCost rowOf(const std::string& name, const std::string& vertexClass,
                      const std::string& source, const std::vector<Phase>& phases,
                      std::uint64_t flops, const Joining* joining = nullptr);
  PhaseCycles cyclesOf(const Phase& phase);
  std::uint64_t syncCycles(const Phase& phase);
  // How many IPUs there are up to the last one that has a part of the graph. Those behind it take no
  // part in its syncs.
  unsigned ipusInUse();
  void charge(const std::vector<Phase>& phases, StepAlone& step, const Joining* joining = nullptr);
  void place(const std::string& vertexClass, const Phase& phase, std::size_t edges);

  const GraphImpl& graph_;
  const CodeletCounts* counts_;
  const TargetSpec& spec_;
  const JoinedCopies copies_;
  // The copies of one group up to some place, in one phase.
  const JoinedCopies::Group* group_ = nullptr;
  std::size_t inGroup_ = 0;
  std::optional<Phase> joined_;
  PhaseCycles joinedCycles_;
  std::unordered_map<const void*, StepAlone> known_;
  PerTile vertexState_, exchangeCode_;
  unsigned ipusInUse_ = 0;                                // 0: not known yet
  std::uint64_t allState_ = 0;                            // the sum of vertexState_
  std::map<std::string, std::vector<unsigned>> classes_;  // by class: vertices on each tile
};

}  // namespace popir

#endif
