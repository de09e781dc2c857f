// Parts of constants. After popart/ces/slicece.hpp of PopART 3.
#ifndef popart_ces_slicece_hpp
#define popart_ces_slicece_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprSlice : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprSlice() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
