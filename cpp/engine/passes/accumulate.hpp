// Fusion of a matrix product with the addition of its result: `w += c * A * B` as one vertex.
#ifndef popir_engine_passes_accumulate_hpp
#define popir_engine_passes_accumulate_hpp

#include <optional>

#include "engine/passes/element_wise.hpp"

namespace popir {

/// The vertex that replaces two others:
///   product:  read = A * B                     (FLOAT)
///   reader:   w += c * read, or w -= c * read  (c is a constant)
/// by w += c * A * B, or w -= c * A * B. Nothing if the two have another form.
/// \pre `read` is the result of `product`, and no step but `reader` reads it.
std::optional<BulkVertex> accumulated(const BulkVertex& product, const ElementWise& reader,
                                      const poplar::Tensor& read);

}  // namespace popir

#endif
