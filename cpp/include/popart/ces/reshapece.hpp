// Constants of other shapes. After popart/ces/reshapece.hpp of PopART 3.
#ifndef popart_ces_reshapece_hpp
#define popart_ces_reshapece_hpp

#include <popart/ces/identityce.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprReshape : public ConstExprIdentity {
 public:
  using ConstExprIdentity::ConstExprIdentity;
  ~ConstExprReshape() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
