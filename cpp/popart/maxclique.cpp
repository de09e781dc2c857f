// Largest cliques, by branch and bound: what a clique can still get is at most the number of colours
// of its candidates, where connected ones differ in colour.
#include <popart/maxclique.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace popart {
namespace graphclique {

AGraph::AGraph(int size)
    : size_(size), edges_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), false) {}

std::size_t AGraph::index(int i, int j) const {
  if (i < 0 || j < 0 || i >= size_ || j >= size_)
    throw std::out_of_range("An edge from " + std::to_string(i) + " to " + std::to_string(j) +
                            " of a graph of " + std::to_string(size_) + " vertices");
  return static_cast<std::size_t>(i) * static_cast<std::size_t>(size_) +
         static_cast<std::size_t>(j);
}

void AGraph::addEdge(int i, int j) {
  edges_[index(i, j)] = true;
  edges_[index(j, i)] = true;
}

bool AGraph::getEdge(int i, int j) const { return edges_[index(i, j)]; }

void MaxClique::search(std::vector<int> candidates) {
  // By colour, the lowest first: a candidate and those before it have as many as its own.
  std::vector<std::vector<int>> colours;
  for (const int vertex : candidates) {
    const auto fits = [&](const std::vector<int>& colour) {
      return std::none_of(colour.begin(), colour.end(),
                          [&](int other) { return graph_.getEdge(vertex, other); });
    };
    const auto found = std::find_if(colours.begin(), colours.end(), fits);
    if (found == colours.end())
      colours.push_back({vertex});
    else
      found->push_back(vertex);
  }
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t c = 0; c < colours.size(); ++c)
    for (const int vertex : colours[c]) order.push_back({vertex, c + 1});
  while (!order.empty()) {
    const auto [vertex, bound] = order.back();
    if (current_.size() + bound <= best_.size()) return;
    order.pop_back();
    current_.push_back(vertex);
    std::vector<int> next;
    for (const auto& other : order)
      if (graph_.getEdge(vertex, other.first)) next.push_back(other.first);
    if (next.empty()) {
      if (current_.size() > best_.size()) best_ = current_;
    } else {
      search(next);
    }
    current_.pop_back();
  }
}

std::vector<std::vector<int>> MaxClique::getMaximumCliques(int minSize, int maxCount, const float) {
  std::vector<int> left;
  for (int i = 0; i < graph_.numVertices(); ++i) left.push_back(i);
  std::vector<std::vector<int>> found;
  while (static_cast<int>(found.size()) < maxCount && !left.empty()) {
    current_.clear();
    best_.clear();
    // Those with many edges first: they get the low colours.
    std::vector<std::pair<std::ptrdiff_t, int>> byDegree;
    for (const int vertex : left)
      byDegree.push_back({-std::count_if(left.begin(), left.end(),
                                         [&](int other) { return getEdge(vertex, other); }),
                          vertex});
    std::sort(byDegree.begin(), byDegree.end());
    std::vector<int> candidates;
    for (const auto& each : byDegree) candidates.push_back(each.second);
    search(candidates);
    if (static_cast<int>(best_.size()) < std::max(minSize, 1)) break;
    std::sort(best_.begin(), best_.end());
    found.push_back(best_);
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](int vertex) {
                                return std::binary_search(best_.begin(), best_.end(), vertex);
                              }),
               left.end());
  }
  return found;
}

}  // namespace graphclique
}  // namespace popart
