// Planning ahead. After poplin/ConvPreplan.hpp of PopLibs 3.
#ifndef poplin_ConvPreplan_hpp
#define poplin_ConvPreplan_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <set>
#include <tuple>

#pragma GCC visibility push(default)
namespace poplin {

/// Checks the options; plans are made when a contraction is added.
/// \throws poplar::invalid_option for unknown options
void preplan(const std::set<ConvPlanParams>& convs, const std::set<MatMulPlanParams>& matmuls,
             PlanningCache& cache);

}  // namespace poplin
#pragma GCC visibility pop

#endif
