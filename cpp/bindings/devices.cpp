// popir.poplar: targets, devices and how they are found, models of IPUs.
#include "bindings/devices.hpp"

#include <pybind11/stl.h>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

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
  py::class_<Target>(m, "Target", "A machine description.")
      .def_static("createCPUTarget", &Target::createCPUTarget, py::arg("accurateHalf") = false,
                  py::arg("numIPUs") = 1)
      .def_static(
          "createIPUTarget",
          [](long long numIPUs, const std::string& system, const OptionFlags& options) {
            return Target::createIPUTarget(count("numIPUs", numIPUs), system, options);
          },
          py::arg("numIPUs"), py::arg("systemType"), py::arg("options") = OptionFlags())
      .def_static(
          "createIPUTarget",
          [](long long numIPUs, long long tiles, const std::string& system,
             const OptionFlags& options) {
            return Target::createIPUTarget(count("numIPUs", numIPUs), count("tilesPerIPU", tiles),
                                           system, options);
          },
          py::arg("numIPUs"), py::arg("tilesPerIPU"), py::arg("systemType"),
          py::arg("options") = OptionFlags(), "`options`: figures of the machine by name.")
      .def("getTargetType", &Target::getTargetType)
      .def("getTargetArchString", [](const Target& t) { return t.getTargetArchString().str(); })
      .def("getNumIPUs", &Target::getNumIPUs)
      .def("getTilesPerIPU", &Target::getTilesPerIPU)
      .def("getNumTiles", &Target::getNumTiles)
      .def("getNumWorkerContexts", &Target::getNumWorkerContexts)
      .def("getBytesPerTile", &Target::getBytesPerTile)
      .def("getMemoryBytes", &Target::getMemoryBytes)
      .def("getExchangeBytesPerCycle", &Target::getExchangeBytesPerCycle)
      .def("getMemcpyBytesPerCycle", &Target::getMemcpyBytesPerCycle)
      .def("getDataPathWidth", &Target::getDataPathWidth)
      .def("getVectorWidth", &Target::getVectorWidth)
      .def("getNumConvUnits", &Target::getNumConvUnits, py::arg("inputType"),
           py::arg("partialsType"))
      .def("getWeightsPerConvUnit",
           py::overload_cast<const Type&>(&Target::getWeightsPerConvUnit, py::const_))
      .def("getConvUnitInputLoadElemsPerCycle", &Target::getConvUnitInputLoadElemsPerCycle)
      .def("getConvUnitMaxPipelineDepth",
           py::overload_cast<const Type&>(&Target::getConvUnitMaxPipelineDepth, py::const_))
      .def("getConvUnitCoeffLoadBytesPerCycle", &Target::getConvUnitCoeffLoadBytesPerCycle)
      .def("getNumStrideBits", &Target::getNumStrideBits)
      .def("getRptCountMax", &Target::getRptCountMax)
      .def("getAtomicStoreGranularity", &Target::getAtomicStoreGranularity)
      .def("getTilesPerSharedExchangeBus", &Target::getTilesPerSharedExchangeBus)
      .def("supportsExchangeBusSharing", &Target::supportsExchangeBusSharing)
      .def("getMemoryElementOffsets", &Target::getMemoryElementOffsets)
      .def("getInterleavedMemoryElementIndex", &Target::getInterleavedMemoryElementIndex)
      .def("getMinIPUSyncDelay", &Target::getMinIPUSyncDelay)
      .def("getMaxIPUSyncDelay", &Target::getMaxIPUSyncDelay)
      .def("getGlobalSyncCycles", &Target::getGlobalSyncCycles)
      .def("getTypeSize", &Target::getTypeSize)
      .def("getTileClockFrequency", &Target::getTileClockFrequency);
}

}  // namespace

void bindDevices(py::module_& m) {
  bindTargets(m);
  py::class_<Device>(m, "Device", "A simulated device.")
      .def_static("createCPUDevice", [] { return Device::createCPUDevice(); })
      .def("getTarget", &Device::getTarget)
      .def("getId", &Device::getId)
      .def("attach", &Device::attach)
      .def("detach", &Device::detach)
      .def("isAttached", &Device::isAttached)
      .def("createVirtualDevice", &Device::createVirtualDevice, py::arg("tilesPerIPU"));
  py::class_<DeviceManager>(m, "DeviceManager")
      .def_static("createDeviceManager", &DeviceManager::createDeviceManager)
      .def(
          "getDevices",
          [](const DeviceManager& dm, TargetType type, unsigned n) {
            return dm.getDevices(type, n);
          },
          py::arg("type"), py::arg("requiredNumIPUs"));
  py::class_<IPUModel> model(m, "IPUModel", "A simulated IPU; 0 keeps the figure of the version.");
  model
      .def(py::init([](const std::string& version) { return IPUModel(version.c_str()); }),
           py::arg("IPUVersion") = "ipu2")
      .def_readwrite("tileClockFrequency", &IPUModel::tileClockFrequency)
      .def(
          "createDevice",
          [](const IPUModel& model, const OptionFlags& options) {
            return model.createDevice(options);
          },
          py::arg("options") = OptionFlags(),
          "`options`: figures of the machine by name, any of machine.figures(). Raises "
          "poplar_invalid_option.");
#define POPIR_FIELD(NAME)                                    \
  model.def_property(                                        \
      #NAME, [](const IPUModel& self) { return self.NAME; }, \
      [](IPUModel& self, long long value) { self.NAME = count(#NAME, value); });
  POPIR_FIELD(numIPUs)
  POPIR_FIELD(tilesPerIPU)
  POPIR_FIELD(numWorkerContexts)
  POPIR_FIELD(memoryBytesPerTile)
  POPIR_FIELD(exchangeBytesPerCycle)
  POPIR_FIELD(dataPathWidth)
  POPIR_FIELD(memcpyBytesPerCycle)
  POPIR_FIELD(fp16ConvUnitInputLoadElemsPerCycle)
  POPIR_FIELD(fp32ConvUnitInputLoadElemsPerCycle)
  POPIR_FIELD(fp16ConvUnitMaxPipelineDepth)
  POPIR_FIELD(fp16InFp16OutConvUnitsPerTile)
  POPIR_FIELD(fp16InFp32OutConvUnitsPerTile)
  POPIR_FIELD(fp32InFp32OutConvUnitsPerTile)
  POPIR_FIELD(convUnitCoeffLoadBytesPerCycle)
  POPIR_FIELD(globalSyncCycles)
#undef POPIR_FIELD
}

}  // namespace popir
