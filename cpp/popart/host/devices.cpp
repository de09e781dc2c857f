#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/popx/devicexmanager.hpp>

#include <utility>

#include "popart/host/python.hpp"

namespace popart {
namespace {

using popir::python::call;
using popir::python::get;
using popir::python::List;
using popir::python::make;
using popir::python::member;
using popir::python::Object;
using popir::python::Value;

// The names have the same order in Python and C++.
const std::vector<const char*> types = {"IpuModel", "Cpu", "Ipu", "OfflineIpu", "Sim"};
const std::vector<const char*> connections = {"Always", "OnDemand", "Never"};
const std::vector<const char*> patterns = {"Full", "SinglePipeline", "ReplicaAndLadder"};
const std::vector<const char*> texts = {"full", "singlePipeline", "replicaAndLadder"};

Value valueOf(SyncPattern pattern) {
  return member("SyncPattern", patterns, static_cast<int>(pattern));
}
Value valueOf(DeviceConnectionType type) {
  return member("DeviceConnectionType", connections, static_cast<int>(type));
}
Value valueOf(DeviceSelectionCriterion criterion) {
  return member("DeviceSelectionCriterion", {"First", "Random"}, static_cast<int>(criterion));
}
Value valueOf(DeviceType type) { return member("DeviceType", types, static_cast<int>(type)); }

/// The class of a device's type, of the compiler's object.
std::shared_ptr<DeviceInfo> deviceInfoOf(Object device) {
  switch (DeviceInfo(device).getType()) {
    case DeviceType::Cpu: return std::make_shared<popx::DevicexCpuInfo>(std::move(device));
    case DeviceType::Sim: return std::make_shared<popx::DevicexSimInfo>(std::move(device));
    case DeviceType::IpuModel:
      return std::make_shared<popx::DevicexIpuModelInfo>(std::move(device));
    case DeviceType::Ipu: return std::make_shared<popx::DevicexIpuInfo>(std::move(device));
    default: return std::make_shared<popx::DevicexOfflineIpuInfo>(std::move(device));
  }
}

/// A device that a method of popir.DeviceManager makes; null if it returns None.
std::shared_ptr<DeviceInfo> made(const char* method, const List& args) {
  const Value device = call(make("DeviceManager"), method, args);
  return device.isNone() ? nullptr : deviceInfoOf(device.object());
}

}  // namespace

SyncPattern syncPatternFromString(const std::string& text) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (text == texts[i]) return static_cast<SyncPattern>(i);
  throw error("Unknown syncPattern setting: {}", text);
}

std::string syncPatternToString(const SyncPattern& pattern) {
  return texts.at(static_cast<std::size_t>(pattern));
}

DeviceInfo::DeviceInfo(std::shared_ptr<void> device) : device_(std::move(device)) {}
DeviceInfo::~DeviceInfo() = default;

bool DeviceInfo::attach() { return call(device_, "attach").integer() != 0; }
void DeviceInfo::detach() { call(device_, "detach"); }
bool DeviceInfo::isAttached() const { return get(device_, "isAttached").integer() != 0; }
DeviceType DeviceInfo::getType() const {
  return static_cast<DeviceType>(get(device_, "type.value").integer());
}
DeviceConnectionType DeviceInfo::getConnectionType() const {
  return static_cast<DeviceConnectionType>(get(device_, "connectionType.value").integer());
}
std::string DeviceInfo::toString() const { return call(device_, "__repr__").text(); }
int DeviceInfo::getId() const { return static_cast<int>(get(device_, "id").integer()); }
std::string DeviceInfo::getVersion() const { return get(device_, "version").text(); }
int DeviceInfo::getNumIpus() const { return static_cast<int>(get(device_, "numIpus").integer()); }
int DeviceInfo::getTilesPerIPU() const {
  return static_cast<int>(get(device_, "tilesPerIPU").integer());
}
int DeviceInfo::getNumWorkerContexts() const {
  return static_cast<int>(get(device_, "numWorkerContexts").integer());
}
std::string DeviceInfo::getIpuVersion() const { return get(device_, "ipuVersion").text(); }
bool DeviceInfo::canCompileOffline() const { return getType() == DeviceType::OfflineIpu; }
const poplar::Target& DeviceInfo::getTarget() const {
  if (target_ == nullptr)
    target_ = std::make_unique<poplar::Target>(popir::python::bridge().target(device_));
  return *target_;
}

namespace popx {

DevicexInfo::~DevicexInfo() = default;

const poplar::Device& DevicexInfo::getDevice() const {
  if (poplarDevice_ == nullptr)
    poplarDevice_ = std::make_unique<poplar::Device>(getTarget(), static_cast<unsigned>(getId()));
  return *poplarDevice_;
}

}  // namespace popx

std::ostream& operator<<(std::ostream& os, const DeviceInfo& device) {
  return os << device.toString();
}

DeviceManager& DeviceManager::createDeviceManager() {
  static DeviceManager manager;
  return manager;
}

std::vector<std::shared_ptr<DeviceInfo>> DeviceManager::enumerateDevices(
    SyncPattern pattern, int numIpus, DeviceType deviceType, DeviceConnectionType connectionType,
    int tilesPerIPU) {
  const Value found =
      call(make("DeviceManager"), "enumerateDevices",
           {valueOf(pattern), numIpus, valueOf(deviceType), valueOf(connectionType), tilesPerIPU});
  std::vector<std::shared_ptr<DeviceInfo>> devices;
  for (const Value& each : found.list()) devices.push_back(deviceInfoOf(each.object()));
  return devices;
}

std::shared_ptr<DeviceInfo> DeviceManager::getDevice(SyncPattern pattern, uint32_t deviceManagerId,
                                                     DeviceConnectionType connectionType) {
  return acquireDeviceById(static_cast<int>(deviceManagerId), pattern, connectionType);
}

std::shared_ptr<DeviceInfo> DeviceManager::tryAcquireAvailableDevice(
    int numIpus, int tilesPerIPU, SyncPattern pattern, DeviceConnectionType connectionType,
    DeviceSelectionCriterion selectionCriterion) {
  return made("tryAcquireAvailableDevice", {numIpus, tilesPerIPU, valueOf(pattern),
                                            valueOf(connectionType), valueOf(selectionCriterion)});
}

std::shared_ptr<DeviceInfo> DeviceManager::acquireAvailableDevice(
    int numIpus, int tilesPerIPU, SyncPattern pattern, DeviceConnectionType connectionType,
    DeviceSelectionCriterion selectionCriterion) {
  return made("acquireAvailableDevice", {numIpus, tilesPerIPU, valueOf(pattern),
                                         valueOf(connectionType), valueOf(selectionCriterion)});
}

std::shared_ptr<DeviceInfo> DeviceManager::tryAcquireDeviceById(
    int id, SyncPattern pattern, DeviceConnectionType connectionType) {
  return made("tryAcquireDeviceById", {id, valueOf(pattern), valueOf(connectionType)});
}

std::shared_ptr<DeviceInfo> DeviceManager::acquireDeviceById(int id, SyncPattern pattern,
                                                             DeviceConnectionType connectionType) {
  return made("acquireDeviceById", {id, valueOf(pattern), valueOf(connectionType)});
}

std::shared_ptr<DeviceInfo> DeviceManager::createHostDevice(
    DeviceType type, const std::map<std::string, std::string>& options) {
  switch (type) {
    case DeviceType::Cpu: return createCpuDevice();
    case DeviceType::IpuModel: return createIpuModelDevice(options);
    case DeviceType::Sim: return createSimDevice(options);
    default:
      throw error("createHostDevice makes devices of the types Cpu, IpuModel and Sim, not {}",
                  type);
  }
}

std::shared_ptr<DeviceInfo> DeviceManager::createCpuDevice() { return made("createCpuDevice", {}); }
std::shared_ptr<DeviceInfo> DeviceManager::createIpuModelDevice(
    const std::map<std::string, std::string>& options) {
  return made("createIpuModelDevice", {options});
}
std::shared_ptr<DeviceInfo> DeviceManager::createSimDevice(
    const std::map<std::string, std::string>& options) {
  return made("createSimDevice", {options});
}
std::shared_ptr<DeviceInfo> DeviceManager::createOfflineIPUDevice(
    const std::map<std::string, std::string>& options) {
  return made("createOfflineIPUDevice", {options});
}
std::shared_ptr<DeviceInfo> DeviceManager::createOfflineIpuFromDeviceInfo(
    const DeviceInfo& deviceInfo) {
  return made("createOfflineIpuFromDeviceInfo", {deviceInfo.handle()});
}

std::shared_ptr<DeviceInfo> DeviceManager::createOfflineIpuFromSystemString(
    const std::string& system, uint32_t numIpus) {
  return made("createOfflineIpuFromSystemString", {system, numIpus});
}

std::ostream& operator<<(std::ostream& os, const DeviceType& type) {
  return os << types.at(static_cast<std::size_t>(type));
}
std::ostream& operator<<(std::ostream& os, const DeviceConnectionType& type) {
  return os << connections.at(static_cast<std::size_t>(type));
}
std::ostream& operator<<(std::ostream& os, const SyncPattern& pattern) {
  return os << patterns.at(static_cast<std::size_t>(pattern));
}

}  // namespace popart
