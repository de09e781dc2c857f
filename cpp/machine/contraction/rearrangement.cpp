#include "machine/contraction/rearrangement.hpp"

namespace popir {

Rearrangement rearrangement(const TargetSpec& spec, poplar::Type type, Cycles elements,
                            Cycles tiles, Cycles channels, Cycles elementsTogether) {
  const Cycles size = type.sizeInBytes();
  Rearrangement found;
  found.bytes = ceilDiv(elements * size, tiles);
  found.received = elementsTogether > 1 ? 0 : found.bytes - found.bytes / tiles;
  const auto rate = std::min<Cycles>(spec.memcpyBytesPerCycle, elementsTogether * size);
  const Cycles whole = channels % vectorWidth(spec, type) == 0 ? 4 : 3;
  found.copyCycles = ceilDiv(found.bytes * 5, rate * whole);
  return found;
}

}  // namespace popir
