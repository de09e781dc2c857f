#include <popart/testdevice.hpp>

#include <map>

namespace popart {

std::shared_ptr<DeviceInfo> createTestDevice(const TestDeviceType type, const unsigned numIPUs,
                                             unsigned tilesPerIPU, const SyncPattern pattern,
                                             const poplar::OptionFlags& options,
                                             DeviceConnectionType connectionType) {
  const bool isModel = type == TestDeviceType::Sim || type == TestDeviceType::IpuModel;
  if (tilesPerIPU == 0 && isModel) tilesPerIPU = defaultFewTiles;
  std::map<std::string, std::string> all(options.begin(), options.end());
  all.emplace("numIPUs", std::to_string(numIPUs));
  all.emplace("tilesPerIPU", std::to_string(tilesPerIPU));
  DeviceManager& manager = DeviceManager::createDeviceManager();
  switch (type) {
    case TestDeviceType::Cpu: return manager.createCpuDevice();
    case TestDeviceType::Sim: return manager.createSimDevice(all);
    case TestDeviceType::IpuModel: return manager.createIpuModelDevice(all);
    case TestDeviceType::OfflineIpu: return manager.createOfflineIPUDevice(all);
    case TestDeviceType::Hw:
      return manager.acquireAvailableDevice(static_cast<int>(numIPUs),
                                            static_cast<int>(tilesPerIPU), pattern, connectionType);
    case TestDeviceType::Sim2: break;
  }
  throw error("createTestDevice: there is no device of the type Sim2; take Sim or IpuModel");
}

const char* asString(const TestDeviceType& type) {
  switch (type) {
    case TestDeviceType::Cpu: return "Cpu";
    case TestDeviceType::IpuModel: return "IpuModel";
    case TestDeviceType::Sim: return "Sim";
    case TestDeviceType::Hw: return "Hw";
    case TestDeviceType::Sim2:
    case TestDeviceType::OfflineIpu: break;
  }
  throw error(
      "A test device of the type {} has no name; those that have one are Cpu, IpuModel, "
      "Sim and Hw",
      static_cast<int>(type));
}

std::istream& operator>>(std::istream& is, TestDeviceType& type) {
  std::string word;
  is >> word;
  for (const TestDeviceType each :
       {TestDeviceType::Cpu, TestDeviceType::IpuModel, TestDeviceType::Sim, TestDeviceType::Hw})
    if (word == asString(each)) {
      type = each;
      return is;
    }
  throw error("There is no test device '{}'; there are Cpu, IpuModel, Sim and Hw", word);
}

std::ostream& operator<<(std::ostream& os, const TestDeviceType& type) {
  return os << asString(type);
}

}  // namespace popart
