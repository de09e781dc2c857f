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

Region Region::transpose(const Shape& permutation) const {
  Shape sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> lower, upper;
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    if (permutation.size() != lower_.size() || sorted[d] != static_cast<int64_t>(d))
      throw error("{} is no order of the {} dimensions of a region", permutation, rank());
    lower.push_back(lower_[static_cast<std::size_t>(permutation[d])]);
    upper.push_back(upper_[static_cast<std::size_t>(permutation[d])]);
  }
  return Region(lower, upper, accessType_);
}

Region Region::reverse(const Shape& shape, const Shape& dimensions) const {
  if (static_cast<int64_t>(shape.size()) != rank())
    throw error("A region of rank {} is none of a tensor of shape {}", rank(), shape);
  std::vector<int64_t> lower = lower_, upper = upper_;
  for (const int64_t dimension : dimensions) {
    const auto d = static_cast<std::size_t>(dimension);
    if (d >= shape.size())
      throw error("A region of rank {} has no dimension {}", rank(), dimension);
    lower[d] = shape[d] - upper_[d];
    upper[d] = shape[d] - lower_[d];
  }
  return Region(lower, upper, accessType_);
}

int64_t Region::flatIndex(const std::vector<int64_t>& index) const {
  if (!contains(index)) throw error("The region {} has no element {}", *this, index);
  int64_t number = 0;
  for (std::size_t d = 0; d < index.size(); ++d)
    number = number * (upper_[d] - lower_[d]) + index[d] - lower_[d];
  return number;
}

std::vector<int64_t> Region::dimIndex(int64_t number) const {
  if (number < 0 || number >= nelms())
    throw error("The region {} has no element number {}", *this, number);
  std::vector<int64_t> index = lower_;
  for (std::size_t d = index.size(); d-- > 0;) {
    const int64_t size = upper_[d] - lower_[d];
    index[d] += number % size;
    number /= size;
  }
  return index;
}

std::ostream& operator<<(std::ostream& os, const Region& region) {
  return os << logging::format("{} to {}", region.getLower(), region.getUpper());
}

bool nonEmptyRegion(const Regions& regions) {
  return std::any_of(regions.begin(), regions.end(), [](const Region& r) { return !r.isEmpty(); });
}

Region regionBounds(const Regions& regions) {
  if (regions.empty()) throw error("No regions have no bounds");
  std::vector<int64_t> lower = regions[0].getLower(), upper = regions[0].getUpper();
  for (const Region& region : regions) {
    if (region.rank() != regions[0].rank())
      throw error("Regions of rank {} and {} have no bounds", regions[0].rank(), region.rank());
    for (std::size_t d = 0; d < lower.size(); ++d) {
      lower[d] = std::min(lower[d], region.getLower()[d]);
      upper[d] = std::max(upper[d], region.getUpper()[d]);
    }
  }
  return Region(lower, upper, regions[0].getAccessType());
}

}  // namespace view
}  // namespace popart
