// popir.poputil: tile mappings, partitions of intervals, broadcasting.
#include <pybind11/stl.h>
#include <poputil/Broadcast.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using Context = const poplar::DebugContext&;
// Intervals are pairs (begin, end) in Python.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Intervals = std::vector<Interval>;

Intervals fromPairs(const Pairs& pairs) {
  Intervals intervals;
  for (const auto& p : pairs) {
    if (p.first > p.second)
      throw poputil::poplibs_error("an interval of elements from " + std::to_string(p.first) +
                                   " to " + std::to_string(p.second) +
                                   " given, which ends before it begins");
    intervals.emplace_back(p.first, p.second);
  }
  return intervals;
}
Pairs toPairs(const Intervals& intervals) {
  Pairs pairs;
  for (const Interval& i : intervals) pairs.emplace_back(i.begin(), i.end());
  return pairs;
}
std::vector<Pairs> toPairs(const std::vector<Intervals>& lists) {
  std::vector<Pairs> all;
  for (const Intervals& list : lists) all.push_back(toPairs(list));
  return all;
}

void bindMapping(py::module_& m) {
  const auto offset = py::arg("offset") = 0;
  const auto ascending = py::arg("ascendingOrder") = true;
  m.def("mapTensorLinearly", py::overload_cast<Graph&, const Tensor&>(&poputil::mapTensorLinearly),
        py::arg("graph"), py::arg("t"),
        "Maps the elements to the tiles evenly and in order, from tile 0 on: at least 128\n"
        "bytes on each tile but the last one used, and whole vectors of the target.");
  m.def("mapTensorLinearly",
        py::overload_cast<Graph&, const Tensor&, unsigned, unsigned>(&poputil::mapTensorLinearly),
        py::arg("graph"), py::arg("t"), py::arg("minElementsPerTile"), py::arg("grainSize"),
        "The same with at least `minElementsPerTile` elements on each tile but the last one\n"
        "used, and groups of `grainSize` elements kept on one tile.\n"
        "Raises poplibs_exception for a grain size of 0.");
  m.def("mapTensorLinearlyWithOffset",
        py::overload_cast<Graph&, const Tensor&, unsigned, bool>(
            &poputil::mapTensorLinearlyWithOffset),
        py::arg("graph"), py::arg("t"), offset, ascending,
        "The same as mapTensorLinearly() from tile `offset` on, and after the last tile from\n"
        "tile 0 on. If not `ascendingOrder`, tiles are counted downwards from the last one.");
  m.def("mapTensorLinearlyWithOffset",
        py::overload_cast<Graph&, const Tensor&, unsigned, unsigned, unsigned, bool>(
            &poputil::mapTensorLinearlyWithOffset),
        py::arg("graph"), py::arg("t"), py::arg("minElementsPerTile"), py::arg("grainSize"),
        py::arg("offset"), ascending,
        "The same with at least `minElementsPerTile` elements on each tile but the last one\n"
        "used, and groups of `grainSize` elements kept on one tile.\n"
        "Raises poplibs_exception for a grain size of 0.");
  m.def(
      "calcLinearTileMapping",
      [](const Graph& graph, const Tensor& t, unsigned from, bool up) {
        return toPairs(poputil::calcLinearTileMapping(graph, t, from, up));
      },
      py::arg("graph"), py::arg("t"), offset, ascending,
      "The mapping that mapTensorLinearlyWithOffset() sets: for each tile a list of\n"
      "intervals (begin, end) of the flattened tensor.");
  m.def(
      "calcLinearTileMapping",
      [](const Graph& graph, const std::vector<std::size_t>& shape, unsigned minimum,
         unsigned grain, unsigned from, bool up) {
        return toPairs(poputil::calcLinearTileMapping(graph, shape, minimum, grain, from, up));
      },
      py::arg("graph"), py::arg("shape"), py::arg("minElementsPerTile"), py::arg("grainSize"),
      offset, ascending,
      "The same for a shape, with at least `minElementsPerTile` elements on each tile but\n"
      "the last one used, and groups of `grainSize` elements kept on one tile.\n"
      "Raises poplibs_exception for a grain size of 0.");
  m.def(
      "calcLinearTileMappingAndNewOffset",
      [](const Graph& graph, const Tensor& t, unsigned from) {
        const auto result = poputil::calcLinearTileMappingAndNewOffset(graph, t, from);
        return std::make_pair(toPairs(result.first), result.second);
      },
      py::arg("graph"), py::arg("t"), offset,
      "(mapping, next offset): the mapping of calcLinearTileMapping(), and the tile after\n"
      "the last one used, from which the next tensor may go on.");
  m.def("getTileImbalance",
        py::overload_cast<const Graph&, const Tensor&, unsigned, unsigned>(
            &poputil::getTileImbalance),
        py::arg("graph"), py::arg("t"), py::arg("minElementsPerTile") = 0, py::arg("grainSize") = 1,
        "The number of elements on the fullest tile in excess of an even mapping.\n"
        "Raises poplibs_exception for a grain size of 0, poplar_invalid_tile_mapping for\n"
        "an element without a tile.");
  m.def("dimIsSplitOverIPUs", &poputil::dimIsSplitOverIPUs, py::arg("graph"), py::arg("t"),
        py::arg("dimension"),
        "Whether elements that differ in this dimension only are on different IPUs.\n"
        "Raises poplibs_exception for a dimension that does not exist.");
  m.def("cloneToIpu", &poputil::cloneToIpu, py::arg("graph"), py::arg("t"), py::arg("dstIPU"),
        debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "A clone on another IPU: a new variable, each element on the tile of the same number\n"
        "within the IPU. Values are not copied; `method` is that of duplicate().\n"
        "Raises poplibs_exception if the graph has no such IPU.");
  m.def("copyToIpu", &poputil::copyToIpu, py::arg("graph"), py::arg("t"), py::arg("prog"),
        py::arg("dstIPU"), debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "The same as cloneToIpu(), and appends a copy of the values to `prog`.");
  m.def("createBroadcastOperand", &poputil::createBroadcastOperand, py::arg("graph"),
        py::arg("fullTensor"), py::arg("type"), py::arg("dim"), py::arg("ditherMapping") = false,
        debugContext(),
        "A new variable of one dimension, with the size of dimension `dim` of `fullTensor`.\n"
        "Element i is on a tile that has elements of `fullTensor` with index i in this\n"
        "dimension. `ditherMapping` has no effect.\n"
        "Raises poplibs_exception for a dimension that does not exist.");
  py::class_<poputil::TensorUseTracker>(
      m, "TensorUseTracker",
      "Records which tiles use which elements, and maps each element to one of its\n"
      "users (PopLibs: poputil/TileMapping.hpp). Elements with several users are\n"
      "shared evenly among these.\n"
      "Raises poplibs_exception for 0 tiles.")
      .def(py::init<unsigned, unsigned, bool>(), py::arg("numTiles"), py::arg("startTile") = 0,
           py::arg("ascendingMappingOrder") = true)
      .def(
          "add",
          py::overload_cast<const Graph&, unsigned, const Tensor&>(&poputil::TensorUseTracker::add),
          py::arg("graph"), py::arg("tile"), py::arg("t"),
          "Records that a tile uses the elements of a tensor.\n"
          "Raises poplibs_exception for a tile beyond those of the tracker.")
      .def(
          "mapTensorsByUse",
          [](poputil::TensorUseTracker& uses, Graph& graph, unsigned grain, unsigned least,
             bool extend) { uses.mapTensorsByUse(graph, grain, least, extend); },
          py::arg("graph"), py::arg("grainSize"), py::arg("minElementsPerTile"),
          py::arg("extendPartialUsage") = false,
          "Maps the recorded elements to tiles that use them, in groups of `grainSize` elements\n"
          "and at least `minElementsPerTile` on a tile. With `extendPartialUsage`, elements of\n"
          "the same variables that no tile uses go to the tile of a neighbour.\n"
          "Raises poplibs_exception for a grain size of 0.");
  m.def("detectInnermostGrouping", &poputil::detectInnermostGrouping, py::arg("graph"),
        py::arg("t"),
        "The largest divisor n of the last dimension such that groups of n of its\n"
        "elements are contiguous in one variable and on one tile; 1 if there is none.\n"
        "Only the first row is looked at.");
  m.def("detectDimGroupings", &poputil::detectDimGroupings, py::arg("graph"), py::arg("t"),
        "The groupings of a tensor, as a list of (dimension, size), innermost first: `size`\n"
        "elements of the first dimension are contiguous, `size` such groups along the second,\n"
        "and so on. Groupings of size 1 are left out.");
  m.def("dimIsSplitOverTiles", &poputil::dimIsSplitOverTiles, py::arg("graph"), py::arg("t"),
        py::arg("dimension"),
        "Whether elements that differ in this dimension only are on different tiles.\n"
        "Raises poplibs_exception for a dimension that does not exist.");
}

void bindUtil(py::module_& m) {
  const auto minimum = py::arg("minElementsPerPartition") = 0;
  const auto maximum = py::arg("maxElementsPerPartition") = UINT_MAX;
  const auto region = py::arg("maxElementsPerRegion") = UINT_MAX;
  m.def(
      "splitRegions",
      [](const Pairs& regions, unsigned grain, unsigned most, unsigned least, unsigned largest,
         unsigned longest) {
        return toPairs(
            poputil::splitRegions(fromPairs(regions), grain, most, least, largest, longest));
      },
      py::arg("regions"), py::arg("grainSize"), py::arg("maxPartitions"), minimum, maximum, region,
      "Splits intervals (begin, end) into at most `maxPartitions` lists of intervals,\n"
      "in order and evenly. Groups of `grainSize` elements stay together; empty\n"
      "partitions are left out.\n"
      "`minElementsPerPartition` makes fewer partitions; `maxElementsPerPartition`\n"
      "makes more, even beyond `maxPartitions`. Intervals longer than\n"
      "`maxElementsPerRegion` are cut.\n"
      "Raises poplibs_exception for an interval that ends before it begins, and if\n"
      "`grainSize` or `maxPartitions` is 0.");
  m.def(
      "splitRegions",
      [](const std::vector<Pairs>& regions, unsigned grain, unsigned most, unsigned least,
         unsigned largest, unsigned longest) {
        std::vector<Intervals> lists;
        for (const Pairs& list : regions) lists.push_back(fromPairs(list));
        std::vector<std::vector<Pairs>> result;
        for (const auto& partition :
             poputil::splitRegions(lists, grain, most, least, largest, longest))
          result.push_back(toPairs(partition));
        return result;
      },
      py::arg("regions"), py::arg("grainSize"), py::arg("maxPartitions"), minimum, maximum, region,
      "The same for lists of intervals, each of which counts as one interval.");
  m.def(
      "splitRegionsBetweenWorkers",
      [](const poplar::Target& target, const Pairs& regions, unsigned grain, unsigned least,
         unsigned largest, unsigned longest) {
        return toPairs(poputil::splitRegionsBetweenWorkers(target, fromPairs(regions), grain, least,
                                                           largest, longest));
      },
      py::arg("target"), py::arg("regions"), py::arg("grainSize"), minimum, maximum, region,
      "The same as splitRegions() with the number of a tile's worker\n"
      "threads as `maxPartitions`.");
  m.def("duplicate", &poputil::duplicate, py::arg("graph"), py::arg("in_"), py::arg("p"),
        debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "A clone of `in_`, to which `p` copies the values. Of a tensor that shows a whole\n"
        "variable with its dimensions in another order, the clone has that order in memory,\n"
        "unless `method` is CREATE_NEW_ORDER.");
  m.def("cloneN", &poputil::cloneN, py::arg("graph"), py::arg("t"), py::arg("N"), debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "`N` clones of a tensor, joined along a new first dimension. Values are not copied;\n"
        "`method` is that of duplicate().\n"
        "Raises poplibs_exception for 0 clones.");
  m.def("balancedPartition", &poputil::balancedPartition, py::arg("rangeUpperBound"),
        py::arg("splitCount"),
        "A list of `splitCount` numbers that differ by at most one and add\n"
        "up to `rangeUpperBound`.\n"
        "Raises poplibs_exception for less than one number, and for a sum below 0.");
  m.def(
      "broadcastToMatch",
      [](Tensor a, const std::vector<std::size_t>& shape) {
        poputil::broadcastToMatch(a, shape);
        return a;
      },
      py::arg("a"), py::arg("shape"),
      "`a` as a view of `shape`, by numpy's rules of broadcasting.\n"
      "Raises poplibs_exception if a size other than 1 differs.");
  m.def(
      "broadcastToMatch",
      [](Tensor a, Tensor b) {
        poputil::broadcastToMatch(a, b);
        return std::make_pair(a, b);
      },
      py::arg("a"), py::arg("b"),
      "Both tensors as views of their common shape, by numpy's rules of broadcasting.\n"
      "Raises poplibs_exception if two sizes differ and neither is 1.");
  m.def("canBroadcastToMatch", &poputil::canBroadcastToMatch, py::arg("a"), py::arg("b"),
        "Whether broadcastToMatch takes both tensors.");
}

}  // namespace

void bindPoputil(py::module_& m) {
  m.doc() = "Tile mappings, partitions of intervals, and broadcasting (PopLibs: poputil).";
  bindMapping(m);
  bindUtil(m);
}

}  // namespace popir
