// x / (1 + |x|), and its variant in place. After popart/popx/op/softsignx.hpp of PopART 3.
#ifndef popart_popx_op_softsignx_hpp
#define popart_popx_op_softsignx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SoftSignComputex : public EwuComputex {
 public:
  SoftSignComputex() = default;
  ~SoftSignComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new SoftSignComputex());
  }
};

class SoftSignOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  SoftSignOpx(Op* op, Devicex* devicex);
  ~SoftSignOpx() override;
};

class SoftSignInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  SoftSignInplaceOpx(Op* op, Devicex* devicex);
  ~SoftSignInplaceOpx() override;
};

/// The gradient, of that of the output and the input of the operator.
class SoftSignGradOpx : public Opx {
 public:
  SoftSignGradOpx(Op* op, Devicex* devicex);
  ~SoftSignGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
