// Rounding down, and its variant in place. After popart/popx/op/floorx.hpp of PopART 3.
#ifndef popart_popx_op_floorx_hpp
#define popart_popx_op_floorx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class FloorComputex : public EwuComputex {
 public:
  FloorComputex() = default;
  ~FloorComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new FloorComputex());
  }
};

class FloorOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  FloorOpx(Op* op, Devicex* devicex);
  ~FloorOpx() override;
};

class FloorInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  FloorInplaceOpx(Op* op, Devicex* devicex);
  ~FloorInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
