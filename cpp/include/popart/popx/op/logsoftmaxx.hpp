// Lowerings of LogSoftmax. After popart/popx/op/logsoftmaxx.hpp of PopART 3.
#ifndef popart_popx_op_logsoftmaxx_hpp
#define popart_popx_op_logsoftmaxx_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// As SoftmaxComputex, of the logarithm.
class LogSoftmaxComputex : public EwuComputex {
 public:
  LogSoftmaxComputex(int64_t axis, const std::vector<std::size_t>& outShape)
      : axis_(axis), outShape_(outShape) {}
  ~LogSoftmaxComputex() override;

  using EwuComputex::inplace;
  using EwuComputex::outplace;
  using EwuComputex::reshape;
  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  poplar::Tensor reshape(const poplar::Tensor& tensor) const final;
  static std::unique_ptr<EwuComputex> get(int64_t axis, const std::vector<std::size_t>& outShape) {
    return std::make_unique<LogSoftmaxComputex>(axis, outShape);
  }

 private:
  int64_t axis_;
  std::vector<std::size_t> outShape_;
};

/// For operators that derive from LogSoftmaxOp.
class LogSoftmaxOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  LogSoftmaxOpx(Op* op, Devicex* devicex);
  ~LogSoftmaxOpx() override;
};
class LogSoftmaxInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  LogSoftmaxInplaceOpx(Op* op, Devicex* devicex);
  ~LogSoftmaxInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
