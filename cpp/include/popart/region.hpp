// Rectangular regions of a tensor. After popart/region.hpp of PopART 3.
#ifndef popart_region_hpp
#define popart_region_hpp

#include <popart/names.hpp>

#include <ostream>
#include <set>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace view {

enum class AccessType { None = 0, Read = 1, Write = 2, ReadWrite = 3, N = 4 };

/// Reading and writing if both are among them, else what is.
AccessType combine(std::set<AccessType> accessTypes);

/// The elements with lower[d] <= index[d] < upper[d] in each dimension d.
class Region {
 public:
  /// \throws error if the bounds differ in length, or lower[d] > upper[d]
  Region(const std::vector<int64_t>& lower, const std::vector<int64_t>& upper,
         AccessType accessType = AccessType::ReadWrite);
  static Region getFull(const Shape& shape, AccessType accessType = AccessType::ReadWrite);
  static Region getEmpty(int64_t rank);

  int64_t rank() const { return static_cast<int64_t>(lower_.size()); }
  int64_t nelms() const;
  bool isEmpty() const { return nelms() == 0; }
  bool contains(const std::vector<int64_t>& index) const;
  bool contains(const Region& other) const;
  /// \throws error if the ranks differ
  Region intersect(const Region& other) const;
  /// Dimension d of the result is dimension permutation[d].
  /// \throws error if `permutation` is not a permutation
  Region transpose(const Shape& permutation) const;
  /// The region after a tensor of `shape` is reversed in `dimensions`.
  Region reverse(const Shape& shape, const Shape& dimensions) const;
  /// The regions that are left of this one without others. With `includeEmpty`, pieces without
  /// elements, too.
  /// \throws error if the ranks differ
  Regions sub(const Region& other, bool includeEmpty = false) const;
  Regions sub(const Regions& others, bool includeEmpty = false) const;
  /// The pieces between the coordinates of each dimension, later dimensions first.
  /// \throws error for coordinates of more dimensions than there are
  Regions cut(const std::vector<std::set<int64_t>>& cuts, bool includeEmpty = false) const;
  /// The dimension in which both make one region, and that region; -1 and an empty one where they do
  /// not. One that has the other is that in dimension 0.
  std::pair<int64_t, Region> merge(const Region& other) const;
  /// The regions of the same elements where a tensor with the elements of one region, in row-major
  /// order, gets the shape of another.
  /// \throws error if these differ in the number of elements
  Regions reshape(const Region& fullIn, const Region& fullOut) const;
  /// Index within the region, in row-major order, of an element given by its coordinates in the
  /// tensor.
  int64_t flatIndex(const std::vector<int64_t>& index) const;
  /// The inverse of flatIndex().
  std::vector<int64_t> dimIndex(int64_t number) const;
  const std::vector<int64_t>& getLower() const { return lower_; }
  const std::vector<int64_t>& getUpper() const { return upper_; }
  AccessType getAccessType() const { return accessType_; }
  void setAccessType(AccessType accessType) { accessType_ = accessType; }

  bool operator==(const Region& o) const { return lower_ == o.lower_ && upper_ == o.upper_; }
  bool operator!=(const Region& o) const { return !(*this == o); }

 private:
  std::vector<int64_t> lower_;
  std::vector<int64_t> upper_;
  bool emptyScalar_ = false;
  AccessType accessType_ = AccessType::ReadWrite;
};

std::ostream& operator<<(std::ostream& os, AccessType accessType);
std::ostream& operator<<(std::ostream& os, const Region& region);
std::ostream& operator<<(std::ostream& os, const Regions& regions);

/// True if any region contains an element.
bool nonEmptyRegion(const Regions& regions);

/// The same elements in regions that do not overlap, as few as joining pairs gives. Each has what all do
/// with their elements.
Regions mergeRegions(Regions regions);

/// The bounding box of all regions.
/// \throws error if there are none, or their ranks differ
Region regionBounds(const Regions& regions);

}  // namespace view
}  // namespace popart

#pragma GCC visibility pop

#endif
