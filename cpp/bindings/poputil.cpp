// popir.poputil: tile mappings, intervals, broadcasting.
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
        "Puts elements on tiles in order and evenly, at least 128 bytes on a tile.");
  m.def("mapTensorLinearly",
        py::overload_cast<Graph&, const Tensor&, unsigned, unsigned>(&poputil::mapTensorLinearly),
        py::arg("graph"), py::arg("t"), py::arg("minElementsPerTile"), py::arg("grainSize"),
        "The same with at least `minElementsPerTile` elements on a tile, and whole "
        "grains.");
  m.def("mapTensorLinearlyWithOffset",
        py::overload_cast<Graph&, const Tensor&, unsigned, bool>(
            &poputil::mapTensorLinearlyWithOffset),
        py::arg("graph"), py::arg("t"), offset, ascending,
        "The same from tile `offset` on, and around; or downwards from the last but "
        "`offset`.");
  m.def("mapTensorLinearlyWithOffset",
        py::overload_cast<Graph&, const Tensor&, unsigned, unsigned, unsigned, bool>(
            &poputil::mapTensorLinearlyWithOffset),
        py::arg("graph"), py::arg("t"), py::arg("minElementsPerTile"), py::arg("grainSize"),
        py::arg("offset"), ascending,
        "The same with at least `minElementsPerTile` elements on a tile, and whole "
        "grains.");
  m.def(
      "calcLinearTileMapping",
      [](const Graph& graph, const Tensor& t, unsigned from, bool up) {
        return toPairs(poputil::calcLinearTileMapping(graph, t, from, up));
      },
      py::arg("graph"), py::arg("t"), offset, ascending,
      "The mapping that mapTensorLinearly sets: for each tile the (begin, end) of the "
      "flattened tensor that it gets.");
  m.def(
      "calcLinearTileMapping",
      [](const Graph& graph, const std::vector<std::size_t>& shape, unsigned minimum,
         unsigned grain, unsigned from, bool up) {
        return toPairs(poputil::calcLinearTileMapping(graph, shape, minimum, grain, from, up));
      },
      py::arg("graph"), py::arg("shape"), py::arg("minElementsPerTile"), py::arg("grainSize"),
      offset, ascending,
      "The same of a shape, with at least `minElementsPerTile` elements on a tile, and "
      "whole grains.");
  m.def(
      "calcLinearTileMappingAndNewOffset",
      [](const Graph& graph, const Tensor& t, unsigned from) {
        const auto result = poputil::calcLinearTileMappingAndNewOffset(graph, t, from);
        return std::make_pair(toPairs(result.first), result.second);
      },
      py::arg("graph"), py::arg("t"), offset,
      "The mapping, and the tile after the last one used, from which the next tensor "
      "may go on.");
  m.def("getTileImbalance",
        py::overload_cast<const Graph&, const Tensor&, unsigned, unsigned>(
            &poputil::getTileImbalance),
        py::arg("graph"), py::arg("t"), py::arg("minElementsPerTile") = 0, py::arg("grainSize") = 1,
        "How many elements the fullest tile has beyond what an even mapping would put "
        "there.");
  m.def("dimIsSplitOverIPUs", &poputil::dimIsSplitOverIPUs, py::arg("graph"), py::arg("t"),
        py::arg("dimension"),
        "Whether elements that differ in this dimension alone lie on different IPUs.");
  m.def("cloneToIpu", &poputil::cloneToIpu, py::arg("graph"), py::arg("t"), py::arg("dstIPU"),
        debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "A clone on another IPU, on the tiles of the same numbers there. Raises "
        "poplibs_exception if the graph has no such IPU.");
  m.def("copyToIpu", &poputil::copyToIpu, py::arg("graph"), py::arg("t"), py::arg("prog"),
        py::arg("dstIPU"), debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "cloneToIpu, and a copy of the values there at the end of `prog`.");
  m.def("createBroadcastOperand", &poputil::createBroadcastOperand, py::arg("graph"),
        py::arg("fullTensor"), py::arg("type"), py::arg("dim"), py::arg("ditherMapping") = false,
        debugContext(),
        "A new tensor of one dimension, as long as dimension `dim` of `fullTensor`. Each "
        "element is on a tile that holds elements of `fullTensor` of that index.");
  py::class_<poputil::TensorUseTracker>(m, "TensorUseTracker",
                                        "Maps elements to the tiles that use them.")
      .def(py::init<unsigned, unsigned, bool>(), py::arg("numTiles"), py::arg("startTile") = 0,
           py::arg("ascendingMappingOrder") = true)
      .def(
          "add",
          py::overload_cast<const Graph&, unsigned, const Tensor&>(&poputil::TensorUseTracker::add),
          py::arg("graph"), py::arg("tile"), py::arg("t"),
          "Says that a tile uses the elements of a tensor.")
      .def(
          "mapTensorsByUse",
          [](poputil::TensorUseTracker& uses, Graph& graph, unsigned grain, unsigned least,
             bool extend) { uses.mapTensorsByUse(graph, grain, least, extend); },
          py::arg("graph"), py::arg("grainSize"), py::arg("minElementsPerTile"),
          py::arg("extendPartialUsage") = false,
          "Puts each variable's elements on tiles that use them: whole grains, at least "
          "`minElementsPerTile`. With `extendPartialUsage`, elements that no tile uses go "
          "where their neighbours are.");
  m.def("detectInnermostGrouping", &poputil::detectInnermostGrouping, py::arg("graph"),
        py::arg("t"), "How many elements along the last dimension lie side by side on one tile.");
  m.def("detectDimGroupings", &poputil::detectDimGroupings, py::arg("graph"), py::arg("t"),
        "Pairs of a dimension and how many of its elements lie side by side, innermost first.");
  m.def("dimIsSplitOverTiles", &poputil::dimIsSplitOverTiles, py::arg("graph"), py::arg("t"),
        py::arg("dimension"),
        "Whether elements that differ in this dimension alone lie on different tiles.");
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
      "Intervals (begin, end) shared evenly over at most `maxPartitions` partitions, "
      "in whole grains.");
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
      "The same for lists of intervals, each of which counts as one stretch of "
      "elements.");
  m.def(
      "splitRegionsBetweenWorkers",
      [](const poplar::Target& target, const Pairs& regions, unsigned grain, unsigned least,
         unsigned largest, unsigned longest) {
        return toPairs(poputil::splitRegionsBetweenWorkers(target, fromPairs(regions), grain, least,
                                                           largest, longest));
      },
      py::arg("target"), py::arg("regions"), py::arg("grainSize"), minimum, maximum, region,
      "The same with as many partitions as a tile has worker contexts.");
  m.def("duplicate", &poputil::duplicate, py::arg("graph"), py::arg("in_"), py::arg("p"),
        debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "A new variable with a copy of the values.");
  m.def("cloneN", &poputil::cloneN, py::arg("graph"), py::arg("t"), py::arg("N"), debugContext(),
        py::arg("method") = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        "`N` new variables like a tensor, along a new first dimension.");
  m.def("balancedPartition", &poputil::balancedPartition, py::arg("rangeUpperBound"),
        py::arg("splitCount"),
        "`rangeUpperBound` as a sum of `splitCount` numbers that differ by at most one.");
  m.def(
      "broadcastToMatch",
      [](Tensor a, const std::vector<std::size_t>& shape) {
        poputil::broadcastToMatch(a, shape);
        return a;
      },
      py::arg("a"), py::arg("shape"),
      "`a` as a view of `shape`: dimensions of size 1 are repeated. Raises "
      "poplibs_exception where another size differs.");
  m.def(
      "broadcastToMatch",
      [](Tensor a, Tensor b) {
        poputil::broadcastToMatch(a, b);
        return std::make_pair(a, b);
      },
      py::arg("a"), py::arg("b"),
      "Both as views of their common shape. Raises poplibs_exception where two sizes "
      "differ and neither is 1.");
  m.def("canBroadcastToMatch", &poputil::canBroadcastToMatch, py::arg("a"), py::arg("b"),
        "Whether broadcastToMatch takes both tensors.");
}

}  // namespace

void bindPoputil(py::module_& m) {
  m.doc() = "Tile mappings, intervals and broadcasting (PopLibs: poputil).";
  bindMapping(m);
  bindUtil(m);
}

}  // namespace popir
