#include "foreign/xla_targets.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <tuple>

#include "support/crash.hpp"
#include "support/registrations.hpp"

namespace popir::foreign::xla {

std::string platformOf(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "host" || lower == "cpu") return "Host";
  if (lower == "cuda" || lower == "gpu") return "CUDA";
  return lower == "rocm" ? "ROCM" : "";
}

void Targets::nameLibrary(const std::string& path, const std::string& source,
                          const std::string& library) {
  const std::lock_guard lock(mutex_);
  names_[path] = {source, library};
}

void Targets::setOrigin(Target& target, const void* where) const {
  Dl_info info;
  if (where == nullptr || dladdr(where, &info) == 0 || info.dli_fname == nullptr) return;
  char absolute[PATH_MAX];
  const char* found = realpath(info.dli_fname, absolute);
  target.library = target.source = found != nullptr ? found : info.dli_fname;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = names_.find(target.library); known != names_.end())
      std::tie(target.source, target.library) = known->second;
  }
  target.base = info.dli_fbase;
  nameInCrashes(info.dli_fbase);
}

Targets& Targets::instance() {
  static Targets targets;
  return targets;
}

void Targets::add(Target target) noexcept {
  try {
    admit(std::move(target));
  } catch (...) {  // no memory
  }
}

void Targets::refuse(const Target& target, bool isDuplicate, const std::string& why) {
  const std::string from =
      target.source.empty() ? "Python code" : "The library '" + target.source + "'";
  const Fault fault{isDuplicate,
                    from + " registers the custom call target '" + target.name + "' for " + why};
  faults_.push_back(fault);
  if (target.library.empty()) return;
  auto& [base, faults] = refused_[target.library];
  base = target.base;
  faults.push_back(fault);
  targets_.erase(std::remove_if(targets_.begin(), targets_.end(),
                                [&](const Target& each) {
                                  return each.library == target.library && each.base == base;
                                }),
                 targets_.end());
}

void Targets::admit(Target target) {
  const std::lock_guard lock(mutex_);
  ++generation_;
  ++otherRegistrations();
  const auto refused = refused_.find(target.library);
  const bool isRefused = refused != refused_.end() && refused->second.first == target.base;
  if (refused != refused_.end() && !isRefused) refused_.erase(refused);  // rebuilt
  const std::string platform = platformOf(target.platform);
  if (platform.empty())
    return refuse(target, false,
                  "the platform '" + target.platform +
                      "', which is not known; the platforms are Host, CUDA and ROCM");
  target.platform = platform;
  if (target.address() == nullptr) return refuse(target, false, platform + " without a function");
  const auto old = std::find_if(targets_.begin(), targets_.end(), [&](const Target& each) {
    return each.name == target.name && each.platform == target.platform;
  });
  if (old == targets_.end()) {
    if (!isRefused) targets_.push_back(std::move(target));
  } else if (old->source == target.source && old->base != target.base) {
    *old = std::move(target);  // rebuilt
  } else if (old->address() != target.address()) {
    const std::string other =
        old->source.empty() ? "Python code" : "the library '" + old->source + "'";
    refuse(target, true,
           platform + ", which " + other +
               " has registered with another function; it was refused, and the first was kept. "
               "Give one of them another name");
  }
}

std::optional<Target> Targets::find(const std::string& name, const std::string& platform) const {
  const std::lock_guard lock(mutex_);
  const std::string known = platformOf(platform);
  for (const Target& each : targets_)
    if (each.name == name && each.platform == known) return each;
  return std::nullopt;
}

std::vector<Target> Targets::all() const {
  const std::lock_guard lock(mutex_);
  return targets_;
}

bool Targets::remove(const std::string& name, const std::string& platform) {
  const std::lock_guard lock(mutex_);
  const std::string known = platformOf(platform);
  const auto gone = std::remove_if(targets_.begin(), targets_.end(), [&](const Target& each) {
    return each.name == name && each.platform == known;
  });
  const bool found = gone != targets_.end();
  targets_.erase(gone, targets_.end());
  generation_ += found;
  return found;
}

std::vector<Fault> Targets::takeFaults() {
  const std::lock_guard lock(mutex_);
  std::vector<Fault> taken;
  taken.swap(faults_);
  return taken;
}

std::vector<Fault> Targets::refusals(const std::string& library) const {
  const std::lock_guard lock(mutex_);
  const auto found = refused_.find(library);
  return found == refused_.end() ? std::vector<Fault>() : found->second.second;
}

unsigned Targets::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

}  // namespace popir::foreign::xla

// What the macros of xla/service/custom_call_target_registry.h call.

#define POPIR_VISIBLE __attribute__((visibility("default")))

/// Registers a function. The library is that of the caller.
extern "C" POPIR_VISIBLE void popir_xla_register(const char* symbol, void* function,
                                                 const char* platform) noexcept {
  try {
    popir::foreign::xla::Target target;
    target.name = symbol;
    target.platform = platform;
    target.function = function;
    auto& targets = popir::foreign::xla::Targets::instance();
    targets.setOrigin(target, __builtin_return_address(0));
    targets.add(std::move(target));
  } catch (...) {  // no memory
  }
}

/// The function with that name, null if there is none.
extern "C" POPIR_VISIBLE void* popir_xla_lookup(const char* symbol, const char* platform) {
  const auto found = popir::foreign::xla::Targets::instance().find(symbol, platform);
  return found && !found->typed ? found->function : nullptr;
}

/// Calls `visit` with each untyped function of the platform.
extern "C" POPIR_VISIBLE void popir_xla_visit(const char* platform,
                                              void (*visit)(void*, const char*, void*),
                                              void* context) {
  const std::string known = popir::foreign::xla::platformOf(platform);
  for (const auto& each : popir::foreign::xla::Targets::instance().all())
    if (!each.typed && each.platform == known) visit(context, each.name.c_str(), each.function);
}
