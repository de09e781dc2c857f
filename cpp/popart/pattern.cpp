#include <popart/patterns/pattern.hpp>

#include <popart/ir.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>

#include <algorithm>
#include <map>

#include "popart/registry.hpp"

namespace popart {

Pattern::~Pattern() = default;
PreAliasPattern::~PreAliasPattern() = default;

namespace {

std::map<std::type_index, std::string>& addedNames() {
  static std::map<std::type_index, std::string> names;
  return names;
}

}  // namespace

void PatternNames::addName(const std::type_info& pattern, const std::string& name) {
  addedNames().emplace(pattern, name);
}

const std::string& PatternNames::getName(const std::type_info& pattern) {
  if (const popir::PatternRecord* found = popir::Registry::instance().findPattern(pattern))
    return found->name;
  const auto added = addedNames().find(pattern);
  if (added != addedNames().end()) return added->second;
  throw error("A pattern without a PatternCreator has no name: {}", pattern.name());
}

bool PatternNames::contains(const std::string& name) {
  for (const auto& added : addedNames())
    if (added.second == name) return true;
  const std::vector<std::string> all = Patterns::getAllPreAliasPatternNames();
  return std::find(all.begin(), all.end(), name) != all.end();
}

bool Patterns::isMandatory(Pattern& pattern) {
  const popir::PatternRecord* found = popir::Registry::instance().findPattern(typeid(pattern));
  return found != nullptr && found->mandatory;
}

bool Patterns::isMandatory(std::string& name) {
  for (const popir::PatternRecord& each : popir::Registry::instance().patterns())
    if (each.name == name) return each.mandatory;
  return false;
}

const std::string& Pattern::getPatternName() const { return PatternNames::getName(typeid(*this)); }

std::string Pattern::getReplacementOpName(Op* op, const std::string& name) const {
  const std::string from = op->name().empty() ? "" : op->name() + ":" + getPatternName();
  return name.empty() ? from : from + "_" + name;
}

void Pattern::transferBaseProperties(const Op* from, Op* to) const {
  from->transferBaseProperties(to);
}

std::unique_ptr<Op> PreAliasPattern::makeReplacementOp(const OperatorIdentifier& opid, Op* oldOp,
                                                       const std::string& name) const {
  std::unique_ptr<Op> op =
      OpManager::createOp(opid, oldOp->getGraph(), getReplacementOpName(oldOp, name));
  transferBaseProperties(oldOp, op.get());
  return op;
}

Op* PreAliasPattern::makeReplacementOpInIr(const OperatorIdentifier& opid, Op* oldOp,
                                           const std::string& name) const {
  std::unique_ptr<Op> made = makeReplacementOp(opid, oldOp, name);
  Op* op = made.get();
  oldOp->getGraph().moveIntoGraph(std::move(made));
  return op;
}

bool PreAliasPattern::touchesAnchored(Op* op) const {
  const std::vector<const Tensor*> touched = touches(op);
  return std::any_of(touched.begin(), touched.end(),
                     [op](const Tensor* tensor) { return op->getIr().isAnchored(tensor->id); });
}

bool Ir::applyPreAliasPattern(const PreAliasPattern* pattern, Graph& graph) {
  bool changed = false;
  for (const OpId id : graph.getOpIds()) {
    Op* op = graph.getOpUnsafe(id);
    if (op == nullptr || !pattern->matches(op)) continue;
    if (!op->settings.excludePatterns.empty() && op->isExcludedFromPattern(pattern)) continue;
    if (!pattern->touchesAnchored(op)) changed |= pattern->apply(op);
  }
  return changed;
}

}  // namespace popart
