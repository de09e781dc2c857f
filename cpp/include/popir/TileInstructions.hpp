// Instructions of a tile that have a meaning on the host, as functions of scalars and of short
// vectors. ipu_builtins.h, ipu_intrinsics and ipu_vector_math give them the names of the SDK.
// Registers of a worker (random numbers, accumulators, $TAS) belong to a thread of the host here.
// popir's own.
#ifndef popir_TileInstructions_hpp
#define popir_TileInstructions_hpp

#include <popir/ShortVectors.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>

namespace popir {
namespace tile {

/// The type of a lane; a scalar has one lane.
template <class V, bool = std::is_arithmetic<V>::value || std::is_same<V, half>::value>
struct Lanes {
  using Element = typename std::decay<decltype(std::declval<V&>()[0])>::type;
  static constexpr unsigned count = sizeof(V) / sizeof(Element);
  static Element get(const V& v, unsigned i) { return v[i]; }
  static void set(V& v, unsigned i, Element x) { v[i] = x; }
};
template <class V>
struct Lanes<V, true> {
  using Element = V;
  static constexpr unsigned count = 1;
  static Element get(const V& v, unsigned) { return v; }
  static void set(V& v, unsigned, Element x) { v = x; }
};

/// Calls f with the lanes as floats, or as they are if they are integers.
template <class E>
using Wide = typename std::conditional<std::is_same<E, half>::value, float, E>::type;

template <class V, class F>
inline V each(V v, F f) {
  using L = Lanes<V>;
  for (unsigned i = 0; i < L::count; ++i)
    L::set(
        v, i,
        static_cast<typename L::Element>(f(static_cast<Wide<typename L::Element>>(L::get(v, i)))));
  return v;
}
template <class V, class F>
inline V each(V a, V b, F f) {
  using L = Lanes<V>;
  using W = Wide<typename L::Element>;
  for (unsigned i = 0; i < L::count; ++i)
    L::set(a, i,
           static_cast<typename L::Element>(
               f(static_cast<W>(L::get(a, i)), static_cast<W>(L::get(b, i)))));
  return a;
}

/// Bits of a value, changed byte by byte.
template <class V, class W, class F>
inline V bits(const V& a, const W& b, F f) {
  static_assert(sizeof(V) == sizeof(W), "the operands must have as many bits");
  unsigned char x[sizeof(V)], y[sizeof(V)];
  std::memcpy(x, &a, sizeof(V));
  std::memcpy(y, &b, sizeof(V));
  for (unsigned i = 0; i < sizeof(V); ++i) x[i] = static_cast<unsigned char>(f(x[i], y[i]));
  V out;
  std::memcpy(&out, x, sizeof(V));
  return out;
}

/// A comparison: all bits of a lane are set where it holds.
template <class V, class F>
inline V compare(const V& a, const V& b, F f) {
  using L = Lanes<V>;
  using E = typename L::Element;
  V out;
  for (unsigned i = 0; i < L::count; ++i) {
    E lane;
    std::memset(
        &lane, f(static_cast<Wide<E>>(L::get(a, i)), static_cast<Wide<E>>(L::get(b, i))) ? 0xff : 0,
        sizeof lane);
    L::set(out, i, lane);
  }
  return out;
}

// NaN is no operand of a tile's maximum and minimum: the other one is the result.
template <class V>
inline V maximum(const V& a, const V& b) {
  return each(a, b, [](auto x, auto y) { return y != y || x > y ? x : y; });
}
template <class V>
inline V minimum(const V& a, const V& b) {
  return each(a, b, [](auto x, auto y) { return y != y || x < y ? x : y; });
}
template <class V, class Limits>
inline V clamp(const V& v, const Limits& limits) {
  using W = Wide<typename Lanes<V>::Element>;
  const W low = static_cast<W>(limits[0]), high = static_cast<W>(limits[1]);
  return each(v, [=](W x) { return x < low ? low : (x > high ? high : x); });
}

/// Adjacent lanes added: half2 gives a float, half4 a float2.
inline float sum(const half2& v) { return static_cast<float>(v[0]) + static_cast<float>(v[1]); }
inline float2 sum(const half4& v) {
  return float2{static_cast<float>(v[0]) + static_cast<float>(v[1]),
                static_cast<float>(v[2]) + static_cast<float>(v[3])};
}
/// The larger one of adjacent lanes.
inline half maximumOfPairs(const half2& v) { return v[0] > v[1] ? v[0] : v[1]; }
inline half2 maximumOfPairs(const half4& v) {
  return half2{v[0] > v[1] ? v[0] : v[1], v[2] > v[3] ? v[2] : v[3]};
}

/// Registers that belong to one worker.
struct Worker {
  std::mt19937_64 random{0x9e3779b97f4a7c15ull};
  float accumulators[16] = {};
  float tas = 0;
  /// Its tile, by number in the IPU; the engine sets it before it runs a vertex.
  unsigned tile = 0;
};
inline Worker& worker() {
  static thread_local Worker own;
  return own;
}

inline std::uint32_t randomBits() { return static_cast<std::uint32_t>(worker().random() >> 32); }
inline std::uint64_t randomBits64() { return worker().random(); }
/// Uniform in [-0.5, 0.5).
inline float uniform() {
  return static_cast<float>(static_cast<std::int32_t>(randomBits()) >> 8) * (1.0f / 16777216.0f);
}
inline float gaussian() {
  std::normal_distribution<float> normal;
  return normal(worker().random);
}
/// Each lane stays with the probability that the low 17 bits of `probability` say, of 65536.
template <class V>
inline V randomMask(V v, float probability) {
  std::uint32_t keep;
  std::memcpy(&keep, &probability, sizeof keep);
  keep &= 0x1ffff;
  using L = Lanes<V>;
  for (unsigned i = 0; i < L::count; ++i)
    if ((randomBits() & 0xffff) >= keep) L::set(v, i, static_cast<typename L::Element>(0));
  return v;
}

/// The accumulators' former value; they get $TAS * x + y.
inline float2 axpy(const float2& x, const float2& y) {
  auto& w = worker();
  const float2 former = {w.accumulators[0], w.accumulators[2]};
  for (int i = 0; i < 2; ++i) w.accumulators[2 * i] = w.tas * x[i] + y[i];
  return former;
}
inline void multiplyAccumulate(const half2& x, const half2& y) {
  for (int i = 0; i < 2; ++i)
    worker().accumulators[0] += static_cast<float>(x[i]) * static_cast<float>(y[i]);
}
inline void multiplyAccumulate(const half4& x, const half4& y) {
  for (int i = 0; i < 4; ++i)
    worker().accumulators[i / 2 * 2] += static_cast<float>(x[i]) * static_cast<float>(y[i]);
}

/// Nanoseconds of the host's clock stand for cycles.
inline std::uint64_t cycles() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// Permutations of bytes.
inline unsigned reverseBitsOfBytes(unsigned x) {
  x = ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
  x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
  return ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
}
inline unsigned leadingSigns(int x) {
  unsigned count = 0;
  for (const bool sign = x < 0; count < 31 && (((x >> (30 - count)) & 1) != 0) == sign;) ++count;
  return count;
}

/// False, but only known when T is: for static_assert in what nothing should call.
template <class... T>
struct Never {
  static constexpr bool value = false;
};

}  // namespace tile
}  // namespace popir

#endif
