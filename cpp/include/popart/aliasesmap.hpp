// The aliases of each graph. After popart/aliasesmap.hpp of PopART 3.
#ifndef popart_aliasesmap_hpp
#define popart_aliasesmap_hpp

#include <popart/aliases.hpp>
#include <popart/graphid.hpp>
#include <popart/names.hpp>

#include <map>

#pragma GCC visibility push(default)

namespace popart {

class Graph;
class Ir;
class Op;

class AliasesMap {
 public:
  AliasesMap() = default;
  /// Of all graphs.
  explicit AliasesMap(const Ir* ir);
  /// Of one graph.
  explicit AliasesMap(const Graph& graph);
  ~AliasesMap();

  /// Without an update().
  void setIr(const Ir* ir) { ir_ = ir; }
  Aliases& getAliases(const GraphId& graphId) { return aliases_[graphId]; }
  Aliases& getAliases(Graph& graph);
  /// \throws error for a graph that was not updated
  const Aliases& getAliases(const GraphId& graphId) const;
  const Aliases& getAliases(Graph& graph) const;
  void clear() { aliases_.clear(); }
  /// Anew, of all graphs (or one), by the operators' aliases() in the order in which they run.
  /// \throws error without an Ir
  void update();
  void update(const GraphId& graphId);
  void update(const Graph& graph);
  /// Adds those of an operator.
  void update(Op* op);

 private:
  const Ir* ir_ = nullptr;
  std::map<GraphId, Aliases> aliases_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
