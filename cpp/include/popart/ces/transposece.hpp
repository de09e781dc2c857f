// Constants with other orders of dimensions. After popart/ces/transposece.hpp of PopART 3.
#ifndef popart_ces_transposece_hpp
#define popart_ces_transposece_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprTranspose : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprTranspose() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
