// The angle of the point (second, first), and its variants in place.
// After popart/popx/op/atan2x.hpp of PopART 3.
#ifndef popart_popx_op_atan2x_hpp
#define popart_popx_op_atan2x_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class Atan2Computex : public EwbComputex {
 public:
  explicit Atan2Computex(EwbComputex::InplacePolicy policy);
  ~Atan2Computex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& a, const poplar::Tensor& b,
                          const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                              poplar::Tensor& tInOut, poplar::Tensor& tIn,
                              const poplar::DebugNameAndId& dnai,
                              const std::string& name) const final;
};

class Atan2Opx : public ElementWiseBinaryOutplaceOpx {
 public:
  Atan2Opx(Op* op, Devicex* devicex);
  ~Atan2Opx() override;
};

class Atan2LhsInplaceOpx : public ElementWiseBinaryInplaceOpx {
 public:
  Atan2LhsInplaceOpx(Op* op, Devicex* devicex);
  ~Atan2LhsInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
