// Depthwise convolutions of bytes: one channel in and one out in each group.
#include <algorithm>
#include <cstring>

#include "kernels/contraction/integer_conv.hpp"
#include "kernels/contraction/words.hpp"
#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

/// With channels last, rows of the input that a window has in one column are woven to words, for all
/// channels and places of a line at once. So the lanes of a vector are channels, and a sum takes a word
/// for each column of the window, or several where it is higher than a word.
class IntegerDepthwise final : public Contraction {
 public:
  IntegerDepthwise(const IntegerConvSpec& spec, unsigned threads)
      : s_(spec),
        isBytes_(bytesKernel() != nullptr),
        kernel_(isBytes_ ? *bytesKernel() : shortsKernel()),
        threads_(threads),
        inShift_(isBytes_ && spec.inType != poplar::UNSIGNED_CHAR ? 128 : 0),
        weightShift_(isBytes_ && spec.weightsType == poplar::UNSIGNED_CHAR ? -128 : 0),
        outBytes_(bytesOfResult(spec.requantization)),
        turnIn_(transposeMatrix(1)),
        turnOut_(transposeMatrix(static_cast<std::size_t>(outBytes_))),
        channels_(spec.groups),
        panels_((channels_ + kernel_.columns - 1) / kernel_.columns),
        high_((spec.kernel[0] + kernel_.perWord - 1) / kernel_.perWord),
        width_((std::max<std::int64_t>(spec.outField[1], 1) - 1) * spec.stride[1] +
               (spec.kernel[1] - 1) * spec.dilation[1] + 1),
        lineBytes_(width_ * channels_ * kWordBytes) {
    for (std::int64_t x = 0; x < spec.kernel[1]; ++x)
      for (std::int64_t w = 0; w < high_; ++w)
        taps_.push_back(w * lineBytes_ + x * spec.dilation[1] * channels_ * kWordBytes);
    for (std::int64_t x = 0; x < spec.outField[1]; ++x)
      places_.push_back(x * spec.stride[1] * channels_ * kWordBytes);
    words_ = static_cast<std::int64_t>(taps_.size());
    panelBytes_ = words_ * kernel_.columns * kWordBytes;
    imageBytes_ = s_.inLast ? 0 : aligned(s_.batch * inPositions() * channels_);
    resultBytes_ = s_.outLast ? 0 : aligned(s_.batch * outPositions() * channels_ * outBytes_);
    zerosBytes_ = aligned(s_.inField[1] * channels_ + 1);
    // A vector may reach beyond the last word.
    ownBytes_ = aligned(high_ * lineBytes_ + kernel_.columns * kWordBytes);
  }

  std::string describe() const override {
    return std::string(isBytes_ ? "depthwise bytes " : "depthwise bytes as shorts ") + kernel_.name;
  }

  // The panels, one of ones, and the sums of the columns.
  std::size_t packedBytes() const override {
    return (panels_ + 1) * panelBytes_ +
           panels_ * kernel_.columns * static_cast<std::int64_t>(sizeof(std::int32_t));
  }

  void pack(const void* weights, void* packed) const override {
    auto* const sums = static_cast<std::int32_t*>(at(packed, (panels_ + 1) * panelBytes_));
    std::memset(packed, 0, static_cast<std::size_t>((panels_ + 1) * panelBytes_));
    std::fill_n(sums, panels_ * kernel_.columns, 0);
    const std::int64_t height = s_.kernel[0], width = s_.kernel[1];
    for (std::int64_t c = 0; c < (panels_ + 1) * kernel_.columns; ++c) {
      const bool isOfOnes = c >= panels_ * kernel_.columns;
      if (!isOfOnes && c >= channels_) continue;
      for (std::int64_t i = 0; i < height * width; ++i) {
        const std::int32_t x =
            isOfOnes ? 1 : byteAt(weights, s_.weightsType, c * height * width + i) + weightShift_;
        const std::int64_t y = i / width, word = i % width * high_ + y / kernel_.perWord;
        const std::int64_t place =
            ((c / kernel_.columns * words_ + word) * kernel_.columns + c % kernel_.columns) *
                kernel_.perWord +
            y % kernel_.perWord;
        if (isBytes_)
          static_cast<std::int8_t*>(packed)[place] = static_cast<std::int8_t>(x);
        else
          static_cast<std::int16_t*>(packed)[place] = static_cast<std::int16_t>(x);
        if (!isOfOnes) sums[c] += x;
      }
    }
  }

  // The operands with channels last, a line of padding, and each thread's lines of words.
  std::size_t workBytes() const override {
    return imageBytes_ + resultBytes_ + zerosBytes_ + threads_ * ownBytes_ +
           panels_ * sizeof(RequantizationTerms);
  }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    std::size_t next = 3;
    Run run = {};
    run.in = static_cast<const std::uint8_t*>(operands[0]);
    run.out = static_cast<std::byte*>(operands[2]);
    run.packed = static_cast<const std::byte*>(packed);
    run.inZero = s_.inZero == ZeroPoints::None ? 0 : byteAt(operands[next++], s_.inType, 0);
    run.weightZeros = s_.weightZeros == ZeroPoints::None ? nullptr : operands[next++];
    run.own = at(work, imageBytes_ + resultBytes_ + zerosBytes_);
    run.terms = static_cast<RequantizationTerms*>(at(run.own, threads_ * ownBytes_));
    for (std::int64_t c = 0; c < channels_ && !run.hasWeightZeros; ++c)
      run.hasWeightZeros = weightZero(run, c) != 0;
    for (std::int64_t i = 0; s_.requantization && i < panels_; ++i) {
      const std::int64_t channel = i * kernel_.columns;
      run.terms[i] = termsOf(*s_.requantization, operands + next, channel,
                             std::min(kernel_.columns, channels_ - channel), sumsOf(run, i),
                             -(run.inZero + inShift_));
    }
    if (!s_.inLast) {
      turnAll(turnIn_, run.in, channels_, inPositions(), 1, work);
      run.in = static_cast<const std::uint8_t*>(work);
    }
    if (!s_.outLast) run.out = static_cast<std::byte*>(at(work, imageBytes_));
    void* const zeros = at(work, imageBytes_ + resultBytes_);
    std::memset(zeros, run.inZero, zerosBytes_);
    run.zeros = static_cast<const std::uint8_t*>(zeros);
    const std::int64_t rows = s_.batch * s_.outField[0];
    parallelFor(rows, threads_, rows * s_.outField[1] * channels_ * words_,
                [&](std::int64_t i, unsigned thread) { runRow(run, i, thread); });
    if (!s_.outLast) turnAll(turnOut_, run.out, outPositions(), channels_, outBytes_, operands[2]);
  }

 private:
  /// What one run reads and writes, with channels last.
  struct Run {
    const std::uint8_t* in;
    std::byte* out;
    const std::byte* packed;
    std::int32_t inZero;
    const void* weightZeros;
    bool hasWeightZeros;         // one that is not 0 as weights are packed
    const std::uint8_t* zeros;   // a line of padding
    RequantizationTerms* terms;  // by panel
    void* own;                   // the memory of the threads
  };

  const std::int32_t* sumsOf(const Run& run, std::int64_t panel) const {
    return reinterpret_cast<const std::int32_t*>(run.packed + (panels_ + 1) * panelBytes_) +
           panel * kernel_.columns;
  }
  std::int64_t inPositions() const { return s_.inField[0] * s_.inField[1]; }
  std::int64_t outPositions() const { return s_.outField[0] * s_.outField[1]; }

  std::int32_t weightZero(const Run& run, std::int64_t channel) const {
    if (run.weightZeros == nullptr) return weightShift_;
    return weightShift_ +
           byteAt(run.weightZeros, s_.weightsType, s_.weightZeros == ZeroPoints::One ? 0 : channel);
  }

  /// Transposes the matrix of each sample, [rows, columns].
  void turnAll(TransposeMatrix turn, const void* from, std::int64_t rows, std::int64_t columns,
               std::int64_t bytes, void* to) const {
    constexpr std::int64_t kRows = 64;
    const std::int64_t parts = (rows + kRows - 1) / kRows;
    parallelFor(s_.batch * parts, threads_, s_.batch * rows * columns, [&](std::int64_t i) {
      const std::int64_t first = i % parts * kRows, sample = i / parts * rows * columns;
      turn(static_cast<const char*>(from) + (sample + first * columns) * bytes, columns * bytes,
           static_cast<char*>(to) + (sample + first) * bytes, rows * bytes, columns,
           std::min(kRows, rows - first));
    });
  }

  /// Weaves the lines of words of an output row.
  void weave(const Run& run, std::int64_t sample, std::int64_t row, std::byte* lines) const {
    const bool isSigned = s_.inType != poplar::UNSIGNED_CHAR;
    const std::int64_t size = s_.inField[1], lower = s_.padLower[1];
    // Places [begin, end) of a line are of input.
    const std::int64_t begin = std::clamp<std::int64_t>(lower, 0, width_);
    const std::int64_t end = std::clamp<std::int64_t>(size + lower, begin, width_);
    const std::uint8_t *rows[kMostPerWord], *zeros[kMostPerWord];
    std::fill_n(zeros, kMostPerWord, run.zeros);
    const auto pad = [&](std::byte* line, std::int64_t first, std::int64_t last) {
      for (std::int64_t x = first; x < last; ++x)
        kernel_.weave(zeros, isSigned, channels_, line + x * channels_ * kWordBytes);
    };
    for (std::int64_t w = 0; w < high_; ++w) {
      for (std::int64_t r = 0; r < kernel_.perWord; ++r) {
        const std::int64_t tap = w * kernel_.perWord + r;
        const std::int64_t y = row * s_.stride[0] - s_.padLower[0] + tap * s_.dilation[0];
        const bool isInside = tap < s_.kernel[0] && y >= 0 && y < s_.inField[0];
        rows[r] = isInside
                      ? run.in + ((sample * s_.inField[0] + y) * size + begin - lower) * channels_
                      : run.zeros;
      }
      std::byte* const line = lines + w * lineBytes_;
      pad(line, 0, begin);
      if (end > begin)
        kernel_.weave(rows, isSigned, (end - begin) * channels_,
                      line + begin * channels_ * kWordBytes);
      pad(line, end, width_);
    }
  }

  void runRow(const Run& run, std::int64_t i, unsigned thread) const {
    auto* const lines = static_cast<std::byte*>(at(run.own, thread * ownBytes_));
    weave(run, i / s_.outField[0], i % s_.outField[0], lines);
    const std::int64_t width = s_.outField[1];
    for (std::int64_t panel = 0; panel < panels_; ++panel)
      for (std::int64_t x = 0; x < width; x += kMostPoints)
        runPanel(run, lines, panel, i * width + x, x, std::min(kMostPoints, width - x));
  }

  /// `points` outputs of a row from `x` on, the first of which is `place` of all, for the channels of
  /// a panel.
  void runPanel(const Run& run, const std::byte* lines, std::int64_t panel, std::int64_t place,
                std::int64_t x, std::int64_t points) const {
    const std::int64_t columns = kernel_.columns, channel = panel * columns;
    const std::int64_t channels = std::min(columns, channels_ - channel);
    const std::byte* const words = lines + channel * kWordBytes;
    const std::byte* const ones = run.packed + panels_ * panelBytes_;
    alignas(64) std::int32_t sums[kMostPoints * kMostWordColumns];
    // What the zero point of the input takes is a part of the bias, if there is one.
    const std::int32_t inZero = run.inZero + inShift_;
    const bool starts = inZero != 0 && !s_.requantization;
    const auto runWith = [&](const std::byte* weights, std::int32_t* to, bool add) {
      kernel_.runLanes(words, places_.data() + x, taps_.data(), weights, words_, to, points,
                       channels, add);
    };
    if (starts) {
      std::int32_t inZeros[kMostPoints];
      std::fill_n(inZeros, points, inZero);
      const std::int32_t nothing[std::max(kMostPoints, kMostWordColumns)] = {};
      kernel_.startRows(sumsOf(run, panel), nothing, inZeros, nothing, sums, columns, points);
    }
    runWith(run.packed + panel * panelBytes_, sums, starts);
    if (run.hasWeightZeros) {
      alignas(64) std::int32_t inputs[kMostPoints * kMostWordColumns];
      runWith(ones, inputs, false);
      const std::int64_t elements = s_.kernel[0] * s_.kernel[1];
      for (std::int64_t i = 0; i < points; ++i)
        for (std::int64_t j = 0; j < channels; ++j)  // few elements: nothing overflows
          sums[i * columns + j] -=
              weightZero(run, channel + j) * restOf(inputs[i * columns + j], elements, inZero);
    }
    const std::int64_t to = place * channels_ + channel;
    if (!s_.requantization) {
      auto* const out = reinterpret_cast<std::int32_t*>(run.out) + to;
      for (std::int64_t i = 0; i < points; ++i)
        std::copy_n(sums + i * columns, channels, out + i * channels_);
    } else if (outBytes_ == 1) {
      kernel_.requantize(sums, points, channels, run.terms[panel],
                         reinterpret_cast<std::uint8_t*>(run.out) + to, channels_);
    } else {
      kernel_.dequantize(sums, points, channels, run.terms[panel],
                         reinterpret_cast<float*>(run.out) + to, channels_);
    }
  }

  static constexpr std::int64_t kMostPoints = 60;

  IntegerConvSpec s_;
  bool isBytes_;
  const WordsKernel& kernel_;
  unsigned threads_;
  std::int32_t inShift_, weightShift_;
  std::int64_t outBytes_;  // of an element of the result
  TransposeMatrix turnIn_, turnOut_;
  std::int64_t channels_, panels_;
  std::int64_t high_;       // words that a column of the window has
  std::int64_t width_;      // places of a line
  std::int64_t lineBytes_;  // of one word for each place and channel
  std::vector<std::int64_t> taps_, places_;
  std::int64_t words_ = 0, panelBytes_ = 0;
  std::size_t imageBytes_ = 0, resultBytes_ = 0, zerosBytes_ = 0, ownBytes_ = 0;
};

}  // namespace

bool isIntegerDepthwise(const IntegerConvSpec& s) {
  constexpr std::int64_t kMostElements = 1 << 12;  // of a window
  return s.inChannels == 1 && s.outChannels == 1 && s.kernel.size() == 2 &&
         s.kernel[0] <= kMostElements && s.kernel[0] * s.kernel[1] <= kMostElements;
}

std::unique_ptr<Contraction> makeIntegerDepthwise(const IntegerConvSpec& spec, unsigned threads) {
  return std::make_unique<IntegerDepthwise>(spec, threads);
}

}  // namespace contraction
}  // namespace popir
