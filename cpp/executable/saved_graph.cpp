// This file is long because reader and writer use the same order, and are best compared side by
// side.
#include "executable/saved_graph.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "costing/reading.hpp"
#include "kernels/saved_kernel.hpp"
#include "machine/target_spec.hpp"
#include "poplar/rounding_program.hpp"
#include "poplar/virtual_tiles.hpp"
#include "support/archive.hpp"

namespace poplar {
constexpr DataStream::Direction lastOf(DataStream::Direction) {
  return DataStream::Direction::DeviceToHost;
}
constexpr PrintTensorFmt::FloatFormat lastOf(PrintTensorFmt::FloatFormat) {
  return PrintTensorFmt::FloatFormat::None;
}
}  // namespace poplar

namespace popir {
namespace {

// Limit of nested views and programs, since the reader is recursive. Real programs are far below
// it.
constexpr unsigned kMostDepth = 2000;
// Limit of elements per tensor, so that loop counts and sizes in bytes do not overflow.
constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

// The unmodified spec of an architecture.
TargetSpec specOf(const std::string& arch) {
  return arch == "cpu" ? TargetSpec::cpu() : TargetSpec::ipu(arch);
}

// Views and programs are written by number: an object is written before those that refer to it.
constexpr unsigned kNone = ~0u;

class GraphWriter {
 public:
  explicit GraphWriter(const GraphImpl& graph) : graph_(graph) {}

  std::string write(const ProgramNodes& programs, const poplar::OptionFlags& options) {
    if (!graph_.target.spec().exchangeLimits.empty())
      throw poplar::poplar_error(
          "a program for an IPUModel with globalExchangeConstraints cannot be saved: state its "
          "links by figures, such as linksToPartner and linkBitsPerSecond, in the options of the "
          "device");
    to_.put(graph_.target.spec().arch);
    // The tile memory of a CPU exceeds the range of a figure, so only changed figures are written.
    const auto otherwise = specOf(graph_.target.spec().arch);
    std::map<std::string, double> figures;
    for (const auto& f : TargetSpec::figures()) {
      const auto figure = graph_.target.spec().get(f);
      if (figure != otherwise.get(f)) figures[f] = figure;
    }
    to_.put(figures);
    to_.put(graph_.replicas);
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
      to_.put(graph_.broadcast.count(s.handle()) != 0);
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
    to_.put(mapping.grain);
    to_.put(mapping.shares);
    to_.put(mapping.first);
    to_.put(mapping.runs);
    to_.put(mapping.grid);
    to_.put(mapping.channels);
    to_.put(mapping.lowest);
    to_.put(mapping.around);
  }

  // A new object is written at its first use, after its number.
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
      to_.put(vertex.tiles ? vertex.tiles->tiles : std::vector<unsigned>());
      to_.put(vertex.operands.size());
      for (const auto& o : vertex.operands) {
        put(o.tensor);
        to_.put(o.access);
      }
      put(vertex.constants);
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
    to_.put(cost.source != VertexCost::Source::Unknown);
    to_.put(cost.source == VertexCost::Source::Estimator);
    for (const auto& f : v.fields) {
      put(f.tensors);
      put(f.metadata);
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
    to_.put(node->onHost);
    put(node->format);
    put(node->src);
    put(node->dst);
    put(node->inputs);
    put(node->outputs);
    to_.put(node->children.size());
    for (const auto& child : node->children) put(child);
  }

  void put(const poplar::PrintTensorFmt& f) {
    for (const auto n : {f.summariseThreshold, f.edgeItems, f.maxLineWidth, f.digits}) to_.put(n);
    to_.put(f.floatFormat);
    for (const auto c : {f.separator, f.openBracket, f.closeBracket}) to_.put(c);
  }

  const GraphImpl& graph_;
  Writer to_;
  std::map<const View*, unsigned> views_;
  std::map<const ProgramNode*, unsigned> nodes_;
};

/// \throws DamagedArchive
void require(bool fits, const std::string& what) {
  if (!fits) throw DamagedArchive(what);
}

/// The product of sizes.
/// \throws DamagedArchive if loops over the elements could overflow
std::int64_t elementsIn(const Dims& shape) {
  std::int64_t n = 1;
  bool isEmpty = false;
  for (const auto size : shape) {
    require(size >= 0, "a dimension has a negative size");
    isEmpty = isEmpty || size == 0;
    // A dimension of size 0 does not excuse the others: loops run over their product, too.
    require(size <= 1 || n <= kMostElements / size, "a tensor is too large");
    n *= std::max<std::int64_t>(size, 1);
  }
  return isEmpty ? 0 : n;
}

/// Counts the depth of a recursion.
class Deeper {
 public:
  explicit Deeper(unsigned& depth) : depth_(depth) {
    require(++depth_ <= kMostDepth, "views or programs lie too deep in one another");
  }
  ~Deeper() { --depth_; }

 private:
  unsigned& depth_;
};

/// A program for a given node, to pass to the constructors of enclosing programs.
class NodeProgram : public poplar::program::Program {
 public:
  explicit NodeProgram(std::shared_ptr<ProgramNode> node) : Program(std::move(node)) {}
};

/// Makes the same checks as Graph and the Program constructors, by calling these where possible.
/// The result is then as valid as a graph built by a program.
class GraphReader {
 public:
  explicit GraphReader(const std::string& bytes) : from_(bytes) {}

  SavedGraph read() {
    SavedGraph saved;
    auto spec = specOf(from_.get<std::string>());
    for (const auto& [name, value] : from_.get<std::map<std::string, double>>())
      spec.set(name, value);
    graph_ = std::make_shared<GraphImpl>(
        poplar::Target(std::make_shared<const TargetSpec>(std::move(spec))));
    saved.graph = graph_;
    from_.get(graph_->replicas);
    require(graph_->replicas > 0, "a graph has no replicas");
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
      const auto elements = length();
      if (from_.get<bool>()) graph_->broadcast.insert(handle);
      const bool isOne = graph_->broadcast.count(handle) != 0;
      graph_->streams.emplace_back(std::move(handle), direction, type, elements,
                                   static_cast<int>(graph_->streams.size()), graph_->replicas,
                                   isOne ? poplar::ReplicatedStreamMode::BROADCAST
                                         : poplar::ReplicatedStreamMode::REPLICATE);
    }
    for (auto n = from_.count(); n > 0; --n) {
      const auto handle = from_.get<std::string>();
      const auto inputs = arguments();
      graph_->hostFunctions.emplace_back(static_cast<int>(graph_->hostFunctions.size()), handle,
                                         inputs, arguments());
    }
    for (auto n = from_.count(); n > 0; --n) computeSet();
    for (auto n = from_.count(); n > 0; --n) vertex();
    checkComputeSets();
    for (auto* handles : {&graph_->hostWrites, &graph_->hostReads})
      for (auto n = from_.count(); n > 0; --n) {
        const auto handle = from_.get<std::string>();
        const auto t = tensor();
        require(t.valid(), "a handle has no tensor");
        require(handles == &graph_->hostReads || t.isParallelWriteable(),
                "the host writes a tensor that cannot be written");
        handles->emplace(handle, t);
      }
    for (auto n = from_.count(); n > 0; --n) {
      graph_->functions.push_back(node());
      require(graph_->functions.back() != nullptr, "a function has no program");
    }
    for (auto n = from_.count(); n > 0; --n) saved.programs.push_back(node());
    require(from_.left() == 0, "it goes on behind its end");
    return saved;
  }

 private:
  /// Reads a number of elements.
  std::size_t length() {
    const auto n = from_.get<std::size_t>();
    require(n <= static_cast<std::size_t>(kMostElements), "a tensor is too large");
    return n;
  }
  void requireTile(std::int64_t tile) const {
    require(tile >= 0 && tile < graph_->target.getNumTiles(), "a tile does not exist");
  }

  void variable() {
    Variable v;
    from_.get(v.type);
    from_.get(v.shape);
    v.elements = elementsIn(v.shape);
    from_.get(v.name);
    from_.get(v.constant);
    v.data = SharedBytes(from_.get<std::vector<unsigned char>>());
    require(v.data.size() == v.bytes() || (v.data.size() == 0 && !v.constant),
            "the value of a variable has another size");
    v.mapping = mapping(v.elements);
    graph_->variables.push_back(std::move(v));
  }

  static void requireShares(const Shares& shares) {
    require(shares.elements > 0 && shares.elements <= kMostElements && shares.grain >= 1 &&
                shares.grain <= kMostElements && shares.count >= 1 &&
                shares.count <= shares.grains() &&
                shares.grains() <= std::numeric_limits<std::int64_t>::max() / shares.count,
            "a mapping's shares are empty");
  }

  TileMapping mapping(std::int64_t elements) {
    TileMapping::State m;
    from_.get(m.elements);
    from_.get(m.grain);
    from_.get(m.shares);
    from_.get(m.first);
    from_.get(m.runs);
    from_.get(m.grid);
    from_.get(m.channels);
    from_.get(m.lowest);
    from_.get(m.around);
    require(m.elements >= 0 && m.elements <= kMostElements && m.shares >= 0,
            "a mapping has no elements");
    requireTile(m.first);
    const std::int64_t end = std::int64_t{m.lowest} + m.around;
    require(m.around == 0 ||
                (end <= graph_->target.getNumTiles() && m.first >= m.lowest && m.first < end),
            "a mapping's ring has other tiles");
    if (m.shares > 0) {
      requireShares({m.elements, m.grain, m.shares});
      requireTile(m.first + m.shares - 1);
    }
    std::int64_t reached = 0;
    for (const auto& [begin, end, tile] : m.runs) {
      require(begin >= reached && begin < end && end <= elements, "a mapping's parts overlap");
      reached = end;
      requireTile(tile);
    }
    Dims sizes;
    std::int64_t last = m.first;
    for (const auto& [size, period, part, sub, stride, subStride, group, shares] : m.grid) {
      require(period >= 1 && part >= 1 && sub >= 1 && part <= period && stride >= 0 &&
                  subStride >= 0 && group >= 1 && shares >= 0,
              "a mapping's grid has no parts");
      if (shares > 0) requireShares({size, part, shares});
      sizes.push_back(size);
      const auto most = std::min(size, period) - 1;
      if (most < 0) continue;
      for (const auto& [steps, apart] :
           {std::pair{shares > 0 ? shares - 1 : most / part, stride},
            {shares > 0 ? 0 : std::min(most, part - 1) / sub, subStride}}) {
        require(steps == 0 || apart <= kMostElements / steps, "a tile does not exist");
        last += steps * apart;
        // In a ring no tile comes twice.
        if (m.around == 0)
          requireTile(last);
        else
          require(last < m.first + std::int64_t{m.around}, "a tile does not exist");
      }
    }
    require(m.grid.empty() || elementsIn(sizes) == m.elements,
            "a mapping's grid has other elements");
    return TileMapping::ofState(m);
  }

  ViewPtr view() {
    const auto id = from_.get<unsigned>();
    if (id == kNone) return nullptr;
    if (id < views_.size()) {
      require(views_[id] != nullptr, "a view is part of itself");
      return views_[id];
    }
    require(id == views_.size(), "a view is not there");
    const Deeper deeper(depth_);
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
    checkRange(s, s.parts.empty() ? elementsOfVariable(s) : elementsOfParts(s));
    return views_[id] = View::ofState(graph_.get(), std::move(s));
  }
  std::int64_t elementsOfVariable(const View::State& s) const {
    require(s.variable < graph_->variables.size(), "a view's variable is not there");
    const auto& v = graph_->variable(s.variable);
    require(v.elements == s.variableElements && v.constant == s.constant &&
                v.type.sizeInBytes() == s.type.sizeInBytes(),
            "a view is of another variable");
    return v.elements;
  }
  std::int64_t elementsOfParts(const View::State& s) const {
    for (const auto& part : s.parts)
      require(part && part->type() == s.type, "a part of a view has another element type");
    if (s.starts.empty()) {
      require(s.parts.size() == 1, "the parts of a view begin nowhere");
      return s.parts[0]->elements();
    }
    require(
        s.starts.size() == s.parts.size() + 1 && s.starts[0] == 0 && s.outer >= 1 && s.inner >= 1,
        "the parts of a view begin nowhere");
    for (std::size_t p = 0; p < s.parts.size(); ++p)
      require(
          s.parts[p]->elements() == elementsIn({s.outer, s.starts[p + 1] - s.starts[p], s.inner}),
          "a part of a view has another size");
    return elementsIn({s.outer, s.starts.back(), s.inner});
  }
  /// Checks that all elements of a view are within `elements`.
  static void checkRange(const View::State& s, std::int64_t elements) {
    require(s.strides.size() == s.shape.size(), "a view has another number of strides");
    if (elementsIn(s.shape) == 0) return;
    std::int64_t least = s.offset, most = s.offset;
    const auto isInside = [&] { return least >= 0 && most < elements; };
    require(isInside(), "a view reaches beyond what it shows");
    for (std::size_t d = 0; d < s.shape.size(); ++d) {
      const auto steps = s.shape[d] - 1, stride = s.strides[d];
      require(stride >= -kMostElements && stride <= kMostElements &&
                  (steps == 0 || std::abs(stride) <= kMostElements / steps),
              "a view reaches beyond what it shows");
      (stride < 0 ? least : most) += steps * stride;
      require(isInside(), "a view reaches beyond what it shows");
    }
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
      all.emplace_back(type, length());
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
      vertex.tiles = tiles();
      std::vector<OperandInfo> infos;
      for (auto k = from_.count(); k > 0; --k) {
        auto t = tensor();
        const auto access = from_.get<Access>();
        require(t.valid() && (access == Access::Read || t.isParallelWriteable()),
                "an operand is no tensor, or cannot be written");
        infos.push_back({t.elementType(), t.view().shape(), access});
        vertex.operands.push_back({std::move(t), access});
      }
      vertex.kernel->check(infos);
      vertex.constants = tensors();
      for (const auto& t : vertex.constants) require(t.valid(), "a constant is no tensor");
      cs.bulk.push_back(std::move(vertex));
    }
    graph_->computeSets.push_back(std::move(cs));
  }

  std::shared_ptr<const VirtualTiles> tiles() {
    auto tiles = from_.get<std::vector<unsigned>>();
    if (tiles.empty()) return nullptr;
    for (const auto tile : tiles) requireTile(tile);
    require(std::is_sorted(tiles.begin(), tiles.end()), "the tiles of a virtual graph are mixed");
    return std::make_shared<const VirtualTiles>(VirtualTiles{graph_->target, std::move(tiles)});
  }

  void vertex() {
    UserVertex v;
    const auto file = from_.get<std::size_t>();
    v.codelet = graph_->codelets.inFile(file, from_.get<std::string>());
    from_.get(v.computeSet);
    from_.get(v.tile);
    if (v.tile) requireTile(*v.tile);
    from_.get(v.cycles);
    from_.get(v.flops);
    from_.get(v.estimated);
    from_.get(v.byEstimator);
    v.fields.resize(v.codelet->numFields);
    for (std::size_t i = 0; i < v.fields.size(); ++i) {
      auto& f = v.fields[i];
      f.tensors = tensors();
      f.metadata = tensors();
      from_.get(f.values);
      from_.get(f.sized);
      from_.get(f.valued);
      checkField(v.codelet->fields[i], f);
    }
    graph_->vertices.push_back(std::move(v));
  }
  static void checkField(const CodeletField& field, const FieldContent& content) {
    const bool exists = field.type != poplar::Type::Kind::Invalid;
    const auto each = exists ? poplar::Type(field.type).sizeInBytes() : 1;
    require(content.values.size() % each == 0, "a field has half an element");
    for (const auto& t : content.tensors) {
      if (!t.valid()) continue;
      require(t.elementType() == poplar::Type(field.type), "a field has another element type");
      require(field.shape != CodeletField::Shape::Scalar || t.numElements() == 1,
              "a field of one element has several");
      require(field.direction == CodeletField::Direction::Input || t.isParallelWriteable(),
              "a field writes a tensor that cannot be written");
    }
    const bool isQuarter = field.type == poplar::Type::Kind::Quarter;
    require(content.metadata.size() == (isQuarter ? content.tensors.size() : 0),
            "a field has metadata for another number of tensors");
    for (std::size_t i = 0; i < content.metadata.size(); ++i) {
      const auto& m = content.metadata[i];
      require(m.valid() ? m.elementType() == poplar::QUARTER_METADATA && m.numElements() == 1
                        : !content.tensors[i].valid(),
              "metadata of a field are not one byte");
    }
    const bool isList =
        field.shape == CodeletField::Shape::Scalars || field.shape == CodeletField::Shape::Vectors;
    require(isList || content.tensors.size() <= 1, "a field of one edge has several");
    require(!content.valued || field.shape != CodeletField::Shape::Scalar ||
                content.values.size() == each,
            "a field of one element has several");
  }
  /// Checks that compute sets and vertices refer to each other.
  void checkComputeSets() const {
    for (std::size_t cs = 0; cs < graph_->computeSets.size(); ++cs)
      for (const auto v : graph_->computeSets[cs].vertices)
        require(v < graph_->vertices.size() && graph_->vertices[v].computeSet == cs,
                "a vertex is of another compute set");
  }

  std::shared_ptr<ProgramNode> node() {
    const auto id = from_.get<unsigned>();
    if (id == kNone) return nullptr;
    if (id < nodes_.size()) {
      require(nodes_[id] != nullptr, "a program is part of itself");
      return nodes_[id];
    }
    require(id == nodes_.size(), "a program is not there");
    const Deeper deeper(depth_);
    nodes_.emplace_back();
    ProgramNode n;
    from_.get(n.kind);
    from_.get(n.name);
    const auto computeSet = from_.get<unsigned>(), function = from_.get<unsigned>();
    require(computeSet == kNone || computeSet < graph_->computeSets.size(),
            "a compute set is not there");
    if (computeSet != kNone) n.computeSet = {computeSet, graph_.get()};
    // A function calls only earlier functions, which excludes recursion.
    require(function == kNone || function < graph_->functions.size(), "a function is not there");
    if (function != kNone) n.function = {function, graph_.get()};
    const auto hostFunction = from_.get<int>(), stream = from_.get<int>();
    if (hostFunction >= 0)
      n.hostFunction = graph_->hostFunctions.at(static_cast<std::size_t>(hostFunction));
    if (stream >= 0) n.stream = graph_->streams.at(static_cast<std::size_t>(stream));
    from_.get(n.count);
    from_.get(n.expected);
    from_.get(n.isBlock);
    from_.get(n.onHost);
    format(n.format);
    n.src = tensor();
    n.dst = tensor();
    n.inputs = tensors();
    n.outputs = tensors();
    for (auto k = from_.count(); k > 0; --k) n.children.push_back(node());
    for (const auto& child : n.children) require(child != nullptr, "a program has no body");
    return nodes_[id] = made(n);
  }
  void format(poplar::PrintTensorFmt& f) {
    for (auto* n : {&f.summariseThreshold, &f.edgeItems, &f.maxLineWidth, &f.digits}) from_.get(*n);
    from_.get(f.floatFormat);
    for (auto* c : {&f.separator, &f.openBracket, &f.closeBracket}) from_.get(*c);
  }

  /// Recreates a program with its constructor, which checks the arguments.
  static std::shared_ptr<ProgramNode> made(const ProgramNode& n) {
    namespace p = poplar::program;
    using Kind = ProgramNode::Kind;
    const poplar::DebugContext context(n.name);
    const std::size_t bodies = n.kind == Kind::Repeat || n.kind == Kind::Loop ? 1
                               : n.kind == Kind::While || n.kind == Kind::If  ? 2
                               : n.kind == Kind::Sequence && n.isBlock        ? 1
                               : n.kind == Kind::Sequence                     ? n.children.size()
                                                                              : 0;
    require(n.children.size() == bodies, "a program has another number of bodies");
    const auto body = [&](std::size_t i) { return NodeProgram(n.children[i]); };
    switch (n.kind) {
      case Kind::Sequence: {
        if (n.isBlock) return p::Block(body(0), n.name).node();
        p::Sequence sequence(context);
        for (const auto& child : n.children) sequence.add(NodeProgram(child));
        return sequence.node();
      }
      case Kind::Execute: return p::Execute(n.computeSet, context).node();
      case Kind::Copy: return p::Copy(n.src, n.dst, false, context).node();
      case Kind::StreamToDst: return p::Copy(n.stream, n.dst, n.onHost, context).node();
      case Kind::SrcToStream: return p::Copy(n.src, n.stream, n.onHost, context).node();
      case Kind::Repeat: return p::Repeat(n.count, body(0), context).node();
      case Kind::While:
        if (n.expected) return p::RepeatWhileTrue(body(0), n.src, body(1), context).node();
        return p::RepeatWhileFalse(body(0), n.src, body(1), context).node();
      case Kind::If:
        if (n.expected) return p::If(n.src, body(0), body(1), context).node();
        return p::Switch(n.src, {{static_cast<std::int32_t>(n.count), body(0)}}, body(1), context)
            .node();
      case Kind::Call: return p::Call(n.function, context).node();
      case Kind::HostCall: return p::Call(n.hostFunction, n.inputs, n.outputs, context).node();
      case Kind::Sync: return p::Sync(p::SyncType::INTERNAL, context).node();
      case Kind::Print:
        if (!n.expected && !n.src.valid()) return p::Abort(n.name).node();
        if (!n.expected) return p::ErrorProgram(n.name, n.src).node();
        return p::PrintTensor(n.name, n.src, n.format).node();
      case Kind::WriteUndef: return p::WriteUndef(n.dst, context).node();
      case Kind::SetRounding: return roundingProgram(n.expected, context, n.count).node();
      case Kind::SeedRounding: return seedProgram(n.src, n.count, context).node();
      case Kind::Loop: return p::Loop(body(0), context).node();
      case Kind::ModifyRounding:
        require(n.inputs.size() == 1, "a program has no table of floating-point behaviours");
        return modifyRoundingProgram(n.inputs[0], n.dst, n.count, context).node();
      case Kind::RestoreRounding: return restoreRoundingProgram(n.src, context).node();
    }
    return nullptr;
  }

  Reader from_;
  std::shared_ptr<GraphImpl> graph_;
  std::vector<ViewPtr> views_;  // null while being read
  std::vector<std::shared_ptr<ProgramNode>> nodes_;
  unsigned depth_ = 0;
};

}  // namespace

std::string saveGraph(const GraphImpl& graph, const ProgramNodes& programs,
                      const poplar::OptionFlags& options) {
  return GraphWriter(graph).write(programs, options);
}

SavedGraph loadGraph(const std::string& bytes) {
  try {
    return GraphReader(bytes).read();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw DamagedArchive(error.what());
  }
}

}  // namespace popir
