// Constants of other shapes. After popart/ces/flattence.hpp of PopART 3.
#ifndef popart_ces_flattence_hpp
#define popart_ces_flattence_hpp

#include <popart/ces/identityce.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprFlatten : public ConstExprIdentity {
 public:
  using ConstExprIdentity::ConstExprIdentity;
  ~ConstExprFlatten() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
