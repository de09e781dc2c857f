// Names of graphs. After popart/graphid.hpp of PopART 3.
#ifndef popart_graphid_hpp
#define popart_graphid_hpp

#include <ostream>
#include <string>

namespace popart {

/// The name of a graph; that of the main graph is empty.
class GraphId {
 public:
  GraphId() = delete;
  GraphId(const std::string& id) : id_(id) {}

  static const GraphId& root() {
    static const GraphId main("");
    return main;
  }
  const std::string& str() const { return id_; }

  bool operator<(const GraphId& o) const { return id_ < o.id_; }
  bool operator==(const GraphId& o) const { return id_ == o.id_; }
  bool operator!=(const GraphId& o) const { return id_ != o.id_; }

 private:
  std::string id_;
};

inline std::ostream& operator<<(std::ostream& os, const GraphId& id) {
  return os << (id == GraphId::root() ? "the main graph" : id.str());
}

}  // namespace popart

#endif
