// Target, Device, DeviceManager and IPUModel: machine descriptions.
#include <popir/version.hpp>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "machine/links.hpp"
#include "machine/target_spec.hpp"
#include "poplar/targets.hpp"
#include "support/option_table.hpp"

namespace poplar {

std::string versionString() { return "3.3.0"; }
std::string packageHash() { return popir_version(); }

using popir::TargetSpec;

namespace {

Target targetOf(TargetSpec spec) {
  return Target(std::make_shared<const TargetSpec>(std::move(spec)));
}

// Poplar's device options that are not figures of a machine.
const std::vector<popir::OptionRow> kMeaningless = [] {
  using Row = popir::OptionRow;
  constexpr const char* fabric = "there is no fabric to configure: its links are figures";
  constexpr const char* sync = "there is no hardware to synchronise";
  std::vector<Row> rows;
  for (const auto* name : {"ipuLinkConfiguration", "ipuLinkTopology", "ipuLinkDomainSize",
                           "ipuLinkLabelling", "ipuLinkRoutingMode", "gatewayMode"})
    rows.push_back({name, Row::Kind::NoMeaning, Row::Type::Text, "", fabric});
  for (const auto* name : {"syncConfiguration", "syncReplicasIndependently"})
    rows.push_back({name, Row::Kind::NoMeaning, Row::Type::Text, "", sync});
  rows.push_back({"compileIPUCode", Row::Kind::NoMeaning, Row::Type::Flag, "true",
                  "codelets are compiled for the host, when a graph gets them"});
  rows.push_back({"dynamicMinimumTilesPerIPU", Row::Kind::NoMeaning, Row::Type::Whole, "",
                  "a device has the tiles that it is made with"});
  return rows;
}();

bool isMeaningless(const std::string& option) {
  return std::any_of(kMeaningless.begin(), kMeaningless.end(),
                     [&](const popir::OptionRow& row) { return option == row.name; });
}

void change(TargetSpec& spec, const OptionFlags& options) {
  OptionFlags others;
  for (const auto& [name, value] : options) {
    if (isMeaningless(name))
      others.set(name, value);
    else
      spec.set(name, value);
  }
  for (const auto& note : popir::checkOptions("target", kMeaningless, others))
    popir::noteOption(note);
}

/// What a CPU says its tile has, where nothing limits it. Programs take it as an int, and as a
/// float.
constexpr unsigned kCpuBytes = 1u << 30;

}  // namespace
}  // namespace poplar

const std::vector<popir::OptionRow>& popir::deviceOptionTable() { return poplar::kMeaningless; }

poplar::Target popir::withIPUs(const TargetSpec& spec, unsigned ipus) {
  auto some = std::make_shared<TargetSpec>(spec);
  some->numIPUs = ipus;
  return poplar::Target(std::move(some));
}

namespace poplar {

Target::Target() : spec_(std::make_shared<const TargetSpec>(TargetSpec::cpu())) {}
Target::Target(std::shared_ptr<const TargetSpec> spec) : spec_(std::move(spec)) {}

Target Target::createCPUTarget(bool, unsigned numIPUs) {
  auto spec = TargetSpec::cpu();
  spec.set("numIPUs", numIPUs);
  return targetOf(spec);
}
Target Target::createIPUTarget(unsigned numIPUs, StringRef systemType, const OptionFlags& options) {
  auto spec = TargetSpec::system(systemType.str(), numIPUs);
  change(spec, options);
  spec.set("numIPUs", numIPUs);
  return targetOf(spec);
}
Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                               const OptionFlags& options) {
  auto spec = TargetSpec::system(systemType.str(), numIPUs);
  change(spec, options);
  spec.set("numIPUs", numIPUs);
  spec.set("tilesPerIPU", tilesPerIPU);
  return targetOf(spec);
}

Target Target::createIPUTarget(StringRef systemType, const OptionFlags& options) {
  return createIPUTarget(TargetSpec::ipusOf(systemType.str()), systemType, options);
}

namespace {

[[noreturn]] void refuseBlocks(const char* who) {
  throw poplar_error(std::string("Target::") + who +
                     ": the blocks by which tiles reach the host are published for no IPU, and the "
                     "machine model has none; gcl::perIPUTiles chooses tiles for transfers");
}
[[noreturn]] void refuseRegisters(const char* who) {
  throw poplar_error(std::string("Target::") + who +
                     ": a simulated tile has no registers; getAndModifyFloatingPointBehaviour "
                     "tells how floating point behaves");
}

}  // namespace

unsigned Target::getNumTilesPerXBContext() const { refuseBlocks("getNumTilesPerXBContext"); }
unsigned Target::getNumContextsPerXB() const { refuseBlocks("getNumContextsPerXB"); }
unsigned Target::getTileHostExchangeXB(unsigned) const { refuseBlocks("getTileHostExchangeXB"); }
unsigned Target::getTileHostExchangeContext(unsigned) const {
  refuseBlocks("getTileHostExchangeContext");
}
unsigned Target::getTileHostExchangeContextPosition(unsigned) const {
  refuseBlocks("getTileHostExchangeContextPosition");
}
unsigned Target::getFpIctlRegIndex() const { refuseRegisters("getFpIctlRegIndex"); }
unsigned Target::getDbgDataRegIndex() const { refuseRegisters("getDbgDataRegIndex"); }

TargetType Target::getTargetType() const { return spec_->type; }
StringRef Target::getTargetArchString() const { return spec_->arch; }
StringRef Target::getTargetSystemString() const {
  return spec_->systemName.empty() ? spec_->arch : spec_->systemName;
}
unsigned Target::getNumIPUs() const { return spec_->numIPUs; }
unsigned Target::getTilesPerIPU() const { return spec_->tilesPerIPU; }
unsigned Target::getNumTiles() const { return spec_->numTiles(); }
unsigned Target::getNumWorkerContexts() const { return spec_->numWorkerContexts; }
unsigned Target::getBytesPerTile() const {
  return spec_->type == TargetType::CPU ? kCpuBytes : spec_->memoryBytesPerTile;
}
std::uint64_t Target::getMemoryBytes() const {
  return static_cast<std::uint64_t>(getBytesPerTile()) * spec_->numTiles();
}
unsigned Target::getExchangeBytesPerCycle() const { return spec_->exchangeBytesPerCycle; }
unsigned Target::getMemcpyBytesPerCycle() const { return spec_->memcpyBytesPerCycle; }
unsigned Target::getDataPathWidth() const { return spec_->dataPathWidth; }
unsigned Target::getVectorWidth(const Type& type) const {
  const auto width = spec_->dataPathWidth / 8 / static_cast<unsigned>(type.sizeInBytes());
  return width == 0 ? 1 : width;
}
namespace {

/// The limits of the host's type that is like a type of the device.
struct Limits {
  long double lowest, largest;
};

template <class T>
Limits limits() {
  return {static_cast<long double>(std::numeric_limits<T>::lowest()),
          static_cast<long double>(std::numeric_limits<T>::max())};
}

Limits limitsOf(const Type& type) {
  if (type == BOOL) return {0, 1};
  if (type == CHAR) return limits<char>();
  if (type == SIGNED_CHAR) return limits<signed char>();
  if (type == UNSIGNED_CHAR) return limits<unsigned char>();
  if (type == SHORT) return limits<std::int16_t>();
  if (type == UNSIGNED_SHORT) return limits<std::uint16_t>();
  if (type == INT) return limits<std::int32_t>();
  if (type == UNSIGNED_INT) return limits<std::uint32_t>();
  if (type == LONGLONG) return limits<std::int64_t>();
  if (type == UNSIGNED_LONGLONG) return limits<std::uint64_t>();
  if (type == HALF) return {-65504, 65504};
  if (type == FLOAT) return limits<float>();
  if (type == DOUBLE) return limits<double>();
  throw type_error("Target: the limits of " + type.toString() +
                   " are not known: they depend on a tensor's metadata, or there are none");
}

}  // namespace

long double Target::largest(const Type& type) { return limitsOf(type).largest; }
long double Target::lowest(const Type& type) { return limitsOf(type).lowest; }

Target Target::createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const {
  auto spec = *spec_;
  spec.set("numIPUs", numIPUs);
  spec.set("tilesPerIPU", tilesPerIPU);
  return targetOf(std::move(spec));
}

std::size_t Target::getTypeSize(const Type& type) const { return type.sizeInBytes(); }
unsigned Target::getWeightsPerConvUnit(bool floatActivations) const {
  return spec_->convUnitMaxPipelineDepth * (floatActivations
                                                ? spec_->fp32ConvUnitInputLoadElemsPerCycle
                                                : spec_->fp16ConvUnitInputLoadElemsPerCycle);
}
unsigned Target::getWeightsPerConvUnit(const Type& type) const {
  return spec_->convUnitMaxPipelineDepth * getConvUnitInputLoadElemsPerCycle(type);
}
unsigned Target::getNumConvUnits(const Type& inputType, const Type& partialsType) const {
  if (inputType == FLOAT) return spec_->fp32InFp32OutConvUnitsPerTile;
  if (inputType == QUARTER) return partialsType == HALF ? spec_->fp8InFp16OutConvUnitsPerTile : 0;
  return partialsType == FLOAT ? spec_->fp16InFp32OutConvUnitsPerTile
                               : spec_->fp16InFp16OutConvUnitsPerTile;
}
unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type& type) const {
  return type == QUARTER ? spec_->fp8ConvUnitInputLoadElemsPerCycle
         : type == HALF  ? spec_->fp16ConvUnitInputLoadElemsPerCycle
                         : spec_->fp32ConvUnitInputLoadElemsPerCycle;
}
unsigned Target::getFp16InFp16OutConvUnitsPerTile() const {
  return spec_->fp16InFp16OutConvUnitsPerTile;
}
unsigned Target::getFp16InFp32OutConvUnitsPerTile() const {
  return spec_->fp16InFp32OutConvUnitsPerTile;
}
unsigned Target::getFp32InFp32OutConvUnitsPerTile() const {
  return spec_->fp32InFp32OutConvUnitsPerTile;
}
unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const {
  return spec_->convUnitCoeffLoadBytesPerCycle;
}
unsigned Target::getConvUnitMaxPipelineDepth() const { return spec_->convUnitMaxPipelineDepth; }
unsigned Target::getConvUnitMaxPipelineDepth(const Type&) const {
  return spec_->convUnitMaxPipelineDepth;
}
unsigned Target::getNumStrideBits() const { return spec_->numStrideBits; }
std::vector<unsigned> Target::getMemoryElementOffsets() const {
  std::vector<unsigned> offsets;
  for (std::uint64_t at = 0; at < getBytesPerTile(); at += spec_->memoryElementBytes)
    offsets.push_back(static_cast<unsigned>(at));
  return offsets;
}
unsigned Target::getInterleavedMemoryElementIndex() const {
  const unsigned bytes = spec_->memoryElementBytes;
  return bytes == 0 ? 0 : spec_->interleavedMemoryOffset / bytes;
}
unsigned Target::getMinIPUSyncDelay() const { return spec_->minIPUSyncDelay; }
unsigned Target::getMaxIPUSyncDelay() const { return spec_->maxIPUSyncDelay; }
std::vector<GlobalExchangeConstraint> Target::getGlobalExchangeConstraints() const {
  std::vector<GlobalExchangeConstraint> constraints;
  for (const auto& limit : popir::exchangeLimits(*spec_)) {
    auto& constraint =
        constraints.emplace_back(limit.bitsPerSecond, std::vector<GlobalExchangeFlow>());
    for (const auto& [src, dst] : limit.flows) constraint.flows.emplace_back(src, dst);
  }
  return constraints;
}
unsigned Target::getGlobalSyncCycles() const { return spec_->syncBetweenIPUs(spec_->numIPUs); }
unsigned Target::getRptCountMax() const { return spec_->rptCountMax; }
std::size_t Target::getAtomicStoreGranularity() const { return spec_->atomicStoreGranularity; }
unsigned Target::getTilesPerSharedExchangeBus() const { return spec_->tilesPerSharedExchangeBus; }
bool Target::supportsExchangeBusSharing() const { return spec_->tilesPerSharedExchangeBus > 1; }
double Target::getTileClockFrequency() const { return spec_->tileClockFrequency; }

void copyFloatToDeviceHalf(const Target&, const float* src, void* dst, std::size_t n) {
  auto* out = static_cast<popir::Half*>(dst);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<popir::Half>(src[i]);
}
void copyDeviceHalfToFloat(const Target&, const void* src, float* dst, std::size_t n) {
  const auto* in = static_cast<const popir::Half*>(src);
  for (std::size_t i = 0; i < n; ++i) dst[i] = static_cast<float>(in[i]);
}

void copyDoubleToDeviceHalf(const Target&, const double* src, void* dst, std::size_t n) {
  auto* out = static_cast<popir::Half*>(dst);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<popir::Half>(src[i]);
}
void copyDeviceHalfToDouble(const Target&, const void* src, double* dst, std::size_t n) {
  const auto* in = static_cast<const popir::Half*>(src);
  for (std::size_t i = 0; i < n; ++i) dst[i] = static_cast<double>(in[i]);
}

struct Device::State {
  std::atomic<bool> attached{false};
  std::atomic<unsigned> resets{0};
};

Device::Device() : Device(Target()) {}
Device::Device(Target target, unsigned id)
    : target_(std::move(target)), id_(id), state_(std::make_shared<State>()) {}
Device Device::createCPUDevice(unsigned numIPUs) {
  return Device(Target::createCPUTarget(false, numIPUs));
}
Device Device::createCPUDevice(const OptionFlags& options) {
  auto spec = TargetSpec::cpu();
  change(spec, options);
  return Device(targetOf(std::move(spec)));
}
Device Device::createSimulatorDevice(Target target, const OptionFlags& options) {
  auto spec = target.spec();
  change(spec, options);
  return Device(targetOf(std::move(spec)));
}
Device Device::createVirtualDevice(unsigned tilesPerIPU) {
  auto spec = target_.spec();
  spec.set("tilesPerIPU", tilesPerIPU);
  return Device(targetOf(spec), id_);
}
bool Device::attach() const { return state_->attached = true; }

void Device::getDriverVersion(unsigned&, unsigned&, unsigned&) const {
  throw poplar_error(
      "Device::getDriverVersion: simulated IPUs have no driver; poplar::versionString tells which "
      "SDK they follow");
}
std::vector<int> Device::getNumaTopology() const {
  return std::vector<int>(target_.getNumIPUs(), -1);
}
void Device::reset() const { ++state_->resets; }
unsigned Device::resets() const { return state_->resets; }

std::map<std::string, std::string> Device::getAttributes() const {
  const auto text = [](auto number) { return std::to_string(number); };
  return {{"target type", toString(target_.getTargetType())},
          {"ipu architecture", std::string(target_.getTargetArchString())},
          {"ipu count", text(target_.getNumIPUs())},
          {"tiles per ipu", text(target_.getTilesPerIPU())},
          {"worker contexts", text(target_.getNumWorkerContexts())},
          {"bytes per tile", text(target_.getBytesPerTile())},
          {"tile clock (Hz)", text(static_cast<std::uint64_t>(target_.getTileClockFrequency()))},
          {"device id", text(id_)},
          {"simulated", "true"}};
}

std::string Device::getAttribute(StringRef name) const {
  const auto attributes = getAttributes();
  const auto found = attributes.find(std::string(name));
  if (found != attributes.end()) return found->second;
  std::string known;
  for (const auto& each : attributes) known += (known.empty() ? "" : ", ") + each.first;
  throw poplar_error("Device::getAttribute: \"" + std::string(name) + "\" given, expected one of " +
                     known);
}
void Device::detach() const { state_->attached = false; }
bool Device::isAttached() const { return state_->attached; }

DeviceManager DeviceManager::createDeviceManager() { return {}; }
std::vector<Device> DeviceManager::getDevices(const OptionFlags& options) const {
  return getDevices(TargetType::IPU, 1, options);
}
std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned requiredNumIPUs,
                                              const OptionFlags& options) const {
  auto device = getDevice(type, 0, options);
  auto spec = device.getTarget().spec();
  spec.set("numIPUs", requiredNumIPUs);
  return {Device(targetOf(spec), 0)};
}
Device DeviceManager::getDevice(TargetType type, unsigned deviceManagerId,
                                const OptionFlags& options) const {
  auto spec = type == TargetType::CPU ? TargetSpec::cpu() : TargetSpec::ipu("ipu2");
  spec.type = type;
  change(spec, options);
  return Device(targetOf(spec), deviceManagerId);
}
std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned parentDeviceId,
                                                       unsigned numIPUs) const {
  if (numIPUs == 0)
    throw poplar_error(
        "DeviceManager::getChildDeviceIds: parts of 0 IPUs asked for, expected 1 or "
        "more");
  getDevice(parentDeviceId);
  return {};
}
Device DeviceManager::getDevice(unsigned deviceManagerId, const OptionFlags& options) const {
  for (auto& device : getDevices(options))
    if (device.getId() == deviceManagerId) return std::move(device);
  throw poplar_error("DeviceManager::getDevice: no device has id " +
                     std::to_string(deviceManagerId) + "; expected one below " +
                     std::to_string(getNumDevices()));
}

IPUModel::IPUModel(const char* version) : IPUVersion(version) {}
Device IPUModel::createDevice(OptionFlags options, bool, unsigned deviceManagerId) const {
  auto spec = TargetSpec::ipu(IPUVersion);
  spec.set("numIPUs", numIPUs);
  const std::pair<const char*, double> figures[] = {
      {"tilesPerIPU", tilesPerIPU},
      {"numWorkerContexts", numWorkerContexts},
      {"memoryBytesPerTile", memoryBytesPerTile},
      {"exchangeBytesPerCycle", exchangeBytesPerCycle},
      {"tileClockFrequency", tileClockFrequency},
      {"dataPathWidth", dataPathWidth},
      {"memcpyBytesPerCycle", memcpyBytesPerCycle},
      {"fp16ConvUnitInputLoadElemsPerCycle", fp16ConvUnitInputLoadElemsPerCycle},
      {"fp32ConvUnitInputLoadElemsPerCycle", fp32ConvUnitInputLoadElemsPerCycle},
      {"convUnitMaxPipelineDepth", fp16ConvUnitMaxPipelineDepth},
      {"fp16InFp16OutConvUnitsPerTile", fp16InFp16OutConvUnitsPerTile},
      {"fp16InFp32OutConvUnitsPerTile", fp16InFp32OutConvUnitsPerTile},
      {"fp32InFp32OutConvUnitsPerTile", fp32InFp32OutConvUnitsPerTile},
      {"convUnitCoeffLoadBytesPerCycle", convUnitCoeffLoadBytesPerCycle},
      {"globalSyncCycles", globalSyncCycles},
  };
  for (const auto& [name, value] : figures)
    if (value != 0) spec.set(name, value);
  change(spec, options);
  for (const auto& constraint : globalExchangeConstraints) {
    if (!(constraint.bandwidth > 0 && std::isfinite(constraint.bandwidth)))
      throw invalid_option(
          "IPUModel::globalExchangeConstraints: a bandwidth above 0 was expected, in bits a "
          "second; "
          "given was " +
          std::to_string(constraint.bandwidth));
    auto& limit = spec.exchangeLimits.emplace_back();
    limit.bitsPerSecond = constraint.bandwidth;
    for (const auto& [src, dst] : constraint.flows) {
      if (src >= spec.numIPUs || dst >= spec.numIPUs || src == dst)
        throw invalid_option(
            "IPUModel::globalExchangeConstraints: a flow between two of the model's " +
            std::to_string(spec.numIPUs) + " IPUs was expected; given was one from " +
            std::to_string(src) + " to " + std::to_string(dst));
      limit.flows.emplace_back(src, dst);
    }
  }
  return Device(targetOf(spec), deviceManagerId == ~0u ? 0 : deviceManagerId);
}

}  // namespace poplar
