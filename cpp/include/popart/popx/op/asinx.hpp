// The arc sine, and its variant in place. After popart/popx/op/asinx.hpp of PopART 3.
#ifndef popart_popx_op_asinx_hpp
#define popart_popx_op_asinx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class AsinComputex : public EwuComputex {
 public:
  AsinComputex() = default;
  ~AsinComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new AsinComputex());
  }
};

class AsinOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  AsinOpx(Op* op, Devicex* devicex);
  ~AsinOpx() override;
};

class AsinInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  AsinInplaceOpx(Op* op, Devicex* devicex);
  ~AsinInplaceOpx() override;
};

/// The gradient, of that of the output and the input of the operator.
class AsinGradOpx : public Opx {
 public:
  AsinGradOpx(Op* op, Devicex* devicex);
  ~AsinGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
