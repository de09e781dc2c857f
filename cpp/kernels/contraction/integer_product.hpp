// Products of matrices of 8-bit integers minus zero points, with sums of 32 bits that wrap.
#ifndef popir_kernels_contraction_integer_product_hpp
#define popir_kernels_contraction_integer_product_hpp

#include <cstdint>
#include <memory>
#include <optional>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/requantization.hpp"

namespace popir {

/// The zero points of an operand: none, one number, or one for each row of A or column of B of each
/// group.
enum class ZeroPoints : std::uint8_t { None, One, Each };
constexpr ZeroPoints lastOf(ZeroPoints) { return ZeroPoints::Each; }

namespace contraction {

/// C[g] = (A[g] - zero points) (B[g] - zero points), for A [groups, m, k] and B [groups, k, n] of
/// SIGNED_CHAR or UNSIGNED_CHAR, which may lie in any way, and C [groups, m, n] of INT, dense.
struct IntegerProductSpec {
  poplar::Type aType, bType;
  std::int64_t groups, m, n, k;
  MatMulSpec::Strides a, b;
  ZeroPoints aZeros, bZeros;
  /// How the sums become bytes or floats, by columns of C; nothing: C is INT.
  std::optional<Requantization> requantization = {};
};

/// Operands: A, B, C, then the zero points of A and those of B, as far as there are any, then those of
/// the requantization. B is packed.
std::unique_ptr<Contraction> makeIntegerProduct(const IntegerProductSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir

#endif
