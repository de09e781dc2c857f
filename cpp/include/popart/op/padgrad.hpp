// The gradient of a pad. After popart/op/padgrad.hpp of PopART 3.
#ifndef popart_op_padgrad_hpp
#define popart_op_padgrad_hpp

#include <popart/op/slice.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The part of the gradient that shows the input. Of pads with constants alone.
class PadGradOp : public SliceOp {
 public:
  /// \throws error for another mode, and for an operator that cuts off or reverses
  explicit PadGradOp(const PadOp& fwdOp);
  ~PadGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
