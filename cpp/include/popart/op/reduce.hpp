// Base of reductions. After popart/op/reduce.hpp of PopART 3.
#ifndef popart_op_reduce_hpp
#define popart_op_reduce_hpp

#include <popart/op/builtin.hpp>
#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Reduces its input over dimensions, all without `axes`. With `keepdims` these have the size 1 in
/// the output, else they are not there.
class ReduceOp : public Op {
 public:
  ReduceOp(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
           int64_t keepdims, const Op::Settings& settings);
  ~ReduceOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// \throws error for an axis that the input does not have
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  /// Whether nothing is reduced, and the shape stays: where all dimensions have the size 1.
  bool canBeReplacedByIdentity() const override;
  bool canShard() const override { return true; }
  /// -1 if dimension 0 is reduced.
  int getOutBatchAxis(OutIndex) const override;

  /// Once the input is connected, dimensions from 0 on in ascending order. Those of the
  /// constructor; else, of an operator that has them as input 1, the constant there; else all.
  const std::vector<int64_t>& getAxes() const;
  bool getKeepDims() const { return keepdims != 0; }
  /// Of a compiler's operator that has them as an input, an error.
  void setAxes(std::vector<int64_t> value);
  void setKeepDims(int64_t value);
  /// The input's shape with 1 for each reduced dimension.
  const Shape& backwardShape() const;
  /// For popir itself: whether getAxes() are those of the constructor or of setAxes().
  bool hasAxes() const { return !hasDefaultAxes_; }
  /// For popir itself: without axes nothing is reduced, in place of all (`noop_with_empty_axes`).
  void keepAllWithoutAxes() { keepsAll_ = true; }

 protected:
  mutable Shape backward_shape;
  mutable std::vector<int64_t> axes;
  int64_t keepdims;

 private:
  bool hasDefaultAxes_, keepsAll_ = false;
};

/// A base for gradients of reductions: the output has the shape of the reduced input. Its input is
/// the gradient of the result.
class ReduceGradOp : public Op {
 public:
  ReduceGradOp(const OperatorIdentifier& opid, const ReduceOp& forward, const Shape& backwardShape);
  ~ReduceGradOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  const std::vector<int64_t>& getAxes() const { return axes; }
  /// The shape to which the gradient is reshaped before it is broadcast.
  const Shape& backwardShape() const { return backward_shape; }

 protected:
  Shape outputTensorShape;
  const Shape backward_shape;
  std::vector<int64_t> axes;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
