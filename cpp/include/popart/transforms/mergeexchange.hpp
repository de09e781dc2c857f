// Exchanges that are made at once. After popart/transforms/mergeexchange.hpp of PopART 3.
#ifndef popart_transforms_mergeexchange_hpp
#define popart_transforms_mergeexchange_hpp

#include <popart/names.hpp>
#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Op;

/// Makes exchanges that run one after another a MultiExchangeOp, if none depends on another, none
/// stores where another loads or stores, and all are of one pipeline stage, phase and context.
/// Operators without inputs, such as InitOp, may run between them.
class MergeExchange : public Transform {
 public:
  ~MergeExchange() override;

  static std::size_t id();
  bool apply(Graph& graph) const override;
  /// Of these operators alone. Returns the operators that it has made.
  std::vector<Op*> applyToOps(Graph& graph, const std::set<OpId> include_ops) const;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "MergeExchange"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
