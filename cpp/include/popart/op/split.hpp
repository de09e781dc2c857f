// Parts of a tensor along an axis. After popart/op/split.hpp of PopART 3.
#ifndef popart_op_split_hpp
#define popart_op_split_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SplitOp : public Op {
 public:
  SplitOp(const OperatorIdentifier& opid, int64_t axis, const std::vector<int64_t>& split,
          const Op::Settings& settings)
      : Op(opid, settings), axis_(axis), split_(split) {}
  ~SplitOp() override;

  static InIndex getInIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  int64_t getAxis() const { return axis_; }
  /// The sizes of the outputs: those of the constructor; of an operator that has them as input 1, the
  /// constant there; else those that the outputs have.
  std::vector<int64_t> getSplitSizes() const;
  /// For popir itself: those of the constructor.
  const std::vector<int64_t>& givenSizes() const { return split_; }

 private:
  int64_t axis_;
  std::vector<int64_t> split_;
};

/// Its gradient: those of the results, joined.
class SplitGradOp : public builtin::GradOp {
 public:
  SplitGradOp(const SplitOp& fwdOp, const Op::Settings& settings);
  ~SplitGradOp() override;

  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
