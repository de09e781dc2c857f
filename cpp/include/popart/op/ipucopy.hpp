// Copies to another IPU. After popart/op/ipucopy.hpp of PopART 3.
#ifndef popart_op_ipucopy_hpp
#define popart_op_ipucopy_hpp

#include <popart/op.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The IPU that a tensor comes from, and the tensors that come from an IPU.
using SourceIpuMap = std::map<TensorId, VGraphId>;
using SourceTensorMap = std::map<VGraphId, std::vector<TensorId>>;

/// Each output is the input of its index, on the IPU `destIpu`.
class IpuCopyOp : public Op {
 public:
  IpuCopyOp(const OperatorIdentifier& opid, VGraphId destIpu, const Op::Settings& settings)
      : Op(opid, settings), destIpu_(destIpu) {}
  /// For popir itself: a copy that the compiler has made, all of whose inputs are on one IPU.
  IpuCopyOp(const OperatorIdentifier& opid, VGraphId sourceIpu, VGraphId destIpu,
            const Op::Settings& settings)
      : Op(opid, settings), sourceIpu_(sourceIpu), destIpu_(destIpu) {}
  ~IpuCopyOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override;
  /// Connects an input that is on `sourceIpu`.
  void connectInTensor(InIndex index, TensorId tensorId, VGraphId sourceIpu) override;
  void disconnectInTensor(InIndex index, Tensor* tensor);
  using Op::disconnectInTensor;
  VGraphId getDestIpu() const { return destIpu_; }
  SourceIpuMap getSourceIpus() const;
  SourceTensorMap getSourceTensors() const;
  /// \throws error for a tensor that is no input
  VGraphId getSourceIpu(const TensorId& tensorId) const;
  /// The one of all inputs.
  /// \throws error if they are on several
  VGraphId getSourceIpu() const;
  VGraphId getMinSourceIpu() const;
  VGraphId getMaxSourceIpu() const;
  /// "[0] --> [1]".
  std::string getFromToStr() const;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool isOutlineable() const override { return false; }
  bool isIpuCopyOp() const override { return true; }
  /// Whether an input is what an optimizer gives, such as a learning rate.
  bool copiesOptimizerTensors() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  using Op::getIntrospectionInVirtualGraphId;
  using Op::getIntrospectionOutVirtualGraphId;
  VGraphIdAndTileSet getIntrospectionInVirtualGraphId(InIndex index,
                                                      std::set<OpId>& visited) const override;
  VGraphIdAndTileSet getIntrospectionOutVirtualGraphId(OutIndex index,
                                                       std::set<OpId>& visited) const override;

 private:
  /// Of a tensor whose IPU is known: Tensor::getVirtualGraphId().
  /// \throws error for another one
  void connectInTensor(InIndex index, TensorId tensorId) override;

  SourceIpuMap sources_;
  VGraphId sourceIpu_ = unusedVGraphId;
  VGraphId destIpu_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
