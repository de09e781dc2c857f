// Base class of dropout operators. After popart/op/dropoutbase.hpp of PopART 3.
#ifndef popart_op_dropoutbase_hpp
#define popart_op_dropoutbase_hpp

#include <popart/op/randombase.hpp>

#pragma GCC visibility push(default)

namespace popart {

class DropoutBaseOp : public RandomBaseOp {
 public:
  DropoutBaseOp(const OperatorIdentifier& opid, float ratio, const Op::Settings& settings)
      : RandomBaseOp(opid, settings), ratio_(ratio) {}
  ~DropoutBaseOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  InIndex getSeedInIndex() const override { return 1; }
  /// The fraction of elements that become 0.
  float getRatio() const { return ratio_; }
  void setRatio(float ratio);
  bool canBeReplacedByIdentity() const override { return ratio_ == 0; }
  bool canShard() const override { return true; }

 private:
  float ratio_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
