#include "codelets/tile/loops.hpp"

#include <algorithm>
#include <cstdlib>

#include "codelets/counting.hpp"

namespace popir::tile {
namespace {

const std::string kLowWord = "4294967295";

bool isPhi(const Instruction* i) { return i && i->operation == "phi"; }

// Blocks in the order of a depth-first search, last visited first.
std::vector<std::size_t> reversePostorder(const Function& function) {
  std::vector<std::size_t> order;
  std::vector<char> seen(function.blocks.size());
  std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto& to = function.blocks[block].to;
    if (next == to.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const auto target = to[next++];
    if (!seen[target]) {
      seen[target] = 1;
      stack.push_back({target, 0});
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// The immediate dominator of each block (Cooper, Harvey and Kennedy); -1 where none is reachable.
std::vector<int> dominators(const Function& function) {
  const auto order = reversePostorder(function);
  std::vector<int> position(function.blocks.size(), -1), idom(function.blocks.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<int>(i);
  idom[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto block : order) {
      if (block == 0) continue;
      int best = -1;
      for (const auto from : function.blocks[block].from) {
        if (idom[from] < 0) continue;
        int a = static_cast<int>(from);
        for (int b = best; b >= 0 && a != b;) {
          while (position[a] > position[b]) a = idom[a];
          while (position[b] > position[a]) b = idom[b];
        }
        best = a;
      }
      if (best != idom[block]) {
        idom[block] = best;
        changed = true;
      }
    }
  }
  return idom;
}

}  // namespace

Code::Code(const Function& function) : function_(function) {
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    for (const auto& i : function.blocks[b].instructions) {
      blocks_[&i] = b;
      if (!i.result.empty()) {
        definitions_[i.result] = &i;
        where_[i.result] = b;
      }
      for (const auto& a : i.arguments)
        if (!isConstant(a)) users_[a].push_back(&i);
    }
  findTwins();
  findLoops();
}

// A counter of 32 bits that is an index of 64, too, is two phis for the host. On a tile it is one.
void Code::findTwins() {
  for (const auto& block : function_.blocks)
    for (const auto& wide : block.instructions) {
      if (!isPhi(&wide)) break;
      if (wide.type != "i64") continue;
      for (const auto& phi : block.instructions) {
        if (!isPhi(&phi)) break;
        if (phi.type != "i32" || phi.labels != wide.labels) continue;
        if (std::equal(phi.arguments.begin(), phi.arguments.end(), wide.arguments.begin(),
                       [&](const auto& a, const auto& b) { return root(a) == root(b); }))
          twins_[wide.result] = phi.result;
      }
    }
}

const Instruction* Code::definition(const std::string& value) const {
  const auto found = definitions_.find(value);
  return found == definitions_.end() ? nullptr : found->second;
}

const std::vector<const Instruction*>& Code::users(const std::string& value) const {
  static const std::vector<const Instruction*> none;
  const auto found = users_.find(value);
  return found == users_.end() ? none : found->second;
}

bool Code::isNothing(const Instruction& i) const {
  const auto& op = i.operation;
  if (op == "freeze" || op == "ptrtoint" || op == "inttoptr") return true;
  if (op == "zext" || op == "sext" || op == "trunc")
    return bitsOf(i.type) == 32 && bitsOf(i.to) == 32;
  if (op == "and") return i.arguments.size() == 2 && i.arguments[1] == kLowWord;
  // Sign extension of a word within 64 bits
  if (i.type != "i64" || i.arguments.size() != 2 || i.arguments[1] != "32") return false;
  if (op == "shl") {
    const auto& all = users(i.result);
    return !all.empty() && std::all_of(all.begin(), all.end(), [](const Instruction* u) {
      return (u->operation == "ashr" || u->operation == "lshr") && u->arguments[1] == "32";
    });
  }
  const auto* shifted = definition(i.arguments[0]);
  return (op == "ashr" || op == "lshr") && shifted && shifted->operation == "shl" &&
         shifted->arguments[1] == "32";
}

std::string Code::root(std::string value) const {
  for (const auto* i = definition(value); i; i = definition(value)) {
    const auto twin = twins_.find(value);
    if (twin != twins_.end())
      value = twin->second;
    else if (isNothing(*i))
      value = i->arguments[0];
    else
      break;
  }
  return value;
}

const Loop* Code::loopOf(std::size_t block) const {
  return innermost_[block] < 0 ? nullptr : &loops_[static_cast<std::size_t>(innermost_[block])];
}

bool Code::invariant(const std::string& value, const Loop& loop) const {
  if (isConstant(value)) return true;
  const auto found = where_.find(value);
  return found == where_.end() || !loop.blocks.count(found->second);
}

bool Code::affine(const std::string& value, const Loop& loop, unsigned depth) const {
  const auto v = root(value);
  if (invariant(v, loop) || loop.steps.count(v)) return true;
  const auto* i = definition(v);
  if (!i || depth > 16) return false;
  const auto both = [&] {
    return std::all_of(i->arguments.begin(), i->arguments.end(),
                       [&](const std::string& a) { return affine(a, loop, depth + 1); });
  };
  if (i->operation == "add" || i->operation == "sub" || i->operation == "or" ||
      i->operation == "getelementptr")
    return both();
  if (i->operation == "mul")
    return both() &&
           (invariant(root(i->arguments[0]), loop) || invariant(root(i->arguments[1]), loop));
  if (i->operation == "shl") return both() && invariant(root(i->arguments[1]), loop);
  return false;
}

void Code::findLoops() {
  const auto idom = dominators(function_);
  const auto dominates = [&](std::size_t a, std::size_t b) {
    for (int at = static_cast<int>(b);; at = idom[static_cast<std::size_t>(at)]) {
      if (at == static_cast<int>(a)) return true;
      if (at <= 0) return false;
    }
  };
  std::map<std::size_t, Loop> byHeader;
  std::map<std::size_t, unsigned> latches;
  for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
    if (b != 0 && idom[b] < 0) continue;
    for (const auto h : function_.blocks[b].to) {
      if (!dominates(h, b)) continue;
      auto& loop = byHeader[h];
      loop.header = h;
      loop.latch = b;
      ++latches[h];
      loop.blocks.insert(h);
      std::vector<std::size_t> work{b};
      while (!work.empty()) {
        const auto at = work.back();
        work.pop_back();
        if (!loop.blocks.insert(at).second) continue;
        for (const auto from : function_.blocks[at].from) work.push_back(from);
      }
    }
  }
  for (auto& [header, loop] : byHeader) {
    unsigned entries = 0;
    for (const auto from : function_.blocks[header].from)
      if (!loop.blocks.count(from)) {
        loop.preheader = from;
        ++entries;
      }
    if (entries != 1) loop.preheader.reset();
    loops_.push_back(loop);
    if (latches[header] == 1) study(loops_.back());
  }
  innermost_.assign(function_.blocks.size(), -1);
  for (std::size_t l = 0; l < loops_.size(); ++l)
    for (const auto b : loops_[l].blocks)
      if (innermost_[b] < 0 ||
          loops_[l].blocks.size() < loops_[static_cast<std::size_t>(innermost_[b])].blocks.size())
        innermost_[b] = static_cast<int>(l);
}

void Code::study(Loop& loop) const {
  const auto& latch = function_.blocks[loop.latch];
  for (const auto& phi : function_.blocks[loop.header].instructions) {
    if (!isPhi(&phi)) break;
    for (std::size_t k = 0; k < phi.arguments.size(); ++k) {
      if (phi.labels[k] != latch.name) continue;
      const auto next = root(phi.arguments[k]);
      const auto* step = definition(next);
      if (!step || (step->operation != "add" && step->operation != "sub" &&
                    step->operation != "getelementptr"))
        continue;
      const auto own =
          std::find_if(step->arguments.begin(), step->arguments.end(),
                       [&](const std::string& a) { return root(a) == root(phi.result); });
      if (own == step->arguments.end() ||
          (step->operation == "sub" && own != step->arguments.begin()))
        continue;
      bool rest = true;
      for (auto a = step->arguments.begin(); a != step->arguments.end(); ++a)
        rest = rest && (a == own || invariant(root(*a), loop));
      if (!rest) continue;
      loop.steps.insert(phi.result);
      loop.nexts.insert(next);
    }
  }
  const auto& end = latch.instructions.back();
  if (end.operation != "br" || end.arguments.empty()) return;
  const bool leaves = std::any_of(latch.to.begin(), latch.to.end(),
                                  [&](std::size_t to) { return !loop.blocks.count(to); });
  const auto* test = definition(end.arguments[0]);
  if (!leaves || !test || test->operation != "icmp") return;
  for (const int side : {0, 1}) {
    const auto stepping = root(test->arguments[static_cast<std::size_t>(side)]);
    const auto limit = root(test->arguments[static_cast<std::size_t>(1 - side)]);
    if (!(loop.steps.count(stepping) || loop.nexts.count(stepping)) || !invariant(limit, loop))
      continue;
    loop.test = test->result;
    loop.counted = stepsByPowerOfTwo(stepping, loop);
    // From 0 upwards by a constant: at most the limit. From the limit down to 0: at most that.
    for (const auto& phi : function_.blocks[loop.header].instructions) {
      if (!isPhi(&phi)) break;
      if (!loop.steps.count(phi.result)) continue;
      std::string start, next;
      for (std::size_t k = 0; k < phi.arguments.size(); ++k)
        (phi.labels[k] == latch.name ? next : start) = root(phi.arguments[k]);
      if (phi.result != stepping && next != stepping) continue;
      if (start == "0") loop.mostTurns = most(limit);
      if (limit == "0") loop.mostTurns = most(start);
    }
    return;
  }
}

// The number of turns is worked out before the first one by a shift; for a division it is not worth
// while.
bool Code::stepsByPowerOfTwo(const std::string& stepping, const Loop& loop) const {
  const auto* i = definition(stepping);
  if (isPhi(i))
    for (const auto& a : i->arguments)
      if (loop.nexts.count(root(a))) i = definition(root(a));
  if (i->operation == "getelementptr") return isConstant(i->arguments.back());
  for (const auto& a : i->arguments) {
    if (!isConstant(a)) continue;
    const auto by = std::strtoll(a.c_str(), nullptr, 10);
    const auto size = static_cast<unsigned long long>(by < 0 ? -by : by);
    return size != 0 && (size & (size - 1)) == 0;
  }
  return false;
}

// The largest number that a value can have, as far as it is easily seen.
std::uint64_t Code::most(const std::string& given, unsigned depth) const {
  const auto value = root(given);
  if (isConstant(value)) {
    char* end = nullptr;
    const auto n = std::strtoll(value.c_str(), &end, 10);
    return end != value.c_str() && n >= 0 ? static_cast<std::uint64_t>(n) : UINT64_MAX;
  }
  std::uint64_t bound = UINT32_MAX;
  for (const auto* user : users(value))
    if (user->operation == "icmp" && user->predicate == "ult" && user->arguments[0] == value &&
        isConstant(user->arguments[1]))
      for (const auto* assumed : users(user->result))
        if (assumed->callee == "llvm.assume") bound = std::min(bound, most(user->arguments[1]) - 1);
  const auto* i = definition(value);
  if (!i || depth > 8) return bound;
  if (i->callee == kCodeletRepeats) return std::min(kMostRepeats, most(i->arguments[0], depth + 1));
  const auto of = [&](std::size_t k) { return most(i->arguments[k], depth + 1); };
  if (i->operation == "zext") bound = std::min(bound, (std::uint64_t{1} << bitsOf(i->type)) - 1);
  if (i->operation == "load" && bitsOf(i->type) < 32)
    bound = std::min(bound, (std::uint64_t{1} << bitsOf(i->type)) - 1);
  if (i->operation == "and") bound = std::min({bound, of(0), of(1)});
  if (i->operation == "lshr" && isConstant(i->arguments[1]))
    bound = std::min(bound, of(0) >> std::min<std::uint64_t>(of(1), 63));
  if (i->operation == "udiv" && isConstant(i->arguments[1]))
    bound = std::min(bound, of(0) / std::max<std::uint64_t>(of(1), 1));
  if (i->callee.compare(0, 9, "llvm.umin") == 0) bound = std::min({bound, of(0), of(1)});
  return bound;
}

}  // namespace popir::tile
