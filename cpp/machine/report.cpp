#include "machine/report.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace popir {
namespace {

// Whether all vertices of an operation have cycles.
bool isKnown(const OperationCost& o) { return o.source.find("unknown") == std::string::npos; }

}  // namespace

std::string MachineReport::summary(std::size_t rows) const {
  std::ostringstream os;
  os << "Target: " << target << ", " << tiles << (tiles == 1 ? " tile" : " tiles") << " at "
     << clockHz / 1e9 << " GHz\n"
     << "Cycles: " << (unknown.empty() ? "" : "at least ") << cycles << " (" << std::fixed
     << std::setprecision(1) << static_cast<double>(cycles) / clockHz * 1e6 << " us), compute "
     << computeCycles << ", exchange " << exchangeCycles << ", sync " << syncCycles << "\n";
  for (const auto& name : unknown)
    os << "  without vertices of class '" << name << "', whose cycles are not known\n";
  os << "Exchange: " << exchangeBytes << " bytes; host: " << hostBytesIn << " bytes in, "
     << hostBytesOut << " bytes out, " << hostTransfers << " transfers (" << hostSeconds * 1e6
     << " us)\n";
  if (streamingMemoryBytes > 0)
    os << "Streaming memory: " << streamingMemoryBytes << " bytes in " << remoteBuffers.size()
       << " remote buffers; " << streamingBytesIn << " bytes in, " << streamingBytesOut
       << " bytes out (" << streamingSeconds * 1e6 << " us)\n";
  if (overlapSeconds > 0)
    os << "With transfers: " << runSeconds() * 1e6 << " us, " << overlapSeconds * 1e6
       << " us of them beside compute\n";
  os << "Memory Usage: " << totalBytes << " bytes, at most " << maxTileBytes << " on tile "
     << fullestTile << " of " << bytesPerTile << "\n";
  for (const auto& m : memory)
    os << "  " << std::setw(20) << std::left << m.category << std::right << std::setw(14)
       << m.totalBytes << std::setw(14) << m.fullestTileBytes << "\n";
  if (!owners.empty()) os << "Largest on tile " << fullestTile << ":\n";
  for (const auto& o : owners)
    os << std::setw(12) << o.bytes << "  " << o.name << " (" << o.category << ")\n";
  auto dearest = operations;
  std::stable_sort(dearest.begin(), dearest.end(),
                   [](const auto& a, const auto& b) { return a.cycles() > b.cycles(); });
  if (dearest.size() > rows) dearest.resize(rows);
  os << "Operations by cycles (" << dearest.size() << " of " << operations.size() << "):\n";
  for (const auto& o : dearest)
    os << std::setw(12) << (isKnown(o) ? std::to_string(o.cycles()) : "unknown") << "  " << o.name
       << " (" << o.vertexClass << ", " << o.times << (o.times == 1 ? " time" : " times")
       << (o.source == "estimator" || o.source == "unknown" ? ")\n" : ", by " + o.source + ")\n");
  for (const auto& line : counts) os << "- " << line << "\n";
  return os.str();
}

}  // namespace popir
