// Permutations of dimensions. After popart/op/transpose.hpp of PopART 3.
#ifndef popart_op_transpose_hpp
#define popart_op_transpose_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Base: dimension i of the output is dimension perm[i] of the input. Without `perm`, the dimensions
/// in reverse.
class TransposeBaseOp : public Op {
 public:
  TransposeBaseOp(const OperatorIdentifier& opid, const Shape& perm, const Op::Settings& settings)
      : Op(opid, settings), perm_(perm) {}
  ~TransposeBaseOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// \throws error if `perm` is no permutation of the input's dimensions
  void setup() override;
  view::RegMap fwdRegMap(InIndex in, OutIndex out) const override;
  view::RegMap bwdRegMap(InIndex in, OutIndex out) const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  void setPerm(const Shape& value);
  const Shape& getPerm() const { return perm_; }
  std::vector<uint64_t> getPerm_u64() const { return {perm_.begin(), perm_.end()}; }
  /// The permutation that undoes this one.
  Shape generateReversePermutation() const;

 private:
  Shape perm_;
};

class TransposeOp : public TransposeBaseOp {
 public:
  using TransposeBaseOp::TransposeBaseOp;
  ~TransposeOp() override;

  std::unique_ptr<Op> clone() const override;
  bool isOutplaceViewChange() const override { return true; }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  bool canBeReplacedByIdentity() const override;
  /// A TransposeInplaceOp.
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& variant) const override;
};

/// Its output is a view of its input.
class TransposeInplaceOp : public TransposeBaseOp {
 public:
  TransposeInplaceOp(const OperatorIdentifier& opid, const Shape& perm,
                     const Op::Settings& settings)
      : TransposeBaseOp(opid, perm, settings) {}
  explicit TransposeInplaceOp(const TransposeOp& op);
  ~TransposeInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  bool isInplaceViewChange() const override { return true; }
  view::Regions aliases(InIndex in, OutIndex) const override { return uses(in); }
};

/// Its gradient: the transposition that undoes this one.
class TransposeGradOp : public TransposeOp, public builtin::Origin {
 public:
  explicit TransposeGradOp(const TransposeOp& fwdOp);
  ~TransposeGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return builtin::ofResult; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return builtin::ofInput; }
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
