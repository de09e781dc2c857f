#include <popart/patterns/pattern.hpp>

#include <popart/graph.hpp>
#include <popart/opmanager.hpp>

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

}  // namespace popart
