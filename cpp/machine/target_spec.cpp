#include "machine/target_spec.hpp"

#include <poplar/exceptions.hpp>

namespace popir {

TargetSpec TargetSpec::cpu() {
  TargetSpec spec;
  spec.bytesPerTile = 0xffffffffu;  // host memory is not a tile's: no limit is meant
  return spec;
}

TargetSpec TargetSpec::ipu(const std::string& version) {
  TargetSpec spec;  // the defaults are ipu2's (GC200)
  spec.arch = version;
  spec.type = poplar::TargetType::IPU_MODEL;
  spec.tilesPerIPU = 1472;
  if (version == "ipu2") return spec;
  if (version == "ipu21") {
    spec.clockHz = 1.85e9;
    return spec;
  }
  if (version == "ipu1") {
    spec.tilesPerIPU = 1216;
    spec.bytesPerTile = 262144;
    spec.clockHz = 1.6e9;
    spec.tilesPerSharedExchangeBus = 1;
    spec.halfConvUnits = 8;
    spec.floatConvUnits = 8;
    spec.coeffLoadBytesPerCycle = 8;
    return spec;
  }
  throw poplar::invalid_option("IPU version '" + version +
                               "' given, expected one of ipu1, ipu2, ipu21");
}

}  // namespace popir
