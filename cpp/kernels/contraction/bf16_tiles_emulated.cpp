// bf16_tiles.inc with tile instructions that are emulated, to test its loops and their accuracy on
// machines without AMX.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/contraction/bf16_tiles.hpp"

namespace popir {
namespace tiles {
namespace emulated {
namespace {

/// The arithmetic is that of Intel's manual for TDPBF16PS: for each element, one chain of fused
/// multiply-adds over the even k and one over the odd k, each from zero; the sum of both is added to
/// the element. Rounding is to nearest even. Denormal operands and results are zeros; whether a
/// result is denormal is decided after rounding.
struct Tiles {
  class Scope {
   public:
    Scope() = default;
    ~Scope() {}
  };

  template <int T>
  static void zero() {
    std::memset(tile(T), 0, kBytes);
  }
  template <int T>
  static void load(const char* from) {
    std::memcpy(tile(T), from, kBytes);
  }
  template <int T>
  static void store(float* to, std::int64_t rowBytes) {
    for (int r = 0; r < 16; ++r)
      std::memcpy(reinterpret_cast<char*>(to) + r * rowBytes, tile(T) + 16 * r, 64);
  }
  template <int C, int A, int B>
  static void dot() {
    const std::uint32_t *a = tile(A), *b = tile(B);
    std::uint32_t* c = tile(C);
    for (int m = 0; m < 16; ++m)
      for (int n = 0; n < 16; ++n) {
        float even = 0, odd = 0, sum;
        for (int k = 0; k < 16; ++k) {
          const std::uint32_t x = a[16 * m + k], y = b[16 * k + n];
          even = multiplyAdd(number(x << 16), number(y << 16), even);
          odd = multiplyAdd(number(x & 0xffff0000u), number(y & 0xffff0000u), odd);
        }
        std::memcpy(&sum, c + 16 * m + n, sizeof sum);
        sum = flush(flush(sum) + flush(even + odd));
        std::memcpy(c + 16 * m + n, &sum, sizeof sum);
      }
  }

 private:
  static constexpr std::size_t kBytes = 1024;

  static std::uint32_t* tile(int i) {
    static thread_local std::uint32_t tiles[8][256];
    return tiles[i];
  }
  static float flush(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x; }
  static float number(std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return flush(x);
  }
  static float multiplyAdd(float a, float b, float c) {
    const float sum = std::fma(a, b, c);
    if (sum == 0 || !(std::fabs(sum) <= FLT_MIN)) return sum;
    // Rounded with unbounded exponents, in a type where it is normal, then compared.
    constexpr float kUp = 0x1p48f;
    const bool small = std::fabs(a) < std::fabs(b);
    const float up = std::fma(small ? a * kUp : a, small ? b : b * kUp, c * kUp);
    return std::fabs(up) < FLT_MIN * kUp ? std::copysign(0.0f, sum) : up / kUp;
  }
};

#include "kernels/contraction/bf16_tiles.inc"

}  // namespace
}  // namespace emulated

const Loops& emulatedLoops(FpMath math) { return emulated::loopsFor(math); }

}  // namespace tiles
}  // namespace popir
