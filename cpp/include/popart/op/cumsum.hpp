// Running sums along an axis. After popart/op/cumsum.hpp of PopART 3.
#ifndef popart_op_cumsum_hpp
#define popart_op_cumsum_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CumSumOp : public Op {
 public:
  CumSumOp(const OperatorIdentifier& opid, bool exclusive, bool reverse,
           const Op::Settings& settings)
      : Op(opid, settings), exclusive_(exclusive), reverse_(reverse) {}
  ~CumSumOp() override;

  static InIndex xInIndex() { return 0; }
  static InIndex axisInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool getExclusive() const { return exclusive_; }
  bool getReverse() const { return reverse_; }
  /// The constant at the second input; 0 before it is connected.
  int64_t getAxis() const;

 private:
  bool exclusive_;
  bool reverse_;
};

/// Its gradient: sums from the other end.
class CumSumGradOp : public builtin::GradOp {
 public:
  CumSumGradOp(const CumSumOp& fwdOp, bool exclusive, bool reverse, int64_t axis);
  ~CumSumGradOp() override;

  static InIndex outGradXInIndex() { return 0; }
  static InIndex fwdXInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  bool getExclusive() const { return exclusive_; }
  bool getReverse() const { return reverse_; }
  int64_t getAxis() const { return axis_; }

 private:
  bool exclusive_, reverse_;
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
