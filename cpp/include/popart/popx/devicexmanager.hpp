// Devices with what they are for Poplar. After popart/popx/devicexmanager.hpp of PopART 3.
#ifndef popart_popx_devicexmanager_hpp
#define popart_popx_devicexmanager_hpp

#include <popart/devicemanager.hpp>
#include <poplar/Device.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A device that a DeviceManager makes, with Poplar's device of its target.
class DevicexInfo : public DeviceInfo {
 public:
  using DeviceInfo::DeviceInfo;
  ~DevicexInfo() override;
  const poplar::Device& getDevice() const;

 private:
  mutable std::unique_ptr<poplar::Device> poplarDevice_;
};

// What a DeviceManager makes, by type.
class DevicexCpuInfo : public DevicexInfo {
 public:
  using DevicexInfo::DevicexInfo;
};
class DevicexSimInfo : public DevicexInfo {
 public:
  using DevicexInfo::DevicexInfo;
};
class DevicexIpuModelInfo : public DevicexInfo {
 public:
  using DevicexInfo::DevicexInfo;
};
class DevicexIpuInfo : public DevicexInfo {
 public:
  using DevicexInfo::DevicexInfo;
};
/// Nothing runs on it: it has no device of Poplar's.
class DevicexOfflineIpuInfo : public DeviceInfo {
 public:
  using DeviceInfo::DeviceInfo;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
