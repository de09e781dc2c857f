// Vertices of a graph that are all connected. After popart/maxclique.hpp of PopART 3.
#ifndef popart_maxclique_hpp
#define popart_maxclique_hpp

#include <cstddef>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace graphclique {

/// Which of the vertices 0, 1, ... are connected.
class AGraph {
 public:
  explicit AGraph(int size);

  /// In both directions.
  /// \throws std::out_of_range for a vertex that there is not
  void addEdge(int i, int j);
  bool getEdge(int i, int j) const;
  int numVertices() const { return size_; }

 private:
  std::size_t index(int i, int j) const;

  int size_;
  std::vector<bool> edges_;
};

/// Largest sets of vertices that are all connected to each other.
class MaxClique {
 public:
  explicit MaxClique(AGraph graph) : graph_(std::move(graph)) {}

  /// A largest one, then a largest of the other vertices, and so on: at most `maxCount`, of at least
  /// `minSize` vertices. `stepLimit` is for the search of PopART, whose order depends on it.
  std::vector<std::vector<int>> getMaximumCliques(int minSize, int maxCount,
                                                  const float stepLimit = 0.03f);
  bool getEdge(int i, int j) const { return graph_.getEdge(i, j); }

 private:
  void search(std::vector<int> candidates);

  AGraph graph_;
  std::vector<int> current_, best_;
};

}  // namespace graphclique
}  // namespace popart

#pragma GCC visibility pop

#endif
