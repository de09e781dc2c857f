// Every n-th element. After popart/op/subsample.hpp of PopART 3.
#ifndef popart_op_subsample_hpp
#define popart_op_subsample_hpp

#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SubsampleBaseOp : public Op {
 public:
  SubsampleBaseOp(const OperatorIdentifier& opid, const std::vector<int64_t>& strides_,
                  const Op::Settings& settings)
      : Op(opid, settings), strides(strides_) {}
  ~SubsampleBaseOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const std::vector<int64_t>& getStrides() const { return strides; }
  std::vector<uint32_t> strides_u32() const { return {strides.begin(), strides.end()}; }
  bool strideSizeOne() const;
  bool canBeReplacedByIdentity() const override { return strideSizeOne(); }

  std::vector<int64_t> strides;
};

class SubsampleOp : public SubsampleBaseOp {
 public:
  using SubsampleBaseOp::SubsampleBaseOp;
  ~SubsampleOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
};

/// Its output shows its input.
class SubsampleInplaceOp : public SubsampleBaseOp, public builtin::Origin {
 public:
  explicit SubsampleInplaceOp(const SubsampleOp& op);
  ~SubsampleInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  view::Regions aliases(InIndex in, OutIndex) const final { return uses(in); }
};

/// Their gradient: that of the result in the places that were taken, 0 elsewhere.
class SubsampleGradOp : public builtin::GradOp {
 public:
  explicit SubsampleGradOp(const SubsampleBaseOp& fwdOp);
  ~SubsampleGradOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  const std::vector<int64_t>& getStrides() const { return strides_; }
  std::vector<uint32_t> strides_u32() const { return {strides_.begin(), strides_.end()}; }
  const Shape& getFwdInputShape() const { return forwardInput(*this, 0).shape(); }

 private:
  std::vector<int64_t> strides_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
