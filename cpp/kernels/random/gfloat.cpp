#include "kernels/random/gfloat.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"
#include "kernels/vector/philox.hpp"

namespace popir {
namespace {

const SavedKernel<GfloatKernel> kSavedGfloat("gfloat");

constexpr std::uint8_t kToZero = 1, kNearest = 2, kAway = 3, kUp = 4, kDown = 5, kNoise = 6,
                       kFewBits = 7;
enum Density : std::uint8_t {
  kUnset,
  kUniform,
  kNormal,
  kTruncatedNormal,
  kBernoulli,
  kLogistic,
  kTruncatedLogistic,
  kLaplace,
  kTruncatedLaplace,
  kLogitNormal,
  kTruncatedLogitNormal
};
constexpr int kBiasShift = 128;

struct Format {
  int mantissa, exponent, bias;
  bool denormals, infinity;
  int least, greatest;  // exponents of the smallest and the largest normal number
  bool block;           // no normal numbers

  explicit Format(std::uint32_t packed)
      : mantissa(static_cast<int>(packed & 255u)),
        exponent(static_cast<int>(packed >> 8 & 255u)),
        bias(static_cast<int>(packed >> 16 & 255u) - kBiasShift),
        denormals((packed >> 24 & 1u) != 0),
        infinity((packed >> 25 & 1u) != 0) {
    least = 1 - bias;
    block = exponent == 0 || (exponent == 1 && infinity);
    const double codes = std::ldexp(1.0, std::min(exponent, 12));
    greatest = static_cast<int>(codes) - 1 - bias - (infinity ? 1 : 0);
  }
  double largest() const {
    if (block) return std::ldexp(1.0 - std::ldexp(1.0, -mantissa), least);
    return std::ldexp(2.0 - std::ldexp(1.0, -mantissa), greatest);
  }
  double smallest() const {
    return denormals || block ? std::ldexp(1.0, least - mantissa) : std::ldexp(1.0, least);
  }
  /// The exponent of the last place of a magnitude.
  int place(double magnitude) const {
    const int own = magnitude > 0 ? std::ilogb(magnitude) : least;
    return (block ? least : std::max(own, least)) - mantissa;
  }
};

/// A standard normal number of two words.
double normal(const std::uint32_t* words) {
  const double u = (words[0] + 0.5) * 0x1p-32, v = (words[1] + 0.5) * 0x1p-32;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
}

/// Whether a magnitude's fraction of its last place goes up.
class Noise {
 public:
  Noise(const GfloatCastSpec& spec, PhiloxStream stream) : spec_(spec), stream_(stream) {}

  bool up(double fraction, std::uint64_t element) const {
    std::uint32_t words[4];
    // A truncated density is drawn until it lies within; each draw has a block of its own.
    for (std::uint64_t draw = 0;; ++draw) {
      philoxWords(stream_, element + (draw << 40), 1, words);
      const double u = (words[2] + 0.5) * 0x1p-32;
      if (spec_.density == kBernoulli) return u >= spec_.probability;
      double noise = sample(u, words);
      if (truncated() && (noise < spec_.min || noise > spec_.max) && draw < 1000) continue;
      if (centred()) noise += 0.5;
      return cut(fraction) + cut(noise) >= 1;
    }
  }

 private:
  bool truncated() const {
    return spec_.density == kTruncatedNormal || spec_.density == kTruncatedLogistic ||
           spec_.density == kTruncatedLaplace || spec_.density == kTruncatedLogitNormal;
  }
  bool centred() const {
    return spec_.density != kUnset && spec_.density != kUniform && spec_.density != kLogitNormal &&
           spec_.density != kTruncatedLogitNormal;
  }
  double cut(double x) const {
    if (spec_.round != kFewBits) return x;
    return std::floor(std::ldexp(x, static_cast<int>(spec_.bits))) *
           std::ldexp(1.0, -static_cast<int>(spec_.bits));
  }
  double sample(double u, const std::uint32_t* words) const {
    switch (spec_.density) {
      case kUniform: return spec_.min + (spec_.max - spec_.min) * u;
      case kNormal:
      case kTruncatedNormal: return spec_.offset + spec_.scale * normal(words);
      case kLogistic:
      case kTruncatedLogistic: return spec_.offset + spec_.scale * std::log(u / (1 - u));
      case kLaplace:
      case kTruncatedLaplace:
        return spec_.offset + spec_.scale * (u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u));
      case kLogitNormal:
      case kTruncatedLogitNormal:
        return 1 / (1 + std::exp(-(spec_.offset + spec_.scale * normal(words))));
      default: return u;
    }
  }

  const GfloatCastSpec& spec_;
  PhiloxStream stream_;
};

/// The number of the format for a value; infinite or NaN where the format has them.
double rounded(double x, const Format& format, const GfloatCastSpec& spec, const Noise& noise,
               std::uint64_t element) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), largest = format.largest();
  if (std::isnan(x)) return format.infinity ? nan : std::copysign(largest, x);
  if (std::isinf(x)) return format.infinity && spec.nanoo ? nan : std::copysign(largest, x);
  const double magnitude = std::fabs(x);
  const int place = format.place(magnitude);
  const double places = std::ldexp(magnitude, -place), below = std::floor(places);
  const double fraction = places - below;
  bool up = false;
  switch (spec.round) {
    case kNearest: up = fraction > 0.5 || (fraction == 0.5 && std::fmod(below, 2) != 0); break;
    case kAway: up = fraction >= 0.5; break;
    case kUp: up = fraction > 0 && x > 0; break;
    case kDown: up = fraction > 0 && x < 0; break;
    case kNoise:
    case kFewBits: up = fraction > 0 && noise.up(fraction, element); break;
    default: break;  // to zero
  }
  const double result = std::ldexp(below + (up ? 1 : 0), place);
  if (result > largest) return format.infinity && spec.nanoo ? nan : std::copysign(largest, x);
  return result < format.smallest() ? 0.0 : std::copysign(result, x);
}

/// The bits of a number of the format, from the highest of `width` on.
std::uint32_t packed(double x, const Format& format, int width) {
  const int m = format.mantissa, shift = width - 1 - m - format.exponent;
  std::uint32_t code;
  if (std::isnan(x)) {
    code = ((1u << format.exponent) - 1) << m | (m > 0 ? 1u << (m - 1) : 0u);
  } else {
    const double magnitude = std::fabs(x);
    const int place = format.place(magnitude);
    const auto mantissa = static_cast<std::uint32_t>(std::ldexp(magnitude, -place));
    code = (static_cast<std::uint32_t>(place + m - format.least) << m) + mantissa;
  }
  if (std::signbit(x)) code |= 1u << (m + format.exponent);
  return code << shift;
}

double unpacked(std::uint32_t bits, const Format& format, int width) {
  const int m = format.mantissa, shift = width - 1 - m - format.exponent;
  const std::uint32_t code = bits >> shift;
  const std::uint32_t exponent = code >> m & ((1u << format.exponent) - 1);
  const double fraction = code & ((1u << m) - 1);
  const bool negative = (code >> (m + format.exponent) & 1u) != 0;
  double x;
  if (format.infinity && !format.block && exponent == (1u << format.exponent) - 1)
    x = fraction > 0 || m == 0 ? std::numeric_limits<double>::quiet_NaN()
                               : std::numeric_limits<double>::infinity();
  else if (exponent == 0 || format.block)
    x = std::ldexp(fraction + std::ldexp(static_cast<double>(exponent), m), format.least - m);
  else
    x = std::ldexp(1.0 + std::ldexp(fraction, -m), static_cast<int>(exponent) - format.bias);
  return negative ? -x : x;
}

double load(const void* at, poplar::Type type, std::int64_t i) {
  if (type == poplar::FLOAT) return static_cast<const float*>(at)[i];
  float wide;
  toFloats(static_cast<const half*>(at) + i, &wide, 1);
  return wide;
}
void store(void* at, poplar::Type type, std::int64_t i, double x) {
  const auto narrow = static_cast<float>(x);
  if (type == poplar::FLOAT)
    static_cast<float*>(at)[i] = narrow;
  else
    fromFloats(&narrow, static_cast<half*>(at) + i, 1, Rounding(), 0);
}
bool isNative(poplar::Type type) { return type == poplar::FLOAT || type == poplar::HALF; }

std::uint32_t loadBits(const void* at, poplar::Type type, std::int64_t i) {
  if (type.sizeInBytes() == 1) return static_cast<const std::uint8_t*>(at)[i];
  if (type.sizeInBytes() == 2) return static_cast<const std::uint16_t*>(at)[i];
  return static_cast<const std::uint32_t*>(at)[i];
}
void storeBits(void* at, poplar::Type type, std::int64_t i, std::uint32_t bits) {
  if (type.sizeInBytes() == 1)
    static_cast<std::uint8_t*>(at)[i] = static_cast<std::uint8_t>(bits);
  else if (type.sizeInBytes() == 2)
    static_cast<std::uint16_t*>(at)[i] = static_cast<std::uint16_t>(bits);
  else
    static_cast<std::uint32_t*>(at)[i] = bits;
}

class GfloatRunner : public Runner {
 public:
  GfloatRunner(const GfloatCastSpec& spec, const std::vector<Layout>& operands, bool noise,
               unsigned threads)
      : spec_(spec),
        to_(operands[0].type),
        from_(operands[1].type),
        elements_(static_cast<std::int64_t>(operands[0].elements())),
        noise_(noise),
        threads_(threads) {}

  void run(void* const* operands, void*) const override {
    const Format format(static_cast<const std::uint32_t*>(operands[2])[0]);
    auto* runs = noise_ ? static_cast<std::uint32_t*>(operands[3]) : nullptr;
    const Noise noise(spec_, {{noise_ ? runs[0] : 0, noise_ ? runs[1] : 0}, {spec_.stream, 2}});
    const int width = static_cast<int>(8 * (spec_.toGfloat ? to_ : from_).sizeInBytes());
    constexpr std::int64_t kBlock = 1024;
    parallelFor((elements_ + kBlock - 1) / kBlock, threads_, elements_, [&](std::int64_t task) {
      for (std::int64_t i = task * kBlock; i < std::min(elements_, (task + 1) * kBlock); ++i) {
        double x = isNative(from_) ? load(operands[1], from_, i)
                                   : unpacked(loadBits(operands[1], from_, i), format, width);
        if (spec_.toGfloat) x = rounded(x, format, spec_, noise, static_cast<std::uint64_t>(i));
        if (isNative(to_))
          store(operands[0], to_, i, x);
        else
          storeBits(operands[0], to_, i, packed(x, format, width));
      }
    });
    if (noise_ && ++runs[0] == 0) ++runs[1];
  }

 private:
  GfloatCastSpec spec_;
  poplar::Type to_, from_;
  std::int64_t elements_;
  bool noise_;
  unsigned threads_;
};

bool isPackable(poplar::Type type) {
  return type == poplar::SIGNED_CHAR || type == poplar::SHORT || type == poplar::INT;
}

}  // namespace

std::uint32_t packGfloatFormat(unsigned mantissa, unsigned exponent, int bias, bool denormals,
                               bool infinity) {
  return (mantissa & 255u) | (exponent & 255u) << 8 |
         (static_cast<std::uint32_t>(bias + kBiasShift) & 255u) << 16 |
         std::uint32_t{denormals} << 24 | std::uint32_t{infinity} << 25;
}

bool GfloatKernel::addsNoise() const {
  return spec_.toGfloat && (spec_.round == kNoise || spec_.round == kFewBits);
}

std::unique_ptr<Runner> GfloatKernel::prepare(const std::vector<Layout>& operands,
                                              const Setting& setting) const {
  return std::make_unique<GfloatRunner>(spec_, operands, addsNoise(), setting.threads);
}

void GfloatKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, addsNoise() ? 4 : 3);
  const auto& out = operands[0];
  const auto& in = operands[1];
  require(out.shape == in.shape, "the result has another shape than the input");
  require(isNative(spec_.toGfloat ? in.type : out.type), "the wide side is FLOAT or HALF");
  const auto narrow = spec_.toGfloat ? out.type : in.type;
  require(isNative(narrow) || isPackable(narrow), "the narrow side is a float or an integer");
  requireOperand(operands[2], Access::Read, poplar::INT, {1});
  if (addsNoise()) requireOperand(operands[3], Access::ReadWrite, poplar::UNSIGNED_INT, {2});
  require(
      spec_.round >= kToZero && spec_.round <= kFewBits && spec_.density <= 10 && spec_.bits <= 52,
      "there is no such rounding");
}

Work GfloatKernel::work(const std::vector<Layout>& operands) const {
  const auto saved = operands[spec_.toGfloat ? 0 : 1].type;
  const auto noise = !addsNoise()              ? GfloatNoise::None
                     : spec_.round == kFewBits ? GfloatNoise::Short
                                               : GfloatNoise::Full;
  return {
      spec_.toGfloat ? "popfloat::CastToGfloat" : "popfloat::CastFromGfloat",
      GfloatWork{operands[spec_.toGfloat ? 1 : 0].type,
                 static_cast<std::uint64_t>(operands[0].elements()), spec_.toGfloat, spec_.halves,
                 8 * saved.sizeInBytes(), isPackable(saved) ? spec_.packing : GfloatPacking::None,
                 noise, spec_.inPlace}};
}

}  // namespace popir
