// Graphs: variables, constants, vertices, functions and streams.
// After poplar/Graph.hpp of the Poplar SDK 3.
#ifndef poplar_Graph_hpp
#define poplar_Graph_hpp

#include <popir/sdk.hpp>
#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/ConnectionDesc.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VariableRef.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/replication_factor.hpp>
#include <poplar/version.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#if __cplusplus >= 201703L
#include <optional>
#endif
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

// The SDK's header has this too, and some sources rely on it.
using std::size_t;

namespace popir {
class GraphImpl;      // cpp/poplar/graph_impl.hpp
struct VirtualTiles;  // cpp/poplar/virtual_tiles.hpp
}  // namespace popir

namespace poplar {

/// An order of the elements of tensors; created by Graph::getSimplifyingRearranger.
class TensorRearranger {
 public:
  TensorRearranger() = default;
  /// `order` has all of `elements`, each once.
  TensorRearranger(std::size_t elements, std::vector<Interval> order)
      : elements_(elements), order_(std::move(order)) {}
  bool valid() const { return !order_.empty() || elements_ > 0; }
  /// The elements of a tensor in this order, as a vector, and back.
  /// \throws index_error for another number of elements
  Tensor rearrange(const Tensor& t) const;
  Tensor undoRearrangement(const Tensor& t) const;
  /// Where elements of the flattened tensor are in the new order, and back. Neighbours are joined.
  /// \throws index_error for elements that it does not have
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;

 private:
  TensorRearranger inverse() const;

  std::size_t elements_ = 0;
  std::vector<Interval> order_;
};

/// A graph of variables, vertices and streams. It can be moved, but not copied.
class Graph {
 public:
  /// For each tile, the intervals of the flattened tensor on that tile.
  using TileToTensorMapping = std::vector<std::vector<Interval>>;

  /// An empty graph for the CPU target, to be replaced by another.
  Graph();
  explicit Graph(const Target& target, replication_factor r = replication_factor(1));
  /// A device stands for a graph on it: programs give `{device}` where a graph is wanted.
  Graph(const Device& device, replication_factor r = replication_factor(1));
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  /// The target. For a virtual graph: a target with its tiles only.
  const Target& getTarget() const;

  /// Creates a virtual graph: the same graph restricted to some tiles. Variables, vertices and
  /// programs are shared. Tiles are renumbered from 0. The first form takes the first
  /// `numTilesPerIPU` tiles of each IPU, the second tiles [lowerTile, upperTile) of this graph, the
  /// third tiles `perIpuTiles` of each IPU.
  /// \throws invalid_tile_mapping if it has no tile, a tile occurs twice, or this graph lacks a
  /// tile
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(const std::vector<unsigned>& perIpuTiles);
  /// The graph with all tiles.
  Graph getTopLevelGraph();
  unsigned getReplicationFactor() const;

  /// Adds a variable. Without a mapping method its elements must be mapped with setTileMapping().
  Tensor addVariable(const Type& type, ArrayRef<std::size_t> shape,
                     const DebugContext& debugContext = {});
  Tensor addVariable(const Type& type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                     const DebugContext& debugContext = {});
  /// A variable of QUARTER with its metadata, one UNSIGNED_CHAR (poplar/MetadataCreation.hpp).
  /// \throws type_error for another type, and for metadata of another type or size
  Tensor addVariable(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                     const DebugContext& debugContext = {});
  Tensor addVariable(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                     VariableMappingMethod method, const DebugContext& debugContext = {});
  /// Adds a constant. `values` are converted to `type`; a single value fills the shape.
  template <class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext& debugContext = {}) {
    return addConstantFrom(type, shape, typeOf<T>(0), sizeof(T), values.data(), values.size(),
                           debugContext);
  }
  template <class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, const T* values,
                     const DebugContext& debugContext = {}) {
    std::size_t n = 1;
    for (std::size_t d : shape) n *= d;
    return addConstant(type, shape, ArrayRef<T>(values, n), debugContext);
  }
  template <class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, T value,
                     const DebugContext& debugContext = {},
                     typename std::enable_if<TypeTraits::isSimpleType<T>()>::type* = nullptr) {
    return addConstant(type, shape, ArrayRef<T>(&value, 1), debugContext);
  }
  // Deduces the allocator too, so that addConstant<T>(type, shape, {...}) does not select this
  // overload.
  template <class T, class Allocator>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape,
                     const std::vector<T, Allocator>& values,
                     const DebugContext& debugContext = {}) {
    return addConstant(type, shape, ArrayRef<T>(values), debugContext);
  }
  /// `values` has one element of the type that `traits` describes, if it is broadcast, else as many
  /// as the shape.
  /// \throws poplar_error for traits that no element type has
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, const void* values,
                     const TypeTraits& traits, bool broadcast,
                     const DebugContext& debugContext = {});
  /// The same of QUARTER, with metadata that are a constant themselves
  /// (poplar/MetadataCreation.hpp), by which numbers are encoded.
  /// \throws type_error as addVariable(), and for metadata that are a variable
  Tensor addConstant(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                     const void* values, const TypeTraits& traits, bool broadcast,
                     const DebugContext& debugContext = {});
  template <class T>
  Tensor addConstant(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values, const DebugContext& debugContext = {}) {
    return addQuarters(type, metadata, shape, typeOf<T>(0), sizeof(T), values.data(), values.size(),
                       debugContext);
  }
  template <class T>
  Tensor addConstant(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape, T value,
                     const DebugContext& debugContext = {},
                     typename std::enable_if<TypeTraits::isSimpleType<T>()>::type* = nullptr) {
    return addConstant(type, metadata, shape, ArrayRef<T>(&value, 1), debugContext);
  }
  /// Adds a HALF constant from its bits.
  Tensor addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, std::uint16_t value,
                         const DebugContext& debugContext = {});
  Tensor addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, const std::uint16_t* values,
                         const DebugContext& debugContext = {});

  /// Adds a variable with the shape and tiles of `t`, also for a constant. PRESERVE_ORDER_AND_ALIASES
  /// has its elements in the order in which those of `t` lie in memory, variable by variable, and shows
  /// one twice where `t` does; GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES has those of a tile one after
  /// the other. PRESERVE_ORDER_UNLESS_ALIASES keeps the order of dimensions of a `t` that shows a part
  /// of one variable with its dimensions permuted; other tensors get elements in their own order, as
  /// all do by CREATE_NEW_ORDER.
  Tensor clone(const Type& type, const Tensor& t, const DebugContext& debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor& t, const DebugContext& debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

  /// The same of QUARTER, with its metadata.
  /// \throws type_error as addVariable()
  Tensor clone(const Type& type, const Tensor& metadata, const Tensor& t,
               const DebugContext& debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor& metadata, const Tensor& t, const DebugContext& debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return clone(t.elementType(), metadata, t, debugContext, method);
  }
  /// The metadata of a tensor of QUARTER.
  /// \throws type_error for other tensors, and for one that joins tensors of different metadata or
  /// of none
  Tensor getMetadata(const Tensor& t) const;

  /// N clones, along a new first dimension.
  /// \throws index_error for 0 of them
  Tensor cloneN(const Type& type, const Tensor& t, std::size_t N,
                const DebugContext& debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Tensor& t, std::size_t N, const DebugContext& debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION) {
    return cloneN(t.elementType(), t, N, debugContext, method, duplication);
  }
  /// The same of QUARTER, with metadata, [1] or one for each clone, [N].
  /// \throws type_error as addVariable()
  Tensor cloneN(const Type& type, const Tensor& metadata, const Tensor& t, std::size_t N,
                const DebugContext& debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Tensor& metadata, const Tensor& t, std::size_t N,
                const DebugContext& debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION) {
    return cloneN(t.elementType(), metadata, t, N, debugContext, method, duplication);
  }

  /// Sets the value that a variable has after Engine::load().
  template <class T>
  void setInitialValue(const Tensor& t, ArrayRef<T> values) {
    setInitialValueFrom(t, typeOf<T>(0), sizeof(T), values.data(), values.size());
  }
  template <class T, class Allocator>
  void setInitialValue(const Tensor& t, const std::vector<T, Allocator>& values) {
    setInitialValue(t, ArrayRef<T>(values));
  }
  template <class T>
  void setInitialValue(const Tensor& t, T value,
                       typename std::enable_if<TypeTraits::isSimpleType<T>()>::type* = nullptr) {
    setInitialValue(t, ArrayRef<T>(&value, 1));
  }

  /// \throws poplar_error always: what the numbers of the map are is not published
  void setInitialValue(const Tensor& t, const std::map<unsigned, unsigned>& values);

  /// The same of HALF, from its bits.
  void setInitialValueHalf(const Tensor& t, std::uint16_t bits) {
    setInitialValueHalf(t, ArrayRef<std::uint16_t>(&bits, 1));
  }
  void setInitialValueHalf(const Tensor& t, ArrayRef<std::uint16_t> bits);

  /// The same from `n` elements (1 or all) in the tensor's own type.
  void setInitialBytes(const Tensor& t, const void* values, std::size_t n) {
    setInitialValueFrom(t, t.elementType(), 0, values, n);
  }

  /// Adds the codelets of a C++ source or of a .gp file (written by popc). Returns false if the
  /// graph already has them. `compileFlags` are passed to the compiler; `targetName` is ignored.
  /// \throws graph_program_compilation_error with the compiler's messages, or if the file cannot be
  /// read, is damaged, or was made by another version
  bool addCodelets(StringRef src, CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "");
  /// The same for a stream that contains C++.
  void addCodelets(std::stringstream& stream, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  /// The same for each of several files. Returns true if the graph lacked one of them.
  bool addCodelets(const std::vector<std::string>& files, StringRef compileFlags = "",
                   StringRef targetName = "") {
    return addCodelets(ArrayRef<std::string>(files), compileFlags, targetName);
  }
  // A template, so that a list in braces is no candidate.
  template <class Name,
            typename = typename std::enable_if<std::is_same<Name, std::string>::value>::type>
  bool addCodelets(ArrayRef<Name> files, StringRef compileFlags = "", StringRef = "") {
    bool added = false;
    for (const auto& file : files)
      added = addCodelets(file, CodeletFileType::Auto, compileFlags) || added;
    return added;
  }
  /// Whether a vertex of this type can be added.
  bool hasCodelet(StringRef vertexType) const;
  /// The largest value that a field of state of a vertex type can hold.
  /// \throws graph_connection_error for an unknown vertex type or field, or one that is no number
  std::size_t getMaxVertexFieldValue(StringRef vertexType, StringRef field) const;
  template <class T>
  T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const {
    return static_cast<T>(getMaxVertexFieldValue(vertexType, field));
  }
  /// The largest size of a dimension of a field: of vectors 0, of lists of edges 0 and of their
  /// edges 1. That of 32 bits, since no layout has fewer here.
  /// \throws graph_connection_error for an unknown vertex type or field, or another dimension
  std::size_t getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimension) const;
  using ConnectionDesc = poplar::ConnectionDesc;
  /// Adds a vertex to a compute set.
  /// \throws graph_connection_error for an unknown vertex type or field
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType,
                      std::initializer_list<ConnectionDesc> connections) {
    return addVertexFrom(cs, vertexType,
                         ArrayRef<ConnectionDesc>(connections.begin(), connections.size()));
  }
  VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections) {
    return addVertexFrom(cs, vertexType, connections);
  }
  VertexRef addVertexFrom(ComputeSet cs, StringRef vertexType,
                          ArrayRef<ConnectionDesc> connections);
  /// Memory outside of the tiles that others address, and a vertex that exchanges data with it in a
  /// way of its own, written in the assembly of a tile.
  /// \throws poplar_error always: nothing but host and tiles has memory here; addRemoteBuffer() has
  /// some of the host
  Tensor addExternalVariable(const Type& type, ArrayRef<std::size_t> shape, StringRef attributes,
                             const DebugContext& debugContext = {});
  VertexRef addExternalExchangeVertex(ComputeSet cs, StringRef vertexType,
                                      unsigned incomingDownCount, bool usesEastEdge,
                                      bool sendsXReq);
  /// Connects a field to a tensor, or a list of edges to several tensors.
  /// \throws graph_connection_error or type_error if the field does not take the tensor
  void connect(FieldRef field, const Tensor& t);
  void connect(FieldRef field, ArrayRef<Tensor> tensors);
  void connect(FieldRef field, const std::vector<Tensor>& tensors) {
    connect(field, ArrayRef<Tensor>(tensors));
  }
  /// Gives an Input, or state, a value.
  template <class T>
  void connect(FieldRef field, T value,
               typename std::enable_if<TypeTraits::isSimpleType<T>()>::type* = nullptr) {
    setFieldValue(field, FieldValues::of(&value, 1), true);
  }
  /// Sets the number of edges of a list, or the number of elements of a vector that is state.
  void setFieldSize(FieldRef field, std::size_t size);
  std::size_t getFieldSize(FieldRef field) const;
  /// Sets the initial value of state, or a constant value of an Input.
  template <class T>
  void setInitialValue(FieldRef field, T value,
                       typename std::enable_if<TypeTraits::isSimpleType<T>()>::type* = nullptr) {
    setFieldValue(field, FieldValues::of(&value, 1), true);
  }
  template <class T>
  void setInitialValue(FieldRef field, ArrayRef<T> values) {
    setFieldValue(field, FieldValues::of(values.data(), values.size()), false);
  }
  template <class T, class Allocator>
  void setInitialValue(FieldRef field, const std::vector<T, Allocator>& values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  void setInitialValueHalf(FieldRef field, std::uint16_t bits);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> bits);
  void setFieldValue(FieldRef field, const FieldValues& values, bool single);
  /// Sets the tile on which a vertex executes.
  void setTileMapping(VertexRef v, unsigned tile);
  /// Sets the cost of one execution of the vertex for the machine model.
  void setPerfEstimate(const VertexRef& v, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(const VertexRef& v, const VertexPerfEstimate& estimate) {
    setPerfEstimate(v, estimate.cycles, estimate.flops);
  }
  /// What setPerfEstimate() has said of a vertex, else what the estimator of its type says now.
  /// \throws missing_perf_estimate if there is neither
  VertexPerfEstimate getPerfEstimate(const VertexRef& v) const;
  /// The vertices so far: those of programs and, one each, those of library functions.
  unsigned getNumVertices() const;
  void setCycleEstimate(const VertexRef& v, std::uint64_t cycles) { setPerfEstimate(v, cycles); }
  /// Registers a cost estimator for vertices of a type without an estimate of their own. Replaces
  /// an earlier registration.
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);

  /// Maps a tensor to one tile, or its intervals to several tiles.
  /// \throws invalid_tile_mapping for a tile that does not exist, or an element mapped twice
  void setTileMapping(const Tensor& t, unsigned tile);
  void setTileMapping(const Tensor& t, const TileToTensorMapping& mapping);
  /// The mapping of a tensor.
  /// \throws invalid_tile_mapping if `requireComplete` and an element has no tile
  TileToTensorMapping getTileMapping(const Tensor& t, bool requireComplete = true) const;
  /// The last argument is about variables outside of the tiles, which no graph has here.
  TileToTensorMapping getTileMapping(const Tensor& t, bool requireComplete, bool) const {
    return getTileMapping(t, requireComplete);
  }
  /// Says whether all elements have a tile.
  TileToTensorMapping getTileMapping(const Tensor& t, bool* isComplete, bool = false) const;
  /// The mapping of those elements that are no constants.
  TileToTensorMapping getVariableTileMapping(const Tensor& t) const;

  /// A variable or constant of the graph, whole.
  /// \throws index_error for a number that none has
  Tensor getVariable(VariableRef variable) const;
  bool isConstant(VariableRef variable) const;

  /// The number that a tile of this graph has in the graph with all tiles, and back.
  /// \throws invalid_tile_mapping for a tile that this graph lacks
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const;
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const;
  /// The tiles of a machine are numbered as those of the graph with all of them.
  /// \throws invalid_tile_mapping for a tile that the machine lacks
  unsigned convertVirtualTileToPhysicalTile(unsigned tile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned tile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const;

  /// Sorts the elements of `regions` of the flattened tensor by variable and place in it. Each list
  /// of the result lies in one variable without gaps; neighbours in it that are neighbours in the
  /// tensor too are one interval. With `removeAliasedIntervals` an element of a variable is there
  /// once; `aliases`, if given, gets the place of its first occurrence for each interval.
  std::vector<std::vector<Interval>> getSortedContiguousRegions(
      const Tensor& t, ArrayRef<Interval> regions, bool removeAliasedIntervals = false,
      std::vector<std::size_t>* aliases = nullptr) const;

  /// Orders the elements of `t`, [n], as they lie in memory, and those of each of `ts`, [n] too, in
  /// the same way. `requireSimplestOrder` may be false where any simpler order will do.
  /// \throws poplar_error for other shapes
  void reorderToSimplify(Tensor* t, ArrayRef<Tensor*> ts, bool requireSimplestOrder = true) const;

  /// What orders the elements of tensors of as many elements as those of `t` lie in memory.
  TensorRearranger getSimplifyingRearranger(const Tensor& t) const;

  /// What `t` was before it was broadcast: its first elements of each dimension, as many as are
  /// repeated over all of it. It is `t` where nothing is repeated.
  Tensor findUnbroadcastTensor(const Tensor& t) const;

  /// The number of the replica, UNSIGNED_INT[].
  Tensor addReplicationIndexConstant(const DebugContext& debugContext = {});

  /// Writes the graph: Binary in popir's own format, that of executables; JSON for readers, with
  /// variables, compute sets and vertices.
  /// \throws poplar_error if the stream takes no more
  void serialize(std::ostream& out, SerializationFormat format) const;
  /// Writes what tensors are: types, shapes, tile mappings and which elements of variables they
  /// hold, without values. JSON is for readers.
  /// \throws graph_connection_error for tensors of another graph; poplar_error if the stream takes
  /// no more
  void serializeTensors(std::ostream& out, ArrayRef<Tensor> tensors,
                        SerializationFormat format) const;
  /// Adds the variables that serializeTensors() has written in the format Binary, and returns the
  /// tensors of them.
  /// \throws poplar_error for JSON, and for what is damaged or was written by another version
  std::vector<Tensor> deserializeTensors(std::istream& in, SerializationFormat format);

  /// Write compute sets with their vertices and variables, or the steps of programs, in the language
  /// of Graphviz.
  void outputVertexGraph(std::ostream& out, ArrayRef<program::Program> programs = {}) const;
  void outputComputeGraph(std::ostream& out, ArrayRef<program::Program> programs = {}) const;

  ComputeSet addComputeSet(const DebugContext& debugContext = {});
  /// Makes a program callable by program::Call.
  Function addFunction(const program::Program& program);
  /// A place for the code of a function, from which program::Copy brings it to the tiles.
  /// \throws control_program_error for a function that the graph does not have
  FunctionBuffer addFunctionBuffer(const Function& function, FunctionBufferMappingType mapping);

  /// Add a stream that transfers `numElements` elements at a time. `handle` must be unique.
  DataStream addHostToDeviceFIFO(
      StringRef handle, const Type& elementType, std::size_t numElements,
      ReplicatedStreamMode replicatedMode = ReplicatedStreamMode::REPLICATE,
      const OptionFlags& options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type& elementType, std::size_t numElements,
                                 const OptionFlags& options = {});
  /// Adds memory of the host with `repeats` rows of `numElements` elements. `handle` must be unique.
  /// The last two are about the layout on an IPU's host; here rows lie as they are, whatever they say.
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type& elementType, std::size_t numElements,
                               std::size_t repeats = 1, bool rearrangeOnHost = false,
                               bool optimiseMemory = false);
  using HostFunctionArgument = poplar::HostFunctionArgument;
  /// Adds a host function for program::Call. Engine::connectHostFunction sets its callback.
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs,
                               const OptionFlags& options = {});
  /// Allows Engine::writeTensor or readTensor to access `t` by `handle`.
  void createHostWrite(StringRef handle, const Tensor& t, bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor& t, bool rearrangeOnHost = false);

  /// For popir itself.
  const std::shared_ptr<popir::GraphImpl>& impl() const { return impl_; }
  /// Null for a graph with all tiles.
  const std::shared_ptr<const popir::VirtualTiles>& virtualTiles() const { return virtual_; }

 private:
  Graph(std::shared_ptr<popir::GraphImpl> impl, std::shared_ptr<const popir::VirtualTiles> tiles);
  Graph onTiles(const std::vector<unsigned>& tiles, unsigned ipus);
  Tensor addConstantFrom(const Type& type, ArrayRef<std::size_t> shape, const Type& valueType,
                         std::size_t valueSize, const void* values, std::size_t numValues,
                         const DebugContext& debugContext);
  Tensor addQuarters(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape,
                     const Type& valueType, std::size_t valueSize, const void* values,
                     std::size_t numValues, const DebugContext& debugContext);
  void setInitialValueFrom(const Tensor& t, const Type& valueType, std::size_t valueSize,
                           const void* values, std::size_t numValues);
  /// The device type of values. For a C++ type without one the call is an error, not its code,
  /// which a branch may have that is never taken.
  template <class T, Type::Kind kind = equivalent_device_type<T>::kind>
  static Type typeOf(int) {
    return Type(kind);
  }
  template <class T>
  static Type typeOf(long) {
    throw poplar_error("The values are of a C++ type that no type of the device is equivalent to.");
  }

  std::shared_ptr<popir::GraphImpl> impl_;
  std::shared_ptr<const popir::VirtualTiles> virtual_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
