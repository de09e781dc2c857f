// PopART's sessions over popir's. Long, because a session has so many functions, each a call.
#include <unistd.h>
#include <popart/error.hpp>
#include <popart/popx/executablex.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <filesystem>
#include <fstream>
#include <utility>

#include "popart/host/python.hpp"
#include "popart/host/settings.hpp"

namespace popart {
namespace {

using popir::python::Array;
using popir::python::call;
using popir::python::Dict;
using popir::python::Function;
using popir::python::get;
using popir::python::infoFrom;
using popir::python::List;
using popir::python::make;
using popir::python::modelOf;
using popir::python::Object;
using popir::python::toPython;
using popir::python::Value;

Value arraysOf(const std::map<TensorId, IArray&>& arrays, Array::Use use) {
  Dict dict;
  for (const auto& [id, array] : arrays)
    dict[id] = Array{array.data(), TensorInfo(array.dataType(), array.shape()), use};
  return dict;
}

/// popir.PyStepIO, or popir.PyStepIOCallback, for `io`, which must outlive it.
Object stepioOf(const Object& session, IStepIO& io) {
  if (const auto* arrays = dynamic_cast<const StepIO*>(&io)) {
    const Object made = make("PyStepIO", {arraysOf(arrays->inputs(), Array::Use::Read),
                                          arraysOf(arrays->outputs(), Array::Use::Write)});
    call(made, "enableRuntimeAsserts", {io.runtimeAssertsEnabled()});
    return made;
  }
  const auto elements = [session](const TensorId& id) {
    return call(session, "_per_callback", {id}).integer();
  };
  const Function in = [&io, elements](const List& args) -> Value {
    const TensorId& id = args.at(0).text();
    const ConstVoidData data = io.in(id, elements(id), args.at(1).integer() != 0, false);
    if (data.data == nullptr)
      throw runtime_error("The callback gave no data for the input '{}'", id);
    return Array{const_cast<void*>(data.data), data.info, Array::Use::Read};
  };
  const Function inComplete = [&io, elements](const List& args) {
    const TensorId& id = args.at(0).text();
    io.inComplete(id, elements(id), false);
    return Value();
  };
  const Function out = [&io, elements](const List& args) -> Value {
    const TensorId& id = args.at(0).text();
    const MutableVoidData data = io.out(id, elements(id));
    if (data.data == nullptr)
      throw runtime_error("The callback gave no memory for the anchor '{}'", id);
    return Array{data.data, data.info, Array::Use::Write};
  };
  const Function outComplete = [&io](const List& args) {
    io.outComplete(args.at(0).text());
    return Value();
  };
  return make("PyStepIOCallback", {in, inComplete, out, outComplete});
}

/// popir.PyWeightsIO, of the buffers that `io` has for the session's tensors.
Object weightsOf(const Session& session, const IWeightsIO& io, Array::Use use) {
  Dict dict;
  const auto* own = dynamic_cast<const WeightsIO*>(&io);
  const std::set<TensorId> all = session.getAllTensorIds();
  const std::vector<TensorId> ids =
      own != nullptr ? own->ids() : std::vector<TensorId>(all.begin(), all.end());
  for (const TensorId& id : ids) {
    if (!io.contains(id)) continue;
    const MutableVoidData data = io.weight(id);
    dict[id] = Array{data.data, data.info, use};
  }
  return make("PyWeightsIO", {dict});
}

Object deviceOf(const std::shared_ptr<DeviceInfo>& device) {
  if (device == nullptr)
    throw error(
        "A session needs a device, and was given a null pointer: DeviceManager makes devices");
  return device->handle();
}

}  // namespace

// ---- StepIO and its kin ----

StepIO::StepIO(std::map<TensorId, IArray&> inputs, std::map<TensorId, IArray&> outputs)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
StepIO::~StepIO() = default;
StepIOCallback::~StepIOCallback() = default;
WeightsIO::~WeightsIO() = default;

StepIOCallback::StepIOCallback(InputCallback inputCallback,
                               InputCompleteCallback inputCompleteCallback,
                               OutputCallback outputCallback,
                               OutputCompleteCallback outputCompleteCallback)
    : in_(std::move(inputCallback)),
      inComplete_(std::move(inputCompleteCallback)),
      out_(std::move(outputCallback)),
      outComplete_(std::move(outputCompleteCallback)) {}

namespace {

/// The next `count` elements of the array of `id`, and their info.
std::pair<void*, TensorInfo> next(const std::map<TensorId, IArray&>& arrays,
                                  std::map<TensorId, int64_t>& done, const TensorId& id,
                                  int64_t count, const char* kind) {
  const auto found = arrays.find(id);
  if (found == arrays.end()) throw runtime_error("StepIO has no {} '{}'", kind, id);
  IArray& array = found->second;
  const TensorInfo info(array.dataType(), array.shape());
  int64_t& begin = done[id];
  void* const data = static_cast<char*>(array.data()) + begin * info.getDataTypeInfo()->nbytes();
  begin += count;
  if (begin >= info.nelms()) begin = 0;
  return {data, info};
}

}  // namespace

ConstVoidData StepIO::in(TensorId id, int64_t numElements, bool, const bool) {
  const auto part = next(inputs_, read_, id, numElements, "input");
  return ConstVoidData(part.first, part.second);
}

MutableVoidData StepIO::out(TensorId id, int64_t numElements) {
  const auto part = next(outputs_, written_, id, numElements, "output");
  return MutableVoidData{part.first, part.second};
}

namespace {

void checkElements(const Ir& ir, const IArray& array, const TensorId& id, const char* kind,
                   int64_t batches) {
  const Tensors& tensors = ir.getMainGraphTensors();
  if (!tensors.contains(id))
    throw error(
        "Testing that the buffer provided by user for {} Tensor {} has the correct number of "
        "elements, But there is no Tensor named {} in the Ir's main Graph.",
        kind, id, id);
  const int64_t expected = tensors.get(id)->info.nelms() * batches;
  const auto given = static_cast<int64_t>(array.nelms());
  if (given != expected)
    throw error("Unexpected number of {} elements for Tensor {}. Expected {}, but received {}.",
                kind, id, expected, given);
}

}  // namespace

void StepIO::assertNumElements(const popx::Executablex& executable) const {
  const Ir& ir = executable.ir();
  const SessionOptions& options = ir.getSessionOptions();
  // Of this instance of the program, as Session::run() counts them.
  const int64_t replicas = options.enableReplicatedGraphs ? options.replicatedGraphCount : 1;
  const int64_t micro = options.enableGradientAccumulation ? options.accumulationFactor : 1;
  const DataFlow& flow = ir.getDataFlow();
  for (const auto& [id, array] : inputs_) {
    const bool isShared = ir.containsTensor(id) && ir.getTensor(id)->getReplicatedStreamMode() ==
                                                       ReplicatedStreamMode::Broadcast;
    checkElements(ir, array, id, "input",
                  flow.batchesPerStep() * micro * (isShared ? 1 : replicas));
  }
  for (const auto& [id, array] : outputs_) {
    int64_t batches = 1;
    if (flow.isAnchored(id)) {
      const AnchorReturnType kind = flow.art(id);
      if (kind.id() == AnchorReturnTypeId::All) batches = flow.batchesPerStep() * micro;
      if (kind.id() == AnchorReturnTypeId::EveryN)
        batches = flow.batchesPerStep() * micro / kind.rp();
    }
    checkElements(ir, array, id, "output", batches * replicas);
  }
}

MutableVoidData WeightsIO::weight(TensorId id) const {
  const auto found = weights_.find(id);
  if (found == weights_.end()) throw runtime_error("WeightsIO has no buffer for '{}'", id);
  return found->second;
}

void WeightsIO::insert(TensorId id, MutableVoidData data) {
  if (!weights_.emplace(id, data).second)
    throw runtime_error("WeightsIO has a buffer for '{}' already", id);
}

std::vector<TensorId> WeightsIO::ids() const {
  std::vector<TensorId> found;
  for (const auto& each : weights_) found.push_back(each.first);
  return found;
}

// ---- AnchorReturnType and DataFlow ----

namespace {

AnchorReturnTypeId anchorOf(const std::string& text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "final") return AnchorReturnTypeId::Final;
  if (lower == "everyn") return AnchorReturnTypeId::EveryN;
  if (lower == "all") return AnchorReturnTypeId::All;
  if (lower == "sum") return AnchorReturnTypeId::Sum;
  throw error("Invalid anchor return type ID supplied: {}", text);
}

}  // namespace

AnchorReturnType::AnchorReturnType() : AnchorReturnType("All") {}

AnchorReturnType::AnchorReturnType(std::string art, TileSet tileSet, ExchangeStrategy strategy)
    : text_(std::move(art)), id_(anchorOf(text_)), tileSet_(tileSet), strategy_(strategy) {
  if (id_ == AnchorReturnTypeId::EveryN)
    throw error("Must specify return period with option 'EVERYN'");
}

AnchorReturnType::AnchorReturnType(std::string art, int returnPeriod, TileSet tileSet,
                                   ExchangeStrategy strategy)
    : text_(std::move(art)),
      id_(anchorOf(text_)),
      period_(returnPeriod),
      tileSet_(tileSet),
      strategy_(strategy) {
  if (id_ != AnchorReturnTypeId::EveryN)
    throw error("A return period should not be supplied for this anchor return type");
  if (returnPeriod < 1) throw error("Anchor return period must be greater than zero");
}

int AnchorReturnType::rp() const {
  if (id_ != AnchorReturnTypeId::EveryN)
    throw error("The anchor return type '{}' has no return period", text_);
  return period_;
}

DataFlow::DataFlow(int batchesPerStep, const AnchorReturnTypeMap& anchors)
    : batchesPerStep_(batchesPerStep), anchors_(anchors) {
  for (const auto& each : anchors_) ids_.push_back(each.first);
}

DataFlow::DataFlow(int batchesPerStep, const std::vector<TensorId> anchorIds,
                   const AnchorReturnType& anchorReturnType)
    : batchesPerStep_(batchesPerStep), ids_(anchorIds) {
  for (const TensorId& id : ids_) anchors_[id] = anchorReturnType;
}

AnchorReturnType DataFlow::art(const TensorId& id) const {
  const auto found = anchors_.find(id);
  if (found == anchors_.end()) throw error("'{}' is not an anchor", id);
  return found->second;
}

// ---- Patterns ----

bool Patterns::isPatternEnabled(const std::string& name) const {
  return call(toPython(*this), "isPatternEnabled", {name}).integer() != 0;
}

std::vector<std::string> Patterns::getAllPreAliasPatternNames() {
  return call({}, "Patterns.getAllPreAliasPatternNames").texts();
}

// ---- Session ----

Session::Session(std::shared_ptr<void> session, const DataFlow& dataFlow,
                 const InputShapeInfo& inputShapeInfo, const SessionOptions& userOptions,
                 const Patterns& patterns, const std::string& name,
                 std::shared_ptr<DeviceInfo> deviceInfo, const TensorId& loss)
    : session_(std::move(session)), ir(new Ir()), deviceInfo_(std::move(deviceInfo)) {
  ir->setUserOptions(userOptions);
  ir->show(session_);
  ir->setDataFlow(dataFlow);
  ir->setInputShapeInfo(inputShapeInfo);
  ir->setPatterns(patterns);
  ir->setSessionName(name);
  if (ir->containsTensor(loss)) ir->setFinalLoss(loss);
}

Session::Session(std::shared_ptr<void> session, std::shared_ptr<Ir> given,
                 std::shared_ptr<DeviceInfo> deviceInfo)
    : session_(std::move(session)), ir(std::move(given)), deviceInfo_(std::move(deviceInfo)) {}

Session::Parts::Parts(Session& session)
    : lowering(*session.ir, session.deviceInfo_),
      executable(lowering,
                 [&session] { return get(session.session_, "_is_deserialized").integer() != 0; }),
      device(executable, session.deviceInfo_, session) {}

Session::Parts& Session::parts() const {
  if (parts_ == nullptr) parts_ = std::make_unique<Parts>(const_cast<Session&>(*this));
  return *parts_;
}

std::shared_ptr<void> Session::sessionOf(const std::string& who, const std::shared_ptr<Ir>& ir,
                                         const std::shared_ptr<DeviceInfo>& deviceInfo,
                                         const std::string& name) {
  if (deviceInfo == nullptr)
    throw error(
        "{}::createFromIr: Must pass valid DeviceInfo. Given was a null pointer; DeviceManager "
        "makes devices",
        who);
  if (ir == nullptr)
    throw error(
        "{}::createFromIr: Must pass valid Ir. Given was a null pointer; Ir::prepare() makes the "
        "graphs of a model",
        who);
  return ir->sessionOn(who, deviceInfo, name);
}

Session::~Session() = default;
InferenceSession::~InferenceSession() = default;
TrainingSession::~TrainingSession() = default;

void Session::prepareDevice(bool loadEngine) { call(session_, "prepareDevice", {loadEngine}); }
void Session::loadEngineAndConnectStreams() { call(session_, "loadEngineAndConnectStreams"); }
bool Session::isPrepared() const { return !get(session_, "_engine").isNone(); }
void Session::run(IStepIO& stepIO, std::string debugName) {
  call(session_, "run", {stepioOf(session_, stepIO), debugName});
}

void Session::connectHostFunction(
    const std::string& functionHandle,
    std::function<void(const void* const*, std::size_t, void* const*, std::size_t)> callback,
    unsigned index) {
  if (index != 0)
    throw error("connectHostFunction: index = {}: all replicas have the same function; give 0",
                index);
  const Function function = [callback](const List& args) {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    for (const Value& each : args.at(0).list())
      inputs.push_back(popir::python::bridge().data(each.object()));
    for (const Value& each : args.at(1).list())
      outputs.push_back(popir::python::bridge().data(each.object()));
    callback(inputs.data(), inputs.size(), outputs.data(), outputs.size());
    return Value();
  };
  call(session_, "connectHostFunction", {functionHandle, function});
}

namespace {

/// Calls `connect` with the engine of each replica of this process.
void onEngines(const Object& session, const char* who, unsigned index,
               const std::function<void(poplar::Engine&)>& connect) {
  if (index != 0)
    throw error("{}: index = {}: all replicas have the same stream; give 0", who, index);
  call(session, "_prepared", {who});
  const Value held = get(session, "_engines");
  for (const Value& engine : held.list()) connect(*popir::python::bridge().engine(engine.object()));
}

}  // namespace

void Session::connectStream(const std::string& streamHandle, void* buffer) {
  onEngines(session_, "connectStream", 0,
            [&](poplar::Engine& engine) { engine.connectStream(streamHandle, buffer); });
}
void Session::connectStreamToCallback(const std::string& streamHandle,
                                      std::function<void(void*)> callback, unsigned index) {
  onEngines(session_, "connectStreamToCallback", index, [&](poplar::Engine& engine) {
    engine.connectStreamToCallback(streamHandle, callback);
  });
}

void Session::weightsFromHost() { call(session_, "weightsFromHost"); }
void Session::buffersFromHost() {
  WeightsIO changed;
  std::vector<TensorData*> sent;
  popx::Executablex& executable = parts().executable;
  for (const TensorId& id : executable.getSessionOptions().updatableNamedBuffers) {
    if (!executable.containsTensor(id)) continue;
    Tensor* tensor = executable.getTensor(id);
    if (tensor->tensorType() != TensorType::Variable || !tensor->hasTensorData() ||
        tensor->tensorData()->getIsSyncedWithIPU())
      continue;
    changed.insert(id, {tensor->tensorData()->data(), tensor->info});
    sent.push_back(tensor->tensorData());
  }
  writeWeights(changed);
  call(session_, "buffersFromHost");
  for (TensorData* data : sent) data->setIsSyncedWithIPU(true);
}
void Session::weightsToHost() { call(session_, "weightsToHost"); }
void Session::readWeights(const IWeightsIO& weights) {
  call(session_, "readWeights", {weightsOf(*this, weights, Array::Use::Write)});
}
void Session::writeWeights(const IWeightsIO& weights) {
  call(session_, "writeWeights", {weightsOf(*this, weights, Array::Use::Read)});
}
void Session::resetHostWeights(const std::string& modelProtoOrFilename,
                               const bool ignoreWeightsInModelWithoutCorrespondingHostWeight) {
  call(session_, "resetHostWeights",
       {modelOf(modelProtoOrFilename), ignoreWeightsInModelWithoutCorrespondingHostWeight});
}
void Session::broadcastWeights(int rootRank) { call(session_, "broadcastWeights", {rootRank}); }
void Session::modelToHost(const std::string& filename) {
  call(session_, "modelToHost", {filename});
}

namespace {

/// A replica's engine, and the bytes of a row of a remote buffer of it.
std::pair<Object, TensorInfo> rowOf(const Object& session, const char* who,
                                    const std::string& buffer, int row, unsigned replica) {
  call(session, "_prepared", {who});
  const Value held = get(session, "_engines");
  const List& engines = held.list();
  if (replica >= engines.size())
    throw error("{}: replica {} given; this process has {}, counted from 0", who, replica,
                engines.size());
  if (row < 0) throw error("{}: row {} given; rows are counted from 0", who, row);
  const Object& engine = engines[replica].object();
  const int64_t bytes = call(engine, "_remoteRowBytes", {buffer}).integer();
  return {engine, TensorInfo(DataType::UINT8, {bytes})};
}

}  // namespace

void Session::copyFromRemoteBuffer(const std::string& buffer, void* w, int repeat_index,
                                   unsigned replication_index) {
  const char* const who = "copyFromRemoteBuffer";
  const auto [engine, info] = rowOf(session_, who, buffer, repeat_index, replication_index);
  call(engine, who, {buffer, Array{w, info, Array::Use::Write}, repeat_index});
}
void Session::copyToRemoteBuffer(void* w, const std::string& buffer, int repeat_index,
                                 unsigned replication_index) {
  const char* const who = "copyToRemoteBuffer";
  const auto [engine, info] = rowOf(session_, who, buffer, repeat_index, replication_index);
  call(engine, who, {Array{w, info, Array::Use::Read}, buffer, repeat_index});
}
void Session::updateExternallySavedTensorLocations(const std::string& fromLocation,
                                                   const std::string& toLocation) {
  call(session_, "updateExternallySavedTensorLocations", {fromLocation, toLocation});
}

void Session::setRandomSeed(uint64_t seed) { call(session_, "setRandomSeed", {seed}); }
uint64_t Session::getRandomSeed() {
  return static_cast<uint64_t>(call(session_, "getRandomSeed").integer());
}
std::vector<uint32_t> Session::getRNGState() {
  const std::vector<int64_t> words = call(session_, "getRNGState").integers();
  return {words.begin(), words.end()};
}
void Session::setRNGState(const std::vector<uint32_t> state) {
  call(session_, "setRNGState", {state});
}

void Session::compileAndExport(const std::string& filename) {
  call(session_, "compileAndExport", {filename});
}
void Session::saveExecutableToFile(const std::string& filename) { saveExecutable(filename); }

namespace {

/// A file of this process among the temporary ones, which goes with the object.
class PassingFile {
 public:
  PassingFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "popir-XXXXXX").string();
    const int made = mkstemp(pattern.data());
    if (made < 0) throw error("No file can be made in {}: set TMPDIR to another folder", pattern);
    close(made);
    path = pattern;
  }
  ~PassingFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;

  void writeTo(const char* who, std::ostream& out) const {
    std::ifstream in(path, std::ios::binary);
    out << in.rdbuf();
    if (!out) throw error("{}: the stream given could not be written", who);
  }

  std::string path;
};

}  // namespace

void Session::compileAndExport(std::ostream& out) {
  const PassingFile file;
  compileAndExport(file.path);
  file.writeTo("compileAndExport", out);
}
void Session::saveExecutableToStream(std::ostream& out) {
  const PassingFile file;
  saveExecutable(file.path);
  file.writeTo("saveExecutableToStream", out);
}
void Session::loadExecutableFromStream(std::shared_ptr<std::istream> in) {
  if (in == nullptr)
    throw error("loadExecutableFromStream: a stream was expected; given was a null pointer");
  loadExecutableFromStream(*in);
}
void Session::loadExecutableFromStream(std::istream& in) {
  const PassingFile file;
  std::ofstream(file.path, std::ios::binary) << in.rdbuf();
  loadExecutableFromFile(file.path);
}
void Session::checkInplacingAmbiguity() const { call(session_, "checkInplacingAmbiguity"); }
void Session::saveExecutable(const std::string& path, bool savePopartMetadata, bool saveVariables) {
  call(session_, "saveExecutable", {path, savePopartMetadata, saveVariables});
}
void Session::saveVariables(const std::string& path) { call(session_, "saveVariables", {path}); }
void Session::loadExecutableFromFile(const std::string& filename) {
  call(session_, "loadExecutable", {filename});
}

TensorInfo Session::getInfo(TensorId id) const {
  return infoFrom(call(session_, "getInfo", {id}).object());
}
bool Session::hasInfo(TensorId id) const { return getAllTensorIds().count(id) != 0; }
std::set<TensorId> Session::getAllTensorIds() const {
  const std::vector<TensorId> ids = call(session_, "getTensorIds").texts();
  return {ids.begin(), ids.end()};
}
std::string Session::getSummaryReport(bool resetProfile) const {
  return call(session_, "getSummaryReport", {resetProfile}).text();
}
pva::Report Session::getReport() const {
  return popir::python::bridge().report(call(session_, "_prepared", {"getReport"}).object());
}
std::string Session::getSerializedGraph() const {
  return call(session_, "getSerializedGraph").text();
}
std::string Session::serializeIr(IrSerializationFormat) {
  return call(session_, "_serializeIr").text();
}
uint64_t Session::getCycleCount(std::string id) {
  return static_cast<uint64_t>(call(session_, "getCycleCount", {id}).integer());
}

std::unique_ptr<InferenceSession> InferenceSession::createFromOnnxModel(
    const std::string& model, const DataFlow& dataFlow, std::shared_ptr<DeviceInfo> deviceInfo,
    const InputShapeInfo& inputShapeInfo, const SessionOptions& userOptions,
    const Patterns& patterns, const std::string name) {
  return std::unique_ptr<InferenceSession>(new InferenceSession(
      make("InferenceSession", {modelOf(model), toPython(dataFlow), deviceOf(deviceInfo)},
           {{"inputShapeInfo", toPython(inputShapeInfo)},
            {"userOptions", toPython(userOptions)},
            {"patterns", toPython(patterns)},
            {"name", name}}),
      dataFlow, inputShapeInfo, userOptions, patterns, name, deviceInfo));
}

std::unique_ptr<InferenceSession> InferenceSession::createFromIr(
    std::shared_ptr<Ir> ir, std::shared_ptr<DeviceInfo> deviceInfo, const std::string name) {
  std::shared_ptr<void> session = sessionOf("InferenceSession", ir, deviceInfo, name);
  return std::unique_ptr<InferenceSession>(
      new InferenceSession(std::move(session), std::move(ir), std::move(deviceInfo)));
}

std::unique_ptr<TrainingSession> TrainingSession::createFromIr(
    std::shared_ptr<Ir> ir, std::shared_ptr<DeviceInfo> deviceInfo, const std::string name) {
  std::shared_ptr<void> session = sessionOf("TrainingSession", ir, deviceInfo, name);
  return std::unique_ptr<TrainingSession>(
      new TrainingSession(std::move(session), std::move(ir), std::move(deviceInfo)));
}

std::unique_ptr<TrainingSession> TrainingSession::createFromOnnxModel(
    const std::string& model, const DataFlow& dataFlow, const TensorId& loss,
    const Optimizer& optimizer, std::shared_ptr<DeviceInfo> deviceInfo,
    const InputShapeInfo& inputShapeInfo, const SessionOptions& userOptions,
    const Patterns& patterns, const std::string name) {
  return std::unique_ptr<TrainingSession>(new TrainingSession(
      make("TrainingSession",
           {modelOf(model), toPython(dataFlow), loss, optimizer.handle(), deviceOf(deviceInfo)},
           {{"inputShapeInfo", toPython(inputShapeInfo)},
            {"userOptions", toPython(userOptions)},
            {"patterns", toPython(patterns)},
            {"name", name}}),
      dataFlow, inputShapeInfo, userOptions, patterns, name, deviceInfo, loss));
}

void TrainingSession::updateOptimizerFromHost(const Optimizer* optimizer) {
  if (optimizer == nullptr)
    throw error("updateOptimizerFromHost: an optimizer was expected; given was a null pointer");
  if (get(handle(), "_optimizer").isNone())
    throw error(
        "updateOptimizerFromHost: the graphs of this session were made by the program, without an "
        "optimizer. Write the tensors that its updates read: writeWeights(), weightsFromHost()");
  call(handle(), "updateOptimizerFromHost", {optimizer->handle()});
}

}  // namespace popart
