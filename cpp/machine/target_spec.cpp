#include "machine/target_spec.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <vector>

namespace popir {
namespace {

// A figure: its name, the field of TargetSpec (`whole` or `real`; the other is null), and the range
// of valid values [least, most].
struct Figure {
  const char* name;
  unsigned TargetSpec::*whole;
  double TargetSpec::*real;
  double least, most;
  double grain;  // whole numbers only: values are multiples of this
  const char* unit;
};

#define POPIR_WHOLE(NAME, ...) \
  { #NAME, &TargetSpec::NAME, nullptr, __VA_ARGS__ }
#define POPIR_REAL(NAME, LEAST, MOST, UNIT) \
  { #NAME, nullptr, &TargetSpec::NAME, LEAST, MOST, 0, UNIT }

// The ranges exclude values that no machine can have, and values that would exhaust the host.
constexpr Figure kFigures[] = {
    POPIR_WHOLE(numIPUs, 1, 64, 1, "IPUs"),
    POPIR_WHOLE(tilesPerIPU, 1, 16384, 1, "tiles"),
    POPIR_WHOLE(memoryBytesPerTile, 16384, 1 << 30, 8, "bytes"),
    POPIR_WHOLE(numWorkerContexts, 1, 64, 1, "workers"),
    POPIR_REAL(tileClockFrequency, 1e6, 1e11, "Hz"),
    POPIR_WHOLE(dataPathWidth, 32, 1024, 32, "bits"),
    POPIR_WHOLE(exchangeBytesPerCycle, 1, 1024, 1, "bytes a cycle"),
    POPIR_WHOLE(tilesPerSharedExchangeBus, 1, 64, 1, "tiles"),
    POPIR_WHOLE(exchangeSlotsPerSpan, 0, 1000, 1, "cycles"),
    POPIR_WHOLE(exchangeStartCycles, 0, 1000000, 1, "cycles"),
    POPIR_WHOLE(callCycles, 0, 1000000, 1, "cycles"),
    POPIR_WHOLE(globalSyncCycles, 0, 1000000, 1, "cycles"),
    POPIR_REAL(syncSecondsPerHop, 0, 1, "seconds"),
    POPIR_REAL(linkBitsPerSecond, 1e3, 1e15, "bits a second"),
    POPIR_REAL(linkEfficiency, 0.01, 1, "of the bits"),
    POPIR_WHOLE(linksToPartner, 1, 64, 1, "links"),
    POPIR_WHOLE(linksAcross, 1, 64, 1, "links"),
    POPIR_WHOLE(linksAlong, 1, 64, 1, "links"),
    POPIR_WHOLE(ipusPerPod, 1, 4096, 1, "IPUs"),
    POPIR_WHOLE(ipusPerGateway, 1, 64, 1, "IPUs"),
    POPIR_WHOLE(gatewayLinks, 1, 64, 1, "links"),
    POPIR_REAL(gatewayLinkBitsPerSecond, 1e3, 1e15, "bits a second"),
    POPIR_WHOLE(memcpyBytesPerCycle, 1, 1024, 1, "bytes a cycle"),
    POPIR_WHOLE(fp16InFp16OutConvUnitsPerTile, 1, 1024, 1, "units"),
    POPIR_WHOLE(fp16InFp32OutConvUnitsPerTile, 1, 1024, 1, "units"),
    POPIR_WHOLE(fp32InFp32OutConvUnitsPerTile, 1, 1024, 1, "units"),
    POPIR_WHOLE(convUnitMaxPipelineDepth, 1, 64, 1, "steps"),
    POPIR_WHOLE(fp16ConvUnitInputLoadElemsPerCycle, 1, 64, 1, "elements"),
    POPIR_WHOLE(fp32ConvUnitInputLoadElemsPerCycle, 1, 64, 1, "elements"),
    POPIR_WHOLE(fp8InFp16OutConvUnitsPerTile, 0, 1024, 1, "units"),
    POPIR_WHOLE(fp8ConvUnitInputLoadElemsPerCycle, 1, 64, 1, "elements"),
    POPIR_WHOLE(convUnitCoeffLoadBytesPerCycle, 1, 1024, 1, "bytes a cycle"),
    POPIR_REAL(hostBytesPerSecond, 1e3, 1e15, "bytes a second"),
    POPIR_REAL(hostLatencySeconds, 0, 1, "seconds"),
    POPIR_WHOLE(serversPerPod, 1, 64, 1, "servers"),
    POPIR_REAL(serverBytesPerSecond, 1e3, 1e15, "bytes a second"),
    POPIR_REAL(streamingBytesPerSecond, 1e3, 1e15, "bytes a second"),
    POPIR_WHOLE(rptCountMax, 1, 1 << 20, 1, "rounds"),
    POPIR_WHOLE(numStrideBits, 1, 32, 1, "bits"),
    POPIR_WHOLE(minIPUSyncDelay, 0, 1000000, 1, "cycles"),
    POPIR_WHOLE(maxIPUSyncDelay, 0, 1000000, 1, "cycles"),
    POPIR_WHOLE(memoryElementBytes, 1024, 1 << 20, 8, "bytes"),
    POPIR_WHOLE(interleavedMemoryOffset, 0, 1 << 30, 8, "bytes"),
    POPIR_WHOLE(atomicStoreGranularity, 1, 64, 1, "bytes"),
    POPIR_WHOLE(stackBytesPerTile, 0, 1 << 24, 1, "bytes"),
    POPIR_WHOLE(vertexStateBytes, 0, 1 << 16, 1, "bytes"),
    POPIR_WHOLE(edgeStateBytes, 0, 1 << 16, 1, "bytes"),
    POPIR_WHOLE(contractionCodeBytes, 0, 1 << 20, 1, "bytes"),
    POPIR_WHOLE(vertexCodeBytes, 0, 1 << 20, 1, "bytes"),
    POPIR_WHOLE(exchangeCodeBytesPerInstruction, 0, 1 << 16, 1, "bytes"),
    POPIR_WHOLE(exchangeCodeBytesPerPhase, 0, 1 << 16, 1, "bytes"),
    POPIR_WHOLE(exchangeWordsPerSend, 1, 1 << 19, 1, "words"),
    POPIR_WHOLE(exchangeWordsPerAddress, 1, 1 << 19, 1, "words"),
    POPIR_WHOLE(controlCodeBytes, 0, 1 << 24, 1, "bytes"),
    POPIR_WHOLE(controlCodeBytesPerStep, 0, 1 << 16, 1, "bytes"),
    POPIR_WHOLE(variableAlignment, 1, 1024, 1, "bytes"),
};
#undef POPIR_WHOLE
#undef POPIR_REAL

const Figure& figure(const std::string& name) {
  std::string known;
  for (const auto& f : kFigures) {
    if (name == f.name) return f;
    known += std::string(known.empty() ? "" : ", ") + f.name;
  }
  throw poplar::invalid_option("a target has no figure '" + name + "'; it has " + known);
}

[[noreturn]] void refuse(const Figure& f, const std::string& given) {
  std::ostringstream os;
  os << "target: " << f.name << " = " << given << " given, expected ";
  if (f.grain > 1)
    os << "a multiple of " << f.grain;
  else
    os << "a " << (f.whole ? "whole " : "") << "number";
  os.precision(12);
  os << " from " << f.least << " to " << f.most << " (" << f.unit << ")";
  throw poplar::invalid_machine_model(os.str());
}

void assign(TargetSpec& spec, const Figure& f, double value, const std::string& given) {
  if (!(value >= f.least && value <= f.most)) refuse(f, given);
  if (!f.whole) {
    spec.*f.real = value;
    return;
  }
  if (std::fmod(value, f.grain) != 0) refuse(f, given);
  spec.*f.whole = static_cast<unsigned>(value);
}

}  // namespace

TargetSpec TargetSpec::cpu() {
  TargetSpec spec;
  spec.memoryBytesPerTile = 0xffffffffu;  // no limit: programs use host memory
  return spec;
}

TargetSpec TargetSpec::ipu(const std::string& version) {
  TargetSpec spec;
  spec.arch = version;
  spec.type = poplar::TargetType::IPU_MODEL;
  spec.tilesPerIPU = 1472;
  // A memory report of a Bow IPU
  spec.stackBytesPerTile = 376;
  spec.controlCodeBytes = 490;
  spec.vertexStateBytes = 6;
  spec.vertexCodeBytes = 166;
  spec.contractionCodeBytes = 0;
  if (version == "ipu2") return spec;
  if (version == "ipu21") {
    spec.tileClockFrequency = 1.85e9;
    spec.fp8InFp16OutConvUnitsPerTile = 16;
    return spec;
  }
  if (version == "ipu1") {
    spec.tilesPerIPU = 1216;
    spec.stackBytesPerTile = 3168;
    spec.controlCodeBytes = 700;
    spec.vertexStateBytes = 8;
    spec.vertexCodeBytes = 140;
    spec.memoryBytesPerTile = 262144;
    spec.interleavedMemoryOffset = 131072;
    spec.tileClockFrequency = 1.6e9;
    spec.tilesPerSharedExchangeBus = 1;
    spec.fp16InFp16OutConvUnitsPerTile = 8;
    spec.fp32InFp32OutConvUnitsPerTile = 8;
    spec.convUnitCoeffLoadBytesPerCycle = 8;
    return spec;
  }
  throw poplar::invalid_option("IPU version '" + version +
                               "' given, expected one of ipu1, ipu2, ipu21");
}

namespace {

/// The IPUs of a system of Graphcore's: IPU-M2000, IPU-POD64, Bow-2000, Bow-POD64 and their kin; "_DA"
/// stands behind those without a head of their own.
struct System {
  const char* family;
  const char* version;
  std::vector<unsigned> sizes;
};

const std::vector<System>& systems() {
  static const std::vector<System> all = {{"IPU-M", "ipu2", {2000}},
                                          {"IPU-POD", "ipu2", {4, 16, 32, 64, 128, 256}},
                                          {"BOW-", "ipu21", {2000}},
                                          {"BOW-POD", "ipu21", {4, 16, 32, 64, 128, 256}}};
  return all;
}

/// The IPUs that a system has by the number in its name.
unsigned ipusOf(unsigned size) { return size == 2000 ? 4 : size; }

std::string upperOf(const std::string& name) {
  std::string upper;
  for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (upper.size() > 3 && upper.substr(upper.size() - 3) == "_DA") upper.resize(upper.size() - 3);
  return upper;
}

/// Operations a second of a C600 with halves, of which its clock follows: Graphcore publishes 280 TFLOPS.
constexpr double kC600Flops = 280e12;
/// Bytes a second that a C600 has been measured to get from its host, on a PCIe link of eight lanes. It has
/// no other memory: what is off chip is the host's, too.
constexpr double kC600HostBytes = 8.3e9;

}  // namespace

unsigned TargetSpec::ipusOf(const std::string& name) {
  for (const System& each : systems())
    for (const unsigned size : each.sizes)
      if (upperOf(name) == each.family + std::to_string(size)) return popir::ipusOf(size);
  return 1;
}

TargetSpec TargetSpec::system(const std::string& name, unsigned numIPUs) {
  const std::string upper = upperOf(name);
  if (upper == "C600") {
    if (numIPUs > 1)
      throw poplar::invalid_option("a target of " + std::to_string(numIPUs) +
                                   " IPUs in 'C600', which has 1: take one, or a larger system");
    auto spec = ipu("ipu21");
    spec.systemName = name;
    spec.tileClockFrequency =
        kC600Flops / (2.0 * spec.tilesPerIPU * spec.fp16InFp16OutConvUnitsPerTile *
                      spec.fp16ConvUnitInputLoadElemsPerCycle);
    spec.hostBytesPerSecond = spec.streamingBytesPerSecond = kC600HostBytes;
    return spec;
  }
  for (const System& each : systems())
    for (const unsigned size : each.sizes) {
      if (upper != each.family + std::to_string(size)) continue;
      const unsigned has = popir::ipusOf(size);
      if (numIPUs > has)
        throw poplar::invalid_option("a target of " + std::to_string(numIPUs) + " IPUs in '" +
                                     name + "', which has " + std::to_string(has) +
                                     ": take as many or fewer, or a larger system");
      TargetSpec spec = ipu(each.version);
      spec.systemName = name;
      return spec;
    }
  if (upper.substr(0, 4) == "IPU-" || upper.substr(0, 4) == "BOW-")
    throw poplar::invalid_option(
        "the system '" + name +
        "' is not known; known are C600, IPU-M2000, Bow-2000, and IPU-POD and "
        "Bow-POD with 4, 16, 32, 64, "
        "128 or 256. ipu1, ipu2 and ipu21 name IPUs without a system");
  return ipu(name);
}

void TargetSpec::set(const std::string& name, const std::string& value) {
  const auto& f = figure(name);
  char* end = nullptr;
  const auto number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') refuse(f, "'" + value + "'");
  assign(*this, f, number, value);
}

void TargetSpec::set(const std::string& name, double value) {
  std::ostringstream given;
  given.precision(12);
  given << value;
  assign(*this, figure(name), value, given.str());
}

double TargetSpec::get(const std::string& name) const {
  const auto& f = figure(name);
  return f.whole ? this->*f.whole : this->*f.real;
}

unsigned TargetSpec::syncBetweenIPUs(unsigned ipus) const {
  if (globalSyncCycles > 0) return globalSyncCycles;
  const auto hops = 1 + ipus / 2 / 2;
  return static_cast<unsigned>(std::ceil(2 * hops * syncSecondsPerHop * tileClockFrequency));
}

std::vector<std::string> TargetSpec::figures() {
  std::vector<std::string> names;
  for (const auto& f : kFigures) names.emplace_back(f.name);
  return names;
}

}  // namespace popir
