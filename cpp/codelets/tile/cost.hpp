// What the blocks of a function cost a worker of a tile, in its cycles.
//
// A worker executes bundles of up to two instructions: one of the main pipeline (loads, stores,
// integers, addresses, branches) and one of the auxiliary pipeline (floating point). Results are
// there for the next bundle, since five other workers have their turn in between.
#ifndef popir_codelets_tile_cost_hpp
#define popir_codelets_tile_cost_hpp

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "codelets/tile/ir.hpp"

namespace popir::tile {

/// A cost that depends on values. It is added where the instruction stands.
struct Varying {
  enum class Kind {
    Division,  ///< of `first` by `second`, as the runtime's routine shifts and subtracts
    Bytes      ///< `cyclesOf8` for each started 8 bytes of `first`
  };
  Kind kind;
  std::size_t line;  ///< of the instruction, in the module's text
  std::string type;  ///< of the values
  std::string first, second;
  unsigned cyclesOf8 = 0;
  bool isSigned = false;
};

struct Cost {
  std::vector<std::uint64_t> blocks;
  std::vector<Varying> varying;
};

/// \param defined functions that the program has itself, whose blocks count where they stand
Cost costOf(const Function& function, const std::set<std::string>& defined);

}  // namespace popir::tile

#endif
