// A slice. After popart/op/dynamic/dynamicslice.hpp of PopART 3.
#ifndef popart_op_dynamic_dynamicslice_hpp
#define popart_op_dynamic_dynamicslice_hpp

#include <popart/op/dynamic/dynamicbase.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A slice of input 0.
class DynamicSliceOp : public DynamicSliceBaseOp {
 public:
  using DynamicSliceBaseOp::DynamicSliceBaseOp;
  ~DynamicSliceOp() override;
  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;

  /// Memory that PopART may write the slice to; it gives its shape.
  static InIndex getSliceInIndex() { return 2; }
};

/// Its variant in place, which C++ code may make, and Ir::applyInplacePattern makes; the compiler
/// writes in place by itself where it can.
class DynamicSliceInplaceOp : public DynamicSliceOp {
 public:
  using DynamicSliceOp::DynamicSliceOp;
  explicit DynamicSliceInplaceOp(const DynamicSliceOp& op);
  ~DynamicSliceInplaceOp() override;
  std::unique_ptr<Op> clone() const override;

  /// The output is input 2.
  view::Regions modifies(InIndex index) const override { return aliases(index, 0); }
  view::Regions aliases(InIndex in, OutIndex out) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
