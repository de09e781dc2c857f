// Tables of estimators of vertices. After poputil/cyclesTables.hpp of PopLibs 3.
//
//   VertexPerfEstimate MAKE_PERF_ESTIMATOR_NAME(Norm)(const VertexIntrospector& vertex,
//                                                     const Target& target, const Type& type) {...}
//   registerPerfFunctions(graph, {CYCLE_ESTIMATOR_ENTRY(mine, Norm, FLOAT)});
#ifndef poputil_cyclesTables_hpp
#define poputil_cyclesTables_hpp

#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Target.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

/// The name of a codelet's estimator, and its row in a table: for a codelet of a namespace, without
/// and with template arguments, which the estimator also gets.
#define MAKE_PERF_ESTIMATOR_NAME(CODELET) getPerfEstimateFor##CODELET
#define CYCLE_ESTIMATOR_ENTRY_NOPARAMS(NS, CODELET) \
  poputil::internal::makePerfEstimatorEntry(#NS "::" #CODELET, MAKE_PERF_ESTIMATOR_NAME(CODELET))
#define CYCLE_ESTIMATOR_ENTRY(NS, CODELET, ...)                                                   \
  poputil::internal::makePerfEstimatorEntry(#NS "::" #CODELET, MAKE_PERF_ESTIMATOR_NAME(CODELET), \
                                            __VA_ARGS__)

// Variables in an estimator of the fields of its vertex that have their names: what a field is, and
// its value or values.
#define CODELET_FIELD(FIELD) const auto FIELD = vertex.getFieldInfo(#FIELD)
#define CODELET_SCALAR_VAL(FIELD, TYPE) \
  const auto FIELD = vertex.getFieldInfo(#FIELD).getInitialValue<TYPE>(target);
#define CODELET_VECTOR_VALS(FIELD, TYPE) \
  const auto FIELD = vertex.getFieldInfo(#FIELD).getInitialValues<TYPE>(target);
#define CODELET_VECTOR_2D_VALS(FIELD, TYPE) \
  const auto FIELD = vertex.getFieldInfo(#FIELD).getInitialValues<std::vector<TYPE>>(target);

namespace poputil {
namespace internal {

using PerfEstimatorTable = std::vector<std::pair<std::string, poplar::PerfEstimateFunc>>;

template <typename F, typename... Args>
std::pair<std::string, poplar::PerfEstimateFunc> makePerfEstimatorEntry(const std::string& codelet,
                                                                        F estimator, Args... args) {
  return {templateVertex(codelet, args...),
          std::bind(estimator, std::placeholders::_1, std::placeholders::_2, args...)};
}

inline void registerPerfFunctions(poplar::Graph& graph, const PerfEstimatorTable& table) {
  for (const auto& row : table) graph.registerPerfEstimator(row.first, row.second);
}

}  // namespace internal
}  // namespace poputil

#endif
