// Detects views that are expensive to expand.
#ifndef popir_poplar_tangle_hpp
#define popir_poplar_tangle_hpp

#include "poplar/view.hpp"

namespace popir {

constexpr unsigned kMostPieces = 1024, kMostLevels = 32;

/// True if a view has more than kMostPieces pieces, including the pieces of its base views, or more
/// than kMostLevels nested views. Use a copy of such a tensor instead of further views of it.
__attribute__((visibility("default"))) bool isTangled(const View& view);

}  // namespace popir

#endif
