#include "codelets/tile/vector_lanes.hpp"

#include <algorithm>
#include <cstdlib>

namespace popir::tile {
namespace {

// What a tile has for a vector as for one lane.
bool isLanewise(const Instruction& i) {
  static const std::set<std::string> kOperations{"fadd", "fsub",  "fmul",
                                                 "fneg", "fpext", "fptrunc"};
  if (kOperations.count(i.operation)) return true;
  for (const auto* function : {"llvm.fmuladd.", "llvm.maxnum.", "llvm.minnum.", "llvm.fabs."})
    if (startsWith(i.callee, function)) return true;
  return false;
}

bool isAlike(const Instruction& a, const Instruction& b) {
  return a.operation == b.operation && a.callee == b.callee && a.type == b.type && a.to == b.to &&
         a.arguments.size() == b.arguments.size();
}

}  // namespace

VectorLanes::VectorLanes(const Code& code) : code_(code) {
  for (const auto& block : code.function().blocks)
    for (const auto& i : block.instructions) {
      if (i.operation != "insertelement" || !isFloating(i.type)) continue;
      const auto& users = code.users(i.result);
      const bool last = std::none_of(users.begin(), users.end(), [&](const Instruction* u) {
        return u->operation == "insertelement" && u->arguments[0] == i.result;
      });
      if (!last) continue;
      const auto whole = built(i);
      if (!whole.lanes.empty() && join(whole.lanes))
        parts_.insert(whole.inserts.begin(), whole.inserts.end());
    }
}

unsigned VectorLanes::around(const Instruction& i) const {
  const auto found = firsts_.find(i.result);
  return found == firsts_.end() ? lanesOf(i.type) : found->second;
}

// The values that a vector is put together from; none if that is not all of it.
VectorLanes::Built VectorLanes::built(const Instruction& last) const {
  Built whole{Values(lanesOf(last.type)), {}};
  for (const auto* i = &last; i && i->operation == "insertelement";
       i = code_.definition(i->arguments[0])) {
    if (!isConstant(i->arguments[2])) return {};
    const auto at = std::strtoul(i->arguments[2].c_str(), nullptr, 10);
    if (at >= whole.lanes.size()) return {};
    if (whole.lanes[at].empty()) whole.lanes[at] = i->arguments[1];
    whole.inserts.push_back(i->result);
  }
  for (const auto& lane : whole.lanes)
    if (lane.empty()) return {};
  return whole;
}

// Joins the operations that these values come from, and those before them. Are these the lanes of one
// vector?
bool VectorLanes::join(const Values& values, unsigned depth) {
  if (std::all_of(values.begin(), values.end(), isConstant)) return true;
  if (std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == values[0]; }))
    return true;
  std::vector<const Instruction*> from;
  for (const auto& v : values) {
    from.push_back(code_.definition(v));
    if (!from.back() || !isAlike(*from[0], *from.back())) return false;
  }
  const auto& first = *from[0];
  if (first.operation == "extractelement") {
    for (std::size_t k = 0; k < from.size(); ++k)
      if (from[k]->arguments[0] != first.arguments[0] || from[k]->arguments[1] != std::to_string(k))
        return false;
    return true;
  }
  if (depth > 16 || first.operation == "phi" || first.operation == "load" ||
      lanesOf(first.type) != 1)
    return false;
  bool whole = true;
  std::vector<Values> all(first.arguments.size());
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (const auto* i : from) all[a].push_back(i->arguments[a]);
    whole = join(all[a], depth + 1) && whole;
  }
  const bool together = std::all_of(from.begin(), from.end(), [&](const Instruction* i) {
    return code_.blockOf(*i) == code_.blockOf(first);
  });
  if (!whole || !together || !used(values) || !isLanewise(first)) return false;
  firsts_[first.result] = static_cast<unsigned>(from.size());
  parts_.insert(values.begin() + 1, values.end());
  for (const auto& operands : all)
    for (const auto& v : operands) {
      const auto* i = code_.definition(v);
      if (i && i->operation == "extractelement" && used({v})) parts_.insert(v);
    }
  return true;
}

// Is each of these used once?
bool VectorLanes::used(const Values& values) const {
  return std::all_of(values.begin(), values.end(),
                     [&](const auto& v) { return code_.users(v).size() == 1; });
}

}  // namespace popir::tile
