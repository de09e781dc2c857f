// SGD with momentum: what its state becomes for the next step. After popart/op/sgd1acclupdate.hpp of
// PopART 3.
#ifndef popart_op_sgd1acclupdate_hpp
#define popart_op_sgd1acclupdate_hpp

#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// v becomes smm1 v + swd1 w, for the state v (input 0) and the weight w (input 1). The compiler's
/// own step of SGD with momentum is one operator and none of these, and what a library makes of this
/// class has no lowering.
class SGD1AcclUpdateOp : public VarUpdateWithUpdaterOp {
 public:
  SGD1AcclUpdateOp(OptimizerValue initialSmm1, OptimizerValue initialSwd1,
                   const Op::Settings& settings);
  ~SGD1AcclUpdateOp() override;

  static InIndex getSmm1InIndex() { return 2; }
  static InIndex getSwd1InIndex() { return 3; }
  std::unique_ptr<Op> clone() const override;
  /// Those that are not constant.
  std::map<InIndex, TensorId> optimizerInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

  const OptimizerValue initSmm1;  // scaled momentum
  const OptimizerValue initSwd1;  // scaled weight decay
};

}  // namespace popart

#pragma GCC visibility pop

#endif
