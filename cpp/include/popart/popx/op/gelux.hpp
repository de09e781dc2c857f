// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), and its variant in place.
// After popart/popx/op/gelux.hpp of PopART 3.
#ifndef popart_popx_op_gelux_hpp
#define popart_popx_op_gelux_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class GeluComputex : public EwuComputex {
 public:
  GeluComputex() = default;
  ~GeluComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new GeluComputex());
  }
};

class GeluOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  GeluOpx(Op* op, Devicex* devicex);
  ~GeluOpx() override;
};

class GeluInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  GeluInplaceOpx(Op* op, Devicex* devicex);
  ~GeluInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
