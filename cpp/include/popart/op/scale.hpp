// Products with a number. After popart/op/scale.hpp of PopART 3.
#ifndef popart_op_scale_hpp
#define popart_op_scale_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ScaleOp : public ElementWiseUnaryOp {
 public:
  ScaleOp(const OperatorIdentifier& opid, float scale, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), scale_(scale) {}
  ~ScaleOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void setScaleFactor(float value);
  float getScaleFactor() const { return scale_; }
  bool canBeReplacedByIdentity() const override { return scale_ == 1.0f; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  float scale_;
};

class ScaleInplaceOp : public ElementWiseInplaceUnaryOp {
 public:
  ScaleInplaceOp(const OperatorIdentifier& opid, float scale, const Op::Settings& settings)
      : ElementWiseInplaceUnaryOp(opid, settings), scale_(scale) {}
  explicit ScaleInplaceOp(const ScaleOp& op);
  ~ScaleInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  float getScaleFactor() const { return scale_; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  float scale_;
};

/// Its gradient: g times the scale.
class ScaleGradOp : public ScaleOp, public builtin::Origin {
 public:
  explicit ScaleGradOp(const ScaleOp& fwdOp);
  ~ScaleGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return builtin::ofResult; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return builtin::ofInput; }
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const final {
    return {};
  }
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
