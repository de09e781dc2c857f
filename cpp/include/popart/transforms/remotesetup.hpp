// What the remote buffers of a graph hold. After popart/transforms/remotesetup.hpp of PopART 3.
#ifndef popart_transforms_remotesetup_hpp
#define popart_transforms_remotesetup_hpp

#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Tells the Ir the type and shape of the rows of each remote buffer that exchanges of the graph
/// name, and how many rows there are: as many as the Ir was told, at least one, and one more than
/// the greatest constant that is given as the number of a row. For graphs that a program makes; it
/// chooses no buffers for `RemoteArg` tensors, which the compiler has none of.
class RemoteSetup : public Transform {
 public:
  static std::size_t id();

  RemoteSetup() = default;
  ~RemoteSetup() override;
  /// \throws error for an exchange that names no buffer, and for rows of two types or shapes
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "RemoteSetup"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
