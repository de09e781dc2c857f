#include "kernels/half.hpp"

#include "kernels/vector/ops.hpp"

namespace popir {
namespace {

void convert(VecFn function, const void* in, void* out, std::int64_t n) {
  const void* sources[] = {in};
  function(out, sources, static_cast<std::size_t>(n));
}

}  // namespace

void toFloats(const half* in, float* out, std::int64_t n) {
  static const VecFn function = vectorConvert(Lane::F16, Lane::F32);
  convert(function, in, out, n);
}
void toFloats(const Bfloat16* in, float* out, std::int64_t n) {
  static const VecFn function = vectorConvert(Lane::BF16, Lane::F32);
  convert(function, in, out, n);
}

void fromFloats(const float* in, half* out, std::int64_t n, const Rounding& rounding,
                std::int64_t first) {
  static const VecFn nearest = vectorConvert(Lane::F32, Lane::F16);
  if (!rounding.isStochastic()) return convert(nearest, in, out, n);
  rounding.store(Lane::F32, Lane::F16, in, out, n, first);
}
void fromFloats(const float* in, Bfloat16* out, std::int64_t n, const Rounding& rounding,
                std::int64_t first) {
  static const VecFn nearest = vectorConvert(Lane::F32, Lane::BF16);
  if (!rounding.isStochastic()) return convert(nearest, in, out, n);
  rounding.store(Lane::F32, Lane::BF16, in, out, n, first);
}

}  // namespace popir
