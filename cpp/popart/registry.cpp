#include "popart/registry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "support/crash.hpp"
#include "support/registrations.hpp"

namespace popir {

using popart::OperatorIdentifier;

Origin Origin::of(const void* where, const void* otherwise) {
  Dl_info info;
  for (const void* address : {where, otherwise}) {
    if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) continue;
    char absolute[PATH_MAX];
    const char* found = realpath(info.dli_fname, absolute);
    return {Registry::instance().nameOf(found != nullptr ? found : info.dli_fname), info.dli_fbase};
  }
  return {};
}

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

/// True if library `fresh` may replace `what`, registered by library `old`. Otherwise records a
/// fault.
bool Registry::admits(const std::string& what, const Origin& old, const Origin& fresh) {
  if (old.path == fresh.path && old.base != fresh.base) {
    popart::logging::info("{} of '{}' replaced by a rebuild", what, fresh.path);
    return true;
  }
  if (old.path == fresh.path)
    addFault(popart::logging::format("The library '{}' registers {} twice; the first was kept",
                                     old.path, what));
  else
    addFault(
        popart::logging::format("The library '{}' registers {}, which '{}' has registered; it was "
                                "refused, and the first was "
                                "kept. Load one of the two, or give one of them another identifier",
                                fresh.path, what, old.path));
  return false;
}

void Registry::addOp(const popart::OpManager::OpInfo& info, const Origin& origin) {
  nameInCrashes(origin.base);
  const auto found = ops_.find(info.id);
  if (found != ops_.end()) {
    if (!admits(popart::logging::format("the operator {}", info.id), found->second.origin, origin))
      return;
    ops_.erase(found);
  }
  ops_.emplace(info.id, OpRecord{info, origin});
  ++generation_;
}

void Registry::addOpx(const OperatorIdentifier& opid,
                      const popart::popx::OpxManager::OpxFactoryFunc& factory,
                      const Origin& origin) {
  nameInCrashes(origin.base);
  const auto found = opxs_.find(opid);
  if (found != opxs_.end()) {
    // Some libraries do this, usually with the same class; so it is only a warning.
    if (found->second.origin.path == origin.path && found->second.origin.base == origin.base) {
      popart::logging::warn("The library '{}' registers the Opx of {} twice; the first was kept",
                            origin.path, opid);
      return;
    }
    if (!admits(popart::logging::format("the Opx of {}", opid), found->second.origin, origin))
      return;
    opxs_.erase(found);
  }
  opxs_.emplace(opid, OpxRecord{factory, origin});
  ++generation_;
}

void Registry::addPattern(PatternRecord record) {
  nameInCrashes(record.origin.base);
  for (PatternRecord& old : patterns_) {
    if (old.name != record.name) continue;
    if (admits("the pattern '" + old.name + "'", old.origin, record.origin))
      old = std::move(record);
    return;
  }
  patterns_.push_back(std::move(record));
  ++generation_;
}

void Registry::addShapeFunction(const OperatorIdentifier& opid,
                                popart::ShapeInferenceFunction function, const Origin& origin) {
  nameInCrashes(origin.base);
  shapeFunctions_[opid] = {std::move(function), origin};
  ++generation_;
}

namespace {

SchemaSink& schemaSink() {
  static SchemaSink sink = nullptr;
  return sink;
}

}  // namespace

void installSchemaSink(SchemaSink sink) { schemaSink() = sink; }

void Registry::addSchema(const onnx::OpSchema& schema, const Origin& origin) {
  nameInCrashes(origin.base);
  const auto same = [&](const SchemaRecord& old) {
    return old.schema.Name() == schema.Name() && old.schema.domain() == schema.domain() &&
           old.schema.SinceVersion() == schema.SinceVersion();
  };
  const auto old = std::find_if(schemas_.begin(), schemas_.end(), same);
  if (old != schemas_.end()) {
    const OperatorIdentifier opid(schema.domain(), schema.Name(),
                                  static_cast<unsigned>(schema.SinceVersion()));
    if (!admits(popart::logging::format("the schema of {}", opid), old->origin, origin)) return;
    schemas_.erase(old);
  }
  schemas_.push_back({schema, origin});
  ++generation_;
  if (schemaSink() == nullptr) return;
  const std::string fault = schemaSink()(schemas_.back());
  if (!fault.empty()) addFault(fault);
}

namespace {

template <class Map>
auto findIn(const Map& map, const OperatorIdentifier& opid) -> decltype(&map.begin()->second) {
  const auto found = map.find(opid);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

const OpRecord* Registry::findOp(const OperatorIdentifier& opid) const {
  return findIn(ops_, opid);
}

const OpxRecord* Registry::findOpx(const OperatorIdentifier& opid) const {
  return findIn(opxs_, opid);
}

const ShapeRecord* Registry::findShapeFunction(const OperatorIdentifier& opid) const {
  return findIn(shapeFunctions_, opid);
}

const PatternRecord* Registry::findPattern(std::type_index type) const {
  for (const PatternRecord& pattern : patterns_)
    if (pattern.type == type) return &pattern;
  return nullptr;
}

std::string Registry::nameOf(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? path : found->second;
}

std::vector<std::string> Registry::takeFaults() {
  std::vector<std::string> taken;
  taken.swap(faults_);
  return taken;
}

}  // namespace popir

/// Counts the registrations in this process, including failed ones.
extern "C" __attribute__((visibility("default"))) unsigned popir_registrations() {
  return popir::Registry::instance().generation() + popir::otherRegistrations();
}
