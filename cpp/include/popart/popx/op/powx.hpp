// The power, and its variants in place. After popart/popx/op/powx.hpp of PopART 3.
#ifndef popart_popx_op_powx_hpp
#define popart_popx_op_powx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class PowComputex : public EwbComputex {
 public:
  explicit PowComputex(EwbComputex::InplacePolicy policy);
  ~PowComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& a, const poplar::Tensor& b,
                          const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                              poplar::Tensor& tInOut, poplar::Tensor& tIn,
                              const poplar::DebugNameAndId& dnai,
                              const std::string& name) const final;
};

class PowOpx : public ElementWiseBinaryOutplaceOpx {
 public:
  PowOpx(Op* op, Devicex* devicex);
  ~PowOpx() override;
};

class PowLhsInplaceOpx : public ElementWiseBinaryInplaceOpx {
 public:
  PowLhsInplaceOpx(Op* op, Devicex* devicex);
  ~PowLhsInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
