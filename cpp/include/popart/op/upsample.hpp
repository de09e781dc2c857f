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
  /// \throws error unless there is one scale of at least 1 for each dimension
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  UpsampleMode getMode() const { return mode_; }
  /// Those of the constructor; of an operator that has them as input 1, the constant there, once
  /// setup() has run.
  const std::vector<float>& getScales() const { return scales_; }

 private:
  UpsampleMode mode_;
  std::vector<float> scales_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
