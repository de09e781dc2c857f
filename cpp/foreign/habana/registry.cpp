// What the static objects of operator libraries register.
#include <dlfcn.h>

#include <algorithm>
#include <mutex>

#include "foreign/habana/operators.hpp"
#include "foreign/habana/registry.hpp"
#include "foreign/shared_library.hpp"

namespace popir::foreign::habana {
namespace {

std::mutex mutex;
// The records hold functions of the libraries, so they and the libraries last to the very end.
std::vector<RegisteredOp>& ops() {
  static auto& all = *new std::vector<RegisteredOp>;
  return all;
}
std::vector<RegisteredKernel>& kernels() {
  static auto& all = *new std::vector<RegisteredKernel>;
  return all;
}

/// The library that this thread is loading.
thread_local const std::string* loading = nullptr;

/// The library that is being loaded, else the file of that in which `address` lies.
std::string libraryOf(const void* address) {
  if (loading) return *loading;
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

void loadOperators(const std::string& path) {
  // They stay loaded: their functors are called whenever a program is compiled.
  static auto& libraries = *new std::vector<SharedLibrary>;
  static std::mutex one;
  const std::lock_guard lock(one);
  loading = &path;
  try {
    libraries.emplace_back(path);
  } catch (...) {
    loading = nullptr;
    throw;
  }
  loading = nullptr;
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
    KernelRecord record{d.op_, d.device_, each.library, d.label_,
                        {},    d.host_,   d.priority_,  each.number};
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
  return kernel < kernels().size() ? kernels()[kernel].functor : nullptr;
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
