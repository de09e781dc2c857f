// Base class of operators written in C++. After popart/op.hpp of PopART 3.
#ifndef popart_op_hpp
#define popart_op_hpp

#include <popart/attributes.hpp>
#include <popart/basicoptionals.hpp>
#include <popart/bwdgraphinfo.hpp>
#include <popart/datatype.hpp>
#include <popart/debugcontext.hpp>
#include <popart/error.hpp>
#include <popart/half.hpp>
#include <popart/names.hpp>
#include <popart/opdebuginfo.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/region.hpp>
#include <popart/scope.hpp>
#include <popart/subgraph/subgraphnames.hpp>
#include <popart/tensorindex.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/util.hpp>
#include <popart/vendored/optional.hpp>
#include <popart/vertex.hpp>

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class OpLink;  // cpp/popart/link.hpp
}

namespace poprithms {
namespace memory {
namespace inplace {
class Proposal;  // popart/alias/aliasmodel.hpp
}
}  // namespace memory
}  // namespace poprithms

namespace popart {

class OpSerialiserBase;
class AliasModel;
class CommGroup;
class ReplicaGrouping;
class Pattern;
class ReplicaEqualAnalysisProxy;

/// The IPU of what is on none.
static constexpr VGraphId unusedVGraphId = -1;

enum class RecomputeType { Undefined = 0, Checkpoint, Recompute, Recomputed };

/// Where in a training step an operator runs.
enum class ExecutionContext {
  Normal = 0,
  AccumulateOuterFragment,
  WeightsFromHostFragment,
  WeightsToHostFragment,
  OptimizerFromHostFragment,
  Subgraph
};

std::ostream& operator<<(std::ostream& os, const RecomputeType& type);
std::ostream& operator<<(std::ostream& os, const ExecutionContext& context);

enum class ReductionType { Sum = 0, Mean, NoReduction, N };
std::ostream& operator<<(std::ostream& os, const ReductionType& type);

/// The kind of a gradient operator's input, relative to its forward operator.
enum class GradOpInType {
  In = 0,   ///< an input of the forward operator
  Out,      ///< an output of the forward operator
  GradOut,  ///< the gradient of an output of the forward operator
  // Their names in SDK 1.
  IN = In,
  OUT = Out,
  GRADOUT = GradOut
};

/// Input `iGrad` of a gradient operator is tensor `iNonGrad`, of kind `type`, of its forward
/// operator.
class GradInOutMapper {
 public:
  GradInOutMapper(InIndex iGrad_, int iNonGrad_, GradOpInType type_)
      : iGrad(iGrad_), iNonGrad(iNonGrad_), type(type_) {}

  InIndex iGrad;
  int iNonGrad;
  GradOpInType type;

  bool operator==(const GradInOutMapper& o) const {
    return iGrad == o.iGrad && iNonGrad == o.iNonGrad && type == o.type;
  }
};

/// The producer of a tensor, which of its outputs it is, and its id. Without a producer: null and -1.
using SubgraphInSig = std::tuple<Op*, fwtools::subgraph::OutIndex, std::string>;
using OpSet = std::set<Op*, POpCmp>;

/// An operator of a graph. A derived class sets the types and shapes of its outputs in setup()
/// (shape inference) and copies itself in clone(). If it supports training, it creates its gradient
/// operators in getGradOps().
class Op : public Vertex {
 public:
  /// Settings common to all operators.
  struct Settings {
    Settings(Graph& graph_, const std::string& name_) : graph(graph_), name(name_) {}
    Settings(Graph& graph_, const std::string& name_, const Scope& scope_)
        : graph(graph_), name(name_), scope(scope_) {}
    /// A DebugInfo's id is accepted; the compiler names operators by `name` and `scope`.
    Settings(Graph& graph_, const std::string& name_, uint64_t) : Settings(graph_, name_) {}
    Settings(Graph& graph_, const std::string& name_, const Scope& scope_, uint64_t)
        : Settings(graph_, name_, scope_) {}
    Settings(const Settings&) = default;
    Settings& operator=(const Settings&) = default;
    virtual ~Settings();

    Settings copy(const std::string& newName) const {
      Settings s = *this;
      s.name = newName;
      return s;
    }
    Ir& getIr() const;

    std::reference_wrapper<Graph> graph;
    std::string name;
    Scope scope;
    RecomputeType recomputeType = RecomputeType::Undefined;
    /// Priorities of in-place variants, by operator name. They override the default priorities.
    std::vector<std::tuple<std::string, float>> inplacePriorityVeto;
    std::unordered_set<std::string> excludePatterns;
    OptionalVGraphId vgraphId;
    /// Only stored: popir uses all tiles for computing.
    TileSet tileSet = TileSet::Compute;
    OptionalPipelineStage pipelineStage;
    OptionalExecutionPhase executionPhase;
    OptionalBatchSerializedPhase batchSerializedPhase;
    /// Where the operator's outputs are: on chip. A graph refuses another place; the options of a
    /// session say where tensors of a kind are.
    OptionalTensorLocation tensorLocation;
    ExecutionContext executionContext = ExecutionContext::Normal;
    double schedulePriority = 0.0;
    std::map<std::string, std::string> extraOutlineAttributes;
    bool optimizerOp = false;
    bool gradientClippingOp = false;
    /// Which input is to lie where another one does. A graph refuses an operator that says so: where a
    /// tensor lies is the compiler's.
    std::map<InIndex, InIndex> inferTensorMappingToFrom;
    uint64_t debugInfoId = 0;
  };

  Op(const OperatorIdentifier& opid_, const Settings& settings_);
  /// Copies the operator's attributes and settings, but not its connections. The copy is in no
  /// graph.
  Op(const Op& other);
  Op& operator=(const Op&) = delete;
  ~Op() override;

  OpId id = -1;
  OperatorIdentifier opid;
  Settings settings;
  std::unique_ptr<TensorIndexMap> input;
  std::unique_ptr<TensorIndexMap> output;
  /// True if the operator may be removed when its outputs are unused.
  bool pruneable = true;

  Settings& getSettings() { return settings; }
  const Settings& getSettings() const { return settings; }
  /// Its settings, with the IPU and the tiles of an input or an output.
  virtual Settings getInSettings(InIndex index) const { return adjustInSettings(index, settings); }
  virtual Settings getOutSettings(OutIndex index) const {
    return adjustOutSettings(index, settings);
  }
  Settings adjustInSettings(InIndex index, Settings given) const;
  Settings adjustOutSettings(OutIndex index, Settings given) const;
  const std::string& name() const { return settings.name; }
  const std::string& getName() const { return settings.name; }
  void setName(const std::string& name);
  const Scope& getScope() const { return settings.scope; }
  Graph& getGraph() { return settings.graph.get(); }
  const Graph& getGraph() const { return settings.graph.get(); }
  Ir& getIr();
  const Ir& getIr() const;
  /// Identifier and id: "ai.onnx.LeakyRelu:6 (7)".
  std::string str() const override;
  /// Identifier, name, inputs and outputs, for error messages.
  std::string debugName() const;
  /// Writes the same, and the types and shapes of the inputs and outputs, a line each.
  void append(std::stringstream& ss) const;
  /// Made when it is first asked for.
  const OpDebugInfo& getDebugInfo() const;
  /// OpDebugInfo::finalize().
  void finalizeDebugInfo();

  // ---- Properties. The defaults: no gradient, no side effects, no aliases. ----
  /// Sets type and shape of each output. Called again after an input changes.
  virtual void setup();
  virtual std::unique_ptr<Op> clone() const = 0;
  virtual std::vector<std::unique_ptr<Op>> getGradOps();
  /// Gradient operators only: the meaning of each input.
  virtual const std::vector<GradInOutMapper>& gradInputInfo() const;
  /// Gradient operators only: maps each output index to the forward input of which it is the
  /// gradient.
  virtual const std::map<int, int>& gradOutToNonGradIn() const;
  /// Benefit of outlining: how much is gained by sharing the code of equal operators.
  virtual float getSubgraphValue() const = 0;
  float getHighSubgraphValue() const { return 1000.0f; }
  float getLowSubgraphValue() const { return 0.1f; }
  /// The graphs that the operator calls, such as the body of a loop. Each has a SubgraphIndex, its
  /// place here.
  virtual std::vector<const Graph*> getCalledGraphs() const;
  std::vector<GraphId> getCalledGraphIds() const;
  /// \throws error for a graph that the operator does not call
  SubgraphIndex getCalledGraphIndex(const GraphId& graphId) const;
  /// The operator's input for one of a called graph, and the reverse; the same for outputs. -1
  /// where there is none. By default they have the same indices.
  virtual InIndex opInToSubgraphInIndex(SubgraphIndex subgraph, InIndex index) const;
  virtual InIndex subgraphInToOpInIndex(SubgraphIndex subgraph, InIndex index) const;
  virtual OutIndex opOutToSubgraphOutIndex(SubgraphIndex subgraph, OutIndex index) const;
  virtual OutIndex subgraphOutToOpOutIndex(SubgraphIndex subgraph, OutIndex index) const;
  /// Writes the attributes that distinguish operators of this class. An override must call the
  /// base.
  virtual void appendAttributes(OpSerialiserBase& os) const;
  /// Like appendAttributes(), but only attributes that affect the generated code.
  virtual void appendOutlineAttributes(OpSerialiserBase& os) const;
  /// The graphs of gradients of those that it calls, for a class whose gradient operators call them.
  /// popir itself does not call this.
  virtual void setCalledSubgraphGradInfo(const FwdGraphToBwdGraphInfo&) {}
  virtual bool requiresRandomSeed() const { return false; }
  virtual InIndex getSeedInIndex() const { return -1; }
  virtual bool hasSideEffect() const { return false; }
  virtual bool canRecompute() const { return !hasSideEffect(); }
  virtual bool isOutlineable() const { return true; }
  virtual bool canBeReplacedByIdentity() const { return false; }
  virtual bool canShard() const { return false; }
  virtual ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const { return {}; }
  /// After its tensors were sharded over replicas; setup() by default. popir itself does not call
  /// these: it shards what optimizers update.
  virtual void configureForReplicatedTensorSharding(ReplicatedTensorShardingIndices indices,
                                                    CommGroup shardingDomain);
  virtual void configureForReplicatedTensorSharding(ReplicatedTensorShardingIndices indices,
                                                    const ReplicaGrouping& grouping);
  virtual std::set<InIndex> optionalInputs() const { return {}; }

  // ---- In-placing ----
  /// Identifiers and priorities of in-place variants. Those with priority > 0 are tried, highest
  /// first.
  virtual std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const;
  virtual std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const;
  /// The region of an input that the operator writes.
  virtual view::Regions modifies(InIndex index) const;
  /// The region of an input that the operator reads.
  virtual view::Regions uses(InIndex index) const;
  /// The region of an input that an output aliases.
  virtual view::Regions aliases(InIndex in, OutIndex out) const;
  /// Maps regions of an input to regions of an output (bwdRegMap: the reverse). The default is the
  /// identity.
  virtual view::RegMap fwdRegMap(InIndex in, OutIndex out) const;
  virtual view::RegMap bwdRegMap(InIndex in, OutIndex out) const;
  // What an AliasModelGrower calls. popir's own in-placing reads the results of the functions
  // above.
  /// Adds the operator and its outputs to an alias model. By default as growAliasModelMulti().
  virtual void growAliasModel(AliasModel& model) const;
  /// Adds it by aliases(), modifies() and the region maps.
  /// \throws error if an output shows elements of an input that are no single region
  void growAliasModelMulti(AliasModel& model) const;
  virtual poprithms::memory::inplace::Proposal mapInplaceProposal(const AliasModel& model,
                                                                  OperatorIdentifier variant) const;
  /// The proposal that output 0 aliases input 0.
  poprithms::memory::inplace::Proposal mapInplaceProposalGate0(const AliasModel& model,
                                                               OperatorIdentifier variant) const;
  /// For ReplicaEqualAnalysis: which outputs, and which modified inputs, are the same on all replicas,
  /// given which inputs are. By default outputs are if all inputs are.
  virtual std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const;
  bool modifiesIndex(InIndex index) const { return view::nonEmptyRegion(modifies(index)); }
  bool doesAlias(InIndex in, OutIndex out) const { return view::nonEmptyRegion(aliases(in, out)); }

  /// modifies: an input is written. doesAlias: an input is aliased by an output.
  bool modifies() const;
  bool doesAlias() const;
  bool isOutplace() const { return !doesAlias(); }
  /// modifiesTensor: the operator writes the tensor. overwritesTensor: without reading it first.
  bool modifiesTensor(Tensor* tensor) const;
  bool overwritesTensor(Tensor* tensor) const;
  /// Whether an input, or what it is a view of or others show of it, must not be written
  /// (Tensor::isUnmodifiable), and whether that holds for any input.
  bool inputUnmodifiable(InIndex in) const;
  bool inputsUnmodifiable() const;
  /// Whether an operator writes an output, or what it shows or others show of it.
  bool hasAliasedModifiers(OutIndex out) const;
  bool consumesGraphOutput() const;
  bool producesGraphOutput() const;

  // ---- Kind of operator, for patterns. popir itself does not call these. ----
  virtual bool isLossOp() const { return false; }
  virtual bool isOptimizerOp() const { return settings.optimizerOp; }
  virtual bool isNorm() const { return false; }
  virtual bool isIpuCopyOp() const { return false; }
  virtual bool copiesOptimizerTensors() const { return false; }
  virtual bool isOutplaceViewChange() const { return false; }
  virtual bool isInplaceViewChange() const { return false; }
  virtual int getInBatchAxis(InIndex) const { return 0; }
  virtual int getOutBatchAxis(OutIndex) const { return 0; }
  /// The value of gradOutToNonGradIn() for an output.
  /// \throws error if there is none
  virtual int getNonGradInIndex(int gradOpOutIndex) const;
  /// Attributes for log messages only.
  virtual void appendMore(OpSerialiserBase& os) const;
  bool isElementWiseUnary() const;
  bool isGradientClippingOp() const { return settings.gradientClippingOp; }
  /// Depends on the operator's settings.
  bool isExcludedFromPattern(const Pattern* pattern) const;
  /// A key that is equal for operators that may share code, by their attributes and the types and
  /// shapes of their inputs and outputs.
  std::string getSubgraphEquivId() const;
  /// For fwtools::subgraph: the producer of each input, the index of its output, and the id of the
  /// tensor, and the readers of each output.
  std::map<fwtools::subgraph::InIndex, SubgraphInSig> getSubgraphInputs() const;
  std::map<fwtools::subgraph::OutIndex, OpSet> getSubgraphOutputs() const;
  /// The bytes of inputs and outputs that its gradient operators read; an input only if `inputsSeen`
  /// has not its index, which is then put there. For a split over IPUs of one's own.
  virtual float calcAutoVirtualGraphCost(std::set<int>& inputsSeen);
  /// Total size of all outputs, in bytes.
  int64_t memOfOutputs() const;

  /// The shape after numpy broadcasting.
  /// \throws error, with the operator's name, if the shapes cannot be broadcast
  Shape prettyNpOut(const Shape& a, const Shape& b) const;
  TensorInfo prettyNpOut(const TensorInfo& a, const TensorInfo& b, bool checkDataType = true) const;

  // ---- Placement and schedule, from the settings ----
  // The get...() functions that do not return an optional throw error if the setting is missing.
  bool hasVirtualGraphId() const { return static_cast<bool>(settings.vgraphId); }
  OptionalVGraphId getOptionalVGraphId() const { return settings.vgraphId; }
  VGraphId getVirtualGraphId() const;
  void setVirtualGraphId(OptionalVGraphId id) { settings.vgraphId = id; }
  bool hasPipelineStage() const { return static_cast<bool>(settings.pipelineStage); }
  OptionalPipelineStage getOptionalPipelineStage() const { return settings.pipelineStage; }
  PipelineStage getPipelineStage() const;
  void setPipelineStage(OptionalPipelineStage stage) { settings.pipelineStage = stage; }
  bool hasExecutionPhase() const { return static_cast<bool>(settings.executionPhase); }
  OptionalExecutionPhase getOptionalExecutionPhase() const { return settings.executionPhase; }
  ExecutionPhase getExecutionPhase() const;
  void setExecutionPhase(OptionalExecutionPhase phase) { settings.executionPhase = phase; }
  bool hasBatchSerializedPhase() const { return static_cast<bool>(settings.batchSerializedPhase); }
  OptionalBatchSerializedPhase getOptionalBatchSerializedPhase() const {
    return settings.batchSerializedPhase;
  }
  BatchSerializedPhase getBatchSerializedPhase() const;
  void setBatchSerializedPhase(OptionalBatchSerializedPhase phase) {
    settings.batchSerializedPhase = phase;
  }
  void setScope(const Scope& scope) { settings.scope = scope; }
  /// InheritOpAttributeHelper::apply() of popart/opattributehelper.hpp.
  void inheritPlacementAttributes(bool inheritSerializations, AliasModel& aliasModel);

  /// The IPU and the tiles of an input or an output: those of the operator. A class whose tensors
  /// lie elsewhere overrides the forms with `visited`, the operators that were asked before.
  VGraphIdAndTileSet getIntrospectionInVirtualGraphId(InIndex index) const;
  VGraphIdAndTileSet getIntrospectionOutVirtualGraphId(OutIndex index) const;
  virtual VGraphIdAndTileSet getIntrospectionInVirtualGraphId(InIndex index,
                                                              std::set<OpId>& visited) const;
  virtual VGraphIdAndTileSet getIntrospectionOutVirtualGraphId(OutIndex index,
                                                               std::set<OpId>& visited) const;

  // ---- Neighbours ----
  /// isParentOf: an output of this is an input of `other`. isChildOf: the reverse.
  bool isParentOf(const Op* other) const;
  bool isChildOf(const Op* other) const { return other->isParentOf(this); }
  /// The producer of an input. These functions throw error if there is no such operator, and the
  /// forms with a type also if it has another type.
  Op* getPrecedingOp(InIndex index);
  /// The only consumer of an output.
  Op* getFollowingOp(OutIndex index = 0);
  /// All consumers of an output.
  std::vector<Op*> getFollowingOps(OutIndex index = 0);
  template <typename T>
  T* getPrecedingOp(InIndex index) {
    return as<T>(getPrecedingOp(index));
  }
  template <typename T>
  T* getFollowingOp(OutIndex index = 0) {
    return as<T>(getFollowingOp(index));
  }
  template <typename T>
  std::vector<T*> getFollowingOps(OutIndex index = 0) {
    std::vector<T*> ops;
    for (Op* op : getFollowingOps(index)) ops.push_back(as<T>(op));
    return ops;
  }

  // ---- Connections. These functions also update producers and consumers of the tensors. ----
  virtual void connectInTensor(InIndex index, TensorId tensorId);
  /// Op::connectInTensor(), whatever a class makes of it.
  void defaultConnectInTensor(InIndex index, TensorId tensorId) {
    Op::connectInTensor(index, tensorId);
  }
  /// The same: what tells where the tensor comes from (IpuCopyOp) keeps the IPU.
  virtual void connectInTensor(InIndex index, TensorId tensorId, VGraphId sourceIpu);
  /// The tensor must exist and have no producer.
  void connectOutTensor(OutIndex index, TensorId tensorId);
  /// Creates the tensor.
  void createAndConnectOutTensor(OutIndex index, TensorId tensorId);
  void disconnectInTensor(InIndex index);
  void disconnectInTensor(Tensor* tensor);
  /// \throws error if another tensor is connected there
  void disconnectInTensor(InIndex index, Tensor* tensor);
  void disconnectOutTensor(Tensor* tensor);
  void disconnectAllInputs();
  void disconnectAllOutputs();

  // These throw error if nothing is connected at the index.
  Tensor* inTensor(InIndex index) { return input->tensor(index); }
  const Tensor* inTensor(InIndex index) const;
  Tensor* outTensor(OutIndex index) { return output->tensor(index); }
  const Tensor* outTensor(OutIndex index) const;
  /// The first index of a tensor.
  /// \throws error if it is not connected
  InIndex inIndex(Tensor* tensor) const;
  OutIndex outIndex(Tensor* tensor) const;
  TensorId inId(InIndex index) { return input->id(index); }
  TensorId inId(InIndex index) const { return input->id(index); }
  TensorId outId(OutIndex index) { return output->id(index); }
  TensorId outId(OutIndex index) const { return output->id(index); }
  TensorInfo& inInfo(InIndex index);
  const TensorInfo& inInfo(InIndex index) const;
  TensorInfo& outInfo(OutIndex index);
  const TensorInfo& outInfo(OutIndex index) const;
  const Shape& inShape(InIndex index) const { return inInfo(index).shape(); }
  const Shape& outShape(OutIndex index) const { return outInfo(index).shape(); }
  Rank inRank(InIndex index) const { return inInfo(index).rank(); }
  Rank outRank(OutIndex index) const { return outInfo(index).rank(); }

  bool hasInput(InIndex index) const { return input->hasIndex(index); }
  bool hasOutput(OutIndex index) const { return output->hasIndex(index); }
  std::size_t inTensorCount() const { return static_cast<std::size_t>(input->n()); }
  std::size_t outTensorCount() const { return static_cast<std::size_t>(output->n()); }

  template <typename T>
  bool isConvertibleTo() const {
    return dynamic_cast<const T*>(this) != nullptr;
  }
  /// Copies the settings that control where and when an operator runs.
  void transferBaseProperties(Op* to) const;

  /// For popir itself: the link to the compiler's operator. Null before there is one.
  popir::OpLink* link() const { return link_.get(); }
  void setLink(popir::OpLink* link);

 private:
  template <typename T>
  T* as(Op* op) const {
    if (T* found = dynamic_cast<T*>(op)) return found;
    throw error("{} is next to {}, which is of another class than asked for", debugName(),
                op->debugName());
  }

  std::unique_ptr<popir::OpLink> link_;
  mutable std::unique_ptr<OpDebugInfo> debugInfo_;
};

std::ostream& operator<<(std::ostream& os, const GradOpInType& type);

}  // namespace popart

#pragma GCC visibility pop

#endif
