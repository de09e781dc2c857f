// A product with a number, and its variant in place. After popart/popx/op/scalex.hpp of PopART 3.
#ifndef popart_popx_op_scalex_hpp
#define popart_popx_op_scalex_hpp

#include <popart/popx/op/elementwisex.hpp>
#include <poplar/Type.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ScaleComputex : public EwuComputex {
 public:
  explicit ScaleComputex(double factor) : scale_factor(factor) {}
  ~ScaleComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(float factor) {
    return std::unique_ptr<EwuComputex>(new ScaleComputex(factor));
  }
  /// The factor as a constant.
  poplar::Tensor getScaleTensor(const poplar::Type& type, poplar::Graph& graph) const;
  /// \throws error if the operator is of another class
  static float getFromScaleOp(Op* op);
  static float getFromScaleInplaceOp(Op* op);

 private:
  double scale_factor;
};

/// Of an operator of ScaleOp's class, or of one derived from it.
class ScaleOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  ScaleOpx(Op* op, Devicex* devicex);
  ~ScaleOpx() override;
};

/// Of an operator of ScaleInplaceOp's class.
class ScaleInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  ScaleInplaceOpx(Op* op, Devicex* devicex);
  ~ScaleInplaceOpx() override;
};

class ScaleGradOpx : public ScaleOpx {
 public:
  ScaleGradOpx(Op* op, Devicex* devicex);
  ~ScaleGradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
