// Marks of tensors that a loss scaling follows. After popart/op/autolossscaleproxy.hpp of PopART 3.
#ifndef popart_op_autolossscaleproxy_hpp
#define popart_op_autolossscaleproxy_hpp

#include <popart/op/elementwise.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// What PopART puts behind a tensor whose gradient the automatic loss scaling is to follow, until it
/// has the gradient. The compiler's graph has none of these, and what a library makes of one has no
/// lowering.
class AutoLossScaleProxyOp : public ElementWiseUnaryOp {
 public:
  AutoLossScaleProxyOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~AutoLossScaleProxyOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class AutoLossScaleProxyGradOp : public AutoLossScaleProxyOp {
 public:
  explicit AutoLossScaleProxyGradOp(const AutoLossScaleProxyOp& op);
  ~AutoLossScaleProxyGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
