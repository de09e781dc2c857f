// After arch/gc_tile_defines.h of the Poplar SDK 3: the names are those of poplar/TileConstants.hpp.
#include <poplar/TileConstants.hpp>
