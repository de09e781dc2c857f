// Devices for tests. After popart/testdevice.hpp of PopART 2.
#ifndef popart_testdevice_hpp
#define popart_testdevice_hpp

#include <popart/defaulttilecount.hpp>
#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/ir.hpp>
#include <popart/names.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <istream>
#include <memory>
#include <ostream>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

enum class TestDeviceType { Cpu, Sim, Sim2, Hw, IpuModel, OfflineIpu };

#ifndef TEST_TARGET
/// The device of tests whose build names none.
__attribute__((unused)) static TestDeviceType TEST_TARGET = TestDeviceType::Cpu;
#endif

constexpr bool isSimulator(TestDeviceType type) { return type == TestDeviceType::Sim; }
constexpr bool isIpuModel(TestDeviceType type) { return type == TestDeviceType::IpuModel; }
constexpr bool isHw(TestDeviceType type) { return type == TestDeviceType::Hw; }

/// A simulator and a model of a device have few tiles, unless told. "Hw" is one of the simulated
/// IPUs that are always free. `options` are those of createIpuModelDevice().
/// \throws error for Sim2
std::shared_ptr<DeviceInfo> createTestDevice(
    const TestDeviceType type, const unsigned numIPUs = 1, unsigned tilesPerIPU = 0,
    const SyncPattern pattern = SyncPattern::Full, const poplar::OptionFlags& options = {},
    DeviceConnectionType connectionType = DeviceConnectionType::OnDemand);

/// \throws error for Sim2 and OfflineIpu
const char* asString(const TestDeviceType& type);
/// \throws error for another word than Cpu, IpuModel, Sim and Hw
std::istream& operator>>(std::istream& is, TestDeviceType& type);
std::ostream& operator<<(std::ostream& os, const TestDeviceType& type);

}  // namespace popart

#pragma GCC visibility pop

#endif
