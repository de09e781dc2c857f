// Chains of regions, and the tensors that share elements.
#include <popart/aliases.hpp>
#include <popart/aliasesmap.hpp>
#include <popart/chains.hpp>
#include <popart/ir.hpp>
#include <popart/tensor.hpp>

#include <algorithm>

namespace popart {
namespace view {
namespace {

/// Without empty regions, and without those that lie in others.
Regions reduced(const Regions& regions) {
  Regions kept;
  for (const Region& region : regions) {
    if (region.isEmpty()) continue;
    const auto isIn = [&](const Region& other) { return other.contains(region); };
    if (std::any_of(kept.begin(), kept.end(), isIn)) continue;
    const auto liesIn = [&](const Region& other) { return region.contains(other); };
    kept.erase(std::remove_if(kept.begin(), kept.end(), liesIn), kept.end());
    kept.push_back(region);
  }
  return kept;
}

}  // namespace

Link Link::getIdentity(const Region& filter) {
  return Link(
      filter, [](const Region& region) { return Regions{region}; }, "Identity");
}

bool Link::contains(const Link& other) const {
  return filter_.contains(other.filter_) && map_(other.filter_) == other.map_(other.filter_);
}

void Link::append(std::ostream& os) const {
  os << "[" << filter_ << (name_.empty() ? "" : " " + name_) << "]";
}

std::ostream& operator<<(std::ostream& os, const Link& link) {
  link.append(os);
  return os;
}

Regions Chain::apply(const Region& region) const {
  Regions current = {region};
  for (const Link& link : links_) {
    Regions next;
    for (const Region& each : current) {
      const Regions mapped = link.apply(each);
      next.insert(next.end(), mapped.begin(), mapped.end());
    }
    current = reduced(next);
  }
  return current;
}

void Chain::append(const Chain& other) {
  links_.insert(links_.end(), other.links_.begin(), other.links_.end());
}

bool Chain::untraversable() const { return apply(links_.front().getFilter()).empty(); }

bool Chain::contains(const Chain& other) const {
  return std::equal(links_.begin(), links_.end(), other.links_.begin(), other.links_.end(),
                    [](const Link& a, const Link& b) { return a.contains(b); });
}

std::ostream& operator<<(std::ostream& os, const Chain& chain) {
  os << "(";
  for (const Link& link : chain.getLinks()) os << link;
  return os << ")";
}

Chains::Chains(const std::vector<Chain>& chains) {
  for (const Chain& chain : chains)
    if (!chain.untraversable()) chains_.push_back(chain);
}

Chains Chains::series(const Chains& next) const {
  std::vector<Chain> made;
  for (const Chain& first : chains_)
    for (const Chain& second : next.chains_) {
      made.push_back(first);
      made.back().append(second);
    }
  return Chains(made);
}

Chains Chains::parallel(const Chains& other) const {
  Chains both = *this;
  for (const Chain& chain : other.chains_) {
    const auto contains = [&](const Chain& each) { return each.contains(chain); };
    if (std::none_of(both.chains_.begin(), both.chains_.end(), contains))
      both.chains_.push_back(chain);
  }
  return both;
}

Regions Chains::apply(const Region& region) const {
  Regions all;
  for (const Chain& chain : chains_) {
    const Regions mapped = chain.apply(region);
    all.insert(all.end(), mapped.begin(), mapped.end());
  }
  return reduced(all);
}

std::ostream& operator<<(std::ostream& os, const Chains& chains) {
  os << "{";
  for (const Chain& chain : chains.getChainUnion()) os << chain;
  return os << "}";
}

}  // namespace view

// ---- Aliases ----

using TensorChains = std::unordered_map<Tensor*, view::Chains>;

namespace {

template <class Table>
TensorChains withItself(const Table& table, Tensor* tensor) {
  const auto found = table.find(tensor);
  TensorChains all = found == table.end() ? TensorChains() : found->second;
  all[tensor] = view::Chains::getIdentity(tensor->info.shape());
  return all;
}

}  // namespace

Aliases::~Aliases() = default;

void Aliases::clearAliases() {
  to_.clear();
  from_.clear();
}

void Aliases::add(Tensor* from, Tensor* to, const view::Chains& chains) {
  if (chains.isEmpty() || from == to) return;
  const view::Chains both = from_[from][to].parallel(chains);
  from_[from][to] = both;
  to_[to][from] = both;
}

void Aliases::updateAliases(Tensor* from, Tensor* to, view::Regions regions, view::RegMap forward,
                            view::RegMap backward, std::string forwardName,
                            std::string backwardName) {
  std::vector<view::Chain> there, back;
  for (const view::Region& region : regions) {
    if (region.isEmpty()) continue;
    there.push_back(view::Link(region, forward, forwardName));
    for (const view::Region& mapped : forward(region))
      back.push_back(view::Link(mapped, backward, backwardName));
  }
  const view::Chains ahead(there), behind(back);
  // What has elements of `from` has those of `to`, through both.
  const TensorChains before = aliasChainsTo(from), beforeBack = aliasChainsFrom(from);
  const TensorChains after = aliasChainsFrom(to), afterBack = aliasChainsTo(to);
  for (const auto& a : before)
    for (const auto& b : after) add(a.first, b.first, a.second.series(ahead).series(b.second));
  for (const auto& b : afterBack)
    for (const auto& a : beforeBack)
      add(b.first, a.first, b.second.series(behind).series(a.second));
}

TensorChains Aliases::aliasChainsTo(Tensor* to) const { return withItself(to_, to); }
TensorChains Aliases::aliasChainsFrom(Tensor* from) const { return withItself(from_, from); }

view::Chains Aliases::getChainsFromTo(Tensor* from, Tensor* to) const {
  const TensorChains all = aliasChainsFrom(from);
  const auto found = all.find(to);
  return found == all.end() ? view::Chains() : found->second;
}

view::Regions Aliases::getAliasRegions(Tensor* from, Tensor* to) const {
  const view::Chains chains = getChainsFromTo(from, to);
  if (chains.isEmpty()) return {view::Region::getEmpty(to->info.rank())};
  return chains.apply(view::Region::getFull(from->info.shape()));
}

void Aliases::addAllAliases(const Aliases& other) {
  for (const auto& from : other.from_)
    for (const auto& to : from.second) add(from.first, to.first, to.second);
}

std::set<Tensor*, PTensorCmp> Aliases::getTensors() const {
  std::set<Tensor*, PTensorCmp> all;
  for (const auto& each : from_) all.insert(each.first);
  return all;
}

// ---- Those of graphs ----

AliasesMap::AliasesMap(const Ir* ir) : ir_(ir) { update(); }
AliasesMap::AliasesMap(const Graph& graph) : ir_(&graph.getIr()) { update(graph); }
AliasesMap::~AliasesMap() = default;

Aliases& AliasesMap::getAliases(Graph& graph) { return getAliases(graph.id); }

const Aliases& AliasesMap::getAliases(const GraphId& graphId) const {
  const auto found = aliases_.find(graphId);
  if (found == aliases_.end())
    throw error("AliasesMap: the graph '{}' was not updated", graphId.str());
  return found->second;
}

const Aliases& AliasesMap::getAliases(Graph& graph) const { return getAliases(graph.id); }

void AliasesMap::update() {
  if (ir_ == nullptr) throw error("AliasesMap: there is no Ir; setIr() gives it one");
  clear();
  for (const Graph* graph : ir_->getAllGraphs()) update(*graph);
}

void AliasesMap::update(const GraphId& graphId) {
  if (ir_ == nullptr) throw error("AliasesMap: there is no Ir; setIr() gives it one");
  update(ir_->getGraph(graphId));
}

void AliasesMap::update(const Graph& graph) {
  aliases_[graph.id].clearAliases();
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) update(op);
}

void AliasesMap::update(Op* op) {
  Aliases& aliases = aliases_[op->getGraph().id];
  for (const auto& in : op->input->tensorMap())
    for (const auto& out : op->output->tensorMap()) {
      const view::Regions regions = op->aliases(in.first, out.first);
      if (!view::nonEmptyRegion(regions)) continue;
      const std::string ends = std::to_string(in.first) + " and " + std::to_string(out.first);
      aliases.updateAliases(in.second, out.second, regions, op->fwdRegMap(in.first, out.first),
                            op->bwdRegMap(in.first, out.first),
                            op->str() + " from input to output " + ends,
                            op->str() + " from output to input " + ends);
    }
}

}  // namespace popart
