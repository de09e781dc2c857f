// Base class of whole-graph transforms. After popart/transforms/transform.hpp of PopART 3.
#ifndef popart_transforms_transform_hpp
#define popart_transforms_transform_hpp

#include <popart/graph.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// A named transform of a graph. It does not run by itself: a pattern or another transform of the
/// library calls applyTransform().
class Transform {
 public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform();

  /// Transforms the graph. Returns true if it changed.
  virtual bool apply(Graph& graph) const = 0;
  /// A unique id. By convention typeid(class).hash_code(), which the class also returns from static
  /// id().
  virtual std::size_t getId() const = 0;
  virtual std::string getName() const = 0;

  /// Registers a transform and takes ownership. An earlier one with the same id stays. Returns
  /// true.
  static bool registerTransform(Transform* transform);
  /// Runs a transform. Returns true if the graph changed.
  /// \throws error for an unknown id
  static bool applyTransform(std::size_t transformId, Graph& graph);
  /// \throws error for an unknown name
  static std::size_t getIdFromName(const std::string& name);
};

}  // namespace popart

#pragma GCC visibility pop

#endif
