// Operators of a tensor and a number. After popart/patterns/decomposebinaryconstscalar.hpp of PopART 3.
#ifndef popart_patterns_decomposebinaryconstscalar_hpp
#define popart_patterns_decomposebinaryconstscalar_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A BinaryConstScalarOp becomes its operator and a constant.
class DecomposeBinaryConstScalar : public PreAliasPattern {
 public:
  ~DecomposeBinaryConstScalar() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
