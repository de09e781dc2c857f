#include "poplar/worker_seeds.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poplar/graph_impl.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {
namespace {

constexpr std::size_t kWords = 4;

unsigned mixed(unsigned x, unsigned factor, unsigned shift) { return (x ^ (x >> shift)) * factor; }

/// What poprand::setSeed() makes of the seed (0, 0) with the modifier 0.
std::vector<unsigned> firstWords(std::size_t count) {
  std::vector<unsigned> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned x = mixed(static_cast<unsigned>(i) * 0x9E3779B1u, 0x85EBCA77u, 15);
    words[i] = mixed(mixed(x, 0xC2B2AE3Du, 13), 0x27D4EB2Fu, 16);
  }
  return words;
}

/// Gives a vertex the first worker of its tile that no other vertex of the compute set draws from.
unsigned takeWorker(GraphImpl& graph, unsigned vertex, std::optional<unsigned> before) {
  const unsigned tile = *graph.vertices[vertex].tile, workers = graph.target.getNumWorkerContexts();
  auto& drawing = graph.computeSets[graph.vertices[vertex].computeSet].drawing;
  for (unsigned worker = 0; before && worker < workers; ++worker) {
    const auto at = drawing.find({*before, worker});
    if (at != drawing.end() && at->second == vertex) drawing.erase(at);
  }
  for (unsigned worker = 0; worker < workers; ++worker)
    if (drawing.emplace(std::make_pair(tile, worker), vertex).second) return worker;
  throw poplar::graph_connection_error(
      "Graph::setTileMapping: " + vertexText(graph, vertex) + " draws random numbers on tile " +
      std::to_string(tile) + ", each of whose " + std::to_string(workers) +
      " workers has such a vertex; use another compute set or tile");
}

}  // namespace

poplar::Tensor workerSeeds(const poplar::Graph& graph) {
  GraphImpl& impl = *graph.impl();
  if (impl.workerSeeds.valid()) return impl.workerSeeds;
  poplar::Graph all = const_cast<poplar::Graph&>(graph).getTopLevelGraph();
  const std::size_t tiles = impl.target.getNumTiles(), workers = impl.target.getNumWorkerContexts();
  const auto words = all.addVariable(poplar::UNSIGNED_INT, {tiles, workers, kWords}, "workerSeeds");
  for (unsigned tile = 0; tile < tiles; ++tile) all.setTileMapping(words[tile], tile);
  all.setInitialValue(words.flatten(), poplar::ArrayRef<unsigned>(firstWords(words.numElements())));
  impl.workerSeeds = words;
  for (const auto& function : std::exchange(impl.withWorkerSeeds, {})) function(all);
  return words;
}

poplar::Tensor workerSeeds(const poplar::Graph& graph, const VirtualTiles* part) {
  const auto words = workerSeeds(graph);
  if (!part) return words;
  if (part->contiguous()) return words.slice(part->tiles.front(), part->tiles.back() + 1);
  std::vector<poplar::Tensor> own;
  for (const unsigned tile : part->tiles) own.push_back(words.slice(tile, tile + 1));
  return concat(own);
}

void withWorkerSeeds(poplar::Graph& graph, std::function<void(poplar::Graph&)> function) {
  GraphImpl& impl = *graph.impl();
  if (!impl.workerSeeds.valid()) return impl.withWorkerSeeds.push_back(std::move(function));
  poplar::Graph all = graph.getTopLevelGraph();
  function(all);
}

void connectWorkerSeeds(poplar::Graph& graph, const poplar::VertexRef& vertex,
                        std::optional<unsigned> before) {
  GraphImpl& impl = *graph.impl();
  const UserVertex& own = impl.vertices[vertex.getId()];
  const auto is = [&](const CodeletField& f) { return f.name == std::string("workerSeeds"); };
  const auto* end = own.codelet->fields + own.codelet->numFields;
  const auto* field = std::find_if(own.codelet->fields, end, is);
  if (field == end || std::string(own.codelet->name).rfind("poprand::", 0) != 0) return;
  const auto words = workerSeeds(graph)[*own.tile];
  const bool setsAll = field->direction == CodeletField::Direction::Output;
  graph.connect(vertex[field->name],
                setsAll ? words.flatten() : words[takeWorker(impl, vertex.getId(), before)]);
}

}  // namespace popir
