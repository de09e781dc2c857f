// Helpers for Kernel::check(). Each requires a condition and else throws std::invalid_argument.
#ifndef popir_kernels_check_hpp
#define popir_kernels_check_hpp

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

/// \throws std::invalid_argument(what) unless `fits`.
void require(bool fits, const char* what);
/// Requires exactly `n` operands.
void requireOperands(const std::vector<OperandInfo>& operands, std::size_t n);
/// Requires that the operand has this access, element type and shape.
void requireOperand(const OperandInfo& operand, Access access, poplar::Type type,
                    const std::vector<std::int64_t>& shape);
std::int64_t elementsOf(const OperandInfo& operand);

}  // namespace popir

#endif
