// Sessions. After popart/session.hpp of PopART 3.
#ifndef popart_session_hpp
#define popart_session_hpp

#include <popart/aliases.hpp>
#include <popart/chains.hpp>
#include <popart/dataflow.hpp>
#include <popart/devicemanager.hpp>
#include <popart/half.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/ir.hpp>
#include <popart/istepio.hpp>
#include <popart/names.hpp>
#include <popart/optimizer.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/executablex.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/stepio.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/transforms/transform.hpp>
#include <popart/vectorandset.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <pva/pva.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

const std::string DefaultInferenceSessionName = "inference";
const std::string DefaultTrainingSessionName = "training";

/// A compiled model. The compiler is the Python half of popir: see docs/popart_programs.md.
///
/// Operators, lowerings and patterns that the program itself registers are those of a library. All
/// functions throw error, or poplar::poplar_error for faults of the running program. Several
/// threads may use one session: its functions exclude one another.
class Session {
 public:
  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // ---- Preparing and running ----
  /// Makes the engine, and gives it the host's weights.
  void prepareDevice(bool loadEngine = true);
  void loadEngineAndConnectStreams();
  bool isPrepared() const;
  /// Runs one step. What a callback of `stepIO` throws arrives unchanged.
  void run(IStepIO& stepIO, std::string debugName = "");
  /// `callback` gets the inputs and the outputs of the host function, and their numbers.
  void connectHostFunction(
      const std::string& functionHandle,
      std::function<void(const void* const*, std::size_t, void* const*, std::size_t)> callback,
      unsigned index = 0);
  /// Connects a stream that a lowering has added to its graph, by the handle that it gave it, in all
  /// replicas. `buffer` must outlive the session's runs; `callback` fills or reads the memory that it
  /// is given.
  /// \throws error before prepareDevice(), and for another index than 0
  void connectStream(const std::string& streamHandle, void* buffer);
  void connectStreamToCallback(const std::string& streamHandle, std::function<void(void*)> callback,
                               unsigned index = 0);

  // ---- Weights ----
  void weightsFromHost();
  /// Copies the variables that the option `updatableNamedBuffers` names to the device, and no others,
  /// with what TensorData::resetData() has changed of them.
  /// \throws error for a name that is no variable, and if there are no names
  void buffersFromHost();
  void weightsToHost();
  /// Copies weights of the host into the buffers of `weights`. weightsToHost() fetches those of the
  /// device first.
  void readWeights(const IWeightsIO& weights);
  /// Copies them to the host. weightsFromHost() gives them to the device.
  void writeWeights(const IWeightsIO& weights);
  void resetHostWeights(const std::string& modelProtoOrFilename,
                        const bool ignoreWeightsInModelWithoutCorrespondingHostWeight = false);
  void broadcastWeights(int rootRank = 0);
  /// Fetches the weights, and writes the model with them to a file.
  void modelToHost(const std::string& filename);
  /// Copies a row of a remote buffer, such as "RB_0", from or to the memory `w`, which has the bytes
  /// of a row. Buffers of the compiler's have the ids of the variables that lie in them.
  /// \throws error before prepareDevice(), and for a replica that this process has not
  void copyFromRemoteBuffer(const std::string& buffer, void* w, int repeat_index,
                            unsigned replication_index = 0);
  void copyToRemoteBuffer(void* w, const std::string& buffer, int repeat_index,
                          unsigned replication_index = 0);
  void updateExternallySavedTensorLocations(const std::string& fromLocation,
                                            const std::string& toLocation);

  // ---- Random numbers ----
  void setRandomSeed(uint64_t seed);
  uint64_t getRandomSeed();
  std::vector<uint32_t> getRNGState();
  void setRNGState(const std::vector<uint32_t> state);

  // ---- Compiled programs ----
  // To and from streams, files in the folder for temporary files come between.
  void compileAndExport(const std::string& filename);
  void compileAndExport(std::ostream& out);
  void saveExecutableToFile(const std::string& filename);
  void saveExecutableToStream(std::ostream& out);
  void saveExecutable(const std::string& path, bool savePopartMetadata = true,
                      bool saveVariables = true);
  void saveVariables(const std::string& path);
  void loadExecutableFromFile(const std::string& filename);
  void loadExecutableFromStream(std::shared_ptr<std::istream> in);
  /// From where the stream stands, as up to PopART 2.5.
  void loadExecutableFromStream(std::istream& in);
  /// PopART's check of variants in place; here results do not depend on their order.
  void checkInplacingAmbiguity() const;

  // ---- What is known of the model and its cost ----
  TensorInfo getInfo(TensorId id) const;
  bool hasInfo(TensorId id) const;
  std::set<TensorId> getAllTensorIds() const;
  std::string getSummaryReport(bool resetProfile = true) const;
  /// What compiling and the runs so far have cost on the simulated machine; of several replicas the
  /// first one's. Engine::getReport, of the session's engine.
  /// \throws error before prepareDevice()
  pva::Report getReport() const;
  std::string getSerializedGraph() const;
  std::string serializeIr(IrSerializationFormat format);
  uint64_t getCycleCount(std::string id = "");
  /// The compiled graphs. They live as long as the session.
  const Ir& getIr() const { return *ir; }
  /// The session's device, and its graphs. Their Poplar graph is empty: the compiler lowers to one of
  /// its own.
  popx::Devicex& getDevice() { return parts().device; }
  const popx::Devicex& getDevice() const { return parts().device; }
  const popx::IrLowering& getIrLowering() const { return parts().lowering; }
  const popx::Executablex& getExecutable() const { return parts().executable; }

  /// The compiler's object.
  const std::shared_ptr<void>& handle() const { return session_; }

 protected:
  /// `dataFlow` and the others are what the session was made with.
  Session(std::shared_ptr<void> session, const DataFlow& dataFlow,
          const InputShapeInfo& inputShapeInfo, const SessionOptions& userOptions,
          const Patterns& patterns, const std::string& name, std::shared_ptr<DeviceInfo> deviceInfo,
          const TensorId& loss = "");
  /// A session of the graphs of `ir`, which it shares.
  Session(std::shared_ptr<void> session, std::shared_ptr<Ir> ir,
          std::shared_ptr<DeviceInfo> deviceInfo);
  /// The compiler's session for createFromIr() of the class `who`.
  static std::shared_ptr<void> sessionOf(const std::string& who, const std::shared_ptr<Ir>& ir,
                                         const std::shared_ptr<DeviceInfo>& deviceInfo,
                                         const std::string& name);

 private:
  /// What getDevice() and its kin show; made when it is first asked for.
  struct Parts {
    explicit Parts(Session& session);
    popx::IrLowering lowering;
    popx::Executablex executable;
    popx::Devicex device;
  };
  Parts& parts() const;

  std::shared_ptr<void> session_;
  std::shared_ptr<Ir> ir;
  std::shared_ptr<DeviceInfo> deviceInfo_;
  mutable std::unique_ptr<Parts> parts_;
};

/// Runs a model.
class InferenceSession : public Session {
 public:
  ~InferenceSession() override;

  /// `model` is the bytes of a model or the path of a file.
  static std::unique_ptr<InferenceSession> createFromOnnxModel(
      const std::string& model, const DataFlow& dataFlow, std::shared_ptr<DeviceInfo> deviceInfo,
      const InputShapeInfo& inputShapeInfo = InputShapeInfo(),
      const SessionOptions& userOptions = SessionOptions(), const Patterns& patterns = Patterns(),
      const std::string name = DefaultInferenceSessionName);

  /// A session of graphs: those that Ir::prepare() has made of a model, for a device of as many
  /// IPUs as it was given; or those that the program has made, which are lowered as they are, with
  /// the data flow and the options that were set.
  /// \throws error for a null pointer, an Ir that is another session's already, an operator that
  /// cannot be lowered, and what a constructor throws
  static std::unique_ptr<InferenceSession> createFromIr(
      std::shared_ptr<Ir> ir, std::shared_ptr<DeviceInfo> deviceInfo,
      const std::string name = DefaultInferenceSessionName);

 private:
  using Session::Session;
};

/// Trains a model.
class TrainingSession : public Session {
 public:
  ~TrainingSession() override;

  static std::unique_ptr<TrainingSession> createFromOnnxModel(
      const std::string& model, const DataFlow& dataFlow, const TensorId& loss,
      const Optimizer& optimizer, std::shared_ptr<DeviceInfo> deviceInfo,
      const InputShapeInfo& inputShapeInfo = InputShapeInfo(),
      const SessionOptions& userOptions = SessionOptions(), const Patterns& patterns = Patterns(),
      const std::string name = DefaultTrainingSessionName);
  /// As InferenceSession's. Graphs that the program has made have no optimizer: their operators
  /// update the weights.
  static std::unique_ptr<TrainingSession> createFromIr(
      std::shared_ptr<Ir> ir, std::shared_ptr<DeviceInfo> deviceInfo,
      const std::string name = DefaultTrainingSessionName);

  /// Sets the values of the optimizer that are not constant, from the next step.
  /// \throws error for a session of graphs that the program has made
  void updateOptimizerFromHost(const Optimizer* optimizer);

 private:
  using Session::Session;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
