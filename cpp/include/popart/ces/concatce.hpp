// Constants that are joined. After popart/ces/concatce.hpp of PopART 3.
#ifndef popart_ces_concatce_hpp
#define popart_ces_concatce_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprConcat : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprConcat() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
