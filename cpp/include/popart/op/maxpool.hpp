// Largest elements of windows. After popart/op/maxpool.hpp of PopART 3.
#ifndef popart_op_maxpool_hpp
#define popart_op_maxpool_hpp

#include <popart/op/gradient.hpp>
#include <popart/op/receptive.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class MaxPoolOp : public HasReceptiveFieldOp {
 public:
  MaxPoolOp(const OperatorIdentifier& opid, const std::vector<int64_t>& kernelShape,
            int64_t storageOrder, const HasReceptiveFieldOp::ReceptiveOpAttributes& attributes,
            const Op::Settings& settings)
      : HasReceptiveFieldOp(opid, attributes, settings),
        kernelShape_(kernelShape),
        storageOrder_(storageOrder) {}
  ~MaxPoolOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  /// Windows of one element, one after the other, without padding.
  bool canBeReplacedByIdentity() const override;
  int64_t getNOutChans() const override { return getNInChans(); }
  Shape getSpatialK() const override { return kernelShape_; }
  int64_t getStorageOrder() const { return storageOrder_; }
  /// For popir itself: the attributes of a node.
  Attributes nodeAttributes() const;

 private:
  void setup0() const override {}

  std::vector<int64_t> kernelShape_;
  int64_t storageOrder_;
};

/// Its gradient, of that of the result, the result and the input.
class MaxPoolGradOp : public builtin::GradOp {
 public:
  explicit MaxPoolGradOp(const MaxPoolOp& fwdOp);
  ~MaxPoolGradOp() override;

  static InIndex getPrePooledInIndex() { return 0; }
  static InIndex getPooledInIndex() { return 1; }
  static InIndex getGradPooledInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;

  const Shape creatorSpatialK, creatorStrides, creatorLowerPads, creatorUpperPads;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
