// Which tensors have the same value on all replicas.
// After popart/analysis/replicaequal/replicaequalanalysis.hpp of PopART 3.
#ifndef popart_analysis_replicaequal_replicaequalanalysis_hpp
#define popart_analysis_replicaequal_replicaequalanalysis_hpp

#include <popart/alias/aliasmodel.hpp>
#include <popart/analysis/replicaequal/replicaequalanalysisproxy.hpp>
#include <popart/ir.hpp>
#include <popart/vendored/any.hpp>

#include <map>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Follows values through the graphs of an Ir, in the order in which operators run: weights and
/// constants are the same on all replicas at first, what the host sends and the seed of random
/// numbers are not, and operators say what becomes of that (Op::fwdPropagateIsReplicaEqual). A
/// weight is if it still is at the end of a step. A graph that is called from several places has the
/// values that hold for all of them. Queries are per operator, since a tensor that is written has
/// several values.
class ReplicaEqualAnalysis {
 public:
  explicit ReplicaEqualAnalysis(const Ir& ir);
  /// With a model of which tensors share elements; each graph that it lacks gets one of its
  /// own.
  ReplicaEqualAnalysis(const Ir& ir, AliasModel& aliasModel);
  virtual ~ReplicaEqualAnalysis();

  virtual void apply();
  // After apply().
  // \throws error for an index that the operator does not have, and an operator that was not there
  /// What the operator reads.
  virtual IsReplicaEqual isOpInputEqual(const Op* op, InIndex inIndex) const;
  /// What it computes.
  virtual IsReplicaEqual isOpOutputEqual(const Op* op, OutIndex outIndex) const;
  /// Of all inputs and outputs: "replEqIn0", "replEqOut0" and so on.
  virtual std::map<std::string, popart::any> getOpAttrs(const Op* op) const;

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
