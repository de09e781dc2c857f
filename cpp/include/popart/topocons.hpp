// popart/topocons.hpp: orders among operators beyond those that tensors make.
#ifndef popart_topocons_hpp
#define popart_topocons_hpp

#include <popart/names.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class TopoCons {
 public:
  explicit TopoCons(Graph& graph) : graph_(graph) {}

  /// `before` runs before `after`.
  void insert(Op* before, Op* after);
  /// Takes that back; nothing happens if it was not so.
  void remove(Op* before, Op* after);
  /// Takes all orders of an operator back.
  void remove(Op* op);
  bool contains(Op* before, Op* after) const;
  bool hasConstraint(Op* op) const;
  /// The operators that an operator waits for, and that wait for it.
  std::vector<Op*> getBefores(Op* after) const;
  std::vector<Op*> getAfters(Op* before) const;
  /// Gives the orders of one operator to another.
  void transfer(Op* from, Op* to, bool removeOld = true);

 private:
  Graph& graph_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
