// Whether two sequences of a schedule are connected in the same way. After popart/subgraph/isomorphic.hpp of PopART 3.
#ifndef popart_subgraph_isomorphic_hpp
#define popart_subgraph_isomorphic_hpp

#include <popart/subgraph/subgraphnames.hpp>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

/// The indices of the inputs and outputs of a node that are connected.
template <typename T>
std::vector<InIndex> getSubgraphInIndices(T* node) {
  std::vector<InIndex> indices;
  for (const auto& in : node->getSubgraphInputs()) indices.push_back(in.first);
  return indices;
}
template <typename T>
std::vector<OutIndex> getSubgraphOutIndices(T* node) {
  std::vector<OutIndex> indices;
  for (const auto& out : node->getSubgraphOutputs()) indices.push_back(out.first);
  return indices;
}

/// An input of a sequence that comes from outside: the place of the reader, and its index.
struct InternalConsumer {
  InternalConsumer(int d, InIndex i) : delta(d), inIndex(i) {}
  bool operator==(const InternalConsumer& o) const {
    return delta == o.delta && inIndex == o.inIndex;
  }
  bool operator!=(const InternalConsumer& o) const { return !(*this == o); }

  int delta;
  InIndex inIndex;
};

/// The number of nodes from the begin on that are connected in the same way in both sequences:
/// what is read from inside comes from the same places; what is read from outside is one value here
/// where it is one there; and the same outputs are read outside.
template <typename T>
int isomorphicUntil(int length, Start s0, Start s1, const std::vector<T*>& schedule,
                    const std::map<T*, int>& places) {
  using Input = std::tuple<T*, OutIndex, std::string>;
  const auto at = [&](Start start, int delta) {
    return schedule.at(static_cast<std::size_t>(start + delta));
  };
  // The place of a node in a sequence; `length` for one outside.
  const auto within = [&](T* node, Start start) {
    const auto found = places.find(node);
    if (found == places.end()) return length;
    const int place = found->second - start;
    return place >= 0 && place < length ? place : length;
  };
  const auto isReadOutside = [&](T* node, OutIndex out, Start start) {
    const auto outputs = node->getSubgraphOutputs();
    for (T* reader : outputs.at(out)) {
      const auto found = places.find(reader);
      if (found == places.end() || found->second - start >= length) return true;
    }
    return false;
  };
  std::map<Input, std::vector<InternalConsumer>> readers0, readers1;
  for (int delta = 0; delta < length; ++delta) {
    T *node0 = at(s0, delta), *node1 = at(s1, delta);
    if (getSubgraphInIndices(node0) != getSubgraphInIndices(node1) ||
        getSubgraphOutIndices(node0) != getSubgraphOutIndices(node1))
      return delta;
    const auto inputs0 = node0->getSubgraphInputs(), inputs1 = node1->getSubgraphInputs();
    for (const auto& each : inputs0) {
      const Input in0 = each.second, in1 = inputs1.at(each.first);
      const int from0 = within(std::get<0>(in0), s0), from1 = within(std::get<0>(in1), s1);
      if (from0 != from1) return delta;
      if (from0 == length) {
        auto &all0 = readers0[in0], &all1 = readers1[in1];
        all0.emplace_back(delta, each.first);
        all1.emplace_back(delta, each.first);
        if (all0 != all1) return delta;
      } else if (std::get<1>(in0) != std::get<1>(in1)) {
        return delta;
      }
    }
    for (const OutIndex out : getSubgraphOutIndices(node0))
      if (isReadOutside(node0, out, s0) != isReadOutside(node1, out, s1)) return delta;
  }
  return length;
}

template <typename T>
bool areIsomorphic(int length, Start s0, Start s1, const std::vector<T*>& schedule,
                   const std::map<T*, int>& places) {
  return isomorphicUntil(length, s0, s1, schedule, places) == length;
}

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
