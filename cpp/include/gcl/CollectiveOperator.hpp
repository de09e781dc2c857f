// The operations of collectives. After gcl/CollectiveOperator.hpp of the Poplar SDK 3.
#ifndef gcl_CollectiveOperator_hpp
#define gcl_CollectiveOperator_hpp

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

}  // namespace gcl

#endif
