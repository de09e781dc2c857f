// Values between two bounds, and the variant in place. After popart/popx/op/clipx.hpp of PopART 3.
#ifndef popart_popx_op_clipx_hpp
#define popart_popx_op_clipx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ClipComputex : public EwuComputex {
 public:
  ClipComputex(float min, float max) : min_(min), max_(max) {}
  ~ClipComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float min, float max) {
    return std::unique_ptr<EwuComputex>(new ClipComputex(min, max));
  }

 private:
  float min_, max_;
};

/// Of an operator of ClipOp's class, or of one derived from it.
class ClipOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  ClipOpx(Op* op, Devicex* devicex);
  ~ClipOpx() override;
};

/// As ClipOpx.
class ClipInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  ClipInplaceOpx(Op* op, Devicex* devicex);
  ~ClipInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
