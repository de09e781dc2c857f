// popart/topocons.hpp: orders among operators beyond those that tensors make.
#ifndef popart_topocons_hpp
#define popart_topocons_hpp

#include <popart/names.hpp>

#pragma GCC visibility push(default)

namespace popart {

class TopoCons {
 public:
  explicit TopoCons(Graph& graph) : graph_(graph) {}

  /// `before` runs before `after`.
  void insert(Op* before, Op* after);

 private:
  Graph& graph_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
