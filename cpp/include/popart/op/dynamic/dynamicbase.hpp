// Bases of slices at offsets that are known at run time. After popart/op/dynamic/dynamicbase.hpp of
// PopART 3.
#ifndef popart_op_dynamic_dynamicbase_hpp
#define popart_op_dynamic_dynamicbase_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A slice of `sizes` along `axes`, at the offsets of input 1. `noOverlap` promises that slices of
/// different offsets are apart, which the compiler does not need.
class DynamicBaseOp : public Op {
 public:
  DynamicBaseOp(const OperatorIdentifier& opid, std::vector<int64_t> axes,
                std::vector<int64_t> sizes, bool noOverlap, const Op::Settings& settings);
  ~DynamicBaseOp() override;

  static InIndex getIndexInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// By default createOutInfo().
  void setup() override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  const std::vector<int64_t>& getAxes() const { return axes; }
  void setAxes(const std::vector<int64_t>& given);
  const std::vector<int64_t>& getSizes() const { return sizes; }
  void setSizes(const std::vector<int64_t>& given);
  bool isNotOverlapping() const { return noOverlap; }
  /// The slice of input 0.
  /// \throws error for axes that it does not have, and for sizes that do not fit these
  TensorInfo createOutInfo() const;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 protected:
  std::vector<int64_t> axes, sizes;
  bool noOverlap;
};

/// Base of operators that return a slice of input 0.
class DynamicSliceBaseOp : public DynamicBaseOp {
 public:
  using DynamicBaseOp::DynamicBaseOp;
  ~DynamicSliceBaseOp() override;

  static InIndex getInIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
};

/// Base of operators that return input 0 with another slice.
class DynamicBinaryBaseOp : public DynamicBaseOp {
 public:
  /// The type and shape of the output are `updateInInfo`, if that has a type, else those of input
  /// 0.
  DynamicBinaryBaseOp(const OperatorIdentifier& opid, std::vector<int64_t> axes,
                      std::vector<int64_t> sizes, bool noOverlap, const Op::Settings& settings,
                      TensorInfo updateInInfo = TensorInfo());
  ~DynamicBinaryBaseOp() override;

  static InIndex getUpdateInIndex() { return 0; }
  static InIndex getIndexInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  const TensorInfo& getUpdateTensorInfo() const { return updateInInfo; }
  void growAliasModel(AliasModel& model) const override;
  poprithms::memory::inplace::Proposal mapInplaceProposal(
      const AliasModel& model, OperatorIdentifier variant) const override;

 protected:
  TensorInfo updateInInfo;
};

/// Its variant in place.
class DynamicBinaryBaseInplaceOp : public DynamicBinaryBaseOp {
 public:
  using DynamicBinaryBaseOp::DynamicBinaryBaseOp;
  ~DynamicBinaryBaseInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions aliases(InIndex in, OutIndex out) const final;
  view::Regions modifies(InIndex index) const final { return aliases(index, 0); }
};

/// Base of operators that return input 0 with input 2 in the place of a slice, or added to it.
class DynamicTernaryBaseOp : public DynamicBinaryBaseOp {
 public:
  using DynamicBinaryBaseOp::DynamicBinaryBaseOp;
  ~DynamicTernaryBaseOp() override;

  static InIndex getUpdateInIndex() { return 0; }
  static InIndex getInIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
};

/// Its variant in place.
class DynamicTernaryBaseInplaceOp : public DynamicTernaryBaseOp {
 public:
  using DynamicTernaryBaseOp::DynamicTernaryBaseOp;
  ~DynamicTernaryBaseInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions aliases(InIndex in, OutIndex out) const final;
  view::Regions modifies(InIndex index) const final { return aliases(index, 0); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
