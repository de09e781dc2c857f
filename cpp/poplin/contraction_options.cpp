#include "poplin/contraction_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <poputil/exceptions.hpp>

namespace popir {
namespace {

[[noreturn]] void refuse(const char* who, const std::string& option, const std::string& value,
                         const std::string& expected) {
  throw poputil::poplibs_error(std::string(who) + ": option '" + option + "' is '" + value +
                               "', expected " + expected);
}

/// The position of `value` among `names`, which are the values of an option.
std::size_t oneOf(const char* who, const std::string& option, const std::string& value,
                  const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end()) {
    std::string expected = "one of";
    for (const auto& name : names) expected += " " + name;
    refuse(who, option, value, expected);
  }
  return static_cast<std::size_t>(found - names.begin());
}

const std::vector<std::string> kParts = {"NONE", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD",
                                         "TRAINING_WU"};

MachineOptions parse(const char* who, const poplar::OptionFlags& flags,
                     const std::string& partOption, const std::string& partPrefix,
                     const std::vector<std::string>& switches) {
  MachineOptions options;
  for (const auto& [name, value] : flags) {
    if (name == "partialsType") {
      options.partialsType =
          oneOf(who, name, value, {"float", "half"}) == 0 ? poplar::FLOAT : poplar::HALF;
    } else if (name == "availableMemoryProportion") {
      char* end = nullptr;
      options.availableMemoryProportion = std::strtod(value.c_str(), &end);
      if (end == value.c_str() || *end != '\0' || !(options.availableMemoryProportion >= 0) ||
          !(options.availableMemoryProportion <= 1))
        refuse(who, name, value, "a number from 0 to 1");
    } else if (name == partOption) {
      const bool prefixed = !partPrefix.empty() && value.rfind(partPrefix, 0) == 0;
      const auto part = prefixed ? value.substr(partPrefix.size()) : value;
      options.part = static_cast<MachineOptions::Part>(oneOf(who, name, part, kParts));
    } else if (name == "use128BitConvUnitLoad") {
      options.wideWeightLoads = oneOf(who, name, value, {"true", "false"}) == 0;
    } else if (std::count(switches.begin(), switches.end(), name) > 0) {
      oneOf(who, name, value, {"true", "false"});
    } else {
      std::string known =
          "partialsType availableMemoryProportion use128BitConvUnitLoad " + partOption;
      for (const auto& s : switches) known += " " + s;
      throw poputil::poplibs_error(std::string(who) + ": no option '" + name + "'; there are " +
                                   known);
    }
  }
  return options;
}

template <class Kernel, class Problem, class Plans>
std::shared_ptr<const Kernel> planIn(Plans* plans, const Problem& problem) {
  if (plans == nullptr) return std::make_shared<const Kernel>(problem);
  auto& kernel = (*plans)[problem];
  if (kernel == nullptr) kernel = std::make_shared<const Kernel>(problem);
  return kernel;
}

}  // namespace

MachineOptions matMulOptions(const char* who, const poplar::OptionFlags& flags) {
  return parse(
      who, flags, "fullyConnectedPass", "",
      {"inputRHSIsPreArranged", "enableMultiStageReduce", "enableFastReduce", "remapOutputTensor"});
}

MachineOptions convOptions(const char* who, const poplar::OptionFlags& flags) {
  return parse(
      who, flags, "pass", "FC_",
      {"enableMultiStageReduce", "enableFastReduce", "remapOutputTensor", "enableConvDithering"});
}

std::shared_ptr<const MatMulKernel> plan(const MatMulKernel::Problem& problem,
                                         poplin::PlanningCache* cache) {
  return planIn<MatMulKernel>(cache ? &cache->impl->products : nullptr, problem);
}

std::shared_ptr<const ConvKernel> plan(const ConvKernel::Problem& problem,
                                       poplin::PlanningCache* cache) {
  return planIn<ConvKernel>(cache ? &cache->impl->convolutions : nullptr, problem);
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
