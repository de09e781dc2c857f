// Base of the patterns that take an optimizer's step apart. After
// popart/patterns/optimizerdecompose.hpp of PopART 3.
#ifndef popart_patterns_optimizerdecompose_hpp
#define popart_patterns_optimizerdecompose_hpp

#include <popart/datatype.hpp>
#include <popart/names.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/optimizervalue.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/variablesettings.hpp>

#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// For graphs that a program makes, which has a step as one operator: SGD0ComboOp and its kin. The
/// compiler's own graphs have the parts at once.
///
/// What comes after the sums over micro-batches is in ExecutionContext::AccumulateOuterFragment,
/// without a phase and with priority 0. `gradAccum` says whether there are such sums.
class OptimizerDecompose : public PreAliasPattern {
 public:
  ~OptimizerDecompose() override;
  std::vector<const Tensor*> touches(Op*) const override { return {}; }

 protected:
  /// Adds a variable with all elements equal. Returns its type and shape.
  /// \throws error for types other than FLOAT and FLOAT16, and for groups of replicas that have
  /// values of their own
  TensorInfo addStateTensor(Graph& graph, const TensorId& tensorId, const Shape& shape,
                            const DataType& type, const VariableSettings& settings,
                            float initValue = 0.0f) const;
  /// An AccumulateOp of a state, and the id of the new state.
  std::pair<Op*, TensorId> accl(Graph& graph, Op* combo, TensorId acclId, TensorId gradIntoAcclId,
                                AccumulationType type, OptimizerValue value, TensorId valueTensorId,
                                std::string acclName, bool gradAccum) const;
  /// The sum of a gradient over micro-batches (or its mean, with a running mean), then over replicas
  /// with `accumReduce`. Returns `outputId`, or a new id where that is "".
  TensorId gradAccum(Graph& graph, Op* combo, TensorId weightId, TensorId accumId,
                     TensorId gradIntoAccumId, bool accumReduce, TensorId outputId = "") const;
  /// Clears a sum after `beforeOps`.
  Op* zeroAccumulator(Graph& graph, Op* combo, std::vector<Op*> beforeOps, TensorId accumId) const;
  /// The sum of a gradient over replicas.
  TensorId gradReduce(Graph& graph, Op* combo, TensorId weightId, TensorId weightGradId,
                      TensorId outputId = "") const;
  /// The gradient as FLOAT.
  TensorId gradCast(Graph& graph, Op* combo, TensorId gradIntoAcclId, bool gradAccum) const;
  /// The gradient times `gs`; itself, if that is the constant 1.
  TensorId gradUnscale(Graph& graph, Op* combo, const OptimizerValue& gs, TensorId gsId,
                       TensorId gradIntoAcclId, bool gradAccum) const;
  /// The gradient plus `wd` times the weight; itself, if that is the constant 0.
  TensorId regularizeL2(Graph& graph, Op* combo, const OptimizerValue& wd, TensorId wdId,
                        TensorId weightId, TensorId gradIntoAcclId, bool gradAccum) const;
  /// Whether sums over micro-batches are means at each of them.
  bool runningMeanReduction(Graph& graph) const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
