// Medians over dimensions, and where they are. After popart/op/reducemedian.hpp of PopART 3.
#ifndef popart_op_reducemedian_hpp
#define popart_op_reducemedian_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceMedianOp : public ReduceOp {
 public:
  using ReduceOp::ReduceOp;
  ~ReduceMedianOp() override;

  static OutIndex getIndicesOutIndex() { return 1; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// The indices are there besides.
  bool canBeReplacedByIdentity() const override { return false; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
