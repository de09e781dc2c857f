// The arc tangent, and its variant in place. After popart/popx/op/atanx.hpp of PopART 3.
#ifndef popart_popx_op_atanx_hpp
#define popart_popx_op_atanx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class AtanComputex : public EwuComputex {
 public:
  AtanComputex() = default;
  ~AtanComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new AtanComputex());
  }
};

class AtanOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  AtanOpx(Op* op, Devicex* devicex);
  ~AtanOpx() override;
};

class AtanInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  AtanInplaceOpx(Op* op, Devicex* devicex);
  ~AtanInplaceOpx() override;
};

/// The gradient, of that of the output and the input of the operator.
class AtanGradOpx : public Opx {
 public:
  AtanGradOpx(Op* op, Devicex* devicex);
  ~AtanGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
