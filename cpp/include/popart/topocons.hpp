// Ordering constraints between operators, in addition to data dependencies.
// After popart/topocons.hpp of PopART 3.
#ifndef popart_topocons_hpp
#define popart_topocons_hpp

#include <popart/names.hpp>

#include <map>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Tensor;

/// The ordering constraints of a graph.
class TopoCons {
 public:
  explicit TopoCons(Graph& graph) : graph_(graph) {}

  /// Adds the constraint that `before` runs before `after`.
  void insert(Op* before, Op* after);
  /// The same. PopART would run `after` directly after `before` if they are tied; here others may run
  /// between them.
  void insert(Op* before, Op* after, bool /*tied*/) { insert(before, after); }
  /// All constraints: each operator behind those that are listed for it.
  void insert(const OpsBeforeKey& befores, bool tied = false);
  /// Removes that constraint, if it exists.
  void remove(Op* before, Op* after);
  /// Removes all constraints of an operator.
  void remove(Op* op);
  /// True if that constraint exists.
  bool contains(Op* before, Op* after) const;
  /// True if any constraint involves the operator.
  bool hasConstraint(Op* op) const;
  /// The operators that must run before `after` (getAfters: after `before`).
  std::vector<Op*> getBefores(Op* after) const;
  std::vector<Op*> getAfters(Op* before) const;
  /// Copies or moves the constraints of one operator to another.
  void transfer(Op* from, Op* to, bool removeOld = true);
  void transferToMultiple(Op* from, const std::vector<Op*>& to, bool removeOld = true);
  /// For operators that were moved into a graph which `replacement` calls. `remaps` has those that
  /// stand there in place of each. Constraints between two of the moved ones go to that graph, and
  /// those with others to `replacement`.
  static void transferToSubgraph(Op* replacement, std::map<Op*, std::vector<Op*>, POpCmp> remaps,
                                 bool removeOld = true);
  /// Empty, since no two are tied: others may run between them.
  std::vector<Op*> getTiedBefores(Op*) const { return {}; }
  std::vector<Op*> getTiedAfters(Op*) const { return {}; }
  /// What makes `last` run behind all other readers of a tensor; those that are there already are
  /// left out.
  OpsBeforeKey finalConsumerCons(const Tensor* consumed, Op* last) const;

 private:
  Graph& graph_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
