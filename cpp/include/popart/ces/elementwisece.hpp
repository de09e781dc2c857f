// Arithmetic with constants. After popart/ces/elementwisece.hpp of PopART 3.
#ifndef popart_ces_elementwisece_hpp
#define popart_ces_elementwisece_hpp

#include <popart/ces/constexpr.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ConstExprAdd : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprAdd() override;
};

class ConstExprDiv : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprDiv() override;
};

class ConstExprMul : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprMul() override;
};

class ConstExprSub : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprSub() override;
};

class ConstExprFmod : public CompilerConstExprOp {
 public:
  using CompilerConstExprOp::CompilerConstExprOp;
  ~ConstExprFmod() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
