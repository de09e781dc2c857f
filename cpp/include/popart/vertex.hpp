// Where an operator stands with respect to the loss. After popart/vertex.hpp of PopART 3.
#ifndef popart_vertex_hpp
#define popart_vertex_hpp

#include <ostream>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

enum class PathToLoss { Yes, No, Undefined };
enum class PathFromLoss { Yes, No, Undefined };
enum class ScheduledPreLoss { Yes, No, Undefined };

std::ostream& operator<<(std::ostream& os, const PathToLoss& path);
std::ostream& operator<<(std::ostream& os, const PathFromLoss& path);
std::ostream& operator<<(std::ostream& os, const ScheduledPreLoss& scheduled);

/// Undefined until Ir::updateVertices() has looked. A copy is Undefined again.
class Vertex {
 public:
  Vertex() = default;
  Vertex(const Vertex&) : Vertex() {}
  Vertex& operator=(const Vertex&) = delete;
  virtual ~Vertex();

  /// Yes where the loss depends on it.
  PathToLoss toLoss = PathToLoss::Undefined;
  /// Yes where it depends on the gradient of the loss.
  PathFromLoss fromLoss = PathFromLoss::Undefined;
  /// Yes for what runs before the first operator with fromLoss.
  ScheduledPreLoss scheduledPreLoss = ScheduledPreLoss::Undefined;

  virtual std::string str() const = 0;
  /// The three, for log messages.
  std::string wrtLossStr() const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
