// The remainder with the dividend's sign. After popart/op/fmod.hpp of PopART 3.
#ifndef popart_op_fmod_hpp
#define popart_op_fmod_hpp

#include <popart/op/elementwise.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class FmodOp : public ElementWiseBinaryOp {
 public:
  FmodOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~FmodOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// The gradient of input 0; the compiler alone has one of input 1.
class FmodArg0GradOp : public ElementWiseBinaryArg0GradOp {
 public:
  FmodArg0GradOp(const FmodOp& op, const std::vector<int64_t>& reductionAxes);
  ~FmodArg0GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
