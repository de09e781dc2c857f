// Dimensions from their ends. After popart/op/reverse.hpp of PopART 3.
#ifndef popart_op_reverse_hpp
#define popart_op_reverse_hpp

#include <popart/op/gradient.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReverseBaseOp : public Op {
 public:
  ReverseBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings,
                const std::vector<int64_t>& dimensions)
      : Op(opid, settings), dimensions_(dimensions) {}
  ~ReverseBaseOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const std::vector<int64_t>& getDimensions() const { return dimensions_; }
  bool canBeReplacedByIdentity() const override { return dimensions_.empty(); }

 private:
  std::vector<int64_t> dimensions_;
};

class ReverseOp : public ReverseBaseOp {
 public:
  using ReverseBaseOp::ReverseBaseOp;
  ~ReverseOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its output shows its input.
class ReverseInplaceOp : public ReverseBaseOp, public builtin::Origin {
 public:
  explicit ReverseInplaceOp(const ReverseOp& op);
  ~ReverseInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  view::Regions aliases(InIndex in, OutIndex) const final { return uses(in); }
};

/// Its gradient: g the other way round, too.
class ReverseGradOp : public ReverseOp, public builtin::Origin {
 public:
  explicit ReverseGradOp(const ReverseOp& fwdOp);
  ~ReverseGradOp() override;

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
