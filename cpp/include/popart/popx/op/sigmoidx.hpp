// 1 / (1 + exp(-x)), and its variant in place. After popart/popx/op/sigmoidx.hpp of PopART 3.
#ifndef popart_popx_op_sigmoidx_hpp
#define popart_popx_op_sigmoidx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SigmoidComputex : public EwuComputex {
 public:
  SigmoidComputex() = default;
  ~SigmoidComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new SigmoidComputex());
  }
};

class SigmoidOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  SigmoidOpx(Op* op, Devicex* devicex);
  ~SigmoidOpx() override;
};

class SigmoidInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  SigmoidInplaceOpx(Op* op, Devicex* devicex);
  ~SigmoidInplaceOpx() override;
};

/// The gradient, of that of the output and the output of the operator.
class SigmoidGradOpx : public ElementWiseUnaryOpx {
 public:
  SigmoidGradOpx(Op* op, Devicex* devicex);
  ~SigmoidGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
