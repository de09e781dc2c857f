// poplar::Graph: codelets and vertices.
#include <popir/Codelet.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include "codelets/compile.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/virtual_tiles.hpp"
#include "poplar/worker_seeds.hpp"
#include "support/host_process.hpp"

namespace popir {
namespace {

using Direction = CodeletField::Direction;
using Shape = CodeletField::Shape;

std::string fieldText(const CodeletField& f) {
  const char* names[] = {"", "Input", "Output", "InOut"};
  auto text =
      f.type == poplar::Type::Kind::Invalid ? std::string("?") : poplar::Type(f.type).toString();
  if (f.shape == Shape::Vector || f.shape == Shape::Vectors) text = "Vector<" + text + ">";
  if (f.direction != Direction::State)
    text = names[static_cast<int>(f.direction)] + ("<" + text + ">");
  return f.shape == Shape::Vector || f.shape == Shape::Scalar ? text : "Vector<" + text + ">";
}

std::string fieldsText(const Codelet& c) {
  std::string text;
  for (std::size_t i = 0; i < c.numFields; ++i)
    text += (i ? ", " : "") + std::string(c.fields[i].name) + " (" + fieldText(c.fields[i]) + ")";
  return text.empty() ? "none" : text;
}

bool isList(const CodeletField& f) {
  return f.shape == Shape::Scalars || f.shape == Shape::Vectors;
}

/// A field of a vertex, looked up by name, with the error messages about it.
struct Field {
  Field(const char* caller, GraphImpl& g, const poplar::FieldRef& ref) : who(caller), graph(g) {
    const auto id = ref.vertex().getId();
    if (ref.vertex().graph() != &graph)
      throw poplar::graph_connection_error("Graph::" + who + ": the vertex is not of this graph");
    vertex = id;
    const auto& codelet = *graph.vertices[id].codelet;
    while (index < codelet.numFields && ref.name() != codelet.fields[index].name) ++index;
    if (index == codelet.numFields)
      throw poplar::unknown_field("Graph::" + who + ": " + vertexText(graph, id) +
                                  " has no field '" + ref.name() +
                                  "'; its fields: " + fieldsText(codelet));
    if (ref.isIndexed() && !isList(type()))
      refuse("is no list of edges, so it has no element [" + std::to_string(ref.getIndex()) + "]");
  }

  const CodeletField& type() const { return graph.vertices[vertex].codelet->fields[index]; }
  FieldContent& content() const { return graph.vertices[vertex].fields[index]; }
  poplar::Type elementType() const { return poplar::Type(type().type); }
  std::string text() const {
    return "Graph::" + who + ": field '" + type().name + "' (" + fieldText(type()) + ") of " +
           vertexText(graph, vertex);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw poplar::graph_connection_error(text() + " " + why);
  }

  void check(const poplar::Tensor& t) const {
    if (type().direction == Direction::State)
      refuse("is state, which takes no tensor; use Graph::setInitialValue");
    if (!t.valid()) refuse("was given a tensor that is not valid");
    if (t.view().graph() != &graph) refuse("was given a tensor of another graph");
    if (t.elementType() != elementType())
      throw poplar::type_error(text() + " was given a tensor of " + t.elementType().toString() +
                               ", expected " + elementType().toString() +
                               "; cast it with popops::cast");
    const bool scalar = type().shape == Shape::Scalar || type().shape == Shape::Scalars;
    if (scalar && t.numElements() != 1)
      refuse("was given a tensor of shape " + t.shapeToString() + ", expected one element");
    if (!scalar && t.rank() > 1)
      refuse("was given a tensor of shape " + t.shapeToString() +
             ", expected one dimension; use Tensor::flatten");
    if (type().direction != Direction::Input && !t.isParallelWriteable())
      refuse("is written, but its tensor holds constants or an element twice: " + t.getDebugStr());
  }

  void resize(std::size_t n) const {
    auto& c = content();
    if (c.sized && c.tensors.size() != n)
      refuse("has " + std::to_string(c.tensors.size()) + " elements already, " + std::to_string(n) +
             " given");
    c.tensors.resize(n);
    if (isQuarter()) c.metadata.resize(n);
    c.sized = true;
  }

  void connect(const std::vector<poplar::Tensor>& tensors) const {
    for (const auto& t : tensors) check(t);
    if (!isList(type())) {
      if (tensors.size() != 1)
        refuse("takes one tensor, " + std::to_string(tensors.size()) + " given");
    } else {
      resize(tensors.size());
    }
    content().tensors = tensors;
    if (!isQuarter()) return;
    content().metadata.clear();
    for (const auto& t : tensors) content().metadata.push_back(metadataOf(t));
  }

  bool isQuarter() const { return elementType() == poplar::QUARTER; }
  /// \throws poplar::type_error if it has none
  poplar::Tensor metadataOf(const poplar::Tensor& t) const {
    return popir::metadataOf(graph, t, text());
  }

  std::string who;
  GraphImpl& graph;
  unsigned vertex = 0;
  std::size_t index = 0;
};

std::size_t vertexOf(const char* who, const GraphImpl& graph, const poplar::VertexRef& v) {
  if (v.graph() != &graph)
    throw poplar::graph_connection_error(std::string("Graph::") + who +
                                         ": the vertex is not of this graph");
  return v.getId();
}

}  // namespace

std::string vertexText(const GraphImpl& graph, unsigned vertex) {
  const auto& v = graph.vertices[vertex];
  return "vertex '" + std::string(v.codelet->name) + "' (number " + std::to_string(vertex) +
         " of the graph, in compute set '" + graph.computeSets[v.computeSet].name + "')";
}

void checkComplete(const GraphImpl& graph, unsigned computeSet) {
  for (const auto id : graph.computeSets[computeSet].vertices) {
    const auto& vertex = graph.vertices[id];
    if (!vertex.tile)
      throw poplar::invalid_tile_mapping("Engine: " + vertexText(graph, id) +
                                         " has no tile; use Graph::setTileMapping");
    for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
      const auto& field = vertex.codelet->fields[i];
      const auto& content = vertex.fields[i];
      const auto refuse = [&](const std::string& why) {
        throw poplar::graph_connection_error("Engine: field '" + std::string(field.name) + "' (" +
                                             fieldText(field) + ") of " + vertexText(graph, id) +
                                             " " + why);
      };
      if (content.valued) continue;
      if (field.direction == Direction::State) {
        // A number without a value is 0; a list would have no size.
        const bool isNumber = field.shape == CodeletField::Shape::Scalar;
        if (field.type != poplar::Type::Kind::Invalid && !isNumber && !content.sized)
          refuse("has no value; use Graph::setInitialValue");
        continue;
      }
      if (isList(field) ? !content.sized : content.tensors.empty())
        refuse("is not connected; use Graph::connect");
      for (std::size_t k = 0; k < content.tensors.size(); ++k)
        if (!content.tensors[k].valid())
          refuse("is not connected at [" + std::to_string(k) + "]; use Graph::connect");
      for (const auto& m : content.metadata)
        if (!m.view().sameElements(content.metadata.front().view()))
          refuse("has tensors of different metadata");
    }
  }
}

}  // namespace popir

namespace poplar {

using popir::Field;

namespace {

bool isCompiled(const std::string& path, CodeletFileType type) {
  if (type != CodeletFileType::Auto) return type == CodeletFileType::Object;
  return path.size() > 3 && path.compare(path.size() - 3, 3, ".gp") == 0;
}

}  // namespace

namespace {

// The version of a file: changes when the file is edited.
std::string stampOf(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  const auto time = std::filesystem::last_write_time(path, failed);
  return failed ? "" : std::to_string(size) + " " + std::to_string(time.time_since_epoch().count());
}

}  // namespace

namespace {

struct FileType {
  CodeletFileType type;
  const char *extension, *language;
};
const FileType fileTypes[] = {
    {CodeletFileType::PreprocessedAsmSource, ".s", "assembler"},
    {CodeletFileType::AsmSource, ".S", "assembler-with-cpp"},
    {CodeletFileType::CSource, ".c", "c"},
    {CodeletFileType::CppSource, ".cpp", "c++"},
    {CodeletFileType::IrSource, ".ll", "ir"},
    {CodeletFileType::Object, ".gp", ""},
};

const FileType* find(CodeletFileType type) {
  for (const auto& each : fileTypes)
    if (each.type == type) return &each;
  return nullptr;
}

}  // namespace

CodeletFileType getCodeletFileType(const char* path) {
  const auto extension = std::filesystem::path(path).extension().string();
  for (const auto& each : fileTypes)
    if (extension == each.extension) return each.type;
  return CodeletFileType::Auto;
}
std::string getExtensionFromFileType(CodeletFileType type) {
  const auto* const found = find(type);
  return found ? found->extension : "";
}
std::string getLanguageOption(CodeletFileType type) {
  const auto* const found = find(type);
  return found ? found->language : "";
}

bool Graph::addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags, StringRef) {
  const std::string path = src, flags = compileFlags;
  if (path.empty())
    throw graph_program_compilation_error("Graph::addCodelets: a file without a name given");
  const auto key = std::filesystem::absolute(path).lexically_normal().string() + '\0' + flags;
  const auto stamp = stampOf(path);
  if (impl_->codelets.has(key, stamp)) return false;
  if (!isCompiled(path, type))
    return impl_->codelets.addCompiled(
        key, stamp, popir::compileCodelets({path}, popir::splitWords(flags)), path);
  std::string bytes;
  try {
    bytes = popir::readFile(path);
  } catch (const poplar_error& e) {
    throw file_load_error(std::string("Graph::addCodelets: ") + e.what());
  }
  return impl_->codelets.addCompiled(key, stamp, bytes, path);
}

void Graph::addCodelets(std::stringstream& stream, StringRef compileFlags, CodeletFileType,
                        StringRef) {
  const std::string text = stream.str(), flags = compileFlags;
  const auto key = text + '\0' + flags;
  if (impl_->codelets.has(key)) return;
  impl_->codelets.addCompiled(key, "", popir::compileCodeletText(text, popir::splitWords(flags)),
                              "source text");
}

namespace {

/// \throws graph_connection_error for an unknown field
const popir::CodeletField& fieldOf(const popir::Codelet& codelet, const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < codelet.numFields; ++i) {
    if (name == codelet.fields[i].name) return codelet.fields[i];
    known += (known.empty() ? "" : ", ") + std::string(codelet.fields[i].name);
  }
  throw unknown_field(std::string(codelet.name) + " has no field '" + name +
                      "'; its fields: " + known);
}

}  // namespace

std::size_t Graph::getMaxVertexFieldValue(StringRef vertexType, StringRef field) const {
  using Field = popir::CodeletField;
  const auto& codelet = *impl_->codelets.find(vertexType);
  const Field& found = fieldOf(codelet, field);
  const Type type(found.type);
  if (found.direction == Field::Direction::State && found.shape == Field::Shape::Scalar) {
    if (type == BOOL) return 1;
    for (const Type& whole : {CHAR, SIGNED_CHAR, UNSIGNED_CHAR, SHORT, UNSIGNED_SHORT, INT,
                              UNSIGNED_INT, LONGLONG, UNSIGNED_LONGLONG})
      if (type == whole) {
        const bool negative =
            type == CHAR || type == SIGNED_CHAR || type == SHORT || type == INT || type == LONGLONG;
        const std::size_t bits = type.sizeInBytes() * 8 - (negative ? 1 : 0);
        return std::numeric_limits<std::size_t>::max() >> (64 - bits);
      }
  }
  throw graph_connection_error("Graph::getMaxVertexFieldValue: the field '" + field.str() +
                               "' of " + codelet.name + " is not state of a whole number");
}

std::size_t Graph::getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimension) const {
  using Shape = popir::CodeletField::Shape;
  const auto& codelet = *impl_->codelets.find(vertexType);
  const Shape shape = fieldOf(codelet, field).shape;
  const unsigned rank = shape == Shape::Scalar ? 0 : shape == Shape::Vectors ? 2 : 1;
  if (dimension >= rank)
    throw graph_connection_error("Graph::getMaxFieldDim: the field '" + field.str() + "' of " +
                                 codelet.name + " has " + std::to_string(rank) + " dimensions, " +
                                 std::to_string(dimension) + " given");
  return std::numeric_limits<std::uint32_t>::max();
}

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType) {
  return addVertexFrom(cs, vertexType, {});
}

VertexRef Graph::addVertexFrom(ComputeSet cs, StringRef vertexType,
                               ArrayRef<ConnectionDesc> connections) {
  if (!cs.valid() || (cs.graph() != nullptr && cs.graph() != impl_.get()) ||
      cs.getId() >= impl_->computeSets.size())
    throw graph_connection_error("Graph::addVertex: the compute set is not of this graph");
  for (const std::string library : {"popnn", "popops", "poprand"})
    if (std::string(vertexType).rfind(library + "::", 0) == 0 && !impl_->codelets.knows(vertexType))
      addCodelets(popir::broughtSource(library + ".cpp"));
  popir::UserVertex vertex;
  vertex.codelet = impl_->codelets.find(vertexType);
  vertex.computeSet = cs.getId();
  vertex.fields.resize(vertex.codelet->numFields);
  impl_->vertices.push_back(std::move(vertex));
  const VertexRef v(static_cast<unsigned>(impl_->vertices.size() - 1), impl_.get());
  impl_->computeSets[cs.getId()].vertices.push_back(v.getId());
  for (const auto& c : connections) {
    if (c.isValue())
      setFieldValue(v[c.field()], c.values(), false);
    else if (c.isSingle())
      connect(v[c.field()], c.tensors().front());
    else
      connect(v[c.field()], c.tensors());
  }
  // As with variables: what a program for a CPU does not map is on the first tile.
  if (getTarget().getTargetType() == TargetType::CPU) setTileMapping(v, 0);
  return v;
}

void Graph::connect(FieldRef ref, const Tensor& t) {
  const Field field("connect", *impl_, ref);
  if (ref.isIndexed()) {
    auto& tensors = field.content().tensors;
    if (ref.getIndex() >= tensors.size())
      throw no_size_specified(field.text() + " has " + std::to_string(tensors.size()) +
                              " elements, [" + std::to_string(ref.getIndex()) +
                              "] given; use Graph::setFieldSize first");
    field.check(t);
    tensors[ref.getIndex()] = t;
    if (field.isQuarter()) field.content().metadata[ref.getIndex()] = field.metadataOf(t);
    return;
  }
  if (!popir::isList(field.type()) || !t.valid()) return field.connect({t});
  if (t.rank() == 0) field.refuse("was given a tensor of no dimension, expected a list");
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i < t.dim(0); ++i) rows.push_back(t[i]);
  field.connect(rows);
}

void Graph::connect(FieldRef ref, ArrayRef<Tensor> tensors) {
  const Field field("connect", *impl_, ref);
  if (ref.isIndexed()) field.refuse("takes one tensor at each element");
  field.connect(tensors.cloneAsVector());
}

void Graph::setFieldSize(FieldRef ref, std::size_t size) {
  const Field field("setFieldSize", *impl_, ref);
  const auto& type = field.type();
  if (popir::isList(type)) return field.resize(size);
  if (type.direction != popir::CodeletField::Direction::State ||
      type.shape != popir::CodeletField::Shape::Vector || type.type == Type::Kind::Invalid)
    field.refuse("takes its size from what is connected");
  auto& content = field.content();
  content.sized = true;
  content.values.resize(size * field.elementType().sizeInBytes());
}

std::size_t Graph::getFieldSize(FieldRef ref) const {
  const Field field("getFieldSize", *impl_, ref);
  const auto& content = field.content();
  if (popir::isList(field.type())) return content.tensors.size();
  if (!content.values.empty()) return content.values.size() / field.elementType().sizeInBytes();
  return content.tensors.empty() ? 0 : content.tensors.front().numElements();
}

void Graph::setFieldValue(FieldRef ref, const FieldValues& given, bool single) {
  const Field field("setInitialValue", *impl_, ref);
  const auto& type = field.type();
  using popir::CodeletField;
  const auto expected = type.shape == CodeletField::Shape::Scalar ? 1 : given.n;
  if (type.type == Type::Kind::Invalid) field.refuse("has a type that takes no value");
  if (popir::isList(type) || (type.direction != CodeletField::Direction::State &&
                              type.direction != CodeletField::Direction::Input))
    field.refuse("takes tensors, a value given; use Graph::connect");
  if (given.n != expected || (single && type.shape == CodeletField::Shape::Vector))
    field.refuse("was given " + std::to_string(given.n) + " values, expected " +
                 (type.shape == CodeletField::Shape::Scalar ? "one" : "a list of values"));
  auto& content = field.content();
  const auto bytes = given.n * field.elementType().sizeInBytes();
  if (content.sized && content.values.size() != bytes)
    field.refuse("was given " + std::to_string(given.n) + " values, its size was set to " +
                 std::to_string(content.values.size() / field.elementType().sizeInBytes()));
  Type valueType = given.type;  // the host's `long` has 8 bytes, the device's 4
  if (given.elementBytes == 8 && valueType == INT) valueType = LONGLONG;
  if (given.elementBytes == 8 && valueType == UNSIGNED_INT) valueType = UNSIGNED_LONGLONG;
  content.values.resize(bytes);
  popir::convertValues(valueType, given.values, field.elementType(), content.values.data(),
                       given.n);
  content.valued = true;
}

void Graph::setInitialValueHalf(FieldRef ref, std::uint16_t bits) {
  popir::Half value;
  std::memcpy(&value, &bits, sizeof value);
  setInitialValue(ref, value);
}

void Graph::setInitialValueHalf(FieldRef ref, ArrayRef<std::uint16_t> bits) {
  std::vector<popir::Half> values(bits.size());
  if (!values.empty())
    std::memcpy(static_cast<void*>(values.data()), bits.data(), bits.size() * sizeof(popir::Half));
  setInitialValue(ref, values);
}

void Graph::setTileMapping(VertexRef v, unsigned tile) {
  const auto id = popir::vertexOf("setTileMapping", *impl_, v);
  if (tile >= getTarget().getNumTiles())
    throw invalid_tile_mapping("Graph::setTileMapping: tile " + std::to_string(tile) +
                               " given, the target has " +
                               std::to_string(getTarget().getNumTiles()));
  tile = virtual_ ? virtual_->tiles[tile] : tile;
  const auto before = std::exchange(impl_->vertices[id].tile, tile);
  popir::connectWorkerSeeds(*this, v, before);
}

void Graph::registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator) {
  if (!estimator)
    throw graph_connection_error("Graph::registerPerfEstimator: no function given for '" +
                                 vertexType.str() + "'");
  impl_->perfEstimators[popir::canonicalVertexType(vertexType)] = std::move(estimator);
}

void Graph::setPerfEstimate(const VertexRef& v, std::uint64_t cycles, std::uint64_t flops) {
  auto& vertex = impl_->vertices[popir::vertexOf("setPerfEstimate", *impl_, v)];
  vertex.cycles = cycles;
  vertex.flops = flops;
  vertex.estimated = true;
}

VertexPerfEstimate Graph::getPerfEstimate(const VertexRef& v) const {
  const auto id = static_cast<unsigned>(popir::vertexOf("getPerfEstimate", *impl_, v));
  const auto& vertex = impl_->vertices[id];
  if (vertex.estimated) return {vertex.cycles, vertex.flops};
  const auto found = impl_->perfEstimators.find(vertex.codelet->name);
  if (found == impl_->perfEstimators.end())
    throw missing_perf_estimate("Graph::getPerfEstimate: " + popir::vertexText(*impl_, id) +
                                " has none; use Graph::setPerfEstimate or registerPerfEstimator");
  return found->second(VertexIntrospector(*impl_, id), getTarget());
}

unsigned Graph::getNumVertices() const {
  std::size_t n = impl_->vertices.size();
  for (const auto& set : impl_->computeSets) n += set.bulk.size();
  return static_cast<unsigned>(n);
}

bool Graph::hasCodelet(StringRef vertexType) const { return impl_->codelets.knows(vertexType); }

}  // namespace poplar
