// x + bias below -lambd, x - bias above lambd, else 0. After popart/op/shrink.hpp of PopART 3.
#ifndef popart_op_shrink_hpp
#define popart_op_shrink_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ShrinkOp : public ElementWiseUnaryOp {
 public:
  ShrinkOp(const OperatorIdentifier& opid, float lambd, float bias, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), lambd_(lambd), bias_(bias) {}
  ~ShrinkOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float lambd() const { return lambd_; }
  float bias() const { return bias_; }

 private:
  float lambd_, bias_;
};

/// Its gradient, of that of the result and the input.
class ShrinkGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit ShrinkGradOp(const ShrinkOp& fwdOp);
  ~ShrinkGradOp() override;

  std::unique_ptr<Op> clone() const final;
  float lambd() const { return lambd_; }
  float bias() const { return bias_; }

 private:
  float lambd_;
  float bias_;
};

/// Its variant in place.
class ShrinkInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit ShrinkInplaceOp(const ShrinkOp& op);
  ~ShrinkInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float lambd() const { return lambd_; }
  float bias() const { return bias_; }

 private:
  float lambd_;
  float bias_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
