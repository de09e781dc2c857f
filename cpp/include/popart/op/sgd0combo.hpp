// A step of SGD without momentum as one operator. After popart/op/sgd0combo.hpp of PopART 3.
#ifndef popart_op_sgd0combo_hpp
#define popart_op_sgd0combo_hpp

#include <popart/op/varupdate.hpp>
#include <popart/optimizer.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// What PopART takes apart into accumulation, sum over replicas and SGD0VarUpdateOp. The compiler's
/// graph has none of these; SGD0Decompose takes one of a program's graph apart.
class SGD0ComboOp final : public VarUpdateWithUpdaterOp {
 public:
  /// \throws error for AccumReduce without accumulation
  SGD0ComboOp(OptimizerValue initialSlr, OptimizerValue initialWdsf, bool withGradAccum,
              OptimizerReductionType reductionType, DataType accumType,
              const Op::Settings& settings);
  ~SGD0ComboOp() override;

  static InIndex getSlr0InIndex() { return 2; }
  static InIndex getWdsf0InIndex() { return 3; }
  std::unique_ptr<Op> clone() const override;
  /// Those that are not constant.
  std::map<InIndex, TensorId> optimizerInputs() const override;
  std::set<InIndex> optionalInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// Negative: shared by nothing.
  float getSubgraphValue() const override { return -1.0f; }

  OptimizerValue initSlr0;
  OptimizerValue initWdsf0;
  const bool withGradAccum;
  const OptimizerReductionType reductionType;
  const DataType accumType;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
