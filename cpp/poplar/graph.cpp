// poplar::Graph: tensors, their tiles and their values. Long, because the class has so many functions;
// those of vertices and of output are in graph_vertices.cpp and graph_output.cpp.
#include <poplar/Graph.hpp>
#include <poplar/TypeConversion.hpp>

#include "machine/target_spec.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/library_options.hpp"
#include "poplar/planned_layout.hpp"
#include "poplar/runs.hpp"
#include "poplar/virtual_tiles.hpp"
#include "support/budget.hpp"

namespace popir {

poplar::Tensor metadataOf(const GraphImpl& graph, const poplar::Tensor& t,
                          const std::string& caller) {
  const std::string who = caller + ": " + t.getDebugStr();
  if (t.elementType() != poplar::QUARTER)
    throw poplar::type_error(who + " is " + t.elementType().toString() + "; quarter has metadata");
  if (t.view().metadata() != nullptr) return poplar::Tensor(t.view().metadata());
  const poplar::Tensor* found = nullptr;
  for (const unsigned id : t.view().variables()) {
    const auto known = graph.metadata.find(id);
    if (known == graph.metadata.end())
      throw poplar::tensor_metadata_error(
          who + " has none; make it with Graph::addVariable or clone and metadata");
    if (found != nullptr && !found->view().sameElements(known->second.view()))
      throw poplar::tensor_metadata_error(who + " joins tensors of different metadata");
    found = &known->second;
  }
  if (found == nullptr) throw poplar::type_error(who + " has no elements");
  return *found;
}

poplar::Tensor withMetadata(const poplar::Tensor& t, const poplar::Tensor& metadata) {
  if (t.elementType() != poplar::QUARTER || metadata.elementType() != poplar::UNSIGNED_CHAR ||
      metadata.numElements() != 1)
    throw poplar::type_error("a tensor of " + t.elementType().toString() + " with metadata of " +
                             metadata.elementType().toString() + " " + metadata.shapeToString() +
                             "; expected quarter, and one element as "
                             "createVariableMetadataTensor makes it");
  const auto one = metadata.reshape({});
  return poplar::Tensor(t.view().withMetadata(one.view().reshape({})));
}

}  // namespace popir

namespace poplar {

using popir::checkGraph;
using popir::Dims;
using popir::forEachRun;
using popir::GraphImpl;
using popir::tileOfAll;
using popir::View;

namespace {}  // namespace

Graph::Graph() : Graph(Target::createCPUTarget()) {}
Graph::Graph(const Target& target, replication_factor r)
    : impl_(std::make_shared<GraphImpl>(target)) {
  if (r.factor == 0)
    throw graph_replication_error("Graph: replication factor 0 given, expected 1 or more");
  impl_->replicas = r.factor;
}
Graph::Graph(const Device& device, replication_factor r) : Graph(device.getTarget(), r) {}
unsigned Graph::getReplicationFactor() const { return impl_->replicas; }
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Graph::Graph(std::shared_ptr<GraphImpl> impl, std::shared_ptr<const popir::VirtualTiles> tiles)
    : impl_(std::move(impl)), virtual_(std::move(tiles)) {}

const Target& Graph::getTarget() const { return virtual_ ? virtual_->target : impl_->target; }

// A virtual graph of these tiles of this graph, in ascending order, on `ipus` IPUs.
Graph Graph::onTiles(const std::vector<unsigned>& tiles, unsigned ipus) {
  auto part = std::make_shared<popir::VirtualTiles>();
  auto spec = impl_->target.spec();
  spec.set("numIPUs", ipus);
  spec.set("tilesPerIPU", static_cast<double>(tiles.size() / ipus));
  part->target = Target(std::make_shared<const popir::TargetSpec>(spec));
  for (const auto tile : tiles) part->tiles.push_back(virtual_ ? virtual_->tiles[tile] : tile);
  return {impl_, std::move(part)};
}

Graph Graph::createVirtualGraph(unsigned numTilesPerIPU) {
  std::vector<unsigned> tiles(std::min(numTilesPerIPU, getTarget().getTilesPerIPU() + 1));
  std::iota(tiles.begin(), tiles.end(), 0);
  return createVirtualGraph(tiles);
}

Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  const auto all = getTarget().getNumTiles(), perIPU = getTarget().getTilesPerIPU();
  if (lowerTile >= upperTile || upperTile > all)
    throw invalid_tile_mapping("Graph::createVirtualGraph: tiles " + std::to_string(lowerTile) +
                               " to " + std::to_string(upperTile) +
                               " given, expected one or more of the " + std::to_string(all) +
                               " that the graph has");
  std::vector<unsigned> tiles(upperTile - lowerTile);
  std::iota(tiles.begin(), tiles.end(), lowerTile);
  const bool whole = lowerTile % perIPU == 0 && upperTile % perIPU == 0;
  return onTiles(tiles, whole ? (upperTile - lowerTile) / perIPU : 1);
}

Graph Graph::createVirtualGraph(const std::vector<unsigned>& perIpuTiles) {
  const auto ipus = getTarget().getNumIPUs(), perIPU = getTarget().getTilesPerIPU();
  auto sorted = perIpuTiles;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.back() >= perIPU ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw invalid_tile_mapping(
        "Graph::createVirtualGraph: " + std::to_string(sorted.size()) +
        " tiles of each IPU given, the last " + std::to_string(sorted.empty() ? 0 : sorted.back()) +
        "; expected different ones, at least one, of " + std::to_string(perIPU));
  std::vector<unsigned> tiles;
  for (unsigned ipu = 0; ipu < ipus; ++ipu)
    for (const auto tile : sorted) tiles.push_back(ipu * perIPU + tile);
  return onTiles(tiles, ipus);
}

Graph Graph::getTopLevelGraph() { return {impl_, nullptr}; }

Tensor Graph::addVariable(const Type& type, ArrayRef<std::size_t> shape,
                          const DebugContext& debugContext) {
  return impl_->addVariable(type, Dims(shape.begin(), shape.end()), debugContext.getPathName(),
                            false);
}

Tensor Graph::addVariable(const Type& type, ArrayRef<std::size_t> shape,
                          VariableMappingMethod method, const DebugContext& debugContext) {
  Tensor t = addVariable(type, shape, debugContext);
  if (method == VariableMappingMethod::LINEAR) {
    popir::mapLinearly(*this, t,
                       popir::linearShares(getTarget(), t.numElements(), type.sizeInBytes()));
  }
  return t;
}

namespace {

/// Makes a tensor the metadata of the new variable that `t` shows.
Tensor known(popir::GraphImpl& graph, const Tensor& t, const Tensor& metadata) {
  popir::withMetadata(t, metadata);
  graph.metadata.emplace(t.view().affine()->variable, metadata.reshape({}));
  return t;
}

}  // namespace

Tensor Graph::addVariable(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                          const DebugContext& debugContext) {
  return known(*impl_, addVariable(type, shape, debugContext), metadata);
}
Tensor Graph::addVariable(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                          VariableMappingMethod method, const DebugContext& debugContext) {
  return known(*impl_, addVariable(type, shape, method, debugContext), metadata);
}
Tensor Graph::clone(const Type& type, const Tensor& metadata, const Tensor& t,
                    const DebugContext& debugContext, TensorCloneMethod method) {
  return known(*impl_, clone(type, t, debugContext, method), metadata);
}

bool Tensor::hasMetadata() const {
  if (!valid() || elementType() != QUARTER) return false;
  try {
    getMetadata();
    return true;
  } catch (const tensor_metadata_error&) {
    return false;
  }
}
Tensor Tensor::getMetadata() const {
  return popir::metadataOf(*view().graph(), *this, "Tensor::getMetadata");
}

std::string Tensor::getVarStr() const {
  std::string names;
  for (const unsigned id : view().variables())
    names += (names.empty() ? "" : ", ") + view().graph()->variable(id).name;
  return names;
}
void Tensor::dumpRegions(std::ostream& os) const {
  for (const auto& region : getVarRegions())
    os << "variable " << region.var.id << " '" << view().graph()->variable(region.var.id).name
       << "' [" << region.interval.begin() << ", " << region.interval.end() << ")\n";
}

Tensor Graph::getMetadata(const Tensor& t) const {
  return popir::metadataOf(*impl_, t, "Graph::getMetadata");
}

Tensor Graph::addConstantFrom(const Type& type, ArrayRef<std::size_t> shape, const Type& valueType,
                              std::size_t valueSize, const void* values, std::size_t numValues,
                              const DebugContext& debugContext) {
  Tensor t =
      impl_->addVariable(type, Dims(shape.begin(), shape.end()), debugContext.getPathName(), true);
  setInitialValueFrom(t, valueType, valueSize, values, numValues);
  return t;
}

namespace {

/// The type of values that traits describe, for a constant of `type`.
Type describedType(const Type& type, const TypeTraits& traits) {
  Type given = type;
  if (traits.isFloat)
    given = traits.size == 2 ? HALF : traits.size == 4 ? FLOAT : DOUBLE;
  else if (traits.isIntegral && traits.size == 1)
    given = traits.isSigned ? SIGNED_CHAR : type == BOOL ? BOOL : UNSIGNED_CHAR;
  else if (traits.isIntegral && traits.size == 2)
    given = traits.isSigned ? SHORT : UNSIGNED_SHORT;
  else if (traits.isIntegral && traits.size == 4)
    given = traits.isSigned ? INT : UNSIGNED_INT;
  else if (traits.isIntegral && traits.size == 8)
    given = traits.isSigned ? LONGLONG : UNSIGNED_LONGLONG;
  else
    throw poplar_error("Graph::addConstant: TypeTraits describe a value of " +
                       std::to_string(traits.size) + " bytes that is no number");
  return given;
}

std::size_t countOf(ArrayRef<std::size_t> shape, bool broadcast) {
  std::size_t n = 1;
  if (!broadcast)
    for (auto d : shape) n *= d;
  return n;
}

}  // namespace

Tensor Graph::addConstant(const Type& type, ArrayRef<std::size_t> shape, const void* values,
                          const TypeTraits& traits, bool broadcast,
                          const DebugContext& debugContext) {
  return addConstantFrom(type, shape, describedType(type, traits), traits.size, values,
                         countOf(shape, broadcast), debugContext);
}

Tensor Graph::addConstant(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                          const void* values, const TypeTraits& traits, bool broadcast,
                          const DebugContext& debugContext) {
  return addQuarters(type, metadata, shape, describedType(type, traits), traits.size, values,
                     countOf(shape, broadcast), debugContext);
}

Tensor Graph::addQuarters(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                          const Type& valueType, std::size_t valueSize, const void* values,
                          std::size_t numValues, const DebugContext& debugContext) {
  requireQuarter("Graph::addConstant", type);
  checkGraph("addConstant", *impl_, metadata);
  const auto pieces = metadata.view().pieces();
  const auto* variable =
      metadata.numElements() == 1 ? &impl_->variable(pieces.front().variable) : nullptr;
  if (variable == nullptr || !variable->constant || variable->data.size() != 1)
    throw type_error(
        "Graph::addConstant: a constant of quarter has constant metadata of one " +
        std::string("element, as createConstantMetadataTensor makes them; given was ") +
        metadata.getDebugStr());
  const QuarterMetadata means(static_cast<std::uint8_t>(variable->data.data()[0]));
  Type given = valueType;
  if (valueSize == 8 && given == INT) given = LONGLONG;  // the host's `long` has 8 bytes
  if (valueSize == 8 && given == UNSIGNED_INT) given = UNSIGNED_LONGLONG;
  std::vector<double> numbers(numValues);
  popir::convertValues(given, values, DOUBLE, numbers.data(), numValues);
  std::vector<std::uint8_t> codes;
  for (const double number : numbers) codes.push_back(toQuarter(number, means));
  return known(*impl_,
               addConstantFrom(type, shape, type, 0, codes.data(), codes.size(), debugContext),
               metadata);
}

void Graph::setInitialValue(const Tensor&, const std::map<unsigned, unsigned>&) {
  throw poplar_error(
      "Graph::setInitialValue: what the numbers of a map are for a tensor is not published; give "
      "the values, one or one for each element");
}

Tensor Graph::addExternalVariable(const Type&, ArrayRef<std::size_t>, StringRef attributes,
                                  const DebugContext&) {
  throw poplar_error("Graph::addExternalVariable: '" + attributes.str() +
                     "' would lie where others address it, and nothing but host and tiles has "
                     "memory here; Graph::addRemoteBuffer has some of the host");
}
VertexRef Graph::addExternalExchangeVertex(ComputeSet, StringRef vertexType, unsigned, bool, bool) {
  throw poplar_error("Graph::addExternalExchangeVertex: '" + vertexType.str() +
                     "' would exchange data by the assembly of a tile, which does not run here; "
                     "program::Copy of a stream or a remote buffer moves them");
}

FunctionBuffer Graph::addFunctionBuffer(const Function& function, FunctionBufferMappingType) {
  if (!function.valid() || function.getId() >= impl_->functions.size() ||
      (function.graph() != nullptr && function.graph() != impl_.get()))
    throw control_program_error(
        "Graph::addFunctionBuffer: the graph has no such function; give what addFunction returned");
  return FunctionBuffer(function.getId());
}

Tensor Graph::addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, std::uint16_t value,
                              const DebugContext& debugContext) {
  popir::Half h;
  std::memcpy(&h, &value, 2);
  return addConstant(type, shape, h, debugContext);
}
Tensor Graph::addConstantHalf(const Type& type, ArrayRef<std::size_t> shape,
                              const std::uint16_t* values, const DebugContext& debugContext) {
  std::size_t n = 1;
  for (auto d : shape) n *= d;
  std::vector<popir::Half> bits(n);
  if (n > 0) std::memcpy(static_cast<void*>(bits.data()), values, n * 2);
  return addConstant(type, shape, ArrayRef<popir::Half>(bits), debugContext);
}

void Graph::setInitialValueFrom(const Tensor& t, const Type& givenType, std::size_t valueSize,
                                const void* values, std::size_t numValues) {
  checkGraph("setInitialValue", *impl_, t);
  if (t.containsAliases())
    throw graph_connection_error("Graph::setInitialValue: " + t.getDebugStr() +
                                 " holds an element twice, which can have one value");
  Type valueType = givenType;  // the host's `long` has 8 bytes, the device's 4
  if (valueSize == 8 && valueType == INT) valueType = LONGLONG;
  if (valueSize == 8 && valueType == UNSIGNED_INT) valueType = UNSIGNED_LONGLONG;
  const std::size_t n = t.numElements();
  if (numValues != n && numValues != 1)
    throw graph_connection_error("Graph: " + std::to_string(numValues) +
                                 " values given for a tensor of shape " + t.shapeToString() +
                                 ", expected 1 or " + std::to_string(n));
  const Type type = t.elementType();
  const std::size_t size = type.sizeInBytes();
  std::vector<unsigned char> converted(n * size);
  popir::convertValues(valueType, values, type, converted.data(), std::min(numValues, n));
  if (numValues == 1)
    for (std::size_t i = 1; i < n; ++i) std::memcpy(&converted[i * size], converted.data(), size);
  forEachRun(t.view(), 0, static_cast<std::int64_t>(n),
             [&](unsigned id, std::int64_t first, std::int64_t count, std::int64_t flat) {
               auto& v = impl_->variable(id);
               std::memcpy(v.data.fill(v.bytes()) + static_cast<std::size_t>(first) * size,
                           &converted[static_cast<std::size_t>(flat) * size],
                           static_cast<std::size_t>(count) * size);
             });
}

void Graph::setInitialValueHalf(const Tensor& t, ArrayRef<std::uint16_t> bits) {
  std::vector<popir::Half> values(bits.size());
  if (!values.empty())
    std::memcpy(static_cast<void*>(values.data()), bits.data(), bits.size() * sizeof(popir::Half));
  setInitialValue(t, values);
}

namespace {

void requireTile(const Target& target, std::size_t tile) {
  if (tile >= target.getNumTiles())
    throw invalid_tile_mapping("Graph::setTileMapping: tile " + std::to_string(tile) +
                               " given, the target has " + std::to_string(target.getNumTiles()));
}

// Checks that no element is mapped to two tiles.
void requireDisjoint(const Graph::TileToTensorMapping& mapping) {
  std::vector<std::pair<Interval, std::size_t>> all;
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const auto& interval : mapping[tile]) {
      if (interval.begin() > interval.end())
        throw invalid_tile_mapping("Graph::setTileMapping: elements from " +
                                   std::to_string(interval.begin()) + " to " +
                                   std::to_string(interval.end()) + " given for tile " +
                                   std::to_string(tile) + ", which end before they begin");
      if (interval.size() > 0) all.emplace_back(interval, tile);
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first.begin() < b.first.begin(); });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].first.begin() < all[i - 1].first.end())
      throw invalid_tile_mapping("Graph::setTileMapping: element " +
                                 std::to_string(all[i].first.begin()) + " is given to tile " +
                                 std::to_string(all[i - 1].second) + " and to tile " +
                                 std::to_string(all[i].second) + "; give each element once");
}

}  // namespace

void Graph::setTileMapping(const Tensor& t, unsigned tile) {
  checkGraph("setTileMapping", *impl_, t);
  requireTile(getTarget(), tile);
  TileToTensorMapping mapping(tile + 1);
  mapping[tile].emplace_back(0, t.numElements());
  setTileMapping(t, mapping);
}

void Graph::setTileMapping(const Tensor& t, const TileToTensorMapping& mapping) {
  checkGraph("setTileMapping", *impl_, t);
  requireDisjoint(mapping);
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    for (const auto& interval : mapping[tile]) {
      if (interval.size() == 0) continue;
      requireTile(getTarget(), tile);
      if (interval.end() > t.numElements())
        throw invalid_tile_mapping("Graph::setTileMapping: elements up to " +
                                   std::to_string(interval.end()) + " given, the tensor has " +
                                   std::to_string(t.numElements()));
      forEachRun(t.view(), static_cast<std::int64_t>(interval.begin()),
                 static_cast<std::int64_t>(interval.end()),
                 [&](unsigned id, std::int64_t first, std::int64_t n, std::int64_t) {
                   impl_->variable(id).mapping.set(first, first + n,
                                                   virtual_ ? virtual_->tiles[tile] : tile);
                 });
    }
  }
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor& t, bool requireComplete) const {
  checkGraph("getTileMapping", *impl_, t);
  TileToTensorMapping mapping(impl_->target.getNumTiles());
  std::int64_t found = 0;
  if (const auto tile = tileOfAll(*impl_, t.view()); tile && t.numElements() > 0) {
    mapping[*tile].emplace_back(0, t.numElements());
    found = t.view().elements();
  } else {
    forEachRun(t.view(), 0, t.view().elements(),
               [&](unsigned id, std::int64_t first, std::int64_t n, std::int64_t flat) {
                 impl_->variable(id).mapping.forEach(
                     first, first + n, [&](std::int64_t b, std::int64_t e, unsigned on) {
                       const auto begin = static_cast<std::size_t>(flat + b - first);
                       const auto end = static_cast<std::size_t>(flat + e - first);
                       auto& list = mapping[on];
                       if (!list.empty() && list.back().end() == begin)
                         list.back() = Interval(list.back().begin(), end);
                       else
                         list.emplace_back(begin, end);
                       found += e - b;
                     });
               });
  }
  if (requireComplete && found != t.view().elements())
    throw invalid_tile_mapping(
        "Graph::getTileMapping: " + std::to_string(t.view().elements() - found) + " of " +
        std::to_string(t.view().elements()) + " elements of " + t.getDebugStr() +
        " have no tile; use setTileMapping");
  if (!virtual_) return mapping;
  TileToTensorMapping own(virtual_->tiles.size());
  for (std::size_t i = 0; i < own.size(); ++i) own[i].swap(mapping[virtual_->tiles[i]]);
  for (const auto& elsewhere : mapping)
    if (requireComplete && !elsewhere.empty())
      throw invalid_tile_mapping("Graph::getTileMapping: elements of " + t.getDebugStr() +
                                 " are on tiles that this virtual graph has not");
  return own;
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor& t, bool* isComplete, bool) const {
  auto mapping = getTileMapping(t, false);
  std::size_t mapped = 0;
  for (const auto& intervals : mapping)
    for (const auto& interval : intervals) mapped += interval.size();
  if (isComplete != nullptr) *isComplete = mapped == t.numElements();
  return mapping;
}

Graph::TileToTensorMapping Graph::getVariableTileMapping(const Tensor& t) const {
  auto mapping = getTileMapping(t, false);
  if (!t.containsConstant()) return mapping;
  std::vector<Interval> variable;  // in the flattened tensor
  forEachRun(t.view(), 0, t.view().elements(),
             [&](unsigned id, std::int64_t, std::int64_t n, std::int64_t flat) {
               if (!impl_->variable(id).constant)
                 variable.emplace_back(static_cast<std::size_t>(flat),
                                       static_cast<std::size_t>(flat + n));
             });
  for (auto& intervals : mapping) {
    std::vector<Interval> kept;
    for (const auto& interval : intervals)
      for (const auto& each : variable) {
        const auto begin = std::max(interval.begin(), each.begin());
        const auto end = std::min(interval.end(), each.end());
        if (begin < end) kept.emplace_back(begin, end);
      }
    intervals.swap(kept);
  }
  return mapping;
}

namespace {

const popir::Variable& variableOf(const char* who, const GraphImpl& graph, VariableRef v) {
  if (v.id >= graph.variables.size())
    throw index_error(std::string("Graph::") + who + ": variable " + std::to_string(v.id) +
                      " given, the graph has " + std::to_string(graph.variables.size()));
  return graph.variable(v.id);
}

unsigned checkedTile(const char* who, std::size_t tile, const Target& target) {
  if (tile >= target.getNumTiles())
    throw invalid_tile_mapping(std::string("Graph::") + who + ": tile " + std::to_string(tile) +
                               " given, there are " + std::to_string(target.getNumTiles()));
  return static_cast<unsigned>(tile);
}

}  // namespace

Tensor Graph::getVariable(VariableRef variable) const {
  const auto& found = variableOf("getVariable", *impl_, variable);
  return Tensor(
      View::ofVariable(impl_.get(), variable.id, found.constant, found.type, found.shape));
}
bool Graph::isConstant(VariableRef variable) const {
  return variableOf("isConstant", *impl_, variable).constant;
}

unsigned Graph::convertTileToTopLevelGraphTile(unsigned tile) const {
  checkedTile("convertTileToTopLevelGraphTile", tile, getTarget());
  return virtual_ ? virtual_->tiles[tile] : tile;
}
unsigned Graph::convertTopLevelGraphTileToTile(unsigned tile) const {
  checkedTile("convertTopLevelGraphTileToTile", tile, impl_->target);
  if (!virtual_) return tile;
  const auto& tiles = virtual_->tiles;
  const auto found = std::lower_bound(tiles.begin(), tiles.end(), tile);
  if (found == tiles.end() || *found != tile)
    throw invalid_tile_mapping("Graph::convertTopLevelGraphTileToTile: tile " +
                               std::to_string(tile) + " given, which this virtual graph has not");
  return static_cast<unsigned>(found - tiles.begin());
}
unsigned Graph::convertVirtualTileToPhysicalTile(unsigned tile) const {
  return checkedTile("convertVirtualTileToPhysicalTile", tile, impl_->target);
}
unsigned Graph::convertPhysicalTileToVirtualTile(unsigned tile) const {
  return checkedTile("convertPhysicalTileToVirtualTile", tile, impl_->target);
}
unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const {
  const std::size_t perIPU = impl_->target.getTilesPerIPU();
  if (tile >= perIPU)
    throw invalid_tile_mapping("Graph::convertPhysicalTileToVirtualTile: tile " +
                               std::to_string(tile) + " given, an IPU has " +
                               std::to_string(perIPU));
  return checkedTile("convertPhysicalTileToVirtualTile", ipu * perIPU + tile, impl_->target);
}

Tensor Graph::findUnbroadcastTensor(const Tensor& t) const {
  checkGraph("findUnbroadcastTensor", *impl_, t);
  if (!t.containsAliases()) return t;
  Tensor found = t;
  for (unsigned d = 0; d < t.rank(); ++d) {
    const std::size_t n = found.dim(d);
    for (std::size_t part = 1; part * 2 <= n; ++part) {
      if (n % part != 0) continue;
      const Tensor first = found.slice(0, part, d);
      const auto times = static_cast<unsigned>(n / part);
      if (first.broadcast(times, d).getVarRegions() != found.getVarRegions()) continue;
      found = first;
      break;
    }
  }
  return found;
}

ComputeSet Graph::addComputeSet(const DebugContext& debugContext) {
  impl_->computeSets.push_back({debugContext.getPathName(), {}, {}});
  return {static_cast<unsigned>(impl_->computeSets.size() - 1), impl_.get()};
}

Function Graph::addFunction(const program::Program& program) {
  impl_->functions.push_back(program.node());
  return {static_cast<unsigned>(impl_->functions.size() - 1), impl_.get()};
}

namespace {

DataStream addStream(GraphImpl& graph, StringRef handle, DataStream::Direction direction,
                     const Type& type, std::size_t n) {
  const auto name = handle.str();
  for (const auto& s : graph.streams)
    if (s.handle() == name)
      throw poplar_error("Graph: a stream with handle '" + handle.str() + "' exists already");
  graph.streams.emplace_back(handle.str(), direction, type, n,
                             static_cast<int>(graph.streams.size()), graph.replicas,
                             graph.broadcast.count(name) != 0 ? ReplicatedStreamMode::BROADCAST
                                                              : ReplicatedStreamMode::REPLICATE);
  return graph.streams.back();
}

void addHandle(const char* what, const GraphImpl& graph, std::map<std::string, Tensor>& handles,
               StringRef handle, const Tensor& t) {
  checkGraph(what, graph, t);
  if (!handles.emplace(handle.str(), t).second)
    throw poplar_error(std::string("Graph::") + what + ": handle '" + handle.str() +
                       "' is taken already");
}

}  // namespace

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type& elementType,
                                      std::size_t numElements, ReplicatedStreamMode replicatedMode,
                                      const OptionFlags& options) {
  popir::checkLibraryOptions("Graph::addHostToDeviceFIFO", popir::Library::Stream, options);
  if (replicatedMode == ReplicatedStreamMode::BROADCAST) impl_->broadcast.insert(handle.str());
  return addStream(*impl_, handle, DataStream::Direction::HostToDevice, elementType, numElements);
}
DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type& elementType,
                                      std::size_t numElements, const OptionFlags& options) {
  popir::checkLibraryOptions("Graph::addDeviceToHostFIFO", popir::Library::Stream, options);
  return addStream(*impl_, handle, DataStream::Direction::DeviceToHost, elementType, numElements);
}
HostFunction Graph::addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs,
                                    const OptionFlags& options) {
  popir::checkLibraryOptions("Graph::addHostFunction", popir::Library::HostFunction, options);
  for (const auto& f : impl_->hostFunctions)
    if (f.handle() == handle.str())
      throw poplar_error("Graph::addHostFunction: a host function with handle '" + handle.str() +
                         "' exists already");
  impl_->hostFunctions.emplace_back(static_cast<int>(impl_->hostFunctions.size()), handle.str(),
                                    inputs.cloneAsVector(), outputs.cloneAsVector());
  return impl_->hostFunctions.back();
}

void Graph::createHostWrite(StringRef handle, const Tensor& t, bool) {
  checkGraph("createHostWrite", *impl_, t);
  if (!t.isParallelWriteable())
    throw graph_connection_error("Graph::createHostWrite: " + t.getDebugStr() +
                                 " cannot be written: it holds constants or an element twice");
  addHandle("createHostWrite", *impl_, impl_->hostWrites, handle, t);
}
void Graph::createHostRead(StringRef handle, const Tensor& t, bool) {
  addHandle("createHostRead", *impl_, impl_->hostReads, handle, t);
}

}  // namespace poplar

namespace popir {

GraphImpl::GraphImpl(poplar::Target t)
    : target(std::move(t)), plans(std::make_shared<PlanCache>(target)) {}

poplar::Tensor GraphImpl::addVariable(poplar::Type type, Dims shape, std::string name,
                                      bool constant) {
  if (type == poplar::Type())
    throw poplar::type_error("Graph: variable '" + name + "' needs an element type");
  std::uint64_t bytes = type.sizeInBytes();
  for (const auto d : shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(d), &bytes) || bytes >> 62)
      throw poplar::graph_memory_allocation_error("Graph: variable '" + name + "' of rank " +
                                                  std::to_string(shape.size()) +
                                                  " has more elements than any machine holds");
  spend(kWorkOfVariable);
  const auto id = static_cast<unsigned>(variables.size());
  Variable v;
  v.type = type;
  v.shape = shape;
  v.elements = product(shape);
  v.name = std::move(name);
  v.constant = constant;
  // A CPU has nothing to exchange between tiles: what a program does not map is on the first.
  if (target.getTargetType() == poplar::TargetType::CPU && v.elements > 0)
    v.mapping.setLinear({{v.elements, v.elements, 1}});
  variables.push_back(std::move(v));
  return poplar::Tensor(View::ofVariable(this, id, constant, type, std::move(shape)));
}

}  // namespace popir
