// Handles of the parts of a graph. After poplar/GraphElements.hpp of the Poplar SDK 3.
#ifndef poplar_GraphElements_hpp
#define poplar_GraphElements_hpp

#include <poplar/StringRef.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popir {
class GraphImpl;  // cpp/poplar/graph_impl.hpp
}

namespace poplar {

/// A set of vertices that execute in parallel; created by Graph::addComputeSet.
class ComputeSet {
 public:
  ComputeSet() = default;
  ComputeSet(unsigned id, const popir::GraphImpl* graph) : id_(id), graph_(graph), isOne_(true) {}
  /// The compute set of this number, of whatever graph it is used with.
  ComputeSet(unsigned id) : id_(id), isOne_(true) {}
  unsigned getId() const { return id_; }
  bool valid() const { return isOne_; }
  const popir::GraphImpl* graph() const { return graph_; }
  friend bool operator==(ComputeSet a, ComputeSet b) {
    return a.id_ == b.id_ && a.graph_ == b.graph_;
  }
  friend bool operator!=(ComputeSet a, ComputeSet b) { return !(a == b); }

 private:
  unsigned id_ = 0;
  const popir::GraphImpl* graph_ = nullptr;  // null if any
  bool isOne_ = false;
};

class FieldRef;

/// A vertex; created by Graph::addVertex.
class VertexRef {
 public:
  VertexRef() = default;
  VertexRef(unsigned id, const popir::GraphImpl* graph) : id_(id), graph_(graph) {}
  unsigned getId() const { return id_; }
  bool valid() const { return graph_ != nullptr; }
  const popir::GraphImpl* graph() const { return graph_; }
  FieldRef operator[](StringRef fieldName) const;
  friend bool operator==(VertexRef a, VertexRef b) {
    return a.id_ == b.id_ && a.graph_ == b.graph_;
  }
  friend bool operator!=(VertexRef a, VertexRef b) { return !(a == b); }

 private:
  unsigned id_ = 0;
  const popir::GraphImpl* graph_ = nullptr;
};

/// A field of a vertex, or one edge of a field that is a list of edges.
class FieldRef {
 public:
  FieldRef(VertexRef vertex, StringRef name) : vertex_(vertex), name_(name) {}
  FieldRef operator[](std::size_t i) const {
    FieldRef element(*this);
    element.index_ = i;
    element.indexed_ = true;
    return element;
  }
  VertexRef vertex() const { return vertex_; }
  const std::string& name() const { return name_; }
  bool isIndexed() const { return indexed_; }
  std::size_t getIndex() const { return index_; }

 private:
  VertexRef vertex_;
  std::string name_;
  std::size_t index_ = 0;
  bool indexed_ = false;
};

inline FieldRef VertexRef::operator[](StringRef fieldName) const {
  return FieldRef(*this, fieldName);
}

}  // namespace poplar

#pragma GCC visibility pop

#endif
