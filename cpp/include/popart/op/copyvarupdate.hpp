// A variable that is overwritten. After popart/op/copyvarupdate.hpp of PopART 3.
#ifndef popart_op_copyvarupdate_hpp
#define popart_op_copyvarupdate_hpp

#include <popart/op/varupdate.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Input 1 becomes the variable's value.
class CopyVarUpdateOp : public VarUpdateWithUpdaterOp {
 public:
  explicit CopyVarUpdateOp(const Op::Settings& settings);
  CopyVarUpdateOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~CopyVarUpdateOp() override;

  std::unique_ptr<Op> clone() const override;
  std::map<InIndex, TensorId> optimizerInputs() const override { return {}; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
