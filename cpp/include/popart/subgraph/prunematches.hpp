// Shorter sequences in the place of matches. After popart/subgraph/prunematches.hpp of PopART 3.
#ifndef popart_subgraph_prunematches_hpp
#define popart_subgraph_prunematches_hpp

#include <popart/subgraph/match.hpp>
#include <popart/subgraph/subgraphutil.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

namespace prune {

/// In the place of each match, the shortest first, the part of it that
/// `Evaluator().value(begin, end, schedule, places)` prefers. A part neither begins nor ends inside
/// of one that was taken before. What is worth `threshold` or less is left out.
template <typename T, class Evaluator>
std::vector<Match> pruneMatches(const std::vector<Match>& inMatches,
                                const std::vector<T*>& schedule, float threshold) {
  Evaluator evaluator;
  std::map<T*, int> places;
  for (T* node : schedule) places.emplace(node, static_cast<int>(places.size()));
  std::vector<Match> ordered = inMatches;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Match& a, const Match& b) { return a.length < b.length; });
  // For each place: whether a sequence that was taken goes on before it, or after it.
  std::vector<bool> before(schedule.size(), false), after(schedule.size(), false);
  std::set<Match> taken;
  for (const Match& match : ordered) {
    const Start first = match.starts.at(0), last = first + match.length;
    Start begin = first, end = last;
    float best = evaluator.value(first, last, schedule, places);
    for (Start b = first; b < last; ++b)
      for (Start e = b + 1; e <= last; ++e) {
        if (before[static_cast<std::size_t>(b)] || after[static_cast<std::size_t>(e - 1)]) continue;
        const float value = evaluator.value(b, e, schedule, places);
        if (value <= best) continue;
        best = value;
        begin = b;
        end = e;
      }
    Match part(match.starts, end - begin);
    for (Start& start : part.starts) start += begin - first;
    setValue(part, schedule);
    if (part.getDiscountedValue() > threshold) taken.insert(part);
    for (const Start start : part.starts)
      for (int i = 0; i + 1 < part.length; ++i) {
        after[static_cast<std::size_t>(start + i)] = true;
        before[static_cast<std::size_t>(start + i + 1)] = true;
      }
  }
  return {taken.begin(), taken.end()};
}

}  // namespace prune

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
