// The tiles of a virtual graph.
#ifndef popir_poplar_virtual_tiles_hpp
#define popir_poplar_virtual_tiles_hpp

#include <poplar/Target.hpp>

#include <vector>

namespace popir {

struct VirtualTiles {
  poplar::Target target;
  // Tile numbers of the machine, indexed by tile number of the virtual graph.
  std::vector<unsigned> tiles;

  /// True if the tile numbers of the machine are consecutive.
  bool contiguous() const { return tiles.back() - tiles.front() + 1 == tiles.size(); }
};

}  // namespace popir

#endif
