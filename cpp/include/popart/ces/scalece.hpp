// Constants times a number. After popart/ces/scalece.hpp of PopART 3.
#ifndef popart_ces_scalece_hpp
#define popart_ces_scalece_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprScale : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprScale() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
