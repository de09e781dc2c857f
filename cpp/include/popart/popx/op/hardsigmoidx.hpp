// alpha * x + beta, between 0 and 1, and its variant in place.
// After popart/popx/op/hardsigmoidx.hpp of PopART 3.
#ifndef popart_popx_op_hardsigmoidx_hpp
#define popart_popx_op_hardsigmoidx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class HardSigmoidComputex : public EwuComputex {
 public:
  HardSigmoidComputex(float alpha, float beta) : alpha_(alpha), beta_(beta) {}
  ~HardSigmoidComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float alpha, float beta) {
    return std::unique_ptr<EwuComputex>(new HardSigmoidComputex(alpha, beta));
  }
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }

 private:
  float alpha_, beta_;
};

/// Of an operator of HardSigmoidOp's class, or of one derived from it.
class HardSigmoidOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  HardSigmoidOpx(Op* op, Devicex* devicex);
  ~HardSigmoidOpx() override;
};

/// As HardSigmoidOpx.
class HardSigmoidInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  HardSigmoidInplaceOpx(Op* op, Devicex* devicex);
  ~HardSigmoidInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
