#include "program/host_function.hpp"

#include <poplar/exceptions.hpp>

#include "poplar/program_node.hpp"

namespace poplar {
HostCallback::~HostCallback() = default;
}

namespace popir {
namespace {

class Caller final : public Runner {
 public:
  Caller(std::shared_ptr<HostFunctionEnd> end, std::size_t inputs, std::size_t operands)
      : end_(std::move(end)), inputs_(inputs), operands_(operands) {}

  void run(void* const* operands, void*) const override {
    if (!end_->function)
      throw poplar::runtime_error("Engine::run: host function '" + end_->handle +
                                  "' is not connected; use Engine::connectHostFunction");
    const std::vector<const void*> in(operands, operands + inputs_);
    const std::vector<void*> out(operands + inputs_, operands + operands_);
    end_->function(in, out);
  }

 private:
  std::shared_ptr<HostFunctionEnd> end_;
  std::size_t inputs_, operands_;
};

}  // namespace

std::unique_ptr<Runner> HostFunctionKernel::prepare(const std::vector<Layout>& operands,
                                                    const Setting&) const {
  return std::make_unique<Caller>(end_, inputs_, operands.size());
}

Work HostFunctionKernel::work(const std::vector<Layout>&) const { return {name(), UnknownWork{}}; }

std::shared_ptr<const BulkVertex> hostCall(const ProgramNode& node, HostFunctionEnds& ends) {
  const auto id = static_cast<std::size_t>(node.hostFunction.id());
  if (id >= ends.size()) ends.resize(id + 1);
  if (!ends[id])
    ends[id] =
        std::make_shared<HostFunctionEnd>(HostFunctionEnd{node.hostFunction.handle(), nullptr});
  auto vertex = std::make_shared<BulkVertex>();
  vertex->kernel = std::make_shared<HostFunctionKernel>(ends[id], node.inputs.size());
  for (const auto& t : node.inputs) vertex->operands.push_back({t, Access::Read});
  for (const auto& t : node.outputs) vertex->operands.push_back({t, Access::Write});
  vertex->name = node.name.empty() ? node.hostFunction.handle() : node.name;
  return vertex;
}

}  // namespace popir
