// Makes models. After popart/builder.hpp of PopART 3.
#ifndef popart_builder_hpp
#define popart_builder_hpp

#include <popart/attributes.hpp>
#include <popart/builder.gen.hpp>
#include <popart/commgroup.hpp>
#include <popart/dataflow.hpp>
#include <popart/debugcontext.hpp>
#include <popart/domainopset.hpp>
#include <popart/error.hpp>
#include <popart/half.hpp>
#include <popart/logging.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/op/collectives/collectives.hpp>
#include <popart/op/scatterreduce.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/tensordebuginfo.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/variablesettings.hpp>
#include <popart/vendored/any.hpp>
#include <popart/vendored/optional.hpp>
#include <popart/voiddata.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Builder;

// Lists with one entry for each convolution of a multiconv.
using MultiConvInputs = std::vector<std::vector<TensorId>>;
using MultiConvDilations = std::vector<std::vector<int64_t>>;
using MultiConvPads = std::vector<std::vector<int64_t>>;
using MultiConvStrides = std::vector<std::vector<int64_t>>;

/// The operators of ai.onnx.ml have no methods; customOp() adds them.
class AiOnnxMlOpset1 : public DomainOpSet {
 public:
  using DomainOpSet::DomainOpSet;
};

/// PopART's own operators.
class AiGraphcoreOpset1 : public DomainOpSet {
  using Ids = std::vector<TensorId>;
  using Ints = std::vector<int64_t>;

 public:
  using DomainOpSet::DomainOpSet;

  TensorId copyvarupdate(const Ids& args, const DebugContext& debugContext = {});
  std::vector<TensorId> batchnormalization(const Ids& args, unsigned num_outputs,
                                           float epsilon = 1e-05f, float momentum = 0.9f,
                                           const DebugContext& debugContext = {});
  std::vector<TensorId> groupnormalization(const Ids& args, int64_t num_groups,
                                           float epsilon = 1e-05f,
                                           const DebugContext& debugContext = {});
  TensorId subsample(const Ids& args, const Ints& strides, const DebugContext& debugContext = {});
  TensorId nop(const Ids& args, const DebugContext& debugContext = {});
  TensorId normalize_image(const Ids& args, float scale, const DebugContext& debugContext = {});
  TensorId scale(const Ids& args, float scale, const DebugContext& debugContext = {});
  TensorId scaledadd(const Ids& args, float scale0, float scale1,
                     const DebugContext& debugContext = {});
  std::vector<TensorId> lstm(const Ids& args, int64_t outputFullSequence,
                             const DebugContext& debugContext = {});
  TensorId gelu(const Ids& args, const DebugContext& debugContext = {});
  TensorId geluerf(const Ids& args, const DebugContext& debugContext = {});
  TensorId detach(const Ids& args, const DebugContext& debugContext = {});
  TensorId depthtospace(const Ids& args, int64_t blocksize, const std::string& mode = "DCR",
                        const DebugContext& debugContext = {});
  TensorId round(const Ids& args, const DebugContext& debugContext = {});
  TensorId dynamicslice(const Ids& args, Ints axes, Ints sizes, int64_t noOverlap,
                        const DebugContext& debugContext = {});
  TensorId dynamicupdate(const Ids& args, Ints axes, Ints sizes, int64_t noOverlap,
                         const DebugContext& debugContext = {});
  TensorId dynamiczero(const Ids& args, Ints axes, Ints sizes,
                       const DebugContext& debugContext = {});
  TensorId dynamicadd(const Ids& args, Ints axes, Ints sizes,
                      const DebugContext& debugContext = {});
  TensorId sequenceslice(const Ids& args, int64_t zeroUnused,
                         const DebugContext& debugContext = {});
  TensorId tensorremap(const Ids& args, int64_t remap_type, const DebugContext& debugContext = {});
  std::vector<TensorId> ctcbeamsearchdecoder(const Ids& args, unsigned blank = 0,
                                             unsigned beamWidth = 100, unsigned topPaths = 1,
                                             const DebugContext& debugContext = {});
  TensorId shapeddropout(const Ids& args, const Ints& shape, float ratio = 0.5f,
                         const DebugContext& debugContext = {});
  TensorId atan2(const Ids& args, const DebugContext& debugContext = {});
  TensorId expm1(const Ids& args, const DebugContext& debugContext = {});
  TensorId log1p(const Ids& args, const DebugContext& debugContext = {});
  TensorId fmod(const Ids& args, const DebugContext& debugContext = {});
  TensorId remainder(const Ids& args, const DebugContext& debugContext = {});
  TensorId reverse(const Ids& args, const Ints& dimensions, const DebugContext& debugContext = {});
  TensorId slice(const Ids& args, const Ints& ends, const Ints& starts, const Ints& axes = Ints(),
                 const DebugContext& debugContext = {});
  TensorId bitwisenot(const Ids& args, const DebugContext& debugContext = {});
  TensorId bitwiseand(const Ids& args, const DebugContext& debugContext = {});
  TensorId bitwiseor(const Ids& args, const DebugContext& debugContext = {});
  TensorId bitwisexor(const Ids& args, const DebugContext& debugContext = {});
  TensorId bitwisexnor(const Ids& args, const DebugContext& debugContext = {});
  std::vector<TensorId> reducemedian(const Ids& args,
                                     const nonstd::optional<Ints>& axes = nonstd::nullopt,
                                     int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId groupedgather(const Ids& args, int64_t axis = 0, int64_t group_size = 1,
                         const DebugContext& debugContext = {});
  TensorId swish(const Ids& args, const DebugContext& debugContext = {});
  TensorId incrementmod(const Ids& args, float increment, float modulus,
                        const DebugContext& debugContext = {});
  TensorId bucketize(const Ids& args, int64_t right = 0, const DebugContext& debugContext = {});
  std::vector<TensorId> sort(const Ids& args, int64_t axis = -1, int64_t descending = 0,
                             int64_t stable = 0, const DebugContext& debugContext = {});
  TensorId nearbyint(const Ids& args, const DebugContext& debugContext = {});
  std::vector<TensorId> splinebasis(const Ids& args, int64_t degree = 1,
                                    const DebugContext& debugContext = {});
  TensorId splineweighting(const Ids& args, const DebugContext& debugContext = {});

  // Those whose arguments are no plain attributes.
  TensorId init(Ints shape, int64_t data_type, int64_t init_type, int64_t batch_axis,
                const DebugContext& debugContext = {});
  TensorId init(Ints shape, int64_t data_type, int64_t init_type,
                const DebugContext& debugContext = {});
  std::vector<TensorId> call(const Ids& args, unsigned num_outputs, const Builder& callee,
                             const DebugContext& debugContext = {});
  TensorId packedDataBlock(const Ids& args, const Ints& maxSequenceLengths, int64_t resultSize,
                           int64_t callbackBatchSize, const Builder& callback,
                           const DebugContext& debugContext = {});
  void abort(const Ids& args, const DebugContext& debugContext = {});
  TensorId reshape(const TensorId& arg, const Ints& shape, const DebugContext& debugContext = {});
  TensorId printtensor(const Ids& args, int64_t print_gradient = 1,
                       const DebugContext& debugContext = {}, const std::string& title = {},
                       const int summariseThreshold = 1000, const int edgeItems = 3,
                       const int maxLineWidth = 75, const int digits = 8, const int floatFormat = 0,
                       const char separator = ' ', const char openBracket = '[',
                       const char closeBracket = ']');
  std::vector<TensorId> multiconv(
      const MultiConvInputs& tensors, const MultiConvDilations& dilations = {},
      const MultiConvDilations& inDilations = {}, const MultiConvPads& pads = {},
      const MultiConvPads& outPads = {}, const MultiConvStrides& strides = {},
      const std::vector<float>& availableMemoryProportions = {},
      const std::vector<std::string>& partialsTypes = {},
      const nonstd::optional<std::string> planType = nonstd::nullopt,
      const nonstd::optional<int> perConvReservedTiles = nonstd::nullopt,
      const nonstd::optional<float> cycleBackOff = nonstd::nullopt,
      const std::vector<int64_t> enableConvDithering = {}, const DebugContext& debugContext = {});

  // Collectives. `commGroup` as a list is a CommGroupType and a size.
  TensorId replicatedallreduce(const Ids& args,
                               const nonstd::optional<std::vector<int64_t>>& commGroup,
                               const DebugContext& debugContext = {});
  TensorId replicatedallreduce(
      const Ids& args,
      const nonstd::optional<CollectiveOperator>& collectiveOperator = nonstd::nullopt,
      const nonstd::optional<CommGroup>& commGroup = nonstd::nullopt,
      const DebugContext& debugContext = {});
  TensorId replicatedreducescatter(
      const Ids& args,
      const nonstd::optional<CollectiveOperator>& collectiveOperator = nonstd::nullopt,
      const nonstd::optional<CommGroup>& commGroup = nonstd::nullopt,
      const DebugContext& debugContext = {});

  // Losses.
  TensorId l1loss(const Ids& args, const float lambda,
                  const ReductionType reduction = ReductionType::Mean,
                  const DebugContext& debugContext = {});
  TensorId nllloss(const Ids& args, const ReductionType reduction = ReductionType::Mean,
                   const nonstd::optional<int> ignoreIndex = nonstd::nullopt,
                   bool inputIsLogProbability = false, const DebugContext& debugContext = {});
  TensorId identityloss(const Ids& args, const ReductionType reduction = ReductionType::Mean,
                        const DebugContext& debugContext = {});
  TensorId ctcloss(const Ids& args, const ReductionType reduction = ReductionType::Mean,
                   const unsigned blank = 0, const std::string& outDataType = "UNDEFINED",
                   const bool zeroInfinity = false, const DebugContext& debugContext = {});
  std::vector<TensorId> _ctcloss(const Ids& args,
                                 const ReductionType reduction = ReductionType::Mean,
                                 const unsigned blank = 0,
                                 const std::string& outDataType = "UNDEFINED",
                                 const bool zeroInfinity = false,
                                 const DebugContext& debugContext = {});

  // Scatters with a reduction.
  TensorId scatterreduce(const Ids& args, int64_t axis_size, int64_t axis = -1,
                         ScatterReduction reduction = ScatterReduction::Sum,
                         int64_t enable_index_broadcast = 1, const DebugContext& debugContext = {});
  TensorId groupedscatterreduce(const Ids& args, int64_t axis_size, int64_t axis = -1,
                                ScatterReduction reduction = ScatterReduction::Sum,
                                int64_t group_size = 1, int64_t enable_index_broadcast = 1,
                                const DebugContext& debugContext = {});
};

/// Makes an ONNX model, one operator at a time. Tensors are identified by their ids.
///
/// The model is built by the Python half of popir, which the first Builder of a process loads: see
/// docs/popart_programs.md. All functions throw error for what a model cannot have.
class Builder {
 public:
  /// \throws error, saying what to do, if there is no Python that popir runs in
  static std::unique_ptr<Builder> create();
  /// Starts with a model: the bytes of one, or the path of a file.
  static std::unique_ptr<Builder> createFromOnnxModel(const std::string& modelProtoOrFilename);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  /// A builder of a branch or a loop's body, which this one owns.
  Builder& createSubgraphBuilder();

  // ---- Inputs and outputs ----
  TensorId addInputTensor(const TensorInfo& info, const DebugContext& debugContext = {});
  TensorId addInputTensor(const std::string& dataType, const Shape& shape,
                          const DebugContext& debugContext = {});
  TensorId addInputTensor(const TensorInfo& info, const InputSettings& settings,
                          const DebugContext& debugContext = {});
  TensorId addInputTensor(const std::string& dataType, const Shape& shape,
                          const InputSettings& settings, const DebugContext& debugContext = {});
  TensorId addUntypedInputTensor(const DebugContext& debugContext = {});
  void addInputTensorFromParentGraph(const TensorId& id);
  /// A weight. The data is copied.
  TensorId addInitializedInputTensor(const ConstVoidData& data,
                                     const DebugContext& debugContext = {});
  /// The initial value has a first dimension for the groups of replicas, if there are several.
  TensorId addInitializedInputTensor(const ConstVoidData& data,
                                     const VariableSettings& variableSettings,
                                     const DebugContext& debugContext = {});
  void addOutputTensor(const TensorId& id);

  // ---- Operators ----
  AiOnnxOpset6 aiOnnxOpset6() { return AiOnnxOpset6(opset("aiOnnxOpset6")); }
  AiOnnxOpset7 aiOnnxOpset7() { return AiOnnxOpset7(opset("aiOnnxOpset7")); }
  AiOnnxOpset8 aiOnnxOpset8() { return AiOnnxOpset8(opset("aiOnnxOpset8")); }
  AiOnnxOpset9 aiOnnxOpset9() { return AiOnnxOpset9(opset("aiOnnxOpset9")); }
  AiOnnxOpset10 aiOnnxOpset10() { return AiOnnxOpset10(opset("aiOnnxOpset10")); }
  AiOnnxOpset11 aiOnnxOpset11() { return AiOnnxOpset11(opset("aiOnnxOpset11")); }
  AiOnnxMlOpset1 aiOnnxMlOpset1() { return AiOnnxMlOpset1(opset("aiOnnxMlOpset1")); }
  AiGraphcoreOpset1 aiGraphcoreOpset1() { return AiGraphcoreOpset1(opset("aiGraphcoreOpset1")); }
  /// Adds an operator by its identifier. An attribute is an integer, a float, a text, a list of
  /// one of these, or a ConstVoidData.
  std::vector<TensorId> customOp(const OperatorIdentifier& opid, int opsetVersion,
                                 const std::vector<TensorId>& inputs, unsigned numOutputs,
                                 const std::map<std::string, popart::any>& attributes,
                                 const DebugContext& debugContext = {});
  /// A reshape to a constant shape, by an opset of ONNX.
  template <class Opset>
  TensorId reshape_const(Opset& opset, const std::vector<TensorId>& args,
                         const std::vector<int64_t>& shape, const std::string& name = {}) {
    const TensorInfo info(DataType::INT64, {static_cast<int64_t>(shape.size())});
    const TensorId to = opset.constant(ConstVoidData(shape.data(), info), name + "_const");
    return opset.reshape({args.at(0), to}, name);
  }
  std::vector<TensorId> checkpointOutput(const std::vector<TensorId>& ids);

  // ---- Annotations of nodes, which are named by their outputs ----
  using Outputs = std::set<TensorId>;
  void outputTensorLocation(const TensorId& output, TensorLocation value);
  void recomputeOutput(const TensorId& output, RecomputeType value);
  void recomputeOutputInBackwardPass(const TensorId& output,
                                     RecomputeType value = RecomputeType::Recompute);
  void recomputeOutputInBackwardPass(const Outputs& outputs,
                                     RecomputeType value = RecomputeType::Recompute);
  bool getRecomputeOutputInBackwardPass(const TensorId& output);
  bool getRecomputeOutputInBackwardPass(const Outputs& outputs);
  void virtualGraph(const TensorId& output, int64_t value = 0);
  void virtualGraph(const Outputs& outputs, int64_t value = 0);
  void executionPhase(const TensorId& output, int64_t value = 0);
  void executionPhase(const Outputs& outputs, int64_t value = 0);
  void pipelineStage(const TensorId& output, int64_t value);
  void pipelineStage(const Outputs& outputs, int64_t value);
  void excludePatterns(const TensorId& output, const std::vector<std::string>& patterns);
  void excludePatterns(const Outputs& outputs, const std::vector<std::string>& patterns);
  /// Computes a product in `factor` parts along "input_channels", "reducing_dim" or
  /// "output_channels"; "none" leaves it whole.
  void setSerializeMatMul(const Outputs& outputs, std::string mode, int64_t factor,
                          bool keep_precision);
  void setPartialsType(const TensorId& output, const std::string partialsType);
  void setEnableConvDithering(const TensorId& output, int64_t value);
  std::string getPartialsType(const TensorId& output);
  void setInplacePreferences(const TensorId& output, const std::map<OpType, float>& preferences);
  void setAvailableMemoryProportion(const TensorId& output, const float proportion);
  void setAvailableMemoryProportion(const Outputs& outputs, const float proportion);
  int64_t getVirtualGraph(const TensorId& output);
  int64_t getVirtualGraph(const Outputs& outputs);
  int64_t getExecutionPhase(const TensorId& output);
  int64_t getExecutionPhase(const Outputs& outputs);

  // ---- Annotations of all nodes that are added from now on, such as sVirtualGraphAttribute ----
  void setAttribute(const std::string& attribute, popart::any value);
  /// An int64_t, a float, a std::string, or a vector of one of these.
  popart::any getAttribute(const std::string& attribute) const;
  bool hasAttribute(const std::string& attribute) const;
  void clearAttribute(const std::string& attribute);
  int64_t getPipelineStage() const;
  int64_t getExecutionPhase() const;
  int64_t getVirtualGraph() const;

  // ---- Any attribute of a node ----
  void addNodeAttribute(const std::string& name, const int64_t& value, const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const std::vector<int64_t>& value,
                        const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const float& value, const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const std::vector<float>& value,
                        const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const std::string& value, const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const char* value, const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const std::vector<std::string>& value,
                        const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const bool value, const Outputs& outputs);
  void addNodeAttribute(const std::string& name, const ConstVoidData& value,
                        const Outputs& outputs);
  bool nodeHasAttribute(const std::string& name, const Outputs& outputs);
  int64_t getInt64NodeAttribute(const std::string& name, const Outputs& outputs);
  std::vector<int64_t> getInt64VectorNodeAttribute(const std::string& name, const Outputs& outputs);
  float getFloatNodeAttribute(const std::string& name, const Outputs& outputs);
  std::vector<float> getFloatVectorNodeAttribute(const std::string& name, const Outputs& outputs);
  std::string getStringNodeAttribute(const std::string& name, const Outputs& outputs);
  std::vector<std::string> getStringVectorNodeAttribute(const std::string& name,
                                                        const Outputs& outputs);
  bool getBoolNodeAttribute(const std::string& name, const Outputs& outputs);
  void removeNodeAttribute(const std::string& name, const Outputs& outputs);
  std::vector<std::string> getAllNodeAttributeNames(const Outputs& outputs);

  // ---- The model ----
  /// The model as a serialised onnx.ModelProto.
  /// \throws error for `humanReadable`, which is not there
  std::string getModelProto(bool humanReadable = false) const;
  void saveModelProto(const std::string& filename);
  void saveInitializersExternally(const std::vector<TensorId>& ids, const std::string& filename);
  std::vector<TensorId> getInputTensorIds() const;
  std::vector<TensorId> getOutputTensorIds() const;
  std::vector<TensorId> getValueTensorIds() const;
  std::vector<TensorId> getTrainableTensorIds() const;
  /// Whether type and shape of a tensor can be inferred.
  bool hasValueInfo(const TensorId& id) const;
  std::vector<int64_t> getTensorShape(const TensorId id);
  bool isInitializer(const TensorId id) const;
  std::string getTensorDtypeString(const TensorId id);
  DataType getTensorDataType(const TensorId id);
  void pushNameScope(const std::string& name);
  void popNameScope();
  std::string getNameScope(const std::string& name = "") const;
  void setGraphName(const std::string& name);
  Builder* getParent() const { return parent_; }
  void embedReplicationFactor(int replicationFactor);

  /// The compiler's object.
  const std::shared_ptr<void>& handle() const { return builder_; }

 private:
  explicit Builder(std::shared_ptr<void> builder, Builder* parent = nullptr);
  std::shared_ptr<void> opset(const char* name);

  std::shared_ptr<void> builder_;
  Builder* parent_;
  std::vector<std::unique_ptr<Builder>> children_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
