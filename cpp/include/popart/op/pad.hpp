// Elements around a tensor. After popart/op/pad.hpp of PopART 3.
#ifndef popart_op_pad_hpp
#define popart_op_pad_hpp

#include <popart/op/builtin.hpp>
#include <popart/slicestruct.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Base of what adds elements: `pads` has a number for each dimension in front, then for each
/// behind; negative ones cut off. `mode` is constant (the added elements are `value`), reflect or
/// edge. `flips` are dimensions to reverse.
class BasePadOp : public Op {
 public:
  BasePadOp(const OperatorIdentifier& opid, const std::vector<int64_t>& pads,
            const std::vector<unsigned>& flips, float value, const std::string& mode,
            const Op::Settings& settings);
  ~BasePadOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// \throws error for pads that do not fit the input
  void setup() final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }

  /// Whether nothing is added nor cut off.
  bool padSizeZero() const;
  /// The part of the output that shows the input.
  view::Region valueRegion() const;
  /// The dimensions with a pad.
  std::vector<int64_t> padDimensions() const;
  int64_t getRank() const { return static_cast<int64_t>(getPads().size() / 2); }
  int64_t getLowerPadding(std::size_t dim) const { return getPads()[dim]; }
  int64_t getUpperPadding(std::size_t dim) const { return getPads()[dim + getPads().size() / 2]; }
  std::vector<std::ptrdiff_t> getLowerPadding() const;
  std::vector<std::ptrdiff_t> getUpperPadding() const;
  std::vector<Slice> getSlices() const;
  /// Those of the constructor; else, of an operator that has them as input 1, the constant there.
  const std::vector<int64_t>& getPads() const;
  const std::vector<unsigned>& getFlips() const { return flips_; }
  const std::string& getMode() const { return mode_; }
  float getPadValue() const { return value_; }
  view::RegMap fwdRegMap(InIndex in, OutIndex out) const final;
  view::RegMap bwdRegMap(InIndex in, OutIndex out) const final;

 private:
  mutable std::vector<int64_t> pads_;
  std::vector<unsigned> flips_;
  float value_;
  std::string mode_;
};

class BasePadOutplaceOp : public BasePadOp {
 public:
  using BasePadOp::BasePadOp;
  ~BasePadOutplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  bool canBeReplacedByIdentity() const override { return padSizeZero() && getFlips().empty(); }
};

/// ONNX's Pad.
class PadOp : public BasePadOutplaceOp {
 public:
  using BasePadOutplaceOp::BasePadOutplaceOp;
  ~PadOp() override;

  std::unique_ptr<Op> clone() const final;
  /// A PadGradOp.
  /// \throws error if there is none for it
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

/// For patterns that look for it: its output shows its input. The compiler pads into new memory, has
/// none of these, and no lowering for it.
class PadInplaceOp : public BasePadOp {
 public:
  explicit PadInplaceOp(const BasePadOutplaceOp& op);
  ~PadInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  view::Regions aliases(InIndex in, OutIndex out) const override;
  view::Regions uses(InIndex index) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
