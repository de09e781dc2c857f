// 0.5 x (1 + erf(x / sqrt(2))), and its variant in place.
// After popart/popx/op/geluerfx.hpp of PopART 3.
#ifndef popart_popx_op_geluerfx_hpp
#define popart_popx_op_geluerfx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class GeluErfComputex : public EwuComputex {
 public:
  GeluErfComputex() = default;
  ~GeluErfComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new GeluErfComputex());
  }
};

class GeluErfOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  GeluErfOpx(Op* op, Devicex* devicex);
  ~GeluErfOpx() override;
};

class GeluErfInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  GeluErfInplaceOpx(Op* op, Devicex* devicex);
  ~GeluErfInplaceOpx() override;
};

/// The gradient, of that of the output and the input of the operator.
class GeluErfGradOpx : public Opx {
 public:
  GeluErfGradOpx(Op* op, Devicex* devicex);
  ~GeluErfGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
