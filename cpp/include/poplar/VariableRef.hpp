// Variables by number. After poplar/VariableRef.hpp of the Poplar SDK 3.
#ifndef poplar_VariableRef_hpp
#define poplar_VariableRef_hpp

#include <functional>

namespace poplar {

/// A variable or constant of a graph, by its number.
class VariableRef {
 public:
  VariableRef() = default;
  explicit VariableRef(unsigned id_) : id(id_) {}

  friend bool operator==(VariableRef a, VariableRef b) { return a.id == b.id; }
  friend bool operator!=(VariableRef a, VariableRef b) { return a.id != b.id; }
  friend bool operator<(VariableRef a, VariableRef b) { return a.id < b.id; }

  std::size_t hash() const { return std::hash<unsigned>()(id); }

  unsigned id = 0;
};

}  // namespace poplar

namespace std {

template <>
struct hash<poplar::VariableRef> {
  std::size_t operator()(poplar::VariableRef v) const { return hash<unsigned>()(v.id); }
};

}  // namespace std

#endif
