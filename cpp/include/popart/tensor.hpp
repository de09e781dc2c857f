// Tensors of a graph. After popart/tensor.hpp of PopART 3.
#ifndef popart_tensor_hpp
#define popart_tensor_hpp

#include <popart/basicoptionals.hpp>
#include <popart/dataflow.hpp>
#include <popart/debugcontext.hpp>
#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/region.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/variablesettings.hpp>
#include <popart/vertex.hpp>

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class TensorLink;  // cpp/popart/link.hpp
}

namespace popart {

class Aliases;

enum class TensorType {
  ActGrad = 0,  ///< ///< computed by an operator
  Const,        ///< ///< known at compile time
  Stream,       ///< ///< sent by the host
  Unknown,
  Variable,  ///< ///< kept on the device between steps
  N
};

std::ostream& operator<<(std::ostream& os, const TensorType& type);

/// By what a step changes a variable.
enum class VariableUpdateType { None = 0, Gradient, Copy };

/// The operators that read a tensor.
class Consumers {
 public:
  explicit Consumers(const Tensor* tensor) : tensor_(tensor) {}

  /// Each operator once, in the order in which they were first connected.
  std::vector<Op*> getOps() const;
  /// Number of inputs of `op` that read the tensor.
  int n(Op* op) const;
  /// Number of inputs that read the tensor, over all operators.
  int getTotal() const;
  /// The operators, and how many of their inputs read the tensor.
  std::map<Op*, int, POpCmp> getMap() const;
  // Of the operators that are on an IPU, or in a stage of a pipeline: where; none if no one is.
  std::set<PipelineStage> getPipelineStages() const;
  std::set<VGraphId> getVirtualGraphIds() const;
  OptionalPipelineStage findLowestPipelineStage() const;
  OptionalPipelineStage findHighestPipelineStage() const;
  OptionalVGraphId findLowestVirtualGraphID() const;

 private:
  const Tensor* tensor_;
};

/// Where a program says that a tensor is: in memory off chip, in shards, and in which row of which
/// remote buffer.
class TensorLocationInfo {
 public:
  void setRemote(bool remote) { remote_ = remote; }
  bool isRemote() const { return remote_; }
  void setSharded(bool sharded) { sharded_ = sharded; }
  bool isSharded() const { return sharded_; }
  void setRemoteBufferInfo(RemoteBufferId id, RemoteBufferIndex index) { buffer_ = {id, index}; }
  const std::pair<RemoteBufferId, RemoteBufferIndex> getRemoteBufferInfo() const { return buffer_; }
  bool operator==(const TensorLocationInfo& o) const {
    return remote_ == o.remote_ && sharded_ == o.sharded_ && buffer_ == o.buffer_;
  }

 private:
  bool remote_ = false, sharded_ = false;
  std::pair<RemoteBufferId, RemoteBufferIndex> buffer_ = {0, 0};
};

/// A tensor of a graph. `info` is updated by the compiler.
class Tensor : public Vertex {
 public:
  Tensor(TensorId tensorId, TensorType type, Graph& graph, popir::TensorLink* link);
  /// A tensor beside a graph, for operators that are not in one: the graph does not know it, no
  /// operator computes or reads it, and it has no value.
  Tensor(TensorId tensorId, TensorType type, Graph& graph, const DebugContext& context = {});
  /// The same of a variable that groups of replicas share.
  Tensor(TensorId tensorId, VariableSettings settings, Graph& graph,
         const DebugContext& context = {});
  Tensor(TensorId tensorId, TensorType type, VariableSettings settings, Graph& graph,
         const DebugContext& context = {});
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() override;

  TensorId id;
  TensorInfo info;
  Consumers consumers;
  /// What a program's own transforms say; the compiler goes by the locations of its options.
  TensorLocationInfo tensorLocationInfo;
  void setTensorLocationInfo(TensorLocation& location,
                             std::pair<RemoteBufferId, RemoteBufferIndex>& remoteBuffer);

  TensorType tensorType() const { return type_; }
  /// "ActGrad", "Const", ...
  std::string tensor_type() const;
  bool hasProducer() const { return getProducerUnsafe() != nullptr; }
  /// \throws error if no operator computes the tensor
  Op* getProducer() const;
  /// Null if no operator computes the tensor.
  Op* getProducerUnsafe() const;
  std::string str() const override { return id; }

  // ---- Place in the graph. The get...() functions throw error where there is none. ----
  bool isGraphInput() const;
  InIndex getGraphInputIndex() const;
  bool isGraphOutput() const;
  OutIndex getGraphOutputIndex() const;
  bool isAnchored() const;
  bool isRootAnchor() const { return isAnchored(); }
  bool idIncludesPrefix(const std::vector<std::string>& prefixes) const;
  /// By the prefixes of popart/tensornames.hpp: what an optimizer gives, keeps, and sums up.
  bool isOptimizerTensor() const;
  bool isOptimizerStateTensor() const;
  bool isAccumulatorTensor() const;
  bool isRandomSeedTensor() const;
  bool isRemoteArgTensor() const;
  /// Whether a HostLoadOp gives it.
  bool isHostLoadTensor() const;
  /// An input of the body of a loop: any, one that iterations pass on, one that all read, and the
  /// number of the iteration.
  bool isLoopInput() const;
  bool isExplicitLoopInput() const;
  bool isImplicitLoopInput() const;
  bool isLoopTripCounter() const;
  /// Whether its producer is a checkpoint, for a backward pass that computes other results again.
  bool isCheckpointTensor() const;
  /// Whether its producer is to be computed again for the backward pass.
  bool isImplicitRecomputeTensor() const;
  /// The dimension over the samples, by the operators that compute and read it; -1 if none is.
  /// \throws error if two of them name different ones
  int getBatchAxis() const;
  /// Its producer and its readers, each once.
  std::vector<Op*> associatedOps() const;
  /// Whether all readers are of the forward pass.
  bool consumersAllPreLoss() const;
  /// A variable that is none of these.
  bool isWeightTensor() const;
  /// Whether an operator writes it in place (isModified), or an output of one is a view of it.
  bool isModified() const;
  bool isAliased() const;
  /// Whether `predicate` is true of the tensor, or of one that shares elements with it.
  bool anyAlias(std::function<bool(Tensor*)> predicate) const;
  /// The operators that read it, or a tensor that shares elements with it, and write an input.
  std::set<Op*, POpCmp> getInplaceModifiers() const;
  /// Whether a RestoreInplaceOp reads it.
  bool isRestoreInplaceTensor() const;
  /// Whether a variant in place must not write it: what a run returns, an output of a graph, a
  /// variable, a constant, an input of a loop that all iterations read, and a checkpoint.
  bool isUnmodifiable() const;
  /// The regions that the operators change, one after the other, of the tensor or of those that
  /// `aliases` says show it. Each has AccessType::Write if what they change is only written,
  /// ReadWrite if any of it was read before or is as it is changed. Nothing is looked at once all is
  /// written.
  view::Regions modifiedRegionsByOps(std::vector<Op*> ops, Aliases& aliases) const;
  view::Regions modifiedRegionsByOps(std::vector<OpId> opIds, Aliases& aliases) const;
  /// The stages of a pipeline whose operators compute or read it.
  std::set<PipelineStage> getPipelineStages() const;
  /// That of the operator that computes it, else that of the first reader that has one.
  bool hasVirtualGraphId() const { return getVirtualGraphIdUnsafe() != -1; }
  VGraphId getVirtualGraphId() const;
  /// -1 where there is none.
  VGraphId getVirtualGraphIdUnsafe() const;
  /// The same with the tiles: {-1, Undefined} where there is none.
  VGraphIdAndTileSet getVirtualGraphIdAndTileSetUnsafe() const;
  VGraphIdAndTileSet getVirtualGraphIdAndTileSetUnsafe(std::set<OpId>& visited) const;
  /// \throws error where there is none
  VGraphIdAndTileSet getVirtualGraphIdAndTileSet(std::set<OpId>& visited) const;

  /// True if a value is known at compile time: the value of a Const, or the initial value of a
  /// Variable.
  bool hasTensorData() const;
  /// That value, in row-major order.
  /// \throws error if there is none
  const TensorData* tensorData() const;
  /// The same, as a copy that may be changed: the compiler does not see that.
  TensorData* tensorData();
  /// The elements of that value; of a tensor without one, what the compiler computes of it by the
  /// values that there are, or what all operators that call the graph give it.
  /// \throws error if it is not known
  std::vector<char> getDataViaGraphTraversal() const;

  /// Which replicas share the variable, and how the host gets it; by default all do.
  VariableSettings getVariableSettings() const;
  /// The shape that the host gets of the variable: with one value alone that of a replica.
  std::vector<int64_t> returnedShape(unsigned replicationFactor) const;
  /// \throws internal_error unless an array of this info takes what the host gets
  void verifyMutableVoidInfo(const TensorInfo mutableVoidInfo, unsigned replicationFactor) const;
  /// What a program says of the variable, for its own transforms.
  VariableUpdateType getVariableUpdateType() const { return updateType_; }
  void setVariableUpdateType(VariableUpdateType type) { updateType_ = type; }
  TensorId getCopyFromTensor() const { return copyFrom_; }
  void setCopyFromTensor(TensorId id) { copyFrom_ = std::move(id); }

  // How the host sends a stream of a graph that a program makes: to each replica or to all, by which
  // tiles, and when, as the settings of an input of a model.
  const InputSettings& inputSettings() const { return inputSettings_; }
  void setInputSettings(const InputSettings& settings) { inputSettings_ = settings; }
  ReplicatedStreamMode getReplicatedStreamMode() const {
    return inputSettings_.replicatedStreamMode();
  }
  void setReplicatedStreamMode(const ReplicatedStreamMode& mode) {
    inputSettings_.setReplicatedStreamMode(mode);
  }

  Graph& getGraph() { return *graph_; }
  const Graph& getGraph() const { return *graph_; }
  Ir& getIr();
  const Ir& getIr() const;

  /// For popir itself: the link to the compiler's tensor.
  popir::TensorLink& link() const { return *link_; }

 private:
  TensorType type_;
  Graph* graph_;
  InputSettings inputSettings_;
  VariableUpdateType updateType_ = VariableUpdateType::None;
  TensorId copyFrom_;
  std::unique_ptr<popir::TensorLink> link_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
