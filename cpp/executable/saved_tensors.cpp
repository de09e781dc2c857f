// Graphs and tensors on streams. Tensors, stream format: text lines, each ended by a newline:
// "popir tensors", popir's version and the number of the format, the size of the rest in bytes, its
// FNV-1a hash. An archive follows.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <istream>
#include <iterator>
#include <ostream>
#include <sstream>

#include "executable/saved_graph.hpp"
#include "poplar/graph_impl.hpp"
#include "support/archive.hpp"

namespace poplar {
namespace {

using List = ProfileValue::Vector;
using Map = ProfileValue::Map;

constexpr const char* kTensorMagic = "popir tensors";

/// Elements [begin, end) of a variable, or of a variable on a tile.
using Run = std::array<std::int64_t, 3>;

struct SavedVariable {
  Type type;
  std::int64_t elements = 0;
  std::string name;
  std::vector<Run> tiles;  // begin, end, tile
  auto state() const { return std::tie(type, elements, name, tiles); }
};
struct SavedTensor {
  Type type;
  std::vector<std::size_t> shape;
  std::vector<Run> regions;  // variable, begin, end
  auto state() const { return std::tie(type, shape, regions); }
};
struct SavedTensors {
  std::vector<SavedVariable> variables;
  std::vector<SavedTensor> tensors;
  auto state() const { return std::tie(variables, tensors); }
};

SavedTensors saved(const popir::GraphImpl& graph, ArrayRef<Tensor> tensors) {
  SavedTensors all;
  std::map<unsigned, std::int64_t> numbers;
  for (const auto& t : tensors) {
    if (!t.valid() || t.view().graph() != &graph)
      throw graph_connection_error(
          "Graph::serializeTensors: " +
          (t.valid() ? t.getDebugStr() : std::string("an invalid tensor")) +
          " is not of this graph");
    SavedTensor one{t.elementType(), t.shape(), {}};
    for (const auto& region : t.getVarRegions()) {
      const auto known = numbers.emplace(region.var.id, all.variables.size());
      if (known.second) {
        const auto& variable = graph.variables[region.var.id];
        SavedVariable copy{variable.type, variable.elements, variable.name, {}};
        variable.mapping.forEach(0, variable.elements,
                                 [&](std::int64_t begin, std::int64_t end, unsigned tile) {
                                   copy.tiles.push_back({begin, end, tile});
                                 });
        all.variables.push_back(std::move(copy));
      }
      one.regions.push_back({known.first->second,
                             static_cast<std::int64_t>(region.interval.begin()),
                             static_cast<std::int64_t>(region.interval.end())});
    }
    all.tensors.push_back(std::move(one));
  }
  return all;
}

List listed(const std::vector<Run>& runs) {
  List list;
  for (const auto& run : runs) list.emplace_back(List{run[0], run[1], run[2]});
  return list;
}

ProfileValue textOf(const SavedTensors& all) {
  List variables, tensors;
  for (const auto& v : all.variables)
    variables.emplace_back(Map{{"name", v.name},
                               {"type", v.type.toString()},
                               {"elements", v.elements},
                               {"tiles", listed(v.tiles)}});
  for (const auto& t : all.tensors)
    tensors.emplace_back(Map{{"type", t.type.toString()},
                             {"shape", List(t.shape.begin(), t.shape.end())},
                             {"regions", listed(t.regions)}});
  return Map{{"variables", variables}, {"tensors", tensors}};
}

List variablesOf(const popir::GraphImpl& graph) {
  List variables;
  for (const auto& v : graph.variables) {
    std::vector<Run> tiles;
    v.mapping.forEach(0, v.elements, [&](std::int64_t begin, std::int64_t end, unsigned tile) {
      tiles.push_back({begin, end, tile});
    });
    variables.emplace_back(Map{{"name", v.name},
                               {"type", v.type.toString()},
                               {"shape", List(v.shape.begin(), v.shape.end())},
                               {"constant", v.constant},
                               {"tiles", listed(tiles)}});
  }
  return variables;
}

ProfileValue textOf(const popir::GraphImpl& graph) {
  List sets;
  for (const auto& set : graph.computeSets) {
    List vertices;
    for (const auto& bulk : set.bulk) vertices.emplace_back(Map{{"type", bulk.kernel->name()}});
    for (const auto id : set.vertices) {
      const auto& vertex = graph.vertices[id];
      Map map{{"type", vertex.codelet->name}};
      if (vertex.tile) map["tile"] = *vertex.tile;
      vertices.emplace_back(map);
    }
    sets.emplace_back(Map{{"name", set.name}, {"vertices", vertices}});
  }
  return Map{{"target", Map{{"type", graph.target.getTargetArchString().str()},
                            {"tiles", graph.target.getNumTiles()}}},
             {"variables", variablesOf(graph)},
             {"computeSets", sets}};
}

void requireTaken(std::ostream& out, const char* who) {
  out.flush();
  if (!out) throw poplar_error(std::string(who) + ": the stream took no more bytes");
}

[[noreturn]] void refuseTensors(const std::string& why) {
  throw poplar_error("Graph::deserializeTensors: " + why);
}

}  // namespace

void Graph::serialize(std::ostream& out, SerializationFormat format) const {
  if (format == SerializationFormat::JSON) {
    popir::writeGraphText(out, *impl_);
    return requireTaken(out, "Graph::serialize");
  }
  Executable(std::make_shared<const std::string>(popir::saveGraph(*impl_, {}, {}))).serialize(out);
}

void Graph::serializeTensors(std::ostream& out, ArrayRef<Tensor> tensors,
                             SerializationFormat format) const {
  const auto all = saved(*impl_, tensors);
  if (format == SerializationFormat::JSON) {
    serializeToJSON(out, textOf(all), true);
  } else {
    popir::Writer writer;
    writer.put(all);
    out << kTensorMagic << "\n"
        << popir::writerOf(popir::kTensorsFormat) << "\n"
        << writer.bytes().size() << "\n"
        << popir::hashOf(writer.bytes()) << "\n"
        << writer.bytes();
  }
  requireTaken(out, "Graph::serializeTensors");
}

std::vector<Tensor> Graph::deserializeTensors(std::istream& in, SerializationFormat format) {
  if (format != SerializationFormat::Binary)
    refuseTensors("popir reads SerializationFormat::Binary alone");
  std::string magic, writer, size, hash;
  for (auto* line : {&magic, &writer, &size, &hash}) std::getline(in, *line);
  if (magic != kTensorMagic) refuseTensors("these are no tensors that popir wrote");
  const auto own = popir::writerOf(popir::kTensorsFormat);
  if (writer != own)
    refuseTensors("popir " + writer.substr(0, 40) + " wrote the tensors, this is " + own +
                  "; save them again");
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (size != std::to_string(bytes.size()) || hash != popir::hashOf(bytes))
    refuseTensors("the tensors are damaged");
  SavedTensors all;
  try {
    popir::Reader(bytes).get(all);
  } catch (const popir::DamagedArchive&) {
    refuseTensors("the tensors are damaged");
  }
  std::vector<Tensor> variables, tensors;
  for (const auto& v : all.variables) {
    const auto made =
        addVariable(v.type, {static_cast<std::size_t>(v.elements)}, DebugContext(v.name));
    for (const auto& run : v.tiles)
      setTileMapping(made.slice(static_cast<std::size_t>(run[0]), static_cast<std::size_t>(run[1])),
                     static_cast<unsigned>(run[2]));
    variables.push_back(made);
  }
  for (const auto& t : all.tensors) {
    std::vector<Tensor> parts;
    for (const auto& region : t.regions)
      parts.push_back(
          variables.at(static_cast<std::size_t>(region[0]))
              .slice(static_cast<std::size_t>(region[1]), static_cast<std::size_t>(region[2]))
              .reinterpret(t.type));
    tensors.push_back(parts.empty() ? addVariable(t.type, t.shape)
                                    : concat(parts).reshape(t.shape));
  }
  return tensors;
}

}  // namespace poplar

namespace popir {

void writeGraphText(std::ostream& out, const GraphImpl& graph) {
  poplar::serializeToJSON(out, poplar::textOf(graph), true);
}
void writeVariablesText(std::ostream& out, const GraphImpl& graph) {
  poplar::serializeToJSON(out, poplar::ProfileValue::Map{{"variables", poplar::variablesOf(graph)}},
                          true);
}

}  // namespace popir
