// snap/Graph.hpp: the graph of SDK 2.x's thin layer over Poplar.
#ifndef snap_Graph_hpp
#define snap_Graph_hpp

#include <poplar/Graph.hpp>

namespace snap {

/// The graph that it was made from.
class Graph {
 public:
  explicit Graph(poplar::Graph& graph) : graph_(&graph) {}

  poplar::Graph& getPoplarGraph() { return *graph_; }
  const poplar::Graph& getPoplarGraph() const { return *graph_; }
  const poplar::Target& getTarget() const { return graph_->getTarget(); }

 private:
  poplar::Graph* graph_;
};

}  // namespace snap

#endif
