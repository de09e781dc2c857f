// Sums of gradients that begin anew. After popart/op/accumulatorzero.hpp of PopART 3.
#ifndef popart_op_accumulatorzero_hpp
#define popart_op_accumulatorzero_hpp

#include <popart/op/accumulatorscale.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Clears its variable. The compiler adds one for each sum of gradients, after the updates.
class AccumulatorZeroOp : public AccumulatorScaleOp {
 public:
  explicit AccumulatorZeroOp(const Op::Settings& settings);
  ~AccumulatorZeroOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
