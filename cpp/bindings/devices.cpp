// popir.poplar: targets, devices and how they are found, models of IPUs.
#include "bindings/devices.hpp"

#include <pybind11/stl.h>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include "bindings/signatures.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplar;

// A figure that is a number of things.
unsigned count(const char* name, long long value) {
  if (value < 0 || value > 0xffffffffll)
    throw invalid_option(std::string("target: ") + name + " = " + std::to_string(value) +
                         " given, expected a whole number from 0 to 4294967295");
  return static_cast<unsigned>(value);
}

void bindTargets(py::module_& m) {
  py::class_<Target>(m, "Target",
                     "A description of a machine (Poplar: poplar/Target.hpp). Sizes are in bytes, "
                     "times in cycles of a tile.")
      .def_static("createCPUTarget", &Target::createCPUTarget, py::arg("accurateHalf") = false,
                  py::arg("numIPUs") = 1, "The host as a machine of one tile on each IPU.")
      .def_static(
          "createIPUTarget",
          [](long long numIPUs, const std::string& system, const OptionFlags& options) {
            return Target::createIPUTarget(count("numIPUs", numIPUs), system, options);
          },
          py::arg("numIPUs"), py::arg("systemType"), py::arg("options") = OptionFlags(),
          "IPUs with the tiles of their version. `systemType`: ipu1, ipu2 or ipu21. "
          "`options`: figures of the machine by name. Raises poplar_invalid_option.")
      .def_static(
          "createIPUTarget",
          [](long long numIPUs, long long tiles, const std::string& system,
             const OptionFlags& options) {
            return Target::createIPUTarget(count("numIPUs", numIPUs), count("tilesPerIPU", tiles),
                                           system, options);
          },
          py::arg("numIPUs"), py::arg("tilesPerIPU"), py::arg("systemType"),
          py::arg("options") = OptionFlags(),
          "IPUs of `tilesPerIPU` tiles. `options`: figures of the machine by name. Raises "
          "poplar_invalid_option.")
      .def("getTargetType", &Target::getTargetType, "What kind of machine it is.")
      .def(
          "getTargetArchString", [](const Target& t) { return t.getTargetArchString().str(); },
          "The version of the IPU, such as \"ipu2\", or \"cpu\".")
      .def("getNumIPUs", &Target::getNumIPUs, "The number of IPUs in the machine.")
      .def("getTilesPerIPU", &Target::getTilesPerIPU, "The number of tiles on each IPU.")
      .def("getNumTiles", &Target::getNumTiles, "The number of tiles of all IPUs.")
      .def("getNumWorkerContexts", &Target::getNumWorkerContexts,
           "The number of threads that a tile runs in turn.")
      .def("getBytesPerTile", &Target::getBytesPerTile, "The memory of one tile, in bytes.")
      .def("getMemoryBytes", &Target::getMemoryBytes, "The memory of all tiles, in bytes.")
      .def("getExchangeBytesPerCycle", &Target::getExchangeBytesPerCycle,
           "The bytes that a tile receives in a cycle.")
      .def("getMemcpyBytesPerCycle", &Target::getMemcpyBytesPerCycle,
           "The bytes that a tile copies within its memory in a cycle.")
      .def("getDataPathWidth", &Target::getDataPathWidth,
           "The bits that one access to memory moves.")
      .def("getVectorWidth", &Target::getVectorWidth, py::arg("type"),
           "The elements of a type in one vector instruction.")
      .def("getNumConvUnits", &Target::getNumConvUnits, py::arg("inputType"),
           py::arg("partialsType"),
           "The units of a tile for convolutions of such inputs with such partial sums.")
      .def("getWeightsPerConvUnit",
           py::overload_cast<const Type&>(&Target::getWeightsPerConvUnit, py::const_),
           py::arg("type"), "The weights of a type that a unit for convolutions holds.")
      .def("getConvUnitInputLoadElemsPerCycle", &Target::getConvUnitInputLoadElemsPerCycle,
           py::arg("type"), "The inputs of a type that a unit for convolutions loads in a cycle.")
      .def("getConvUnitMaxPipelineDepth",
           py::overload_cast<const Type&>(&Target::getConvUnitMaxPipelineDepth, py::const_),
           py::arg("type"),
           "The steps that a unit for convolutions takes with partial sums of a type.")
      .def("getConvUnitCoeffLoadBytesPerCycle", &Target::getConvUnitCoeffLoadBytesPerCycle,
           "The bytes of weights that a unit for convolutions loads in a cycle.")
      .def("getNumStrideBits", &Target::getNumStrideBits,
           "The bits that an instruction has for a stride.")
      .def("getRptCountMax", &Target::getRptCountMax,
           "The most times that one repeat instruction repeats.")
      .def("getAtomicStoreGranularity", &Target::getAtomicStoreGranularity,
           "The bytes of the smallest store.")
      .def("getTilesPerSharedExchangeBus", &Target::getTilesPerSharedExchangeBus,
           "The number of tiles that share a bus for exchange.")
      .def("supportsExchangeBusSharing", &Target::supportsExchangeBusSharing,
           "Whether tiles share a bus for exchange.")
      .def("getMemoryElementOffsets", &Target::getMemoryElementOffsets,
           "Where each memory element of a tile begins, in bytes. Two accesses in one cycle "
           "go to different elements.")
      .def("getInterleavedMemoryElementIndex", &Target::getInterleavedMemoryElementIndex,
           "The first memory element whose words are interleaved with a neighbour's.")
      .def("getMinIPUSyncDelay", &Target::getMinIPUSyncDelay,
           "The least cycles of a synchronisation within an IPU.")
      .def("getMaxIPUSyncDelay", &Target::getMaxIPUSyncDelay,
           "The most cycles of a synchronisation within an IPU.")
      .def("getGlobalSyncCycles", &Target::getGlobalSyncCycles,
           "The cycles of a synchronisation of all IPUs.")
      .def("getTypeSize", &Target::getTypeSize, py::arg("type"),
           "The bytes that one element of a type takes on the machine.")
      .def("getTileClockFrequency", &Target::getTileClockFrequency, "The clock of a tile, in Hz.");
}

}  // namespace

void bindDevices(py::module_& m) {
  bindTargets(m);
  py::class_<Device>(m, "Device", "A simulated device, that an engine is loaded on.")
      .def_static(
          "createCPUDevice", [] { return Device::createCPUDevice(); }, "The host as a device.")
      .def("getTarget", &Device::getTarget, "The machine that the device is.")
      .def("getId", &Device::getId, "The number of the device among those of its DeviceManager.")
      .def("attach", &Device::attach,
           "Takes the device for this process. Whether that was possible.")
      .def("detach", &Device::detach, "Gives the device back that attach() has taken.")
      .def("isAttached", &Device::isAttached, "Whether this process has the device.")
      .def("createVirtualDevice", &Device::createVirtualDevice, py::arg("tilesPerIPU"),
           "A device of the first `tilesPerIPU` tiles of each IPU.");
  py::class_<DeviceManager>(m, "DeviceManager",
                            "Finds the devices that there are; all are simulated.")
      .def_static("createDeviceManager", &DeviceManager::createDeviceManager,
                  "A manager of all devices.")
      .def(
          "getDevices",
          [](const DeviceManager& dm, TargetType type, unsigned n) {
            return dm.getDevices(type, n);
          },
          py::arg("type"), py::arg("requiredNumIPUs"), "The devices of a type with so many IPUs.");
  py::class_<IPUModel> model(m, "IPUModel",
                             "A simulated IPU of a version, ipu1, ipu2 or ipu21 (Poplar: "
                             "poplar/IPUModel.hpp). A figure that is 0 keeps that of the version.");
  model
      .def(py::init([](const std::string& version) { return IPUModel(version.c_str()); }),
           py::arg("IPUVersion") = "ipu2")
      .def_readwrite("tileClockFrequency", &IPUModel::tileClockFrequency,
                     "The clock of a tile, in Hz.")
      .def(
          "createDevice",
          [](const IPUModel& model, const OptionFlags& options) {
            return model.createDevice(options);
          },
          py::arg("options") = OptionFlags(),
          "`options`: figures of the machine by name, any of machine.figures(). Raises "
          "poplar_invalid_option.");
#define POPIR_FIELD(NAME, WORDS)                             \
  model.def_property(                                        \
      #NAME, [](const IPUModel& self) { return self.NAME; }, \
      [](IPUModel& self, long long value) { self.NAME = count(#NAME, value); }, WORDS);
  POPIR_FIELD(numIPUs, "The number of IPUs in the machine.")
  POPIR_FIELD(tilesPerIPU, "The number of tiles on each IPU.")
  POPIR_FIELD(numWorkerContexts, "The number of threads that a tile runs in turn.")
  POPIR_FIELD(memoryBytesPerTile, "The memory of one tile, in bytes.")
  POPIR_FIELD(exchangeBytesPerCycle, "The bytes that a tile receives in a cycle.")
  POPIR_FIELD(dataPathWidth, "The bits that one access to memory moves.")
  POPIR_FIELD(memcpyBytesPerCycle, "The bytes that a tile copies within its memory in a cycle.")
  POPIR_FIELD(fp16ConvUnitInputLoadElemsPerCycle,
              "The halves that a unit for convolutions loads in a cycle.")
  POPIR_FIELD(fp32ConvUnitInputLoadElemsPerCycle,
              "The floats that a unit for convolutions loads in a cycle.")
  POPIR_FIELD(fp16ConvUnitMaxPipelineDepth,
              "The steps that a unit for convolutions takes with halves as partial sums.")
  POPIR_FIELD(fp16InFp16OutConvUnitsPerTile,
              "The units of a tile for convolutions from half to half.")
  POPIR_FIELD(fp16InFp32OutConvUnitsPerTile,
              "The units of a tile for convolutions from half to float.")
  POPIR_FIELD(fp32InFp32OutConvUnitsPerTile,
              "The units of a tile for convolutions from float to float.")
  POPIR_FIELD(convUnitCoeffLoadBytesPerCycle,
              "The bytes of weights that a unit for convolutions loads in a cycle.")
  POPIR_FIELD(globalSyncCycles, "The cycles of a synchronisation of all IPUs.")
#undef POPIR_FIELD
}

}  // namespace popir
