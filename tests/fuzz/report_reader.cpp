// Reads all that is in the profiles whose paths it is given, a line each, and says a line of each.
#include <pva/pva.hpp>

#include <algorithm>

namespace {

void read(const std::string& path) {
  const pva::Report report = pva::openReport(path);
  std::size_t sum = report.poplarVersion().string().size();
  const auto compilation = report.compilation();
  const auto target = compilation.target();
  sum += target.architecture().size() + target.totalMemory() + target.bytesPerIPU();
  const auto graph = compilation.graph();
  sum += graph.numVertices() + graph.numEdges() + graph.numVars() + graph.numComputeSets();
  const auto tiles = compilation.tiles();
  for (unsigned tile = 0; tile < target.numTiles(); ++tile)
    sum += tiles.at(tile).memory().total().includingGaps();
  for (const unsigned tile : {0u, target.numTiles() - 1})
    for (const auto& block : report.execution().blocks(tile))
      sum += block.program()->name().size() + block.isStreamCopy() + block.cyclesTo() -
             block.cyclesFrom();
  for (const auto& run : report.execution().runs()) sum += run.program() + run.cyclesTo();
  static volatile std::size_t all;
  all = sum;
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    std::string answer = "read";
    try {
      read(path);
    } catch (const std::exception& e) {
      answer = e.what();
    }
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    std::cout << answer << std::endl;
  }
}
