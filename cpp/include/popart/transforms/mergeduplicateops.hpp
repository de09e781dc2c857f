// Operators that compute the same. After popart/transforms/mergeduplicateops.hpp of PopART 3.
#ifndef popart_transforms_mergeduplicateops_hpp
#define popart_transforms_mergeduplicateops_hpp

#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Of operators with the same inputs, attributes and place the first one stays; what reads the others
/// reads its outputs. Operators that draw random numbers, have side effects, call graphs or overwrite
/// something stay, and so do those whose outputs the host or a caller gets, or something overwrites.
class MergeDuplicateOps : public Transform {
 public:
  static std::size_t id();

  MergeDuplicateOps() = default;
  ~MergeDuplicateOps() override;

  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "MergeDuplicateOps"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
