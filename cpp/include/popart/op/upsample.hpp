// Enlarged images. After popart/op/upsample.hpp of PopART 3.
#ifndef popart_op_upsample_hpp
#define popart_op_upsample_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class UpsampleMode { Nearest, Linear, N };
std::string toString(const UpsampleMode& mode);
std::ostream& operator<<(std::ostream& os, const UpsampleMode& mode);

class UpsampleOp : public Op {
 public:
  UpsampleOp(const OperatorIdentifier& opid, const Op::Settings& settings, UpsampleMode mode,
             const std::vector<float>& scales)
      : Op(opid, settings), mode_(mode), scales_(scales) {}
  ~UpsampleOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  UpsampleMode getMode() const { return mode_; }
  /// Those of the constructor; an operator of version 9 has them as its second input.
  const std::vector<float>& getScales() const { return scales_; }

 private:
  UpsampleMode mode_;
  std::vector<float> scales_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
