// SGD with momentum: what adds a gradient to the accumulator. After popart/op/sgd1accumulate.hpp of
// PopART 1; since then PopART has AccumulateOp alone.
#ifndef popart_op_sgd1accumulate_hpp
#define popart_op_sgd1accumulate_hpp

#include <popart/names.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/optimizervalue.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// v becomes v + dpsf1 u, for the accumulator v (input 0) and the gradient u (input 1): the AccumulateOp
/// of AccumulationType::DampenedAdd. The compiler's own are of this class.
class SGD1AccumulateOp : public AccumulateOp {
 public:
  SGD1AccumulateOp(const TensorId& varToUpdate, OptimizerValue initialDpsf1,
                   const Op::Settings& settings);
  ~SGD1AccumulateOp() override;

  static InIndex getDpsf1InIndex() { return getFactorInIndex(); }
  std::unique_ptr<Op> clone() const override;
  /// The same with another accumulator.
  virtual std::unique_ptr<Op> cloneWithNewName(const TensorId& varToUpdate) const;

  const OptimizerValue initDpsf1;  // scaled dampening
};

}  // namespace popart

#pragma GCC visibility pop

#endif
