#include "kernels/contraction/planes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "kernels/contraction/conv_times.hpp"
#include "kernels/contraction/rows_plan.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

using planes::kSlack;

/// How threads share a convolution: items of some rows of some images, or of whole images, for a part of
/// a group's outputs.
struct Division {
  std::int64_t rows = 1, images = 1, parts = 1;
};

/// Divisions of a plan whose outputs are computed by such routines.
class Divisions {
 public:
  Divisions(const Plan& plan, const planes::Routines& routines, unsigned threads)
      : blocks(dividedUp(plan.outputs, routines.rows)),
        width(plan.out[1] + plan.reach(1)),
        p_(plan),
        lanes_(routines.lanes),
        threads_(threads) {
    // Planes stay in the L2 cache, sums of a block nearly in the L1 cache.
    constexpr std::int64_t kPlanes = 128 * 1024, kMostPoints = 1024;
    const std::int64_t height = p_.out[0];
    const std::int64_t ofRow = p_.inputs * p_.phases(0) * p_.phases(1) * width;
    const std::int64_t mostParts = threads == 1 ? 1 : std::min<std::int64_t>(blocks, 2 * threads);
    const auto consider = [&](const Division& d) {
      const std::int64_t heights = d.images * (d.rows + p_.reach(0));
      const bool isLeast = d.rows == 1 && d.images == 1;
      if (!isLeast && (heights * ofRow > kPlanes || heights * width > kMostPoints)) return;
      if (const double found = timeOf(d); found < time) {
        time = found;
        best = d;
      }
    };
    for (std::int64_t parts = 1; parts <= mostParts; ++parts) {
      for (std::int64_t images = p_.images; images > 1; images = dividedUp(images, 2))
        consider({height, images, parts});
      for (std::int64_t bands = 1; bands <= height; ++bands)
        consider({dividedUp(height, bands), 1, parts});
    }
  }

  std::int64_t bands(const Division& d) const { return dividedUp(p_.out[0], d.rows); }
  /// Items are bands of such numbers of planes, band after band.
  std::int64_t planes(const Division& d) const {
    return dividedUp(p_.images, d.images) * p_.groups * d.parts;
  }
  std::int64_t items(const Division& d) const { return planes(d) * bands(d); }
  /// Whether rows of outputs have vectors of their own, which are fewer than those of one run.
  bool areByRows(const Division& d) const { return vectors(d, true) < vectors(d, false); }
  /// Of so many rows and images of outputs.
  std::int64_t vectors(const Division& d, bool byRows) const {
    if (byRows) return d.images * d.rows * vectorsOfRow();
    const std::int64_t rows = (d.images - 1) * (d.rows + p_.reach(0)) + d.rows - 1;
    return dividedUp(rows * width + p_.out[1], lanes_);
  }
  /// Those of one row of outputs.
  std::int64_t vectorsOfRow() const { return dividedUp(p_.out[1], lanes_); }

  std::int64_t blocks, width;
  Division best;
  /// What the best takes the busiest thread.
  double time = std::numeric_limits<double>::infinity();

 private:
  /// Nanoseconds by the constants of docs/contractions.md.
  double timeOf(const Division& d) const {
    constexpr double kItem = 94, kFilled = 2.1, kCopied = 1.45, kCycle = 0.245, kStart = 30,
                     kStartOfThreads = 1200, kMet = 30;
    constexpr std::int64_t kVector = 16, kMany = 6, kVectorsOfFew = 8, kVectorsOfMany = 2;
    const auto number = [](std::int64_t x) { return static_cast<double>(x); };
    const std::int64_t lines = d.images * (d.rows + p_.reach(0)) * dividedUp(width, kVector);
    const double rows = number(p_.outputs) / number(blocks);
    const double ofItem = number(dividedUp(blocks, d.parts));
    const double vectors = number(std::min(this->vectors(d, true), this->vectors(d, false)));
    const double filled = number(p_.inputs * p_.phases(0) * p_.phases(1) * lines);
    const double copied = ofItem * rows * number(d.images * d.rows * dividedUp(p_.out[1], kVector));
    // Of planes whose bands several threads write, each fetches beyond its own what another one writes.
    const bool isMet = threads_ > 1 && d.rows < p_.out[0] && planes(d) % threads_ != 0;
    const double met = isMet ? kMet * ofItem * rows * number(d.images) : 0;
    // Two multiplications, or two loads, in a cycle; runs that are not aligned are loaded twice.
    const double shared = rows > number(kMany) ? number(kVectorsOfMany) : number(kVectorsOfFew);
    const double loads = 2 * vectors + rows * std::max(1.0, vectors / shared);
    const double cycles = ofItem * number(p_.steps()) * std::max(rows * vectors, loads) / 2;
    const auto [multiplication, others] = pace();
    const double item = others * (kItem + kFilled * filled + kCopied * copied + met) +
                        multiplication * kCycle * cycles;
    return others * (kStart + (threads_ > 1 ? kStartOfThreads : 0)) +
           item * number(dividedUp(items(d), threads_));
  }

  const Plan& p_;
  std::int64_t lanes_;
  unsigned threads_;
};

class PlanesConv final : public Contraction {
 public:
  PlanesConv(const ConvSpec& spec, unsigned threads)
      : p_(spec),
        routines_(*planesRoutines()),
        bias_(spec.bias),
        threads_(threads),
        from_(spec.pass == Pass::Forward ? 0 : 2),
        divisions_(p_, routines_, threads),
        blocks_(divisions_.blocks),
        width_(divisions_.width) {
    const Division& d = divisions_.best;
    image_ = (d.rows + p_.reach(0)) * width_;
    plane_ = d.images * image_ + kSlack;
    // Channels are an odd number of lines apart, so that they do not share sets of a cache.
    constexpr std::int64_t kLine = 16;
    channel_ = (dividedUp(p_.phases(0) * p_.phases(1) * plane_, kLine) | 1) * kLine;
    planeBytes_ = aligned(sizeof(float) * static_cast<std::size_t>(p_.inputs * channel_ + kSlack));
    isByRows_ = divisions_.areByRows(d);
    const std::int64_t vectors = divisions_.vectors(d, isByRows_);
    sumsRow_ = dividedUp(vectors * routines_.lanes, kLine) * kLine;
    for (std::int64_t v = 0; v < vectors; ++v) vectors_.push_back(placeOf(v));
    sumBytes_ =
        aligned(sizeof(float) * static_cast<std::size_t>(routines_.rows * sumsRow_ + kSlack));
    // Threads share the inputs of few blocks.
    packs_ = p_.groups * blocks_ < threads ? std::min<std::int64_t>(threads, p_.inputs) : 1;
    flagBytes_ = aligned(sizeof(float) * static_cast<std::size_t>(p_.groups * blocks_ * packs_));
    runs_.reserve(static_cast<std::size_t>(p_.steps()));
    for (std::int64_t c = 0; c < p_.inputs; ++c)
      for (std::int64_t y = 0; y < p_.kernel[0]; ++y)
        for (std::int64_t x = 0; x < p_.kernel[1]; ++x) runs_.push_back(runOfTap(c, y, x));
  }

  std::string describe() const override { return std::string("planes ") + name(isa()); }
  std::size_t packedBytes() const override {
    return flagBytes_ +
           sizeof(float) * static_cast<std::size_t>(p_.groups * p_.outputs * p_.steps());
  }

  /// For each part of each block of outputs a number, 0 if its weights are finite, else NaN; then the
  /// weights of the block's outputs, step by step.
  void pack(const void* weights, void* packed) const override {
    auto* const flags = static_cast<float*>(packed);
    const std::int64_t count = p_.groups * blocks_ * packs_;
    parallelFor(count, threads_, p_.groups * p_.outputs * p_.steps(), [&](std::int64_t i) {
      const std::int64_t part = i % packs_, block = i / packs_ % blocks_,
                         group = i / packs_ / blocks_;
      const std::int64_t first = firstOf(block), rows = firstOf(block + 1) - first;
      const float* const from =
          static_cast<const float*>(weights) + p_.first + group * p_.group + first * p_.output;
      const std::int64_t begin = p_.inputs * part / packs_, end = p_.inputs * (part + 1) / packs_;
      float* to = weightsOf(packed, group, block) + begin * p_.taps() * rows;
      float differences = 0;  // of each weight from itself
      for (std::int64_t c = begin; c < end; ++c)
        for (std::int64_t y = 0; y < p_.kernel[0]; ++y)
          for (std::int64_t x = 0; x < p_.kernel[1]; ++x, to += rows) {
            const float* const tap = from + c * p_.input + y * p_.tap[0] + x * p_.tap[1];
            for (std::int64_t r = 0; r < rows; ++r) {
              to[r] = tap[r * p_.output];
              differences += to[r] - to[r];
            }
          }
      flags[i] = differences;
    });
  }

  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    const auto* const in = static_cast<const float*>(operands[from_]);
    auto* const out = static_cast<float*>(operands[2 - from_]);
    const auto* const bias = bias_ ? static_cast<const float*>(operands[3]) : nullptr;
    parallelParts(divisions_.items(divisions_.best), 1, threads_,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    const pool::OwnMemory own(planeBytes_ + sumBytes_);
                    for (std::int64_t i = first; i < last; ++i)
                      run(itemOf(i), in, packed, bias, out, static_cast<float*>(own.data()),
                          static_cast<float*>(at(own.data(), planeBytes_)));
                  });
  }

 private:
  /// What one thread computes at a time: blocks of outputs of a group, some rows of some images.
  struct Item {
    std::int64_t group, image, images, row, rows, block, endBlock;
  };

  Item itemOf(std::int64_t i) const {
    Item item;
    const Division& d = divisions_.best;
    const std::int64_t bands = divisions_.bands(d);
    item.row = i % bands * d.rows;
    item.rows = std::min(d.rows, p_.out[0] - item.row);
    i /= bands;
    const std::int64_t part = i % d.parts;
    item.block = blocks_ * part / d.parts;
    item.endBlock = blocks_ * (part + 1) / d.parts;
    i /= d.parts;
    item.group = i % p_.groups;
    item.image = i / p_.groups * d.images;
    item.images = std::min(d.images, p_.images - item.image);
    return item;
  }

  /// The first output of a block.
  std::int64_t firstOf(std::int64_t block) const { return p_.outputs * block / blocks_; }
  float* weightsOf(const void* packed, std::int64_t group, std::int64_t block) const {
    return static_cast<float*>(at(const_cast<void*>(packed), flagBytes_)) +
           (group * p_.outputs + firstOf(block)) * p_.steps();
  }
  /// Whether the weights of a block are.
  bool areFinite(const void* packed, std::int64_t block) const {
    const float* const flags = static_cast<const float*>(packed) + block * packs_;
    return std::all_of(flags, flags + packs_, [](float x) { return x == 0.0f; });
  }
  /// Where vector v of the outputs begins in a plane.
  std::int64_t placeOf(std::int64_t v) const {
    if (!isByRows_) return v * routines_.lanes;
    const std::int64_t ofRow = divisions_.vectorsOfRow(), row = v / ofRow,
                       rows = divisions_.best.rows;
    return row / rows * image_ + row % rows * width_ + v % ofRow * routines_.lanes;
  }
  /// Where the run of a tap begins.
  std::int64_t runOfTap(std::int64_t c, std::int64_t y, std::int64_t x) const {
    const std::int64_t below = y * p_.dilation[0], right = x * p_.dilation[1];
    const std::int64_t phase = below % p_.stride[0] * p_.phases(1) + right % p_.stride[1];
    return c * channel_ + phase * plane_ + below / p_.stride[0] * width_ + right / p_.stride[1];
  }

  void run(const Item& item, const float* in, const void* packed, const float* bias, float* out,
           float* own, float* sums) const {
    fill(item, in, own);
    for (std::int64_t b = item.block; b < item.endBlock; ++b) {
      const std::int64_t first = firstOf(b), rows = firstOf(b + 1) - first;
      const float* const weights = weightsOf(packed, item.group, b);
      if (!areFinite(packed, item.group * blocks_ + b)) {
        sumTaps(item, first, rows, in, weights, bias, out);
        continue;
      }
      routines_.multiply({rows, p_.steps(),
                          divisions_.vectors({item.rows, item.images, 1}, isByRows_), weights, own,
                          runs_.data(), vectors_.data(), sums, sumsRow_});
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t n = 0; n < item.images; ++n) {
          const std::int64_t o = item.group * p_.outputs + first + r;
          float* const to =
              out + (item.image + n) * p_.to.image + o * p_.to.channel + item.row * p_.to.row;
          const std::int64_t row = isByRows_ ? divisions_.vectorsOfRow() * routines_.lanes : width_,
                             image = isByRows_ ? item.rows * row : image_;
          const bool isOneLine = row == p_.out[1] && p_.to.row == row;
          routines_.copy({sums + r * sumsRow_ + n * image, row, to, p_.to.row,
                          isOneLine ? 1 : item.rows, isOneLine ? item.rows * row : p_.out[1],
                          bias == nullptr ? 0.0f : bias[o]});
        }
    }
  }

  void fill(const Item& item, const float* in, float* own) const {
    planes::Channel channel;
    channel.row = p_.from.row;
    channel.height = p_.in[0];
    channel.width = p_.in[1];
    for (std::size_t d = 0; d < 2; ++d) {
      channel.strides[d] = p_.stride[d];
      channel.phases[d] = p_.phases(d);
    }
    channel.at[0] = item.row * p_.stride[0] - p_.pad[0];
    channel.at[1] = -p_.pad[1];
    channel.planeHeight = item.rows + p_.reach(0);
    channel.planeWidth = width_;
    channel.plane = plane_;
    // Runs of a channel are too short for the prefetchers of the machine.
    constexpr std::int64_t kAhead = 2048;
    const std::int64_t read = std::min(item.rows * p_.stride[0], p_.in[0]) * p_.in[1];
    channel.ahead = dividedUp(kAhead, read) * p_.from.channel;
    for (std::int64_t c = 0; c < p_.inputs; ++c)
      for (std::int64_t n = 0; n < item.images; ++n) {
        channel.in =
            in + (item.image + n) * p_.from.image + (item.group * p_.inputs + c) * p_.from.channel;
        channel.planes = own + c * channel_ + n * image_;
        routines_.fill(channel);
      }
  }

  /// The same of `rows` outputs from `first` on, tap by tap: no weight meets the padding, of whose
  /// zeros an infinite one would make NaN.
  void sumTaps(const Item& item, std::int64_t first, std::int64_t rows, const float* in,
               const float* weights, const float* bias, float* out) const {
    const auto isIn = [&](std::size_t d, std::int64_t x) { return x >= 0 && x < p_.in[d]; };
    const auto sum = [&](const float* image, std::int64_t row, std::int64_t column,
                         const float* w) {
      float total = 0;
      for (std::int64_t c = 0; c < p_.inputs; ++c)
        for (std::int64_t ky = 0; ky < p_.kernel[0]; ++ky)
          for (std::int64_t kx = 0; kx < p_.kernel[1]; ++kx, w += rows) {
            const std::int64_t y = row * p_.stride[0] + ky * p_.dilation[0] - p_.pad[0],
                               x = column * p_.stride[1] + kx * p_.dilation[1] - p_.pad[1];
            if (isIn(0, y) && isIn(1, x))
              total += *w * image[c * p_.from.channel + y * p_.from.row + x];
          }
      return total;
    };
    for (std::int64_t n = item.image; n < item.image + item.images; ++n)
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t o = item.group * p_.outputs + first + r;
        const float* const image =
            in + n * p_.from.image + item.group * p_.inputs * p_.from.channel;
        float* const to = out + n * p_.to.image + o * p_.to.channel;
        for (std::int64_t y = item.row; y < item.row + item.rows; ++y)
          for (std::int64_t x = 0; x < p_.out[1]; ++x)
            to[y * p_.to.row + x] =
                sum(image, y, x, weights + r) + (bias == nullptr ? 0.0f : bias[o]);
      }
  }

  Plan p_;
  const planes::Routines& routines_;
  bool bias_;
  unsigned threads_;
  std::size_t from_;  // the operand that is read beside the weights
  Divisions divisions_;
  std::int64_t blocks_, width_, packs_ = 1;
  std::int64_t image_ = 0, plane_ = 0, channel_ = 0, sumsRow_ = 0;
  std::size_t planeBytes_ = 0, sumBytes_ = 0, flagBytes_ = 0;
  bool isByRows_ = false;
  std::vector<std::int64_t> runs_;     // by step
  std::vector<std::int64_t> vectors_;  // where each begins in a plane
};

bool canBePlanes(const ConvSpec& s) {
  return planesRoutines() != nullptr && s.postOps.empty() && isForRows(s);
}

}  // namespace

const planes::Routines* planesRoutines() {
  switch (isa()) {
    case Isa::Avx512: return &planes::avx512::kRoutines;
    case Isa::Avx2: return &planes::avx2::kRoutines;
    default: return nullptr;
  }
}

std::unique_ptr<Contraction> makePlanes(const ConvSpec& s, unsigned threads) {
  return canBePlanes(s) ? std::make_unique<PlanesConv>(s, threads) : nullptr;
}

double planesTime(const ConvSpec& s, unsigned threads) {
  if (!canBePlanes(s)) return std::numeric_limits<double>::infinity();
  const Plan plan(s);
  // The weights of a gradient change from run to run.
  constexpr double kPacked = 1.5;
  const double packed = s.pass == Pass::Forward ? 0 : kPacked / threads;
  return Divisions(plan, *planesRoutines(), threads).time +
         packed * static_cast<double>(s.weights.elements());
}

}  // namespace contraction
}  // namespace popir
