// The part of a machine that a virtual graph is.
#ifndef popir_poplar_virtual_tiles_hpp
#define popir_poplar_virtual_tiles_hpp

#include <poplar/Target.hpp>

#include <vector>

namespace popir {

struct VirtualTiles {
  poplar::Target target;
  std::vector<unsigned> tiles;  // of the machine, by the virtual graph's number

  /// Whether the tiles follow one another on the machine.
  bool contiguous() const { return tiles.back() - tiles.front() + 1 == tiles.size(); }
};

}  // namespace popir

#endif
