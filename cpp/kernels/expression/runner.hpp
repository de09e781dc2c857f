// Runs a planned element-wise program.
#ifndef popir_kernels_expression_runner_hpp
#define popir_kernels_expression_runner_hpp

#include <memory>

#include "kernels/expression/plan.hpp"
#include "kernels/kernel.hpp"

namespace popir {

std::unique_ptr<Runner> makeMapRunner(MapPlan plan);

}  // namespace popir

#endif
