// Enumerates devices. After poplar/DeviceManager.hpp of the Poplar SDK 3.
#ifndef poplar_DeviceManager_hpp
#define poplar_DeviceManager_hpp

#include <poplar/Device.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/version.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace poplar {

/// Finds devices. popir has no IPU hardware: TargetType::IPU gives simulated IPUs with the same
/// description, so that programs written for hardware run.
class DeviceManager {
 public:
  static DeviceManager createDeviceManager();

  /// The number of devices that getDevices() gives; their ids count from 0.
  std::size_t getNumDevices() const { return getDevices().size(); }
  std::vector<Device> getDevices(const OptionFlags& options = {}) const;
  std::vector<Device> getDevices(TargetType type, unsigned requiredNumIPUs,
                                 const OptionFlags& options = {}) const;
  Device getDevice(TargetType type, unsigned deviceManagerId,
                   const OptionFlags& options = {}) const;
  /// \throws poplar_error if getDevices() has no device with this id
  Device getDevice(unsigned deviceManagerId, const OptionFlags& options = {}) const;
  /// The ids of devices of getDevices() with `numIPUs` IPUs that are parts of a larger one: none, since
  /// each device has IPUs of its own.
  /// \throws poplar_error for a device that there is not, or no IPUs
  std::vector<unsigned> getChildDeviceIds(unsigned parentDeviceId, unsigned numIPUs = 1) const;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
