// All figures of a target machine. No other file has constants of a machine.
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
  /// Additional cycles of a phase with traffic between IPUs. 0: computed from the way to the
  /// farthest IPU and back, at `syncSecondsPerHop`.
  unsigned globalSyncCycles = 0;
  double syncSecondsPerHop = 15e-9;

  /// The rate of one link in one direction, and the fraction of it that carries payload.
  double linkBitsPerSecond = 128.0 * (1u << 30);
  double linkEfficiency = 0.85;
  /// From an IPU to the other of its pair: what ends there, and what only crosses; to the next
  /// pair.
  unsigned linksToPartner = 4, linksAcross = 2, linksAlong = 2;

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
  unsigned numStrideBits = 10;
  /// Of the sync of an IPU's tiles: part of phaseCycles, told to who asks.
  unsigned minIPUSyncDelay = 0, maxIPUSyncDelay = 126;
  /// A tile's memory: elements, and where those with interleaved words begin.
  unsigned memoryElementBytes = 16384, interleavedMemoryOffset = 212992;
  unsigned atomicStoreGranularity = 4;
  /// Of the supervisor and all workers together.
  unsigned stackBytesPerTile = 3168;
  /// Of a vertex on a tile, and of each of its edges.
  unsigned vertexStateBytes = 12;
  unsigned edgeStateBytes = 4;
  /// Of a class of vertices on a tile that has any: contractions, and others.
  unsigned contractionCodeBytes = 2048;
  unsigned vertexCodeBytes = 512;
  /// Of a span that a tile sends or receives, and of a phase in which it does.
  unsigned exchangeCodeBytesPerSpan = 12;
  unsigned exchangeCodeBytesPerPhase = 12;
  /// Of a program, on every tile, and of each of its steps.
  unsigned controlCodeBytes = 700;
  unsigned controlCodeBytesPerStep = 8;
  /// Alignment of variables on a tile, in bytes.
  unsigned variableAlignment = 8;

  unsigned numTiles() const { return numIPUs * tilesPerIPU; }
  /// globalSyncCycles, or the value computed in its place if it is 0.
  unsigned syncBetweenIPUs() const;

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
