#include "kernels/contraction/conv_times.hpp"

#include <numeric>

namespace popir {
namespace contraction {
namespace {

constexpr std::int64_t kVector = 16;

std::int64_t vectorsOf(std::int64_t n) { return (n + kVector - 1) / kVector; }
double number(std::int64_t x) { return static_cast<double>(x); }

/// Sizes of the forward pass, or of the gradient of data as one.
struct Sizes {
  std::int64_t images, groups, inputs, outputs, taps = 1, points = 1;  // channels of a group
  std::int64_t lines = 1, line;                                        // of an image of the output
  std::int64_t read;                                                   // elements of the input
  std::int64_t channel = 1;  // elements of one of its channels

  explicit Sizes(const ConvSpec& s)
      : images(s.in.shape[0]),
        groups(s.groups),
        inputs(s.weights.shape[s.pass == Pass::Forward ? 2 : 1]),
        outputs(s.weights.shape[s.pass == Pass::Forward ? 1 : 2]) {
    const Layout &from = s.pass == Pass::Forward ? s.in : s.out,
                 &to = s.pass == Pass::Forward ? s.out : s.in;
    for (std::size_t d = 0; d < s.fieldDims(); ++d) {
      taps *= s.weights.shape[d + 3];
      points *= to.shape[d + 2];
      channel *= from.shape[d + 2];
    }
    line = to.shape.back();
    lines = points / line;
    read = from.elements();
  }
  std::int64_t written() const { return images * groups * outputs * points; }
};

/// What it takes oneDNN to read an element of channels that it brings side by side: those that fill no
/// vectors come all together, and if lines of many are in one set of the L1 cache, each is read anew for
/// each element of it.
double readTime(const Sizes& s) {
  constexpr double kRead = 0.3, kReadBySome = 0.9, kReadByAll = 1.9;
  constexpr std::int64_t kPage = 1024, kWays = 12, kMany = 64;  // a page in elements
  const std::int64_t sharing = s.inputs * std::gcd(s.channel, kPage) / kPage;
  if (s.groups > 1 || s.inputs % kVector == 0 || sharing <= kWays) return kRead;
  return sharing <= kMany ? kReadBySome : kReadByAll;
}

}  // namespace

double oneDnnTime(const ConvSpec& spec, unsigned threads) {
  const Sizes s(spec);
  // A vector of output channels at a point and a tap, of each channel of the input; an element that is
  // read, and one that is written, where output channels fill vectors or not.
  constexpr double kMultiplied = 0.12, kMultipliedDepthwise = 0.29, kWritten = 0.45,
                   kWrittenWhole = 0.14, kStart = 1900;
  const bool isDepthwise = s.groups > 1 && s.inputs == 1 && s.outputs == 1;
  const double sums = number(s.images * s.points * s.taps);
  const double multiplied =
      isDepthwise ? kMultipliedDepthwise * sums * number(vectorsOf(s.groups))
                  : kMultiplied * sums * number(s.groups * s.inputs * vectorsOf(s.outputs));
  const bool isWhole = s.groups == 1 && s.outputs % kVector == 0;
  const double moved =
      readTime(s) * number(s.read) + (isWhole ? kWrittenWhole : kWritten) * number(s.written());
  return kStart + (multiplied + moved) / threads;
}

double columnsTime(const ConvSpec& spec, unsigned threads) {
  const Sizes s(spec);
  constexpr double kMultiplied = 0.15, kGathered = 3, kStart = 2900;
  const double products = number(s.images * s.groups * s.inputs * s.taps);
  return kStart + products *
                      (kMultiplied * number(s.outputs * vectorsOf(s.points)) +
                       kGathered * number(s.lines * vectorsOf(s.line))) /
                      threads;
}

}  // namespace contraction
}  // namespace popir
