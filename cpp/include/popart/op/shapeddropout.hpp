// Dropout by a mask of a smaller shape. After popart/op/shapeddropout.hpp of PopART 3.
#ifndef popart_op_shapeddropout_hpp
#define popart_op_shapeddropout_hpp

#include <popart/op/dropoutbase.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ShapedDropoutOp : public DropoutBaseOp {
 public:
  ShapedDropoutOp(const OperatorIdentifier& opid, float ratio, const Shape& shape,
                  const Op::Settings& settings)
      : DropoutBaseOp(opid, ratio, settings), shape_(shape) {}
  ~ShapedDropoutOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getInIndex()); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  const std::vector<int64_t>& getShape() const { return shape_; }

 private:
  std::vector<int64_t> shape_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
