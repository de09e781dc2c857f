// Values and parts of matches. After popart/subgraph/subgraphutil.hpp of PopART 3.
#ifndef popart_subgraph_subgraphutil_hpp
#define popart_subgraph_subgraphutil_hpp

#include <popart/subgraph/match.hpp>

#include <functional>
#include <map>
#include <vector>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

/// The schedule as numbers, equal for nodes of one kind: the first kind is 0, the next 1.
template <typename T>
std::vector<int> getIntSchedule(const std::vector<T*>& schedule) {
  std::map<EquivId, int> kinds;
  std::vector<int> numbers;
  for (T* node : schedule) {
    const auto next = static_cast<int>(kinds.size());
    numbers.push_back(kinds.emplace(node->getSubgraphEquivId(), next).first->second);
  }
  return numbers;
}

/// The sum of the values of the nodes before each place.
template <typename T>
std::vector<double> getCumVals(const std::vector<T*>& schedule) {
  std::vector<double> sums = {0.0};
  for (T* node : schedule) sums.push_back(sums.back() + node->getSubgraphValue());
  return sums;
}

/// The sum of the values of a sequence's nodes.
template <typename T>
void setValue(Match& match, const std::vector<T*>& schedule) {
  double value = 0;
  for (int i = 0; i < match.length; ++i)
    value += schedule.at(static_cast<std::size_t>(match.starts.at(0) + i))->getSubgraphValue();
  match.setValue(value);
  match.setDiscountedValue(value);
}

template <typename T>
void setValues(std::vector<Match>& matches, const std::vector<T*>& schedule) {
  for (Match& match : matches) setValue(match, schedule);
}

/// Given a length, places that go together, and another place: whether it goes with them.
using Compatible = std::function<bool(int, const std::vector<Start>&, Start)>;

/// Puts each place into the first group that it goes with, or into one of its own. Groups of one
/// place are left out.
std::vector<Match> separateSingleMatch(const Match& match, const Compatible& isCompatible);
std::vector<Match> separateMultipleMatches(const std::vector<Match>& matches,
                                           const Compatible& isCompatible);
/// The same, into groups whose sequences do not overlap.
std::vector<Match> separateByOverlaps(const std::vector<Match>& matches);
/// Whether the sequence of length1 at s1 overlaps one of length0 at some of s0s.
bool areIntersecting(int length0, int length1, const std::vector<Start>& s0s, Start s1);
/// The same, and neither of the two lies in the other.
bool areCrossing(int length0, int length1, const std::vector<Start>& s0s, Start s1);
/// Those of `ascending`, in ascending order of value, that are worth more than `threshold` besides
/// what was taken before and lies in them. The result descends.
std::vector<Match> applyIncrementalThreshold(const std::vector<Match>& ascending, int scheduleSize,
                                             double threshold);

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
