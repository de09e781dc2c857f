// Work as a list of numbers: what fields() of its struct (workload/work.hpp) has, in that order; an
// enumerator and an element type by its number, a struct within by its own fields. A vector comes
// last, its elements one after another.
#ifndef popir_bindings_work_sizes_hpp
#define popir_bindings_work_sizes_hpp

#include <poplar/Type.hpp>

#include <cstdint>
#include <vector>

#include "workload/work.hpp"

namespace popir {

/// `work`, of elements of `type`, with the first of its fields from a list. Not looked at are numbers
/// beyond the fields, and those that make no whole element of a vector; a number beyond an
/// enumeration stands for its last enumerator.
VertexWork withSizes(VertexWork work, poplar::Type type, const std::vector<std::uint64_t>& sizes);

std::vector<std::uint64_t> sizesOf(const VertexWork& work);

}  // namespace popir

#endif
