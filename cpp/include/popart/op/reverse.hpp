// Dimensions from their ends. After popart/op/reverse.hpp of PopART 3.
#ifndef popart_op_reverse_hpp
#define popart_op_reverse_hpp

#include <popart/op/builtin.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReverseOp : public Op {
 public:
  ReverseOp(const OperatorIdentifier& opid, const Op::Settings& settings,
            const std::vector<int64_t>& dimensions)
      : Op(opid, settings), dimensions_(dimensions) {}
  ~ReverseOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const std::vector<int64_t>& getDimensions() const { return dimensions_; }
  bool canBeReplacedByIdentity() const override { return dimensions_.empty(); }

 private:
  std::vector<int64_t> dimensions_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
