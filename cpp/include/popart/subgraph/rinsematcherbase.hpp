// Repeated sequences of a schedule, by how they are connected. After popart/subgraph/rinsematcherbase.hpp of PopART 3.
#ifndef popart_subgraph_rinsematcherbase_hpp
#define popart_subgraph_rinsematcherbase_hpp

#include <popart/subgraph/isomorphic.hpp>
#include <popart/subgraph/match.hpp>
#include <popart/subgraph/subgraphutil.hpp>

#include <map>
#include <vector>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

/// The schedule must outlive it.
template <typename T>
class RinseMatcherBase {
 public:
  explicit RinseMatcherBase(const std::vector<T*>& s) : schedule(s) {
    for (T* node : schedule) schedule_index.emplace(node, static_cast<int>(schedule_index.size()));
  }

  /// Divides matches into those whose sequences are connected in the same way.
  std::vector<Match> separateMultipleMatchesByIsomorphism(const std::vector<Match>& matches) const {
    return separateMultipleMatches(matches, comparison());
  }
  std::vector<Match> separateSingleMatchByIsomorphism(const Match& match) const {
    return separateSingleMatch(match, comparison());
  }

  const std::vector<T*>& schedule;
  /// The place of each node.
  std::map<T*, int> schedule_index;

 private:
  Compatible comparison() const {
    return [this](int length, const std::vector<Start>& alike, Start start) {
      return alike.empty() || areIsomorphic(length, alike[0], start, schedule, schedule_index);
    };
  }
};

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
