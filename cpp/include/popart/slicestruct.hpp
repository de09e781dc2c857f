// A slice along one dimension. After popart/slicestruct.hpp of PopART 3.
#ifndef popart_slicestruct_hpp
#define popart_slicestruct_hpp

#include <cstdint>

namespace popart {

struct Slice {
  int64_t start;
  int64_t end;
  int64_t axis;
  bool flip;

  Slice(int64_t start, int64_t end, int64_t axis, bool flip)
      : start(start), end(end), axis(axis), flip(flip) {}
  Slice(int64_t start, int64_t end, int64_t axis) : Slice(start, end, axis, start > end) {}
};

}  // namespace popart

#endif
