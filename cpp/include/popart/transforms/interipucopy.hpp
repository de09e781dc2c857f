// Copies between IPUs. After popart/transforms/interipucopy.hpp of PopART 3.
#ifndef popart_transforms_interipucopy_hpp
#define popart_transforms_interipucopy_hpp

#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Gives operators copies of what they read from another IPU: an IpuCopyOp for each tensor and IPU,
/// with the pipeline stage and phase of what computes the tensor. What no operator computes is on
/// the IPU of its first reader. For graphs that a program makes: the compiler adds copies itself.
class InterIpuCopy : public Transform {
 public:
  ~InterIpuCopy() override;

  static std::size_t id();
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "InterIpuCopy"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
