// Means of windows. After popart/op/averagepool.hpp of PopART 3.
#ifndef popart_op_averagepool_hpp
#define popart_op_averagepool_hpp

#include <popart/op/receptive.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AveragePoolOp : public HasReceptiveFieldOp {
 public:
  AveragePoolOp(const OperatorIdentifier& opid, int64_t countIncludePad,
                const std::vector<int64_t>& kernelShape,
                const HasReceptiveFieldOp::ReceptiveOpAttributes& attributes,
                const Op::Settings& settings)
      : HasReceptiveFieldOp(opid, attributes, settings),
        kernelShape_(kernelShape),
        countIncludePad_(countIncludePad) {}
  ~AveragePoolOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  /// Windows of one element, one after the other, without padding.
  bool canBeReplacedByIdentity() const override;
  int64_t getNOutChans() const override { return getNInChans(); }
  Shape getSpatialK() const override { return kernelShape_; }
  int64_t getCountIncludePad() const { return countIncludePad_; }
  /// For popir itself: the attributes of a node.
  Attributes nodeAttributes() const;

 private:
  void setup0() const override {}

  std::vector<int64_t> kernelShape_;
  int64_t countIncludePad_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
