// What an operator asks of the analysis of replicas.
// After popart/analysis/replicaequal/replicaequalanalysisproxy.hpp of PopART 3.
#ifndef popart_analysis_replicaequal_replicaequalanalysisproxy_hpp
#define popart_analysis_replicaequal_replicaequalanalysisproxy_hpp

#include <popart/names.hpp>

#include <tuple>

#pragma GCC visibility push(default)

namespace popart {

/// The analysis, for Op::fwdPropagateIsReplicaEqual().
class ReplicaEqualAnalysisProxy {
 public:
  virtual ~ReplicaEqualAnalysisProxy();

  /// Of each input that the operator modifies: whether an output that is the same on all replicas
  /// shows all of it.
  virtual ReplEqModifiedInputMap getModifiedInputMapFromAliases(
      const Op* op, const ReplEqOutputMap& outputs) const = 0;
  /// The outputs of a graph that an operator calls, and what its inputs are in the end.
  virtual std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap>
  fwdPropagateIsReplicaEqualThroughGraph(const Graph* graph, const ReplEqInputMap& inputs) = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
