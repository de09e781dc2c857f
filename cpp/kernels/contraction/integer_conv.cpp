#include "kernels/contraction/integer_conv.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "kernels/contraction/meetings.hpp"
#include "kernels/contraction/words.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

std::int64_t allOf(const std::vector<std::int64_t>& sizes) {
  std::int64_t n = 1;
  for (const auto size : sizes) n *= size;
  return n;
}

/// The elements of a dimension from the first window to the end of the last, rounded up to a
/// multiple of the stride.
std::int64_t reached(std::int64_t kernel, std::int64_t outField, std::int64_t stride,
                     std::int64_t dilation) {
  if (outField <= 1) stride = 1;
  const std::int64_t all =
      (std::max<std::int64_t>(outField, 1) - 1) * stride + (kernel - 1) * dilation + 1;
  return (all + stride - 1) / stride * stride;
}

/// A single window has no stride. Joins field dimensions in which nothing but single elements meet,
/// such as both of a 1 x 1 convolution, with those before them.
IntegerConvSpec joined(IntegerConvSpec s) {
  const auto isWhole = [&s](std::size_t d) {
    return s.kernel[d] == 1 && s.stride[d] == 1 && s.padLower[d] == 0 &&
           s.inField[d] == s.outField[d];
  };
  for (std::size_t d = 0; d < s.kernel.size(); ++d)
    if (s.outField[d] <= 1) s.stride[d] = 1;
  for (std::size_t d = s.kernel.size(); d-- > 1;) {
    if (!isWhole(d) || !isWhole(d - 1)) continue;
    s.inField[d - 1] *= s.inField[d];
    s.outField[d - 1] *= s.outField[d];
    for (auto* sizes : {&s.inField, &s.kernel, &s.outField, &s.stride, &s.dilation, &s.padLower})
      sizes->erase(sizes->begin() + static_cast<std::ptrdiff_t>(d));
  }
  return s;
}

/// The product of the weights, [outputs, k], and of the image, [k, points], as in
/// integer_product.cpp, where k are input channels and elements of the window, as of an im2col.
///
/// The padded image is split by phases of the strides (space to batch), each a plane, so that row k
/// of the second matrix is a contiguous run of a plane, which begins at taps_[k]. The points of an
/// output row are as far apart as the rows of a plane: those between its end and the next row are
/// computed and not kept.
class IntegerConv final : public Contraction {
 public:
  IntegerConv(const IntegerConvSpec& spec, unsigned threads)
      : s_(joined(spec)),
        isBytes_(bytesKernel() != nullptr),
        kernel_(isBytes_ ? *bytesKernel() : shortsKernel()),
        threads_(threads),
        perWord_(isBytes_ ? 4 : 2),
        elements_(spec.inChannels * allOf(spec.kernel)),
        words_((elements_ + perWord_ - 1) / perWord_),
        inShift_(isBytes_ && spec.inType == poplar::UNSIGNED_CHAR ? -128 : 0),
        weightShift_(isBytes_ && spec.weightsType != poplar::UNSIGNED_CHAR ? 128 : 0) {
    const std::size_t fields = s_.kernel.size();
    phaseSizes_.resize(fields);
    std::vector<std::int64_t> strides(fields);
    planeElements_ = 1;
    for (std::size_t d = fields; d-- > 0;) {
      phaseSizes_[d] =
          reached(s_.kernel[d], s_.outField[d], s_.stride[d], s_.dilation[d]) / s_.stride[d];
      strides[d] = planeElements_;
      planeElements_ *= phaseSizes_[d];
    }
    channelElements_ = planeElements_ * allOf(s_.stride);
    points_ = 1;
    for (std::size_t d = 0; d < fields; ++d)
      points_ += (std::max<std::int64_t>(s_.outField[d], 1) - 1) * strides[d];
    panels_ = (points_ + kernel_.columns - 1) / kernel_.columns;
    panelBytes_ = words_ * kernel_.columns * kWordBytes;
    findTaps(strides);
    findRows(strides);
    findLines();
    rowBytes_ = words_ * kWordBytes;
    allRowBytes_ = aligned(s_.groups * s_.outChannels * rowBytes_);
    // Panels read beyond the last plane.
    imageBytes_ =
        aligned(s_.batch * s_.groups * s_.inChannels * channelElements_ + kMostWordColumns + 16);
  }

  std::string describe() const override {
    return std::string(isBytes_ ? "bytes " : "bytes as shorts ") + kernel_.name;
  }

  std::size_t packedBytes() const override {
    // Rows of weights, one row of ones, and the sums of the rows.
    return allRowBytes_ + aligned(rowBytes_) +
           aligned(s_.groups * s_.outChannels * sizeof(std::int32_t));
  }

  void pack(const void* weights, void* packed) const override {
    const std::int64_t rows = s_.groups * s_.outChannels;
    void* const ones = at(packed, allRowBytes_);
    auto* const sums = static_cast<std::int32_t*>(at(ones, aligned(rowBytes_)));
    parallelFor(rows, threads_, rows * elements_, [&](std::int64_t i) {
      void* const to = at(packed, i * rowBytes_);
      sums[i] = isBytes_ ? packRow(weights, i, static_cast<std::uint8_t*>(to))
                         : packRow(weights, i, static_cast<std::int16_t*>(to));
    });
    if (isBytes_)
      fillRow(static_cast<std::uint8_t*>(ones));
    else
      fillRow(static_cast<std::int16_t*>(ones));
  }

  // The image, and a panel for each thread.
  std::size_t workBytes() const override { return imageBytes_ + threads_ * aligned(panelBytes_); }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    std::size_t next = 3;
    const std::int32_t inZero =
        s_.inZero == ZeroPoints::None ? 0 : byteAt(operands[next++], s_.inType, 0);
    const void* const weightZeros = s_.weightZeros == ZeroPoints::None ? nullptr : operands[next];
    auto* const image = static_cast<std::int8_t*>(work);
    const std::int64_t channels = s_.batch * s_.groups * s_.inChannels;
    parallelFor(channels, threads_, channels * channelElements_, [&](std::int64_t i) {
      pad(static_cast<const std::uint8_t*>(operands[0]) + i * allOf(s_.inField),
          static_cast<std::uint8_t>(inZero), image + i * channelElements_);
    });
    const std::int64_t images = s_.batch * s_.groups;
    const std::int64_t steps = images * s_.outChannels * points_ * words_;
    parallelFor(images * panels_, threads_, steps, [&](std::int64_t i, unsigned thread) {
      void* const panel = at(work, imageBytes_ + thread * aligned(panelBytes_));
      runPanel(image, i / panels_, i % panels_, static_cast<const std::byte*>(packed), inZero,
               weightZeros, panel, static_cast<std::int32_t*>(operands[2]));
    });
  }

 private:
  /// A row of the output among the points, and where it is in the output.
  struct Row {
    std::int64_t point, output;
  };

  /// A line of a channel's planes: places from `begin` to `end` hold input, the others padding.
  /// Place 0 is of element `source` of the input, which may lie outside of it.
  struct Line {
    std::int64_t source, begin, end;
  };

  /// Finds where the run of each k begins.
  void findTaps(const std::vector<std::int64_t>& strides) {
    const std::int64_t window = allOf(s_.kernel);
    taps_.reserve(words_ * perWord_);
    for (std::int64_t k = 0; k < elements_; ++k) {
      std::int64_t rest = k % window, phase = 0, phases = 1, offset = 0;
      for (std::size_t d = s_.kernel.size(); d-- > 0; rest /= s_.kernel[d]) {
        const std::int64_t at = rest % s_.kernel[d] * s_.dilation[d];
        phase += at % s_.stride[d] * phases;
        phases *= s_.stride[d];
        offset += at / s_.stride[d] * strides[d];
      }
      taps_.push_back(k / window * channelElements_ + phase * planeElements_ + offset);
    }
    // The weights are 0 there.
    taps_.resize(words_ * perWord_, 0);
  }

  /// Finds the rows of the output, in order.
  void findRows(const std::vector<std::int64_t>& strides) {
    const std::int64_t length = s_.outField.back(),
                       rows = allOf(s_.outField) / std::max<std::int64_t>(length, 1);
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int64_t rest = i, point = 0;
      for (std::size_t d = s_.outField.size() - 1; d-- > 0; rest /= s_.outField[d])
        point += rest % s_.outField[d] * strides[d];
      rows_.push_back({point, i * length});
    }
  }

  template <class T>
  std::int32_t packRow(const void* weights, std::int64_t i, T* to) const {
    std::uint32_t sum = 0;  // modulo 2^32, as all sums here
    for (std::int64_t k = 0; k < elements_; ++k) {
      const std::int32_t x = byteAt(weights, s_.weightsType, i * elements_ + k) + weightShift_;
      to[k] = static_cast<T>(x);
      sum += static_cast<std::uint32_t>(x);
    }
    std::fill(to + elements_, to + words_ * perWord_, T{0});
    return static_cast<std::int32_t>(sum);
  }

  template <class T>
  void fillRow(T* to) const {
    std::fill_n(to, elements_, T{1});
    std::fill(to + elements_, to + words_ * perWord_, T{0});
  }

  /// Finds what the lines of a channel's planes hold.
  void findLines() {
    const std::size_t last = s_.kernel.size() - 1;
    const std::int64_t width = phaseSizes_[last], stride = s_.stride[last], size = s_.inField[last];
    for (std::int64_t line = 0; line < channelElements_ / width; ++line) {
      // Its coordinates: phases, then places in a plane, the last ones fastest.
      std::int64_t rest = line, source = 0, scale = size;
      std::int64_t places[3] = {}, phases[3] = {};
      bool isInside = true;
      for (std::size_t d = last; d-- > 0; rest /= phaseSizes_[d]) places[d] = rest % phaseSizes_[d];
      for (std::size_t d = last + 1; d-- > 0; rest /= s_.stride[d]) phases[d] = rest % s_.stride[d];
      for (std::size_t d = last; d-- > 0; scale *= s_.inField[d]) {
        const std::int64_t x = places[d] * s_.stride[d] + phases[d] - s_.padLower[d];
        isInside = isInside && x >= 0 && x < s_.inField[d];
        source += x * scale;
      }
      const std::int64_t first = phases[last] - s_.padLower[last];  // of input, at place 0
      Line found = {source + first, width, width};
      if (isInside) {
        found.begin = std::clamp<std::int64_t>((stride - 1 - first) / stride, 0, width);
        found.end =
            std::clamp<std::int64_t>((size - first + stride - 1) / stride, found.begin, width);
      }
      lines_.push_back(found);
    }
  }

  /// Writes the planes of a channel: padded, and without signs if these are wanted so. In bytes, of
  /// either type.
  void pad(const std::uint8_t* from, std::uint8_t zero, std::int8_t* to) const {
    const std::uint8_t flip = inShift_ != 0 ? 0x80 : 0;
    const int padding = zero ^ flip;
    const std::int64_t width = phaseSizes_.back(), stride = s_.stride.back();
    // Copies, since stores of bytes might change what they refer to.
    for (const auto [source, begin, end] : lines_) {
      std::memset(to, padding, static_cast<std::size_t>(begin));
      if (stride == 1)
        for (std::int64_t i = begin; i < end; ++i)
          to[i] = static_cast<std::int8_t>(from[source + i] ^ flip);
      else
        for (std::int64_t i = begin; i < end; ++i)
          to[i] = static_cast<std::int8_t>(from[source + i * stride] ^ flip);
      std::memset(to + end, padding, static_cast<std::size_t>(width - end));
      to += width;
    }
  }

  /// Four rows of bytes to words of their columns.
  void packBytes(const std::int8_t* image, std::byte* to) const {
    const auto load = [](const std::int8_t* from) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    };
    for (std::int64_t w = 0; w < words_; ++w) {
      const std::int64_t* tap = taps_.data() + 4 * w;
      for (std::int64_t j = 0; j < kernel_.columns; j += 16, to += 64) {
        const __m128i a = load(image + tap[0] + j), b = load(image + tap[1] + j);
        const __m128i c = load(image + tap[2] + j), d = load(image + tap[3] + j);
        const __m128i x = _mm_unpacklo_epi8(a, b), y = _mm_unpackhi_epi8(a, b);
        const __m128i z = _mm_unpacklo_epi8(c, d), u = _mm_unpackhi_epi8(c, d);
        auto* own = reinterpret_cast<__m128i*>(to);
        _mm_storeu_si128(own, _mm_unpacklo_epi16(x, z));
        _mm_storeu_si128(own + 1, _mm_unpackhi_epi16(x, z));
        _mm_storeu_si128(own + 2, _mm_unpacklo_epi16(y, u));
        _mm_storeu_si128(own + 3, _mm_unpackhi_epi16(y, u));
      }
    }
  }

  template <class F>
  void packShorts(const F* image, std::int16_t* to) const {
    for (std::int64_t w = 0; w < words_; ++w, to += 2 * kernel_.columns) {
      const F* const a = image + taps_[2 * w];
      const F* const b = image + taps_[2 * w + 1];
      for (std::int64_t j = 0; j < kernel_.columns; ++j) {
        to[2 * j] = a[j];
        to[2 * j + 1] = b[j];
      }
    }
  }

  void runPanel(const std::int8_t* image, std::int64_t which, std::int64_t number,
                const std::byte* packed, std::int32_t inZero, const void* weightZeros, void* panel,
                std::int32_t* out) const {
    const std::int64_t first = number * kernel_.columns, group = which % s_.groups;
    const std::int8_t* const from = image + which * s_.inChannels * channelElements_ + first;
    if (isBytes_)
      packBytes(from, static_cast<std::byte*>(panel));
    else if (s_.inType == poplar::UNSIGNED_CHAR)
      packShorts(reinterpret_cast<const std::uint8_t*>(from), static_cast<std::int16_t*>(panel));
    else
      packShorts(from, static_cast<std::int16_t*>(panel));

    const auto* const b = static_cast<const std::byte*>(panel);
    const std::byte* const ones = packed + allRowBytes_;
    const auto* const rowSums =
        reinterpret_cast<const std::int32_t*>(ones + aligned(rowBytes_)) + group * s_.outChannels;
    const std::int32_t bZero = inZero + inShift_;
    const bool hasWeightZeros = weightZeros != nullptr || weightShift_ != 0;
    const bool hasZeros = hasWeightZeros || bZero != 0;
    std::int32_t sums[kMostWordColumns] = {}, bZeros[kMostWordColumns];
    std::fill_n(bZeros, kMostWordColumns, bZero);
    if (hasWeightZeros)
      runWords(kernel_, ones, rowBytes_, b, words_, sums, kernel_.columns, 1, false);

    const std::int64_t outputs = allOf(s_.outField), length = s_.outField.back();
    // Points that are all of one row of the output go there at once.
    const Row* const whole = rowOf(first);
    const bool isWhole = whole != nullptr && first + kernel_.columns <= whole->point + length;
    std::int32_t block[kWordRowsOfBlock * kMostWordColumns], aZeros[kWordRowsOfBlock],
        rests[kWordRowsOfBlock];
    for (std::int64_t row = 0; row < s_.outChannels; row += kWordRowsOfBlock) {
      const std::int64_t rows = std::min(kWordRowsOfBlock, s_.outChannels - row);
      std::int32_t* const own = out + (which * s_.outChannels + row) * outputs;
      std::int32_t* const to = isWhole ? own + whole->output + first - whole->point : block;
      const std::int64_t toRow = isWhole ? outputs : kernel_.columns;
      if (hasZeros) {
        for (std::int64_t r = 0; r < rows; ++r) {
          const std::int64_t channel = group * s_.outChannels + row + r;
          aZeros[r] =
              weightShift_ + (weightZeros == nullptr
                                  ? 0
                                  : byteAt(weightZeros, s_.weightsType,
                                           s_.weightZeros == ZeroPoints::One ? 0 : channel));
          rests[r] = restOf(rowSums[row + r], elements_, aZeros[r]);
        }
        kernel_.startRows(sums, bZeros, aZeros, rests, to, toRow, rows);
      }
      runWords(kernel_, packed + (group * s_.outChannels + row) * rowBytes_, rowBytes_, b, words_,
               to, toRow, rows, hasZeros);
      if (!isWhole) keep(block, rows, first, length, own, outputs);
    }
  }

  /// The last row of the output that begins at `point` or before; null if there is none.
  const Row* rowOf(std::int64_t point) const {
    const auto next =
        std::upper_bound(rows_.begin(), rows_.end(), point,
                         [](std::int64_t at, const Row& row) { return at < row.point; });
    return next == rows_.begin() ? nullptr : &*(next - 1);
  }

  /// Copies what belongs to the output.
  void keep(const std::int32_t* block, std::int64_t rows, std::int64_t first, std::int64_t length,
            std::int32_t* out, std::int64_t outputs) const {
    const std::int64_t last = first + kernel_.columns;
    const Row* row = rowOf(first);
    if (row == nullptr) row = rows_.data();
    for (; row != rows_.data() + rows_.size() && row->point < last; ++row) {
      const std::int64_t begin = std::max(first, row->point);
      const std::int64_t end = std::min(last, row->point + length);
      if (begin >= end) continue;
      for (std::int64_t r = 0; r < rows; ++r)
        std::memcpy(out + r * outputs + row->output + begin - row->point,
                    block + r * kernel_.columns + begin - first,
                    static_cast<std::size_t>(end - begin) * sizeof(std::int32_t));
    }
  }

  IntegerConvSpec s_;
  bool isBytes_;
  const WordsKernel& kernel_;
  unsigned threads_;
  std::int64_t perWord_, elements_, words_;
  std::int32_t inShift_, weightShift_;
  std::vector<std::int64_t> phaseSizes_, taps_;
  std::vector<Row> rows_;
  std::vector<Line> lines_;
  std::int64_t planeElements_ = 1, channelElements_ = 1, points_ = 1, panels_ = 0;
  std::int64_t panelBytes_ = 0, rowBytes_ = 0;
  std::size_t allRowBytes_ = 0, imageBytes_ = 0;
};

}  // namespace

bool isCompact(const std::vector<std::int64_t>& inField, const std::vector<std::int64_t>& kernel,
               const std::vector<std::int64_t>& outField, const std::vector<std::int64_t>& stride,
               const std::vector<std::int64_t>& dilation) {
  constexpr std::uint64_t kMostTimes = 16, kMore = 1 << 16;
  const auto size = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  std::uint64_t padded = 1, in = 1, out = 1;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    padded =
        saturatingProduct(padded, size(reached(kernel[d], outField[d], stride[d], dilation[d])));
    in = saturatingProduct(in, size(inField[d]));
    out = saturatingProduct(out, size(outField[d]));
  }
  const std::uint64_t most = saturatingProduct(kMostTimes, in + out < in ? in : in + out);
  return padded <= (most + kMore < most ? most : most + kMore);
}

std::unique_ptr<Contraction> makeIntegerConv(const IntegerConvSpec& spec, unsigned threads) {
  return std::make_unique<IntegerConv>(spec, threads);
}

}  // namespace contraction
}  // namespace popir
