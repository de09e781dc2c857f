// What the static objects of operator libraries register.
#include <dlfcn.h>

#include <algorithm>
#include <mutex>

#include "foreign/habana/operators.hpp"
#include "foreign/habana/registry.hpp"

namespace popir::foreign::habana {
namespace {

std::mutex mutex;
std::vector<RegisteredOp>& ops() {
  static std::vector<RegisteredOp> all;
  return all;
}
std::vector<RegisteredKernel>& kernels() {
  static std::vector<RegisteredKernel> all;
  return all;
}

/// The file of the library in which `address` lies.
std::string libraryOf(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

}  // namespace

void note(const void* from, const tensorflow::OpDefBuilder& definition) {
  const std::lock_guard lock(mutex);
  ops().push_back({libraryOf(from), definition});
}

void note(const void* from, const tensorflow::KernelDefBuilder& definition,
          tensorflow::FunctorFactory functor) {
  const std::lock_guard lock(mutex);
  kernels().push_back({libraryOf(from), definition, functor, kernels().size(), false});
}

std::vector<OperatorRecord> registeredOperators() {
  const std::lock_guard lock(mutex);
  std::vector<OperatorRecord> found;
  for (const auto& each : ops()) {
    const auto& d = each.definition;
    found.push_back({d.name_, each.library, d.doc_, d.inputs_, d.outputs_, d.attributes_,
                     d.stateful_, static_cast<bool>(d.shape_)});
  }
  return found;
}

std::vector<KernelRecord> registeredKernels() {
  const std::lock_guard lock(mutex);
  std::vector<KernelRecord> found;
  for (const auto& each : kernels()) {
    if (each.forgotten) continue;
    const auto& d = each.definition;
    KernelRecord record{d.op_, d.device_, each.library, {}, d.host_, d.priority_, each.number};
    for (const auto& [name, types] : d.constraints_) {
      std::vector<std::string> names;
      for (auto type : types) names.push_back(tensorflow::DataTypeString(type));
      record.constraints.emplace_back(name, names);
    }
    found.push_back(record);
  }
  return found;
}

void forget(const std::string& library) {
  const std::lock_guard lock(mutex);
  auto& all = ops();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const RegisteredOp& each) { return each.library == library; }),
            all.end());
  for (auto& each : kernels())
    if (each.library == library) each.forgotten = true;  // The numbers of others stay.
}

tensorflow::FunctorFactory functorOf(std::size_t kernel) {
  const std::lock_guard lock(mutex);
  return kernels().at(kernel).functor;
}

std::vector<std::string> hostMemoryOf(std::size_t kernel) {
  const std::lock_guard lock(mutex);
  return kernels().at(kernel).definition.host_;
}

tensorflow::OpShapeInferenceFn shapeFunctionOf(const std::string& library, const std::string& op) {
  const std::lock_guard lock(mutex);
  for (const auto& each : ops())
    if (each.library == library && each.definition.name_ == op) return each.definition.shape_;
  return nullptr;
}

}  // namespace popir::foreign::habana

namespace tensorflow {

OpRegistration::OpRegistration(const OpDefBuilder& definition) noexcept {
  popir::foreign::habana::note(this, definition);
}
KernelRegistration::KernelRegistration(const KernelDefBuilder& definition,
                                       FunctorFactory functor) noexcept {
  popir::foreign::habana::note(this, definition, functor);
}

}  // namespace tensorflow
