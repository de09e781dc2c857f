// Calls of host functions, as steps of the engine.
#ifndef popir_program_host_function_hpp
#define popir_program_host_function_hpp

#include <poplar/HostFunctionCallback.hpp>

#include <memory>
#include <string>
#include <vector>

#include "poplar/bulk_vertex.hpp"

namespace popir {

struct ProgramNode;

/// A host function of one engine, and the callback that is connected to it.
struct HostFunctionEnd {
  std::string handle;
  std::function<void(poplar::ArrayRef<const void*>, poplar::ArrayRef<void*>)> function;
};
using HostFunctionEnds = std::vector<std::shared_ptr<HostFunctionEnd>>;

/// Operands: inputs, then outputs, all dense.
class HostFunctionKernel final : public Kernel {
 public:
  HostFunctionKernel(std::shared_ptr<HostFunctionEnd> end, std::size_t inputs,
                     const char* name = "host function")
      : end_(std::move(end)), inputs_(inputs), name_(name) {}
  const char* name() const override { return name_; }
  const HostFunctionEnd& end() const { return *end_; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// The results are copied, not computed, so nothing is rounded.
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  Work work(const std::vector<Layout>& operands) const override;
  /// The callback may do anything.
  bool hasEffects() const override { return true; }

 private:
  std::shared_ptr<HostFunctionEnd> end_;
  std::size_t inputs_;
  const char* name_;
};

/// A program's call of a host function.
std::shared_ptr<const BulkVertex> hostCall(const ProgramNode& node, HostFunctionEnds& ends);

}  // namespace popir

#endif
