// What of a schedule to make into graphs that are called. After popart/subgraph/outliner.hpp of PopART 3.
#ifndef popart_subgraph_outliner_hpp
#define popart_subgraph_outliner_hpp

#include <popart/subgraph/algo0.hpp>

#include <algorithm>
#include <cstddef>
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

/// Sequences of the schedule that are repeated, connected in the same way and do not overlap, the
/// most valuable first. Of nodes T, four functions are used: getSubgraphEquivId(),
/// getSubgraphInputs(), getSubgraphOutputs() and getSubgraphValue().
template <typename T>
std::vector<Match> getRinseMatches(
    const std::vector<T*>& schedule,
    const std::vector<std::pair<std::size_t, std::size_t>>& sequences, float threshold,
    float sequenceBreakCost, OutlinerAlgorithm algorithm) {
  const algo0::RinseMatcherAlgo0<T> matcher(schedule);
  std::vector<Match> matches =
      matcher.separateMultipleMatchesByIsomorphism(matcher.getRepeatedSequences());
  matches = separateByOverlaps(matches);
  setValues(matches, schedule);
  if (algorithm == OutlinerAlgorithm::ALGO1 && sequenceBreakCost != 0.0f)
    for (Match& match : matches) discountBroken(match, sequences, sequenceBreakCost);
  std::sort(matches.rbegin(), matches.rend());
  return algo0::getFinalMatches(matches, threshold, static_cast<int>(schedule.size()));
}

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
