// The sum of two tensors, and its variants in place. After popart/popx/op/addx.hpp of PopART 3.
#ifndef popart_popx_op_addx_hpp
#define popart_popx_op_addx_hpp

#include <popart/popx/op/elementwisex.hpp>
#include <popart/popx/op/reducesumx.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class AddComputex : public EwbComputex {
 public:
  explicit AddComputex(EwbComputex::InplacePolicy policy);
  ~AddComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& a, const poplar::Tensor& b,
                          const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                              poplar::Tensor& tInOut, poplar::Tensor& tIn,
                              const poplar::DebugNameAndId& dnai,
                              const std::string& name) const override;
};

class AddOpx : public ElementWiseBinaryOutplaceOpx {
 public:
  AddOpx(Op* op, Devicex* devicex);
  ~AddOpx() override;
};

class AddLhsInplaceOpx : public ElementWiseBinaryInplaceOpx {
 public:
  AddLhsInplaceOpx(Op* op, Devicex* devicex);
  ~AddLhsInplaceOpx() override;
};

class AddRhsInplaceOpx : public ElementWiseBinaryInplaceOpx {
 public:
  AddRhsInplaceOpx(Op* op, Devicex* devicex);
  ~AddRhsInplaceOpx() override;
};

/// The gradient of an input: a sum over the dimensions that were broadcast.
class AddArg0GradOpx : public ReduceSumOpx {
 public:
  AddArg0GradOpx(Op* op, Devicex* devicex);
  ~AddArg0GradOpx() override;
};

class AddArg1GradOpx : public ReduceSumOpx {
 public:
  AddArg1GradOpx(Op* op, Devicex* devicex);
  ~AddArg1GradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
