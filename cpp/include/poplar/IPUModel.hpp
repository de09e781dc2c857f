// A simulated IPU with adjustable figures. After poplar/IPUModel.hpp of the Poplar SDK 3.
#ifndef poplar_IPUModel_hpp
#define poplar_IPUModel_hpp

#include <poplar/Device.hpp>
#include <poplar/Target.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace poplar {

/// Set the fields, then call createDevice(). 0 keeps the figure of the IPU version.
struct IPUModel {
  enum class RelativeSyncDelayType { AUTO, NO_DELAY, LINEAR };

  explicit IPUModel(const char* IPUVersion = "ipu2");

  std::string IPUVersion;
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 0;
  unsigned numWorkerContexts = 0;
  unsigned memoryBytesPerTile = 0;
  unsigned exchangeBytesPerCycle = 0;
  double tileClockFrequency = 0;
  unsigned dataPathWidth = 0;
  unsigned memcpyBytesPerCycle = 0;
  unsigned fp16ConvUnitInputLoadElemsPerCycle = 0;
  unsigned fp32ConvUnitInputLoadElemsPerCycle = 0;
  unsigned fp16ConvUnitMaxPipelineDepth = 0;
  unsigned fp16InFp16OutConvUnitsPerTile = 0;
  unsigned fp16InFp32OutConvUnitsPerTile = 0;
  unsigned fp32InFp32OutConvUnitsPerTile = 0;
  unsigned convUnitCoeffLoadBytesPerCycle = 0;
  /// In cycles. 0: chosen by the number of IPUs.
  unsigned globalSyncCycles = 0;
  /// What limits traffic between IPUs. None: the links of a ladder. An executable for a model that
  /// states some is not saved.
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;
  unsigned minIPUSyncDelay = 0;
  RelativeSyncDelayType relativeSyncDelay = RelativeSyncDelayType::AUTO;
  bool compileIPUCode = false;

  /// Creates the device. `options` may set any figure of the machine, and override the fields.
  /// \throws invalid_option for an unknown IPU version or figure, or an inconsistent machine, such
  /// as a constraint without bandwidth, or with a flow of an IPU that there is not
  Device createDevice(OptionFlags options = {}, bool accurateHalf = false,
                      unsigned deviceManagerId = ~0u) const;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
