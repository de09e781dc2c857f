// The loops that look for extrema of neighbouring lines together.
#ifndef popir_kernels_reduction_arg_lines_hpp
#define popir_kernels_reduction_arg_lines_hpp

#include <cstdint>

namespace popir {

/// One step of `m` lines: where x is better than the best that is known of a line, it becomes the
/// best, and `column` its index. A NaN is better than every number; of equal ones the first is the
/// best, or the last.
struct ArgStep {
  const void* x;
  void* best;
  std::uint32_t* index;
  std::uint32_t column;
  std::int64_t m;
};
using ArgLines = void (*)(const ArgStep& step);

/// For elements T, a float, double or integer, with the best instruction set of this machine.
template <class T>
ArgLines argLines(bool max, bool last);

#define POPIR_ARG_LINES(NAMESPACE)        \
  namespace NAMESPACE {                   \
  template <class T>                      \
  ArgLines argLines(bool max, bool last); \
  }
POPIR_ARG_LINES(base)
POPIR_ARG_LINES(avx2)
POPIR_ARG_LINES(avx512)
#undef POPIR_ARG_LINES

/// X(element type) for each of them.
#define POPIR_ARG_TYPES(X) \
  X(float)                 \
  X(double)                \
  X(std::int8_t)           \
  X(std::uint8_t)          \
  X(std::int16_t)          \
  X(std::uint16_t)         \
  X(std::int32_t)          \
  X(std::uint32_t)         \
  X(std::int64_t)          \
  X(std::uint64_t)

}  // namespace popir

#endif
