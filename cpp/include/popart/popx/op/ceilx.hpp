// Rounding up, and its variant in place. After popart/popx/op/ceilx.hpp of PopART 3.
#ifndef popart_popx_op_ceilx_hpp
#define popart_popx_op_ceilx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class CeilComputex : public EwuComputex {
 public:
  CeilComputex() = default;
  ~CeilComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new CeilComputex());
  }
};

class CeilOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  CeilOpx(Op* op, Devicex* devicex);
  ~CeilOpx() override;
};

class CeilInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  CeilInplaceOpx(Op* op, Devicex* devicex);
  ~CeilInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
