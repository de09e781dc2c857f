// Operations on single lanes that are an operation on a vector.
//
// Functions of short vectors take lanes out, change each of them, and put them back. A tile has an
// instruction for two floats or four halves, which its compiler takes for that.
#ifndef popir_codelets_tile_vector_lanes_hpp
#define popir_codelets_tile_vector_lanes_hpp

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codelets/tile/loops.hpp"

namespace popir::tile {

class VectorLanes {
 public:
  explicit VectorLanes(const Code& code);

  /// Is this value taken out, computed or put back with another lane?
  bool isPart(const std::string& value) const { return parts_.count(value) > 0; }
  /// The lanes that an operation is on, of the vector that it is for.
  unsigned around(const Instruction& operation) const;

 private:
  using Values = std::vector<std::string>;
  struct Built {
    Values lanes, inserts;
  };

  Built built(const Instruction& last) const;
  bool join(const Values& values, unsigned depth = 0);
  bool used(const Values& values) const;

  const Code& code_;
  std::set<std::string> parts_;
  std::map<std::string, unsigned> firsts_;  // of each vector: its lanes
};

}  // namespace popir::tile

#endif
