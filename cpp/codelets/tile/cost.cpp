// Long, because what each kind of instruction takes stands in one class: they share the loops, and
// what of a block costs nothing of its own.
#include "codelets/tile/cost.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "codelets/counting.hpp"
#include "codelets/tile/constant_division.hpp"
#include "codelets/tile/loops.hpp"
#include "codelets/tile/vector_lanes.hpp"

namespace popir::tile {
namespace {

enum class Pipe { Main, Aux };
struct MicroOp {
  Pipe pipe;
  unsigned cycles = 1;
};
using MicroOps = std::vector<MicroOp>;

MicroOps times(unsigned n, Pipe pipe, unsigned cycles = 1) {
  return MicroOps(n, MicroOp{pipe, cycles});
}
MicroOps mains(unsigned n) { return times(n, Pipe::Main); }
MicroOps auxs(unsigned n, unsigned cycles = 1) { return times(n, Pipe::Aux, cycles); }

// Instructions of the compiler's runtime, with the call and what its arguments need: there are no
// stores of less than a word.
constexpr unsigned kStoreByte = 12 + 1 + 2, kStoreHalf = 8 + 1 + 1;
const std::string kBuiltin = "tile_builtin_ipu_";
// A function that calls another one makes room for, saves and restores the address to return to.
constexpr unsigned kFrame = 4;
// PopLibs' "vertex overhead".
constexpr unsigned kVertex = 5;
// A division of floats takes 1 or 3 cycles, as its operands are: PopLibs' vertices that divide by a
// vector, in their assembly and their cycle functions. Its tables of operators agree: dividing two
// numbers by a scalar takes 6, with the load and the store in the same bundles.
constexpr unsigned kDivision = 3;
// Each bundle of a loop that `rpt` repeats has two instructions; what has one gets a nop. The
// compiler repeats so where there are at most 4 of them, or at most as many as other bundles.
constexpr unsigned kMostNops = 4, kMostBundles = 256;

// Functions that are instructions of the auxiliary pipeline: cycles of one on a float, and on two
// halves. PopLibs' tables of element-wise operators: they are not of one cycle.
struct Transcendental {
  unsigned ofFloat, ofHalves;
};
const std::map<std::string, Transcendental>& transcendentals() {
  static const std::map<std::string, Transcendental> all{
      {"exp", {3, 2}}, {"exp2", {3, 2}}, {"log", {6, 2}},  {"log2", {6, 2}}, {"oorx", {4, 4}},
      {"oox", {3, 3}}, {"tanh", {6, 2}}, {"sigm", {6, 3}}, {"sqrt", {5, 5}}, {"rsqrt", {4, 4}}};
  return all;
}
// Functions of the library, averages over random arguments: PopLibs' tables of the operators.
const std::map<std::string, unsigned>& libraryFunctions() {
  static const std::map<std::string, unsigned> all{
      {"sin", 2300}, {"cos", 2300}, {"tan", 5100}, {"asin", 102}, {"acos", 102}, {"atan2", 136},
      {"pow", 312},  {"fmod", 66},  {"erf", 41},   {"cbrt", 13},  {"expm1", 4},  {"log1p", 9}};
  return all;
}

// "exp" of "llvm.exp.v2f32" and of "expf".
std::string mathName(const std::string& callee) {
  if (startsWith(callee, "llvm.")) {
    const auto end = callee.find('.', 5);
    return callee.substr(5, end == std::string::npos ? end : end - 5);
  }
  if (callee.size() > 1 && callee.back() == 'f') {
    const auto name = callee.substr(0, callee.size() - 1);
    if (transcendentals().count(name) || libraryFunctions().count(name) || name == "fabs" ||
        name == "fmin" || name == "fmax" || name == "floor" || name == "ceil" || name == "trunc" ||
        name == "round" || name == "rint" || name == "nearbyint" || name == "copysign")
      return name;
  }
  return callee;
}

class Coster {
 public:
  Coster(const Function& function, const std::set<std::string>& defined)
      : code_(function),
        defined_(defined),
        supervisor_(of("5popir14SupervisorCallI")),
        lanes_(code_) {
    findHalves();
    findWides();
  }

  Cost run() {
    const auto& blocks = code_.function().blocks;
    cost_.blocks.assign(blocks.size(), 0);
    for (std::size_t b = 0; b < blocks.size(); ++b) cost_.blocks[b] += ofBlock(b);
    for (std::size_t b = 0; b < blocks.size(); ++b) addConstantsOf(b);
    for (const auto& loop : code_.loops()) addEntryOf(loop);
    if (supervisor_ || of("5popir7OneCallI") || of("5popir11WorkerCallsI"))
      cost_.blocks[0] += kVertex;
    else if (calls_)
      cost_.blocks[0] += kFrame;
    return cost_;
  }

 private:
  // Is this a function of popir/CodeletGlue.hpp?
  bool of(const std::string& wrapper) const {
    return code_.function().name.find(wrapper) != std::string::npos;
  }

  struct Node {
    MicroOps ops;
    std::vector<std::size_t> after;  // nodes before it
  };

  std::size_t indexOf(const std::string& block) const {
    const auto& blocks = code_.function().blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (blocks[b].name == block) return b;
    return blocks.size();
  }

  // ---- values that cost nothing of their own

  // Is a value that changes by the same each turn wanted as it is? Not where loads and stores step
  // along, where it is part of another such value, which steps by itself, or where it ends a loop.
  bool wanted(const std::string& value, unsigned depth = 0) const {
    const auto& users = code_.users(value);
    return depth > 16 || std::any_of(users.begin(), users.end(), [&](const Instruction* u) {
             const auto& op = u->operation;
             if (op == "load" || isLeftBehind(value, *u)) return false;
             if (op == "store") return u->arguments[0] == value;
             if (op == "icmp") return !isTest(*u);
             if (u->result.empty()) return true;
             if (op == "phi") return !isStep(u->result);
             if (code_.isNothing(*u)) return wanted(u->result, depth + 1);
             const auto* loop = code_.loopOf(code_.blockOf(u->result));
             return !(loop && code_.affine(u->result, *loop) &&
                      (op == "add" || op == "sub" || op == "mul" || op == "shl" || op == "or" ||
                       op == "getelementptr"));
           });
  }

  // A counter or pointer that changes from turn to turn, or what it is in the next one.
  bool isStep(const std::string& value) const {
    return std::any_of(code_.loops().begin(), code_.loops().end(), [&](const Loop& loop) {
      return loop.steps.count(value) || loop.nexts.count(value);
    });
  }
  // Does a user behind a loop take what a pointer came to there? A load or store that steps leaves it
  // in its register.
  bool isLeftBehind(const std::string& pointer, const Instruction& user) const {
    const auto* step = code_.definition(pointer);
    if (!step || step->operation != "getelementptr") return false;
    const auto* loop = code_.loopOf(code_.blockOf(pointer));
    return loop && loop->nexts.count(pointer) && !loop->blocks.count(code_.blockOf(user));
  }
  // The comparison that ends a loop which counts down instead.
  bool isTest(const Instruction& compare) const {
    return std::any_of(code_.loops().begin(), code_.loops().end(), [&](const Loop& loop) {
      return loop.counted && loop.test == compare.result && code_.users(compare.result).size() == 1;
    });
  }

  // Integers and addresses that change by the same each turn.
  bool stepsAlong(const Instruction& i) const {
    const auto* loop = code_.loopOf(code_.blockOf(i.result));
    return loop && code_.affine(i.result, *loop);
  }
  // What these take each turn: an addition where the value is wanted, or where no load and no store
  // stands in the block with it that could step along.
  MicroOps ofStep(const Instruction& i) const {
    bool any = wanted(i.result);
    if (isNext(i.result)) {
      unsigned here = 0, elsewhere = 0;
      countAccesses(i.result, code_.blockOf(i.result), here, elsewhere);
      for (const auto& a : i.arguments) {
        const auto value = code_.root(a);
        if (!isStep(value)) continue;
        any = any || wanted(value);
        countAccesses(value, code_.blockOf(i.result), here, elsewhere);
      }
      any = any || (here == 0 && elsewhere > 0);
    }
    return mains(any ? 1 : 0);
  }
  // Loads and stores at an address that is made of a value, in a block and in others of its loop.
  void countAccesses(const std::string& value, std::size_t block, unsigned& here,
                     unsigned& elsewhere, unsigned depth = 0) const {
    const auto* loop = code_.loopOf(block);
    for (const auto* u : code_.users(value)) {
      const bool access =
          u->operation == "load" ||
          (u->operation == "store" && u->arguments.size() > 1 && u->arguments[1] == value);
      const auto at = code_.blockOf(*u);
      if (access && loop && loop->blocks.count(at)) ++(at == block ? here : elsewhere);
      if (u->operation == "getelementptr" && !isNext(u->result) && depth < 4)
        countAccesses(u->result, block, here, elsewhere, depth + 1);
      if (code_.isNothing(*u) && depth < 4)
        countAccesses(u->result, block, here, elsewhere, depth + 1);
    }
  }
  bool isNext(const std::string& value) const {
    return std::any_of(code_.loops().begin(), code_.loops().end(),
                       [&](const Loop& loop) { return loop.nexts.count(value) > 0; });
  }

  // ---- halves

  // On the host halves are converted to float, calculated with and converted back; a tile
  // calculates with halves. Such values of type float are halves there.
  void findHalves() {
    const auto candidate = [](const Instruction& i) {
      const auto& op = i.operation;
      if (op == "fpext") return laneOf(i.type) == "half";
      if (laneOf(i.type) != "float") return false;
      return op == "fadd" || op == "fsub" || op == "fmul" || op == "fneg" ||
             startsWith(i.callee, "llvm.fmuladd") || startsWith(i.callee, "llvm.maxnum") ||
             startsWith(i.callee, "llvm.minnum") || startsWith(i.callee, "llvm.fabs") ||
             op == "select";
    };
    for (const auto& block : code_.function().blocks)
      for (const auto& i : block.instructions)
        if (!i.result.empty() && candidate(i)) halves_.insert(i.result);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = halves_.begin(); it != halves_.end();) {
        const auto& i = *code_.definition(*it);
        bool half = true;
        if (i.operation != "fpext")
          for (std::size_t k = i.operation == "select" ? 1 : 0; k < i.arguments.size(); ++k)
            half = half && (isConstant(i.arguments[k]) || halves_.count(i.arguments[k]));
        for (const auto* u : code_.users(*it))
          half = half && ((u->operation == "fptrunc" && laneOf(u->to) == "half") ||
                          u->operation == "fcmp" || halves_.count(u->result));
        if (half) {
          ++it;
        } else {
          it = halves_.erase(it);
          changed = true;
        }
      }
    }
  }
  bool isHalf(const Instruction& i) const {
    return laneOf(i.type) == "half" || halves_.count(i.result) ||
           (i.operation == "fcmp" && std::any_of(i.arguments.begin(), i.arguments.end(),
                                                 [&](const auto& a) { return halves_.count(a); }));
  }

  // ---- integers of two words

  // What has 64 bits on the host is a size or an address, of 32 on a tile, unless it comes from memory
  // or goes there.
  void findWides() {
    std::vector<const Instruction*> found;
    const auto reach = [&](const Instruction* i) {
      static const std::set<std::string> kOperations = {
          "load", "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "select", "phi"};
      if (i && i->type == "i64" && kOperations.count(i->operation) &&
          wides_.insert(i->result).second)
        found.push_back(i);
    };
    for (const auto& block : code_.function().blocks)
      for (const auto& i : block.instructions) {
        if (i.operation == "load") reach(&i);
        if (i.operation == "store" && i.type == "i64") reach(code_.definition(i.arguments[0]));
      }
    while (!found.empty()) {
      const auto* i = found.back();
      found.pop_back();
      for (const auto* u : code_.users(i->result))
        if (u->operation != "load") reach(u);
    }
  }
  bool isWide(const Instruction& i) const { return i.type == "i64" && wides_.count(i.result); }

  // By words; sums have a carry, which is a comparison and an addition, and products the upper word of
  // the product of the lower ones.
  MicroOps ofWide(const Instruction& i) const {
    const auto& op = i.operation;
    if (op == "add" || op == "sub") return mains(4);
    if (op == "mul") return mains(1 + kUpperProduct + 2 + 2);
    // Of a constant two shifts and an or; else both words are chosen, too
    if (op == "shl" || op == "lshr" || op == "ashr")
      return mains(isConstant(i.arguments[1]) ? 4 : 11);
    return mains(2);
  }

  // ---- single instructions

  MicroOps ofArithmetic(const Instruction& i, unsigned each = 1) const {
    if (lanes_.isPart(i.result)) return {};
    const auto lanes = lanes_.around(i);
    if (isWide(i)) return ofWide(i);
    if (!isFloating(i.type)) return mains(each * lanes);
    if (!isHalf(i)) return auxs(each * std::max(1u, (lanes + 1) / 2));
    // A single half is put into both lanes first
    return auxs(lanes == 1 ? 2 * each : each * std::max(1u, (lanes + 3) / 4));
  }

  MicroOps ofMemory(const Instruction& i) const {
    const auto bits = bitsOf(i.type);
    const bool floating = isFloating(i.type) || startsWith(i.type, "<");
    if (bits < 32) return mains(1);
    if (i.type == "i64") return mains(2);
    if (!floating) return mains((bits + 31) / 32);
    const unsigned align = std::max(i.align, 1u) * 8;
    const auto width = std::min(align >= 64 ? 64u : align, bits);
    if (width >= 32) return mains((bits + width - 1) / width);
    auto ops = mains(bits / 16);  // halves that do not lie in a word, and are put together
    const auto sorted = auxs(bits / 32);
    ops.insert(ops.end(), sorted.begin(), sorted.end());
    return ops;
  }

  // An address: nothing where loads and stores add it up or step along.
  MicroOps ofAddress(const Instruction& i) const {
    std::vector<std::string> variable;
    for (std::size_t k = 1; k < i.arguments.size(); ++k)
      if (!isConstant(i.arguments[k])) variable.push_back(i.arguments[k]);
    const auto& users = code_.users(i.result);
    const bool memory = std::all_of(users.begin(), users.end(), [&](const Instruction* u) {
      return u->operation == "load" || (u->operation == "store" && u->arguments[0] != i.result) ||
             u->operation == "getelementptr";
    });
    if (stepsAlong(i) || isStep(i.result)) return ofStep(i);
    if (variable.empty()) return memory ? MicroOps{} : mains(1);
    // One index in elements of what is accessed is part of the instruction
    const bool plain = i.arguments.size() == 2 &&
                       std::all_of(users.begin(), users.end(), [&](const Instruction* u) {
                         return (u->operation == "load" || u->operation == "store") &&
                                u->type == i.type && bitsOf(u->type) <= 64;
                       });
    if (memory && plain) return {};
    const bool bytes = i.type == "i8";
    return mains((bytes ? 0 : static_cast<unsigned>(variable.size())) + (memory ? 0u : 1u));
  }

  MicroOps ofComparison(const Instruction& i) const {
    const auto& users = code_.users(i.result);
    const bool branches = std::all_of(users.begin(), users.end(),
                                      [](const Instruction* u) { return u->operation == "br"; });
    if (i.operation == "icmp") {
      if (isTest(i)) return {};
      const bool wide = std::any_of(i.arguments.begin(), i.arguments.end(),
                                    [&](const auto& a) { return wides_.count(a) > 0; });
      if (wide) return mains(i.predicate == "eq" || i.predicate == "ne" ? 3 : 4);
      // brz, brnz, brneg and brpos compare with zero themselves
      const bool zero = i.arguments[1] == "0" || i.arguments[1] == "null";
      const bool sign =
          (i.predicate == "slt" && zero) || (i.predicate == "sgt" && i.arguments[1] == "-1");
      const bool equal = (i.predicate == "eq" || i.predicate == "ne") && zero;
      if (branches && !users.empty() && (sign || equal)) return {};
      // There is equal, unequal and less. The opposite of less is another branch or choice, as a
      // number it is one instruction more
      const auto& p = i.predicate;
      const bool opposite = p == "sle" || p == "sge" || p == "ule" || p == "uge";
      const bool number = std::any_of(users.begin(), users.end(), [](const Instruction* u) {
        return u->operation != "br" && u->operation != "select" && !isOpposite(*u);
      });
      return mains((opposite && number ? 2 : 1) * lanesOf(i.type));
    }
    // Unordered ones are the opposite of the opposite
    unsigned n = 1;
    const auto& p = i.predicate;
    if (p == "one" || p == "ord" || p == "uno")
      n = 3;
    else if (p == "ueq")
      n = 4;
    else if (p[0] == 'u' && p != "une" && !branches)
      n = 2;
    if (isHalf(i) && lanesOf(i.type) == 1) n += 1;
    auto ops = auxs(n);
    ops.push_back({Pipe::Main});  // to a register of the other pipeline
    return ops;
  }

  MicroOps ofConversion(const Instruction& i) const {
    const auto& op = i.operation;
    if (lanes_.isPart(i.result)) return {};
    const auto lanes = lanes_.around(i);
    if (code_.isNothing(i)) return {};
    if (op == "fpext" || op == "fptrunc") {
      if (op == "fpext" && halves_.count(i.result)) return {};
      if (op == "fptrunc" && halves_.count(i.arguments[0])) return {};
      return auxs((lanes + 1) / 2);
    }
    if (op == "sitofp" || op == "uitofp") {
      const auto* from = code_.definition(i.arguments[0]);
      // What is loaded for this alone is loaded to where it is wanted
      if (from && from->operation == "load" && bitsOf(from->type) == 32 &&
          code_.users(from->result).size() == 1)
        return auxs(1);
      auto ops = mains(2 * lanes);  // through memory
      ops.push_back({Pipe::Aux});
      return ops;
    }
    if (op == "fptosi" || op == "fptoui") {
      auto ops = auxs(2 * lanes);
      const auto& users = code_.users(i.result);
      if (!std::all_of(users.begin(), users.end(),
                       [](const Instruction* u) { return u->operation == "store"; }))
        ops.push_back({Pipe::Main});
      return ops;
    }
    if (op == "bitcast") {
      if (isFloating(i.type) == isFloating(i.to)) return {};
      return isFloating(i.type) ? mains(1) : mains(2);
    }
    if (op == "zext") {
      const auto* from = code_.definition(i.arguments[0]);
      if (i.type == "i1" || (from && from->operation == "load")) return {};
      return mains(1);
    }
    if (op == "sext") {
      const auto* from = code_.definition(i.arguments[0]);
      return from && from->operation == "load" ? MicroOps{} : mains(1);
    }
    if (op == "trunc") {
      const auto& users = code_.users(i.result);
      return std::all_of(users.begin(), users.end(),
                         [](const Instruction* u) { return u->operation == "store"; })
                 ? MicroOps{}
                 : mains(1);
    }
    return {};
  }

  MicroOps ofLanes(const Instruction& i) const {
    const auto& op = i.operation;
    const auto lane = laneOf(i.type);
    if (lanes_.isPart(i.result)) return {};
    if (op == "extractelement" || op == "insertelement") {
      const auto& index = i.arguments[op == "extractelement" ? 1 : 2];
      if (!isConstant(index)) return mains(2);
      if (lane == "half")
        return std::strtoul(index.c_str(), nullptr, 10) % 2 ? auxs(1) : MicroOps{};
      return {};  // a lane is a register
    }
    const bool splat = i.arguments.size() > 2 && i.arguments[2] == "zeroinitializer";
    if (splat || !isFloating(i.type)) return {};
    return lane == "half" ? auxs(1) : MicroOps{};
  }

  static bool isOpposite(const Instruction& i) {
    return i.operation == "xor" && i.type == "i1" && i.arguments[1] == "true";
  }

  // Are the bits above the lowest one of a condition not known to be 0? Comparisons make 0 or 1;
  // what comes from several blocks is not looked into, and masked before a branch or a choice.
  bool isMasked(const std::string& condition, unsigned depth = 0) const {
    const auto* i = code_.definition(condition);
    if (!i || depth > 8) return false;
    const auto of = [&](std::size_t k) { return isMasked(i->arguments[k], depth + 1); };
    if (i->operation == "phi") return true;
    if (i->operation == "xor" || i->operation == "or") return of(0) || of(1);
    if (i->operation == "and") return of(0) && of(1);
    return false;
  }
  unsigned maskOf(const std::string& condition) const { return isMasked(condition) ? 1 : 0; }

  // What ends a block.
  MicroOps ofEnd(const Instruction& i, std::size_t block) const {
    const auto& blocks = code_.function().blocks;
    if (i.operation == "ret") return mains(1);
    if (i.operation == "switch") {
      // Comparisons one after another, half of them in the mean; or a table of addresses
      const auto cases = static_cast<unsigned>(i.labels.size() - 1);
      return mains(cases < 4 ? std::max(2u, 2 * ((cases + 1) / 2)) : 5);
    }
    if (i.operation != "br") return {};
    const auto next = block + 1 < blocks.size() ? blocks[block + 1].name : "";
    if (i.labels.size() == 1) return i.labels[0] == next ? MicroOps{} : mains(1);
    return mains(1 + maskOf(i.arguments[0]));
  }

  MicroOps ofMathCall(const Instruction& i, const std::string& name) const {
    const auto lanes = lanesOf(i.type);
    const bool half = laneOf(i.type) == "half" || halves_.count(i.result);
    const auto instruction = transcendentals().find(name);
    if (instruction != transcendentals().end()) {
      if (!half) return auxs(lanes, instruction->second.ofFloat);
      auto ops = auxs((lanes + 1) / 2, instruction->second.ofHalves);
      if (lanes == 1) ops.insert(ops.begin(), MicroOp{Pipe::Aux});
      return ops;
    }
    if (name == "copysign") return auxs(3 * lanes);
    return ofArithmetic(i);
  }

  // A builtin of a tile's compiler is an instruction.
  static MicroOps ofBuiltin(const Instruction& i, std::string name) {
    for (const auto* prefix : {"f32v2", "f32", "f16v2", "f16v4"})
      if (startsWith(name, prefix)) {
        name = name.substr(std::string(prefix).size());
        break;
      }
    for (const auto* main : {"ld", "st", "get", "put"})
      if (startsWith(name, main)) return mains(1);
    if (startsWith(name, "ln")) name = "log";
    const auto lanes = lanesOf(i.type);
    const bool half = laneOf(i.type) == "half";
    // The longest name first: exp2 before exp
    for (auto it = transcendentals().rbegin(); it != transcendentals().rend(); ++it)
      if (startsWith(name, it->first))
        return half ? auxs((lanes + 1) / 2, it->second.ofHalves) : auxs(lanes, it->second.ofFloat);
    return auxs(1);
  }

  // ---- calls

  struct Call {
    std::uint64_t cycles = 0;  // beside what its blocks count
    bool isCall = false;       // nothing is bundled across it
    MicroOps ops;              // of what is an instruction
  };

  Call ofCall(const Instruction& i) {
    const auto& callee = i.callee;
    static const std::set<std::string> free{"llvm.assume", "llvm.expect", "llvm.donothing"};
    if (startsWith(callee, "llvm.dbg") || startsWith(callee, "llvm.lifetime") ||
        startsWith(callee, "llvm.experimental.noalias") || startsWith(callee, "llvm.expect") ||
        startsWith(callee, "llvm.stack") || free.count(callee))
      return {};
    if (callee == kCodeletRepeats) return {};
    if (callee == "asm") return {0, false, mains(statementsIn(i.text))};
    const auto builtin = callee.find(kBuiltin);
    if (builtin != std::string::npos)
      return {0, false, ofBuiltin(i, callee.substr(builtin + kBuiltin.size()))};
    const auto math = mathName(callee);
    if (transcendentals().count(math) || math == "fmuladd" || math == "fma" || math == "fabs" ||
        math == "minnum" || math == "maxnum" || math == "fmin" || math == "fmax" ||
        math == "floor" || math == "ceil" || math == "trunc" || math == "rint" ||
        math == "nearbyint" || math == "round" || math == "roundeven" || math == "copysign")
      return {0, false, ofMathCall(i, math)};
    const auto library = libraryFunctions().find(math);
    if (library != libraryFunctions().end()) return {library->second, true, {}};
    if (startsWith(callee, "llvm.memcpy") || startsWith(callee, "llvm.memmove") ||
        startsWith(callee, "llvm.memset")) {
      const bool set = startsWith(callee, "llvm.memset");
      // A store, and a load for it, of 8 bytes at a time
      const unsigned of8 = set ? 1 : 2;
      if (isConstant(i.arguments[2]))
        return {0, false,
                mains(of8 * static_cast<unsigned>(
                                (std::strtoul(i.arguments[2].c_str(), nullptr, 10) + 7) / 8))};
      cost_.varying.push_back(
          {Varying::Kind::Bytes, i.line, "i64", i.arguments[2], "", of8, false});
      return {4, true, {}};
    }
    if (startsWith(callee, "llvm.")) {
      const auto lanes = lanesOf(i.type);
      const bool wide = std::any_of(i.arguments.begin(), i.arguments.end(),
                                    [&](const auto& a) { return wides_.count(a) > 0; });
      // Of two words the comparison and the choice
      if (wide && (startsWith(callee, "llvm.smax") || startsWith(callee, "llvm.smin") ||
                   startsWith(callee, "llvm.umax") || startsWith(callee, "llvm.umin")))
        return {0, false, mains(4 + 2)};
      if (startsWith(callee, "llvm.abs")) return {0, false, mains(2 * lanes)};
      if (startsWith(callee, "llvm.cttz") || startsWith(callee, "llvm.bswap"))
        return {0, false, mains(3)};
      if (startsWith(callee, "llvm.umax") || startsWith(callee, "llvm.umin"))
        return {0, false, mains(2 * lanes)};
      if (startsWith(callee, "llvm.vector.reduce")) return {0, false, auxs(lanesOf(i.type))};
      return {0, false, isFloating(i.type) ? auxs(lanes) : mains(lanes)};
    }
    // Of a function that the program has, or of one that nothing is known about, the call
    return {1 + i.arguments.size(), true, {}};
  }

  static unsigned statementsIn(const std::string& text) {
    // sideeffect "nop; nop\0A", "..."
    const auto from = text.find('"');
    if (from == std::string::npos) return 0;
    const auto body = text.substr(from + 1, text.find('"', from + 1) - from - 1);
    unsigned n = 0;
    bool any = false, comment = false;
    for (std::size_t k = 0; k <= body.size(); ++k) {
      const bool line = k == body.size() || body.compare(k, 3, "\\0A") == 0;
      if (line || (body[k] == ';' && !comment)) {
        n += any;
        any = false;
        if (line) {
          comment = false;
          k += 2;
        }
      } else if (body[k] == '#') {
        comment = true;
      } else if (!comment && body[k] != ' ' && body[k] != '\\' && body.compare(k, 3, "\\09") != 0) {
        any = true;
      }
    }
    return n;
  }

  // ---- blocks

  struct Bundles {
    std::uint64_t cycles = 0;
    unsigned count = 0, single = 0;  // all, those of one instruction
  };

  // Bundles of the nodes, each after those that it needs.
  Bundles schedule(const std::vector<Node>& nodes) const {
    struct Op {
      MicroOp op;
      std::vector<std::size_t> after;
      unsigned height = 0;
      bool done = false;
    };
    std::vector<Op> ops;
    std::vector<std::vector<std::size_t>> lastOf(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      std::vector<std::size_t> before;
      for (const auto a : nodes[n].after)
        before.insert(before.end(), lastOf[a].begin(), lastOf[a].end());
      for (const auto& op : nodes[n].ops) {
        ops.push_back({op, before, 0, false});
        before = {ops.size() - 1};
      }
      lastOf[n] = before;
    }
    for (std::size_t k = ops.size(); k-- > 0;)
      for (const auto a : ops[k].after)
        ops[a].height = std::max(ops[a].height, ops[k].height + ops[k].op.cycles);
    Bundles bundles;
    std::size_t left = ops.size();
    std::vector<char> ready(ops.size());
    while (left > 0) {
      for (std::size_t k = 0; k < ops.size(); ++k)
        ready[k] = !ops[k].done && std::all_of(ops[k].after.begin(), ops[k].after.end(),
                                               [&](std::size_t a) { return ops[a].done; });
      unsigned bundle = 0, instructions = 0;
      for (const auto pipe : {Pipe::Main, Pipe::Aux}) {
        if (supervisor_ && bundle > 0) break;  // one instruction at a time
        std::size_t best = ops.size();
        for (std::size_t k = 0; k < ops.size(); ++k)
          if (ready[k] && ops[k].op.pipe == pipe &&
              (best == ops.size() || ops[k].height > ops[best].height))
            best = k;
        if (best == ops.size()) continue;
        ops[best].done = true;
        --left;
        bundle = std::max(bundle, ops[best].op.cycles);
        ++instructions;
      }
      bundles.cycles += bundle;
      ++bundles.count;
      bundles.single += instructions == 1;
    }
    return bundles;
  }

  std::uint64_t ofBlock(std::size_t b) {
    const auto& block = code_.function().blocks[b];
    std::uint64_t cycles = 0;
    std::vector<Node> nodes;
    std::map<std::string, std::size_t> nodeOf;
    const auto flush = [&] {
      cycles += schedule(nodes).cycles;
      nodes.clear();
      nodeOf.clear();
    };
    const auto add = [&](const Instruction& i, MicroOps ops) {
      Node node{std::move(ops), {}};
      // What a function returns may come in the bundle that returns
      for (const auto& a : i.operation == "ret" ? std::vector<std::string>() : i.arguments) {
        const auto from = nodeOf.find(a);
        if (from != nodeOf.end()) node.after.push_back(from->second);
      }
      if (!i.result.empty()) nodeOf[i.result] = nodes.size();
      nodes.push_back(std::move(node));
    };
    const auto* loop = endingIn(b);
    for (const auto& i : block.instructions) {
      const auto& op = i.operation;
      const bool end = &i == &block.instructions.back();
      if (op == "phi") continue;
      if (op == "call" || op == "invoke") {
        auto call = ofCall(i);
        if (startsWith(i.callee, "llvm.fmuladd") || startsWith(i.callee, "llvm.fma.")) {
          addProduct(i, add);
        } else if (call.isCall) {
          calls_ = true;
          flush();
          cycles += call.cycles;
        } else {
          add(i, std::move(call.ops));
        }
      } else if (op == "store" && laneOf(i.type) == "half" && lanesOf(i.type) > 1 && i.align < 4) {
        calls_ = true;
        flush();
        cycles += lanesOf(i.type) * kStoreHalf;
      } else if (op == "store" && bitsOf(i.type) < 32 && !startsWith(i.type, "<")) {
        calls_ = true;
        flush();
        cycles += bitsOf(i.type) == 16 ? kStoreHalf : kStoreByte;
      } else if (const auto instructions = constantDivision(i)) {
        add(i, mains(*instructions));
      } else if ((op == "sdiv" || op == "udiv" || op == "srem" || op == "urem") &&
                 lanesOf(i.type) == 1) {
        calls_ = true;
        flush();
        const bool isSigned = op[0] == 's', rest = op.compare(1, 3, "rem") == 0;
        cost_.varying.push_back(
            {Varying::Kind::Division, i.line, i.type, i.arguments[0], i.arguments[1], 0, isSigned});
        cycles += 3 + (isSigned ? 13 : 0) + (rest ? 10 : 0);
      } else if (end) {
        if (loop) {
          // A supervisor subtracts and branches
          if (!repeats(*loop, schedule(nodes))) add(i, mains(supervisor_ ? 2 : 1));
        } else {
          add(i, ofEnd(i, b));
        }
      } else {
        add(i, ofPlain(i));
      }
    }
    // What ends a block is in its last bundle
    if (!nodes.empty() && !nodes.back().ops.empty())
      for (std::size_t n = 0; n + 1 < nodes.size(); ++n) endAfter(nodes, n);
    flush();
    return cycles;
  }

  // A product, then a sum: only the latter waits for what is added.
  template <class Add>
  void addProduct(const Instruction& i, const Add& add) const {
    Instruction product = i, sum = i;
    product.result += ".product";
    product.arguments.resize(2);
    sum.arguments = {product.result, i.arguments[2]};
    add(product, ofArithmetic(i));
    add(sum, ofArithmetic(i));
  }

  // Main instructions before a branch are in earlier bundles by themselves: there is one pipeline.
  // Those of the other one may share the branch's bundle.
  static void endAfter(std::vector<Node>& nodes, std::size_t n) {
    if (!nodes[n].ops.empty() && nodes[n].ops.back().pipe == Pipe::Main)
      nodes.back().after.push_back(n);
  }

  MicroOps ofPlain(const Instruction& i) const {
    const auto& op = i.operation;
    if (op == "load" || op == "store") return ofMemory(i);
    if (op == "getelementptr") return ofAddress(i);
    if (op == "icmp" || op == "fcmp") return ofComparison(i);
    if (op == "extractelement" || op == "insertelement" || op == "shufflevector") return ofLanes(i);
    if (op == "alloca" || op == "extractvalue" || op == "insertvalue" || op == "unreachable" ||
        op == "landingpad" || op == "freeze" || op == "fence")
      return {};
    if (!i.to.empty()) return ofConversion(i);
    if (op == "select") {
      const auto mask = maskOf(i.arguments[0]);
      if (isWide(i)) return mains(2 + mask);
      if (!isFloating(i.type)) return mains(lanesOf(i.type) + mask);
      auto ops = mains(1 + mask);  // a branch around a move
      ops.push_back({Pipe::Aux});
      return ops;
    }
    if (op == "fdiv") {
      // It has one lane, and is of floats: halves are converted, both operands and the quotients, two
      // at a time. What stays the same in a loop is converted before it.
      const auto lanes = lanesOf(i.type), pairs = (lanes + 1) / 2;
      if (laneOf(i.type) != "half") return auxs(lanes, kDivision);
      const auto* loop = code_.loopOf(code_.blockOf(i));
      MicroOps ops;
      for (const auto& operand : i.arguments)
        if (!loop || !code_.invariant(operand, *loop))
          ops.insert(ops.end(), pairs, MicroOp{Pipe::Aux});
      ops.insert(ops.end(), lanes, MicroOp{Pipe::Aux, kDivision});
      ops.insert(ops.end(), pairs, MicroOp{Pipe::Aux});
      return ops;
    }
    if (op == "frem") return auxs(lanesOf(i.type), libraryFunctions().at("fmod"));
    if (i.result.empty()) return {};
    if (code_.isNothing(i)) return {};
    if (!isFloating(i.type) && lanesOf(i.type) == 1 && (isStep(i.result) || stepsAlong(i)))
      return ofStep(i);
    // The opposite of a condition is another branch
    if (isOpposite(i) || isPartOfAnother(i)) return {};
    return ofArithmetic(i);
  }

  // Complements that are part of an instruction: there are `xnor` and `andc`.
  bool isPartOfAnother(const Instruction& i) const {
    if (i.operation != "xor" || lanesOf(i.type) != 1 || i.arguments[1] != "-1") return false;
    const auto* of = code_.definition(i.arguments[0]);
    if (of && of->operation == "xor" && of->arguments[1] != "-1" &&
        code_.users(of->result).size() == 1)
      return true;
    const auto& users = code_.users(i.result);
    return users.size() == 1 && users[0]->operation == "and";
  }

  // The counted loop that this block ends a turn of.
  const Loop* endingIn(std::size_t b) const {
    for (const auto& loop : code_.loops())
      if (loop.counted && loop.latch == b && code_.users(loop.test).size() == 1) return &loop;
    return nullptr;
  }

  // Hardware repeats one block without branches and calls, a number of times that fits its counter.
  bool repeats(const Loop& loop, const Bundles& turn) const {
    if (supervisor_ || !loop.counted || loop.blocks.size() != 1 || loop.mostTurns > kMostRepeats)
      return false;
    if (turn.count > kMostBundles || (turn.single > kMostNops && 2 * turn.single > turn.count))
      return false;
    const auto& all = code_.function().blocks[loop.header].instructions;
    return std::none_of(all.begin(), all.end(), [&](const Instruction& i) {
      const auto& op = i.operation;
      if (op == "select") return isFloating(i.type);
      if (op == "store") return bitsOf(i.type) < 32;
      if (op == "sdiv" || op == "udiv" || op == "srem" || op == "urem")
        return !constantDivision(i).has_value();
      return (op == "call" || op == "invoke") && (i.callee == "asm" || defined_.count(i.callee));
    });
  }

  // Before a loop: its counter, and a pointer for each that steps along.
  void addEntryOf(const Loop& loop) {
    if (!loop.preheader) return;
    std::set<std::pair<std::string, std::string>> pointers;
    for (const auto b : loop.blocks) {
      if (code_.loopOf(b) == nullptr || code_.loopOf(b)->header != loop.header) continue;
      for (const auto& i : code_.function().blocks[b].instructions)
        if (i.operation == "getelementptr" && !loop.nexts.count(i.result) && stepsAlong(i)) {
          const auto base = code_.root(i.arguments[0]);
          if (loop.steps.count(base)) continue;
          pointers.insert({base, i.arguments.size() > 1 ? code_.root(i.arguments.back()) : ""});
        }
    }
    cost_.blocks[*loop.preheader] += pointers.size() + (loop.counted ? 1 : 0);
  }

  // Constants that a value has on some way into a block are set on that way.
  void addConstantsOf(std::size_t b) {
    for (const auto& phi : code_.function().blocks[b].instructions) {
      if (phi.operation != "phi") break;
      if (code_.root(phi.result) != phi.result) continue;
      if (isStep(phi.result) && !wanted(phi.result)) continue;
      for (std::size_t k = 0; k < phi.arguments.size(); ++k) {
        if (!isConstant(phi.arguments[k]) || phi.arguments[k] == "undef" ||
            phi.arguments[k] == "poison" || phi.type == "i1")
          continue;
        const auto from = indexOf(phi.labels[k]);
        if (from < cost_.blocks.size()) cost_.blocks[from] += 1;
      }
    }
  }

  const Code code_;
  const std::set<std::string>& defined_;
  const bool supervisor_;
  const VectorLanes lanes_;
  std::set<std::string> halves_, wides_;
  Cost cost_;
  bool calls_ = false;
};

}  // namespace

Cost costOf(const Function& function, const std::set<std::string>& defined) {
  return Coster(function, defined).run();
}

}  // namespace popir::tile
