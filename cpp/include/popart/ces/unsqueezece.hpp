// Constants of other shapes. After popart/ces/unsqueezece.hpp of PopART 3.
#ifndef popart_ces_unsqueezece_hpp
#define popart_ces_unsqueezece_hpp

#include <popart/ces/identityce.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprUnsqueeze : public ConstExprIdentity {
 public:
  using ConstExprIdentity::ConstExprIdentity;
  ~ConstExprUnsqueeze() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
