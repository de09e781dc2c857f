// Products of constants. After popart/ces/reduceprodce.hpp of PopART 3.
#ifndef popart_ces_reduceprodce_hpp
#define popart_ces_reduceprodce_hpp

#include <popart/ces/constexpr.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprReduceProd : public ConstExprOp {
 public:
  using ConstExprOp::ConstExprOp;
  ~ConstExprReduceProd() override;
  std::vector<char> compute() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
