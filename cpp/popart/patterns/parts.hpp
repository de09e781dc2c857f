// What the patterns that take steps of optimizers apart share.
#ifndef popir_popart_patterns_parts_hpp
#define popir_popart_patterns_parts_hpp

#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/operators.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <string>

namespace popart {

using Inputs = std::map<InIndex, TensorId>;

/// What follows the sums over micro-batches runs once for all of them.
inline void runOnce(Op& op) {
  op.settings.executionContext = ExecutionContext::AccumulateOuterFragment;
  op.setExecutionPhase({});
  op.settings.schedulePriority = 0.0;
}

/// Makes the operators that take the place of a step.
class Parts {
 public:
  Parts(Graph& graph, const Op& combo, bool gradAccum)
      : graph_(graph), combo_(combo), gradAccum_(gradAccum) {}

  Op::Settings settings(const std::string& suffix) const {
    return Op::Settings(graph_, combo_.name() + suffix, combo_.settings.debugInfoId);
  }

  /// With the properties of the step. `outside`: it follows the sums over micro-batches.
  template <class OP, class... Args>
  OP* make(bool outside, const Inputs& inputs, const TensorId& output, const std::string& suffix,
           Args&&... args) const {
    OP* op = graph_.createOp<OP>(std::forward<Args>(args)..., settings(suffix));
    combo_.transferBaseProperties(op);
    for (const auto& in : inputs)
      if (!in.second.empty()) op->connectInTensor(in.first, in.second);
    if (graph_.getTensors().contains(output))
      op->connectOutTensor(0, output);
    else
      op->createAndConnectOutTensor(0, output);
    op->setup();
    if (outside && gradAccum_) runOnce(*op);
    return op;
  }

  /// The step's input of a number, "" for a constant.
  TensorId number(const OptimizerValue& value, InIndex index) const {
    return value.isConst() ? "" : combo_.inId(index);
  }

  /// A number in the type of a gradient, for operators that take one type alone.
  TensorId as(const TensorId& gradient, const TensorId& number) const {
    const DataType type = graph_.getTensor(gradient)->info.dataType();
    if (graph_.getTensor(number)->info.dataType() == type) return number;
    return make<CastOp>(true, {{0, number}}, next(number), "_cast", Onnx::Operators::Cast_9, type)
        ->outId(0);
  }

  TensorId next(const TensorId& id) const { return graph_.getIr().createIntermediateTensorId(id); }

 private:
  Graph& graph_;
  const Op& combo_;
  bool gradAccum_;
};

/// The weight's type, which its gradient must have.
inline DataType typeOf(const VarUpdateWithUpdaterOp& combo) {
  const DataType type = combo.inInfo(VarUpdateOp::getVarToUpdateInIndex()).dataType();
  const DataType given = combo.inInfo(VarUpdateWithUpdaterOp::getUpdaterInIndex()).dataType();
  if (given != type)
    throw error(
        "{}: the weight is {} and its gradient {}; a step that is taken apart needs one type",
        combo.debugName(), type, given);
  return type;
}

/// Whether sums over micro-batches are running means.
inline bool isMean(const Graph& graph) {
  const SessionOptions& options = graph.getIr().getSessionOptions();
  return options.accumulationAndReplicationReductionType == ReductionType::Mean &&
         options.meanAccumulationAndReplicationReductionStrategy == MeanReductionStrategy::Running;
}

}  // namespace popart

#endif
