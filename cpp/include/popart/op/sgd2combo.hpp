// A step of SGD with momentum and two states. After popart/op/sgd2combo.hpp of PopART 3.
#ifndef popart_op_sgd2combo_hpp
#define popart_op_sgd2combo_hpp

#include <popart/op/sgdcombobase.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Sums of gradients are kept apart from the momentum. The sum over replicas is of gradients, or of
/// their sums over micro-batches.
class SGD2ComboOp final : public SGDMComboBaseOp {
 public:
  /// \throws error for AcclReduce, for AccumReduce without accumulation, and for types other than
  /// FLOAT and FLOAT16
  SGD2ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
              OptimizerValue initialSlr1, bool withGradAccum, OptimizerReductionType reductionType,
              DataType accumType, DataType accl1Type, const Op::Settings& settings);
  SGD2ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
              OptimizerValue initialSlr1, OptimizerValue initialMm, OptimizerValue initialWd,
              OptimizerValue initialNgsf2, OptimizerValue initialNdsf2, bool withGradAccum,
              OptimizerReductionType reductionType, DataType accumType, DataType accl1Type,
              const Op::Settings& settings);
  ~SGD2ComboOp() override;
  std::unique_ptr<Op> clone() const override;

  const bool withGradAccum;
  const DataType accumType;
  const DataType accl1Type;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
