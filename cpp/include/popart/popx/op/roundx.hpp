// Rounding, with halves away from zero as Round of ai.graphcore, and its variant in place.
// After popart/popx/op/roundx.hpp of PopART 3.
#ifndef popart_popx_op_roundx_hpp
#define popart_popx_op_roundx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class RoundComputex : public EwuComputex {
 public:
  RoundComputex() = default;
  ~RoundComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new RoundComputex());
  }
};

class RoundOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  RoundOpx(Op* op, Devicex* devicex);
  ~RoundOpx() override;
};

class RoundInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  RoundInplaceOpx(Op* op, Devicex* devicex);
  ~RoundInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
