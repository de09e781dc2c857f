// How called graphs are cut where their callers copy. After popart/subgraphpartitioner.hpp of PopART 3.
#ifndef popart_subgraphpartitioner_hpp
#define popart_subgraphpartitioner_hpp

#include <popart/names.hpp>

#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CallOp;
class Graph;
class Ir;
class Op;

namespace liveness {

class LivenessAnalyzer;
class LivenessNode;

/// Reads the parts of graphs from the order of a LivenessAnalyzer. A graph has one part more than
/// there are places between its operators where a caller copies an input or an output: a CallOp
/// copies what part 0 needs, calls it, copies what part 1 needs, and so on. A graph that is called
/// at several places is cut where any of them copies. popir's own: the compiler's calls have one
/// part; this is for programs that ask.
class SubgraphPartitioner {
 public:
  enum class CallOpPartType {
    /// Of an operator that is no CallOp.
    Undefined = 0,
    CopyInput,
    CopyOutput,
    CopyModified,
    CallSubgraphPart
  };

  /// A copy or a call that a CallOp consists of.
  class CallOpPart {
   public:
    CallOpPartType type;
    /// Of CopyInput and CopyModified.
    InIndex inIndex;
    /// Of CopyOutput.
    OutIndex outIndex;
    /// Of CallSubgraphPart.
    SubgraphPartIndex subgraphPartIndex;
  };

  /// What a CallOp consists of, in order, and the part of its own graph where that is.
  using CallOpSchedule = std::vector<std::tuple<CallOpPart, SubgraphPartIndex>>;

  SubgraphPartitioner() = default;
  virtual ~SubgraphPartitioner() = default;

  /// \throws error without an Ir or an analyzer, and for an order that copies in the middle of a
  /// graph that is not partitionable
  virtual void apply();
  virtual void setIr(const Ir* ir);
  virtual void setLivenessAnalyzer(const LivenessAnalyzer* liveness);

  // \throws error for a graph or an operator that apply() has not met
  /// 0 for a graph without operators, and for one that is never called.
  virtual int getNumSubgraphParts(const Graph& graph) const;
  /// The first part of its graph in which an operator is, and the one after the last.
  virtual SubgraphPartIndex getOpSubgraphPartBegin(Op* op) const;
  virtual SubgraphPartIndex getOpSubgraphPartEnd(Op* op) const;
  virtual CallOpSchedule getCallOpSchedule(CallOp* callOp) const;

  /// Whether CallOps alone call a graph. The main graph is not partitionable.
  static bool isPartitionable(const Graph& graph);

 private:
  /// An operator, or what a CallOp does of it.
  struct Step {
    Op* op;
    CallOpPart what;
  };
  /// What a graph does, and before which steps it is cut.
  struct Partition {
    std::vector<Step> steps;
    std::set<std::size_t> cuts;

    SubgraphPartIndex partOf(std::size_t step) const;
    SubgraphPartIndex numParts() const;
  };

  class Reading;

  void partition(const Graph& graph);
  const Partition& of(const Graph& graph) const;

  const Ir* ir_ = nullptr;
  const LivenessAnalyzer* liveness_ = nullptr;
  std::map<std::string, Partition> partitions_;
};

std::ostream& operator<<(std::ostream& os, const SubgraphPartitioner::CallOpPartType& type);
/// For example "CopyInput@0" and "CallSubgraphPart(1)".
std::ostream& operator<<(std::ostream& os, const SubgraphPartitioner::CallOpPart& part);

}  // namespace liveness
}  // namespace popart

#pragma GCC visibility pop

#endif
