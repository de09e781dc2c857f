// The hyperbolic sine, and its variant in place. After popart/popx/op/sinhx.hpp of PopART 3.
#ifndef popart_popx_op_sinhx_hpp
#define popart_popx_op_sinhx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SinhComputex : public EwuComputex {
 public:
  SinhComputex() = default;
  ~SinhComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new SinhComputex());
  }
};

class SinhOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  SinhOpx(Op* op, Devicex* devicex);
  ~SinhOpx() override;
};

class SinhInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  SinhInplaceOpx(Op* op, Devicex* devicex);
  ~SinhInplaceOpx() override;
};

/// The gradient, of that of the output and the input of the operator.
class SinhGradOpx : public Opx {
 public:
  SinhGradOpx(Op* op, Devicex* devicex);
  ~SinhGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
