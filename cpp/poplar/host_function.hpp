// Calls of host functions, as steps of the engine.
#ifndef popir_poplar_host_function_hpp
#define popir_poplar_host_function_hpp

#include <poplar/HostFunctionCallback.hpp>

#include <memory>
#include <string>
#include <vector>

#include "poplar/bulk_vertex.hpp"

namespace popir {

struct ProgramNode;

/// What one engine's host functions are connected to, by their ids.
struct HostFunctionEnd {
  std::string handle;
  std::function<void(poplar::ArrayRef<const void*>, poplar::ArrayRef<void*>)> function;
};
using HostFunctionEnds = std::vector<std::shared_ptr<HostFunctionEnd>>;

/// Operands: inputs, then outputs, all dense.
class HostFunctionKernel final : public Kernel {
 public:
  HostFunctionKernel(std::shared_ptr<HostFunctionEnd> end, std::size_t inputs)
      : end_(std::move(end)), inputs_(inputs) {}
  const char* name() const override { return "host function"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// What the host makes is copied.
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  Work work(const std::vector<Layout>& operands) const override;

 private:
  std::shared_ptr<HostFunctionEnd> end_;
  std::size_t inputs_;
};

/// A program's call of a host function.
std::shared_ptr<const BulkVertex> hostCall(const ProgramNode& node, HostFunctionEnds& ends);

}  // namespace popir

#endif
