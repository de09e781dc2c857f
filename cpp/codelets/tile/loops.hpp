// Values and loops of one function: which of them count, which values step from turn to turn.
#ifndef popir_codelets_tile_loops_hpp
#define popir_codelets_tile_loops_hpp

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codelets/tile/ir.hpp"

namespace popir::tile {

/// As far as `rpt` counts.
constexpr std::uint64_t kMostRepeats = 65535;

struct Loop {
  std::size_t header = 0, latch = 0;
  std::set<std::size_t> blocks;
  std::optional<std::size_t> preheader;  ///< the one block that it is entered from
  std::set<std::string> steps;           ///< phis that change by the same amount each turn
  std::set<std::string> nexts;           ///< what these are in the next turn
  /// The comparison that ends it, where turns can be told before the first one.
  std::string test;
  bool counted = false;
  std::uint64_t mostTurns = UINT64_MAX;
};

/// Function with its definitions, uses and loops.
class Code {
 public:
  explicit Code(const Function& function);

  const Function& function() const { return function_; }
  /// Null if the value is an argument or a constant.
  const Instruction* definition(const std::string& value) const;
  const std::vector<const Instruction*>& users(const std::string& value) const;
  std::size_t blockOf(const std::string& value) const { return where_.at(value); }
  std::size_t blockOf(const Instruction& instruction) const { return blocks_.at(&instruction); }
  /// The value without what is nothing on a tile, where sizes have 32 bits: conversions between
  /// these, a second counter that is the first one in 64 bits.
  std::string root(std::string value) const;
  /// Is this instruction such a conversion?
  bool isNothing(const Instruction& instruction) const;

  const std::vector<Loop>& loops() const { return loops_; }
  /// The innermost loop around a block; null if there is none.
  const Loop* loopOf(std::size_t block) const;
  bool invariant(const std::string& value, const Loop& loop) const;
  /// Does the value change by the same amount each turn, or not at all?
  bool affine(const std::string& value, const Loop& loop, unsigned depth = 0) const;

 private:
  void findTwins();
  void findLoops();
  void study(Loop& loop) const;
  bool stepsByPowerOfTwo(const std::string& stepping, const Loop& loop) const;
  std::uint64_t most(const std::string& value, unsigned depth = 0) const;

  const Function& function_;
  std::map<std::string, const Instruction*> definitions_;
  std::map<std::string, std::size_t> where_;
  std::map<const Instruction*, std::size_t> blocks_;
  std::map<std::string, std::vector<const Instruction*>> users_;
  std::map<std::string, std::string> twins_;  // phis of 64 bits: those of 32 that are the same
  std::vector<Loop> loops_;
  std::vector<int> innermost_;  // by block: index in loops_, or -1
};

}  // namespace popir::tile

#endif
