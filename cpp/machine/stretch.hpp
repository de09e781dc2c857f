// A stretch of indices.
#ifndef popir_machine_stretch_hpp
#define popir_machine_stretch_hpp

#include <cstdint>

namespace popir {

/// Elements [begin, end) of an index or a dimension.
struct Stretch {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end > begin ? end - begin : 0; }
};

}  // namespace popir

#endif
