// The loops that scan neighbouring lines together.
#ifndef popir_kernels_reduction_scan_lines_hpp
#define popir_kernels_reduction_scan_lines_hpp

#include <cstdint>

#include "kernels/reduction/scan.hpp"

namespace popir {

/// So many steps are one call, which loads and stores what is known of a line once.
constexpr std::int64_t kScanRows = 4;

/// `rows` steps, 1 or kScanRows, of `m` lines, `stride` elements from one step to the next: each joins
/// x to what is known of each line, and writes that to y, if `exclusive` before it is joined.
struct ScanStep {
  const void* x;
  void* y;
  void* known;
  std::int64_t m, rows, stride;
  bool exclusive;
};
using ScanLines = void (*)(const ScanStep& step);

/// For elements T, computed with as C, with the best instruction set of this machine. Null but for
/// float, double and unsigned 32-bit and 64-bit integers. Not for gradients.
template <class T>
ScanLines scanLines(ScanKind kind);

/// Sums of floats, each known as a pair: the sum rounded, m of these, and after them what rounding took, m
/// numbers too. A result is the sum of both, rounded once; each step has an error of up to 2^-47 of the sum
/// beside that. What rounding took is NaN where a sum was not finite.
ScanLines scanPairs();

#define POPIR_SCAN_LINES(NAMESPACE)   \
  namespace NAMESPACE {               \
  template <class T>                  \
  ScanLines scanLines(ScanKind kind); \
  ScanLines scanPairs();              \
  }
POPIR_SCAN_LINES(base)
POPIR_SCAN_LINES(avx2)
POPIR_SCAN_LINES(avx512)
#undef POPIR_SCAN_LINES

}  // namespace popir

#endif
