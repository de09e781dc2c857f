#include <popops/ExprOpUtils.hpp>

#include <ostream>

namespace popops {
namespace expr {
namespace ostream_ext {

#define POPIR_NAMED(NODE, OP, FUNCTION) \
  case Type::OP: return os << #OP;

std::ostream& operator<<(std::ostream& os, const UnaryOpType& op) {
  using Type = UnaryOpType;
  switch (op) { POPOPS_EXPR_UNARY_OPS(POPIR_NAMED) }
  return os << "OpType(" << static_cast<int>(op) << ")";
}

std::ostream& operator<<(std::ostream& os, const BinaryOpType& op) {
  using Type = BinaryOpType;
  switch (op) { POPOPS_EXPR_BINARY_OPS(POPIR_NAMED) }
  return os << "OpType(" << static_cast<int>(op) << ")";
}

std::ostream& operator<<(std::ostream& os, const TernaryOpType& op) {
  using Type = TernaryOpType;
  switch (op) { POPOPS_EXPR_TERNARY_OPS(POPIR_NAMED) }
  return os << "OpType(" << static_cast<int>(op) << ")";
}

#undef POPIR_NAMED

}  // namespace ostream_ext
}  // namespace expr
}  // namespace popops
