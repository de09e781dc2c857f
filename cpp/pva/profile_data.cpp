#include "pva/profile_data.hpp"

#include <popir/version.hpp>
#include <poplar/exceptions.hpp>
#include <pva/pva.hpp>

#include <sstream>

#include "support/archive.hpp"
#include "support/host_process.hpp"

namespace popir {
namespace {

constexpr const char* kMagic = "popir profile";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error("pva::openReport: '" + path + "' " + why);
}

/// True if all stretches are in order, and of tiles that there are.
bool fits(const TileBytes& bytes, std::uint64_t tiles) {
  unsigned end = 0;
  for (const auto& s : bytes.stretches()) {
    if (s.begin < end || s.end <= s.begin) return false;
    end = s.end;
  }
  return end <= tiles;
}

/// True if all indices between rows are in range.
bool fits(const ProfileData& data) {
  const std::uint64_t tiles = std::uint64_t{data.numIPUs} * data.tilesPerIPU;
  for (const auto& program : data.programs)
    if (program.type < 0 || program.type > static_cast<int>(pva::Program::Type::Repeat))
      return false;
  for (const auto& block : data.blocks)
    if (block.program >= data.programs.size() || block.from > block.to) return false;
  for (const auto& run : data.runs)
    if (run.from > run.to) return false;
  for (const auto& category : data.memory)
    if (category.tileBytes.size() != tiles) return false;
  for (const auto& of : data.vertexTypes)
    if (of.byTile.size() != tiles) return false;
  for (const auto& set : data.sets)
    if (set.cyclesByTile.size() != tiles) return false;
  for (const auto step : data.steps)
    if (step >= data.sets.size()) return false;
  for (const auto& report : data.reports) {
    for (const auto& step : report.steps)
      for (const auto row : step.operations)
        if (row >= report.operations.size()) return false;
    for (const auto& category : report.memory)
      if (category.tileBytes.size() != tiles) return false;
    for (const auto& variable : report.variables) {
      if (!fits(variable.tiles, tiles)) return false;
      for (const auto& [first, last] : variable.live)
        if (first > last || last >= report.steps.size()) return false;
    }
    for (const auto& each : report.vertices)
      if (!fits(each.tiles, tiles)) return false;
    for (const auto& part : report.parts)
      if (part.firstStep > report.steps.size() || part.steps > report.steps.size() - part.firstStep)
        return false;
    for (const auto* byTile : {&report.tileComputeCycles, &report.tileReceivedBytes})
      if (byTile->size() != tiles) return false;
    if (report.tiles != tiles || report.fullestTile >= tiles) return false;
  }
  for (const auto& run : data.runs)
    if (!data.reports.empty() && run.program >= data.reports.size()) return false;
  return tiles > 0 && tiles == data.tileBytes.size();
}

}  // namespace

std::shared_ptr<const ProfileData> readProfile(const std::string& path) {
  std::string bytes;
  try {
    bytes = readFile(path);
  } catch (const poplar::poplar_error& e) {
    throw std::runtime_error(std::string("pva::openReport: ") + e.what() +
                             "; an Engine with the option autoReport.all writes profile.pop");
  }
  std::istringstream in(bytes);
  std::string magic, version, size, hash;
  for (auto* line : {&magic, &version, &size, &hash}) std::getline(in, *line);
  const std::string anew = "; run the program again with the engine option autoReport.all";
  if (magic != kMagic)
    refuse(path,
           "is no profile that popir wrote; the format of Graphcore's tools is not public" + anew);
  if (version != popir_version())
    refuse(path,
           "was written by popir " + version.substr(0, 20) + ", this is " + popir_version() + anew);
  const auto at = in.tellg();
  const auto content = at < 0 ? std::string() : bytes.substr(static_cast<std::size_t>(at));
  if (size != std::to_string(content.size()) || hash != hashOf(content))
    refuse(path, "is damaged" + anew);
  auto data = std::make_shared<ProfileData>();
  try {
    Reader(content).get(*data);
  } catch (const DamagedArchive&) {
    refuse(path, "is damaged" + anew);
  }
  if (!fits(*data)) refuse(path, "is damaged: its rows do not fit each other" + anew);
  return data;
}

void writeProfile(const ProfileData& data, const std::string& path) {
  Writer writer;
  writer.put(data);
  const auto& bytes = writer.bytes();
  writeFile(path, std::string(kMagic) + "\n" + popir_version() + "\n" +
                      std::to_string(bytes.size()) + "\n" + hashOf(bytes) + "\n" + bytes);
}

}  // namespace popir

namespace pva {

std::string Target::architecture() const { return data_->arch; }
unsigned Target::numTiles() const { return data_->numIPUs * data_->tilesPerIPU; }
unsigned Target::numIPUs() const { return data_->numIPUs; }
unsigned Target::tilesPerIpu() const { return data_->tilesPerIPU; }
std::uint64_t Target::bytesPerTile() const { return data_->bytesPerTile; }
double Target::clockFrequency() const { return data_->clockHz; }

unsigned CompilationGraph::numComputeSets() const { return data_->computeSets; }
unsigned CompilationGraph::numVertices() const { return data_->vertices; }
unsigned CompilationGraph::numEdges() const { return data_->edges; }
unsigned CompilationGraph::numVars() const { return data_->variables; }

std::vector<CompilationTile> CompilationReport::tiles() const {
  std::vector<CompilationTile> tiles;
  for (unsigned t = 0; t < data_->tileBytes.size(); ++t) tiles.emplace_back(data_, t);
  return tiles;
}
TileMemoryTotal TileMemory::total() const { return TileMemoryTotal(data_->tileBytes[tile_]); }
TileMemoryByCategory TileMemory::category() const { return {data_, tile_}; }

TileMemoryCategory TileMemoryByCategory::of(const char* always, const char* atTimes) const {
  std::uint64_t alone = 0, shared = 0;
  for (const auto& each : data_->memory) {
    if (each.category == always) alone = each.tileBytes[tile_];
    if (atTimes != nullptr && each.category == atTimes) shared = each.tileBytes[tile_];
  }
  return TileMemoryCategory(alone, shared);
}
TileMemoryCategory TileMemoryByCategory::variable() const { return of("variables", "temporaries"); }
TileMemoryCategory TileMemoryByCategory::constant() const { return of("constants"); }
TileMemoryCategory TileMemoryByCategory::vertexInstanceState() const { return of("vertex state"); }
TileMemoryCategory TileMemoryByCategory::vertexCode() const { return of("vertex code"); }
TileMemoryCategory TileMemoryByCategory::internalExchangeCode() const {
  return of("exchange code");
}
TileMemoryCategory TileMemoryByCategory::controlCode() const { return of("control code"); }
TileMemoryCategory TileMemoryByCategory::stack() const { return of("stack"); }
TileMemoryCategory TileMemoryByCategory::message() const { return of("", "gathered operands"); }
TileMemoryCategory TileMemoryByCategory::hostMessage() const {
  return of("", "host exchange buffers");
}

std::vector<VertexInstances> TileMemory::vertices() const {
  std::vector<VertexInstances> vertices;
  for (const auto& of : data_->vertexTypes)
    if (of.byTile[tile_] > 0) vertices.emplace_back(VertexType(of.type), of.byTile[tile_]);
  return vertices;
}

bool Block::isStreamCopy() const {
  return program_->type() == Program::Type::StreamCopyBegin ||
         program_->type() == Program::Type::StreamCopyMid ||
         program_->type() == Program::Type::StreamCopyEnd;
}

std::vector<Block> ExecutionReport::blocks(unsigned tile) const {
  const auto tiles = data_->numIPUs * data_->tilesPerIPU;
  if (tile >= tiles)
    throw std::out_of_range("pva::ExecutionReport::blocks: tile " + std::to_string(tile) +
                            " given, the target has " + std::to_string(tiles));
  std::vector<std::shared_ptr<Program>> programs;
  for (const auto& p : data_->programs)
    programs.push_back(std::make_shared<Program>(p.name, static_cast<Program::Type>(p.type)));
  std::vector<Block> blocks;
  for (const auto& b : data_->blocks)
    blocks.emplace_back(programs.at(b.program), tile, b.from, b.to);
  return blocks;
}

std::vector<Run> ExecutionReport::runs() const {
  std::vector<Run> runs;
  for (const auto& r : data_->runs) runs.emplace_back(r.program, r.from, r.to);
  return runs;
}

std::vector<ExecutionStep> ExecutionReport::steps() const {
  std::vector<ExecutionStep> steps;
  for (const auto step : data_->steps) {
    const auto& set = data_->sets[step];
    steps.emplace_back(std::make_shared<Program>(set.name, Program::Type::OnTileExecute),
                       std::vector<ComputeSetCycles>{ComputeSetCycles(set.name, set.cyclesByTile)});
  }
  return steps;
}

PoplarVersion Report::poplarVersion() const { return PoplarVersion(data_->version); }

Report openReport(const std::string& profile, const std::string&, const std::string&) {
  return Report(popir::readProfile(profile));
}

}  // namespace pva
