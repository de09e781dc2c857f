// Rounding, with halves to the even integer, and its variant in place.
// After popart/popx/op/nearbyintx.hpp of PopART 3.
#ifndef popart_popx_op_nearbyintx_hpp
#define popart_popx_op_nearbyintx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class NearbyIntComputex : public EwuComputex {
 public:
  NearbyIntComputex() = default;
  ~NearbyIntComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new NearbyIntComputex());
  }
};

class NearbyIntOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  NearbyIntOpx(Op* op, Devicex* devicex);
  ~NearbyIntOpx() override;
};

class NearbyIntInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  NearbyIntInplaceOpx(Op* op, Devicex* devicex);
  ~NearbyIntInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
