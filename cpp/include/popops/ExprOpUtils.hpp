// The operators of expressions as text. After popops/ExprOpUtils.hpp of PopLibs 3.
#ifndef popops_ExprOpUtils_hpp
#define popops_ExprOpUtils_hpp

#include <iosfwd>
#include <popops/ExprOp.hpp>

#pragma GCC visibility push(default)

namespace popops {
namespace expr {
namespace ostream_ext {

// "ABSOLUTE" and so on. A number that no operator has is "OpType(1000)".
std::ostream& operator<<(std::ostream& os, const UnaryOpType& op);
std::ostream& operator<<(std::ostream& os, const BinaryOpType& op);
std::ostream& operator<<(std::ostream& os, const TernaryOpType& op);

}  // namespace ostream_ext
}  // namespace expr
}  // namespace popops

#pragma GCC visibility pop

#endif
