// Graphs as graphviz reads them.
#include <popart/ir.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>

#include <fstream>
#include <map>

namespace popart {
namespace {

std::string inQuotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// Writes the operators of a graph, and what goes between these.
class DotGraph {
 public:
  DotGraph(std::ostream& os, const SessionOptions& options) : os_(os), options_(options) {}

  void write(const Graph& graph, std::size_t number) {
    os_ << "subgraph cluster_" << number << " {\nlabel=" << inQuotes(graph.getGraphString())
        << "\n";
    std::map<OpId, const Op*> shown;
    for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) {
      const int at = position_++;
      if (at < options_.firstDotOp || at >= options_.finalDotOp) continue;
      shown[op->id] = op;
      std::string label = op->opid.type;
      if (options_.dotOpNames && !op->name().empty()) label += " " + op->name();
      os_ << "op" << op->id << " [shape=box label=" << inQuotes(label) << "]\n";
    }
    for (const auto& each : shown)
      for (const auto& in : each.second->input->tensorMap()) {
        const Op* producer = in.second->getProducerUnsafe();
        const bool isOp = producer != nullptr && shown.count(producer->id) != 0;
        const std::string from =
            isOp ? "op" + std::to_string(producer->id) : inQuotes(in.second->id);
        if (!isOp) os_ << from << " [shape=ellipse]\n";
        os_ << from << " -> op" << each.first << " [label=" << inQuotes(in.second->id) << "]\n";
      }
    os_ << "}\n";
  }

 private:
  std::ostream& os_;
  const SessionOptions& options_;
  int position_ = 0;
};

}  // namespace

void Ir::dotCheckpoint(const Ir& ir, std::string check) const {
  const SessionOptions& options = getSessionOptions();
  if (options.dotChecks.count(check) == 0 && options.dotChecks.count("ALL") == 0) return;
  const std::string path = (options.logDir.empty() ? "." : options.logDir) + "/" + check + ".dot";
  std::ofstream file(path);
  file << "digraph " << inQuotes(check) << " {\n";
  DotGraph graph(file, options);
  std::size_t number = 0;
  for (const Graph* each : ir.getAllGraphs()) graph.write(*each, number++);
  file << "}\n";
  if (!file) throw error("Ir::dotCheckpoint: cannot write '{}'", path);
}

}  // namespace popart
