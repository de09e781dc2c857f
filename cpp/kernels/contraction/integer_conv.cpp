#include "kernels/contraction/integer_conv.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>

#include "kernels/contraction/meetings.hpp"
#include "kernels/contraction/words.hpp"
#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

std::int64_t allOf(const std::vector<std::int64_t>& sizes) {
  std::int64_t n = 1;
  for (const auto size : sizes) n *= size;
  return n;
}

/// The elements of a dimension from the first window to the end of the last.
std::int64_t reached(std::int64_t kernel, std::int64_t outField, std::int64_t stride,
                     std::int64_t dilation) {
  return (std::max<std::int64_t>(outField, 1) - 1) * stride + (kernel - 1) * dilation + 1;
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

/// The order in which the elements of a window meet, in words of several.
struct Order {
  /// By word: the place of its first element in the planes of an image, after that of the point.
  std::vector<std::int64_t> taps;
  /// By element of the weights of an output channel: its place among the elements of the words.
  std::vector<std::int64_t> places;
  /// A place of the planes has an element of each of so many channels.
  std::int64_t channels = 1;
};

/// The sizes of a channel's planes: one for each phase of `steps`.
struct Planes {
  std::vector<std::int64_t> steps;    // from a place to the next, by dimension
  std::vector<std::int64_t> strides;  // of a plane, by dimension
  std::int64_t elements = 1;          // of one of them
  std::int64_t all = 1;               // of all phases
};

/// Where the elements of a window are in the planes of their channel, after the place of the point.
std::vector<std::int64_t> windowOf(const IntegerConvSpec& s, const Planes& planes) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t k = 0; k < allOf(s.kernel); ++k) {
    std::int64_t rest = k, phase = 0, phases = 1, offset = 0;
    for (std::size_t d = s.kernel.size(); d-- > 0; rest /= s.kernel[d]) {
      const std::int64_t at = rest % s.kernel[d] * s.dilation[d];
      phase += at % planes.steps[d] * phases;
      phases *= planes.steps[d];
      offset += at / planes.steps[d] * planes.strides[d];
    }
    offsets.push_back(phase * planes.elements + offset);
  }
  return offsets;
}

/// Words of neighbouring places: elements of a window that are less than a word apart.
Order byPlaces(const IntegerConvSpec& s, const Planes& planes, std::int64_t perWord) {
  const auto offsets = windowOf(s, planes);
  std::vector<std::size_t> sorted(offsets.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; });
  std::vector<std::int64_t> taps, places(offsets.size());
  for (const auto k : sorted) {
    if (taps.empty() || offsets[k] >= taps.back() + perWord) taps.push_back(offsets[k]);
    places[k] = (static_cast<std::int64_t>(taps.size()) - 1) * perWord + offsets[k] - taps.back();
  }
  Order order;
  const auto words = static_cast<std::int64_t>(taps.size());
  for (std::int64_t c = 0; c < s.inChannels; ++c) {
    for (const auto tap : taps) order.taps.push_back(c * planes.all + tap);
    for (const auto place : places) order.places.push_back(c * words * perWord + place);
  }
  return order;
}

/// Words of several channels. The last one has fewer, and zeros.
Order byChannels(const IntegerConvSpec& s, const Planes& planes, std::int64_t perWord) {
  const auto offsets = windowOf(s, planes);
  const auto window = static_cast<std::int64_t>(offsets.size());
  Order order;
  order.channels = perWord;
  for (std::int64_t c = 0; c < s.inChannels; c += perWord)
    for (const auto offset : offsets) order.taps.push_back(c / perWord * planes.all + offset);
  for (std::int64_t c = 0; c < s.inChannels; ++c)
    for (std::int64_t k = 0; k < window; ++k)
      order.places.push_back((c / perWord * window + k) * perWord + c % perWord);
  return order;
}

/// Words of neighbouring channels, which follow one another at a place.
Order byLastChannels(const IntegerConvSpec& s, const Planes& planes, std::int64_t perWord) {
  const std::int64_t words = (s.inChannels + perWord - 1) / perWord;
  Order order;
  order.channels = words * perWord;
  const auto offsets = windowOf(s, planes);
  for (const auto offset : offsets)
    for (std::int64_t w = 0; w < words; ++w) order.taps.push_back(offset * words + w);
  for (std::int64_t c = 0; c < s.inChannels; ++c)
    for (std::size_t k = 0; k < offsets.size(); ++k)
      order.places.push_back(static_cast<std::int64_t>(k) * order.channels + c);
  return order;
}

Order orderOf(const IntegerConvSpec& s, const Planes& planes, std::int64_t perWord) {
  if (s.inLast) return byLastChannels(s, planes, perWord);
  auto places = byPlaces(s, planes, perWord), channels = byChannels(s, planes, perWord);
  return channels.taps.size() < places.taps.size() ? std::move(channels) : std::move(places);
}

/// The product of the image, [points, k], and of the weights, [k, outputs], as in
/// integer_product.cpp, where k are input channels and elements of the window, as of an im2col.
///
/// The padded image is split by phases of the strides (space to batch), each a plane. So the words of
/// a point are at the place of the point in a plane, plus the same taps for all points: the loops
/// read them where they are. With channels last there is one plane, and strides are steps in it; without
/// padding it is the input itself.
class IntegerConv final : public Contraction {
 public:
  IntegerConv(const IntegerConvSpec& spec, unsigned threads)
      : s_(joined(spec)),
        isBytes_(bytesKernel() != nullptr),
        kernel_(isBytes_ ? *bytesKernel() : shortsKernel()),
        threads_(threads),
        elements_(spec.inChannels * allOf(spec.kernel)),
        inShift_(isBytes_ && spec.inType != poplar::UNSIGNED_CHAR ? 128 : 0),
        weightShift_(isBytes_ && spec.weightsType == poplar::UNSIGNED_CHAR ? -128 : 0),
        outBytes_(bytesOfResult(spec.requantization)),
        turn_(transposeMatrix(static_cast<std::size_t>(outBytes_))) {
    const std::size_t fields = s_.kernel.size();
    phaseSizes_.resize(fields);
    planes_.strides.resize(fields);
    planes_.steps = s_.inLast ? std::vector<std::int64_t>(fields, 1) : s_.stride;
    isInPlace_ = s_.inLast && isBytes_ && inShift_ == 0 && s_.inChannels % kernel_.perWord == 0;
    for (std::size_t d = fields; d-- > 0;) {
      const std::int64_t size = reached(s_.kernel[d], s_.outField[d], s_.stride[d], s_.dilation[d]);
      isInPlace_ = isInPlace_ && s_.padLower[d] == 0 && size <= s_.inField[d];
      phaseSizes_[d] = (size + planes_.steps[d] - 1) / planes_.steps[d];
    }
    if (isInPlace_) phaseSizes_ = s_.inField;
    for (std::size_t d = fields; d-- > 0;) {
      planes_.strides[d] = planes_.elements;
      planes_.elements *= phaseSizes_[d];
    }
    planes_.all = planes_.elements * allOf(planes_.steps);
    order_ = orderOf(s_, planes_, kernel_.perWord);
    words_ = static_cast<std::int64_t>(order_.taps.size());
    placeBytes_ = order_.channels * kWordBytes / kernel_.perWord;
    imageChannels_ = (s_.inChannels + order_.channels - 1) / order_.channels;
    if (isInPlace_) {
      // A place has the channels of all groups.
      const std::int64_t words = order_.channels / kernel_.perWord;
      for (auto& tap : order_.taps)
        tap = (tap / words * s_.groups * words + tap % words) * kWordBytes;
      placeBytes_ *= s_.groups;
    } else {
      const std::int64_t unit = s_.inLast ? kWordBytes : placeBytes_;
      for (auto& tap : order_.taps) tap *= unit;
      // Words at the last places reach beyond the last plane.
      imageBytes_ =
          aligned(s_.batch * s_.groups * imageChannels_ * planes_.all * placeBytes_ + kWordBytes);
      ownBytes_ = s_.inLast ? 0 : aligned((allOf(s_.inField) + 1) * placeBytes_);
    }
    panels_ = (s_.outChannels + kernel_.columns - 1) / kernel_.columns;
    panelBytes_ = words_ * kernel_.columns * kWordBytes;
    findPoints();
    findLines();
  }

  std::string describe() const override {
    return std::string(isBytes_ ? "bytes " : "bytes as shorts ") + kernel_.name;
  }

  std::size_t packedBytes() const override {
    // The panels of all groups, one of ones, and the sums of the columns.
    const std::int64_t panels = s_.groups * panels_;
    return (panels + 1) * panelBytes_ +
           aligned(panels * kernel_.columns * static_cast<std::int64_t>(sizeof(std::int32_t)));
  }

  void pack(const void* weights, void* packed) const override {
    const std::int64_t panels = s_.groups * panels_;
    auto* const sums = static_cast<std::int32_t*>(at(packed, (panels + 1) * panelBytes_));
    parallelFor(panels + 1, threads_, (panels + 1) * words_ * kernel_.columns, [&](std::int64_t i) {
      void* const to = at(packed, i * panelBytes_);
      std::memset(to, 0, static_cast<std::size_t>(panelBytes_));
      if (isBytes_)
        packPanel(weights, i, static_cast<std::int8_t*>(to), sums);
      else
        packPanel(weights, i, static_cast<std::int16_t*>(to), sums);
    });
  }

  // The image, for each thread what one of its channels is made of, and the terms of all panels.
  std::size_t workBytes() const override {
    return imageBytes_ + threads_ * ownBytes_ + s_.groups * panels_ * sizeof(RequantizationTerms);
  }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    std::size_t next = 3;
    const std::int32_t inZero =
        s_.inZero == ZeroPoints::None ? 0 : byteAt(operands[next++], s_.inType, 0);
    Run run{static_cast<const std::uint8_t*>(operands[0]),
            static_cast<const std::byte*>(packed),
            inZero,
            s_.weightZeros == ZeroPoints::None ? nullptr : operands[next],
            false,
            work,
            operands[2],
            static_cast<RequantizationTerms*>(at(work, imageBytes_ + threads_ * ownBytes_))};
    run.hasWeightZeros = hasWeightZeros(run.weightZeros);
    makeTerms(run, operands + next + (s_.weightZeros != ZeroPoints::None));
    const std::int64_t images = s_.batch * s_.groups;
    makeImages(run);
    const std::int64_t steps = images * s_.outChannels * points_ * words_;
    parallelFor(images * blocks_ * panels_, threads_, steps, [&](std::int64_t i) {
      runBlock(run, i / panels_ / blocks_, i / panels_ % blocks_, i % panels_);
    });
  }

 private:
  /// What one run reads and writes.
  struct Run {
    const std::uint8_t* in;
    const std::byte* packed;
    std::int32_t inZero;
    const void* weightZeros;
    bool hasWeightZeros;  // one that is not 0 as weights are packed
    void* work;
    void* out;
    RequantizationTerms* terms;  // by panel
  };

  /// A line of a channel's planes: places from `begin` to `end` hold input, the others padding.
  /// Place 0 is of element `source` of the input, which may lie outside of it.
  struct Line {
    std::int64_t source, begin, end;
  };

  /// The memory of a thread.
  void* own(const Run& run, unsigned thread) const {
    return at(run.work, imageBytes_ + thread * ownBytes_);
  }

  /// The first point of a block, and the output channels of a panel.
  std::int64_t pointOf(std::int64_t block) const { return block * points_ / blocks_; }
  std::int64_t channelsOf(std::int64_t panel) const {
    return std::min(kernel_.columns, s_.outChannels - panel * kernel_.columns);
  }

  /// Finds the places of the points, and cuts these into blocks of about one length.
  void findPoints() {
    points_ = allOf(s_.outField);
    blocks_ = (points_ + kMostPoints - 1) / kMostPoints;
    pointPlaces_.reserve(static_cast<std::size_t>(points_));
    for (std::int64_t point = 0; point < points_; ++point) {
      std::int64_t rest = point, place = 0;
      for (std::size_t d = s_.outField.size(); d-- > 0; rest /= s_.outField[d])
        place += rest % s_.outField[d] * s_.stride[d] / planes_.steps[d] * planes_.strides[d];
      pointPlaces_.push_back(place * placeBytes_);
    }
  }

  /// Finds what the lines of a channel's planes hold.
  void findLines() {
    const std::size_t last = s_.kernel.size() - 1;
    const std::int64_t width = phaseSizes_[last], stride = planes_.steps[last],
                       size = s_.inField[last];
    for (std::int64_t line = 0; line < planes_.all / width; ++line) {
      // Its coordinates: phases, then places in a plane, the last ones fastest.
      std::int64_t rest = line, source = 0, scale = size;
      std::int64_t places[3] = {}, phases[3] = {};
      bool isInside = true;
      for (std::size_t d = last; d-- > 0; rest /= phaseSizes_[d]) places[d] = rest % phaseSizes_[d];
      for (std::size_t d = last + 1; d-- > 0; rest /= planes_.steps[d])
        phases[d] = rest % planes_.steps[d];
      for (std::size_t d = last; d-- > 0; scale *= s_.inField[d]) {
        const std::int64_t x = places[d] * planes_.steps[d] + phases[d] - s_.padLower[d];
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

  /// Fills a panel of weights, and notes the sums of its columns; the panel after all has ones.
  template <class T>
  void packPanel(const void* weights, std::int64_t i, T* panel, std::int32_t* sums) const {
    const bool isOfOnes = i == s_.groups * panels_;
    const std::int64_t group = i / panels_, first = i % panels_ * kernel_.columns;
    for (std::int64_t j = 0; j < kernel_.columns; ++j) {
      const std::int64_t channel = first + j;
      const bool isThere = isOfOnes || channel < s_.outChannels;
      std::uint32_t sum = 0;  // modulo 2^32, as all sums here
      for (std::int64_t k = 0; isThere && k < elements_; ++k) {
        const std::int64_t of = (group * s_.outChannels + channel) * elements_ + k;
        const std::int32_t x = isOfOnes ? 1 : byteAt(weights, s_.weightsType, of) + weightShift_;
        const std::int64_t place = order_.places[static_cast<std::size_t>(k)];
        const std::int64_t word = place / kernel_.perWord * kernel_.columns + j;
        panel[word * kernel_.perWord + place % kernel_.perWord] = static_cast<T>(x);
        sum += static_cast<std::uint32_t>(x);
      }
      if (!isOfOnes) sums[i * kernel_.columns + j] = static_cast<std::int32_t>(sum);
    }
  }

  /// Makes the planes of all images, if they are not read in place.
  void makeImages(const Run& run) const {
    if (isInPlace_) return;
    const std::int64_t images = s_.batch * s_.groups;
    if (s_.inLast) {
      const auto lines = static_cast<std::int64_t>(lines_.size());
      parallelFor(images * lines, threads_, images * planes_.all * placeBytes_,
                  [&](std::int64_t i) { makeLine(run, i / lines, i % lines); });
      return;
    }
    const std::int64_t channels = images * imageChannels_;
    parallelFor(channels, threads_, channels * planes_.all * order_.channels,
                [&](std::int64_t i, unsigned thread) { makePlanes(run, i, thread); });
  }

  /// Writes a line of an image whose channels are last.
  void makeLine(const Run& run, std::int64_t which, std::int64_t line) const {
    const std::int64_t width = phaseSizes_.back(), channels = s_.inChannels;
    const std::int64_t from = s_.groups * channels;  // bytes of a place of the input
    const auto& [source, begin, end] = lines_[static_cast<std::size_t>(line)];
    const bool isSigned = s_.inType != poplar::UNSIGNED_CHAR;
    auto* const to =
        static_cast<std::byte*>(at(run.work, (which * planes_.all + line * width) * placeBytes_));
    const auto* const in = run.in + which / s_.groups * allOf(s_.inField) * from +
                           which % s_.groups * channels + source * from;
    const auto zero = static_cast<std::uint8_t>(run.inZero);
    const auto pad = [&](std::int64_t first, std::int64_t last) {
      // Of the channels that fill a word, too: their weights are 0.
      std::uint8_t zeros[64];
      std::memset(zeros, zero, sizeof zeros);
      const std::int64_t all = (last - first) * order_.channels,
                         size = kWordBytes / kernel_.perWord;
      for (std::int64_t i = 0; i < all; i += 64)
        kernel_.widen(zeros, isSigned, std::min<std::int64_t>(64, all - i),
                      to + first * placeBytes_ + i * size);
    };
    pad(0, begin);
    if (from == channels && channels == order_.channels) {
      kernel_.widen(in + begin * from, isSigned, (end - begin) * from, to + begin * placeBytes_);
    } else {
      if (channels != order_.channels) pad(begin, end);
      for (std::int64_t i = begin; i < end; ++i)
        kernel_.widen(in + i * from, isSigned, channels, to + i * placeBytes_);
    }
    pad(end, width);
  }

  /// Where the places of an image begin.
  const std::byte* imageOf(const Run& run, std::int64_t which) const {
    if (!isInPlace_)
      return static_cast<const std::byte*>(
          at(run.work, which * imageChannels_ * planes_.all * placeBytes_));
    return reinterpret_cast<const std::byte*>(run.in) +
           which / s_.groups * planes_.all * placeBytes_ + which % s_.groups * s_.inChannels;
  }

  /// Writes the planes of channel i of the image, or of the channels that share its words.
  void makePlanes(const Run& run, std::int64_t i, unsigned thread) const {
    const std::int64_t field = allOf(s_.inField);
    const std::int64_t image = i / imageChannels_, first = i % imageChannels_ * order_.channels;
    const bool isSigned = s_.inType != poplar::UNSIGNED_CHAR;
    const auto zero = static_cast<std::uint8_t>(run.inZero);
    const std::uint8_t *rows[kMostPerWord], *zeros[kMostPerWord];
    for (std::int64_t c = 0; c < order_.channels; ++c) {
      // One that is not there is the last one again: its weights are 0.
      const std::int64_t channel = std::min(first + c, s_.inChannels - 1);
      rows[c] = run.in + (image * s_.inChannels + channel) * field;
      zeros[c] = &zero;
    }
    // The places of the input and one of padding, before they go where they belong.
    void* const from = own(run, thread);
    void* const padding = at(from, field * placeBytes_);
    if (order_.channels == 1) {
      kernel_.widen(rows[0], isSigned, field, from);
      kernel_.widen(&zero, isSigned, 1, padding);
    } else {
      kernel_.weave(rows, isSigned, field, from);
      kernel_.weave(zeros, isSigned, 1, padding);
    }
    void* const to = at(run.work, i * planes_.all * placeBytes_);
    switch (placeBytes_) {
      case 1: return lay<std::uint8_t>(from, padding, to);
      case 2: return lay<std::uint16_t>(from, padding, to);
      default: return lay<std::uint32_t>(from, padding, to);
    }
  }

  /// Writes planes of places.
  template <class Place>
  void lay(const void* field, const void* padding, void* planes) const {
    const auto* const from = static_cast<const Place*>(field);
    const Place zero = *static_cast<const Place*>(padding);
    const std::int64_t width = phaseSizes_.back(), stride = s_.stride.back();
    auto* to = static_cast<Place*>(planes);
    for (const auto& [source, begin, end] : lines_) {
      std::int64_t i = 0;
      for (; i < begin; ++i) to[i] = zero;
      if (stride == 1)
        std::memcpy(to + begin, from + source + begin,
                    static_cast<std::size_t>(end - begin) * sizeof(Place));
      else if (stride == 2)  // which compilers know how to do fast
        for (; i < end; ++i) to[i] = from[source + i * 2];
      else
        for (; i < end; ++i) to[i] = from[source + i * stride];
      for (i = end; i < width; ++i) to[i] = zero;
      to += width;
    }
  }

  bool hasWeightZeros(const void* zeros) const {
    if (zeros == nullptr) return weightShift_ != 0;
    const std::int64_t n = s_.weightZeros == ZeroPoints::One ? 1 : s_.groups * s_.outChannels;
    for (std::int64_t i = 0; i < n; ++i)
      if (byteAt(zeros, s_.weightsType, i) + weightShift_ != 0) return true;
    return false;
  }

  /// The zero point of an output channel's weights as they are packed.
  std::int32_t weightZero(const Run& run, std::int64_t channel) const {
    if (run.weightZeros == nullptr) return weightShift_;
    return weightShift_ +
           byteAt(run.weightZeros, s_.weightsType, s_.weightZeros == ZeroPoints::One ? 0 : channel);
  }

  /// A block of points of an image for the output channels of a panel.
  void runBlock(const Run& run, std::int64_t which, std::int64_t block, std::int64_t panel) const {
    const std::int64_t group = which % s_.groups, columns = kernel_.columns;
    const std::int64_t first = pointOf(block), points = pointOf(block + 1) - first;
    const std::int64_t channel = panel * columns, channels = channelsOf(panel);
    const auto* const image = imageOf(run, which);
    const std::int64_t* const places = pointPlaces_.data() + first;
    const std::int64_t* const taps = order_.taps.data();
    const std::byte* const ones = run.packed + s_.groups * panels_ * panelBytes_;
    const std::int64_t number = group * panels_ + panel;
    alignas(64) std::int32_t sums[kMostPoints * kMostWordColumns];

    const std::int32_t inZero = run.inZero + inShift_;
    const bool hasZeros = run.hasWeightZeros || (inZero != 0 && !s_.requantization);
    if (hasZeros) {
      std::int32_t inZeros[kMostPoints], rests[kMostPoints] = {}, zeros[kMostWordColumns] = {};
      std::fill_n(inZeros, points, inZero);
      if (run.hasWeightZeros) {
        runWordsAt(kernel_, image, places, taps, ones, words_, sums, columns, points, 1, false);
        for (std::int64_t i = 0; i < points; ++i)
          rests[i] = restOf(sums[i * columns], elements_, inZero);
        for (std::int64_t j = 0; j < channels; ++j)
          zeros[j] = weightZero(run, group * s_.outChannels + channel + j);
      }
      kernel_.startRows(sumsOf(run, number), zeros, inZeros, rests, sums, columns, points);
    }
    const bool toBytes = s_.requantization && outBytes_ == 1;
    // Bytes with channels last go where they belong; others are turned after that.
    alignas(64) std::uint8_t bytes[kMostPoints * kMostWordColumns];
    BytesOf made = {nullptr, bytes, columns, columns};
    if (toBytes) made.terms = &run.terms[number];
    if (s_.outLast)
      made = {made.terms, static_cast<std::uint8_t*>(run.out) + lastPlace(which, block, panel),
              place(), channels};
    runWordsAt(kernel_, image, places, taps, run.packed + number * panelBytes_, words_, sums,
               columns, points, channels, hasZeros, toBytes ? &made : nullptr);
    if (toBytes) {
      if (!s_.outLast) store(run, bytes, which, block, panel);
      return;
    }
    if (!s_.requantization) return store(run, sums, which, block, panel);
    const auto& terms = run.terms[number];
    if (s_.outLast)
      return kernel_.dequantize(sums, points, channels, terms,
                                static_cast<float*>(run.out) + lastPlace(which, block, panel),
                                place());
    alignas(64) float floats[kMostPoints * kMostWordColumns];
    kernel_.dequantize(sums, points, columns, terms, floats, columns);
    store(run, floats, which, block, panel);
  }

  /// The elements of a place of the result with channels last, and where those of a block begin.
  std::int64_t place() const { return s_.groups * s_.outChannels; }
  std::int64_t lastPlace(std::int64_t which, std::int64_t block, std::int64_t panel) const {
    return (which / s_.groups * points_ + pointOf(block)) * place() +
           which % s_.groups * s_.outChannels + panel * kernel_.columns;
  }

  const std::int32_t* sumsOf(const Run& run, std::int64_t number) const {
    return reinterpret_cast<const std::int32_t*>(run.packed +
                                                 (s_.groups * panels_ + 1) * panelBytes_) +
           number * kernel_.columns;
  }

  /// The terms of each panel. What the zero point of the input takes is a part of the bias, if weights
  /// have none: else sums begin with it.
  void makeTerms(const Run& run, void* const* operands) const {
    for (std::int64_t i = 0; s_.requantization && i < s_.groups * panels_; ++i) {
      const std::int64_t panel = i % panels_;
      const auto* const sums = run.hasWeightZeros ? nullptr : sumsOf(run, i);
      run.terms[i] = termsOf(*s_.requantization, operands,
                             i / panels_ * s_.outChannels + panel * kernel_.columns,
                             channelsOf(panel), sums, -(run.inZero + inShift_));
    }
  }

  /// Stores the results of a block of points, [points, columns].
  void store(const Run& run, const void* made, std::int64_t which, std::int64_t block,
             std::int64_t panel) const {
    const std::int64_t first = pointOf(block), points = pointOf(block + 1) - first;
    const std::int64_t channel = panel * kernel_.columns, channels = channelsOf(panel);
    const auto* const from = static_cast<const char*>(made);
    const std::int64_t row = kernel_.columns * outBytes_;
    if (!s_.outLast) {
      const std::int64_t to = (which * s_.outChannels + channel) * points_ + first;
      turn_(from, row, static_cast<char*>(run.out) + to * outBytes_, points_ * outBytes_, channels,
            points);
      return;
    }
    auto* const out = static_cast<char*>(run.out) + lastPlace(which, block, panel) * outBytes_;
    for (std::int64_t i = 0; i < points; ++i)
      std::memcpy(out + i * place() * outBytes_, from + i * row,
                  static_cast<std::size_t>(channels * outBytes_));
  }

  /// Points that are computed at a time: five of the loops' blocks of rows.
  static constexpr std::int64_t kMostPoints = 60;

  IntegerConvSpec s_;
  bool isBytes_;
  bool isInPlace_ = false;  // whether the words are read where the input lies
  const WordsKernel& kernel_;
  unsigned threads_;
  std::int64_t elements_;
  std::int32_t inShift_, weightShift_;
  std::int64_t outBytes_;  // of an element of the result
  TransposeMatrix turn_;
  std::vector<std::int64_t> phaseSizes_;
  Planes planes_;
  Order order_;                            // its taps in bytes
  std::vector<std::int64_t> pointPlaces_;  // in bytes
  std::vector<Line> lines_;
  std::int64_t words_ = 0, placeBytes_ = 1, imageChannels_ = 0;
  std::int64_t points_ = 1, blocks_ = 1, panels_ = 0, panelBytes_ = 0;
  std::size_t imageBytes_ = 0, ownBytes_ = 0;
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
