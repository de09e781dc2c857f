// The figures of a target machine: all its numeric parameters.
#ifndef popir_machine_target_spec_hpp
#define popir_machine_target_spec_hpp

#include <cstdint>
#include <poplar/TargetType.hpp>
#include <string>
#include <utility>
#include <vector>

namespace popir {

/// The figures of a target. Cycles are tile cycles. Figures of poplar::IPUModel and poplar::Target
/// have the same names here. Ranges and units are in target_spec.cpp, sources of the figures in
/// docs/machine_model.md. The defaults are those of ipu2, except for the number of tiles.
struct __attribute__((visibility("default"))) TargetSpec {
  std::string arch = "cpu";
  /// The system that it was made for, "" for none. No saved graph has it.
  std::string systemName;
  poplar::TargetType type = poplar::TargetType::CPU;
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 1;
  unsigned memoryBytesPerTile = 638976;
  unsigned numWorkerContexts = 6;
  double tileClockFrequency = 1.33e9;
  unsigned dataPathWidth = 64;

  unsigned exchangeBytesPerCycle = 4;
  unsigned tilesPerSharedExchangeBus = 2;
  /// Control slots for each span, a contiguous piece of received words. A slot takes one cycle. A
  /// tile issues control slots while it receives payload: the larger number of cycles counts.
  unsigned exchangeSlotsPerSpan = 3;
  /// Cycles of a sync of an IPU's tiles, at least and at most. There is one before each exchange,
  /// which takes the maximum.
  unsigned minIPUSyncDelay = 0, maxIPUSyncDelay = 126;
  /// Cycles from the end of that sync to the first word of the exchange. No source tells them from
  /// those of the sync and of the call, so there are none by default.
  unsigned exchangeStartCycles = 0;
  /// Cycles to call a compute set: to start and join the six workers.
  unsigned callCycles = 288;
  /// Additional cycles of a phase with traffic between IPUs. 0: computed as the time of a round
  /// trip over 1 + IPUs / 4 hops of `syncSecondsPerHop` each.
  unsigned globalSyncCycles = 0;
  double syncSecondsPerHop = 15e-9;

  /// The rate of one link in one direction, and the fraction of it that carries payload.
  double linkBitsPerSecond = 128.0 * (1u << 30);
  double linkEfficiency = 0.85;
  /// The number of links of an IPU (machine/links.hpp): to its partner, for traffic that ends
  /// there; to its partner, for traffic to or from another rung; to the next rung.
  unsigned linksToPartner = 4, linksAcross = 2, linksAlong = 2;
  /// Beyond the ladder of a pod, gateways are connected: the IPUs that links connect, those that
  /// share a gateway, the links of a gateway to other pods, and the rate of one in one direction.
  unsigned ipusPerPod = 64, ipusPerGateway = 4, gatewayLinks = 2;
  double gatewayLinkBitsPerSecond = 100e9;
  /// What limits traffic between IPUs in the ladder's place, if a program states it: the bits a second
  /// of all its flows together, each from one IPU to another. No figure: no saved graph may have any.
  struct ExchangeLimit {
    double bitsPerSecond;
    std::vector<std::pair<unsigned, unsigned>> flows;
  };
  std::vector<ExchangeLimit> exchangeLimits;

  unsigned memcpyBytesPerCycle = 8;

  unsigned fp16InFp16OutConvUnitsPerTile = 16;
  unsigned fp16InFp32OutConvUnitsPerTile = 8;
  unsigned fp32InFp32OutConvUnitsPerTile = 16;
  unsigned convUnitMaxPipelineDepth = 4;
  unsigned fp16ConvUnitInputLoadElemsPerCycle = 4;
  unsigned fp32ConvUnitInputLoadElemsPerCycle = 2;
  /// Units for 8-bit floats, with sums of half; 0: there are none, and these are cast to halves.
  unsigned fp8InFp16OutConvUnitsPerTile = 0;
  unsigned fp8ConvUnitInputLoadElemsPerCycle = 8;
  unsigned convUnitCoeffLoadBytesPerCycle = 16;

  /// The sustained rate of streams at one gateway, in either direction, and the time that a transfer
  /// takes beside that of its bytes.
  double hostBytesPerSecond = 5.5e9, hostLatencySeconds = 10e-6;
  /// The servers of a pod, and the rate of one to all gateways together.
  unsigned serversPerPod = 1;
  double serverBytesPerSecond = 25e9;
  /// The sustained rate of the streaming memory at one gateway, in both directions together.
  double streamingBytesPerSecond = 20e9;

  unsigned rptCountMax = 4095;
  unsigned numStrideBits = 10;
  /// A tile's memory, in bytes: the size of a memory element (bank), and the offset of the
  /// interleaved region.
  unsigned memoryElementBytes = 16384, interleavedMemoryOffset = 212992;
  unsigned atomicStoreGranularity = 4;
  /// The stacks of the supervisor and all workers together.
  unsigned stackBytesPerTile = 3168;
  /// The state of a vertex on a tile, and of each of its edges.
  unsigned vertexStateBytes = 12;
  unsigned edgeStateBytes = 4;
  /// Code of a class on a tile: a contraction, 0 for its assembly's; what PopLibs has no assembly of.
  unsigned contractionCodeBytes = 2048;
  unsigned vertexCodeBytes = 512;
  /// Exchange code of a tile (Traffic::code): of an instruction, and of each phase in which the tile
  /// sends or receives. Words that an instruction sends, and words received until it sets the address.
  unsigned exchangeCodeBytesPerInstruction = 4;
  unsigned exchangeCodeBytesPerPhase = 12;
  unsigned exchangeWordsPerSend = 64, exchangeWordsPerAddress = 128;
  /// Control code on every tile: of the whole executable, and of each program node.
  unsigned controlCodeBytes = 700;
  unsigned controlCodeBytesPerStep = 8;
  /// Alignment of variables on a tile, in bytes.
  unsigned variableAlignment = 8;

  unsigned numTiles() const { return numIPUs * tilesPerIPU; }
  /// globalSyncCycles, or the value computed in its place if it is 0, for the first `ipus` IPUs.
  unsigned syncBetweenIPUs(unsigned ipus) const;
  unsigned numGateways() const { return (numIPUs + ipusPerGateway - 1) / ipusPerGateway; }
  /// Cycles before the first word of an exchange.
  unsigned beforeExchange() const { return maxIPUSyncDelay + exchangeStartCycles; }

  static TargetSpec cpu();
  /// "ipu1", "ipu2" or "ipu21". \throws poplar::invalid_option for any other name.
  static TargetSpec ipu(const std::string& version);
  /// The IPUs of a system of Graphcore's, such as "IPU-POD16" or "C600"; or those of a version.
  /// \throws poplar::invalid_option for an unknown name, and for a system of fewer IPUs
  static TargetSpec system(const std::string& name, unsigned numIPUs);
  /// The IPUs of a system; 1 for a version and any other name.
  static unsigned ipusOf(const std::string& name);

  /// Sets a figure by name. \throws poplar::invalid_option for an unknown name, or for a value that
  /// is not a number in the figure's range.
  void set(const std::string& name, const std::string& value);
  void set(const std::string& name, double value);
  double get(const std::string& name) const;
  /// The names of all figures.
  static std::vector<std::string> figures();
};

}  // namespace popir

#endif
