// Devices on which an Engine runs. After poplar/Device.hpp of the Poplar SDK 3.
#ifndef poplar_Device_hpp
#define poplar_Device_hpp

#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace poplar {

/// A device. All devices are simulated, so attach() always succeeds.
class Device {
 public:
  Device();
  explicit Device(Target target, unsigned id = 0);
  Device(Device&&) = default;
  Device& operator=(Device&&) = default;
  Device(const Device&) = default;
  Device& operator=(const Device&) = default;

  /// A device with one tile. `options` may set figures of the machine.
  /// \throws invalid_option for an unknown option
  static Device createCPUDevice(const OptionFlags& options = {});
  static Device createCPUDevice(unsigned numIPUs);
  /// A simulated IPU of this target, as all devices here are.
  static Device createSimulatorDevice(Target target, const OptionFlags& options = {});
  /// The same device with another number of tiles per IPU.
  Device createVirtualDevice(unsigned tilesPerIPU);

  unsigned getId() const { return id_; }
  const Target& getTarget() const { return target_; }
  bool attach() const;
  void detach() const;
  bool isAttached() const;
  bool hasRemoteBuffers() const { return true; }
  bool supportsRemoteBuffers() const { return true; }
  /// Remote buffers are host memory; there is no gateway.
  bool hasGateway() const { return false; }
  /// What the device is, by name: "target type", "ipu architecture", "ipu count", "tiles per ipu",
  /// "worker contexts", "bytes per tile", "tile clock (Hz)", "device id" and "simulated". There is
  /// no hardware, and so nothing of a board, a driver or a sensor.
  std::map<std::string, std::string> getAttributes() const;
  /// \throws poplar_error for another name
  std::string getAttribute(StringRef name) const;
  std::vector<int> getDriverIDs() const { return {static_cast<int>(id_)}; }
  /// \throws poplar_error always: no driver is between a program and simulated IPUs
  void getDriverVersion(unsigned& major, unsigned& minor, unsigned& point) const;
  /// By IPU, the NUMA node that it is attached to, and the one whose cores serve it: -1, none.
  std::vector<int> getNumaTopology() const;
  std::vector<int> getNumaNodesUsedForIPUs() const { return getNumaTopology(); }
  /// The device forgets what engines have loaded: Engine::run() throws until they are loaded again.
  void reset() const;
  /// How often it has been reset, for popir itself.
  unsigned resets() const;

 private:
  Target target_;
  unsigned id_;
  /// What copies share.
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
