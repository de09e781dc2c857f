// poplar/GraphElements.hpp: references to the parts of a graph.
#ifndef poplar_GraphElements_hpp
#define poplar_GraphElements_hpp

#include <poplar/StringRef.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace poplar {

/// A set of vertices that run in parallel; made by Graph::addComputeSet.
class ComputeSet {
 public:
  ComputeSet() = default;
  explicit ComputeSet(unsigned id) : id_(id), valid_(true) {}
  unsigned getId() const { return id_; }
  bool valid() const { return valid_; }
  friend bool operator==(ComputeSet a, ComputeSet b) { return a.id_ == b.id_; }
  friend bool operator!=(ComputeSet a, ComputeSet b) { return !(a == b); }

 private:
  unsigned id_ = 0;
  bool valid_ = false;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
