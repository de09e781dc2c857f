// popart/util.hpp: small helpers that operator sources share.
#ifndef popart_util_hpp
#define popart_util_hpp

#include <popart/names.hpp>

#include <cstdint>
#include <ostream>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Writes "[1 2 3]".
template <typename T>
std::ostream& operator<<(std::ostream& os, const std::vector<T>& values) {
  os << "[";
  for (std::size_t i = 0; i < values.size(); ++i) os << (i ? " " : "") << values[i];
  return os << "]";
}

/// An axis counted from the end, if negative, made one counted from the front.
/// \throws error outside of [-rank, rank).
int64_t getReduceAxis(int64_t axis, int64_t rank);

}  // namespace popart

namespace std {
// So that code outside of popart finds it for a std::vector.
using popart::operator<<;
}  // namespace std

#pragma GCC visibility pop

#endif
