#include "kernels/random/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/half.hpp"
#include "kernels/random/normal_quantile.hpp"
#include "kernels/vector/ops.hpp"

namespace popir {
namespace {

using Words = const std::uint32_t*;

constexpr float kTwoToMinus24 = 5.9604644775390625e-8f;
constexpr float kTwoToMinus32 = 2.3283064365386962890625e-10f;
constexpr double kTwoToMinus53 = 1.1102230246251565404e-16;
constexpr double kTwoPi = 6.283185307179586476925;

/// The upper 53 bits of two words.
inline std::uint64_t bits53(Words w) { return (std::uint64_t{w[0]} << 32 | w[1]) >> 11; }

/// Applies a loop of kernels/vector to floats in place.
void inPlace(VecOp op, float* x, std::int64_t n) {
  const void* sources[] = {x};
  vectorOp(op, Lane::F32, 0)(x, sources, static_cast<std::size_t>(n));
}

void convert(Lane from, Lane to, const void* in, void* out, std::int64_t n) {
  const void* sources[] = {in};
  vectorConvert(from, to)(out, sources, static_cast<std::size_t>(n));
}

template <class C>
void clamp(C* x, std::int64_t n, C least, C greatest) {
  for (std::int64_t i = 0; i < n; ++i) {
    const C y = x[i] < least ? least : x[i];
    x[i] = y > greatest ? greatest : y;
  }
}

/// a + range * u with u in [0, 1). Rounding may give b; the caller clamps it.
void unit(Words w, std::int64_t n, float a, float range, float* out) {
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = a + range * (static_cast<float>(static_cast<std::int32_t>(w[i] >> 8)) * kTwoToMinus24);
}
void unit(Words w, std::int64_t n, double a, double range, double* out) {
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = a + range * (static_cast<double>(static_cast<std::int64_t>(bits53(w + 2 * i))) *
                          kTwoToMinus53);
}

// ---- Real distributions: they fill an array of C, float or double ----

template <class C>
struct Uniform {
  C a, range, least, greatest;
  Uniform(const RandomNumbers& r, poplar::Type type) : a(C(r.a)), range(C(r.b - r.a)) {
    const Bounds bounds = boundsIn(type, r.a, r.b, true);
    least = C(bounds.least), greatest = C(bounds.greatest);
  }
  void operator()(Words w, std::int64_t n, C* out) const {
    unit(w, n, a, range, out);
    clamp(out, n, least, greatest);
  }
};

template <class C>
struct LogUniform {
  C a, range, least, greatest;
  LogUniform(const RandomNumbers& r, poplar::Type type)
      : a(C(std::log(r.a))), range(C(std::log(r.b) - std::log(r.a))) {
    const Bounds bounds = boundsIn(type, r.a, r.b, false);
    least = C(bounds.least), greatest = C(bounds.greatest);
  }
  void operator()(Words w, std::int64_t n, C* out) const {
    unit(w, n, a, range, out);
    if constexpr (std::is_same_v<C, float>)
      inPlace(VecOp::Exp, out, n);
    else
      for (std::int64_t i = 0; i < n; ++i) out[i] = std::exp(out[i]);
    clamp(out, n, least, greatest);
  }
};

template <class C>
struct Normal {
  C mean, deviation;
  Normal(const RandomNumbers& r, poplar::Type) : mean(C(r.a)), deviation(C(r.b)) {}

  void operator()(Words w, std::int64_t n, float* out) const {
    constexpr std::int64_t kPairs = kRandomChunk / 2;
    std::uint32_t first[kPairs];
    float radius[kPairs], cosine[kPairs], sine[kPairs];
    const std::int64_t pairs = (n + 1) / 2;
    for (std::int64_t j = 0; j < pairs; ++j) {
      first[j] = w[2 * j];
      sine[j] = static_cast<float>(static_cast<std::int32_t>(w[2 * j + 1])) *
                (static_cast<float>(kTwoPi) * kTwoToMinus32);
    }
    convert(Lane::U32, Lane::F32, first, radius, pairs);
    for (std::int64_t j = 0; j < pairs; ++j) radius[j] = (radius[j] + 1.0f) * kTwoToMinus32;
    inPlace(VecOp::Log, radius, pairs);
    std::copy_n(sine, pairs, cosine);
    inPlace(VecOp::Sin, sine, pairs);
    inPlace(VecOp::Cos, cosine, pairs);
    for (std::int64_t j = 0; j < pairs; ++j)
      radius[j] = deviation * __builtin_sqrtf(-2.0f * radius[j]);
    for (std::int64_t j = 0; j < n / 2; ++j) {
      out[2 * j] = mean + radius[j] * cosine[j];
      out[2 * j + 1] = mean + radius[j] * sine[j];
    }
    if (n % 2 != 0) out[n - 1] = mean + radius[pairs - 1] * cosine[pairs - 1];
  }

  void operator()(Words w, std::int64_t n, double* out) const {
    for (std::int64_t i = 0; i < n; i += 2, w += 4) {
      const double u = (static_cast<double>(bits53(w)) + 1) * kTwoToMinus53;
      const double angle = kTwoPi * (static_cast<double>(bits53(w + 2)) * kTwoToMinus53);
      const double radius = deviation * std::sqrt(-2 * std::log(u));
      out[i] = mean + radius * std::cos(angle);
      if (i + 1 < n) out[i + 1] = mean + radius * std::sin(angle);
    }
  }
};

/// By inversion of the CDF, in double. Unlike rejection it needs a fixed number of words per
/// element.
template <class C>
struct TruncatedNormal {
  double mean, deviation, width, least, greatest;
  TruncatedNormal(const RandomNumbers& r, poplar::Type type)
      : mean(r.a), deviation(r.b), width(std::erf(r.c * std::sqrt(0.5))) {
    const Bounds bounds = boundsIn(type, r.a - r.c * r.b, r.a + r.c * r.b, false);
    least = bounds.least, greatest = bounds.greatest;
  }

  void operator()(Words w, std::int64_t n, C* out) const {
    double q[kRandomChunk];
    // The midpoints of 2^32 (or 2^53) equal parts of (-1/2, 1/2), so never the ends, scaled to the
    // part that truncation keeps.
    if constexpr (std::is_same_v<C, float>) {
      for (std::int64_t i = 0; i < n; ++i)
        q[i] = width * ((static_cast<double>(static_cast<std::int32_t>(w[i] ^ 0x80000000u)) + 0.5) *
                        double{kTwoToMinus32});
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        const auto centred = static_cast<std::int64_t>(bits53(w + 2 * i)) - (std::int64_t{1} << 52);
        q[i] = width * ((static_cast<double>(centred) + 0.5) * kTwoToMinus53);
      }
    }
    normalQuantiles(q, n);
    for (std::int64_t i = 0; i < n; ++i) q[i] = mean + deviation * q[i];
    clamp(q, n, least, greatest);
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<C>(q[i]);
  }
};

template <template <class> class Law>
class RealSampler : public RandomSampler {
 public:
  RealSampler(const RandomNumbers& r, poplar::Type type)
      : type_(type), single_(r, type), double_(r, type) {}

  int wordsPerElement() const override { return type_ == poplar::DOUBLE ? 2 : 1; }

  void sample(Words w, std::int64_t n, const Scaled&, void* out) const override {
    if (type_ == poplar::DOUBLE) return double_(w, n, static_cast<double*>(out));
    if (type_ == poplar::FLOAT) return single_(w, n, static_cast<float*>(out));
    float values[kRandomChunk];
    single_(w, n, values);
    convert(Lane::F32, Lane::F16, values, out, n);
  }

 private:
  poplar::Type type_;
  Law<float> single_;
  Law<double> double_;
};

// ---- Integer distributions, and masks ----

class UniformIntegers : public RandomSampler {
 public:
  explicit UniformIntegers(const RandomNumbers& r)
      : least_(static_cast<std::uint32_t>(static_cast<std::int64_t>(r.a))),
        count_(static_cast<std::uint64_t>(r.b - r.a) + 1) {}

  void sample(Words w, std::int64_t n, const Scaled&, void* out) const override {
    auto* to = static_cast<std::uint32_t*>(out);
    const std::uint64_t count = count_;
    // Unsigned arithmetic wraps, so negative bounds work.
    for (std::int64_t i = 0; i < n; ++i)
      to[i] = least_ + static_cast<std::uint32_t>(w[i] * count >> 32);
  }

 private:
  std::uint32_t least_;
  std::uint64_t count_;
};

class LogUniformIntegers : public RandomSampler {
 public:
  explicit LogUniformIntegers(const RandomNumbers& r) : law_(r, poplar::DOUBLE) {}

  int wordsPerElement() const override { return 2; }

  void sample(Words w, std::int64_t n, const Scaled&, void* out) const override {
    double values[kRandomChunk];
    law_(w, n, values);
    auto* to = static_cast<std::int32_t*>(out);
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::int32_t>(values[i]);
  }

 private:
  LogUniform<double> law_;
};

/// A word is a success if it is below `limit` (or `always`), which has the given probability to
/// within 2^-32.
struct Chance {
  bool always;
  std::uint32_t limit;
  explicit Chance(double probability) {
    const auto words = static_cast<std::uint64_t>(std::llround(probability * 4294967296.0));
    always = words >> 32 != 0;
    limit = static_cast<std::uint32_t>(words);
  }
};

/// `one`: the bits of 1 in the result type, as an integer of the same size.
template <class T>
class Bernoulli : public RandomSampler {
 public:
  Bernoulli(double probability, T one) : chance_(probability), one_(one) {}

  void sample(Words w, std::int64_t n, const Scaled&, void* out) const override {
    T* to = static_cast<T*>(out);
    const T one = one_;
    const std::uint32_t limit = chance_.limit;
    if (chance_.always) return void(std::fill_n(to, n, one));
    for (std::int64_t i = 0; i < n; ++i) to[i] = w[i] < limit ? one : T(0);
  }

 private:
  Chance chance_;
  T one_;
};

template <class C>
class Dropout : public RandomSampler {
 public:
  Dropout(const RandomNumbers& r, poplar::Type type)
      : storage_(type == poplar::HALF       ? Lane::F16
                 : type == poplar::BFLOAT16 ? Lane::BF16
                                            : Lane::F32),
        chance_(r.a),
        scale_(C(r.b)) {}

  void sample(Words w, std::int64_t n, const Scaled& scaled, void* out) const override {
    const void* in = scaled.in;
    if (storage_ == Lane::F32) return scale(w, n, static_cast<const C*>(in), static_cast<C*>(out));
    C values[kRandomChunk];
    convert(storage_, Lane::F32, in, values, n);
    scale(w, n, values, values);
    scaled.rounding.store(Lane::F32, storage_, values, out, n, scaled.first);
  }

 private:
  void scale(Words w, std::int64_t n, const C* in, C* out) const {
    const C factor = scale_;
    const std::uint32_t limit = chance_.limit;
    if (chance_.always) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = factor * in[i];
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const C scaled = factor * in[i];
      out[i] = w[i] < limit ? scaled : C(0);
    }
  }

  Lane storage_;  // F32 also for double, which is not converted
  Chance chance_;
  C scale_;
};

template <template <class> class Law>
std::unique_ptr<RandomSampler> makeReal(const RandomNumbers& r, poplar::Type type) {
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::DOUBLE) return nullptr;
  return std::make_unique<RealSampler<Law>>(r, type);
}

std::unique_ptr<RandomSampler> makeBernoulli(double probability, poplar::Type type) {
  using Kind = poplar::Type::Kind;
  switch (type.kind()) {
    case Kind::Bool: return std::make_unique<Bernoulli<std::uint8_t>>(probability, 1);
    case Kind::Half: return std::make_unique<Bernoulli<std::uint16_t>>(probability, 0x3c00);
    case Kind::Int:
    case Kind::UnsignedInt: return std::make_unique<Bernoulli<std::uint32_t>>(probability, 1);
    case Kind::Float: return std::make_unique<Bernoulli<std::uint32_t>>(probability, 0x3f800000);
    case Kind::Double:
      return std::make_unique<Bernoulli<std::uint64_t>>(probability, 0x3ff0000000000000);
    default: return nullptr;
  }
}

std::unique_ptr<RandomSampler> makeDropout(const RandomNumbers& r, poplar::Type type) {
  if (type == poplar::DOUBLE) return std::make_unique<Dropout<double>>(r, type);
  if (!isFloatOrHalf(type)) return nullptr;
  return std::make_unique<Dropout<float>>(r, type);
}

/// The next representable number above or below x. Bits: unsigned integer of T's size.
template <class T, class Bits>
T neighbour(T x, bool above) {
  constexpr Bits kSign = static_cast<Bits>(Bits(1) << (8 * sizeof(Bits) - 1));
  Bits bits;
  std::memcpy(&bits, &x, sizeof x);
  if (x == T(0))
    bits = static_cast<Bits>(above ? 1 : kSign | 1);
  else
    bits = static_cast<Bits>((x > T(0)) == above ? bits + 1 : bits - 1);
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <class T, class Bits>
Bounds boundsOf(double a, double b, bool open) {
  T least = static_cast<T>(a), greatest = static_cast<T>(b);
  if (static_cast<double>(least) < a) least = neighbour<T, Bits>(least, true);
  if (static_cast<double>(greatest) > b || (open && static_cast<double>(greatest) == b))
    greatest = neighbour<T, Bits>(greatest, false);
  return {static_cast<double>(least), static_cast<double>(greatest)};
}

}  // namespace

Bounds boundsIn(poplar::Type type, double a, double b, bool open) {
  if (type == poplar::DOUBLE) return boundsOf<double, std::uint64_t>(a, b, open);
  if (type == poplar::FLOAT) return boundsOf<float, std::uint32_t>(a, b, open);
  return boundsOf<half, std::uint16_t>(a, b, open);
}

std::unique_ptr<RandomSampler> makeRandomSampler(const RandomNumbers& r, poplar::Type type) {
  switch (r.law) {
    case RandomLaw::Uniform:
      if (type == poplar::INT || type == poplar::UNSIGNED_INT)
        return std::make_unique<UniformIntegers>(r);
      return makeReal<Uniform>(r, type);
    case RandomLaw::LogUniform:
      if (type == poplar::INT) return std::make_unique<LogUniformIntegers>(r);
      return makeReal<LogUniform>(r, type);
    case RandomLaw::Bernoulli: return makeBernoulli(r.a, type);
    case RandomLaw::Normal: return makeReal<Normal>(r, type);
    case RandomLaw::TruncatedNormal: return makeReal<TruncatedNormal>(r, type);
    case RandomLaw::Dropout: return makeDropout(r, type);
  }
  return nullptr;
}

}  // namespace popir
