// x where it is above alpha, else 0, and its variant in place.
// After popart/popx/op/thresholdedrelux.hpp of PopART 3.
#ifndef popart_popx_op_thresholdedrelux_hpp
#define popart_popx_op_thresholdedrelux_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ThresholdedReluComputex : public EwuComputex {
 public:
  explicit ThresholdedReluComputex(float alpha) : alpha_(alpha) {}
  ~ThresholdedReluComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float alpha) {
    return std::unique_ptr<EwuComputex>(new ThresholdedReluComputex(alpha));
  }
  float getAlpha() const { return alpha_; }

 private:
  float alpha_;
};

/// Of an operator of ThresholdedReluOp's class, or of one derived from it.
class ThresholdedReluOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  ThresholdedReluOpx(Op* op, Devicex* devicex);
  ~ThresholdedReluOpx() override;
};

/// As ThresholdedReluOpx.
class ThresholdedReluInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  ThresholdedReluInplaceOpx(Op* op, Devicex* devicex);
  ~ThresholdedReluInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
