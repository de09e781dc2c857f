#include "kernels/contraction/conv_times.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "kernels/contraction/columns.hpp"
#include "kernels/contraction/im2col.hpp"
#include "kernels/contraction/meetings.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

constexpr std::int64_t kVector = 16, kPage = 1024;  // elements

std::int64_t vectorsOf(std::int64_t n) { return (n + kVector - 1) / kVector; }
double number(std::int64_t x) { return static_cast<double>(x); }

/// Sizes of the forward pass, or of the gradient of data as one.
struct Sizes {
  std::int64_t images, groups, inputs, outputs, taps = 1, points = 1;  // channels of a group
  std::int64_t tapsOfLine;
  std::int64_t lines = 1, line;  // of an image of the output
  std::int64_t read;             // elements of the input
  std::int64_t channel = 1;      // elements of one of its channels
  double there = 1;  // the share of taps, of lines or of all, that do not read the padding

  explicit Sizes(const ConvSpec& s)
      : images(s.in.shape[0]),
        groups(s.groups),
        inputs(s.weights.shape[s.pass == Pass::Forward ? 2 : 1]),
        outputs(s.weights.shape[s.pass == Pass::Forward ? 1 : 2]) {
    const Layout &from = s.pass == Pass::Forward ? s.in : s.out,
                 &to = s.pass == Pass::Forward ? s.out : s.in;
    for (std::size_t d = 0; d < s.fieldDims(); ++d) {
      const std::int64_t kernel = s.weights.shape[d + 3];
      // Where lines are strided, oneDNN leaves out no tap within them.
      if (d + 1 < s.fieldDims() || s.stride[d] == 1)
        there *= static_cast<double>(
                     meetings({s.in.shape[d + 2], s.out.shape[d + 2], kernel, s.stride[d],
                               s.dilation[d], s.inDilation[d], s.padLower[d]})) /
                 number(kernel * s.out.shape[d + 2]);
      taps *= kernel;
      points *= to.shape[d + 2];
      channel *= from.shape[d + 2];
    }
    line = std::max<std::int64_t>(to.shape.back(), 1);  // of nothing, there are no lines
    tapsOfLine = s.weights.shape.back();
    lines = points / line;
    read = from.elements();
  }
  std::int64_t written() const { return images * groups * outputs * points; }
};

/// What it takes oneDNN to bring an element of channels into blocks, or, `areLast`, side by side: those
/// come all together, four at a time where they are a multiple of four; if lines of many are in one set of
/// the L1 cache, each is then read anew for each element of it. Blocks that are not full take longer where
/// those of the output are.
double readTime(const Sizes& s, bool areLast) {
  constexpr double kReadWhole = 0.12, kRead = 0.39, kReadFilled = 0.7, kReadAnew = 1.8;
  constexpr std::int64_t kMany = 64, kFour = 4;
  if (s.inputs % kVector == 0) return kReadWhole;
  const std::int64_t sharing = s.inputs * std::gcd(s.channel, kPage) / kPage;
  if (!areLast && s.outputs % kVector == 0) return kReadFilled;
  return areLast && sharing > kMany && s.inputs % kFour == 0 ? kReadAnew : kRead;
}

/// Of one group. Nanoseconds of a vector of output channels at a point and a tap, of each channel of the
/// input; of an element that is read or written, where channels fill vectors or not.
double oneGroupTime(const Sizes& s, const ConvSpec& spec, unsigned threads) {
  constexpr double kLast = 0.122, kBlocks = 0.152, kWrittenWhole = 0.08, kWritten = 0.46,
                   kWeight = 0.62, kStart = 720, kStartOfThreads = 4700, kStartInBlocks = 2200;
  const bool isForward = spec.pass == Pass::Forward, isWholeIn = s.inputs % kVector == 0,
             isWholeOut = s.outputs % kVector == 0;
  // Channels are last in memory, or in blocks, which are filled up; few are read as they lie.
  const bool areLast = isForward && !isWholeIn && !isWholeOut;
  const bool areFilled = !areLast && (!isForward || s.inputs >= kVector);
  const std::int64_t inputs = areFilled ? kVector * vectorsOf(s.inputs) : s.inputs;
  const double products = number(s.images * s.points * s.taps * inputs * vectorsOf(s.outputs));
  const auto [multiplication, others] = pace();
  const double multiplied = multiplication * (areLast ? kLast : kBlocks * s.there) * products;
  const Layout &from = isForward ? spec.in : spec.out, &to = isForward ? spec.out : spec.in;
  const bool reads = from.channelBlock == Layout::kPlain,
             writes = to.channelBlock == Layout::kPlain;
  // Few channels are read as they lie. To write as they lie takes some time for each line of a vector. What
  // lies a multiple of a page apart is in the same sets of the L1 cache: then to write 16 channels takes
  // longer, and if more are read than the sets have ways, these are read anew for each tap.
  if (isForward && s.inputs < kVector && isWholeOut && writes) {
    constexpr double kFew = 0.126, kLine = 38, kReadFew = 0.05, kWrittenFew = 0.12,
                     kStartOfFew = 4000, kSameSets = 0.15, kSameSetsRead = 0.006, kReadAnew = 1.4;
    constexpr std::int64_t kWays = 12;
    const double lines = number(s.images * s.lines * vectorsOf(s.outputs));
    const bool writesSameSets = s.points % kPage == 0;
    const double sameSets =
        writesSameSets ? kSameSets + kSameSetsRead * number(s.inputs * s.tapsOfLine) : 0;
    const bool readsAnew = !writesSameSets && s.inputs > kWays && s.channel % kPage == 0;
    const double moved =
        kReadFew * number(s.read) + kLine * lines +
        (kWrittenFew / number(vectorsOf(s.outputs)) + sameSets) * number(s.written());
    return others * ((threads == 1 ? kStart : kStartOfFew) + moved / threads) +
           multiplication * kFew * (readsAnew ? kReadAnew : 1) * s.there * products / threads;
  }
  // Threads bring channels into blocks, and then read lines, of few of which strides leave much to do.
  constexpr double kExchanged = 0.21;
  const bool exchanges = !areLast && !isAll(spec.stride, 1) && s.images % threads != 0;
  const double read = readTime(s, areLast) + (exchanges ? kExchanged : 0);
  const double moved = (reads ? read * number(s.read) : 0) +
                       (writes ? (isWholeOut ? kWrittenWhole : kWritten) * number(s.written()) : 0);
  // Weights of a gradient change from run to run.
  const double packed = isForward ? 0 : kWeight * number(s.taps * s.inputs * s.outputs);
  const double start = threads == 1 ? 0 : reads || writes ? kStartOfThreads : kStartInBlocks;
  return others * (kStart + start + (moved + packed) / threads) + multiplied / threads;
}

/// The same of groups. What is plain is brought to channels last, or to blocks.
double groupsTime(const Sizes& s, const ConvSpec& spec, unsigned threads) {
  constexpr double kMultiplied = 0.12, kMoved = 0.3, kWritten = 0.45, kStart = 1900;
  const Layout &from = spec.pass == Pass::Forward ? spec.in : spec.out,
               &to = spec.pass == Pass::Forward ? spec.out : spec.in;
  const auto [multiplication, others] = pace();
  const double sums = number(s.images * s.points * s.taps);
  const double read = from.channelBlock == Layout::kPlain ? number(s.read) : 0,
               written = to.channelBlock == Layout::kPlain ? number(s.written()) : 0;
  if (s.inputs > 1 || s.outputs > 1) {
    const double multiplied =
        kMultiplied * sums * number(s.groups * s.inputs * vectorsOf(s.outputs));
    return others * (kStart + (kMoved * read + kWritten * written) / threads) +
           multiplication * multiplied / threads;
  }
  // Channels that fill vectors are brought to blocks.
  struct Depthwise {
    double multiplied, read, written, far, start;
  };
  constexpr Depthwise kWhole = {0.142, 0.1, 0.17, 0.24, 130},
                      kOthers = {0.35, 0.29, 0.34, 0.47, 1700};
  constexpr double kStartOfThreads = 1100, kCache = 8 << 20;
  const Depthwise& of = s.groups % kVector == 0 ? kWhole : kOthers;
  const double all = number(s.read + s.written());
  const double far = all * sizeof(float) > kCache ? of.far * all : 0;
  const double multiplied = of.multiplied * sums * number(vectorsOf(s.groups));
  return others * (of.start + (threads > 1 ? kStartOfThreads : 0) +
                   (of.read * read + of.written * written + far) / threads) +
         multiplication * multiplied / threads;
}

}  // namespace

Pace pace() { return hasHalfUnits() ? Pace{2.1, 1.4} : Pace{}; }

double oneDnnTime(const ConvSpec& spec, unsigned threads) {
  const Sizes s(spec);
  if (spec.groups > 1) return groupsTime(s, spec, threads);
  const double time = oneGroupTime(s, spec, threads);
  if (hasHalfUnits()) {
    // Its loops lose less than ours there, except where channels are last in memory, and its threads begin
    // as soon.
    constexpr double kLoops = 0.86, kStart = 2500, kStridedPoints = 1.4, kStridedLast = 1.35;
    // Of single points its threads bring all into blocks, and then read some.
    if (s.taps == 1 && !isAll(spec.stride, 1) && spec.pass == Pass::Forward)
      return kStridedPoints * time;
    const bool areLast = spec.pass == Pass::Forward && s.inputs > kVector &&
                         s.inputs % kVector != 0 && s.outputs % kVector != 0;
    // Strided ones of few channels, which threads share by lines.
    const bool isStridedLast = spec.pass == Pass::Forward && s.inputs < kVector &&
                               s.outputs % kVector != 0 && !isAll(spec.stride, 1) &&
                               s.images % threads != 0;
    if (isStridedLast) return kStridedLast * time;
    return (areLast ? 1 : kLoops) * time - (threads > 1 ? kStart : 0);
  }
  // On Zen 5, of few taps, or with strides, it takes far longer than estimated more often than far less.
  constexpr double kTail = 1.08;
  constexpr std::int64_t kFewTaps = 9;
  return s.taps <= kFewTaps || !isAll(spec.stride, 1) ? kTail * time : time;
}

double pointsTime(const ConvSpec& spec, unsigned threads) {
  constexpr double kMultiplied = 0.14, kStartOfThreads = 2100;
  const Sizes s(spec);
  const auto [multiplication, others] = pace();
  const double products = number(s.images * s.groups * s.inputs * s.outputs * vectorsOf(s.points));
  return (threads > 1 ? others * kStartOfThreads : 0) +
         multiplication * kMultiplied * products / threads;
}

double depthwiseBlocksTime(const ConvSpec& spec, unsigned threads) {
  // Plain sides are copied. What lies a multiple of a page apart is in the same sets of a cache, and copies of
  // a vector of channels that exceed it are read from memory.
  constexpr double kMultiplied = 0.122, kCopied = 0.089, kSameSets = 1.55, kExceeds = 1.45,
                   kStart = 500, kStartOfThreads = 1500, kCache = 1 << 20, kFar = 0.1,
                   kLastCache = 8 << 20;
  const auto [multiplication, others] = pace();
  const Sizes s(spec);
  double copied = 0, near = 0;
  for (const Layout* side : {&spec.in, &spec.out}) {
    if (side->channelBlock != Layout::kPlain) continue;
    const std::int64_t points = std::accumulate(side->shape.begin() + 2, side->shape.end(),
                                                std::int64_t(1), std::multiplies<>());
    copied += (points % kPage == 0 ? kSameSets : 1) * number(s.images * s.groups * points);
    near += 2 * sizeof(float) * number(kVector * points);
  }
  if (near > kCache) copied *= kExceeds;
  const double all = number(s.read + s.written());
  const double far = all * sizeof(float) > kLastCache ? kFar * all : 0;
  const double products = number(s.images * s.points * s.taps * vectorsOf(s.groups));
  return others *
             (kStart + (threads > 1 ? kStartOfThreads : 0) + (kCopied * copied + far) / threads) +
         multiplication * kMultiplied * products / threads;
}

double columnsTime(const ConvSpec& spec, unsigned threads) {
  constexpr double kMultiplied = 0.152, kStartOfThreads = 2300, kFar = 0.15, kCache = 1 << 20;
  struct Gathering {
    double line, element, strided;
  };
  constexpr Gathering kVectors = {0.65, 0.83, 0.016}, kElements = {4.5, 1.16, 0.074};
  const auto [multiplication, others] = pace();
  const Sizes s(spec);
  const std::int64_t steps = s.inputs * s.taps,
                     part = pointsAtATime(s.points, steps * std::int64_t(sizeof(float))),
                     parts = (s.points + part - 1) / part, last = s.points - (parts - 1) * part,
                     shares = partsOfChannels(s.images * s.groups, s.outputs, threads);
  const bool isStrided = !isAll(spec.stride, 1);
  // What exceeds the second-level cache is written to a farther one.
  const double written = number(s.written()) * sizeof(float) > kCache ? kFar : 0;
  const auto timeOf = [&](std::int64_t points) {
    const std::int64_t vectors = vectorsOf(points), lines = (points + s.line - 1) / s.line;
    const Gathering& of = s.inputs >= kChannelsOfVectors ? kVectors : kElements;
    const double gathered = of.line * number(lines) + of.element * number(vectors) +
                            (isStrided ? of.strided * number(points) : 0);
    return number(steps) * (multiplication * kMultiplied * number(s.outputs / shares * vectors) +
                            others * gathered) +
           others * written * number(s.outputs / shares * points);
  };
  const std::int64_t items = s.images * s.groups * shares * parts;
  const double item = (number(parts - 1) * timeOf(part) + timeOf(last)) / number(parts);
  return (items > 1 && threads > 1 ? kStartOfThreads : 0) +
         item * number((items + threads - 1) / threads);
}

}  // namespace contraction
}  // namespace popir
