#include <popart/region.hpp>

#include <popart/error.hpp>

#include <algorithm>

namespace popart {
namespace view {

Region::Region(const std::vector<int64_t>& lower, const std::vector<int64_t>& upper,
               AccessType accessType)
    : lower_(lower), upper_(upper), accessType_(accessType) {
  if (lower.size() != upper.size())
    throw error("A region's bounds differ in length: {} and {}", lower, upper);
  for (std::size_t d = 0; d < lower.size(); ++d)
    if (lower[d] > upper[d])
      throw error("A region's bounds are out of order: {} and {}", lower, upper);
}

Region Region::getFull(const Shape& shape, AccessType accessType) {
  return Region(Shape(shape.size(), 0), shape, accessType);
}

Region Region::getEmpty(int64_t rank) {
  const std::vector<int64_t> zeros(static_cast<std::size_t>(rank), 0);
  Region empty(zeros, zeros, AccessType::None);
  empty.emptyScalar_ = rank == 0;
  return empty;
}

int64_t Region::nelms() const {
  int64_t n = emptyScalar_ ? 0 : 1;
  for (std::size_t d = 0; d < lower_.size(); ++d) n *= upper_[d] - lower_[d];
  return n;
}

bool Region::contains(const std::vector<int64_t>& index) const {
  if (isEmpty() || index.size() != lower_.size()) return false;
  for (std::size_t d = 0; d < index.size(); ++d)
    if (index[d] < lower_[d] || index[d] >= upper_[d]) return false;
  return true;
}

bool Region::contains(const Region& other) const {
  if (other.isEmpty()) return true;
  return rank() == other.rank() && intersect(other) == other;
}

Region Region::intersect(const Region& other) const {
  if (rank() != other.rank())
    throw error("Regions of rank {} and {} have no intersection", rank(), other.rank());
  if (isEmpty() || other.isEmpty()) return getEmpty(rank());
  std::vector<int64_t> lower = lower_, upper = upper_;
  for (std::size_t d = 0; d < lower.size(); ++d) {
    lower[d] = std::max(lower[d], other.lower_[d]);
    upper[d] = std::min(upper[d], other.upper_[d]);
    if (lower[d] >= upper[d]) return getEmpty(rank());
  }
  return Region(lower, upper, accessType_);
}

std::ostream& operator<<(std::ostream& os, const Region& region) {
  return os << logging::format("{} to {}", region.getLower(), region.getUpper());
}

bool nonEmptyRegion(const Regions& regions) {
  return std::any_of(regions.begin(), regions.end(), [](const Region& r) { return !r.isEmpty(); });
}

}  // namespace view
}  // namespace popart
