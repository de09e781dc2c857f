// Vectors with one value at given places. After popart/op/onehot.hpp of PopART 3.
#ifndef popart_op_onehot_hpp
#define popart_op_onehot_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class OnehotOp : public Op {
 public:
  OnehotOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings)
      : Op(opid, settings), axis_(axis) {}
  ~OnehotOp() override;

  static InIndex getIndicesInIndex() { return 0; }
  static InIndex getValuesInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

/// The gradient of the two values: sums of that of the result.
class OnehotGradOp : public builtin::GradOp {
 public:
  explicit OnehotGradOp(const OnehotOp& fwdOp);
  ~OnehotGradOp() override;

  static InIndex getGradInIndex() { return 0; }
  static InIndex getIndicesInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  /// The shape of the values.
  const Shape& getOutputShape() const { return forwardInput(*this, 2).shape(); }
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
