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

/// Plans matrix products, and convolutions as convolution() adds them, and keeps the plans in the
/// cache: a contraction of these parameters and options that is added with it finds its plan.
/// \throws poplar::invalid_option for unknown options, and what adding the contraction throws
void preplan(const std::set<ConvPlanParams>& convs, const std::set<MatMulPlanParams>& matmuls,
             PlanningCache& cache);

}  // namespace poplin
#pragma GCC visibility pop

#endif
