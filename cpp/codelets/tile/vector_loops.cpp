#include "codelets/tile/vector_loops.hpp"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

#include "codelets/tile/loops.hpp"

namespace popir::tile {
namespace {

class Candidate {
 public:
  Candidate(const Code& code, const Loop& loop) : code_(code), loop_(loop) {}

  std::optional<VectorLoop> vector() const {
    if (loop_.blocks.size() != 1) return std::nullopt;
    const auto& all = code_.function().blocks[loop_.header].instructions;
    unsigned widest = 0, stores = 0;
    for (const auto& i : all) {
      if (i.operation == "load" || i.operation == "store") {
        if (!isAccess(i)) return std::nullopt;
        widest = std::max(widest, bitsOf(i.type));
        stores += i.operation == "store";
      } else if (!isFree(i) && !isLanewise(i)) {
        return std::nullopt;
      }
    }
    const auto& end = all.back();
    if (stores == 0 || end.operation != "br" || end.labels.size() != 2) return std::nullopt;
    return VectorLoop{end.line, 64 / widest};
  }

 private:
  // Of one float or half, at the next address each turn; a load may be of the same one each turn.
  bool isAccess(const Instruction& i) const {
    if (i.type != "float" && i.type != "half") return false;
    const bool load = i.operation == "load";
    const auto by = stride(i.arguments[load ? 0 : 1]);
    return by && (*by == bitsOf(i.type) / 8 || (load && *by == 0));
  }

  // Counters, indices, addresses, and what says something to the compiler alone.
  bool isFree(const Instruction& i) const {
    static const std::set<std::string> integers{"add",  "sub",  "mul",   "shl", "or",     "and",
                                                "zext", "sext", "trunc", "br",  "freeze", "icmp"};
    const auto& op = i.operation;
    if (op == "phi") return loop_.steps.count(i.result) > 0;
    if (op == "getelementptr") return true;
    if (op == "call") return startsWith(i.callee, "llvm.assume");
    return integers.count(op) && !isFloating(i.type) && lanesOf(i.type) == 1;
  }

  static bool isLanewise(const Instruction& i) {
    static const std::set<std::string> operations{"fadd", "fsub",  "fmul",
                                                  "fneg", "fpext", "fptrunc"};
    static const char* const functions[] = {"llvm.fmuladd.", "llvm.minnum.", "llvm.maxnum.",
                                            "llvm.fabs."};
    const auto lane = [](const std::string& type) { return type == "float" || type == "half"; };
    if (!lane(i.type) || (!i.to.empty() && !lane(i.to))) return false;
    if (operations.count(i.operation)) return true;
    if (i.operation != "call") return false;
    for (const auto* function : functions)
      if (startsWith(i.callee, function)) return true;
    return false;
  }

  // By how much an integer or an address, in bytes, grows each turn.
  std::optional<std::int64_t> stride(const std::string& value, unsigned depth = 0) const {
    if (code_.invariant(value, loop_)) return 0;
    const auto* i = code_.definition(value);
    if (!i || depth > 16) return std::nullopt;
    const auto& op = i->operation;
    const auto of = [&](std::size_t k) { return stride(i->arguments[k], depth + 1); };
    if (op == "phi") return loop_.steps.count(value) ? step(*i) : std::nullopt;
    if (op == "zext" || op == "sext" || op == "trunc" || op == "freeze") return of(0);
    if (op == "add" || op == "sub" || op == "or") {
      const auto a = of(0), b = of(1);
      if (!a || !b) return std::nullopt;
      return op == "sub" ? *a - *b : *a + *b;
    }
    if ((op == "shl" || op == "mul") && isConstant(i->arguments[1])) {
      const auto a = of(0);
      const auto by = std::strtoll(i->arguments[1].c_str(), nullptr, 10);
      if (!a || by < 0 || by > 63) return std::nullopt;
      return op == "shl" ? *a * (std::int64_t{1} << by) : *a * by;
    }
    if (op == "getelementptr" && i->arguments.size() == 2) {
      const auto base = of(0), index = of(1);
      if (!base || !index) return std::nullopt;
      return *base + *index * (bitsOf(i->type) / 8);
    }
    return std::nullopt;
  }

  // By how much a counter or pointer grows each turn: what is added to it there.
  std::optional<std::int64_t> step(const Instruction& phi) const {
    for (std::size_t k = 0; k < phi.arguments.size(); ++k) {
      const auto next = code_.root(phi.arguments[k]);
      const auto* i = loop_.nexts.count(next) ? code_.definition(next) : nullptr;
      if (!i || i->arguments.size() != 2 || !isConstant(i->arguments[1])) continue;
      const auto by = std::strtoll(i->arguments[1].c_str(), nullptr, 10);
      if (i->operation == "add") return by;
      if (i->operation == "getelementptr") return by * (bitsOf(i->type) / 8);
    }
    return std::nullopt;
  }

  const Code& code_;
  const Loop& loop_;
};

}  // namespace

std::vector<VectorLoop> vectorLoops(const Function& function) {
  std::vector<VectorLoop> found;
  if (function.blocks.empty()) return found;
  const Code code(function);
  for (const auto& loop : code.loops())
    if (const auto vector = Candidate(code, loop).vector()) found.push_back(*vector);
  return found;
}

}  // namespace popir::tile
