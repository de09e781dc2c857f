// A vertex's work as a list of numbers, for Python. They are the fields() of its struct
// (workload/work.hpp), in that order. Enumerators and element types are given by their number, a
// nested struct by its own fields. A vector is the last field, with one element after another.
#ifndef popir_bindings_work_sizes_hpp
#define popir_bindings_work_sizes_hpp

#include <poplar/Type.hpp>

#include <cstdint>
#include <vector>

#include "workload/work.hpp"

namespace popir {

/// Sets the element type of `work`, and its first fields from `sizes`. The other fields keep their
/// values.
/// \throws poplar::poplar_error for more numbers than fields, an incomplete last element of a
/// vector, and a number beyond an enumeration
VertexWork withSizes(VertexWork work, poplar::Type type, const std::vector<std::uint64_t>& sizes);

/// The fields of `work`, in that order.
std::vector<std::uint64_t> sizesOf(const VertexWork& work);

}  // namespace popir

#endif
