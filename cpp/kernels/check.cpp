#include "kernels/check.hpp"

#include <stdexcept>

namespace popir {

void require(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

void requireOperands(const std::vector<OperandInfo>& operands, std::size_t n) {
  require(operands.size() == n, "it has another number of operands");
}

void requireOperand(const OperandInfo& operand, Access access, poplar::Type type,
                    const std::vector<std::int64_t>& shape) {
  require(operand.access == access, "an operand is read or written where it must not be");
  require(operand.type == type, "an operand has another element type");
  require(operand.shape == shape, "an operand has another shape");
}

std::int64_t elementsOf(const OperandInfo& operand) {
  std::int64_t n = 1;
  for (const auto d : operand.shape) n *= d;
  return n;
}

}  // namespace popir
