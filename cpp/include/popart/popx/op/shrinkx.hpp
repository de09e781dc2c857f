// x + bias below -lambd, x - bias above lambd, else 0, and its variant in place.
// After popart/popx/op/shrinkx.hpp of PopART 3.
#ifndef popart_popx_op_shrinkx_hpp
#define popart_popx_op_shrinkx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ShrinkComputex : public EwuComputex {
 public:
  ShrinkComputex(float lambd, float bias) : lambd_(lambd), bias_(bias) {}
  ~ShrinkComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float lambd, float bias) {
    return std::unique_ptr<EwuComputex>(new ShrinkComputex(lambd, bias));
  }
  float lambd() const { return lambd_; }
  float bias() const { return bias_; }

 private:
  float lambd_, bias_;
};

/// Of an operator of ShrinkOp's class, or of one derived from it.
class ShrinkOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  ShrinkOpx(Op* op, Devicex* devicex);
  ~ShrinkOpx() override;
};

/// As ShrinkOpx.
class ShrinkInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  ShrinkInplaceOpx(Op* op, Devicex* devicex);
  ~ShrinkInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
