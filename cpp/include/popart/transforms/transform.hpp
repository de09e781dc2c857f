// popart/transforms/transform.hpp: changes of a whole graph.
#ifndef popart_transforms_transform_hpp
#define popart_transforms_transform_hpp

#include <popart/graph.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// A change of a graph that has a name. Nothing runs it by itself: a pattern or another transform
/// of the library does, by applyTransform.
class Transform {
 public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform();

  /// Returns whether the graph changed.
  virtual bool apply(Graph& graph) const = 0;
  /// By convention typeid(class).hash_code(), which the class also gives as a static id().
  virtual std::size_t getId() const = 0;
  virtual std::string getName() const = 0;

  /// Takes the transform; one of that id that is there already stays. Returns true.
  static bool registerTransform(Transform* transform);
  /// \throws error if there is none of that id.
  static bool applyTransform(std::size_t transformId, Graph& graph);
  /// \throws error if there is none of that name.
  static std::size_t getIdFromName(const std::string& name);
};

}  // namespace popart

#pragma GCC visibility pop

#endif
