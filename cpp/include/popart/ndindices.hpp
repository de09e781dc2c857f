// Places of elements: of all, and by dimension. After popart/ndindices.hpp of PopART 3.
#ifndef popart_ndindices_hpp
#define popart_ndindices_hpp

#include <popart/tensorinfo.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Elements of a shape in row-major order. It keeps the shape that it was made with.
class NDIndices {
 public:
  explicit NDIndices(const TensorInfo& info) : shape_(info.shape()) {}

  /// The index in each dimension of the element `place`.
  /// \throws error if there is no such element
  std::vector<int64_t> unflatten(int64_t place) const;
  /// The reverse.
  /// \throws error unless there is an index of each dimension
  int64_t flatten(const std::vector<int64_t>& indices) const;

 private:
  Shape shape_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
