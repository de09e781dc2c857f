// popart/region.hpp: a box of elements of a tensor.
#ifndef popart_region_hpp
#define popart_region_hpp

#include <popart/names.hpp>

#include <ostream>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace view {

enum class AccessType { None = 0, Read = 1, Write = 2, ReadWrite = 3, N = 4 };

/// The elements with lower[d] <= index[d] < upper[d] in each dimension d.
class Region {
 public:
  /// \throws error if the bounds differ in length or one is out of order.
  Region(const std::vector<int64_t>& lower, const std::vector<int64_t>& upper,
         AccessType accessType = AccessType::ReadWrite);
  static Region getFull(const Shape& shape, AccessType accessType = AccessType::ReadWrite);
  static Region getEmpty(int64_t rank);

  int64_t rank() const { return static_cast<int64_t>(lower_.size()); }
  int64_t nelms() const;
  bool isEmpty() const { return nelms() == 0; }
  bool contains(const std::vector<int64_t>& index) const;
  bool contains(const Region& other) const;
  /// \throws error if the ranks differ.
  Region intersect(const Region& other) const;
  /// Dimension d of the result is dimension permutation[d]. \throws error if that is no order of
  /// all.
  Region transpose(const Shape& permutation) const;
  /// As seen when a tensor of `shape` is turned round in the dimensions `dimensions`.
  Region reverse(const Shape& shape, const Shape& dimensions) const;
  /// The number of an element among those of the region, row by row, from the index in the tensor.
  int64_t flatIndex(const std::vector<int64_t>& index) const;
  /// The other way round.
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

std::ostream& operator<<(std::ostream& os, const Region& region);

/// Whether any region has an element.
bool nonEmptyRegion(const Regions& regions);

/// The smallest region that has all elements of some. \throws error if there are none, or if their
/// ranks differ.
Region regionBounds(const Regions& regions);

}  // namespace view
}  // namespace popart

#pragma GCC visibility pop

#endif
