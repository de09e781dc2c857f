// Walks over graphs. After popart/graphutils.hpp of PopART 3.
#ifndef popart_graphutils_hpp
#define popart_graphutils_hpp

#include <popart/graph.hpp>
#include <popart/patterns/patterns.hpp>

#include <functional>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace graphutils {

enum class TraversalType { DepthFirst = 0, BreadthFirst };
/// Whether a tensor is visited before or after those that follow it, depth first.
enum class VisitType { Pre = 0, Post };
/// Forward: from a tensor to the outputs of its consumers. Backward: to the inputs of its producer.
/// The other two go both ways, and differ in which they go first.
enum class TraversalDirection { ForwardBackward = 0, BackwardForward, Forward, Backward };

/// Visits tensors, each once, from `tensors` on. What follows a tensor is visited if `visitor` is
/// true for it, and `filter` for the operator in between, the tensor and the one that follows. With
/// VisitType::Post it is always gone on.
void traverse(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor,
              std::function<bool(Op*, Tensor*, Tensor*)> filter, TraversalType traversalType,
              VisitType visitType, TraversalDirection traversalDirection);
/// Forward, with all operators.
void traverseBreadthFirst(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor);
void traverseDepthFirst(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor);

/// The tensors without a producer from which `tensor` comes.
std::vector<Tensor*> rootTensors(Tensor* tensor);

}  // namespace graphutils
}  // namespace popart

#pragma GCC visibility pop

#endif
