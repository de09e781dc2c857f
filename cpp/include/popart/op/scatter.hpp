// Elements of a tensor, put at given places. After popart/op/scatter.hpp of PopART 3.
#ifndef popart_op_scatter_hpp
#define popart_op_scatter_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ScatterOp : public Op {
 public:
  ScatterOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings)
      : Op(opid, settings), axis_(axis) {}
  ~ScatterOp() override;

  static InIndex dataInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static InIndex updatesInIndex() { return 2; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

/// The gradient of the data.
class ScatterDataGradOp : public builtin::GradOp {
 public:
  ScatterDataGradOp(const ScatterOp& fwdOp, int64_t axis);
  ~ScatterDataGradOp() override;

  static InIndex gradInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex gradOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  int64_t getAxis() const noexcept { return axis_; }

 private:
  int64_t axis_;
};

/// The gradient of the updates.
class ScatterUpdateGradOp : public builtin::GradOp {
 public:
  ScatterUpdateGradOp(const ScatterOp& fwdOp, int64_t axis);
  ~ScatterUpdateGradOp() override;

  static InIndex gradInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex gradOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  int64_t getAxis() const noexcept { return axis_; }

 private:
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
