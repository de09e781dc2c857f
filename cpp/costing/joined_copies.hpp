// Copies that follow one another and are one exchange.
#ifndef popir_costing_joined_copies_hpp
#define popir_costing_joined_copies_hpp

#include <set>
#include <unordered_map>
#include <vector>

#include "costing/reading.hpp"

namespace popir {

/// Finds the copies of programs that Poplar makes one exchange of: copies between which nothing else
/// stands, and of which none touches an element that another one of them writes. A Block, a loop, a
/// branch and a function end such a group, and so does a copy between IPUs. A node that would be in
/// several groups, as it stands in several places, is in none.
class JoinedCopies {
 public:
  /// A group, in order. Copies that stand alone have none.
  using Group = std::vector<const ProgramNode*>;

  JoinedCopies(const GraphImpl& graph, const Programs& programs);

  /// The group of a copy, and its place in it; null for one that is in none.
  struct Place {
    const Group* group = nullptr;
    std::size_t at = 0;
  };
  Place placeOf(const ProgramNode& copy) const;
  /// How many copies join one before them.
  std::size_t joining() const;

 private:
  std::vector<Group> groups_;
  std::unordered_map<const ProgramNode*, std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace popir

#endif
