// Marks of the automatic loss scaling. After popart/transforms/preautomaticlossscaling.hpp of
// PopART 3.
#ifndef popart_transforms_preautomaticlossscaling_hpp
#define popart_transforms_preautomaticlossscaling_hpp

#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Puts an AutoLossScaleProxyOp behind each tensor that the options of the Ir track
/// (`automaticLossScalingSettings.toTrackTensors`): its readers read the operator's output. For
/// graphs that a program makes; the compiler scales losses without marks.
class PreAutomaticLossScale : public Transform {
 public:
  static std::size_t id();

  PreAutomaticLossScale() = default;
  ~PreAutomaticLossScale() override;
  /// Returns whether the options track tensors.
  /// \throws error if they track none of a list that is set, or tensors that are not there; the graph
  /// is then as it was
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "PreAutomaticLossScale"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
