// The product, and its variants in place. After popart/popx/op/mulx.hpp of PopART 3.
#ifndef popart_popx_op_mulx_hpp
#define popart_popx_op_mulx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class MulComputex : public EwbComputex {
 public:
  explicit MulComputex(EwbComputex::InplacePolicy policy);
  ~MulComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& a, const poplar::Tensor& b,
                          const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                              poplar::Tensor& tInOut, poplar::Tensor& tIn,
                              const poplar::DebugNameAndId& dnai,
                              const std::string& name) const final;
};

class MulOpx : public ElementWiseBinaryOutplaceOpx {
 public:
  MulOpx(Op* op, Devicex* devicex);
  ~MulOpx() override;
};

class MulLhsInplaceOpx : public ElementWiseBinaryInplaceOpx {
 public:
  MulLhsInplaceOpx(Op* op, Devicex* devicex);
  ~MulLhsInplaceOpx() override;
};

class MulRhsInplaceOpx : public ElementWiseBinaryInplaceOpx {
 public:
  MulRhsInplaceOpx(Op* op, Devicex* devicex);
  ~MulRhsInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
