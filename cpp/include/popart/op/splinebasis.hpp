// Bases of splines. After popart/op/splinebasis.hpp of PopART 3.
#ifndef popart_op_splinebasis_hpp
#define popart_op_splinebasis_hpp

#include <popart/op/builtin.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SplineBasisOp : public Op {
 public:
  SplineBasisOp(const OperatorIdentifier& opid, int64_t degree, const Op::Settings& settings)
      : Op(opid, settings), degree_(degree) {}
  ~SplineBasisOp() override;

  static InIndex pseudoIndex() { return 0; }
  static InIndex kernelSizeIndex() { return 1; }
  static InIndex isOpenSplineIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  static OutIndex outBasisIndex() { return 0; }
  static OutIndex outWeightIndexIndex() { return 1; }
  unsigned getDegree() const noexcept { return static_cast<unsigned>(degree_); }

 private:
  int64_t degree_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
