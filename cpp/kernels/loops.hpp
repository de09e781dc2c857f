// Nests of loops over two strided operands, and their simplification to few, long loops.
#ifndef popir_kernels_loops_hpp
#define popir_kernels_loops_hpp

#include <algorithm>
#include <cstdint>
#include <vector>

namespace popir {

/// A loop of `count` iterations. Each iteration advances the two operands by `a` and `b` elements.
struct Loop {
  std::int64_t count, a, b;
};

/// Simplifies a nest, outermost loop first: removes loops of one iteration, and merges neighbouring
/// loops that are one longer loop for both operands. {4, 8, 8} around {8, 1, 1} becomes {32, 1, 1}.
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

/// Executes iterations [begin, end) of the whole nest, numbered in order of execution. They are
/// visited in runs of consecutive iterations of the innermost loop: visit(i, count, a, b) stands
/// for iterations [i, i + count), and a and b are the offsets of the operands at iteration i.
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
