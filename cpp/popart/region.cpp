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

std::ostream& operator<<(std::ostream& os, const Regions& regions) {
  const char* between = "[";
  for (const Region& region : regions) {
    os << between << region;
    between = " ";
  }
  return os << (regions.empty() ? "[]" : "]");
}

std::ostream& operator<<(std::ostream& os, AccessType accessType) {
  constexpr const char* names[] = {"None", "Read", "Write", "ReadWrite"};
  const auto number = static_cast<std::size_t>(accessType);
  return number < std::size(names) ? os << names[number] : os << "AccessType " << number;
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

AccessType combine(std::set<AccessType> accessTypes) {
  int bits = 0;
  for (const AccessType type : accessTypes) bits |= static_cast<int>(type);
  return static_cast<AccessType>(bits);
}

namespace {

/// Joins pairs that make one region, those along the first dimensions first.
Regions joined(Regions regions) {
  const int64_t rank = regions.empty() ? 0 : regions.front().rank();
  const auto join = [&](int64_t d) {
    for (std::size_t i = 0; i < regions.size(); ++i)
      for (std::size_t k = i + 1; k < regions.size(); ++k) {
        const auto both = regions[i].merge(regions[k]);
        if (both.first != d) continue;
        regions[i] = both.second;
        regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      }
    return false;
  };
  for (int64_t d = 0; d < std::max<int64_t>(rank, 1); ++d)
    if (join(d)) d = -1;
  return regions;
}

}  // namespace

Regions Region::cut(const std::vector<std::set<int64_t>>& cuts, bool includeEmpty) const {
  if (static_cast<int64_t>(cuts.size()) > rank())
    throw error("Cuts in {} dimensions of the region {}", cuts.size(), *this);
  Regions pieces = {*this};
  for (std::size_t d = 0; d < cuts.size(); ++d)
    for (const int64_t at : cuts[d]) {
      Regions next;
      for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        std::vector<int64_t> middle = piece->upper_, start = piece->lower_;
        if (at > start[d] && at < middle[d]) {
          middle[d] = start[d] = at;
          next.push_back(Region(piece->lower_, middle, accessType_));
          next.push_back(Region(start, piece->upper_, accessType_));
        } else {
          next.push_back(*piece);
        }
      }
      pieces = std::move(next);
    }
  const auto isNothing = [](const Region& piece) { return piece.isEmpty(); };
  if (!includeEmpty)
    pieces.erase(std::remove_if(pieces.begin(), pieces.end(), isNothing), pieces.end());
  return pieces;
}

Regions Region::sub(const Region& other, bool includeEmpty) const {
  if (rank() != other.rank()) throw error("The regions {} and {} differ in rank", *this, other);
  if (other.isEmpty()) return {*this};
  std::vector<std::set<int64_t>> cuts;
  for (std::size_t d = 0; d < lower_.size(); ++d)
    cuts.push_back({other.lower_[d], other.upper_[d]});
  Regions left;
  for (const Region& piece : cut(cuts, includeEmpty))
    if (!other.contains(piece)) left.push_back(piece);
  return joined(left);
}

Regions Region::sub(const Regions& others, bool includeEmpty) const {
  Regions left = {*this};
  for (const Region& other : others) {
    Regions next;
    for (const Region& piece : left) {
      const Regions rest = piece.sub(other, includeEmpty);
      next.insert(next.end(), rest.begin(), rest.end());
    }
    left = std::move(next);
  }
  return joined(left);
}

std::pair<int64_t, Region> Region::merge(const Region& other) const {
  if (rank() == other.rank()) {
    if (contains(other)) return {0, *this};
    if (other.contains(*this)) return {0, other};
    int64_t differing = -1, count = 0;
    for (std::size_t d = 0; d < lower_.size(); ++d)
      if (lower_[d] != other.lower_[d] || upper_[d] != other.upper_[d]) {
        differing = static_cast<int64_t>(d);
        ++count;
      }
    const auto d = static_cast<std::size_t>(differing);
    if (count == 1 && lower_[d] <= other.upper_[d] && other.lower_[d] <= upper_[d]) {
      std::vector<int64_t> lower = lower_, upper = upper_;
      lower[d] = std::min(lower_[d], other.lower_[d]);
      upper[d] = std::max(upper_[d], other.upper_[d]);
      return {differing, Region(lower, upper, accessType_)};
    }
  }
  return {-1, getEmpty(rank())};
}

Regions mergeRegions(Regions regions) {
  Regions apart;
  std::set<AccessType> types;
  for (const Region& region : regions) {
    types.insert(region.getAccessType());
    const Regions rest = region.sub(apart);
    apart.insert(apart.end(), rest.begin(), rest.end());
  }
  apart = joined(apart);
  for (Region& region : apart) region.setAccessType(combine(types));
  return apart;
}

Regions Region::reshape(const Region& fullIn, const Region& fullOut) const {
  if (fullIn.nelms() != fullOut.nelms())
    throw error("{} elements do not fit {}, which has {}", fullIn.nelms(), fullOut,
                fullOut.nelms());
  if (isEmpty()) return {getEmpty(fullOut.rank())};
  if (fullOut.rank() == 0) return {fullOut};
  // The elements of each row lie one after another; what is between two of them in the other shape
  // is a prefix of a row, whole rows, and so on.
  Regions found;
  const auto add = [&](int64_t from, int64_t to) {
    while (from < to) {
      std::vector<int64_t> at = fullOut.dimIndex(from);
      // The largest block of whole inner dimensions that begins here.
      int64_t block = 1;
      auto d = static_cast<std::size_t>(fullOut.rank());
      int64_t size = 1;
      while (d > 1) {
        size = fullOut.upper_[d - 1] - fullOut.lower_[d - 1];
        if (at[d - 1] != fullOut.lower_[d - 1] || from + block * size > to) break;
        block *= size;
        --d;
      }
      const int64_t room = fullOut.upper_[d - 1] - at[d - 1];
      const int64_t count = std::min(room, (to - from) / block);
      std::vector<int64_t> upper = at;
      for (std::size_t inner = 0; inner < upper.size(); ++inner)
        upper[inner] = inner < d - 1 ? at[inner] + 1 : fullOut.upper_[inner];
      upper[d - 1] = at[d - 1] + count;
      found.push_back(Region(at, upper, accessType_));
      from += count * block;
    }
  };
  const int64_t row = lower_.empty() ? 1 : upper_.back() - lower_.back();
  for (int64_t done = 0; done < nelms(); done += row) {
    const int64_t from = fullIn.flatIndex(dimIndex(done));
    add(from, from + row);
  }
  return joined(found);
}

}  // namespace view
}  // namespace popart
