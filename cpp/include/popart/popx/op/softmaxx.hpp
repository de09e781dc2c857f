// Lowerings of Softmax. After popart/popx/op/softmaxx.hpp of PopART 3.
#ifndef popart_popx_op_softmaxx_hpp
#define popart_popx_op_softmaxx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Softmax over all dimensions from an axis on, as before opset 13. popir's never overflows: the
/// second argument changes nothing.
class SoftmaxComputex : public EwuComputex {
 public:
  SoftmaxComputex(int64_t axis, bool enableNonStable, const std::vector<std::size_t>& outShape)
      : axis_(axis), nonStable_(enableNonStable), outShape_(outShape) {}
  ~SoftmaxComputex() override;

  using EwuComputex::inplace;
  using EwuComputex::outplace;
  using EwuComputex::reshape;
  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get(int64_t axis, bool enableNonStable,
                                          const std::vector<std::size_t>& outShape) {
    return std::make_unique<SoftmaxComputex>(axis, enableNonStable, outShape);
  }
  poplar::Tensor reshape(const poplar::Tensor& tensor) const final;
  void setAxis(int64_t axis) { axis_ = axis; }
  bool isNonStable() const { return nonStable_; }

 private:
  int64_t axis_;
  bool nonStable_;
  std::vector<std::size_t> outShape_;
};

/// For operators that derive from SoftmaxOp.
class SoftmaxOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  SoftmaxOpx(Op* op, Devicex* devicex);
  ~SoftmaxOpx() override;
};
class SoftmaxInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  SoftmaxInplaceOpx(Op* op, Devicex* devicex);
  ~SoftmaxInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
