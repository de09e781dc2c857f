// Reads lines "kind type shape dims sizes grain count tiles", makes each tensor on a machine of so
// many tiles, and prints its mapping: "tile begin end" for each interval of its elements.
#include <algorithm>
#include <functional>
#include <iostream>
#include <poplar/Graph.hpp>
#include <poplin/Convolution.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <sstream>
#include <string>
#include <vector>

using Sizes = std::vector<std::size_t>;

namespace {

Sizes sizesOf(std::string text) {
  std::replace(text.begin(), text.end(), 'x', ' ');
  std::istringstream in(text);
  Sizes found;
  for (std::size_t n; in >> n;) found.push_back(n);
  return found;
}

/// Maps `t` whose dimension d is cut into parts[d], a box to a tile, from tile `tile` on.
void mapBoxes(poplar::Graph& graph, const poplar::Tensor& t, const Sizes& parts, unsigned tile,
              unsigned d = 0, unsigned box = 0) {
  if (d == t.rank()) return graph.setTileMapping(t, tile + box);
  const std::size_t n = t.dim(d), each = (n + parts[d] - 1) / parts[d];
  for (std::size_t p = 0; p < parts[d] && p * each < n; ++p)
    mapBoxes(graph, t.slice(p * each, std::min(n, (p + 1) * each), d), parts, tile, d + 1,
             static_cast<unsigned>(box * parts[d] + p));
}

}  // namespace

int main() {
  std::string kind, type, shapeText, dimsText, sizesText;
  unsigned grain, count, tiles;
  while (std::cin >> kind >> type >> shapeText >> dimsText >> sizesText >> grain >> count >>
         tiles) {
    poplar::Graph graph(poplar::Target::createIPUTarget(1, tiles, "ipu2"));
    const auto of = type == "half" ? poplar::HALF : poplar::FLOAT;
    const auto shape = sizesOf(shapeText), dims = sizesOf(dimsText), sizes = sizesOf(sizesText);
    poplar::Tensor made;
    if (kind == "sliceable") {
      made = popops::createSliceableTensor(graph, of, shape, dims, sizes, grain);
    } else if (kind == "slices") {
      made = popops::createSliceTensor(graph, of, shape, dims, sizes, count, {}, {});
    } else if (kind == "gather") {
      made = popops::createGatherInput(graph, of, shape, sizes,
                                       std::vector<unsigned>(dims.begin(), dims.end()));
    } else if (kind == "axis") {
      const popops::GatherParams params =
          count ? popops::GatherParams(count) : popops::GatherParams();
      made = popops::createGatherInput(graph, of, shape, static_cast<unsigned>(dims[0]), params);
    } else {
      const auto activations = graph.addVariable(of, shape);
      mapBoxes(graph, activations, dims, grain);
      made = poplin::createBiases(graph, activations);
    }
    const auto mapping = graph.getTileMapping(made);
    for (std::size_t tile = 0; tile < mapping.size(); ++tile)
      for (const auto& part : mapping[tile])
        std::cout << tile << " " << part.begin() << " " << part.end() << " ";
    std::cout << "\n";
  }
}
