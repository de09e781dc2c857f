// Casts of constants. After popart/ces/castce.hpp of PopART 3.
#ifndef popart_ces_castce_hpp
#define popart_ces_castce_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprCast : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprCast() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
