// x where it is positive, else alpha * (exp(x) - 1), and its variant in place.
// After popart/popx/op/elux.hpp of PopART 3.
#ifndef popart_popx_op_elux_hpp
#define popart_popx_op_elux_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class EluComputex : public EwuComputex {
 public:
  explicit EluComputex(float alpha) : alpha_(alpha) {}
  ~EluComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float alpha) {
    return std::unique_ptr<EwuComputex>(new EluComputex(alpha));
  }
  float alpha() const { return alpha_; }

 private:
  float alpha_;
};

/// Of an operator of EluOp's class, or of one derived from it.
class EluOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  EluOpx(Op* op, Devicex* devicex);
  ~EluOpx() override;
};

/// As EluOpx.
class EluInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  EluInplaceOpx(Op* op, Devicex* devicex);
  ~EluInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
