// Operations on bits. After popart/op/bitwise.hpp of PopART 3.
#ifndef popart_op_bitwise_hpp
#define popart_op_bitwise_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class BitwiseNotOp : public ElementWiseUnaryOp {
 public:
  BitwiseNotOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~BitwiseNotOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// And, or, exclusive or, or the negation of that: `opid` says which.
class BitwiseBinaryOp : public ElementWiseBinaryOp {
 public:
  BitwiseBinaryOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~BitwiseBinaryOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
