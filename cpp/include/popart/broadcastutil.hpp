// Shapes of more dimensions. After popart/broadcastutil.hpp of PopART 3.
#ifndef popart_broadcastutil_hpp
#define popart_broadcastutil_hpp

#include <popart/error.hpp>

#include <cstddef>
#include <vector>

namespace popart {

/// With `value` in front, up to `size` elements.
/// \throws error if there are more already
template <typename T>
std::vector<T> padShape(const std::vector<T>& shape, std::size_t size, T value) {
  if (size < shape.size())
    throw error("A shape of {} dimensions is to have {}", shape.size(), size);
  std::vector<T> padded(size - shape.size(), value);
  padded.insert(padded.end(), shape.begin(), shape.end());
  return padded;
}

/// The last `size` elements.
/// \throws error if there are fewer
template <typename T>
std::vector<T> unpadShape(const std::vector<T>& shape, std::size_t size) {
  if (size > shape.size())
    throw error("A shape of {} dimensions is to have {}", shape.size(), size);
  return std::vector<T>(shape.end() - static_cast<std::ptrdiff_t>(size), shape.end());
}

}  // namespace popart

#endif
