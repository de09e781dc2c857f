// Every n-th element. After popart/op/subsample.hpp of PopART 3.
#ifndef popart_op_subsample_hpp
#define popart_op_subsample_hpp

#include <popart/op/builtin.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SubsampleOp : public Op {
 public:
  SubsampleOp(const OperatorIdentifier& opid, const std::vector<int64_t>& strides,
              const Op::Settings& settings)
      : Op(opid, settings), strides_(strides) {}
  ~SubsampleOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const std::vector<int64_t>& getStrides() const { return strides_; }
  std::vector<uint32_t> strides_u32() const { return {strides_.begin(), strides_.end()}; }
  bool strideSizeOne() const;
  bool canBeReplacedByIdentity() const override { return strideSizeOne(); }

 private:
  std::vector<int64_t> strides_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
