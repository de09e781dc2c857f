// Copies from and to the host that overlap with computing. After popart/transforms/overlapio.hpp of
// PopART 3.
#ifndef popart_transforms_overlapio_hpp
#define popart_transforms_overlapio_hpp

#include <popart/names.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

class Ir;

/// PopART takes iterations out of the loops of a step, so that copies of the next one can run beside
/// what computes. popir overlaps them by the settings of streams and anchors, with the loops as they
/// are.
class OverlapIO : public Transform {
 public:
  static std::size_t id();

  OverlapIO() = default;
  ~OverlapIO() override;
  /// \throws error where iterations would be taken out: if copies on IO tiles overlap, and there are
  /// loops of the step (MainLoops). Else it changes nothing.
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "OverlapIO"; }

  /// The strategies of the streams and anchors that HostLoadOps and HostStoreOps on IO tiles copy,
  /// and the stages of a pipeline that these are in.
  static std::map<ExchangeStrategy, std::set<PipelineStage>> overlapIORequired(Ir& ir);
};

}  // namespace popart

#pragma GCC visibility pop

#endif
