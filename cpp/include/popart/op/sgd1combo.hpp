// A step of SGD with momentum and one state. After popart/op/sgd1combo.hpp of PopART 3.
#ifndef popart_op_sgd1combo_hpp
#define popart_op_sgd1combo_hpp

#include <popart/op/sgdcombobase.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class SGD1ComboOp final : public SGDMComboBaseOp {
 public:
  SGD1ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
              OptimizerValue initialSlr1, OptimizerReductionType reductionType,
              const Op::Settings& settings);
  SGD1ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
              OptimizerValue initialSlr1, OptimizerValue initialMm, OptimizerValue initialWd,
              OptimizerValue initialNgsf1, OptimizerValue initialNdsf1,
              OptimizerReductionType reductionType, const Op::Settings& settings);
  ~SGD1ComboOp() override;
  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
