// poplar/Target.hpp: the machine that a graph is built for.
#ifndef poplar_Target_hpp
#define poplar_Target_hpp

#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
struct TargetSpec;  // cpp/machine/target_spec.hpp: every figure of a machine
}

namespace poplar {

/// A machine description; a cheap handle to an immutable set of figures.
class Target {
 public:
  Target();
  explicit Target(std::shared_ptr<const popir::TargetSpec> spec);

  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                const OptionFlags& options = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                const OptionFlags& options = {});

  TargetType getTargetType() const;
  StringRef getTargetArchString() const;
  unsigned getNumIPUs() const;
  unsigned getTilesPerIPU() const;
  unsigned getNumTiles() const;
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  std::uint64_t getMemoryBytes() const;
  /// Bytes per cycle that a tile receives.
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  unsigned getDataPathWidth() const;
  /// Elements of `type` in one vector instruction.
  unsigned getVectorWidth(const Type& type) const;
  std::size_t getTypeSize(const Type& type) const;
  unsigned getWeightsPerConvUnit(bool floatActivations) const;
  unsigned getWeightsPerConvUnit(const Type& type) const;
  /// Of a convolution of such inputs with such partial sums.
  unsigned getNumConvUnits(const Type& inputType, const Type& partialsType) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type& type) const;
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  unsigned getConvUnitMaxPipelineDepth() const;
  unsigned getConvUnitMaxPipelineDepth(const Type& partialsType) const;
  /// Bits that an instruction has for a stride.
  unsigned getNumStrideBits() const;
  unsigned getRptCountMax() const;
  std::size_t getAtomicStoreGranularity() const;
  /// Where each memory element of a tile begins, in bytes from the start of its memory. Two
  /// accesses in one cycle go to different elements.
  std::vector<unsigned> getMemoryElementOffsets() const;
  /// The first of those elements whose words are interleaved with a neighbour's.
  unsigned getInterleavedMemoryElementIndex() const;
  /// Cycles.
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  unsigned getTilesPerSharedExchangeBus() const;
  bool supportsExchangeBusSharing() const;
  /// Hz.
  double getTileClockFrequency() const;

  const popir::TargetSpec& spec() const { return *spec_; }
  friend bool operator==(const Target& a, const Target& b) { return a.spec_ == b.spec_; }

 private:
  std::shared_ptr<const popir::TargetSpec> spec_;
};

/// Host conversions between the device's half and float; `numElements` elements.
void copyFloatToDeviceHalf(const Target& target, const float* src, void* dst,
                           std::size_t numElements);
void copyDeviceHalfToFloat(const Target& target, const void* src, float* dst,
                           std::size_t numElements);

}  // namespace poplar

#pragma GCC visibility pop

#endif
