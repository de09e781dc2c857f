// Reshape. After popart/op/reshape.hpp of PopART 3.
#ifndef popart_op_reshape_hpp
#define popart_op_reshape_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// One input; the output has the same elements in another shape.
class ReshapeBaseOp : public Op {
 public:
  ReshapeBaseOp(const OperatorIdentifier& opid, const Shape& shape, const Op::Settings& settings,
                bool handleZero = true)
      : Op(opid, settings), outShape_(shape), handleZero_(handleZero) {}
  /// The output shape is inferred by the compiler, or set by setOutShape().
  ReshapeBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings,
                bool handleZero = true)
      : ReshapeBaseOp(opid, {}, settings, handleZero) {}
  ~ReshapeBaseOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// In the output shape, -1 is inferred from the number of elements. 0 copies the input's size if
  /// `handleZero`.
  view::RegMap fwdRegMap(InIndex in, OutIndex out) const override;
  view::RegMap bwdRegMap(InIndex in, OutIndex out) const override;
  void setup() final;
  void setOutShape(const Shape& shape);
  const Shape& getOutShape() const { return outShape_; }
  bool canBeReplacedByIdentity() const override;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }

 private:
  Shape outShape_;
  bool handleZero_;
};

class ReshapeOp : public ReshapeBaseOp {
 public:
  using ReshapeBaseOp::ReshapeBaseOp;
  ~ReshapeOp() override;

  std::unique_ptr<Op> clone() const override;
  bool isOutplaceViewChange() const override { return true; }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its output is a view of its input.
class ReshapeInplaceOp : public ReshapeBaseOp {
 public:
  using ReshapeBaseOp::ReshapeBaseOp;
  explicit ReshapeInplaceOp(const ReshapeOp& op);
  ReshapeInplaceOp(const ReshapeInplaceOp&) = default;
  ~ReshapeInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  bool isInplaceViewChange() const override { return true; }
  view::Regions aliases(InIndex in, OutIndex) const override { return uses(in); }
};

/// Its gradient: g in the shape of the input.
class ReshapeGradOp : public ReshapeOp, public builtin::Origin {
 public:
  explicit ReshapeGradOp(const ReshapeOp& fwdOp);
  ~ReshapeGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return builtin::ofResult; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return builtin::ofInput; }
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
