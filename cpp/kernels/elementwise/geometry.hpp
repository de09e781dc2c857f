// The iteration space of an element-wise program: axes, boxes and the Reach of each operand.
#ifndef popir_kernels_elementwise_geometry_hpp
#define popir_kernels_elementwise_geometry_hpp

#include <cstdint>
#include <vector>

#include "kernels/elementwise/plan.hpp"

namespace popir {

/// Sets the axes (except their boxes), the number of elements and the operands' strides. The axes
/// are ordered by the strides of operand `first`.
void setAxes(MapPlan& plan, const std::vector<Layout>& layouts, std::size_t first);

/// Sets the boxes, of about `target` elements each, and the Reach of each operand.
void setBoxes(MapPlan& plan, std::int64_t target);

}  // namespace popir

#endif
