#include "popart/builtin_op.hpp"

#include <string>

#include "popart/ir_calls.hpp"

namespace popir {

using popart::view::Region;
using popart::view::Regions;

BuiltinOp::~BuiltinOp() = default;

void BuiltinOp::setup() { irCalls().setup(*this); }

std::unique_ptr<popart::Op> BuiltinOp::clone() const { return irCalls().clone(*this); }

float BuiltinOp::getSubgraphValue() const { return irCalls().subgraphValue(*this); }

std::vector<const popart::Graph*> BuiltinOp::getCalledGraphs() const {
  const std::vector<popart::Graph*> called = irCalls().calledGraphs(*this);
  return {called.begin(), called.end()};
}

bool BuiltinOp::isLossOp() const {
  return opid.type == "Nll" || opid.type == "L1" || opid.type == "IdentityLoss";
}

bool BuiltinOp::isNorm() const {
  for (const char* kind : {"Batch", "Group", "Instance", "Layer"})
    if (opid.type == std::string(kind) + "Normalization") return true;
  return false;
}

Regions BuiltinOp::modifies(popart::InIndex index) const {
  return irCalls().modifies(*this, index) ? Regions{Region::getFull(inShape(index))} : Regions{};
}

Regions BuiltinOp::aliases(popart::InIndex in, popart::OutIndex out) const {
  return irCalls().aliases(*this, in, out) ? Regions{Region::getFull(inShape(in))} : Regions{};
}

}  // namespace popir
