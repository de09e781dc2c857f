// What a device says of itself, the executed spans as CSV, and slices by lists.
#include <iostream>
#include <poplar/CSRFunctions.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>
#include <pva/pva.hpp>

using namespace poplar;

int main() {
  IPUModel model("ipu2");
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  const auto attributes = device.getAttributes();
  for (const auto& each : attributes) std::cout << each.first << "=" << each.second << ";";
  std::cout << (device.getAttribute("tiles per ipu") == "4") << device.hasGateway() << "\n";
  try {
    device.getAttribute("board");
  } catch (const poplar_error& error) {
    std::cout << error.what() << "\n";
  }

  Graph graph(device);
  const Tensor t = graph.addVariable(FLOAT, {4, 6}, VariableMappingMethod::LINEAR, "t");
  program::Sequence prog;
  popops::addInPlace(graph, t, t, prog, "say \"twice\"");
  Engine engine(graph, prog, {{"profiler.programs.filter", ".*"}});
  engine.load(device);
  engine.run(0);
  engine.reportIntervals(std::cout);
  const pva::preview::PoplarVersion version = engine.getReport().poplarVersion();
  std::cout << version.string().substr(0, 5) << "\n";

  const Tensor some = t.slice({1}, {3}), corner = t.slice({1, 2}, {3, 5});
  std::cout << some.shapeToString() << corner.shapeToString()
            << (some.getVarRegions() == t.slice({1, 0}, {3, 6}).getVarRegions()) << "\n";
  try {
    t.slice({1}, {3, 5});
  } catch (const poplar_error& error) {
    std::cout << error.what() << "\n";
  }
  // An element that is there twice is none of the others.
  const Tensor left = t.slice(0, 3, 1), right = t.slice(3, 6, 1);
  const Tensor twice = concat(left, left, 1);
  std::cout << twice.intersectsWith(right) << right.intersectsWith(twice)
            << twice.intersectsWith(left) << left.intersectsWith(twice.slice(4, 6, 1))
            << concat(right, right).intersectsWith(twice) << "\n";

  for (const auto& each : poputil::calculateUnshufflingIntervals({{4, 6}, {0, 3}, {3, 4}}))
    std::cout << each.begin() << "-" << each.end() << " ";
  const Tensor rows = popops::createSliceableTensor(graph, FLOAT, {8, 64}, {0}, {1}, 2, "rows");
  std::size_t mapped = 0;
  for (const auto& tile : popops::getSliceMapping(graph, rows, {0}, {1}))
    for (const auto& each : tile) mapped += each.size();
  std::cout << mapped << "\n";
  try {
    popops::getSliceMapping(graph, rows, {0, 1}, {1});
  } catch (const poputil::poplibs_error& error) {
    std::cout << error.what() << "\n";
  }
  // What is made for slices of which nothing lies on a tile, or row 0.
  for (const bool partly : {false, true}) {
    const Tensor slice = graph.addVariable(FLOAT, {2, 3}, "slice");
    if (partly) graph.setTileMapping(slice[0], 2);
    const Tensor made = popops::createSliceableTensorFromSlice(graph, slice, {0}, {8});
    for (const auto& tile : graph.getTileMapping(made)) {
      std::size_t held = 0;
      for (const auto& each : tile) held += each.size();
      std::cout << held << " ";
    }
    std::cout << "\n";
  }

  const FloatingPointBehaviour all, none = !all;
  std::cout << all.inv << all.div0 << all.oflo << all.esr << all.nanoo << none.inv << none.div0
            << none.oflo << none.esr << none.nanoo << QUARTER.requiresMetadata()
            << HALF.requiresMetadata() << "\n";
}
