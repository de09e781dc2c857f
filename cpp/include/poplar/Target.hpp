// Descriptions of machines. After poplar/Target.hpp of the Poplar SDK 3.
#ifndef poplar_Target_hpp
#define poplar_Target_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
struct TargetSpec;  // all figures of a machine
}

namespace poplar {

/// How links connect IPUs. popir's machines are meshes.
enum class IpuLinkTopology { Mesh, Torus, Line };
/// How the links of a machine are cabled, to sources that ask: by default, as Target's figures say.
enum class IpuLinkConfiguration { Default, SlidingWindow, BarleyTwist };

/// Traffic from one IPU to another.
struct GlobalExchangeFlow {
  unsigned src, dst;
  GlobalExchangeFlow(unsigned source, unsigned destination) : src(source), dst(destination) {}
};
/// The bits a second that all of some flows have together.
struct GlobalExchangeConstraint {
  double bandwidth;
  std::vector<GlobalExchangeFlow> flows;
  GlobalExchangeConstraint(double bitsPerSecond, std::vector<GlobalExchangeFlow> limited)
      : bandwidth(bitsPerSecond), flows(std::move(limited)) {}
  GlobalExchangeConstraint(double bitsPerSecond, ArrayRef<GlobalExchangeFlow> limited)
      : bandwidth(bitsPerSecond), flows(limited.cloneAsVector()) {}
  GlobalExchangeConstraint(double bitsPerSecond, std::initializer_list<GlobalExchangeFlow> limited)
      : bandwidth(bitsPerSecond), flows(limited) {}
};

/// The description of a machine. Copies share it.
class Target {
 public:
  Target();
  explicit Target(std::shared_ptr<const popir::TargetSpec> spec);

  /// A target with one tile, for execution on the host.
  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
  /// A target with `numIPUs` IPUs of `systemType`: a version, "ipu1", "ipu2" or "ipu21", or one of
  /// Graphcore's systems, such as "IPU-POD16" or "Bow-POD64". `options` may set figures.
  /// \throws invalid_option for an unknown system type or figure, and for more IPUs than it has
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                const OptionFlags& options = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                const OptionFlags& options = {});

  /// All IPUs of the system; of a version, which is no system, one IPU.
  static Target createIPUTarget(StringRef systemType, const OptionFlags& options = {});

  TargetType getTargetType() const;
  StringRef getTargetArchString() const;
  /// What names the IPUs for createIPUTarget(): the system that was given to it, or their version. The
  /// target of a graph that was saved has the version.
  StringRef getTargetSystemString() const;
  unsigned getNumIPUs() const;
  unsigned getTilesPerIPU() const;
  IpuLinkTopology getIpuLinkTopology() const { return IpuLinkTopology::Mesh; }
  IpuLinkConfiguration getIpuLinkConfiguration() const { return IpuLinkConfiguration::Default; }
  /// IPUs that one process has: all.
  unsigned getInstanceSize() const { return getNumIPUs(); }
  /// Whether a gateway is between host and IPUs: Device::hasGateway() says so too.
  bool getGatewayMode() const { return false; }
  /// The blocks by which tiles reach the host. Their number, and the tiles of each, are published for
  /// no IPU, and the machine model has none.
  /// \throws poplar_error always
  unsigned getNumTilesPerXBContext() const;
  unsigned getNumContextsPerXB() const;
  unsigned getTileHostExchangeXB(unsigned tile) const;
  unsigned getTileHostExchangeContext(unsigned tile) const;
  unsigned getTileHostExchangeContextPosition(unsigned tile) const;
  /// Floating-point behaviour as a number, of which getAndModifyFloatingPointBehaviour() has one for
  /// each tile: bits 0 to 4, in the order of the arguments, which is popir's own.
  static unsigned makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) {
    return (inv ? 1u : 0u) | (div0 ? 2u : 0u) | (oflo ? 4u : 0u) | (esr ? 8u : 0u) |
           (nanoo ? 16u : 0u);
  }
  /// The registers of a tile by number, which a program reads through a debugger.
  /// \throws poplar_error always: a simulated tile has no registers
  unsigned getFpIctlRegIndex() const;
  unsigned getDbgDataRegIndex() const;
  /// IPUs that links between IPUs connect: all.
  unsigned getIpuLinkDomainSize() const { return getNumIPUs(); }
  unsigned getNumTiles() const;
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  std::uint64_t getMemoryBytes() const;
  /// Bytes that a tile receives per cycle.
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  /// Bits that a tile loads per cycle.
  unsigned getDataPathWidth() const;
  /// Elements of `type` per vector instruction.
  unsigned getVectorWidth(const Type& type) const;
  std::size_t getTypeSize(const Type& type) const;
  unsigned getWeightsPerConvUnit(bool floatActivations) const;
  unsigned getWeightsPerConvUnit(const Type& type) const;
  /// Convolution units per tile for inputs and partial sums of these types.
  unsigned getNumConvUnits(const Type& inputType, const Type& partialsType) const;
  unsigned getFloatVectorWidth() const { return getVectorWidth(FLOAT); }
  unsigned getHalfVectorWidth() const { return getVectorWidth(HALF); }
  unsigned getQuarterVectorWidth() const { return getVectorWidth(QUARTER); }
  unsigned getConvUnitInputLoadElemsPerCycle(const Type& type) const;
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const {
    return getConvUnitInputLoadElemsPerCycle(QUARTER);
  }
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const {
    return getConvUnitInputLoadElemsPerCycle(HALF);
  }
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const {
    return getConvUnitInputLoadElemsPerCycle(FLOAT);
  }
  unsigned getFp8InFp16OutConvUnitsPerTile() const { return getNumConvUnits(QUARTER, HALF); }
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  unsigned getConvUnitMaxPipelineDepth() const;
  unsigned getConvUnitMaxPipelineDepth(const Type& partialsType) const;
  unsigned getFp8ConvUnitMaxPipelineDepth() const { return getConvUnitMaxPipelineDepth(QUARTER); }
  unsigned getFp16ConvUnitMaxPipelineDepth() const { return getConvUnitMaxPipelineDepth(HALF); }
  unsigned getFp32ConvUnitMaxPipelineDepth() const { return getConvUnitMaxPipelineDepth(FLOAT); }
  /// Width in bits of the stride operand of load and store instructions.
  unsigned getNumStrideBits() const;
  /// Largest iteration count of the repeat instruction.
  unsigned getRptCountMax() const;
  /// Bytes of the smallest store that leaves its neighbours unchanged.
  std::size_t getAtomicStoreGranularity() const;
  /// Offsets in bytes of the memory elements of a tile. A tile can access different memory elements
  /// in the same cycle.
  std::vector<unsigned> getMemoryElementOffsets() const;
  /// Index of the first memory element with interleaved words.
  unsigned getInterleavedMemoryElementIndex() const;
  /// Synchronization delays, in cycles.
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  /// What limits traffic between IPUs: what an IPUModel stated, or the links of the ladder.
  std::vector<GlobalExchangeConstraint> getGlobalExchangeConstraints() const;
  unsigned getTilesPerSharedExchangeBus() const;
  bool supportsExchangeBusSharing() const;
  /// In Hz.
  double getTileClockFrequency() const;
  /// The largest and the smallest number of a type.
  /// \throws type_error for a type of which the host's kin is larger, such as QUARTER
  template <class T>
  T getTypeLimitsMaxAs(const Type& type) const {
    return static_cast<T>(largest(type));
  }
  template <class T>
  T getTypeLimitsLowestAs(const Type& type) const {
    return static_cast<T>(lowest(type));
  }
  /// The same machine with another number of IPUs and tiles.
  /// \throws invalid_option for a number that no machine has
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;
  /// Equal for copies of a target.
  std::size_t hash() const { return std::hash<const void*>()(spec_.get()); }

  const popir::TargetSpec& spec() const { return *spec_; }
  friend bool operator==(const Target& a, const Target& b) { return a.spec_ == b.spec_; }

 private:
  static long double largest(const Type& type);
  static long double lowest(const Type& type);

  std::shared_ptr<const popir::TargetSpec> spec_;
};

/// Convert `numElements` elements between the host's float or double and the device's half.
void copyFloatToDeviceHalf(const Target& target, const float* src, void* dst,
                           std::size_t numElements);
void copyDeviceHalfToFloat(const Target& target, const void* src, float* dst,
                           std::size_t numElements);
void copyDoubleToDeviceHalf(const Target& target, const double* src, void* dst,
                            std::size_t numElements);
void copyDeviceHalfToDouble(const Target& target, const void* src, double* dst,
                            std::size_t numElements);

}  // namespace poplar

#pragma GCC visibility pop

#endif
