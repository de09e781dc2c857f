// An operator of a tensor and a number. After popart/op/binaryconstscalar.hpp of PopART 3.
#ifndef popart_op_binaryconstscalar_hpp
#define popart_op_binaryconstscalar_hpp

#include <popart/op/elementwise.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// `value` is the argument at index `index` of an operator with two, and the input is the other one. It
/// becomes that operator and a constant before it is lowered (DecomposeBinaryConstScalar).
class BinaryConstScalarOp : public ElementWiseUnaryOp {
 public:
  enum class Type { Add = 0, Sub, Mul, Div, Pow, N };
  /// \throws error for a type that is none, and for an index other than 0 and 1
  BinaryConstScalarOp(const OperatorIdentifier& opid, float value, Type type, int64_t index,
                      const Op::Settings& settings);
  ~BinaryConstScalarOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float value() const { return value_; }
  Type opType() const { return type_; }
  int64_t scalarInIndex() const { return index_; }

 private:
  float value_;
  Type type_;
  int64_t index_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
