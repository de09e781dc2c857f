#include "poplar/saved_graph.hpp"

#include <poplar/exceptions.hpp>

#include "machine/target_spec.hpp"
#include "poplar/archive.hpp"
#include "poplar/machine_reading.hpp"
#include "poplar/saved_kernels.hpp"

namespace popir {
namespace {

// Numbers of things that others point at; what they are made of comes before them.
constexpr unsigned kNone = ~0u;

class GraphWriter {
 public:
  explicit GraphWriter(const GraphImpl& graph) : graph_(graph) {}

  std::string write(const ProgramNodes& programs, const poplar::OptionFlags& options) {
    to_.put(graph_.target.spec().arch);
    std::map<std::string, double> figures;
    for (const auto& f : TargetSpec::figures()) figures[f] = graph_.target.spec().get(f);
    to_.put(figures);
    to_.put(std::map<std::string, std::string>(options.begin(), options.end()));
    to_.put(graph_.codelets.files().size());
    for (const auto& f : graph_.codelets.files()) {
      for (const auto* text : {&f.key, &f.stamp, &f.origin, &f.bytes}) to_.put(*text);
    }
    to_.put(graph_.variables.size());
    for (const auto& v : graph_.variables) put(v);
    to_.put(graph_.streams.size());
    for (const auto& s : graph_.streams) {
      to_.put(s.handle());
      to_.put(s.direction());
      to_.put(s.elementType());
      to_.put(s.numElements());
    }
    to_.put(graph_.hostFunctions.size());
    for (const auto& f : graph_.hostFunctions) {
      to_.put(f.handle());
      put(f.inputs());
      put(f.outputs());
    }
    to_.put(graph_.computeSets.size());
    for (const auto& cs : graph_.computeSets) put(cs);
    to_.put(graph_.vertices.size());
    for (unsigned v = 0; v < graph_.vertices.size(); ++v) put(graph_.vertices[v], v);
    for (const auto* handles : {&graph_.hostWrites, &graph_.hostReads}) {
      to_.put(handles->size());
      for (const auto& [handle, t] : *handles) {
        to_.put(handle);
        put(t);
      }
    }
    to_.put(graph_.functions.size());
    for (const auto& f : graph_.functions) put(f);
    to_.put(programs.size());
    for (const auto& p : programs) put(p);
    return to_.bytes();
  }

 private:
  void put(const Variable& v) {
    to_.put(v.type);
    to_.put(v.shape);
    to_.put(v.name);
    to_.put(v.constant);
    to_.put(std::vector<unsigned char>(v.data.data(), v.data.data() + v.data.size()));
    const auto mapping = v.mapping.state();
    to_.put(mapping.elements);
    to_.put(mapping.perTile);
    to_.put(mapping.first);
    to_.put(mapping.runs);
    to_.put(mapping.grid);
  }

  // What is new is written where it is first used, after its number.
  void put(const ViewPtr& view) {
    if (!view) return to_.put(kNone);
    const auto known = views_.emplace(view.get(), static_cast<unsigned>(views_.size()));
    to_.put(known.first->second);
    if (!known.second) return;
    const auto s = view->state();
    to_.put(s.type);
    to_.put(s.shape);
    to_.put(s.strides);
    to_.put(s.offset);
    to_.put(s.variable);
    to_.put(s.constant);
    to_.put(s.variableElements);
    to_.put(s.outer);
    to_.put(s.inner);
    to_.put(s.starts);
    to_.put(s.parts.size());
    for (const auto& part : s.parts) put(part);
  }
  void put(const poplar::Tensor& t) { put(t.viewPtr()); }
  void put(const std::vector<poplar::Tensor>& tensors) {
    to_.put(tensors.size());
    for (const auto& t : tensors) put(t);
  }
  void put(const std::vector<poplar::HostFunctionArgument>& arguments) {
    to_.put(arguments.size());
    for (const auto& a : arguments) {
      to_.put(a.type);
      to_.put(a.numElements);
    }
  }

  void put(const ComputeSetImpl& cs) {
    to_.put(cs.name);
    to_.put(cs.vertices);
    to_.put(cs.bulk.size());
    for (const auto& vertex : cs.bulk) {
      saveKernel(*vertex.kernel, to_);
      to_.put(vertex.name);
      to_.put(vertex.operands.size());
      for (const auto& o : vertex.operands) {
        put(o.tensor);
        to_.put(o.access);
      }
    }
  }

  void put(const UserVertex& v, unsigned id) {
    to_.put(graph_.codelets.fileOf(*v.codelet));
    to_.put(std::string(v.codelet->name));
    to_.put(v.computeSet);
    to_.put(v.tile);
    const auto cost = costOf(graph_, id);
    to_.put(cost.cycles);
    to_.put(cost.flops);
    to_.put(cost.source != VertexCost::Source::Bytes);
    to_.put(cost.source == VertexCost::Source::Estimator);
    for (const auto& f : v.fields) {
      put(f.tensors);
      to_.put(f.values);
      to_.put(f.sized);
      to_.put(f.valued);
    }
  }

  void put(const std::shared_ptr<ProgramNode>& node) {
    if (!node) return to_.put(kNone);
    const auto known = nodes_.emplace(node.get(), static_cast<unsigned>(nodes_.size()));
    to_.put(known.first->second);
    if (!known.second) return;
    to_.put(node->kind);
    to_.put(node->name);
    to_.put(node->computeSet.valid() ? node->computeSet.getId() : kNone);
    to_.put(node->function.valid() ? node->function.getId() : kNone);
    to_.put(node->hostFunction.id());
    to_.put(node->stream.id());
    to_.put(node->count);
    to_.put(node->expected);
    to_.put(node->isBlock);
    to_.put(node->format);
    put(node->src);
    put(node->dst);
    put(node->inputs);
    put(node->outputs);
    to_.put(node->children.size());
    for (const auto& child : node->children) put(child);
  }

  const GraphImpl& graph_;
  Writer to_;
  std::map<const View*, unsigned> views_;
  std::map<const ProgramNode*, unsigned> nodes_;
};

class GraphReader {
 public:
  explicit GraphReader(const std::string& bytes) : from_(bytes) {}

  SavedGraph read() {
    SavedGraph saved;
    const auto arch = from_.get<std::string>();
    auto spec = arch == "cpu" ? TargetSpec::cpu() : TargetSpec::ipu(arch);
    for (const auto& [name, value] : from_.get<std::map<std::string, double>>())
      spec.set(name, value);
    graph_ = std::make_shared<GraphImpl>(
        poplar::Target(std::make_shared<const TargetSpec>(std::move(spec))));
    saved.graph = graph_;
    for (const auto& [name, value] : from_.get<std::map<std::string, std::string>>())
      saved.options.set(name, value);
    for (auto n = from_.count(); n > 0; --n) {
      std::string texts[4];
      for (auto& text : texts) from_.get(text);
      graph_->codelets.addCompiled(texts[0], texts[1], texts[3], texts[2]);
    }
    for (auto n = from_.count(); n > 0; --n) variable();
    for (auto n = from_.count(); n > 0; --n) {
      auto handle = from_.get<std::string>();
      const auto direction = from_.get<poplar::DataStream::Direction>();
      const auto type = from_.get<poplar::Type>();
      graph_->streams.emplace_back(std::move(handle), direction, type, from_.get<std::size_t>(),
                                   static_cast<int>(graph_->streams.size()));
    }
    for (auto n = from_.count(); n > 0; --n) {
      const auto handle = from_.get<std::string>();
      const auto inputs = arguments();
      graph_->hostFunctions.emplace_back(static_cast<int>(graph_->hostFunctions.size()), handle,
                                         inputs, arguments());
    }
    for (auto n = from_.count(); n > 0; --n) computeSet();
    for (auto n = from_.count(); n > 0; --n) vertex();
    for (auto* handles : {&graph_->hostWrites, &graph_->hostReads})
      for (auto n = from_.count(); n > 0; --n) {
        const auto handle = from_.get<std::string>();
        handles->emplace(handle, tensor());
      }
    for (auto n = from_.count(); n > 0; --n) graph_->functions.push_back(node());
    for (auto n = from_.count(); n > 0; --n) saved.programs.push_back(node());
    return saved;
  }

 private:
  void variable() {
    Variable v;
    from_.get(v.type);
    from_.get(v.shape);
    v.elements = product(v.shape);
    from_.get(v.name);
    from_.get(v.constant);
    v.data = SharedBytes(from_.get<std::vector<unsigned char>>());
    TileMapping::State mapping;
    from_.get(mapping.elements);
    from_.get(mapping.perTile);
    from_.get(mapping.first);
    from_.get(mapping.runs);
    from_.get(mapping.grid);
    v.mapping = TileMapping::ofState(mapping);
    graph_->variables.push_back(std::move(v));
  }

  ViewPtr view() {
    const auto id = from_.get<unsigned>();
    if (id == kNone) return nullptr;
    if (id < views_.size()) return views_[id];
    if (id != views_.size()) throw EndOfArchive();
    views_.emplace_back();
    View::State s;
    from_.get(s.type);
    from_.get(s.shape);
    from_.get(s.strides);
    from_.get(s.offset);
    from_.get(s.variable);
    from_.get(s.constant);
    from_.get(s.variableElements);
    from_.get(s.outer);
    from_.get(s.inner);
    from_.get(s.starts);
    for (auto n = from_.count(); n > 0; --n) s.parts.push_back(view());
    return views_[id] = View::ofState(graph_.get(), std::move(s));
  }
  poplar::Tensor tensor() {
    auto v = view();
    return v ? poplar::Tensor(std::move(v)) : poplar::Tensor();
  }
  std::vector<poplar::Tensor> tensors() {
    std::vector<poplar::Tensor> all;
    for (auto n = from_.count(); n > 0; --n) all.push_back(tensor());
    return all;
  }
  std::vector<poplar::HostFunctionArgument> arguments() {
    std::vector<poplar::HostFunctionArgument> all;
    for (auto n = from_.count(); n > 0; --n) {
      const auto type = from_.get<poplar::Type>();
      all.emplace_back(type, from_.get<std::size_t>());
    }
    return all;
  }

  void computeSet() {
    ComputeSetImpl cs;
    from_.get(cs.name);
    from_.get(cs.vertices);
    for (auto n = from_.count(); n > 0; --n) {
      BulkVertex vertex;
      vertex.kernel = loadKernel(from_);
      from_.get(vertex.name);
      for (auto k = from_.count(); k > 0; --k) {
        auto t = tensor();
        vertex.operands.push_back({std::move(t), from_.get<Access>()});
      }
      cs.bulk.push_back(std::move(vertex));
    }
    graph_->computeSets.push_back(std::move(cs));
  }

  void vertex() {
    UserVertex v;
    const auto file = from_.get<std::size_t>();
    v.codelet = graph_->codelets.inFile(file, from_.get<std::string>());
    from_.get(v.computeSet);
    from_.get(v.tile);
    from_.get(v.cycles);
    from_.get(v.flops);
    from_.get(v.estimated);
    from_.get(v.byEstimator);
    v.fields.resize(v.codelet->numFields);
    for (auto& f : v.fields) {
      f.tensors = tensors();
      from_.get(f.values);
      from_.get(f.sized);
      from_.get(f.valued);
    }
    graph_->vertices.push_back(std::move(v));
  }

  std::shared_ptr<ProgramNode> node() {
    const auto id = from_.get<unsigned>();
    if (id == kNone) return nullptr;
    if (id < nodes_.size()) return nodes_[id];
    if (id != nodes_.size()) throw EndOfArchive();
    auto n = std::make_shared<ProgramNode>();
    nodes_.push_back(n);
    from_.get(n->kind);
    from_.get(n->name);
    const auto computeSet = from_.get<unsigned>(), function = from_.get<unsigned>();
    if (computeSet != kNone) n->computeSet = {computeSet, graph_.get()};
    if (function != kNone) n->function = {function, graph_.get()};
    const auto hostFunction = from_.get<int>(), stream = from_.get<int>();
    if (hostFunction >= 0)
      n->hostFunction = graph_->hostFunctions.at(static_cast<std::size_t>(hostFunction));
    if (stream >= 0) n->stream = graph_->streams.at(static_cast<std::size_t>(stream));
    from_.get(n->count);
    from_.get(n->expected);
    from_.get(n->isBlock);
    from_.get(n->format);
    n->src = tensor();
    n->dst = tensor();
    n->inputs = tensors();
    n->outputs = tensors();
    for (auto k = from_.count(); k > 0; --k) n->children.push_back(node());
    return n;
  }

  Reader from_;
  std::shared_ptr<GraphImpl> graph_;
  std::vector<ViewPtr> views_;
  std::vector<std::shared_ptr<ProgramNode>> nodes_;
};

}  // namespace

std::string saveGraph(const GraphImpl& graph, const ProgramNodes& programs,
                      const poplar::OptionFlags& options) {
  return GraphWriter(graph).write(programs, options);
}

SavedGraph loadGraph(const std::string& bytes) { return GraphReader(bytes).read(); }

}  // namespace popir
