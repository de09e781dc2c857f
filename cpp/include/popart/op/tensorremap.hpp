// A tensor with another layout. After popart/op/tensorremap.hpp of PopART 3.
#ifndef popart_op_tensorremap_hpp
#define popart_op_tensorremap_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// What is laid anew: the tensor and, the other way round or in the same way, its gradient; or the
/// tensor alone.
enum class TensorRemapType { FwdBwdReverse = 0, FwdBwd, Fwd };

class TensorRemapOp : public Op {
 public:
  TensorRemapOp(const OperatorIdentifier& opid, const TensorRemapType& type,
                const Op::Settings& settings)
      : Op(opid, settings), type_(type) {}
  TensorRemapOp(const TensorRemapOp&) = default;
  ~TensorRemapOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getRefInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getInIndex()); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  TensorRemapType getTensorRemapType() const { return type_; }

 private:
  TensorRemapType type_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
