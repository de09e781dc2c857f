// popart/op.hpp: what an operator means. The base class of operators written in C++.
#ifndef popart_op_hpp
#define popart_op_hpp

#include <popart/attributes.hpp>
#include <popart/basicoptionals.hpp>
#include <popart/datatype.hpp>
#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/region.hpp>
#include <popart/scope.hpp>
#include <popart/tensorindex.hpp>
#include <popart/tensorinfo.hpp>

#include <functional>
#include <map>
#include <memory>
#include <ostream>
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
class Pattern;

enum class RecomputeType { Undefined = 0, Checkpoint, Recompute, Recomputed };

/// Where in a step an operator runs.
enum class ExecutionContext {
  Normal = 0,
  AccumulateOuterFragment,
  WeightsFromHostFragment,
  WeightsToHostFragment,
  OptimizerFromHostFragment,
  Subgraph
};

enum class ReductionType { Sum = 0, Mean, NoReduction, N };

/// What an input of a gradient operator is, seen from the operator that it is the gradient of.
enum class GradOpInType {
  In = 0,  ///< an input of the forward operator
  Out,     ///< an output of the forward operator
  GradOut  ///< the gradient of an output of the forward operator
};

/// Input `iGrad` of a gradient operator is the forward operator's tensor `iNonGrad` of kind `type`.
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

/// An operator of a graph. A class derives from it, sets its outputs' infos in setup(), copies
/// itself in clone() and, where it can be trained, makes its gradient operators in getGradOps().
class Op {
 public:
  /// What an operator has beside its own attributes.
  struct Settings {
    Settings(Graph& graph_, const std::string& name_) : graph(graph_), name(name_) {}
    Settings(Graph& graph_, const std::string& name_, const Scope& scope_)
        : graph(graph_), name(name_), scope(scope_) {}
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
    /// Variants for work in place, by operator name, with priorities that replace the default ones.
    std::vector<std::tuple<std::string, float>> inplacePriorityVeto;
    std::unordered_set<std::string> excludePatterns;
    OptionalVGraphId vgraphId;
    OptionalPipelineStage pipelineStage;
    OptionalExecutionPhase executionPhase;
    OptionalBatchSerializedPhase batchSerializedPhase;
    ExecutionContext executionContext = ExecutionContext::Normal;
    double schedulePriority = 0.0;
    std::map<std::string, std::string> extraOutlineAttributes;
    bool optimizerOp = false;
    bool gradientClippingOp = false;
    uint64_t debugInfoId = 0;
  };

  Op(const OperatorIdentifier& opid_, const Settings& settings_);
  /// Copies what the operator is, not where it is: no connections, and in no graph.
  Op(const Op& other);
  Op& operator=(const Op&) = delete;
  virtual ~Op();

  OpId id = -1;
  OperatorIdentifier opid;
  Settings settings;
  std::unique_ptr<TensorIndexMap> input;
  std::unique_ptr<TensorIndexMap> output;
  /// Whether the operator may be removed when nothing uses its outputs.
  bool pruneable = true;

  Settings& getSettings() { return settings; }
  const Settings& getSettings() const { return settings; }
  const std::string& name() const { return settings.name; }
  const std::string& getName() const { return settings.name; }
  void setName(const std::string& name);
  const Scope& getScope() const { return settings.scope; }
  Graph& getGraph() { return settings.graph.get(); }
  const Graph& getGraph() const { return settings.graph.get(); }
  Ir& getIr();
  const Ir& getIr() const;
  /// "ai.onnx.LeakyRelu:6 (7)", with the operator's id.
  virtual std::string str() const;
  /// With name, inputs and outputs, for error messages.
  std::string debugName() const;

  // The operator. The defaults are those of an operator without gradient, side effect or alias.
  /// Sets the info of each output. May be called again after an input changed.
  virtual void setup();
  virtual std::unique_ptr<Op> clone() const = 0;
  virtual std::vector<std::unique_ptr<Op>> getGradOps();
  /// Of a gradient operator: what each of its inputs is.
  virtual const std::vector<GradInOutMapper>& gradInputInfo() const;
  /// Of a gradient operator: output index to the forward input that it is the gradient of.
  virtual const std::map<int, int>& gradOutToNonGradIn() const;
  /// How much is gained by sharing the code of equal operators.
  virtual float getSubgraphValue() const = 0;
  float getHighSubgraphValue() const { return 1000.0f; }
  float getLowSubgraphValue() const { return 0.1f; }
  /// What tells this operator from another one of its class; the base gives what all have.
  virtual void appendAttributes(OpSerialiserBase& os) const;
  /// As appendAttributes, without what does not matter to the code that is made.
  virtual void appendOutlineAttributes(OpSerialiserBase& os) const;
  virtual bool requiresRandomSeed() const { return false; }
  virtual InIndex getSeedInIndex() const { return -1; }
  virtual bool hasSideEffect() const { return false; }
  virtual bool canRecompute() const { return !hasSideEffect(); }
  virtual bool isOutlineable() const { return true; }
  virtual bool canBeReplacedByIdentity() const { return false; }
  virtual bool canShard() const { return false; }
  virtual ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const { return {}; }
  virtual std::set<InIndex> optionalInputs() const { return {}; }

  // Work in place.
  /// Variants by identifier with their priorities; those above 0 are tried, highest first.
  virtual std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const;
  virtual std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const;
  /// The elements of an input that the operator writes.
  virtual view::Regions modifies(InIndex index) const;
  /// The elements of an input that the operator reads.
  virtual view::Regions uses(InIndex index) const;
  /// The elements of an input that an output shows.
  virtual view::Regions aliases(InIndex in, OutIndex out) const;
  /// From elements of an input to those of an output, and back; by default one to one.
  virtual view::RegMap fwdRegMap(InIndex in, OutIndex out) const;
  virtual view::RegMap bwdRegMap(InIndex in, OutIndex out) const;
  // Of these only the results count, and popir does not ask for them: see alias/aliasmodel.hpp.
  virtual void growAliasModel(AliasModel& model) const;
  virtual poprithms::memory::inplace::Proposal mapInplaceProposal(const AliasModel& model,
                                                                  OperatorIdentifier variant) const;
  /// That output 0 be input 0.
  poprithms::memory::inplace::Proposal mapInplaceProposalGate0(const AliasModel& model,
                                                               OperatorIdentifier variant) const;
  bool modifiesIndex(InIndex index) const { return view::nonEmptyRegion(modifies(index)); }
  bool doesAlias(InIndex in, OutIndex out) const { return view::nonEmptyRegion(aliases(in, out)); }

  /// Whether any input is written, or is shown by any output.
  bool modifies() const;
  bool doesAlias() const;
  bool isOutplace() const { return !doesAlias(); }
  /// Whether the operator writes the tensor, or writes it without reading it before.
  bool modifiesTensor(Tensor* tensor) const;
  bool overwritesTensor(Tensor* tensor) const;

  // What kind of operator it is. For patterns; popir itself asks none of these.
  virtual bool isLossOp() const { return false; }
  virtual bool isOptimizerOp() const { return settings.optimizerOp; }
  virtual bool isNorm() const { return false; }
  virtual bool isIpuCopyOp() const { return false; }
  virtual bool copiesOptimizerTensors() const { return false; }
  virtual bool isOutplaceViewChange() const { return false; }
  virtual bool isInplaceViewChange() const { return false; }
  virtual int getInBatchAxis(InIndex) const { return 0; }
  virtual int getOutBatchAxis(OutIndex) const { return 0; }
  /// What gradOutToNonGradIn() has for an output. \throws error if it has nothing.
  virtual int getNonGradInIndex(int gradOpOutIndex) const;
  /// Attributes that only log lines show.
  virtual void appendMore(OpSerialiserBase& os) const;
  bool isElementWiseUnary() const;
  bool isGradientClippingOp() const { return settings.gradientClippingOp; }
  /// By the operator's settings.
  bool isExcludedFromPattern(const Pattern* pattern) const;
  /// Equal for operators that may share their code, as far as they and their inputs' and outputs'
  /// infos say.
  std::string getSubgraphEquivId() const;
  /// Of all outputs, in bytes.
  int64_t memOfOutputs() const;

  /// By numpy's broadcasting. \throws error, with the operator's name, if that is not possible.
  Shape prettyNpOut(const Shape& a, const Shape& b) const;
  TensorInfo prettyNpOut(const TensorInfo& a, const TensorInfo& b, bool checkDataType = true) const;

  // Where and when it runs, by its settings. The get... throw error if it is not said there, where
  // they do not return an optional.
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

  // Neighbours.
  /// Whether one of its outputs is an input of the other, or the other way round.
  bool isParentOf(const Op* other) const;
  bool isChildOf(const Op* other) const { return other->isParentOf(this); }
  /// The producer of an input. \throws error if it has none, or for the form with a type if it is
  /// of another type; so do those below.
  Op* getPrecedingOp(InIndex index);
  /// The only reader of an output.
  Op* getFollowingOp(OutIndex index = 0);
  /// All readers of an output.
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

  // Connections. Each keeps the tensors' producers and consumers in step.
  virtual void connectInTensor(InIndex index, TensorId tensorId);
  /// The tensor must exist and have no producer.
  void connectOutTensor(OutIndex index, TensorId tensorId);
  /// Makes the tensor.
  void createAndConnectOutTensor(OutIndex index, TensorId tensorId);
  void disconnectInTensor(InIndex index);
  void disconnectInTensor(Tensor* tensor);
  /// \throws error if another tensor is there.
  void disconnectInTensor(InIndex index, Tensor* tensor);
  void disconnectOutTensor(Tensor* tensor);
  void disconnectAllInputs();
  void disconnectAllOutputs();

  // Each of these throws error if nothing is at the index.
  Tensor* inTensor(InIndex index) { return input->tensor(index); }
  const Tensor* inTensor(InIndex index) const;
  Tensor* outTensor(OutIndex index) { return output->tensor(index); }
  const Tensor* outTensor(OutIndex index) const;
  /// The first index of a tensor. \throws error if it is at none.
  InIndex inIndex(Tensor* tensor) const;
  OutIndex outIndex(Tensor* tensor) const;
  TensorId inId(InIndex index) const { return input->id(index); }
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
  /// Copies the settings that say where and when an operator runs.
  void transferBaseProperties(Op* to) const;

  /// What ties the operator to the compiler's own, null before it has one; for the bindings.
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
};

std::ostream& operator<<(std::ostream& os, const GradOpInType& type);

}  // namespace popart

#pragma GCC visibility pop

#endif
