// Runs a planned element-wise program.
#ifndef popir_kernels_elementwise_runner_hpp
#define popir_kernels_elementwise_runner_hpp

#include <memory>

#include "kernels/elementwise/plan.hpp"
#include "kernels/kernel.hpp"

namespace popir {

std::unique_ptr<Runner> makeMapRunner(MapPlan plan);

}  // namespace popir

#endif
