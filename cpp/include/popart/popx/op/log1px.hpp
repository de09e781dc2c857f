// The natural logarithm of x + 1, and its variant in place.
// After popart/popx/op/log1px.hpp of PopART 3.
#ifndef popart_popx_op_log1px_hpp
#define popart_popx_op_log1px_hpp

#include <popart/popx/op/elementwisex.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class Log1pComputex : public EwuComputex {
 public:
  Log1pComputex() = default;
  ~Log1pComputex() override;

  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const final;
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string& name) const final;
  static std::unique_ptr<EwuComputex> get() {
    return std::unique_ptr<EwuComputex>(new Log1pComputex());
  }
};

class Log1pOpx : public ElementWiseUnaryOutplaceOpx {
 public:
  Log1pOpx(Op* op, Devicex* devicex);
  ~Log1pOpx() override;
};

class Log1pInplaceOpx : public ElementWiseUnaryInplaceOpx {
 public:
  Log1pInplaceOpx(Op* op, Devicex* devicex);
  ~Log1pInplaceOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
