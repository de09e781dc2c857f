// popops/OperationDef.hpp: what a reduction does with two elements.
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
  LOG_ADD       ///< log(exp(a) + exp(b)): the sum of numbers that are given by their logarithms.
};

}  // namespace popops

#endif
