// Floats of 16 bits, computed in float and rounded once.
#ifndef POPIR_CUDA_SMALL_FLOAT_HPP
#define POPIR_CUDA_SMALL_FLOAT_HPP

#include <cstdint>
#include <cstring>

namespace popir_cuda {

inline std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
inline float of_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

/// The upper half of a float, rounded to nearest even.
inline std::uint16_t to_bfloat16(float x) {
  const std::uint32_t bits = bits_of(x);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline float from_bfloat16(std::uint16_t bits) { return of_bits(std::uint32_t{bits} << 16); }

inline std::uint16_t to_float16(float x) {
  const auto rounded = static_cast<_Float16>(x);
  std::uint16_t bits;
  std::memcpy(&bits, &rounded, sizeof(bits));
  return bits;
}
inline float from_float16(std::uint16_t bits) {
  _Float16 x;
  std::memcpy(&x, &bits, sizeof(x));
  return static_cast<float>(x);
}

}  // namespace popir_cuda

// The type `name`, its pair `pair`, and the functions of CUDA that convert it and compute with it.
// CUDA calls them by `half` or `bfloat16` in names such as __float2half.
#define POPIR_CUDA_SMALL_FLOAT(name, pair, word, to, from)                     \
  struct name {                                                                \
    std::uint16_t bits;                                                        \
    name() = default;                                                          \
    name(float x) : bits(popir_cuda::to(x)) {}                                 \
    name(double x) : name(static_cast<float>(x)) {}                            \
    name(int x) : name(static_cast<float>(x)) {}                               \
    operator float() const { return popir_cuda::from(bits); }                  \
    name& operator+=(name o) { return *this = name(float(*this) + float(o)); } \
    name& operator-=(name o) { return *this = name(float(*this) - float(o)); } \
    name& operator*=(name o) { return *this = name(float(*this) * float(o)); } \
    name& operator/=(name o) { return *this = name(float(*this) / float(o)); } \
  };                                                                           \
  struct alignas(4) pair {                                                     \
    name x, y;                                                                 \
  };                                                                           \
  inline name operator+(name a, name b) { return a += b; }                     \
  inline name operator-(name a, name b) { return a -= b; }                     \
  inline name operator*(name a, name b) { return a *= b; }                     \
  inline name operator/(name a, name b) { return a /= b; }                     \
  inline name operator-(name a) { return name(-float(a)); }                    \
  inline float __##word##2float(name x) { return x; }                          \
  inline name __float2##word(float x) { return x; }                            \
  inline name __float2##word##_rn(float x) { return x; }                       \
  inline name __double2##word(double x) { return x; }                          \
  inline name __hadd(name a, name b) { return a + b; }                         \
  inline name __hsub(name a, name b) { return a - b; }                         \
  inline name __hmul(name a, name b) { return a * b; }                         \
  inline name __hdiv(name a, name b) { return a / b; }                         \
  inline name __hneg(name a) { return -a; }

#endif  // POPIR_CUDA_SMALL_FLOAT_HPP
