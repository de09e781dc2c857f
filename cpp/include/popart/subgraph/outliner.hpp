// What of a schedule to make into graphs that are called. After popart/subgraph/outliner.hpp of PopART 3.
#ifndef popart_subgraph_outliner_hpp
#define popart_subgraph_outliner_hpp

#include <popart/subgraph/algo0.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

/// ALGO0 knows nothing of sequences that are to be kept together. ALGO1 does.
enum class OutlinerAlgorithm { ALGO0, ALGO1 };

/// ALGO1.
OutlinerAlgorithm getDefaultOutlinerAlgorithm();

/// Lessens the discounted value of a match by `cost` for each sequence, of those that begin and end
/// at `sequences` for each place of the schedule, that it breaks: of which it has a part only.
void discountBroken(Match& match, const std::vector<std::pair<std::size_t, std::size_t>>& sequences,
                    float cost);

/// Given a length and two places: whether the sequences there are connected in the same way.
using Isomorphic = std::function<bool(int, Start, Start)>;

/// What getRinseMatches() finds, given the kind and the value of each node. Nodes of one kind are
/// worth the same, and not less than 0. The time grows with what is repeated and does not fit, not
/// with all parts of long repeats.
std::vector<Match> findMatches(const std::vector<int>& kinds, const std::vector<double>& values,
                               const Isomorphic& isomorphic,
                               const std::function<void(Match&)>& discount, float threshold);

/// Sequences of the schedule that are repeated, connected in the same way and do not overlap, the
/// most valuable first. Of nodes T, four functions are used: getSubgraphEquivId(),
/// getSubgraphInputs(), getSubgraphOutputs() and getSubgraphValue().
template <typename T>
std::vector<Match> getRinseMatches(
    const std::vector<T*>& schedule,
    const std::vector<std::pair<std::size_t, std::size_t>>& sequences, float threshold,
    float sequenceBreakCost, OutlinerAlgorithm algorithm) {
  const algo0::RinseMatcherAlgo0<T> matcher(schedule);
  std::vector<double> values;
  for (T* node : schedule) values.push_back(node->getSubgraphValue());
  return findMatches(
      getIntSchedule(schedule), values,
      [&](int length, Start s0, Start s1) {
        return areIsomorphic(length, s0, s1, schedule, matcher.schedule_index);
      },
      [&](Match& match) {
        if (algorithm == OutlinerAlgorithm::ALGO1 && sequenceBreakCost != 0.0f)
          discountBroken(match, sequences, sequenceBreakCost);
      },
      threshold);
}

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
