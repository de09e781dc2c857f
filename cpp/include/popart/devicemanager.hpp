// Devices. In popir devices are created in Python. After popart/devicemanager.hpp of PopART 3.
#ifndef popart_devicemanager_hpp
#define popart_devicemanager_hpp

#include <popart/hostside.hpp>
#include <popart/names.hpp>
#include <poplar/Target.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class DeviceType { IpuModel = 0, Cpu, Ipu, OfflineIpu, Sim };
enum class DeviceConnectionType { Always = 0, OnDemand, Never };
enum class SyncPattern { Full = 0, SinglePipeline, ReplicaAndLadder };
enum class DeviceSelectionCriterion { First = 0, Random };

/// A device. C++ programs cannot create one.
class DeviceInfo {
 public:
  virtual ~DeviceInfo();

  virtual bool attach() { hostside::refuse("DeviceInfo::attach"); }
  virtual void detach() {}
  virtual const poplar::Target& getTarget() const { hostside::refuse("DeviceInfo::getTarget"); }
  virtual int getId() const { return 0; }
  virtual std::string toString() const { return "DeviceInfo"; }
};

/// Functions that would return a device throw popart::error.
class DeviceManager {
 public:
  static DeviceManager& createDeviceManager();

  /// Accepted without effect: there is no hardware to wait for.
  void setOnDemandAttachTimeout(unsigned) {}
  /// Returns an empty list: there is no hardware.
  std::vector<std::shared_ptr<DeviceInfo>> enumerateDevices(
      SyncPattern = SyncPattern::Full, int = 1, DeviceType = DeviceType::Ipu,
      DeviceConnectionType = DeviceConnectionType::Always, int = 0) {
    return {};
  }
  std::shared_ptr<DeviceInfo> getDevice(SyncPattern = SyncPattern::Full, uint32_t = 0,
                                        DeviceConnectionType = DeviceConnectionType::Always) {
    hostside::refuse("DeviceManager::getDevice");
  }
  std::shared_ptr<DeviceInfo> acquireAvailableDevice(
      int = 1, int = 0, SyncPattern = SyncPattern::Full,
      DeviceConnectionType = DeviceConnectionType::Always,
      DeviceSelectionCriterion = DeviceSelectionCriterion::First) {
    hostside::refuse("DeviceManager::acquireAvailableDevice");
  }
  std::shared_ptr<DeviceInfo> createCpuDevice() {
    hostside::refuse("DeviceManager::createCpuDevice");
  }
  std::shared_ptr<DeviceInfo> createIpuModelDevice(std::map<std::string, std::string>&) {
    hostside::refuse("DeviceManager::createIpuModelDevice");
  }
  std::shared_ptr<DeviceInfo> createSimDevice(std::map<std::string, std::string>&) {
    hostside::refuse("DeviceManager::createSimDevice");
  }
  std::shared_ptr<DeviceInfo> createOfflineIPUDevice(std::map<std::string, std::string>&) {
    hostside::refuse("DeviceManager::createOfflineIPUDevice");
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
