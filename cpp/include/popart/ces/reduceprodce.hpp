// Products of constants. After popart/ces/reduceprodce.hpp of PopART 3.
#ifndef popart_ces_reduceprodce_hpp
#define popart_ces_reduceprodce_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprReduceProd : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprReduceProd() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
