#include "machine/contraction/rearrangement.hpp"

namespace popir {

Rearrangement regrouping(const TargetSpec& spec, poplar::Type type, Cycles elements, Cycles tiles,
                         Cycles channels, Cycles together) {
  const Cycles size = type.sizeInBytes();
  Rearrangement found;
  found.bytes = ceilDiv(elements * size, tiles);
  const auto rate = std::min<Cycles>(spec.memcpyBytesPerCycle, together * size);
  const Cycles whole = channels % vectorWidth(spec, type) == 0 ? 4 : 3;
  found.copyCycles = ceilDiv(found.bytes * 5, rate * whole);
  return found;
}

Rearrangement rearrangement(const TargetSpec& spec, poplar::Type type, Cycles elements,
                            Cycles tiles, Cycles channels) {
  auto found = regrouping(spec, type, elements, tiles, channels, 1);
  found.received = found.bytes - found.bytes / tiles;
  return found;
}

}  // namespace popir
