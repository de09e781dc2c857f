// What operators change of a tensor.
#include <popart/aliases.hpp>
#include <popart/graph.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>

#include <map>
#include <set>

namespace popart {
namespace {

void add(view::Regions& to, const view::Regions& regions) {
  for (const view::Region& region : regions)
    if (!region.isEmpty()) to.push_back(region);
}

view::Regions mapped(const view::Chains* chains, const view::Regions& regions) {
  if (chains == nullptr) return regions;
  view::Regions found;
  for (const view::Region& region : regions)
    for (view::Region shown : chains->apply(region)) {
      shown.setAccessType(region.getAccessType());
      found.push_back(shown);
    }
  return found;
}

bool meet(const view::Regions& some, const view::Regions& others) {
  for (const view::Region& one : some)
    for (const view::Region& other : others)
      if (!one.intersect(other).isEmpty()) return true;
  return false;
}

}  // namespace

view::Regions Tensor::modifiedRegionsByOps(std::vector<Op*> ops, Aliases& aliases) const {
  const auto chains = aliases.aliasChainsTo(graph_->getTensor(id));
  view::Regions read, changed;
  std::set<view::AccessType> types;
  for (const Op* op : ops) {
    view::Regions reads, changes;
    for (const auto& [index, tensor] : op->input->tensorMap()) {
      const auto shown = chains.find(tensor);
      if (tensor->id != id && shown == chains.end()) continue;
      const view::Chains* way = tensor->id == id ? nullptr : &shown->second;
      const view::Regions own = op->modifies(index);
      view::Regions others;
      for (const view::Region& region : op->uses(index)) add(others, region.sub(own));
      add(changes, mapped(way, own));
      add(reads, mapped(way, others));
    }
    add(read, reads);
    if (meet(changes, read)) types.insert(view::AccessType::Read);
    for (const view::Region& region : changes) {
      const view::AccessType type = region.getAccessType();
      if (type == view::AccessType::None || type == view::AccessType::Read)
        throw error("{}: modifies() says of a region that it is not written", op->debugName());
      types.insert(type);
    }
    add(changed, changes);
    changed = view::mergeRegions(changed);
    const bool isOnlyWritten = types == std::set<view::AccessType>{view::AccessType::Write};
    if (isOnlyWritten && changed.front() == view::Region::getFull(info.shape())) break;
  }
  if (changed.empty()) return changed;
  const view::AccessType type = view::combine(types);
  for (view::Region& region : changed) region.setAccessType(type);
  return changed;
}

view::Regions Tensor::modifiedRegionsByOps(std::vector<OpId> opIds, Aliases& aliases) const {
  std::vector<Op*> ops;
  for (const OpId opId : opIds) ops.push_back(graph_->getOp(opId));
  return modifiedRegionsByOps(ops, aliases);
}

}  // namespace popart
