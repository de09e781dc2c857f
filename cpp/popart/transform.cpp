#include <popart/transforms/transform.hpp>

#include <map>
#include <memory>

namespace popart {
namespace {

std::map<std::size_t, std::unique_ptr<Transform>>& transforms() {
  static std::map<std::size_t, std::unique_ptr<Transform>> registered;
  return registered;
}

}  // namespace

Transform::~Transform() = default;

bool Transform::registerTransform(Transform* transform) {
  std::unique_ptr<Transform> owned(transform);
  const std::size_t id = owned->getId();
  transforms().emplace(id, std::move(owned));
  return true;
}

bool Transform::applyTransform(std::size_t transformId, Graph& graph) {
  const auto found = transforms().find(transformId);
  if (found == transforms().end())
    throw error("No transform of id {} is registered; there are {}", transformId,
                transforms().size());
  return found->second->apply(graph);
}

std::size_t Transform::getIdFromName(const std::string& name) {
  for (const auto& transform : transforms())
    if (transform.second->getName() == name) return transform.first;
  throw error("No transform '{}' is registered", name);
}

}  // namespace popart
