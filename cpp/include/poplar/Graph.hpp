// poplar/Graph.hpp: variables, constants, compute sets and streams of one program.
#ifndef poplar_Graph_hpp
#define poplar_Graph_hpp

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
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

// As the SDK's headers do, so that sources which rely on it compile.
using std::size_t;

namespace popir {
class GraphImpl;      // cpp/poplar/graph_impl.hpp
struct VirtualTiles;  // cpp/poplar/virtual_tiles.hpp
}  // namespace popir

namespace poplar {

struct replication_factor {
  explicit replication_factor(unsigned f) : factor(f) {}
  unsigned factor;
};

/// A program's data and vertices. Move-only, as in Poplar.
class Graph {
 public:
  /// For each tile, the intervals of the flattened tensor that live there.
  using TileToTensorMapping = std::vector<std::vector<Interval>>;

  explicit Graph(const Target& target, replication_factor r = replication_factor(1));
  explicit Graph(const Device& device, replication_factor r = replication_factor(1));
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  /// Of a virtual graph, the part of the machine that it is.
  const Target& getTarget() const;

  /// The same graph on some of its tiles: variables, vertices and programs are common, a tile is
  /// counted among those of the virtual graph. Tiles [lowerTile, upperTile) of this graph, or the
  /// tiles of these numbers on each of its IPUs.
  /// \throws invalid_tile_mapping if it would have no tile, or one twice or that this one has not.
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(const std::vector<unsigned>& perIpuTiles);
  /// All of the machine.
  Graph getTopLevelGraph();
  unsigned getReplicationFactor() const { return 1; }

  Tensor addVariable(const Type& type, ArrayRef<std::size_t> shape,
                     const DebugContext& debugContext = {});
  Tensor addVariable(const Type& type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                     const DebugContext& debugContext = {});
  /// A constant of `values`, converted to `type`; one value fills the shape.
  template <class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext& debugContext = {}) {
    return addConstantFrom(type, shape, Type(equivalent_device_type<T>::kind), sizeof(T),
                           values.data(), values.size(), debugContext);
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
  // The allocator keeps a braced list with an explicit T from being taken for a vector.
  template <class T, class Allocator>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape,
                     const std::vector<T, Allocator>& values,
                     const DebugContext& debugContext = {}) {
    return addConstant(type, shape, ArrayRef<T>(values), debugContext);
  }
  /// A HALF constant from its bits.
  Tensor addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, std::uint16_t value,
                         const DebugContext& debugContext = {});
  Tensor addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, const std::uint16_t* values,
                         const DebugContext& debugContext = {});

  /// A new variable (constant views too become variables) of the same shape and tile mapping.
  Tensor clone(const Type& type, const Tensor& t, const DebugContext& debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor& t, const DebugContext& debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

  /// The value of a variable when an engine is loaded.
  template <class T>
  void setInitialValue(const Tensor& t, ArrayRef<T> values) {
    setInitialValueFrom(t, Type(equivalent_device_type<T>::kind), sizeof(T), values.data(),
                        values.size());
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

  /// The same from `n` (1 or all) elements of the tensor's own type.
  void setInitialBytes(const Tensor& t, const void* values, std::size_t n) {
    setInitialValueFrom(t, t.elementType(), 0, values, n);
  }

  /// Codelets of a C++ source, or of a .gp file that popc made. False if the graph has them
  /// already. `compileFlags` are options of the compiler; `targetName` says nothing here.
  /// \throws graph_program_compilation_error with the compiler's lines, or if the file cannot be
  ///         read, is damaged or was made by another version.
  bool addCodelets(StringRef src, CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "");
  /// The same from a stream that holds a source.
  void addCodelets(std::stringstream& stream, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  /// \throws graph_connection_error for a vertex type or a field that no codelet of this graph has.
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType,
                      std::initializer_list<ConnectionDesc> connections) {
    return addVertexFrom(cs, vertexType,
                         ArrayRef<ConnectionDesc>(connections.begin(), connections.size()));
  }
  VertexRef addVertexFrom(ComputeSet cs, StringRef vertexType,
                          ArrayRef<ConnectionDesc> connections);
  /// \throws graph_connection_error, type_error if the field cannot take the tensor.
  void connect(FieldRef field, const Tensor& t);
  void connect(FieldRef field, ArrayRef<Tensor> tensors);
  void connect(FieldRef field, const std::vector<Tensor>& tensors) {
    connect(field, ArrayRef<Tensor>(tensors));
  }
  /// How many elements a list of edges, or a vector that is state, is going to have.
  void setFieldSize(FieldRef field, std::size_t size);
  std::size_t getFieldSize(FieldRef field) const;
  /// State when an engine is loaded; or, for an Input, a value that never changes.
  template <class T>
  void setInitialValue(FieldRef field, T value,
                       typename std::enable_if<TypeTraits::isSimpleType<T>()>::type* = nullptr) {
    setFieldValue(field, FieldData::of(&value, 1), true);
  }
  template <class T>
  void setInitialValue(FieldRef field, ArrayRef<T> values) {
    setFieldValue(field, FieldData::of(values.data(), values.size()), false);
  }
  template <class T, class Allocator>
  void setInitialValue(FieldRef field, const std::vector<T, Allocator>& values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  void setInitialValueHalf(FieldRef field, std::uint16_t bits);
  void setFieldValue(FieldRef field, const FieldData& values, bool single);
  void setTileMapping(VertexRef v, unsigned tile);
  /// What one run of the vertex takes on its tile, for the machine reading.
  void setPerfEstimate(const VertexRef& v, std::uint64_t cycles, std::uint64_t flops = 0);
  void setCycleEstimate(const VertexRef& v, std::uint64_t cycles) { setPerfEstimate(v, cycles); }
  /// What vertices of a type take that have no estimate of their own. A later registration of the
  /// type replaces an earlier one.
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);

  void setTileMapping(const Tensor& t, unsigned tile);
  void setTileMapping(const Tensor& t, const TileToTensorMapping& mapping);
  /// \throws invalid_tile_mapping when `requireComplete` and an element has no tile.
  TileToTensorMapping getTileMapping(const Tensor& t, bool requireComplete = true) const;

  ComputeSet addComputeSet(const DebugContext& debugContext = {});
  Function addFunction(const program::Program& program);

  DataStream addHostToDeviceFIFO(
      StringRef handle, const Type& elementType, std::size_t numElements,
      ReplicatedStreamMode replicatedMode = ReplicatedStreamMode::REPLICATE,
      const OptionFlags& options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type& elementType, std::size_t numElements,
                                 const OptionFlags& options = {});
  using HostFunctionArgument = poplar::HostFunctionArgument;
  /// A function for program::Call; Engine::connectHostFunction says what it does.
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs,
                               const OptionFlags& options = {});
  /// Lets Engine::writeTensor / readTensor reach `t` by `handle`.
  void createHostWrite(StringRef handle, const Tensor& t, bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor& t, bool rearrangeOnHost = false);

  const std::shared_ptr<popir::GraphImpl>& impl() const { return impl_; }
  /// Null of a graph that has all tiles.
  const std::shared_ptr<const popir::VirtualTiles>& virtualTiles() const { return virtual_; }

 private:
  Graph(std::shared_ptr<popir::GraphImpl> impl, std::shared_ptr<const popir::VirtualTiles> tiles);
  Graph onTiles(const std::vector<unsigned>& tiles, unsigned ipus);
  Tensor addConstantFrom(const Type& type, ArrayRef<std::size_t> shape, const Type& valueType,
                         std::size_t valueSize, const void* values, std::size_t numValues,
                         const DebugContext& debugContext);
  void setInitialValueFrom(const Tensor& t, const Type& valueType, std::size_t valueSize,
                           const void* values, std::size_t numValues);

  std::shared_ptr<popir::GraphImpl> impl_;
  std::shared_ptr<const popir::VirtualTiles> virtual_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
