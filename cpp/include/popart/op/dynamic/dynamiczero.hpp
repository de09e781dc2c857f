// A slice becomes zeros. After popart/op/dynamic/dynamiczero.hpp of PopART 3.
#ifndef popart_op_dynamic_dynamiczero_hpp
#define popart_op_dynamic_dynamiczero_hpp

#include <popart/op/dynamic/dynamicbase.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Input 0 with zeros in the place of a slice.
class DynamicZeroOp : public DynamicBinaryBaseOp {
 public:
  using DynamicBinaryBaseOp::DynamicBinaryBaseOp;
  ~DynamicZeroOp() override;
  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
};

/// Its variant in place, which C++ code may make, and Ir::applyInplacePattern makes; the compiler
/// writes in place by itself where it can.
class DynamicZeroInplaceOp : public DynamicBinaryBaseInplaceOp {
 public:
  using DynamicBinaryBaseInplaceOp::DynamicBinaryBaseInplaceOp;
  explicit DynamicZeroInplaceOp(const DynamicZeroOp& op);
  ~DynamicZeroInplaceOp() override;
  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
