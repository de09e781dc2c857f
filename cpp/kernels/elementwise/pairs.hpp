// Pairs of element-wise operators, and larger groups, that have a loop of their own.
#ifndef popir_kernels_elementwise_pairs_hpp
#define popir_kernels_elementwise_pairs_hpp

#include <vector>

#include "kernels/elementwise/program.hpp"

namespace popir {

/// The same program, with the same numbers of values and constants after them, where an operator and
/// those that only it uses are one loop: a pass less over a box. Each of them rounds as it did. `uniform[v]` says that
/// value v is a scalar in each box; a scalar that only an array needs stays a step of its own. With
/// `draws` 16-bit floats are rounded stochastically, by steps of their own.
MapProgram paired(const MapProgram& program, const std::vector<bool>& uniform, bool draws);

}  // namespace popir

#endif
