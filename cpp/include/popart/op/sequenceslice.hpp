// Slices of sequences of different lengths. After popart/op/sequenceslice.hpp of PopART 3.
#ifndef popart_op_sequenceslice_hpp
#define popart_op_sequenceslice_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SequenceSliceOp : public Op {
 public:
  SequenceSliceOp(const OperatorIdentifier& opid, bool zeroUnused, const Op::Settings& settings)
      : Op(opid, settings), zeroUnused_(zeroUnused) {}
  ~SequenceSliceOp() override;

  static InIndex getSourceInIndex() { return 0; }
  static InIndex getDestinationInIndex() { return 1; }
  static InIndex getNInIndex() { return 2; }
  static InIndex getSourceOffsetInIndex() { return 3; }
  static InIndex getDestOffsetInIndex() { return 4; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool zeroesUnused() const { return zeroUnused_; }

 private:
  bool zeroUnused_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
