// x where it is positive, else alpha * x, and its variant in place.
// After popart/popx/op/leakyrelux.hpp of PopART 3.
#ifndef popart_popx_op_leakyrelux_hpp
#define popart_popx_op_leakyrelux_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class LeakyReluComputex : public EwuComputex {
 public:
  explicit LeakyReluComputex(float alpha) : alpha_(alpha) {}
  ~LeakyReluComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float alpha) {
    return std::unique_ptr<EwuComputex>(new LeakyReluComputex(alpha));
  }
  float getAlpha() const { return alpha_; }
  /// \throws error if the operator is of another class
  static float getAlphaFromLReluOp(Op* op);

 private:
  float alpha_;
};

/// Of an operator of LeakyReluOp's class, or of one derived from it.
class LeakyReluOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  LeakyReluOpx(Op* op, Devicex* devicex);
  ~LeakyReluOpx() override;
};

/// As LeakyReluOpx.
class LeakyReluInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  LeakyReluInplaceOpx(Op* op, Devicex* devicex);
  ~LeakyReluInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
