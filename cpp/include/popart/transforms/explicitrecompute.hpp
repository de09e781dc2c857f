// Recomputation as operators of the graph. After popart/transforms/explicitrecompute.hpp of PopART 3.
#ifndef popart_transforms_explicitrecompute_hpp
#define popart_transforms_explicitrecompute_hpp

#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Gives the backward pass copies of the operators whose settings ask for recomputation
/// (RecomputeType::Recompute), by what Ir::updateVertices() has found; in a pipeline one copy for
/// each stage on the same IPU, of execution phases one in the phase that goes back. The copies are
/// Recomputed, the operators Checkpoint. What a copy reads is as it was for its operator: an update
/// in between waits for the copy, or leaves it an Identity of the value. The compiler recomputes by
/// itself.
class ExplicitRecompute : public Transform {
 public:
  ~ExplicitRecompute() override;

  static std::size_t id();
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "ExplicitRecompute"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
