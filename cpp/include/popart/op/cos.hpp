// The cosine. After popart/op/cos.hpp of PopART 3.
#ifndef popart_op_cos_hpp
#define popart_op_cos_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CosOp : public ElementWiseUnaryOp {
 public:
  CosOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~CosOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  static OperatorIdentifier getOpId(const Ir& ir);
};

/// Its gradient, of that of the result, g, and the input x: -g * sin(x).
class CosGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit CosGradOp(const CosOp& fwdOp);
  ~CosGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
