#include <popart/vertex.hpp>

#include <sstream>

namespace popart {
namespace {

template <class Answer>
const char* text(Answer answer) {
  return answer == Answer::Yes ? "Yes" : answer == Answer::No ? "No" : "Undefined";
}

}  // namespace

Vertex::~Vertex() = default;

std::ostream& operator<<(std::ostream& os, const PathToLoss& path) { return os << text(path); }
std::ostream& operator<<(std::ostream& os, const PathFromLoss& path) { return os << text(path); }
std::ostream& operator<<(std::ostream& os, const ScheduledPreLoss& scheduled) {
  return os << text(scheduled);
}

std::string Vertex::wrtLossStr() const {
  std::ostringstream os;
  os << "toLoss:" << toLoss << " fromLoss:" << fromLoss << " scheduledPreLoss:" << scheduledPreLoss;
  return os.str();
}

}  // namespace popart
