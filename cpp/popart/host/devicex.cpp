// The device of a program's session.
#include <popart/popx/devicex.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <utility>

namespace popart {
namespace popx {
namespace {

/// An Ir that outlives its session.
std::shared_ptr<Ir> borrowed(const Ir& ir) {
  // An IrLowering shows the Ir that it was given as const; a session fills it.
  return {std::shared_ptr<void>(), const_cast<Ir*>(&ir)};
}

}  // namespace

Devicex::Devicex(poplar::Graph& graph)
    : own_(std::make_unique<IrLowering>(graph)), lowering_(*own_) {}
Devicex::Devicex(Executablex& executable, std::shared_ptr<DeviceInfo> deviceInfo)
    : lowering_(executable.lowering()), deviceInfo_(std::move(deviceInfo)) {}
Devicex::Devicex(Executablex& executable, std::shared_ptr<DeviceInfo> deviceInfo, Session& session)
    : lowering_(executable.lowering()), deviceInfo_(std::move(deviceInfo)), session_(&session) {}
Devicex::~Devicex() = default;

Session& Devicex::session(const char* who) const {
  if (session_ == nullptr)
    throw error("Devicex::{}: {}", who,
                deviceInfo_ == nullptr
                    ? "this object belongs to the lowering of a graph; a session's is getDevice()"
                    : "prepare() must be called before");
  return *session_;
}

void Devicex::prepare() {
  if (session_ == nullptr) {
    if (deviceInfo_ == nullptr) static_cast<void>(session("prepare"));
    made_ = InferenceSession::createFromIr(borrowed(ir()), deviceInfo_);
    session_ = made_.get();
  }
  session_->prepareDevice();
}
bool Devicex::prepareHasBeenCalled() const { return session_ != nullptr && session_->isPrepared(); }
void Devicex::loadEngineAndConnectStreams() {
  session("loadEngineAndConnectStreams").loadEngineAndConnectStreams();
}
void Devicex::run(IStepIO& stepIO, std::string debugName) {
  session("run").run(stepIO, std::move(debugName));
}

void Devicex::buffersFromHost() { session("buffersFromHost").buffersFromHost(); }
void Devicex::weightsFromHost() { session("weightsFromHost").weightsFromHost(); }
void Devicex::weightsToHost() { session("weightsToHost").weightsToHost(); }
void Devicex::weightsToHost(const std::map<TensorId, MutableVoidData>& buffers) {
  WeightsIO weights;
  for (const auto& [id, buffer] : buffers) weights.insert(id, buffer);
  weightsToHost();
  readWeights(weights);
}
void Devicex::readWeights(const IWeightsIO& weights) {
  session("readWeights").readWeights(weights);
}
void Devicex::writeWeights(const IWeightsIO& weights) {
  session("writeWeights").writeWeights(weights);
}

uint64_t Devicex::getRandomSeedToHost() { return session("getRandomSeedToHost").getRandomSeed(); }
std::vector<uint32_t> Devicex::getRngStateToHost() {
  return session("getRngStateToHost").getRNGState();
}
void Devicex::setRngStateValue(const std::vector<uint32_t> state) {
  session("setRngStateValue").setRNGState(state);
}

void Devicex::connectStream(const std::string& streamHandle, void* host_buffer) {
  session("connectStream").connectStream(streamHandle, host_buffer);
}
void Devicex::connectStreamToCallback(const std::string& streamHandle,
                                      std::function<void(void*)> callback, unsigned index) {
  session("connectStreamToCallback")
      .connectStreamToCallback(streamHandle, std::move(callback), index);
}
void Devicex::connectHostFunction(
    const std::string& functionHandle,
    std::function<void(const void* const*, std::size_t, void* const*, std::size_t)> callback,
    unsigned index) {
  session("connectHostFunction").connectHostFunction(functionHandle, std::move(callback), index);
}
void Devicex::copyFromRemoteBuffer(const std::string& buffer, void* w, int repeat_index,
                                   unsigned replication_index) {
  session("copyFromRemoteBuffer").copyFromRemoteBuffer(buffer, w, repeat_index, replication_index);
}
void Devicex::copyToRemoteBuffer(void* w, const std::string& buffer, int repeat_index,
                                 unsigned replication_index) {
  session("copyToRemoteBuffer").copyToRemoteBuffer(w, buffer, repeat_index, replication_index);
}

std::string Devicex::getSummaryReport(bool resetProfile) const {
  return session("getSummaryReport").getSummaryReport(resetProfile);
}
std::string Devicex::getSerializedGraph() const {
  return session("getSerializedGraph").getSerializedGraph();
}
pva::Report Devicex::getReport() const { return session("getReport").getReport(); }

unsigned Devicex::getAccumulationFactor() const {
  const SessionOptions& options = ir().getSessionOptions();
  return options.enableGradientAccumulation ? static_cast<unsigned>(options.accumulationFactor) : 1;
}
unsigned Devicex::getGlobalReplicationFactor() const {
  return static_cast<unsigned>(ir().getSessionOptions().getGlobalReplicationFactor());
}
unsigned Devicex::getGlobalReplicaOffset() const {
  const SessionOptions& options = ir().getSessionOptions();
  return options.enableDistributedReplicatedGraphs
             ? static_cast<unsigned>(options.globalReplicaOffset)
             : 0;
}

}  // namespace popx
}  // namespace popart
