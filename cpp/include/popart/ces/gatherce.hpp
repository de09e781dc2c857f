// Rows of constants. After popart/ces/gatherce.hpp of PopART 3.
#ifndef popart_ces_gatherce_hpp
#define popart_ces_gatherce_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprGather : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprGather() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
