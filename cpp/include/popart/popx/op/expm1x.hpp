// e to the power of x, less 1, and its variant in place.
// After popart/popx/op/expm1x.hpp of PopART 3.
#ifndef popart_popx_op_expm1x_hpp
#define popart_popx_op_expm1x_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class Expm1Computex : public EwuComputex {
 public:
  Expm1Computex() = default;
  ~Expm1Computex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new Expm1Computex());
  }
};

class Expm1Opx : public ElementWiseUnaryOutplaceOpx {
 public:
  Expm1Opx(Op* op, Devicex* devicex);
  ~Expm1Opx() override;
};

class Expm1InplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  Expm1InplaceOpx(Op* op, Devicex* devicex);
  ~Expm1InplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
