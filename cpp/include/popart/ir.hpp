// The intermediate representation (IR): all graphs of a model. After popart/ir.hpp of PopART 3.
#ifndef popart_ir_hpp
#define popart_ir_hpp

#include <popart/bimap.hpp>
#include <popart/bwdgraphinfo.hpp>
#include <popart/dataflow.hpp>
#include <popart/graph.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/scheduler_requireoptimal.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensornames.hpp>
#include <popart/tensors.hpp>
#include <popart/transforms/pipeline.hpp>
#include <popart/util.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class DeviceInfo;
class Optimizer;
class PipelineInfo;
class PreAliasPattern;

/// What a row of a remote buffer holds, and how many there are.
struct RemoteBufferInfo {
  RemoteBufferInfo() = default;
  RemoteBufferInfo(TensorInfo info_, uint64_t repeats_)
      : info(std::move(info_)), repeats(repeats_) {}

  TensorInfo info;
  uint64_t repeats = 0;
};

/// Hashes of compiled models, and the files that hold them.
using HashesMap = std::map<std::size_t, std::string>;

/// Arguments of Ir::prepare(). It refers to them: they must outlive the call.
class IrBundle {
 public:
  IrBundle(const ONNX_NAMESPACE::ModelProto& modelProto_, const InputShapeInfo& inputShapeInfo_,
           const DataFlow& dataFlow_, const TensorId& loss_, const Optimizer* optimizer_,
           DeviceInfo& deviceInfo_, const SessionOptions& userOptions_, const Patterns& patterns_,
           const std::string sessionName_ = "")
      : modelProto(modelProto_),
        inputShapeInfo(inputShapeInfo_),
        dataFlow(dataFlow_),
        loss(loss_),
        optimizer(optimizer_),
        deviceInfo(deviceInfo_),
        userOptions(userOptions_),
        patterns(patterns_),
        sessionName(sessionName_) {}

  const ONNX_NAMESPACE::ModelProto& modelProto;
  const InputShapeInfo& inputShapeInfo;
  const DataFlow& dataFlow;
  const TensorId loss;
  const Optimizer* optimizer;
  DeviceInfo& deviceInfo;
  const SessionOptions& userOptions;
  const Patterns& patterns;
  const std::string sessionName;
};

/// The graphs and properties of a model.
///
/// A session has one, and operators and patterns meet it while a session compiles their model. A
/// program may also make one of its own: it starts with an empty main graph, which the program
/// fills, or prepare() has the compiler make the graphs of a model, without a device's program.
class Ir {
 public:
  enum class ExecutionMode { Inference, Training };
  enum class SerialiseFormat { JSON };

  Ir();
  Ir(const Ir&) = delete;
  Ir& operator=(const Ir&) = delete;
  ~Ir();

  /// A number that no other Ir of the process has.
  uint64_t getId() const { return id_; }

  // ---- Preparing ----
  /// Compiles the model as a session with these arguments does; the graphs are those that would be
  /// lowered. It trains if there is an optimizer. Without effect are `cacheEntries` and `hashSeed`:
  /// popir's cache keeps programs, not graphs.
  /// \throws what the constructor of such a session throws; error for a second call
  void prepare(const IrBundle& bundle, const HashesMap& cacheEntries = {},
               std::size_t hashSeed = 0);
  bool isPrepared() const { return isPrepared_; }
  // The first steps of prepare(), one by one, for a graph of a model that nothing has changed yet.
  /// \throws error if this Ir has graphs already
  void setOnnxModel(const ONNX_NAMESPACE::ModelProto& model);
  bool hasOnnxModel() const { return model_ != nullptr; }
  /// \throws error if there is none
  const ONNX_NAMESPACE::ModelProto& getModel() const;
  /// Imports the model: its inputs, weights and constants, and its operators with them.
  /// \throws error without a model, and what the constructor of a session throws for one
  void registerInputTensors();
  /// The same, if the model was not imported yet.
  void constructForwards();
  /// False: a graph is always made.
  bool hashMatched() const { return false; }
  /// Of all that the program on the device depends on: the graphs, the data flow and, of graphs that
  /// prepare() has made, the options and the device. It is the same in every process.
  /// \throws error for an Ir without a graph
  std::size_t getHash() const;
  void setIsPrepared() { isPrepared_ = true; }
  void setDataFlow(const DataFlow& dataFlow);
  const DataFlow& getDataFlow() const { return dataFlow_; }
  void setUserOptions(const SessionOptions& options);
  void setInputShapeInfo(const InputShapeInfo& infos) { inputShapeInfo_ = infos; }
  const InputShapeInfo& getInputShapeInfo() const { return inputShapeInfo_; }
  void setPatterns(const Patterns& patterns) { patterns_ = patterns; }
  const Patterns& getPatterns() const { return patterns_; }
  void setSessionName(const std::string name) { sessionName_ = name; }
  const std::string getSessionName() const { return sessionName_; }
  void setExecutionMode(const ExecutionMode& mode);
  ExecutionMode getExecutionMode() const {
    return isTraining() ? ExecutionMode::Training : ExecutionMode::Inference;
  }
  /// The options of the session that compiles the model, or those that were set; else PopART's
  /// defaults.
  const SessionOptions& getSessionOptions() const;
  SessionOptions& getSessionOptions();
  /// True if the model is compiled for training.
  bool canTrain() const { return isTraining(); }
  bool canInfer() const { return true; }
  bool isTraining() const;
  bool isTesting() const { return !isTraining(); }
  /// Patterns run twice: before the gradients are added (false) and after (true).
  bool hasConstructedBackwards() const;
  /// A copy of it. constructBackwards() adds its steps.
  void setOptimizer(const Optimizer& optimizer);
  /// \throws error if none was set
  const Optimizer& getOptimizer() const;
  /// Adds the gradients of the final loss to a graph that the program has made, and with an optimizer
  /// the step of each weight that the loss depends on, as one operator: SGD0Decompose and its kin
  /// take it apart. Its numbers that are not constant become variables. The graph is for training
  /// from then on.
  /// \throws error without a final loss
  void constructBackwards();
  /// True once the updates of the weights are in the graph, with what they accumulate. Patterns of
  /// libraries run once more then.
  bool hasDecomposedOptimizers() const;

  // ---- Graphs ----
  Graph& getMainGraph() { return main(); }
  const Graph& getMainGraph() const { return main(); }
  /// The device that a program names for this Ir; a session gets its own when it is made.
  void setDeviceInfo(DeviceInfo& deviceInfo) { deviceInfo_ = &deviceInfo; }
  /// What was set, or null.
  const DeviceInfo* getDeviceInfo() const { return deviceInfo_; }
  /// A new graph without operators, which operators of others may call.
  /// \throws error if there is one of that id
  Graph& createGraph(const GraphId& id);
  /// \throws error for an unknown id
  Graph& getGraph(const GraphId& id) const;
  bool hasGraph(const GraphId& id) const;
  /// Removes a graph that createGraph() has made, and that no operator calls.
  void removeGraph(const GraphId& id);
  /// Removes all such graphs that nothing which starts at the main graph calls.
  void removeIsolatedGraphs();
  /// Graph::removeIsolatedTensors() of the main graph.
  void removeIsolatedTensors(bool retainUsedIOTensors = false, bool retainAllIOTensors = false,
                             bool retainVarTensors = false, bool retainConstTensors = false);
  /// What is loaded from each stream of the host, by the operators of all graphs.
  std::map<TensorId, std::vector<Tensor*>> getHostLoadTensors() const;
  /// What is stored to each stream of the host, by the operators of all graphs.
  std::map<TensorId, std::vector<Tensor*>> getHostStoreTensors() const;
  /// An id that no graph has: "base_subgraph(0)" and so on.
  GraphId createUniqueSubgraphId(const GraphId& base);
  /// Copies a graph: its inputs, constants, operators with their constraints, and outputs, with ids
  /// in the scope of the new graph. The copy calls the same graphs.
  /// \throws error for the main graph, for a graph that has variables or streams of its own, and if
  /// there is a graph of the new id
  ClonedGraphMaps cloneGraph(GraphId originalGraphId, GraphId newGraphId);
  /// All graphs, by id.
  std::map<GraphId, Graph*> getGraphs() const;
  /// The main graph first, then those that its operators call and those that were created.
  std::vector<const Graph*> getAllGraphs() const;
  /// Those that `root` calls, directly or not, and itself: each after those that call it.
  std::vector<const Graph*> getGraphSchedule() const { return getGraphSchedule(GraphId::root()); }
  std::vector<const Graph*> getGraphSchedule(GraphId root) const;

  // ---- Tensors ----
  /// A tensor of any graph; the main graph's first.
  /// \throws error for an unknown id
  Tensor* getTensor(const TensorId& id) const;
  bool containsTensor(const TensorId& id) const;
  /// Of the main graph.
  std::vector<TensorId> getTensorIds(TensorType type) const;
  /// Of all graphs.
  std::set<TensorId> getAllTensorIds() const;
  Tensors& getMainGraphTensors() { return main().getTensors(); }
  const Tensors& getMainGraphTensors() const { return main().getTensors(); }
  /// The tensors that the host sends for each batch.
  std::vector<Tensor*> dataStreamTensors() const;
  /// Those that the optimizer gives, by the prefixes of their ids.
  std::vector<Tensor*> optimizerTensors() const;
  /// The optimizer's states, by the prefixes of their ids: variables of the main graph, and what
  /// addAdditionalModelProtoTensor() has added.
  std::vector<Tensor*> optimizerStateTensors() const;
  /// Of all graphs, by id.
  std::map<TensorId, Tensor*> getAllTensors() const;
  std::vector<TensorId> getModelInputIds() const { return main().getInputIds(); }
  /// Whether the states, weights or accumulators of an optimizer are distributed over replicas, by
  /// the options.
  bool hasReplicatedTensorSharding() const;
  /// The last stage of a pipeline among all operators, and their number; 0 and 1 without stages.
  PipelineStage getMaxPipelineStage() const;
  PipelineStage getNumPipelineStages() const { return getMaxPipelineStage() + 1; }
  /// The cycles of the pipeline that the options and the data flow ask for; none without pipelining.
  /// Its class is in popart/transforms/pipeline.hpp.
  PipelineInfo pipelineInfo() const;
  std::vector<TensorId> getGraphInputIds() const { return main().getInputIds(); }
  std::vector<TensorId> getGraphOutputIds() const { return main().getOutputIds(); }
  /// A new tensor id for the main graph, derived from `base`. Each call returns another one.
  TensorId createIntermediateTensorId(const TensorId& base);
  /// Adds a variable of the main graph, which the model did not contain, to the initializers of
  /// models that the session saves.
  /// \throws error if there is none of that id
  void addAdditionalModelProtoTensor(const TensorId& id);
  void addAdditionalModelProtoTensor(Tensor* tensor);
  std::set<Tensor*, PTensorCmp> getAdditionalModelProtoTensors() const;
  /// Whether the model has values of weights, and one of that id.
  bool containsInitialisers() const;
  bool tensorExistsInInitialisers(TensorId id) const;
  /// Whether the host gets the tensor, as an anchor or in the place of one.
  bool isAnchored(const TensorId& id) const { return remap_.hasRight(id); }
  bool isRootAnchor(const TensorId& id) const { return dataFlow_.isAnchored(id); }
  /// The tensors that the host gets, and the anchors of the data flow that they stand for.
  std::set<TensorId> getAnchors() const;
  std::set<TensorId> getRootAnchors() const;
  /// From each anchor of the data flow to the tensor that the host gets: the anchor itself, until
  /// remapAnchor().
  const BiMap<TensorId, TensorId>& getAnchorRemap() const { return remap_; }
  /// \throws std::out_of_range if `from` is not what the host gets
  void remapAnchor(const TensorId& from, const TensorId& to) { remap_.remapRight(from, to); }

  // ---- Operators ----
  /// Of the main graph.
  std::map<OpId, std::unique_ptr<Op>>& getMainGraphOps() { return main().getOps(); }
  const std::map<OpId, std::unique_ptr<Op>>& getMainGraphOps() const { return main().getOps(); }
  /// Of all graphs.
  std::vector<Op*> getAllOps() const;
  /// \throws error if no graph has an operator of that id
  Op* getOp(OpId id) const;
  /// The operators of all graphs with this identifier.
  std::vector<Op*> opsOfType(const OperatorIdentifier& opid) const;
  bool isConsumedByOpOfType(TensorId id, const OperatorIdentifier& opid);
  /// The operators of all graphs of getGraphSchedule(), each graph's in the order in which they run.
  /// \throws error if there is none with these constraints
  std::vector<Op*> getOpSchedule(const OpsBeforeKey& constraints, RequireOptimalSchedule) const;
  bool isSchedulable(const OpsBeforeKey& constraints) const;
  /// The loss of the model, "" if there is none.
  /// \throws error for a tensor that is not there
  void setFinalLoss(const TensorId& loss);
  TensorId getFinalLossId() const { return loss_; }
  /// The operator that computes the loss.
  /// \throws error if there is none
  OpId getFinalLossOpId() const;
  /// Sets the members of popart::Vertex of the main graph's operators, by the loss.
  void updateVertices();
  void setMainGraphPathFromLoss() { updateVertices(); }
  /// Takes the operators of all graphs off their IPUs.
  void unsetAllVirtualGraphIds();
  /// Op::finalizeDebugInfo() of the operators of all graphs.
  void finalizeOpDebugInfo();

  // ---- Remote buffers, of graphs that a program makes ----
  void setRemoteBufferInfo(RemoteBufferId id, RemoteBufferInfo info) {
    remoteBuffers_[id] = std::move(info);
  }
  /// \throws std::out_of_range if none was set
  const RemoteBufferInfo getRemoteBufferInfo(RemoteBufferId id) const {
    return remoteBuffers_.at(id);
  }
  const std::map<RemoteBufferId, RemoteBufferInfo> getAllRemoteBufferInfos() const {
    return remoteBuffers_;
  }

  // ---- Options, in short ----
  bool virtualGraphsEnabled() const;
  SyntheticDataMode syntheticDataMode() const { return getSessionOptions().syntheticDataMode; }
  bool useSyntheticData() const { return syntheticDataMode() != SyntheticDataMode::Off; }
  bool autoRecomputationEnabled() const {
    return getSessionOptions().autoRecomputation != RecomputationType::None;
  }

  /// Tries a pattern once on each operator that is there, in the order of their making, and not on
  /// those whose anchors it would touch. Returns whether it has changed the graph.
  bool applyPreAliasPattern(const PreAliasPattern* pattern, Graph& graph);
  /// Runs a transform of the library or program, by its id, unless it is switched off.
  void applyTransform(std::size_t transformId, Graph& graph);
  /// applyTransform(), by PopART's name for it in 2021.
  void applyTransformIfEnabled(std::size_t transformId, Graph& graph) {
    applyTransform(transformId, graph);
  }
  /// What apply() of a new `T` returns, of a transform that need not be registered. Runs it whether or
  /// not it is switched off.
  template <class T, class... Args>
  auto applyTransform(Args... args) -> decltype(T().apply(std::forward<Args>(args)...)) {
    return T().apply(std::forward<Args>(args)...);
  }
  /// The same, and nothing if the transform is switched off.
  template <class T, class... Args>
  auto applyTransformIfEnabled(Args... args)
      -> nonstd::optional<decltype(T().apply(std::forward<Args>(args)...))> {
    if (transformsOff_.count(T::id()) > 0) return {};
    return T().apply(std::forward<Args>(args)...);
  }
  /// Switches a transform on or off, by its id, for applyTransform(). All are on at first.
  void enableTransform(std::size_t transformId, bool enable);
  /// Applies the patterns of setPatterns() to a graph, until none matches. What the host gets, and
  /// inputs and outputs of called graphs, stay.
  /// \throws error if patterns do not terminate, or leave the graph inconsistent
  void applyPreAliasPatterns(Graph& graph);
  /// Puts variants in place in a graph, where that changes no result; whether or not the pattern
  /// InPlace is on.
  void applyInplacePattern(Graph& graph);
  /// Writes the operators of all graphs: type, domain, version, name, attributes, inputs and
  /// outputs with their types and shapes. The order is always that of their making.
  void serialise(SerialiseFormat format, std::stringstream& ss, bool useScheduler = true) const;
  /// Writes the operators of all graphs, one a line, in the order in which they run.
  void append(std::stringstream& ss) const;
  /// Logs the same at level Info.
  void logIr() const;
  /// Writes the graphs of `ir` for graphviz, to the file `check`.dot in the folder `logDir`, which
  /// is made, if the options of this Ir name the check, or "ALL", in `dotChecks`: all operators in
  /// the order in which they run, from `firstDotOp` to `finalDotOp`, with their names if
  /// `dotOpNames` says so; graphs that are called in `check`_`graph`.dot, if `separateCallOpPdfs`
  /// does. A session writes the stages of its compiling by itself.
  /// \throws error if the file cannot be written
  void dotCheckpoint(const Ir& ir, std::string check) const;
  /// That of a domain whose version no model says: defaultAiOnnxOpset and its kin.
  /// \throws error for a domain that is none of PopART's
  int getDefaultOpsetVersion(const std::string& domain) const;
  /// Whether an operator draws random numbers.
  bool getRequiresRandomSeed() const;
  /// The opset version that the model imports for a domain; 0 if none.
  int getOpSetVersionFromModel(const std::string& domain) const;

  /// For popir itself: the graph of Autodiff::createBwdGraph(), of outputs and inputs by index. One
  /// that is `ofPart` gets all given gradients, but of the graph's tensors only the inputs that it
  /// reads; and it may have no output.
  BwdGraphInfo differentiateGraph(const Graph& graph,
                                  const nonstd::optional<std::vector<int64_t>>& given,
                                  const nonstd::optional<std::vector<int64_t>>& wanted,
                                  bool ofPart = false);
  /// For popir itself: the graphs of a session, which must outlive this object.
  void show(const std::shared_ptr<void>& session);
  /// For popir itself: the compiler's session of these graphs. `who` asks, for messages.
  std::shared_ptr<void> sessionOn(const std::string& who,
                                  const std::shared_ptr<DeviceInfo>& deviceInfo,
                                  const std::string& name);

 private:
  friend class Graph;

  Graph& main() const;
  Graph& bound(Graph* graph) const;
  /// Makes the compiler's graph `graph` the main graph.
  void take(const std::shared_ptr<void>& graph);
  /// Makes one that no session has compiled the main graph, in the mode that was set.
  void takeOwn(const std::shared_ptr<void>& graph);
  std::vector<Graph*> graphs() const;

  const uint64_t id_;
  /// The compiler's main graph, which this object keeps; null for the Ir that a graph has of its own.
  std::shared_ptr<void> held_;
  /// The compiler's session, if there is one.
  std::shared_ptr<void> session_;
  Graph* main_ = nullptr;
  /// The graphs that refer to this object instead of an Ir of their own.
  mutable std::set<Graph*> bound_;
  std::set<std::size_t> transformsOff_;
  std::shared_ptr<const ONNX_NAMESPACE::ModelProto> model_;
  unsigned made_ = 0, subgraphs_ = 0;
  /// What addAdditionalModelProtoTensor() has added.
  std::set<TensorId> additional_;
  /// Of the graphs that this object makes; those of a session have the session's.
  bool isTraining_ = false;
  bool isImported_ = false;
  bool isPrepared_ = false;
  bool isRun_ = false;
  bool hasOptions_ = false;
  mutable SessionOptions options_;
  DataFlow dataFlow_;
  BiMap<TensorId, TensorId> remap_;
  InputShapeInfo inputShapeInfo_;
  Patterns patterns_;
  std::string sessionName_;
  TensorId loss_;
  std::shared_ptr<const Optimizer> optimizer_;
  std::map<RemoteBufferId, RemoteBufferInfo> remoteBuffers_;
  DeviceInfo* deviceInfo_ = nullptr;
};

}  // namespace popart

template <>
struct std::hash<popart::Ir> {
  std::size_t operator()(const popart::Ir& ir) const { return ir.getHash(); }
};

#pragma GCC visibility pop

#endif
