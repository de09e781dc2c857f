#include "machine/contraction/grid.hpp"

#include <map>

#include "machine/contraction/layout.hpp"

namespace popir {

std::int64_t GridDim::boundary(std::int64_t i) const {
  if (shares > 0) return stride == 0 ? size : shared().begin(shared().of(i) + 1);
  const auto start = i - i % period, inPeriod = i - start, inPart = inPeriod % part;
  const auto partEnd = std::min(period, inPeriod - inPart + part);
  // Successive pieces, parts or periods on the same tile are one stretch.
  auto next = start + std::min(partEnd, inPeriod - inPart + (inPart / sub + 1) * sub);
  if (subStride == 0 || sub >= part) next = start + partEnd;
  if (next == start + partEnd && (stride == 0 || part >= period) && (subStride == 0 || sub >= part))
    next = size;
  return std::min(next, size);
}

std::int64_t Grid::elements() const {
  std::int64_t n = 1;
  for (const auto& d : dims) n *= d.size;
  return n;
}

unsigned Grid::tile(std::int64_t element) const { return ring.tile(number(element)); }

unsigned Grid::number(std::int64_t element) const {
  unsigned found = first;
  for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
    found += d->tile(element % d->size);
    element /= d->size;
  }
  return found;
}

std::vector<std::int64_t> Grid::byTile() const { return countByTile(*this, {}); }

std::vector<std::int64_t> countByTile(const Grid& grid, const std::vector<bool>& once) {
  std::vector<std::int64_t> held{1};
  for (std::size_t k = 0; k < grid.dims.size(); ++k) {
    const auto& d = grid.dims[k];
    std::map<unsigned, std::int64_t> share;
    for (std::int64_t i = 0; i < d.size;) {
      const auto next = d.boundary(i);
      auto& n = share[d.tile(i)];
      n = !once.empty() && once[k] ? 1 : n + next - i;
      i = next;
    }
    if (share.empty()) return {};
    std::vector<std::int64_t> with(held.size() + share.rbegin()->first);
    for (std::size_t t = 0; t < held.size(); ++t)
      if (held[t] > 0)
        for (const auto& [offset, n] : share) with[t + offset] += held[t] * n;
    held = std::move(with);
  }
  held.insert(held.begin(), grid.first, 0);
  if (const auto end = grid.ring.lowest + grid.ring.around;
      grid.ring.around > 0 && held.size() > end) {
    for (auto t = static_cast<unsigned>(held.size()); t-- > end;)
      held[grid.ring.tile(t)] += held[t];
    held.resize(end);
  }
  return held;
}

}  // namespace popir
