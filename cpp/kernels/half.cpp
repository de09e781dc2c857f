#include "kernels/half.hpp"

#include "kernels/vector/ops.hpp"

namespace popir {

void halfToFloat(const half* in, float* out, std::int64_t n) {
  static const VecFn convert = vectorConvert(Lane::F16, Lane::F32);
  const void* sources[] = {in};
  convert(out, sources, static_cast<std::size_t>(n));
}

void floatToHalf(const float* in, half* out, std::int64_t n) {
  static const VecFn convert = vectorConvert(Lane::F32, Lane::F16);
  const void* sources[] = {in};
  convert(out, sources, static_cast<std::size_t>(n));
}

}  // namespace popir
