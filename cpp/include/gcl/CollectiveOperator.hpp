// The operations of collectives. After gcl/CollectiveOperator.hpp of the Poplar SDK 3.
#ifndef gcl_CollectiveOperator_hpp
#define gcl_CollectiveOperator_hpp

#include <iosfwd>

#pragma GCC visibility push(default)
namespace gcl {

enum class CollectiveOperator {
  ADD,
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD,  ///< the sum of the squares
  LOCAL        ///< this replica's own value
};

/// Writes "CollectiveOperator::ADD".
std::ostream& operator<<(std::ostream& os, const CollectiveOperator& op);
/// Reads "ADD" or "CollectiveOperator::ADD", in any case; sets the failbit for another word.
std::istream& operator>>(std::istream& is, CollectiveOperator& op);

}  // namespace gcl
#pragma GCC visibility pop

#endif
