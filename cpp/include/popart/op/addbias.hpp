// The bias of a convolution. After popart/op/addbias.hpp of PopART 3.
#ifndef popart_op_addbias_hpp
#define popart_op_addbias_hpp

#include <popart/op/identity.hpp>
#include <popart/op/reducesum.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Data [N, C, ...] and a bias [C], which is added to each channel.
class AddBiasOp : public Op {
 public:
  using Op::Op;
  ~AddBiasOp() override;

  static InIndex getDataInIndex() { return 0; }
  static InIndex getBiasInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() final;
  /// \throws error for a bias that is not [C]
  void setup() final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

class AddBiasDataGradOp : public IdentityOp {
 public:
  explicit AddBiasDataGradOp(const AddBiasOp& op);
  ~AddBiasDataGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
};

class AddBiasBiasGradOp : public ReduceSumOp {
 public:
  AddBiasBiasGradOp(const AddBiasOp& op, const std::vector<int64_t>& axes);
  ~AddBiasBiasGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
