// Constants of other shapes. After popart/ces/squeezece.hpp of PopART 3.
#ifndef popart_ces_squeezece_hpp
#define popart_ces_squeezece_hpp

#include <popart/ces/identityce.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprSqueeze : public ConstExprIdentity {
 public:
  using ConstExprIdentity::ConstExprIdentity;
  ~ConstExprSqueeze() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
