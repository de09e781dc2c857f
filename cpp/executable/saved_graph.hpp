// Serialization of a graph and its programs.
#ifndef popir_executable_saved_graph_hpp
#define popir_executable_saved_graph_hpp

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "poplar/graph_impl.hpp"

namespace popir {

/// The number of the format of what saveGraph() writes: kernels, works, figures and settings in it
/// included. A change of any of them takes the next number; tests/golden has the digests of what each
/// writes now.
constexpr unsigned kGraphFormat = 5;
/// The same of Graph::serializeTensors.
constexpr unsigned kTensorsFormat = 1;
/// The line of a file that says who wrote it: "0.1.0, format 3".
std::string writerOf(unsigned format);

using ProgramNodes = std::vector<std::shared_ptr<ProgramNode>>;

/// Shared views and programs are written once. Vertices without their own cost estimate get the
/// value of their type's estimator.
std::string saveGraph(const GraphImpl& graph, const ProgramNodes& programs,
                      const poplar::OptionFlags& options);

struct SavedGraph {
  std::shared_ptr<GraphImpl> graph;
  ProgramNodes programs;
  poplar::OptionFlags options;
};
/// Checks everything except the code of codelets.
/// \throws DamagedArchive if the bytes were not written by saveGraph()
SavedGraph loadGraph(const std::string& bytes);

/// Writes a graph as JSON for readers: its target, variables with their tiles as [begin, end, tile],
/// and compute sets; or the variables alone.
void writeGraphText(std::ostream& out, const GraphImpl& graph);
void writeVariablesText(std::ostream& out, const GraphImpl& graph);

}  // namespace popir

#endif
