// Tensors without an input. After popart/op/init.hpp of PopART 3.
#ifndef popart_op_init_hpp
#define popart_op_init_hpp

#include <popart/op/builtin.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorinfo.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

enum class InitType { NoInit = 0, Zero };

/// A tensor of zeros, or of no defined contents. A model's are other operators before patterns see
/// them; one that a pattern makes is refused when it is lowered.
class InitOp : public Op {
 public:
  /// `batchAxis` is the dimension of the samples, -1 for none.
  InitOp(const OperatorIdentifier& opid, const TensorInfo& info, const TensorType& type,
         const InitType& init, const Op::Settings& settings, const int batchAxis = -1);
  ~InitOp() override;

  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return batchAxis_ != -1; }
  TensorInfo getTensorInfo() const { return info_; }
  TensorType getTensorType() const { return type_; }
  InitType getInitType() const { return init_; }

 private:
  TensorInfo info_;
  TensorType type_;
  InitType init_;
  int batchAxis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
