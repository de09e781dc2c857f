// Graphs of operators and tensors. After popart/graph.hpp of PopART 3.
#ifndef popart_graph_hpp
#define popart_graph_hpp

#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/scheduler_requireoptimal.hpp>
#include <popart/scope.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>
#include <popart/topocons.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class GraphLink;  // cpp/popart/link.hpp
}

namespace popart {

/// A view of the compiler's graph. The compiler owns the graph; this class only holds the C++
/// objects of its operators and tensors.
class Graph {
 public:
  /// For popir itself. `ir` is the graph's own.
  Graph(Ir& ir, const GraphId& graphId, popir::GraphLink* link);
  /// \throws error: Ir::createGraph() makes graphs
  Graph(Ir& ir, const GraphId& graphId);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  const GraphId id;
  /// Ordering constraints in addition to data dependencies.
  const std::unique_ptr<TopoCons> topoCons;

  Ir& getIr() { return *ir_; }
  const Ir& getIr() const { return *ir_; }
  Tensors& getTensors() { return tensors_; }
  const Tensors& getTensors() const { return tensors_; }
  /// \throws error for an unknown id
  Tensor* getTensor(const TensorId& tensorId) { return tensors_.get(tensorId); }
  void addActGrad(const TensorId& tensorId) { tensors_.addActGrad(tensorId); }
  void addVarInit(const TensorId& name, const TensorInfo& info, const void* src,
                  const DebugContext& = {}) {
    tensors_.addVarInit(name, info, src);
  }
  void addConstInit(const TensorId& name, const TensorInfo& info, const void* src,
                    const DebugContext& = {}) {
    tensors_.addConstInit(name, info, src);
  }
  void addStream(const TensorId& name, const TensorInfo& info, const DebugContext& = {}) {
    tensors_.addStream(name, info);
  }

  // ---- Inputs and outputs. Those of the main graph: what the host sends. ----
  std::vector<TensorId> getInputIds() const;
  /// Adds a tensor that whoever calls the graph gives it, at the end or at `index`. With `overwrite`
  /// it takes the place of the input that is there.
  /// \throws error if there is a tensor of that id, or an index between is left out
  void addInput(const TensorId& tensorId, const TensorInfo& info);
  void addInput(const InIndex& index, const TensorId& tensorId, const TensorInfo& info,
                bool overwrite);
  /// The same, with an id that no tensor has.
  TensorId addInput(const TensorInfo& info);
  /// Makes an existing tensor the last input.
  void markAsInput(const TensorId& tensorId);
  /// \throws error for one that is no input
  InIndex getInputIndex(TensorId tensorId) const;
  TensorId getInputId(InIndex index) const { return getInputIds().at(index); }
  Tensor* getInputTensor(InIndex index) const { return tensors_.get(getInputId(index)); }
  bool hasInputId(const TensorId& tensorId) const;
  /// The tensor stays if something reads it.
  void removeInput(const TensorId& tensorId);
  void removeInput(const InIndex& index) { removeInput(getInputId(index)); }
  std::vector<TensorId> getOutputIds() const;
  /// Makes an existing tensor an output, the last or that of `index`.
  void markAsOutput(const TensorId& tensorId);
  void markAsOutput(const OutIndex& index, const TensorId& tensorId, bool overwrite);
  /// \throws error for one that is no output
  OutIndex getOutputIndex(TensorId tensorId) const;
  TensorId getOutputId(OutIndex index) const { return getOutputIds().at(index); }
  Tensor* getOutputTensor(OutIndex index) const { return tensors_.get(getOutputId(index)); }
  bool hasOutputId(const TensorId& tensorId) const;
  void removeOutput(const TensorId& tensorId);
  void removeOutput(const OutIndex& index) { removeOutput(getOutputId(index)); }
  const TensorId& getLoss() const { return loss_; }
  void setLoss(const TensorId& loss) { loss_ = loss; }

  // ---- Relations to other graphs ----
  /// Empty for the main graph, else a scope of the graph's id: the ids of the tensors of a graph
  /// begin with it (addScope in popart/util.hpp).
  Scope getScope() const;
  /// popart::addScope() and popart::removeScope() of this graph.
  TensorId addScope(const TensorId& id) const;
  TensorId removeScope(const TensorId& id) const;
  /// The graphs that the operators of this one call, each once.
  std::vector<const Graph*> getCalledGraphs() const;
  /// The operators that call this graph, in the order in which their graphs run them; the first
  /// `num` of them.
  std::vector<Op*> getCallSiteOps() const;
  std::vector<Op*> getCallSiteOps(std::size_t num) const;

  /// \throws error for an unknown id
  Op* getOp(OpId opId) const;
  /// Null for an unknown id.
  Op* getOpUnsafe(OpId opId) const;
  std::vector<OpId> getOpIds() const;
  /// All operators, by id. Each call refills the map. Do not modify it: it does not own the
  /// operators.
  std::map<OpId, std::unique_ptr<Op>>& getOps();
  const std::map<OpId, std::unique_ptr<Op>>& getOps() const;
  /// The operators in the order in which they run. With further constraints, those of this graph, in
  /// one that keeps them too, which is not that of the engine.
  /// \throws error for operators that wait for each other
  std::vector<Op*> getOpSchedule(const OpsBeforeKey& constraints, RequireOptimalSchedule) const;
  /// Whether there is an order with these constraints, and by execution phase if asked.
  bool isSchedulable(const OpsBeforeKey& constraints, bool respectExecutionPhases = false) const;
  /// For each operator those that have to run after it, by tensors and constraints.
  std::map<OpId, std::unordered_set<OpId>> getEdgeMap() const;
  /// How many operators are on each IPU. NoVGraph counts those on none.
  const std::map<int64_t, int> getVirtualGraphCounts() const;
  const std::set<int64_t> getAllVirtualGraphIds(bool includeInvalid) const;
  static constexpr int64_t NoVGraph = unusedVGraphId;
  const std::string& getGraphId() const { return id.str(); }
  /// For messages: "The main graph" or "The graph 'id'".
  std::string getGraphString() const;
  /// Removes tensors that no operator reads or computes. Those that the host sends or asks for stay
  /// on demand, and so do variables and constants.
  void removeIsolatedTensors(bool retainUsedIOTensors = false, bool retainAllIOTensors = false,
                             bool retainVarTensors = false, bool retainConstTensors = false);
  /// The operators from one tensor to another that each show their input (isInplaceViewChange), and
  /// whether there are such.
  /// \throws error for a tensor of another graph
  std::pair<bool, std::vector<Op*>> getDirectViewChain(Tensor* from, Tensor* to);
  /// Makes all consumers of `oldId` read `newId` instead.
  void replaceTensor(const TensorId& oldId, const TensorId& newId);

  enum class CopyInputMarkings { Yes = 1, No = 0 };
  enum class CopyOutputMarkings { Yes = 1, No = 0 };
  /// Adds copies of the operators, tensors and constraints of another graph, with the scope of this
  /// one in place of that one's. What are inputs or outputs there are so here too, after those that
  /// there are; without the markings an input is a tensor that nothing gives.
  /// \throws error for an id that there is already
  void copyFrom(const Graph& other, CopyInputMarkings copyInputMarkings = CopyInputMarkings::Yes,
                CopyOutputMarkings copyOutputMarkings = CopyOutputMarkings::Yes);
  /// Whether Autodiff may differentiate the graph with one that calls it.
  bool canBeRecursivelyAutodiffed() const { return canBeRecursivelyAutodiffed_; }
  void setCanBeRecursivelyAutodiffed(bool value) { canBeRecursivelyAutodiffed_ = value; }

  /// Adds an operator to the graph, which takes ownership and assigns an id.
  OpId moveIntoGraph(std::unique_ptr<Op> op);
  /// Removes a disconnected operator. The object stays valid until the current call from the
  /// compiler (of a pattern, say) returns.
  void eraseOp(OpId opId);

  /// Creates an OP from `args` and adds it.
  template <typename OP, typename... Args>
  OP* createOp(Args&&... args) {
    std::unique_ptr<OP> made(new OP(std::forward<Args>(args)...));
    OP* op = made.get();
    moveIntoGraph(std::move(made));
    return op;
  }
  /// Creates an OP, connects it and calls its setup(). An existing output tensor is disconnected
  /// from its producer first.
  template <typename OP, typename... Args>
  OP* createConnectedOp(const std::map<InIndex, TensorId>& in,
                        const std::map<OutIndex, TensorId>& out, Args&&... args) {
    OP* op = createOp<OP>(std::forward<Args>(args)...);
    connect(op, in, out);
    return op;
  }

  /// For popir itself: the link to the compiler's graph.
  popir::GraphLink& link() const { return *link_; }

 private:
  void connect(Op* op, const std::map<InIndex, TensorId>& in,
               const std::map<OutIndex, TensorId>& out);

  void forgetOps() const;

  friend class Ir;

  /// Puts an id into the list of inputs or outputs.
  void mark(bool inputs, int index, const TensorId& tensorId, bool overwrite);
  void unmark(bool inputs, const TensorId& tensorId);
  int indexOf(bool inputs, const TensorId& tensorId) const;

  /// That of its own, or of a program that has made or prepared one.
  Ir* ir_;
  Ir* const own_;
  Tensors tensors_;
  mutable std::map<OpId, std::unique_ptr<Op>> ops_;
  TensorId loss_;
  bool canBeRecursivelyAutodiffed_ = true;
  std::unique_ptr<popir::GraphLink> link_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
