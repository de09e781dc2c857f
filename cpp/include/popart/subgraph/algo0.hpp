// Repeated sequences of a schedule. After popart/subgraph/algo0.hpp of PopART 3.
#ifndef popart_subgraph_algo0_hpp
#define popart_subgraph_algo0_hpp

#include <popart/subgraph/rinsematcherbase.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

namespace algo0 {

/// For each length, and each sequence of that length that is there twice, all its places.
std::vector<Match> getRepeatedIntSequences(const std::vector<int>& schedule);

template <typename T>
class RinseMatcherAlgo0 : public RinseMatcherBase<T> {
 public:
  explicit RinseMatcherAlgo0(const std::vector<T*>& s) : RinseMatcherBase<T>(s) {}
  /// The same, of the kinds of the nodes.
  std::vector<Match> getRepeatedSequences() const {
    return getRepeatedIntSequences(getIntSchedule(RinseMatcherBase<T>::schedule));
  }
};

/// Takes those of `matches`, in this order, that fit those taken before: they neither cross one, nor
/// lie in one in as many places, nor unevenly. What is worth less than `threshold` besides others is
/// left out in the end.
std::vector<Match> getFinalMatches(const std::vector<Match>& matches, float threshold,
                                   int scheduleSize);

}  // namespace algo0

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
