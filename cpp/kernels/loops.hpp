// Nests of loops over strided operands, made as few and as long as they can be.
#ifndef popir_kernels_loops_hpp
#define popir_kernels_loops_hpp

#include <algorithm>
#include <cstdint>
#include <vector>

namespace popir {

/// One loop: how often, and how many elements each of two operands moves on.
struct Loop {
  std::int64_t count, a, b;
};

/// Of loops in order, outermost first: leaves out those of one step, and joins neighbours that are
/// one longer loop for both operands.
inline std::vector<Loop> simplified(const std::vector<Loop>& loops) {
  std::vector<Loop> result;
  for (const Loop& l : loops) {
    if (l.count == 1) continue;
    if (!result.empty() && result.back().a == l.count * l.a && result.back().b == l.count * l.b)
      result.back() = {result.back().count * l.count, l.a, l.b};
    else
      result.push_back(l);
  }
  return result;
}

inline std::int64_t product(const std::vector<Loop>& loops) {
  std::int64_t n = 1;
  for (const Loop& l : loops) n *= l.count;
  return n;
}

/// Calls visit(i, count, a, b) for the runs of the innermost loop that make up [begin, end) of the
/// nest: step i of the whole nest, and the `count - 1` after it, where the operands are at a and b.
template <class Visit>
void forRuns(const std::vector<Loop>& loops, std::int64_t begin, std::int64_t end,
             const Visit& visit) {
  if (loops.empty()) {
    if (begin < end) visit(begin, end - begin, 0, 0);
    return;
  }
  const std::int64_t inner = loops.back().count;
  for (std::int64_t i = begin; i < end;) {
    std::int64_t rest = i, a = 0, b = 0;
    for (std::size_t d = loops.size(); d-- > 0;) {
      const std::int64_t at = rest % loops[d].count;
      rest /= loops[d].count;
      a += at * loops[d].a;
      b += at * loops[d].b;
    }
    const std::int64_t count = std::min(end - i, inner - i % inner);
    visit(i, count, a, b);
    i += count;
  }
}

}  // namespace popir

#endif
