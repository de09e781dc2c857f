// Access to a vertex for cost estimators. After poplar/VertexIntrospector.hpp of the Poplar SDK 3.
#ifndef poplar_VertexIntrospector_hpp
#define poplar_VertexIntrospector_hpp

#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class GraphImpl;
}

namespace poplar {

/// A field of a vertex: its number of elements, and its initial value if it is state.
class VertexFieldInfo {
 public:
  /// One edge of a field that is a list of edges.
  class Row {
   public:
    explicit Row(std::size_t size) : size_(size) {}
    std::size_t size() const { return size_; }

   private:
    std::size_t size_;
  };

  VertexFieldInfo(Type type, std::vector<Row> rows, std::size_t size,
                  std::vector<unsigned char> values)
      : type_(type), rows_(rows), size_(size), values_(values) {}

  /// Type of the elements.
  Type elementType() const { return type_; }
  /// Number of elements. For a list of edges: number of edges.
  std::size_t size() const { return size_; }
  /// \throws index_error if the field is not a list of edges, or i is out of range
  Row operator[](std::size_t i) const;
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
  Type type_;
  std::vector<Row> rows_;
  std::size_t size_;
  std::vector<unsigned char> values_;
};

/// A vertex with its connections, at the time when its cost is estimated.
class VertexIntrospector {
 public:
  VertexIntrospector(const popir::GraphImpl& graph, unsigned vertex)
      : graph_(&graph), vertex_(vertex) {}
  /// \throws graph_connection_error for an unknown field name
  VertexFieldInfo getFieldInfo(StringRef name) const;

 private:
  const popir::GraphImpl* graph_;
  unsigned vertex_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
