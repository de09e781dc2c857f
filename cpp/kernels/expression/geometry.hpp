// How an element-wise program walks its operands: axes, boxes, and each operand's reach.
#ifndef popir_kernels_expression_geometry_hpp
#define popir_kernels_expression_geometry_hpp

#include <cstdint>
#include <vector>

#include "kernels/expression/plan.hpp"

namespace popir {

/// Sets axes (without boxes), elements and the operands' strides. `first` is the operand by whose
/// strides the axes are put in order.
void setAxes(MapPlan& plan, const std::vector<Layout>& layouts, std::size_t first);

/// Sets the boxes, of about `target` elements, and each operand's reach.
void setBoxes(MapPlan& plan, std::int64_t target);

}  // namespace popir

#endif
