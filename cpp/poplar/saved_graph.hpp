// A graph and its programs as bytes, and back.
#ifndef popir_poplar_saved_graph_hpp
#define popir_poplar_saved_graph_hpp

#include <memory>
#include <string>
#include <vector>

#include "poplar/graph_impl.hpp"

namespace popir {

using ProgramNodes = std::vector<std::shared_ptr<ProgramNode>>;

/// Views and programs that are shared are written once. Vertices without an estimate of their own
/// get what their type's estimator says.
std::string saveGraph(const GraphImpl& graph, const ProgramNodes& programs,
                      const poplar::OptionFlags& options);

struct SavedGraph {
  std::shared_ptr<GraphImpl> graph;
  ProgramNodes programs;
  poplar::OptionFlags options;
};
/// Trusts nothing but the code of codelets. \throws DamagedArchive if the bytes are not what
/// saveGraph gave.
SavedGraph loadGraph(const std::string& bytes);

}  // namespace popir

#endif
