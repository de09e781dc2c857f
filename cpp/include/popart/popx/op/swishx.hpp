// x * sigmoid(x), and its variant in place. After popart/popx/op/swishx.hpp of PopART 3.
#ifndef popart_popx_op_swishx_hpp
#define popart_popx_op_swishx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SwishComputex : public EwuComputex {
 public:
  SwishComputex() = default;
  ~SwishComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new SwishComputex());
  }
};

class SwishOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  SwishOpx(Op* op, Devicex* devicex);
  ~SwishOpx() override;
};

class SwishInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  SwishInplaceOpx(Op* op, Devicex* devicex);
  ~SwishInplaceOpx() override;
};

/// The gradient, of that of the output and the input of the operator.
class SwishGradOpx : public Opx {
 public:
  SwishGradOpx(Op* op, Devicex* devicex);
  ~SwishGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
