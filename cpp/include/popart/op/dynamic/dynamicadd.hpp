// A slice is added to. After popart/op/dynamic/dynamicadd.hpp of PopART 3.
#ifndef popart_op_dynamic_dynamicadd_hpp
#define popart_op_dynamic_dynamicadd_hpp

#include <popart/op/dynamic/dynamicbase.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Input 0 with input 2 added to a slice.
class DynamicAddOp : public DynamicTernaryBaseOp {
 public:
  using DynamicTernaryBaseOp::DynamicTernaryBaseOp;
  ~DynamicAddOp() override;
  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
};

/// Its variant in place, which C++ code may make, and Ir::applyInplacePattern makes; the compiler
/// writes in place by itself where it can.
class DynamicAddInplaceOp : public DynamicTernaryBaseInplaceOp {
 public:
  using DynamicTernaryBaseInplaceOp::DynamicTernaryBaseInplaceOp;
  explicit DynamicAddInplaceOp(const DynamicAddOp& op);
  ~DynamicAddInplaceOp() override;
  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
