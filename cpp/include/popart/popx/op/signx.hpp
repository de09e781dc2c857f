// -1, 0 or 1 by the sign, and its variant in place. After popart/popx/op/signx.hpp of PopART 3.
#ifndef popart_popx_op_signx_hpp
#define popart_popx_op_signx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SignComputex : public EwuComputex {
 public:
  SignComputex() = default;
  ~SignComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new SignComputex());
  }
};

class SignOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  SignOpx(Op* op, Devicex* devicex);
  ~SignOpx() override;
};

class SignInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  SignInplaceOpx(Op* op, Devicex* devicex);
  ~SignInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
