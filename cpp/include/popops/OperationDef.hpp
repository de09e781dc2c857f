// The operations of reductions. After popops/OperationDef.hpp of PopLibs 3.
#ifndef popops_OperationDef_hpp
#define popops_OperationDef_hpp

namespace popops {

enum class Operation {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,  ///< BOOL only.
  LOGICAL_OR,   ///< BOOL only.
  SQUARE_ADD,   ///< The sum of the squares of the elements.
  LOG_ADD       ///< log(sum(exp(x))): adds numbers that are given as logarithms.
};
/// The last enumerator, for serialization.
constexpr Operation lastOf(Operation) { return Operation::LOG_ADD; }

}  // namespace popops

#endif
