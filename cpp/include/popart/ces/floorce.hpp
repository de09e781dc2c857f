// Constants that are rounded down. After popart/ces/floorce.hpp of PopART 3.
#ifndef popart_ces_floorce_hpp
#define popart_ces_floorce_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprFloor : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprFloor() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
