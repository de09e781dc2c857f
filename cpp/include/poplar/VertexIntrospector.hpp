// Access to a vertex for cost estimators. After poplar/VertexIntrospector.hpp of the Poplar SDK 3.
#ifndef poplar_VertexIntrospector_hpp
#define poplar_VertexIntrospector_hpp

#include <poplar/Interval.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/VariableRef.hpp>
#include <poplar/VectorLayout.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class GraphImpl;
}

namespace poplar {

/// A field of a vertex: its number of elements, and its initial value if it is state.
class FieldData {
 public:
  /// The size of one edge of a field that is a list of edges.
  class SizeT {
   public:
    explicit SizeT(std::size_t size) : size_(size) {}
    std::size_t size() const { return size_; }

   private:
    std::size_t size_;
  };

  FieldData(std::string name, Type type, unsigned rank, std::vector<SizeT> rows, std::size_t size,
            std::vector<unsigned char> values)
      : name_(std::move(name)),
        type_(type),
        rank_(rank),
        rows_(rows),
        size_(size),
        values_(values) {}

  const std::string& name() const { return name_; }
  /// 0 for one element, 1 for a vector or a list of single elements, 2 for a list of vectors.
  unsigned rank() const { return rank_; }

  /// Type of the elements.
  Type elementType() const { return type_; }
  /// Number of elements. For a list of edges: number of edges.
  std::size_t size() const { return size_; }
  /// \throws index_error if the field is not a list of edges, or i is out of range
  SizeT operator[](std::size_t i) const;
  std::size_t getSizeAtIndex(std::size_t i) const { return (*this)[i].size(); }
  /// How a dimension of the field lies in memory: 0 is the outer one. All fields are pointers with
  /// sizes here, which is Span, whatever layout a codelet asks for on a tile.
  layout::Vector getProfilerVectorLayout(std::size_t dimension) const;
  /// The same of a list of vectors as a whole: DeltaN, pointers with sizes.
  layout::VectorList getProfilerVectorListLayout() const;
  /// The initial value of state.
  /// \throws graph_connection_error if the field has none
  template <class T>
  T getInitialValue(const Target&) const {
    T value;
    getValues(Type(equivalent_device_type<T>::kind), sizeof(T), &value, 1);
    return value;
  }
  template <class T>
  std::vector<T> getInitialValues(const Target&) const {
    std::vector<T> values(size_);
    getValues(Type(equivalent_device_type<T>::kind), sizeof(T), values.data(), size_);
    return values;
  }
  /// Converts the first `n` values to `type`, with `valueBytes` bytes each.
  void getValues(Type type, std::size_t valueBytes, void* to, std::size_t n) const;

 private:
  std::string name_;
  Type type_;
  unsigned rank_;
  std::vector<SizeT> rows_;
  std::size_t size_;
  std::vector<unsigned char> values_;
};

/// The name that popir had for it.
using VertexFieldInfo = FieldData;

/// An edge of a vertex: where its elements lie, in their order.
struct VertexEdgeInfo {
  /// Elements one after the other, in one variable.
  struct StorageInfo {
    VariableRef variable;
    Interval elements;
  };
  std::vector<StorageInfo> storage;
};

/// A vertex with its connections, at the time when its cost is estimated.
class VertexIntrospector {
 public:
  VertexIntrospector(const popir::GraphImpl& graph, unsigned vertex)
      : graph_(&graph), vertex_(vertex) {}
  /// \throws graph_connection_error for an unknown field name
  FieldData getFieldInfo(StringRef name) const;
  /// The edges of a field, one after the other; none of state.
  std::vector<VertexEdgeInfo> getEdgeInfo(StringRef name) const;

 private:
  const popir::GraphImpl* graph_;
  unsigned vertex_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
