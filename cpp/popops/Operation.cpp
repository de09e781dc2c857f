#include <istream>
#include <iterator>
#include <ostream>
#include <popops/Operation.hpp>
#include <string>

namespace popops {
namespace {

const char* const kNames[] = {"ADD",         "MUL",        "MIN",        "MAX",
                              "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOG_ADD"};

}  // namespace

std::ostream& operator<<(std::ostream& os, const Operation& op) {
  return os << kNames[static_cast<int>(op)];
}

std::istream& operator>>(std::istream& is, Operation& op) {
  std::string name;
  is >> name;
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) {
      op = static_cast<Operation>(i);
      return is;
    }
  is.setstate(std::ios_base::failbit);
  return is;
}

}  // namespace popops
