// gamma * x where x is positive, else gamma * alpha * (exp(x) - 1), and its variant in place.
// After popart/popx/op/selux.hpp of PopART 3.
#ifndef popart_popx_op_selux_hpp
#define popart_popx_op_selux_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SeluComputex : public EwuComputex {
 public:
  SeluComputex(float alpha, float gamma) : alpha_(alpha), gamma_(gamma) {}
  ~SeluComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float alpha, float gamma) {
    return std::unique_ptr<EwuComputex>(new SeluComputex(alpha, gamma));
  }
  float getAlpha() const { return alpha_; }
  float getGamma() const { return gamma_; }

 private:
  float alpha_, gamma_;
};

/// Of an operator of SeluOp's class, or of one derived from it.
class SeluOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  SeluOpx(Op* op, Devicex* devicex);
  ~SeluOpx() override;
};

/// As SeluOpx.
class SeluInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  SeluInplaceOpx(Op* op, Devicex* devicex);
  ~SeluInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
