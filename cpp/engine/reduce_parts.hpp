// The reductions of collectives.
#ifndef popir_engine_reduce_parts_hpp
#define popir_engine_reduce_parts_hpp

#include <poplar/Type.hpp>

#include <cstddef>
#include <gcl/CollectiveOperator.hpp>
#include <vector>

namespace popir {

/// out[i] = the reduction of in[0][i], in[1][i], ..., in this order, for i < n. 16-bit floats are
/// reduced in float and rounded once, to the nearest.
/// \pre op is not LOCAL
/// \throws poplar::type_error for types without arithmetic
void reduceParts(gcl::CollectiveOperator op, poplar::Type type, const std::vector<const void*>& in,
                 void* out, std::size_t n);

}  // namespace popir

#endif
