#include <popart/patterns/pattern.hpp>

#include <popart/ir.hpp>
#include <popart/opmanager.hpp>

#include <algorithm>

#include "popart/registry.hpp"

namespace popart {

Pattern::~Pattern() = default;
PreAliasPattern::~PreAliasPattern() = default;

const std::string& Pattern::getPatternName() const {
  if (const popir::PatternRecord* found = popir::Registry::instance().findPattern(typeid(*this)))
    return found->name;
  throw error("A pattern without a PatternCreator has no name: {}", typeid(*this).name());
}

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

bool Ir::applyPreAliasPattern(const PreAliasPattern* pattern, Graph& graph) {
  bool changed = false;
  for (const OpId id : graph.getOpIds()) {
    Op* op = graph.getOpUnsafe(id);
    if (op == nullptr || !pattern->matches(op)) continue;
    // Such as take steps apart have no name: no session runs them.
    if (!op->settings.excludePatterns.empty() && op->isExcludedFromPattern(pattern)) continue;
    const std::vector<const Tensor*> touched = pattern->touches(op);
    const auto isSent = [&](const Tensor* tensor) { return isAnchored(tensor->id); };
    if (std::none_of(touched.begin(), touched.end(), isSent)) changed |= pattern->apply(op);
  }
  return changed;
}

}  // namespace popart
