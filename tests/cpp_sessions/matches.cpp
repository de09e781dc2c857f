// Repeated sequences of a schedule. Arguments: "repeated" or "final" or "composed" or "isomorphic",
// numbers. Nodes of an even kind read the node before them, in "final" and "composed".
#include <popart/subgraph/outliner.hpp>
#include <popart/subgraph/prunematches.hpp>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace fwtools::subgraph;

namespace {

struct Node {
  using Input = std::tuple<const Node*, OutIndex, std::string>;

  EquivId getSubgraphEquivId() const { return std::to_string(kind); }
  const std::map<InIndex, Input>& getSubgraphInputs() const { return ins; }
  const std::map<OutIndex, std::set<const Node*>>& getSubgraphOutputs() const { return outs; }
  float getSubgraphValue() const { return 1.0f; }

  int kind;
  std::map<InIndex, Input> ins;
  std::map<OutIndex, std::set<const Node*>> outs;
};

void connect(Node& from, Node& to, InIndex in) {
  to.ins[in] = std::make_tuple(&from, 0, std::string());
  from.outs[0].insert(&to);
}

/// Prefers sequences of two.
struct Pairs {
  float value(int begin, int end, const std::vector<const Node*>&,
              const std::map<const Node*, int>&) {
    return end - begin == 2 ? 1.0f : 0.0f;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argv[1];
  std::vector<Node> nodes;
  for (int i = 2; i < argc; ++i) nodes.push_back(Node{std::atoi(argv[i]), {}, {}});
  if (what == "isomorphic") {  // 0 1 0 1 0 1, where the last 1 does not read the 0 before it
    connect(nodes[0], nodes[1], 0);
    connect(nodes[2], nodes[3], 0);
    connect(nodes[0], nodes[5], 0);
  }
  if (what == "final" || what == "composed")
    for (std::size_t i = 1; i < nodes.size(); ++i)
      if (nodes[i].kind % 2 == 0) connect(nodes[i - 1], nodes[i], 0);
  std::vector<const Node*> schedule;
  for (const Node& node : nodes) schedule.push_back(&node);
  std::vector<Match> found;
  if (what == "repeated")
    found = algo0::RinseMatcherAlgo0<const Node>(schedule).getRepeatedSequences();
  else if (what == "composed") {  // getRinseMatches by its parts, over all repeated sequences
    const algo0::RinseMatcherAlgo0<const Node> matcher(schedule);
    found = separateByOverlaps(
        matcher.separateMultipleMatchesByIsomorphism(matcher.getRepeatedSequences()));
    setValues(found, schedule);
    std::sort(found.rbegin(), found.rend());
    found = algo0::getFinalMatches(found, 0.0f, static_cast<int>(schedule.size()));
  } else
    found = getRinseMatches(schedule, {}, 0.0f, 0.0f, getDefaultOutlinerAlgorithm());
  for (const Match& match : found) std::cout << match << "\n";
  if (what == "pruned")
    for (const Match& match : prune::pruneMatches<const Node, Pairs>(found, schedule, 0.0f))
      std::cout << "pruned " << match << "\n";
}
