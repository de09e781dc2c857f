// Constants as they are. After popart/ces/identityce.hpp of PopART 3.
#ifndef popart_ces_identityce_hpp
#define popart_ces_identityce_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprIdentity : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprIdentity() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
