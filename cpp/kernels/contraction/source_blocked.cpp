// The source "blocked": a class for each kind of convolution that routines of blocked.hpp compute. Long,
// because there are five, each of which says how threads share it.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "kernels/contraction/blocked.hpp"
#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/relaid.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

const blocked::Routines* routines() {
  switch (isa()) {
    case Isa::Avx512: return &blocked::avx512::kRoutines;
    case Isa::Avx2: return &blocked::avx2::kRoutines;
    default: return nullptr;
  }
}

/// What the convolutions have in common: their bias and post-ops, and threads.
class Blocked : public Contraction {
 public:
  Blocked(const ConvSpec& s, const char* what, unsigned threads)
      : threads_(threads),
        what_(what),
        read_(s.pass == Pass::DataGradient ? 2 : 0),
        bias_(s.bias),
        posts_(s.postOps) {}

  std::string describe() const override { return std::string(what_) + " " + name(isa()); }
  std::size_t packedBytes() const override { return sizeof(float) * packedFloats(); }
  void pack(const void* weights, void* packed) const override {
    packFloats(static_cast<const float*>(weights), static_cast<float*>(packed));
  }
  void runPacked(void* const* operands, const void* packed, void* work) const override {
    const pool::OwnArray<blocked::Step> steps(posts_.size() + 1);
    blocked::Step* next = steps.begin();
    if (bias_)
      *next++ = {PostOp::Kind::Add, PostOp::Extent::Channel, 0,
                 static_cast<const float*>(operands[3])};
    for (const PostOp& op : posts_)
      *next++ = {op.kind, op.extent, op.number,
                 op.operand == 0 ? nullptr : static_cast<const float*>(operands[op.operand])};
    const blocked::Operands at{static_cast<const float*>(operands[read_]),
                               static_cast<const float*>(operands[1]),
                               static_cast<const float*>(packed),
                               static_cast<float*>(operands[2 - read_]),
                               {steps.begin(), static_cast<std::size_t>(next - steps.begin())}};
    begin(work);
    const std::int64_t all = shares();
    parallelParts(all, 1, threads_, [&](std::int64_t first, std::int64_t last, unsigned thread) {
      if (last - first == all) return share(at, 0, 1, thread, work);
      for (std::int64_t i = first; i < last; ++i) share(at, i, all, thread, work);
    });
  }

 protected:
  virtual std::size_t packedFloats() const = 0;
  virtual void packFloats(const float* weights, float* packed) const = 0;
  /// Prepares the memory of a run, before the threads share it.
  virtual void begin(void* /*work*/) const {}
  /// Into how many parts several threads divide the work.
  virtual std::int64_t shares() const { return kSharesOfThread * threads_; }
  /// Part `i` of `all` equal ones.
  virtual void share(const blocked::Operands& at, std::int64_t i, std::int64_t all, unsigned thread,
                     void* work) const = 0;

  static constexpr std::int64_t kSharesOfThread = 2;

  unsigned threads_;

 private:
  const char* what_;
  std::size_t read_;  // operand: in, or out for the gradient of in
  bool bias_;
  std::vector<PostOp> posts_;
};

/// Threads share tiles, or output channels where the weights are larger than the inputs: then each
/// thread transforms all inputs. If the weights change between runs, each thread packs those that it
/// reads, all of them where it has tiles, unless they are large: what another thread has just packed
/// would be costly to fetch from the cache of its core, and more costly to overwrite in the next run.
class Winograd final : public Blocked {
 public:
  /// `packed`: the weights are packed once for many runs.
  Winograd(const ConvSpec& s, const blocked::Shape& shape, unsigned threads, bool packed)
      : Blocked(s, shape.tile == 4 ? "winograd 4 x 4" : "winograd 2 x 2", threads), shape_(shape) {
    const std::int64_t tiles = shape_.tiles(), in = shape_.in, panels = shape_.out / panel();
    constexpr std::int64_t kMostOfThread = 1 << 22;  // floats
    byOutputs_ = panels >= threads && (packed ? 16 : 1) * tiles < shape_.out &&
                 shape_.places() * tiles * in <= kMostOfThread;
    constexpr std::int64_t kMostOwnWeights = 1 << 20;  // floats
    packs_ = packed || (!byOutputs_ && shape_.packedFloats() > kMostOwnWeights);
    outs_ = byOutputs_ ? (panels + threads - 1) / threads * panel() : shape_.out;
    if (byOutputs_ && !packs_) {
      parts_ = 1;
      scratchBytes_ = aligned(sizeof(float) * shape_.unpackedFloats(tiles, panel()));
      return;
    }
    // What a thread works on stays in a second-level cache, unless weights would be read more often
    // than that takes.
    constexpr std::int64_t kFloats = 1 << 18, kLeastTiles = 14;
    const std::int64_t most = std::max(
        {kLeastTiles, kFloats / shape_.scratchFloats(1, outs_), in * outs_ / (4 * (in + outs_))});
    std::int64_t parts = (tiles + most - 1) / most;
    if (!byOutputs_) parts = (parts + threads - 1) / threads * threads;
    parts_ = std::min(parts, tiles);
    scratchBytes_ =
        aligned(sizeof(float) * shape_.scratchFloats((tiles + parts_ - 1) / parts_, outs_));
    if (!packs_) ownBytes_ = aligned(sizeof(float) * shape_.packedFloats());
  }
  std::size_t workBytes() const override { return ownBytes_ > 0 ? threads_ * kLine : 0; }
  /// For tiles that are not finite.
  bool readsBoth() const override { return true; }

 private:
  static constexpr std::size_t kLine = 64;
  static std::int64_t panel() { return 2 * routines()->vector; }

  std::size_t packedFloats() const override { return packs_ ? shape_.packedFloats() : 0; }
  void packFloats(const float* weights, float* packed) const override {
    const std::int64_t panels = shape_.out / panel(), all = kSharesOfThread * threads_;
    parallelParts(panels, (panels + all - 1) / all, threads_,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    routines()->packWinograd(shape_, weights, packed, first * panel(),
                                             last * panel());
                  });
  }
  std::int64_t shares() const override {
    return byOutputs_ ? (shape_.out + outs_ - 1) / outs_ : parts_;
  }
  void begin(void* work) const override {
    for (unsigned thread = 0; ownBytes_ > 0 && thread < threads_; ++thread)
      isPacked(work, thread) = false;
  }
  void share(const blocked::Operands& given, std::int64_t i, std::int64_t all, unsigned thread,
             void* work) const override {
    const pool::OwnMemory memory(ownBytes_ + scratchBytes_);
    blocked::Operands at = given;
    if (ownBytes_ > 0) {
      auto* const weights = static_cast<float*>(memory.data());
      bool& isDone = isPacked(work, thread);
      if (!isDone) routines()->packWinograd(shape_, given.weights, weights, 0, shape_.out);
      isDone = true;
      at.packed = weights;
    }
    auto* const own = static_cast<float*>(contraction::at(memory.data(), ownBytes_));
    const std::int64_t n = shares(), tiles = shape_.tiles();
    const auto run = [&](std::int64_t part, std::int64_t o, std::int64_t end) {
      const std::int64_t first = tiles * part / parts_, last = tiles * (part + 1) / parts_;
      routines()->runWinograd(shape_, at, {first, last - first, o, end}, own);
    };
    for (std::int64_t j = n * i / all; j < n * (i + 1) / all; ++j) {
      if (!byOutputs_) {
        run(j, 0, shape_.out);
        continue;
      }
      for (std::int64_t part = 0; part < parts_; ++part)
        run(part, j * outs_, std::min((j + 1) * outs_, shape_.out));
    }
  }

  /// Whether a thread has packed its weights, at the beginning of its own memory, in this run.
  bool& isPacked(void* work, unsigned thread) const {
    return *static_cast<bool*>(contraction::at(work, thread * kLine));
  }

  blocked::Shape shape_;
  bool byOutputs_, packs_;
  std::int64_t outs_;   // output channels of a share
  std::int64_t parts_;  // of the tiles
  std::size_t scratchBytes_;
  std::size_t ownBytes_ = 0;  // of a thread's own weights
};

/// The gradient of the weights of a convolution of 3 x 3. Threads share output channels, each
/// transforms all inputs for itself: what another one has just written would come slowly. So the bits
/// do not depend on threads.
class WinogradGradient final : public Contraction {
 public:
  WinogradGradient(const blocked::Shape& shape, unsigned threads)
      : shape_(shape), threads_(threads) {
    const std::int64_t vector = routines()->vector, vectors = shape_.out / vector;
    shares_ = std::min<std::int64_t>(threads, vectors);
    outs_ = (vectors + shares_ - 1) / shares_ * vector;
    shares_ = (shape_.out + outs_ - 1) / outs_;
    const std::int64_t tiles = shape_.tiles();
    // What is transformed at a time, of two threads, stays in half of a second-level cache, unless
    // sums of so few tiles would be read and written more often than that.
    const std::int64_t outs = shape_.out / 2, channels = shape_.in + outs;
    const std::int64_t most =
        std::max({kFloats / (shape_.places() * channels), 2 * shape_.in * outs / channels, kOne});
    const std::int64_t parts = (tiles + most - 1) / most;
    most_ = (tiles + parts - 1) / parts;
  }

  std::string describe() const override {
    return std::string("winograd gradient ") + (shape_.tile == 4 ? "4 x 4 " : "2 x 2 ") +
           name(isa());
  }
  std::size_t workBytes() const override { return sumsBytes(); }
  void runPacked(void* const* operands, const void*, void* work) const override {
    const auto* in = static_cast<const float*>(operands[0]);
    const auto* gradient = static_cast<const float*>(operands[2]);
    auto* sums = static_cast<float*>(work);
    parallelParts(shares_, 1, threads_, [&](std::int64_t begin, std::int64_t end, unsigned) {
      const pool::OwnMemory own(bytesOf(shape_.in) + bytesOf(outs_));
      auto* u = static_cast<float*>(own.data());
      auto* d = static_cast<float*>(at(own.data(), bytesOf(shape_.in)));
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t o = i * outs_, last = std::min(o + outs_, shape_.out);
        for (std::int64_t first = 0, all = shape_.tiles(); first < all; first += most_)
          routines()->addGradient(shape_, {first, std::min(most_, all - first), o, last}, in,
                                  gradient, u, d, sums);
        routines()->finishGradient(shape_, in, gradient, sums, static_cast<float*>(operands[1]), o,
                                   last);
      }
    });
  }

 private:
  static constexpr std::int64_t kFloats = 1 << 17, kOne = 1;

  std::size_t sumsBytes() const { return aligned(sizeof(float) * shape_.packedFloats()); }
  std::size_t bytesOf(std::int64_t channels) const {
    return aligned(sizeof(float) * shape_.places() * blocked::Shape::step(most_, channels));
  }

  blocked::Shape shape_;
  unsigned threads_;
  std::int64_t shares_, outs_;  // output channels of a share
  std::int64_t most_;           // tiles at a time
};

class Direct final : public Blocked {
 public:
  Direct(const ConvSpec& s, const blocked::DirectShape& shape, unsigned threads)
      : Blocked(s, "direct", threads), shape_(shape) {}

 private:
  std::size_t packedFloats() const override {
    return shape_.in * shape_.taps() * panels() * panel();
  }
  bool movesWeights() const override { return true; }
  void packFloats(const float* weights, float* packed) const override {
    const std::int64_t all = kSharesOfThread * threads_;
    parallelParts(panels(), (panels() + all - 1) / all, threads_,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    routines()->packDirect(shape_, weights, packed, first, last);
                  });
  }
  /// Outputs are divided where there are many, so that a thread reads its part of the input alone;
  /// else output channels, so that it reads its part of the weights alone, and outputs once more if
  /// some threads had a panel more than others.
  void share(const blocked::Operands& at, std::int64_t i, std::int64_t all, unsigned,
             void*) const override {
    constexpr std::int64_t kManyOutputs = 128;
    const std::int64_t lines = shape_.images * linesOfImage();
    const std::int64_t outputs = shape_.images * shape_.outHeight * shape_.outWidth;
    if (panels() < threads_ || (outputs >= kManyOutputs * threads_ && lines >= all))
      return run(at, lines * i / all, lines * (i + 1) / all, 0, panels());
    constexpr std::int64_t kEnoughPanels = 8;  // for each thread: one more does not matter
    const std::int64_t pieces = panels() >= kEnoughPanels * threads_
                                    ? 1
                                    : threads_ / std::gcd(panels(), std::int64_t(threads_));
    const std::int64_t units = panels() * pieces, end = units * (i + 1) / all;
    for (std::int64_t unit = units * i / all; unit < end;) {
      const std::int64_t panel = unit / pieces, piece = unit % pieces;
      const std::int64_t whole = piece == 0 ? (end - unit) / pieces : 0;
      if (whole > 0) {
        run(at, 0, lines, panel, panel + whole);
        unit += whole * pieces;
      } else {
        run(at, lines * piece / pieces, lines * (piece + 1) / pieces, panel, panel + 1);
        ++unit;
      }
    }
  }

  /// Lines of all images, counted through, by panels of output channels.
  void run(const blocked::Operands& at, std::int64_t line, std::int64_t lastLine,
           std::int64_t panel, std::int64_t lastPanel) const {
    const std::int64_t lines = linesOfImage();
    while (line < lastLine && panel < lastPanel) {
      const std::int64_t image = line / lines, first = line % lines;
      const std::int64_t count = std::min(lines - first, lastLine - line);
      if (isOneRow())
        routines()->runDirect(shape_, at, image, 0, 1, first, first + count, panel, lastPanel);
      else
        routines()->runDirect(shape_, at, image, first, first + count, 0, shape_.outWidth, panel,
                              lastPanel);
      line += count;
    }
  }

  bool isOneRow() const { return shape_.outHeight == 1; }
  std::int64_t linesOfImage() const { return isOneRow() ? shape_.outWidth : shape_.outHeight; }
  std::int64_t panel() const { return 2 * routines()->vector; }
  std::int64_t panels() const { return shape_.groups * shape_.panels(panel()); }

  blocked::DirectShape shape_;
};

class Depthwise final : public Blocked {
 public:
  Depthwise(const ConvSpec& s, const blocked::DepthShape& shape, unsigned threads)
      : Blocked(s, shape.group == 1 ? "depthwise" : "narrow groups", threads), shape_(shape) {}

 private:
  std::size_t packedFloats() const override {
    return shape_.channels * shape_.group * shape_.taps();
  }
  bool movesWeights() const override { return true; }
  void packFloats(const float* weights, float* packed) const override {
    routines()->packDepthwise(shape_, weights, packed);
  }
  void share(const blocked::Operands& at, std::int64_t i, std::int64_t all, unsigned,
             void*) const override {
    const std::int64_t rows =
        shape_.images * shape_.channels / routines()->vector * shape_.outHeight;
    routines()->runDepthwise(shape_, at, rows * i / all, rows * (i + 1) / all);
  }

  blocked::DepthShape shape_;
};

/// The gradient of the weights of a depthwise convolution, or of narrow groups. A thread sums rows of
/// filters over all images, so the bits do not depend on threads.
class DepthwiseGradient final : public Contraction {
 public:
  DepthwiseGradient(const blocked::DepthShape& shape, unsigned threads)
      : shape_(shape), threads_(threads) {}

  std::string describe() const override {
    return std::string(shape_.group == 1 ? "depthwise" : "narrow groups") + " gradient " +
           name(isa());
  }
  void runPacked(void* const* operands, const void*, void*) const override {
    const auto* in = static_cast<const float*>(operands[0]);
    const auto* out = static_cast<const float*>(operands[2]);
    const std::int64_t rows = shape_.channels / routines()->vector * shape_.kernelHeight;
    parallelParts(rows, 1, threads_, [&](std::int64_t first, std::int64_t last, unsigned) {
      routines()->runDepthwiseGradient(shape_, in, out, static_cast<float*>(operands[1]), first,
                                       last);
    });
  }

 private:
  blocked::DepthShape shape_;
  unsigned threads_;
};

/// Whether a convolution has a field of two dimensions, and FLOAT.
bool isOrdinary(const ConvSpec& s) {
  if (routines() == nullptr || s.fieldDims() != 2 || !s.weights.dense()) return false;
  for (const Layout* l : {&s.in, &s.weights, &s.out})
    if (l->type != poplar::FLOAT || l->elements() == 0) return false;
  return s.inDilation[0] == 1 && s.inDilation[1] == 1;
}

/// Whether it has no dilation and crops nothing.
bool isUndilated(const ConvSpec& s) {
  return s.dilation[0] == 1 && s.dilation[1] == 1 && s.padLower[0] >= 0 && s.padLower[1] >= 0;
}

/// Whether channels are an odd multiple of half a vector: these are last in memory, not in blocks.
bool endsInHalf(const ConvSpec& s, const Layout& layout, std::int64_t vector) {
  return s.groups == 1 && layout.shape[1] % vector == vector / 2;
}

/// Whether a forward convolution, or the gradient of data, is of the general form that all take.
bool isBlocked(const ConvSpec& s) {
  if (!isOrdinary(s)) return false;
  const auto vector = static_cast<int>(routines()->vector);
  for (const PostOp& op : s.postOps)
    if (op.extent == PostOp::Extent::Full && op.layout.channelBlock != s.out.channelBlock)
      return false;
  return s.out.channelBlock == vector ||
         (s.out.channelBlock == Layout::kChannelsLast && endsInHalf(s, s.out, vector));
}

blocked::Field fieldOf(const ConvSpec& s) {
  return {s.in.shape[2],      s.in.shape[3],      s.out.shape[2], s.out.shape[3],
          s.weights.shape[3], s.weights.shape[4], s.stride[0],    s.stride[1],
          s.dilation[0],      s.dilation[1],      s.padLower[0],  s.padLower[1]};
}

bool isKernel(const ConvSpec& s, std::int64_t size) {
  return s.weights.shape[3] == size && s.weights.shape[4] == size;
}

bool hasStride(const ConvSpec& s, std::int64_t stride) {
  return s.stride[0] == stride && s.stride[1] == stride;
}

/// Whether tiles of 4 x 4 are faster than those of 2 x 2, by the measurements in docs/contractions.md:
/// there are fewer multiplications, and tiles enough for the larger weights.
bool largeTilesAreFaster(blocked::Shape shape, Pass pass, bool packed) {
  constexpr std::int64_t kLeastTiles = 32, kLeastTilesPacked = 16;
  const auto multiplications = [&](std::int64_t tile) {
    shape.tile = tile;
    return shape.places() * shape.tiles();
  };
  if (10 * multiplications(4) > 9 * multiplications(2)) return false;
  shape.tile = 4;
  // Each output reads a whole square of 2 x 2 inputs that is not all beyond a side: see Extremes.
  if (pass != Pass::WeightsGradient && (std::max(shape.padTop, shape.padLeft) > 1 ||
                                        shape.outHeight > shape.height - 1 + shape.padTop ||
                                        shape.outWidth > shape.width - 1 + shape.padLeft))
    return false;
  if (pass == Pass::WeightsGradient) return 8 * shape.tiles() >= 3 * shape.out;
  return shape.tiles() >= (packed ? kLeastTilesPacked : kLeastTiles);
}

/// Nothing for what is no convolution of 3 x 3 in blocks, of stride 1. Its tile is that of weights
/// that are packed once, or change.
std::optional<blocked::Shape> winogradShape(const ConvSpec& s, bool packed) {
  const bool isGradient = s.pass == Pass::WeightsGradient;
  if (isGradient ? !isOrdinary(s) : !isBlocked(s)) return std::nullopt;
  if (!isUndilated(s) || s.groups != 1 || !isKernel(s, 3) || !hasStride(s, 1)) return std::nullopt;
  const std::int64_t vector = routines()->vector;
  if (s.in.channelBlock != vector || s.out.channelBlock != vector) return std::nullopt;
  const std::int64_t out = s.weights.shape[1], in = s.weights.shape[2];
  blocked::Shape shape{2,
                       s.in.shape[0],
                       in,
                       out,
                       s.in.shape[2],
                       s.in.shape[3],
                       s.out.shape[2],
                       s.out.shape[3],
                       s.padLower[0],
                       s.padLower[1],
                       9 * in,
                       9,
                       false};
  // The gradient of the input is the convolution of that of the output with the weights turned.
  if (s.pass == Pass::DataGradient)
    shape = {2,
             s.in.shape[0],
             out,
             in,
             s.out.shape[2],
             s.out.shape[3],
             s.in.shape[2],
             s.in.shape[3],
             2 - s.padLower[0],
             2 - s.padLower[1],
             9,
             9 * in,
             true};
  if (largeTilesAreFaster(shape, s.pass, packed)) shape.tile = 4;
  if (!isGradient && (shape.out % (2 * vector) != 0 || shape.padTop < 0 || shape.padLeft < 0))
    return std::nullopt;
  return shape;
}

std::unique_ptr<Contraction> winograd(const ConvSpec& s, unsigned threads, bool packed) {
  const auto shape = winogradShape(s, packed);
  if (!shape) return nullptr;
  if (s.pass == Pass::WeightsGradient) return std::make_unique<WinogradGradient>(*shape, threads);
  return std::make_unique<Winograd>(s, *shape, threads, packed);
}

/// The input's channels are in blocks of a vector where they fill these, whatever its layout is: so
/// are the sums of a convolution in the same order.
std::unique_ptr<Contraction> direct(const ConvSpec& s, unsigned threads) {
  if (s.pass != Pass::Forward || !isBlocked(s)) return nullptr;
  const std::int64_t vector = routines()->vector, out = s.weights.shape[1], in = s.weights.shape[2];
  const bool inVectors = in % vector == 0;
  if (s.groups > 1 && (!inVectors || out % vector != 0)) return nullptr;
  blocked::DirectShape shape{fieldOf(s), s.in.shape[0], s.groups, in, out, 0, 0, 0, 0, 0, 0, 0};
  const bool isLast = s.out.channelBlock == Layout::kChannelsLast;
  shape.outColumnStep = isLast ? out : vector;
  shape.outBlockStep = isLast ? vector : s.out.shape[2] * s.out.shape[3] * vector;
  const std::int64_t channels = s.in.shape[1], width = s.in.shape[3];
  const bool inHalves = endsInHalf(s, s.in, vector);
  shape.block = inVectors ? vector : inHalves ? vector / 2 : 1;
  shape.imageStep = channels * s.in.shape[2] * width;
  switch (s.in.channelBlock) {
    case Layout::kPlain:
      if (inVectors || inHalves) return nullptr;
      shape.imageStep = s.in.strides[0];
      shape.blockStep = s.in.strides[1];
      shape.rowStep = s.in.strides[2];
      shape.columnStep = s.in.strides[3];
      break;
    case Layout::kChannelsLast:
      shape.blockStep = shape.block;
      shape.rowStep = width * channels;
      shape.columnStep = channels;
      break;
    default:
      if (s.in.channelBlock != vector || !inVectors) return nullptr;
      shape.blockStep = s.in.shape[2] * width * vector;
      shape.rowStep = width * vector;
      shape.columnStep = vector;
  }
  // Of one point: the image is one row.
  const bool isPoint = isKernel(s, 1) && hasStride(s, 1) && s.padLower[0] == 0 &&
                       s.padLower[1] == 0 && shape.height == shape.outHeight &&
                       shape.width == shape.outWidth;
  if (isPoint && shape.rowStep == shape.width * shape.columnStep) {
    shape.width = shape.outWidth = shape.height * shape.width;
    shape.height = shape.outHeight = 1;
  }
  return std::make_unique<Direct>(s, shape, threads);
}

std::unique_ptr<Contraction> depthwise(const ConvSpec& s, unsigned threads) {
  if (!isOrdinary(s)) return nullptr;
  const std::int64_t vector = routines()->vector, group = s.weights.shape[2];
  const bool isDepthwise = s.weights.shape[1] == 1 && group == 1;
  if (!isDepthwise && !(isOfNarrowGroups(s) && group < vector)) return nullptr;
  blocked::DepthShape shape{fieldOf(s), s.in.shape[0], s.in.shape[1], group};
  switch (s.pass) {
    case Pass::Forward:
      if (!isBlocked(s) || s.in.channelBlock != vector || s.out.channelBlock != vector)
        return nullptr;
      return std::make_unique<Depthwise>(s, shape, threads);
    case Pass::WeightsGradient:
      if (!isUndilated(s) || s.in.channelBlock != vector || s.out.channelBlock != vector)
        return nullptr;
      return std::make_unique<DepthwiseGradient>(shape, threads);
    case Pass::DataGradient:
      if (!isUndilated(s) || !hasStride(s, 1) || !isBlocked(s) || s.in.channelBlock != vector ||
          s.out.channelBlock != vector)
        return nullptr;
      std::swap(shape.height, shape.outHeight);
      std::swap(shape.width, shape.outWidth);
      shape.padTop = shape.kernelHeight - 1 - shape.padTop;
      shape.padLeft = shape.kernelWidth - 1 - shape.padLeft;
      shape.turned = true;
      return std::make_unique<Depthwise>(s, shape, threads);
  }
  return nullptr;
}

std::unique_ptr<Contraction> inBlocks(const ConvSpec& s, unsigned threads, const MakeConv& make) {
  if (routines() == nullptr) return nullptr;
  return makeInBlocks(s, static_cast<int>(routines()->vector), threads, make);
}

}  // namespace

std::unique_ptr<Contraction> makeWinograd(const ConvSpec& s, unsigned threads, bool packed) {
  return inBlocks(s, threads, [packed](const ConvSpec& inner, unsigned n) {
    return winograd(inner, n, packed);
  });
}

bool winogradGainsByPacking(const ConvSpec& s, unsigned threads) {
  if (routines() == nullptr) return true;
  const auto packed = winogradShape(s, true), plain = winogradShape(s, false);
  if (!packed || !plain || packed->tile == 2) return true;
  constexpr std::int64_t kMostTiles = 64, kLeastFloats = 1 << 21;
  const auto multiplications = [](const blocked::Shape& shape) {
    return shape.places() * shape.tiles();
  };
  const Winograd made(s, *plain, threads, false);
  return packed->tiles() > kMostTiles || packed->packedFloats() < kLeastFloats ||
         5 * multiplications(*plain) > 7 * multiplications(*packed) || made.packedBytes() > 0;
}

std::unique_ptr<Contraction> makeDirect(const ConvSpec& s, unsigned threads) {
  return inBlocks(s, threads, direct);
}

std::unique_ptr<Contraction> makeDepthwise(const ConvSpec& s, unsigned threads) {
  return inBlocks(s, threads, depthwise);
}

}  // namespace contraction
}  // namespace popir
