// e to the power of x, and its variant in place. After popart/popx/op/expx.hpp of PopART 3.
#ifndef popart_popx_op_expx_hpp
#define popart_popx_op_expx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ExpComputex : public EwuComputex {
 public:
  ExpComputex() = default;
  ~ExpComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new ExpComputex());
  }
};

class ExpOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  ExpOpx(Op* op, Devicex* devicex);
  ~ExpOpx() override;
};

class ExpInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  ExpInplaceOpx(Op* op, Devicex* devicex);
  ~ExpInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
