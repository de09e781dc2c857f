// What `clone` of an operator's class returns.
#ifndef popir_popart_op_copy_of_hpp
#define popir_popart_op_copy_of_hpp

#include <popart/op.hpp>

#include <memory>

namespace popart {

template <class OP>
std::unique_ptr<Op> copyOf(const OP& op) {
  return std::unique_ptr<Op>(new OP(op));
}

}  // namespace popart

#endif
