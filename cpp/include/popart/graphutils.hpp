// Walks over graphs. After popart/graphutils.hpp of PopART 3.
#ifndef popart_graphutils_hpp
#define popart_graphutils_hpp

#include <popart/graph.hpp>
#include <popart/patterns/patterns.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace graphutils {

enum class TraversalType { DepthFirst = 0, BreadthFirst };
/// Whether a tensor is visited before or after those that follow it, depth first.
enum class VisitType { Pre = 0, Post };
/// Forward: from a tensor to the outputs of its consumers. Backward: to the inputs of its producer.
/// The other two go both ways, and differ in which they go first.
enum class TraversalDirection { ForwardBackward = 0, BackwardForward, Forward, Backward };

/// By which of the operators that call a graph it is left, by its inputs and outputs: that by which
/// it was entered, if any, or each.
enum class TraverseCallSites { Current = 0, All };

/// Visits tensors from `tensors` on. What follows a tensor is visited if `visitor` is true for it, and
/// `filter` for the operator in between, the tensor and the one that follows. With VisitType::Post
/// the filter is asked first. An operator that calls graphs leads to the tensors in these, too, and
/// these lead back; a tensor of a graph is visited once for each way of calls to it.
void traverse(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor,
              std::function<bool(Op*, Tensor*, Tensor*)> filter, TraversalType traversalType,
              VisitType visitType, TraversalDirection traversalDirection,
              TraverseCallSites traverseCallSites);
/// By TraverseCallSites::Current.
void traverse(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor,
              std::function<bool(Op*, Tensor*, Tensor*)> filter, TraversalType traversalType,
              VisitType visitType, TraversalDirection traversalDirection);
/// Forward, with all operators.
void traverseBreadthFirst(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor);
void traverseDepthFirst(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor);

/// The tensors without a producer from which `tensor` comes.
std::vector<Tensor*> rootTensors(Tensor* tensor);

/// For each operator those of `ops` that run before it, by tensors and constraints, however many
/// operators lie between.
std::map<Op*, std::set<Op*, POpCmp>, POpCmp> getOpsWithBefores(const std::set<Op*, POpCmp>& ops);
std::map<Op*, std::set<Op*, POpCmp>, POpCmp> getOpsWithBefores(const std::vector<Op*>& ops);

enum class EdgeType {
  Tensor = 0,  ///< an output of the one operator is an input of the other
  TopoCon      ///< the one has to run before the other
};

/// What connects two operators of findMatchingOps(): those with the numbers `from` and `to`. -1
/// stands for any output or input.
class Edge {
 public:
  Edge() : Edge(-1, -1) {}
  Edge(int from, int to) : Edge(from, to, -1, -1) {}
  Edge(int from, int to, OutIndex out, InIndex in) : from_(from), to_(to), out_(out), in_(in) {}
  Edge(int from, int to, EdgeType type) : Edge(from, to) { type_ = type; }

  int getFrom() const { return from_; }
  int getTo() const { return to_; }
  OutIndex getOut() const { return out_; }
  InIndex getIn() const { return in_; }
  EdgeType getEdgeType() const { return type_; }

 private:
  int from_, to_;
  OutIndex out_;
  InIndex in_;
  EdgeType type_ = EdgeType::Tensor;
};
bool operator<(const Edge& a, const Edge& b);

using OpPred = std::function<bool(const Op*)>;
using OpPreds = std::vector<OpPred>;
using OpPredMap = std::map<std::size_t, OpPred>;
using Edges = std::set<Edge>;

/// All choices of operators of a graph, one for each predicate, no two the same, that are connected
/// by the edges.
/// \throws error for an edge with a number that no predicate has, and for numbers of a map that do
/// not run from 0 on
std::vector<std::vector<Op*>> findMatchingOps(Graph& graph, const OpPreds& preds,
                                              const Edges& edges);
std::vector<std::vector<Op*>> findMatchingOps(Graph& graph, const OpPredMap& preds,
                                              const Edges& edges);

/// Where an operator stands with respect to the loss, as Ir::updateVertices() has found it. The
/// first of these rules that holds decides.
enum class OpFinalLossRelation {
  ToLoss = 0,  ///< the loss depends on it
  FromLoss,    ///< it depends on the gradient of the loss
  ToFromLoss,  ///< one that is FromLoss or ToFromLoss reads it or has to run before it, and it does
               ///< not have to run before one of the forward pass
  FromToLoss   ///< all others
};
std::ostream& operator<<(std::ostream& os, const OpFinalLossRelation& relation);
std::map<Op*, OpFinalLossRelation, POpCmp> getOpFinalLossRelations(Graph& graph);

}  // namespace graphutils
}  // namespace popart

#pragma GCC visibility pop

#endif
