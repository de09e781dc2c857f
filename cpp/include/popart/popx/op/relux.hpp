// max(x, 0), and its variant in place. After popart/popx/op/relux.hpp of PopART 3.
#ifndef popart_popx_op_relux_hpp
#define popart_popx_op_relux_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ReluComputex : public EwuComputex {
 public:
  ReluComputex() = default;
  ~ReluComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new ReluComputex());
  }
};

class ReluOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  ReluOpx(Op* op, Devicex* devicex);
  ~ReluOpx() override;
};

class ReluInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  ReluInplaceOpx(Op* op, Devicex* devicex);
  ~ReluInplaceOpx() override;
};

/// The gradient, of that of the output and the output of the operator.
class ReluGradOpx : public Opx {
 public:
  ReluGradOpx(Op* op, Devicex* devicex);
  ~ReluGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
