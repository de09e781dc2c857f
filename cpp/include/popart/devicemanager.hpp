// Devices. After popart/devicemanager.hpp of PopART 3.
#ifndef popart_devicemanager_hpp
#define popart_devicemanager_hpp

#include <popart/names.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class DeviceType { IpuModel = 0, Cpu, Ipu, OfflineIpu, Sim };
enum class DeviceConnectionType { Always = 0, OnDemand, Never };
enum class SyncPattern { Full = 0, SinglePipeline, ReplicaAndLadder };
enum class DeviceSelectionCriterion { First = 0, Random };

/// \throws error for another text than "full", "singlePipeline" and "replicaAndLadder"
SyncPattern syncPatternFromString(const std::string& text);
std::string syncPatternToString(const SyncPattern& pattern);

/// A device that sessions run on, made by a DeviceManager.
class DeviceInfo {
 public:
  /// `device` is the compiler's object.
  explicit DeviceInfo(std::shared_ptr<void> device);
  virtual ~DeviceInfo();

  virtual bool attach();
  virtual void detach();
  virtual bool isAttached() const;
  DeviceType getType() const;
  DeviceConnectionType getConnectionType() const;
  std::string toString() const;
  virtual int getId() const;
  virtual std::vector<int> getChildIds() const { return {}; }
  virtual std::string getVersion() const;
  virtual int getNumIpus() const;
  virtual int getTilesPerIPU() const;
  virtual int getNumWorkerContexts() const;
  virtual std::string getIpuVersion() const;
  virtual std::vector<unsigned> getDriverIds() const { return {}; }
  virtual const poplar::Target& getTarget() const;
  virtual bool canCompileOffline() const;
  /// Simulated devices are always free.
  bool tryAttachUntilTimeout() { return attach(); }
  void setOnDemandAttachTimeout(const unsigned seconds) { timeout_ = seconds; }
  const unsigned& getOnDemandAttachTimeout() const { return timeout_; }

  const std::shared_ptr<void>& handle() const { return device_; }

 private:
  std::shared_ptr<void> device_;
  mutable std::unique_ptr<poplar::Target> target_;
  unsigned timeout_ = 0;
};

std::ostream& operator<<(std::ostream& os, const DeviceInfo& device);

/// Makes devices. There is no hardware: what is acquired is a simulated IPU, out of a system of 64
/// that are always free. Options of createIpuModelDevice() are those of popir.DeviceManager.
class DeviceManager {
 public:
  static DeviceManager& createDeviceManager();

  /// Without effect: there is nothing to wait for.
  void setOnDemandAttachTimeout(const unsigned) {}
  std::vector<std::shared_ptr<DeviceInfo>> enumerateDevices(
      SyncPattern pattern = SyncPattern::Full, int numIpus = 1,
      DeviceType deviceType = DeviceType::Ipu,
      DeviceConnectionType connectionType = DeviceConnectionType::Always, int tilesPerIPU = 0);
  std::shared_ptr<DeviceInfo> getDevice(
      SyncPattern pattern = SyncPattern::Full, uint32_t deviceManagerId = 0,
      DeviceConnectionType connectionType = DeviceConnectionType::Always);
  /// \returns null if the system has not so many IPUs
  std::shared_ptr<DeviceInfo> tryAcquireAvailableDevice(
      int numIpus = 1, int tilesPerIPU = 0, SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connectionType = DeviceConnectionType::Always,
      DeviceSelectionCriterion selectionCriterion = DeviceSelectionCriterion::First);
  std::shared_ptr<DeviceInfo> acquireAvailableDevice(
      int numIpus = 1, int tilesPerIPU = 0, SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connectionType = DeviceConnectionType::Always,
      DeviceSelectionCriterion selectionCriterion = DeviceSelectionCriterion::First);
  std::shared_ptr<DeviceInfo> tryAcquireDeviceById(
      int id, SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connectionType = DeviceConnectionType::Always);
  std::shared_ptr<DeviceInfo> acquireDeviceById(
      int id, SyncPattern pattern = SyncPattern::Full,
      DeviceConnectionType connectionType = DeviceConnectionType::Always);
  /// \throws error for the types Ipu and OfflineIpu
  std::shared_ptr<DeviceInfo> createHostDevice(DeviceType type,
                                               const std::map<std::string, std::string>& options);
  std::shared_ptr<DeviceInfo> createCpuDevice();
  std::shared_ptr<DeviceInfo> createIpuModelDevice(
      const std::map<std::string, std::string>& options);
  std::shared_ptr<DeviceInfo> createSimDevice(const std::map<std::string, std::string>& options);
  std::shared_ptr<DeviceInfo> createOfflineIPUDevice(
      const std::map<std::string, std::string>& options);
  std::shared_ptr<DeviceInfo> createOfflineIpuFromDeviceInfo(const DeviceInfo& deviceInfo);
  /// \throws error for a system that is not known, and for more IPUs than it has
  std::shared_ptr<DeviceInfo> createOfflineIpuFromSystemString(const std::string& system,
                                                               uint32_t numIpus);
};

std::ostream& operator<<(std::ostream& os, const DeviceType& type);
std::ostream& operator<<(std::ostream& os, const DeviceConnectionType& type);
std::ostream& operator<<(std::ostream& os, const SyncPattern& pattern);

}  // namespace popart

#pragma GCC visibility pop

#endif
