// Graphs for graphviz. After popart/dotvisualizer.hpp of PopART 3.
#ifndef popart_dotvisualizer_hpp
#define popart_dotvisualizer_hpp

#include <popart/ir.hpp>

#include <string>
#include <utility>

namespace popart {

/// Writes the graphs of an Ir as Ir::dotCheckpoint() does, at one stage.
class DotVisualizer {
 public:
  explicit DotVisualizer(std::string check) : check_(std::move(check)) {}
  void write(const Ir& ir) { ir.dotCheckpoint(ir, check_); }

 private:
  std::string check_;
};

}  // namespace popart

#endif
