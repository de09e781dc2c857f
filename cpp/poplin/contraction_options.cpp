#include "poplin/contraction_options.hpp"

#include <popops/Cast.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>

#include "kernels/contraction/quarter_kernel.hpp"
#include "poplar/library_options.hpp"

namespace popir {
namespace {

ContractionWork::Layer layerOf(const std::string& pass) {
  using Layer = ContractionWork::Layer;
  return pass == "INFERENCE_FWD"  ? Layer::Inference
         : pass == "TRAINING_FWD" ? Layer::Forward
         : pass == "TRAINING_BWD" ? Layer::Backward
         : pass == "TRAINING_WU"  ? Layer::WeightUpdate
                                  : Layer::None;
}

MachineOptions parse(const char* who, Library library, const poplar::OptionFlags& flags) {
  checkLibraryOptions(who, library, flags);
  MachineOptions options;
  for (const auto& [name, value] : flags) {
    if (name == "partialsType")
      options.partialsType = value == "half" ? poplar::HALF : poplar::FLOAT;
    if (name == "availableMemoryProportion") options.availableMemoryProportion = std::stod(value);
    if (name == "use128BitConvUnitLoad") options.wideWeightLoads = value == "true";
    if (name == "enableMultiStageReduce") options.multiStageReduce = value == "true";
    if (name == "enableFastReduce") options.fastReduce = value == "true";
    if (name == "inputRHSIsPreArranged") options.preArranged = value == "true";
    if (name == "fullyConnectedPass") options.layer = layerOf(value);
    // Of a convolution's passes the planner treats this one otherwise; the gradient of weights is
    // another kernel.
    if (name == "pass" && value == "TRAINING_FWD") options.layer = layerOf(value);
  }
  return options;
}

/// Without a cache, too, equal kernels are one as long as somebody has it: an engine prepares it once,
/// and packs weights that several steps read once.
template <class Kernel, class Problem>
std::shared_ptr<const Kernel> shared(const Problem& problem) {
  static std::mutex mutex;
  static std::map<Problem, std::weak_ptr<const Kernel>> known;
  static std::size_t most = 64;
  const std::lock_guard<std::mutex> lock(mutex);
  if (known.size() >= most) {
    for (auto i = known.begin(); i != known.end();) i = i->second.expired() ? known.erase(i) : ++i;
    most = std::max<std::size_t>(64, 2 * known.size());
  }
  auto& entry = known[problem];
  auto kernel = entry.lock();
  if (kernel == nullptr) entry = kernel = std::make_shared<const Kernel>(problem);
  return kernel;
}

template <class Kernel, class Problem, class Plans>
std::shared_ptr<const Kernel> planIn(Plans* plans, const Problem& problem) {
  if (plans == nullptr) return shared<Kernel>(problem);
  auto& kernel = (*plans)[problem];
  if (kernel == nullptr) kernel = std::make_shared<const Kernel>(problem);
  return kernel;
}

bool hasQuarterUnits(const poplar::Graph& graph) {
  return graph.getTarget().getNumConvUnits(poplar::QUARTER, poplar::HALF) > 0;
}

}  // namespace

MachineOptions matMulOptions(const char* who, const poplar::OptionFlags& flags) {
  return parse(who, Library::MatMul, flags);
}

MachineOptions convOptions(const char* who, const poplar::OptionFlags& flags) {
  return parse(who, Library::Convolution, flags);
}

std::shared_ptr<const MatMulKernel> plan(const MatMulKernel::Problem& problem,
                                         poplin::PlanningCache* cache) {
  return planIn<MatMulKernel>(cache ? &cache->impl->products : nullptr, problem);
}

std::shared_ptr<const ConvKernel> plan(const ConvKernel::Problem& problem,
                                       poplin::PlanningCache* cache) {
  return planIn<ConvKernel>(cache ? &cache->impl->convolutions : nullptr, problem);
}

Work layoutWork(const poplar::Graph& graph, const Kernel& kernel, const poplar::Type& read) {
  Work work = kernel.work({});
  if (read == poplar::QUARTER && hasQuarterUnits(graph))
    std::get<ContractionWork>(work.whole).type = read;
  return work;
}

void addContraction(poplar::Graph& graph, poplar::program::Sequence& prog,
                    std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                    const poplar::DebugContext& debugContext) {
  std::vector<std::size_t> quarters;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].tensor.elementType() == poplar::QUARTER) quarters.push_back(i);
  if (quarters.size() == 2 && hasQuarterUnits(graph)) {
    for (const auto i : quarters)
      operands.push_back({graph.getMetadata(operands[i].tensor).reshape({1}), Access::Read});
    kernel = std::make_shared<const QuarterKernel>(std::move(kernel), quarters[0], quarters[1]);
  } else {
    for (const auto i : quarters)
      operands[i].tensor =
          popops::cast(graph, operands[i].tensor, poplar::FLOAT, prog, debugContext);
  }
  addBulkVertex(graph, prog, std::move(kernel), std::move(operands), debugContext);
}

std::string shapeText(const std::vector<std::size_t>& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + "]";
}

}  // namespace popir

namespace poplin {

PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::~PlanningCache() = default;
std::size_t PlanningCache::size() const {
  return impl->products.size() + impl->convolutions.size();
}

}  // namespace poplin
