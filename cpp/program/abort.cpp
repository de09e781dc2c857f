#include <popir/Abort.hpp>
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/kernel.hpp"
#include "kernels/saved_kernel.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popir {
namespace {

class AbortRunner final : public Runner {
 public:
  AbortRunner(std::string text, std::int64_t elements)
      : text_(std::move(text)), elements_(elements) {}

  void run(void* const* operands, void*) const override {
    const auto* condition = static_cast<const unsigned char*>(operands[0]);
    if (std::any_of(condition, condition + elements_, [](unsigned char c) { return c != 0; }))
      throw poplar::application_runtime_error(text_);
  }

 private:
  std::string text_;
  std::int64_t elements_;
};

class AbortKernel final : public Kernel {
 public:
  explicit AbortKernel(std::string text) : text_(std::move(text)) {}
  const char* name() const override { return "abort"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting&) const override {
    return std::make_unique<AbortRunner>(text_, operands[0].elements());
  }
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override {
    requireOperands(operands, 1);
    requireOperand(operands[0], Access::Read, poplar::BOOL, operands[0].shape);
  }
  Work work(const std::vector<Layout>&) const override { return {"abort", UnknownWork{}}; }
  bool hasEffects() const override { return true; }

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(text_); }

 private:
  std::string text_;
};

const SavedKernel<AbortKernel> kSavedAbort("abort");

}  // namespace

void abortOnCondition(poplar::Graph& graph, const poplar::Tensor& condition,
                      const std::string& text, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext) {
  if (condition.elementType() != poplar::BOOL)
    throw poputil::poplibs_error("abortOnCondition: the condition is of type " +
                                 condition.elementType().toString() + "; expected is BOOL");
  addBulkVertex(graph, prog, std::make_shared<AbortKernel>(text), {{condition, Access::Read}},
                debugContext);
}

}  // namespace popir
