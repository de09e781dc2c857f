// The number of its tile, which a codelet may ask by a builtin (popir/TileBuiltins.hpp).
#ifndef popir_codelets_tile_number_hpp
#define popir_codelets_tile_number_hpp

#include <popir/Codelet.hpp>

namespace popir {

/// Symbol of a TileSetter in a library of codelets.
constexpr const char* kTileSetter = "popir_set_tile";

/// Says on which tile of its IPU the vertex is that this thread runs next.
using TileSetter = void (*)(unsigned);

/// That of the library with this codelet, which is loaded. Null if its sources use no builtins of a
/// tile.
TileSetter tileSetterOf(const Codelet& codelet);

}  // namespace popir

#endif
