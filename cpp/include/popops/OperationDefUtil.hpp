// The operations of reductions as text. After popops/OperationDefUtil.hpp of PopLibs 3.
#ifndef popops_OperationDefUtil_hpp
#define popops_OperationDefUtil_hpp

#include <popops/Operation.hpp>
#include <poputil/VertexTemplates.hpp>

#include <sstream>
#include <string>

namespace poputil {

/// For messages: "Add", "Logical And".
inline const char* asString(const popops::Operation& op) {
  static const char* const names[] = {"Add",         "Mul",        "Min",        "Max",
                                      "Logical And", "Logical Or", "Square Add", "Log Add"};
  return names[static_cast<int>(op)];
}

/// An operation as an argument of a vertex: "popops::Operation::ADD".
template <>
struct VertexTemplateToString<popops::Operation> {
  static std::string to_string(const popops::Operation& op) {
    std::ostringstream text;
    text << "popops::Operation::" << op;
    return text.str();
  }
};

}  // namespace poputil

#endif
