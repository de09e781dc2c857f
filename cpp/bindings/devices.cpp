// popir.poplar: targets, devices, the device manager, and models of IPUs.
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

// Checks a figure that Python gives as any int, and that is a count of something.
unsigned count(const char* name, long long value) {
  if (value < 0 || value > 0xffffffffll)
    throw invalid_option(std::string("target: ") + name + " = " + std::to_string(value) +
                         " given, expected a whole number from 0 to 4294967295");
  return static_cast<unsigned>(value);
}

void bindTargets(py::module_& m) {
  py::class_<Target>(m, "Target",
                     "The description of a machine (Poplar: poplar/Target.hpp). Times are in\n"
                     "cycles of a tile's clock.")
      .def_static("createCPUTarget", &Target::createCPUTarget, py::arg("accurateHalf") = false,
                  py::arg("numIPUs") = 1,
                  "The host as a machine with one tile on each IPU. `accurateHalf` has no effect.\n"
                  "Raises poplar_invalid_option for less than 1 or more than 64 IPUs.")
      .def_static(
          "createIPUTarget",
          [](long long numIPUs, const std::string& system, const OptionFlags& options) {
            return Target::createIPUTarget(count("numIPUs", numIPUs), system, options);
          },
          py::arg("numIPUs"), py::arg("systemType"), py::arg("options") = OptionFlags(),
          "Simulated IPUs with all tiles of their version.\n"
          "`systemType`: ipu1, ipu2 or ipu21, or one of Graphcore's systems, such as IPU-POD16.\n"
          "`options`: values of figures by name, any of machine.figures().\n"
          "Raises poplar_invalid_option for another system type, an unknown figure, or\n"
          "a value out of its range.")
      .def_static(
          "createIPUTarget",
          [](long long numIPUs, long long tiles, const std::string& system,
             const OptionFlags& options) {
            return Target::createIPUTarget(count("numIPUs", numIPUs), count("tilesPerIPU", tiles),
                                           system, options);
          },
          py::arg("numIPUs"), py::arg("tilesPerIPU"), py::arg("systemType"),
          py::arg("options") = OptionFlags(), "The same with `tilesPerIPU` tiles on each IPU.")
      .def("getTargetType", &Target::getTargetType, "The kind of machine: IPU, IPU_MODEL or CPU.")
      .def(
          "getTargetArchString", [](const Target& t) { return t.getTargetArchString().str(); },
          "The version of the IPU, such as \"ipu2\", or \"cpu\".")
      .def("getNumIPUs", &Target::getNumIPUs, "The number of IPUs in the machine.")
      .def("getTilesPerIPU", &Target::getTilesPerIPU, "The number of tiles on each IPU.")
      .def("getNumTiles", &Target::getNumTiles, "The number of tiles of all IPUs.")
      .def("getNumWorkerContexts", &Target::getNumWorkerContexts,
           "The number of worker threads of a tile.")
      .def("getBytesPerTile", &Target::getBytesPerTile, "The memory of one tile, in bytes.")
      .def("getMemoryBytes", &Target::getMemoryBytes, "The memory of all tiles, in bytes.")
      .def("getExchangeBytesPerCycle", &Target::getExchangeBytesPerCycle,
           "The bytes that a tile receives in a cycle.")
      .def("getMemcpyBytesPerCycle", &Target::getMemcpyBytesPerCycle,
           "The bytes that a tile copies within its memory in a cycle.")
      .def("getDataPathWidth", &Target::getDataPathWidth,
           "The number of bits that a tile loads in a cycle.")
      .def("getVectorWidth", &Target::getVectorWidth, py::arg("type"),
           "The number of elements of `type` that the data path holds: at least 1.")
      .def("getNumConvUnits", &Target::getNumConvUnits, py::arg("inputType"),
           py::arg("partialsType"),
           "The number of a tile's convolution units for inputs and partial sums of these types.")
      .def("getWeightsPerConvUnit",
           py::overload_cast<const Type&>(&Target::getWeightsPerConvUnit, py::const_),
           py::arg("type"),
           "The number of weights that a convolution unit holds, by the rates of FLOAT if `type`\n"
           "is FLOAT, else by those of HALF.")
      .def("getConvUnitInputLoadElemsPerCycle", &Target::getConvUnitInputLoadElemsPerCycle,
           py::arg("type"),
           "The number of inputs that a convolution unit loads in a cycle, by the rate of HALF\n"
           "if `type` is HALF, else by that of FLOAT.")
      .def("getConvUnitMaxPipelineDepth",
           py::overload_cast<const Type&>(&Target::getConvUnitMaxPipelineDepth, py::const_),
           py::arg("type"),
           "The depth of a convolution unit's pipeline, in steps; the same for every type.")
      .def("getConvUnitCoeffLoadBytesPerCycle", &Target::getConvUnitCoeffLoadBytesPerCycle,
           "The bytes of weights that convolution units load in a cycle.")
      .def("getNumStrideBits", &Target::getNumStrideBits,
           "The width of the stride operand of load and store instructions, in bits.")
      .def("getRptCountMax", &Target::getRptCountMax,
           "The largest iteration count of the repeat instruction.")
      .def("getAtomicStoreGranularity", &Target::getAtomicStoreGranularity,
           "The bytes of the smallest store that leaves its neighbours unchanged.")
      .def("getTilesPerSharedExchangeBus", &Target::getTilesPerSharedExchangeBus,
           "The number of tiles that share a bus for exchange.")
      .def("supportsExchangeBusSharing", &Target::supportsExchangeBusSharing,
           "Whether tiles share a bus for exchange.")
      .def("getMemoryElementOffsets", &Target::getMemoryElementOffsets,
           "The offset of each memory element of a tile, in bytes. A tile can access different\n"
           "memory elements in the same cycle.")
      .def("getInterleavedMemoryElementIndex", &Target::getInterleavedMemoryElementIndex,
           "The index of the first memory element with interleaved words.")
      .def("getMinIPUSyncDelay", &Target::getMinIPUSyncDelay,
           "The smallest delay of a synchronisation within an IPU, in cycles.")
      .def("getMaxIPUSyncDelay", &Target::getMaxIPUSyncDelay,
           "The largest delay of a synchronisation within an IPU, in cycles.")
      .def("getGlobalSyncCycles", &Target::getGlobalSyncCycles,
           "The cycles that a synchronisation of all IPUs takes.")
      .def("getTypeSize", &Target::getTypeSize, py::arg("type"),
           "The bytes that one element of a type takes on the machine.")
      .def("getTileClockFrequency", &Target::getTileClockFrequency, "The clock of a tile, in Hz.");
}

}  // namespace

void bindDevices(py::module_& m) {
  bindTargets(m);
  py::class_<Device>(
      m, "Device", "A simulated device, on which an engine is loaded (Poplar: poplar/Device.hpp).")
      .def_static(
          "createCPUDevice", [] { return Device::createCPUDevice(); },
          "The host as a device with one tile.")
      .def("getTarget", &Device::getTarget, "The description of the device.")
      .def("getId", &Device::getId,
           "The id of the device in its DeviceManager; 0 for a device made otherwise.")
      .def("attach", &Device::attach,
           "Marks the device as attached. Always True, because devices are simulated.")
      .def("detach", &Device::detach, "Marks the device as not attached.")
      .def("isAttached", &Device::isAttached, "Whether the device is marked as attached.")
      .def("createVirtualDevice", &Device::createVirtualDevice, py::arg("tilesPerIPU"),
           "The same device with `tilesPerIPU` tiles on each IPU.\n"
           "Raises poplar_invalid_option for less than 1 or more than 16384.");
  py::class_<DeviceManager>(
      m, "DeviceManager",
      "Lists devices, all of them simulated (Poplar: poplar/DeviceManager.hpp).")
      .def_static("createDeviceManager", &DeviceManager::createDeviceManager,
                  "A manager of all devices.")
      .def(
          "getDevices",
          [](const DeviceManager& dm, TargetType type, unsigned n) {
            return dm.getDevices(type, n);
          },
          py::arg("type"), py::arg("requiredNumIPUs"),
          "A list of one device with `requiredNumIPUs` IPUs: the host for CPU, else simulated\n"
          "IPUs of the version ipu2.\n"
          "Raises poplar_invalid_option for less than 1 or more than 64 IPUs.");
  py::class_<IPUModel> model(
      m, "IPUModel",
      "A simulated IPU of the version ipu1, ipu2 or ipu21, with adjustable figures (Poplar:\n"
      "poplar/IPUModel.hpp). A figure of 0 stands for that of the version.\n"
      "Raises poplar_invalid_option for a figure below 0.");
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
          "A device with these figures.\n"
          "`options`: values of figures by name, any of machine.figures(), in place\n"
          "of those of this object.\n"
          "Raises poplar_invalid_option for another version, an unknown figure, or\n"
          "a value out of its range.");
#define POPIR_FIELD(NAME, WORDS)                             \
  model.def_property(                                        \
      #NAME, [](const IPUModel& self) { return self.NAME; }, \
      [](IPUModel& self, long long value) { self.NAME = count(#NAME, value); }, WORDS);
  POPIR_FIELD(numIPUs, "The number of IPUs in the machine.")
  POPIR_FIELD(tilesPerIPU, "The number of tiles on each IPU.")
  POPIR_FIELD(numWorkerContexts, "The number of worker threads of a tile.")
  POPIR_FIELD(memoryBytesPerTile, "The memory of one tile, in bytes.")
  POPIR_FIELD(exchangeBytesPerCycle, "The bytes that a tile receives in a cycle.")
  POPIR_FIELD(dataPathWidth, "The number of bits that a tile loads in a cycle.")
  POPIR_FIELD(memcpyBytesPerCycle, "The bytes that a tile copies within its memory in a cycle.")
  POPIR_FIELD(fp16ConvUnitInputLoadElemsPerCycle,
              "The number of HALF inputs that a convolution unit loads in a cycle.")
  POPIR_FIELD(fp32ConvUnitInputLoadElemsPerCycle,
              "The number of FLOAT inputs that a convolution unit loads in a cycle.")
  POPIR_FIELD(fp16ConvUnitMaxPipelineDepth,
              "The depth of a convolution unit's pipeline, in steps; here of every type.")
  POPIR_FIELD(fp16InFp16OutConvUnitsPerTile,
              "The number of a tile's convolution units for HALF inputs and HALF partial sums.")
  POPIR_FIELD(fp16InFp32OutConvUnitsPerTile,
              "The number of a tile's convolution units for HALF inputs and FLOAT partial sums.")
  POPIR_FIELD(fp32InFp32OutConvUnitsPerTile,
              "The number of a tile's convolution units for FLOAT inputs and FLOAT partial sums.")
  POPIR_FIELD(convUnitCoeffLoadBytesPerCycle,
              "The bytes of weights that convolution units load in a cycle.")
  POPIR_FIELD(globalSyncCycles,
              "The cycles that a synchronisation of all IPUs takes. 0: by the number of IPUs.")
#undef POPIR_FIELD
}

}  // namespace popir
