// Convolutions as matrix products (im2col). Supports every ConvSpec. Shared by the own and the
// portable source.
//
// Forward: for each image and group, the input values of each output point are written as a column,
// for a tile of points at a time. The weights are multiplied by this matrix. Data gradient: the
// product of the transposed weights and the output gradients is a matrix of columns. Each element
// of it is added to the input point that it was read from (col2im).
#ifndef popir_kernels_contraction_im2col_hpp
#define popir_kernels_contraction_im2col_hpp

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/contraction/matmul.hpp"

namespace popir {
namespace contraction {

/// Element positions of activations [n, channels, field...], plain or blocked.
struct Places {
  std::int64_t image, channelBlock, block, channel;
  std::array<std::int64_t, 3> field;

  explicit Places(const Layout& layout);
  std::int64_t of(std::int64_t n, std::int64_t c) const {
    return n * image + c / block * channelBlock + c % block * channel;
  }
};

/// A convolution with three field dimensions; missing outer dimensions have size 1.
struct Geometry {
  std::int64_t images, groups, outChannels, inChannels, points, taps;
  std::array<std::int64_t, 3> in, kernel, out, stride, dilation, inDilation, padLower;
  Places inPlaces, outPlaces;
  /// Strides of the weights as [group, output channel, input channel, tap...].
  std::array<std::int64_t, 6> weights;

  explicit Geometry(const ConvSpec& spec);
};

/// Gathers columns[(c - channel) * taps + tap][point - first] for input channels c in [channel,
/// channel + channels) and output points in [first, first + count). The rows of `columns` are `row`
/// elements apart; up to kBehindColumns elements behind the last one are written, too.
template <class T>
void gatherColumns(const Geometry& g, const T* in, std::int64_t image, std::int64_t group,
                   std::int64_t channel, std::int64_t channels, std::int64_t first,
                   std::int64_t count, T* columns, std::int64_t row);
constexpr std::int64_t kBehindColumns = 15;
/// The inverse: adds each element of `columns` to the input element from which gatherColumns()
/// reads it. Elements that gatherColumns() reads from the padding are dropped.
template <class T>
void addColumns(const Geometry& g, const T* columns, std::int64_t row, std::int64_t image,
                std::int64_t group, std::int64_t channel, std::int64_t channels, std::int64_t first,
                std::int64_t count, T* in);
/// Sets all points of input channels [channel, channel + channels) to zero.
template <class T>
void clearChannels(const Geometry& g, std::int64_t image, std::int64_t group, std::int64_t channel,
                   std::int64_t channels, T* in);

/// gatherPoints: to[o * row + point - first] = out[image, group, o, point]. scatterPoints is the
/// inverse.
template <class T>
void gatherPoints(const Geometry& g, const T* out, std::int64_t image, std::int64_t group,
                  std::int64_t first, std::int64_t count, T* to, std::int64_t row);
template <class T>
void scatterPoints(const Geometry& g, const T* from, std::int64_t row, std::int64_t image,
                   std::int64_t group, std::int64_t first, std::int64_t count, const T* bias,
                   T* out);

/// Packs the weights densely as [group][output channel][input channel][tap]. Behind them is a number
/// that is 0 if all are finite, else NaN.
template <class T>
void packWeights(const Geometry& g, const T* weights, T* packed);
/// The elements of packed weights, without the number behind them.
inline std::int64_t weightsOf(const Geometry& g) {
  return g.groups * g.outChannels * g.inChannels * g.taps;
}

/// Output points [first, first + count) of all channels of a group, tap by tap. No weight meets the
/// padding or the zeros of a dilated input, of which an infinite one would make NaN.
template <class T>
void sumTaps(const Geometry& g, const T* in, const T* packed, std::int64_t image,
             std::int64_t group, std::int64_t first, std::int64_t count, const T* bias, T* out);

/// Whether the points of a channel follow each other.
inline bool arePointsDense(const Geometry& g) {
  const auto& field = g.outPlaces.field;
  return field[2] == 1 && (g.out[1] == 1 || field[1] == g.out[2]) &&
         (g.out[0] == 1 || field[0] == g.out[1] * g.out[2]);
}

/// The points whose columns, of so many bytes each, are gathered at a time: so many that they stay in an
/// L2 cache of 256 KiB, but enough to be worth a product.
inline std::int64_t pointsAtATime(std::int64_t points, std::int64_t bytes) {
  constexpr std::int64_t kPoints = 256, kLeastPoints = 64, kBytes = 192 * 1024;
  const std::int64_t fit = kBytes / std::max<std::int64_t>(bytes, 1) / kLeastPoints * kLeastPoints;
  return std::clamp<std::int64_t>(points, 1, std::clamp(fit, kLeastPoints, kPoints));
}

/// Into how many parts threads share the output channels of so many fields, which are then gathered for each
/// part: where there are fewer fields than threads, or some would have one more, if a part still has enough
/// channels. Of a channel whose points they shared, each would fetch beyond its own what another one writes.
inline std::int64_t partsOfChannels(std::int64_t fields, std::int64_t channels, unsigned threads) {
  constexpr std::int64_t kLeastChannels = 32, kManyFields = 4;
  if (fields % threads == 0 || fields >= kManyFields * threads) return 1;
  return channels >= kLeastChannels * threads ? threads : 1;
}

template <class T, class Routine>
class ColumnsForward final : public Contraction {
 public:
  ColumnsForward(const ConvSpec& spec, unsigned threads, Routine routine, std::string description)
      : g_(spec),
        bias_(spec.bias),
        inPlace_(arePointsDense(g_)),
        threads_(threads),
        parts_(spec.policy.deterministic || !inPlace_
                   ? 1
                   : partsOfChannels(g_.images * g_.groups, g_.outChannels, threads)),
        routine_(routine),
        description_(std::move(description)),
        streams_(inPlace_ && isStreamed(spec.out.bytes())),
        tile_(pointsAtATime(g_.points, sizeof(T) * g_.inChannels * g_.taps)),
        columnBytes_(aligned(sizeof(T) * (g_.inChannels * g_.taps * tile_ + kBehindColumns))),
        resultBytes_(inPlace_ ? 0 : aligned(sizeof(T) * g_.outChannels * tile_)),
        routineBytes_(
            aligned(routine.scratchBytes(g_.outChannels, tile_, g_.inChannels * g_.taps))) {}

  std::string describe() const override { return description_; }
  std::size_t packedBytes() const override {
    return sizeof(T) * static_cast<std::size_t>(weightsOf(g_) + 1);
  }
  void pack(const void* weights, void* packed) const override {
    packWeights(g_, static_cast<const T*>(weights), static_cast<T*>(packed));
  }
  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    auto* out = static_cast<T*>(operands[2]);
    const auto* bias = bias_ ? static_cast<const T*>(operands[3]) : nullptr;
    const std::int64_t tiles = (g_.points + tile_ - 1) / tile_;
    parallelParts(g_.images * g_.groups * parts_ * tiles, 1, threads_,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    const pool::OwnMemory own(columnBytes_ + resultBytes_ + routineBytes_);
                    for (std::int64_t i = first; i < last; ++i) {
                      const std::int64_t part = i / tiles % parts_, field = i / tiles / parts_;
                      runTile({field / g_.groups, field % g_.groups, g_.outChannels * part / parts_,
                               g_.outChannels * (part + 1) / parts_, i % tiles * tile_},
                              in, static_cast<const T*>(packed), bias, out, own.data());
                    }
                  });
  }

 private:
  /// Points from `first` on, and output channels [channel, lastChannel) of a group.
  struct Tile {
    std::int64_t image, group, channel, lastChannel, first;
  };

  void runTile(const Tile& tile, const T* in, const T* packed, const T* bias, T* out,
               void* own) const {
    const auto [image, group, channel, lastChannel, first] = tile;
    const std::int64_t count = std::min(tile_, g_.points - first);
    if (bias != nullptr) bias += group * g_.outChannels;
    if (packed[weightsOf(g_)] != T(0)) {
      if (channel == 0) sumTaps(g_, in, packed, image, group, first, count, bias, out);
      return;
    }
    auto* columns = static_cast<T*>(own);
    gatherColumns(g_, in, image, group, 0, g_.inChannels, first, count, columns, tile_);
    gemm::BlockOf<T> block;
    block.m = lastChannel - channel;
    block.n = count;
    block.k = g_.inChannels * g_.taps;
    block.a = packed + (group * g_.outChannels + channel) * block.k;
    block.aRow = block.k;
    block.aColumn = 1;
    block.b = columns;
    block.bRow = tile_;
    block.bColumn = 1;
    block.alpha = 1;
    block.accumulate = false;
    block.bias = nullptr;
    void* const scratch = at(own, columnBytes_ + resultBytes_);
    if (inPlace_) {
      block.c = out + g_.outPlaces.of(image, group * g_.outChannels + channel) + first;
      block.cRow = g_.outPlaces.channelBlock;
      block.accumulate = bias != nullptr;
      block.streams = streams_;
      for (std::int64_t o = 0; bias != nullptr && o < block.m; ++o)
        std::fill_n(block.c + o * block.cRow, count, bias[channel + o]);
      routine_.run(block, scratch);
      return;
    }
    auto* result = static_cast<T*>(at(own, columnBytes_));
    block.c = result;
    block.cRow = tile_;
    routine_.run(block, scratch);
    scatterPoints(g_, result, tile_, image, group, first, count, bias, out);
  }

  Geometry g_;
  bool bias_, inPlace_;
  unsigned threads_;
  std::int64_t parts_;  // of the output channels
  Routine routine_;
  std::string description_;
  bool streams_;  // the output is written past the caches
  std::int64_t tile_;
  std::size_t columnBytes_, resultBytes_, routineBytes_;
};

/// Gradient of the data. For each image, group and block of input channels, the weights are
/// multiplied by one tile of output gradients after another. The products are added in the order of
/// tiles and taps. Zeros of padding and dilation are not multiplied.
template <class T, class Routine>
class ColumnsDataGradient final : public Contraction {
 public:
  ColumnsDataGradient(const ConvSpec& spec, unsigned threads, Routine routine,
                      std::string description)
      : g_(spec),
        threads_(threads),
        routine_(routine),
        description_(std::move(description)),
        tile_(std::clamp<std::int64_t>(g_.points, 1, kPoints)),
        channels_(std::clamp<std::int64_t>(g_.inChannels, 1, kChannels)),
        pointBytes_(aligned(sizeof(T) * g_.outChannels * tile_)),
        columnBytes_(aligned(sizeof(T) * channels_ * g_.taps * tile_)),
        routineBytes_(aligned(routine.scratchBytes(channels_ * g_.taps, tile_, g_.outChannels))) {}

  std::string describe() const override { return description_; }
  std::size_t packedBytes() const override {
    return sizeof(T) * static_cast<std::size_t>(weightsOf(g_) + 1);
  }
  void pack(const void* weights, void* packed) const override {
    packWeights(g_, static_cast<const T*>(weights), static_cast<T*>(packed));
  }
  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    auto* in = static_cast<T*>(operands[0]);
    const auto* out = static_cast<const T*>(operands[2]);
    const std::int64_t parts = (g_.inChannels + channels_ - 1) / channels_;
    parallelParts(g_.images * g_.groups * parts, 1, threads_,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    const pool::OwnMemory own(bytesOfAThread());
                    for (std::int64_t i = first; i < last; ++i)
                      runPart(i / parts / g_.groups, i / parts % g_.groups, i % parts * channels_,
                              out, static_cast<const T*>(packed), in, own.data());
                  });
  }

 private:
  static constexpr std::int64_t kPoints = 256, kChannels = 16;

  std::size_t bytesOfAThread() const { return pointBytes_ + columnBytes_ + routineBytes_; }

  void runPart(std::int64_t image, std::int64_t group, std::int64_t channel, const T* out,
               const T* packed, T* in, void* own) const {
    auto* points = static_cast<T*>(own);
    auto* columns = static_cast<T*>(at(own, pointBytes_));
    const std::int64_t channels = std::min(channels_, g_.inChannels - channel);
    const std::int64_t row = g_.inChannels * g_.taps;
    clearChannels(g_, image, group, channel, channels, in);
    gemm::BlockOf<T> block;
    block.m = channels * g_.taps;
    block.k = g_.outChannels;
    block.a = packed + group * g_.outChannels * row + channel * g_.taps;
    block.aRow = 1;
    block.aColumn = row;
    block.b = points;
    block.bRow = tile_;
    block.bColumn = 1;
    block.c = columns;
    block.cRow = tile_;
    block.alpha = 1;
    block.accumulate = false;
    block.bias = nullptr;
    for (std::int64_t first = 0; first < g_.points; first += tile_) {
      block.n = std::min(tile_, g_.points - first);
      gatherPoints(g_, out, image, group, first, block.n, points, tile_);
      routine_.run(block, at(own, pointBytes_ + columnBytes_));
      addColumns(g_, columns, tile_, image, group, channel, channels, first, block.n, in);
    }
  }

  Geometry g_;
  unsigned threads_;
  Routine routine_;
  std::string description_;
  std::int64_t tile_, channels_;
  std::size_t pointBytes_, columnBytes_, routineBytes_;
};

/// Gradient of the weights. For each group and block of input channels, the columns of one image
/// after another are multiplied by its output gradients. The products are added in the order of
/// images and tiles.
template <class T, class Routine>
class ColumnsWeightsGradient final : public Contraction {
 public:
  ColumnsWeightsGradient(const ConvSpec& spec, unsigned threads, Routine routine,
                         std::string description)
      : g_(spec),
        threads_(threads),
        routine_(routine),
        description_(std::move(description)),
        tile_(std::clamp<std::int64_t>(g_.points, 1, kPoints)),
        channels_(std::clamp<std::int64_t>(g_.inChannels, 1, kChannels)),
        columnBytes_(aligned(sizeof(T) * (channels_ * g_.taps * tile_ + kBehindColumns))),
        pointBytes_(aligned(sizeof(T) * g_.outChannels * tile_)),
        sumBytes_(aligned(sizeof(T) * g_.outChannels * channels_ * g_.taps)),
        routineBytes_(aligned(routine.scratchBytes(g_.outChannels, channels_ * g_.taps, tile_))) {}

  std::string describe() const override { return description_; }
  void runPacked(void* const* operands, const void*, void* /*work*/) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    auto* weights = static_cast<T*>(operands[1]);
    const auto* out = static_cast<const T*>(operands[2]);
    const std::int64_t parts = (g_.inChannels + channels_ - 1) / channels_;
    parallelParts(g_.groups * parts, 1, threads_,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    const pool::OwnMemory own(bytesOfAThread());
                    for (std::int64_t i = first; i < last; ++i)
                      runPart(i / parts, i % parts * channels_, in, out, weights, own.data());
                  });
  }

 private:
  static constexpr std::int64_t kPoints = 256, kChannels = 16;

  std::size_t bytesOfAThread() const {
    return columnBytes_ + pointBytes_ + sumBytes_ + routineBytes_;
  }

  void runPart(std::int64_t group, std::int64_t channel, const T* in, const T* out, T* weights,
               void* own) const {
    auto* columns = static_cast<T*>(own);
    auto* points = static_cast<T*>(at(own, columnBytes_));
    auto* sums = static_cast<T*>(at(own, columnBytes_ + pointBytes_));
    const std::int64_t channels = std::min(channels_, g_.inChannels - channel);
    gemm::BlockOf<T> block;
    block.m = g_.outChannels;
    block.n = channels * g_.taps;
    block.a = points;
    block.aRow = tile_;
    block.aColumn = 1;
    block.b = columns;
    block.bRow = 1;
    block.bColumn = tile_;
    block.c = sums;
    block.cRow = block.n;
    block.alpha = 1;
    block.accumulate = false;
    block.bias = nullptr;
    if (g_.images * g_.points == 0) std::fill_n(sums, block.m * block.n, T(0));
    for (std::int64_t image = 0; image < g_.images; ++image)
      for (std::int64_t first = 0; first < g_.points; first += tile_) {
        block.k = std::min(tile_, g_.points - first);
        gatherColumns(g_, in, image, group, channel, channels, first, block.k, columns, tile_);
        gatherPoints(g_, out, image, group, first, block.k, points, tile_);
        routine_.run(block, at(own, columnBytes_ + pointBytes_ + sumBytes_));
        block.accumulate = true;
      }
    for (std::int64_t o = 0; o < g_.outChannels; ++o)
      for (std::int64_t c = 0; c < channels; ++c) {
        T* to = weights + group * g_.weights[0] + o * g_.weights[1] + (channel + c) * g_.weights[2];
        const T* from = sums + o * block.n + c * g_.taps;
        for (std::int64_t z = 0; z < g_.kernel[0]; ++z)
          for (std::int64_t y = 0; y < g_.kernel[1]; ++y)
            for (std::int64_t x = 0; x < g_.kernel[2]; ++x)
              to[z * g_.weights[3] + y * g_.weights[4] + x * g_.weights[5]] = *from++;
      }
  }

  Geometry g_;
  unsigned threads_;
  Routine routine_;
  std::string description_;
  std::int64_t tile_, channels_;
  std::size_t columnBytes_, pointBytes_, sumBytes_, routineBytes_;
};

template <class T, class Routine>
std::unique_ptr<Contraction> makeColumnsConv(const ConvSpec& spec, unsigned threads,
                                             Routine routine, std::string description) {
  if (spec.pass == Pass::WeightsGradient)
    return std::make_unique<ColumnsWeightsGradient<T, Routine>>(spec, threads, routine,
                                                                std::move(description));
  if (spec.pass == Pass::DataGradient)
    return std::make_unique<ColumnsDataGradient<T, Routine>>(spec, threads, routine,
                                                             std::move(description));
  return std::make_unique<ColumnsForward<T, Routine>>(spec, threads, routine,
                                                      std::move(description));
}

}  // namespace contraction
}  // namespace popir

#endif
