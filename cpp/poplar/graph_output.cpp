// What a graph tells about itself: regions in memory order, pictures.
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <ostream>

#include "poplar/collective.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/program_node.hpp"
#include "poplar/runs.hpp"

namespace poplar {
namespace {

using popir::ProgramNode;

// An element of the tensor, and its place.
struct Place {
  unsigned variable;
  std::int64_t offset;
  std::size_t element;
};

void places(const popir::Piece& piece, std::size_t d, std::int64_t from, std::int64_t to,
            std::size_t base, std::vector<Place>& out) {
  if (d == piece.nest.dims.size()) {
    out.push_back({piece.variable, from, base + static_cast<std::size_t>(to)});
    return;
  }
  const auto& dim = piece.nest.dims[d];
  for (std::int64_t i = 0; i < dim.n; ++i)
    places(piece, d + 1, from + i * dim.from, to + i * dim.to, base, out);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

const char* kindOf(ProgramNode::Kind kind) {
  using Kind = ProgramNode::Kind;
  switch (kind) {
    case Kind::Sequence: return "Sequence";
    case Kind::Execute: return "Execute";
    case Kind::Copy: return "Copy";
    case Kind::StreamToDst:
    case Kind::SrcToStream: return "StreamCopy";
    case Kind::Repeat: return "Repeat";
    case Kind::While: return "RepeatWhile";
    case Kind::If: return "If";
    case Kind::Call: return "Call";
    case Kind::HostCall: return "HostCall";
    case Kind::Sync: return "Sync";
    case Kind::Print: return "PrintTensor";  // or ErrorProgram
    case Kind::WriteUndef: return "WriteUndef";
    case Kind::SetRounding:
    case Kind::ModifyRounding:
    case Kind::RestoreRounding:
    case Kind::SeedRounding: return "Rounding";
    case Kind::Loop: return "Loop";
  }
  return "";
}

class Picture {
 public:
  Picture(const popir::GraphImpl& graph, std::ostream& out) : graph_(graph), out_(out) {}

  unsigned program(const ProgramNode& node) {
    const auto own = next_++;
    auto label = std::string(kindOf(node.kind)) + (node.name.empty() ? "" : " " + node.name);
    if (node.kind == ProgramNode::Kind::Execute)
      label += " " + graph_.computeSets[node.computeSet.getId()].name;
    if (node.kind == ProgramNode::Kind::Repeat) label += " " + std::to_string(node.count);
    out_ << "  p" << own << " [label=" << quoted(label) << "];\n";
    for (const auto& child : node.children) child_(own, *child);
    if (node.kind == ProgramNode::Kind::Call) child_(own, *graph_.functions[node.function.getId()]);
    return own;
  }

 private:
  void child_(unsigned own, const ProgramNode& child) {
    const auto below = program(child);
    out_ << "  p" << own << " -> p" << below << ";\n";
  }

  const popir::GraphImpl& graph_;
  std::ostream& out_;
  unsigned next_ = 0;
};

/// What dumpProgram() writes.
class ProgramText {
 public:
  ProgramText(const popir::GraphImpl& graph, std::ostream& out) : graph_(graph), out_(out) {}

  void program(const ProgramNode& node) {
    using Kind = ProgramNode::Kind;
    out_ << "{\"kind\": " << quoted(kindOf(node.kind));
    if (!node.name.empty()) text("name", node.name);
    if (node.kind == Kind::Execute)
      text("computeSet", graph_.computeSets[node.computeSet.getId()].name);
    if (node.kind == Kind::Repeat) out_ << ", \"times\": " << node.count;
    if (node.kind == Kind::StreamToDst || node.kind == Kind::SrcToStream)
      text("stream", node.stream.handle());
    if (node.src.valid()) text("source", node.src.getDebugStr());
    if (node.dst.valid()) text("destination", node.dst.getDebugStr());
    std::vector<const ProgramNode*> children;
    for (const auto& child : node.children) children.push_back(child.get());
    if (node.kind == Kind::Call) children.push_back(graph_.functions[node.function.getId()].get());
    if (!children.empty()) {
      out_ << ", \"programs\": [";
      for (std::size_t i = 0; i < children.size(); ++i) {
        if (i != 0) out_ << ", ";
        program(*children[i]);
      }
      out_ << "]";
    }
    out_ << "}";
  }

 private:
  void text(const char* key, const std::string& value) {
    out_ << ", \"" << key << "\": " << quoted(value);
  }

  const popir::GraphImpl& graph_;
  std::ostream& out_;
};

}  // namespace

void program::dumpProgram(const Graph& graph, const Program& program, std::ostream& out) {
  ProgramText(*graph.impl(), out).program(*popir::nodesOf({program})[0]);
  out << "\n";
}

std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<std::pair<std::int64_t, VariableInterval>> runs;  // with their first element
  popir::forEachRun(view(), 0, view().elements(),
                    [&](unsigned id, std::int64_t first, std::int64_t n, std::int64_t flat) {
                      const auto begin = static_cast<std::size_t>(first);
                      runs.emplace_back(
                          flat,
                          VariableInterval(VariableRef(id),
                                           Interval(begin, begin + static_cast<std::size_t>(n))));
                    });
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<VariableInterval> out;
  for (const auto& [flat, run] : runs)
    if (!out.empty() && out.back().var == run.var &&
        out.back().interval.end() == run.interval.begin())
      out.back().interval = Interval(out.back().interval.begin(), run.interval.end());
    else
      out.push_back(run);
  return out;
}

std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> out;
  std::size_t at = 0;
  for (const auto& region : getVarRegions()) {
    out.emplace_back(at, at + region.interval.size());
    at += region.interval.size();
  }
  return out;
}

std::vector<std::vector<Interval>> Graph::getSortedContiguousRegions(
    const Tensor& t, ArrayRef<Interval> regions, bool removeAliasedIntervals,
    std::vector<std::size_t>* aliases) const {
  if (t.valid() && t.view().graph() != impl_.get())
    throw graph_connection_error("Graph::getSortedContiguousRegions: " + t.getDebugStr() +
                                 " is not of this graph");
  const auto flat = t.flatten();
  std::vector<Place> all;
  for (const auto& r : regions)
    for (const auto& piece : flat.slice(r).view().pieces())
      places(piece, 0, piece.nest.from, piece.nest.to, r.begin(), all);
  std::stable_sort(all.begin(), all.end(), [](const Place& a, const Place& b) {
    return a.variable != b.variable ? a.variable < b.variable : a.offset < b.offset;
  });
  std::vector<std::vector<Interval>> out;
  if (aliases) aliases->clear();
  const Place* last = nullptr;
  for (const auto& p : all) {
    const bool repeated = last && last->variable == p.variable && last->offset == p.offset;
    if (repeated && removeAliasedIntervals) continue;
    const bool adjacent = last && last->variable == p.variable && last->offset + 1 == p.offset;
    if (!adjacent) out.emplace_back();
    auto& list = out.back();
    if (adjacent && list.back().end() == p.element)
      list.back() = Interval(list.back().begin(), p.element + 1);
    else {
      list.emplace_back(p.element, p.element + 1);
      if (aliases) aliases->push_back(repeated ? last->element : p.element);
    }
    last = &p;
  }
  return out;
}

namespace {

/// The place of each interval's elements in a tensor of `elements`, by the order of which each
/// interval begins at `from`, if elements of the order that begin at `from` lie at `to`.
struct Moved {
  std::size_t from, to, size;
};

std::vector<Interval> moved(const std::vector<Moved>& by, std::size_t elements,
                            ArrayRef<Interval> intervals) {
  std::vector<Interval> out;
  for (const auto& interval : intervals) {
    if (interval.begin() > interval.end() || interval.end() > elements)
      throw index_error("TensorRearranger: elements from " + std::to_string(interval.begin()) +
                        " to " + std::to_string(interval.end()) + " given, there are " +
                        std::to_string(elements));
    for (auto at = interval.begin(); at < interval.end();) {
      auto part = std::upper_bound(by.begin(), by.end(), at,
                                   [](std::size_t e, const Moved& m) { return e < m.from; });
      --part;
      const auto end = std::min(interval.end(), part->from + part->size);
      const auto begin = part->to + at - part->from;
      if (!out.empty() && out.back().end() == begin)
        out.back() = Interval(out.back().begin(), begin + end - at);
      else
        out.emplace_back(begin, begin + end - at);
      at = end;
    }
  }
  return out;
}

}  // namespace

Tensor TensorRearranger::rearrange(const Tensor& t) const {
  if (t.numElements() != elements_)
    throw index_error("TensorRearranger: " + t.getDebugStr() + " given, expected " +
                      std::to_string(elements_) + " elements");
  return order_.empty() ? t.flatten() : concat(t.flatten().slices(order_));
}
Tensor TensorRearranger::undoRearrangement(const Tensor& t) const { return inverse().rearrange(t); }

TensorRearranger TensorRearranger::inverse() const {
  return {elements_, rearrange(ArrayRef<Interval>({{0, elements_}}))};
}
std::vector<Interval> TensorRearranger::rearrange(ArrayRef<Interval> intervals) const {
  std::vector<Moved> by;
  std::size_t to = 0;
  for (const auto& each : order_) {
    by.push_back({each.begin(), to, each.size()});
    to += each.size();
  }
  std::sort(by.begin(), by.end(), [](const Moved& a, const Moved& b) { return a.from < b.from; });
  return moved(by, elements_, intervals);
}
std::vector<Interval> TensorRearranger::undoRearrangement(ArrayRef<Interval> intervals) const {
  std::vector<Moved> by;
  std::size_t from = 0;
  for (const auto& each : order_) {
    by.push_back({from, each.begin(), each.size()});
    from += each.size();
  }
  return moved(by, elements_, intervals);
}

TensorRearranger Graph::getSimplifyingRearranger(const Tensor& t) const {
  std::vector<Interval> order;
  for (const auto& region : getSortedContiguousRegions(t, {{0, t.numElements()}}))
    order.insert(order.end(), region.begin(), region.end());
  return {t.numElements(), order};
}

void Graph::reorderToSimplify(Tensor* t, ArrayRef<Tensor*> ts, bool) const {
  std::vector<Tensor*> all(ts.begin(), ts.end());
  all.push_back(t);
  for (const Tensor* each : all)
    if (each->rank() != 1 || each->shape() != t->shape())
      throw poplar_error("Graph::reorderToSimplify: " + t->getDebugStr() + " and " +
                         each->getDebugStr() + "; all need one dimension of one size");
  std::vector<Interval> order;
  for (const auto& region : getSortedContiguousRegions(*t, {{0, t->numElements()}}))
    order.insert(order.end(), region.begin(), region.end());
  const auto reordered = [&](const Tensor& tensor) {
    return order.empty() ? tensor : concat(tensor.slices(order));
  };
  for (Tensor* each : all) *each = reordered(*each);
}

Tensor Graph::addReplicationIndexConstant(const DebugContext& debugContext) {
  if (impl_->replicas == 1) {
    const auto t = addConstant(UNSIGNED_INT, {}, 0u, debugContext);
    setTileMapping(t, 0u);
    return t;
  }
  const auto found = impl_->hostWrites.find(popir::kReplicationIndex);
  if (found != impl_->hostWrites.end()) return found->second;
  const auto t = addVariable(UNSIGNED_INT, {}, debugContext);
  setTileMapping(t, 0u);
  createHostWrite(popir::kReplicationIndex, t);
  return t;
}

void Graph::outputVertexGraph(std::ostream& out, ArrayRef<program::Program>) const {
  const auto& g = *impl_;
  out << "digraph vertices {\n";
  for (std::size_t v = 0; v < g.variables.size(); ++v)
    out << "  v" << v << " [shape=box, label=" << quoted(g.variables[v].name) << "];\n";
  for (std::size_t id = 0; id < g.vertices.size(); ++id) {
    const auto& vertex = g.vertices[id];
    out << "  x" << id << " [label="
        << quoted(std::string(vertex.codelet->name) + "\n" + g.computeSets[vertex.computeSet].name)
        << "];\n";
    for (std::size_t f = 0; f < vertex.fields.size(); ++f) {
      const auto& field = vertex.codelet->fields[f];
      const bool in = field.direction != popir::CodeletField::Direction::Output;
      for (const auto& t : vertex.fields[f].tensors) {
        if (!t.valid()) continue;
        for (const auto v : t.view().variables())
          out << "  " << (in ? "v" : "x") << (in ? v : id) << " -> " << (in ? "x" : "v")
              << (in ? id : v) << " [label=" << quoted(field.name) << "];\n";
      }
    }
  }
  for (std::size_t c = 0; c < g.computeSets.size(); ++c) {
    std::size_t b = 0;
    for (const auto& bulk : g.computeSets[c].bulk) {
      const auto name = "b" + std::to_string(c) + "_" + std::to_string(b++);
      out << "  " << name
          << " [label=" << quoted(std::string(bulk.kernel->name()) + "\n" + g.computeSets[c].name)
          << "];\n";
      for (const auto& operand : bulk.operands) {
        const bool in = operand.access == popir::Access::Read;
        for (const auto v : operand.tensor.view().variables()) {
          if (in)
            out << "  v" << v << " -> " << name << ";\n";
          else
            out << "  " << name << " -> v" << v << ";\n";
        }
      }
    }
  }
  out << "}\n";
}

void Graph::outputComputeGraph(std::ostream& out, ArrayRef<program::Program> programs) const {
  out << "digraph programs {\n";
  Picture picture(*impl_, out);
  for (const auto& p : programs)
    if (p.node()) picture.program(*p.node());
  out << "}\n";
}

}  // namespace poplar
