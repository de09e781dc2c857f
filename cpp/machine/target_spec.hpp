// Every figure of a machine. No constant of a machine stands anywhere else.
#ifndef popir_machine_target_spec_hpp
#define popir_machine_target_spec_hpp

#include <cstdint>
#include <poplar/TargetType.hpp>
#include <string>
#include <vector>

namespace popir {

/// Cycles are tile cycles. Names are those of poplar::IPUModel and poplar::Target where these have
/// the figure. target_spec.cpp has ranges and units, docs/machine_model.md where figures come from.
/// The defaults are ipu2's.
struct __attribute__((visibility("default"))) TargetSpec {
  std::string arch = "cpu";
  poplar::TargetType type = poplar::TargetType::CPU;
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 1;
  unsigned memoryBytesPerTile = 638976;
  unsigned numWorkerContexts = 6;
  double tileClockFrequency = 1.33e9;
  unsigned dataPathWidth = 64;

  unsigned exchangeBytesPerCycle = 4;
  unsigned tilesPerSharedExchangeBus = 2;
  /// Control slots of a span of received words, a cycle each, issued beside the payload.
  unsigned exchangeSlotsPerSpan = 3;
  /// Sync, start of the exchange and call of the compute set: what a phase costs beside its work.
  unsigned phaseCycles = 400;

  unsigned memcpyBytesPerCycle = 8;
  /// Calling and joining six workers that copy.
  unsigned copyCallCycles = 288;

  unsigned fp16InFp16OutConvUnitsPerTile = 16;
  unsigned fp16InFp32OutConvUnitsPerTile = 16;
  unsigned fp32InFp32OutConvUnitsPerTile = 16;
  unsigned convUnitMaxPipelineDepth = 4;
  unsigned fp16ConvUnitInputLoadElemsPerCycle = 4;
  unsigned fp32ConvUnitInputLoadElemsPerCycle = 2;
  unsigned convUnitCoeffLoadBytesPerCycle = 16;

  /// Through streams, either way; what a host's link keeps up, not what it starts with.
  double hostBytesPerSecond = 5.5e9;

  unsigned rptCountMax = 4095;
  unsigned atomicStoreGranularity = 4;
  /// Of the supervisor and all workers together.
  unsigned stackBytesPerTile = 3168;

  unsigned numTiles() const { return numIPUs * tilesPerIPU; }

  static TargetSpec cpu();
  /// "ipu1", "ipu2" or "ipu21". \throws poplar::invalid_option for any other name.
  static TargetSpec ipu(const std::string& version);

  /// Gives a figure another value. \throws poplar::invalid_option for a name that is no figure, or
  /// a value that is no number in its range.
  void set(const std::string& name, const std::string& value);
  void set(const std::string& name, double value);
  double get(const std::string& name) const;
  /// Names of all figures.
  static std::vector<std::string> figures();
};

}  // namespace popir

#endif
