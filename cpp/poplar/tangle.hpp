// Views that take long to expand.
#ifndef popir_poplar_tangle_hpp
#define popir_poplar_tangle_hpp

#include "poplar/view.hpp"

namespace popir {

constexpr unsigned kMostPieces = 1024, kMostLevels = 32;

/// Whether a view has more pieces than that, those of the views that it is a view of counted too,
/// or is a view of views of more levels. What shows such a tensor is better shown a copy of it.
__attribute__((visibility("default"))) bool isTangled(const View& view);

}  // namespace popir

#endif
