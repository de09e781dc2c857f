// Matrix products that are added to something at once.
#ifndef popir_poplar_accumulate_hpp
#define popir_poplar_accumulate_hpp

#include <optional>

#include "poplar/element_wise.hpp"

namespace popir {

/// The vertex that does `w += c * A * B` in place of `product`, which computes A * B as FLOAT, and
/// of `reader`, which does `w += c * read` or `w -= c * read` with a constant c. Nothing if they do
/// something else. \pre `read` is the product's result, and nobody else needs it.
std::optional<BulkVertex> accumulated(const BulkVertex& product, const ElementWise& reader,
                                      const poplar::Tensor& read);

}  // namespace popir

#endif
