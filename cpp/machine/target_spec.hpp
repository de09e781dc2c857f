// Every figure of a machine. No constant of a machine stands anywhere else.
#ifndef popir_machine_target_spec_hpp
#define popir_machine_target_spec_hpp

#include <poplar/TargetType.hpp>

#include <cstdint>
#include <string>

namespace popir {

/// Cycles are tile cycles. The presets' figures come from PopLibs' sources, Poplar's profile
/// summaries and Graphcore's data sheets; figures that were never published are marked estimated
/// where the preset is made (target_spec.cpp).
struct TargetSpec {
  std::string arch = "cpu";
  poplar::TargetType type = poplar::TargetType::CPU;
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 1;
  unsigned bytesPerTile = 638976;
  unsigned workerContexts = 6;
  double clockHz = 1.33e9;
  unsigned dataPathWidthBits = 64;
  unsigned exchangeBytesPerCycle = 4;
  unsigned tilesPerSharedExchangeBus = 2;
  unsigned memcpyBytesPerCycle = 8;
  /// Cost of one bulk-synchronous phase beside its payload: sync, exchange start, compute-set call.
  unsigned phaseCycles = 400;
  unsigned halfConvUnits = 16;
  unsigned floatConvUnits = 16;
  unsigned convUnitMaxPipelineDepth = 4;
  unsigned halfConvUnitInputLoadElems = 4;
  unsigned floatConvUnitInputLoadElems = 2;
  unsigned coeffLoadBytesPerCycle = 16;
  unsigned rptCountMax = 4095;
  unsigned atomicStoreGranularity = 4;
  /// Supervisor and six worker stacks.
  unsigned stackBytesPerTile = 3168;

  unsigned numTiles() const { return numIPUs * tilesPerIPU; }

  static TargetSpec cpu();
  /// "ipu1", "ipu2" or "ipu21". \throws poplar::invalid_option for any other name.
  static TargetSpec ipu(const std::string& version);
};

}  // namespace popir

#endif
