// How accurate products of floats have to be.
#ifndef popir_kernels_fp_math_hpp
#define popir_kernels_fp_math_hpp

#include <optional>
#include <string>

namespace popir {

/// The least accuracy of a float32 product, by the names of PyTorch's float32 matmul precision. A
/// machine without matrix units for bfloat16 computes in float32 whatever this is.
enum class FpMath {
  Highest,  ///< float32's: relative errors of some 1e-7
  High,     ///< factors of 16 bits, as sums of two bfloat16: some 5e-6
  Medium,   ///< factors rounded to bfloat16, sums in float32: some 3e-3
};

/// The accuracy of that name: "highest", "high" or "medium". Nothing for other names.
inline std::optional<FpMath> fpMathOf(const std::string& name) {
  if (name == "highest") return FpMath::Highest;
  if (name == "high") return FpMath::High;
  if (name == "medium") return FpMath::Medium;
  return std::nullopt;
}

}  // namespace popir

#endif
